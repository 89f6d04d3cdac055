//! Files: the case file in, frames, checkpoints and pictures out. Never sees an executor.

pub mod config;
pub mod expression;
pub mod frame;
