//! Code shared by the tests on the host and on devices.
#![allow(dead_code, reason = "each test uses its part")]

pub mod elementary;
pub mod emulator;
pub mod level;
pub mod library;
pub mod solvers;
pub mod update;
