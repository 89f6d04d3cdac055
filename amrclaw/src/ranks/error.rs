//! Failures of communication.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why the communication between ranks has failed.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommError {
    /// A rank has ended the run.
    #[error("{0}")]
    Ended(String),
    /// A rank sends nothing before the timeout.
    #[error(
        "rank {rank} has sent nothing for {seconds} s, while rank {waiting} waits for it; \
         --comm-timeout sets this timeout"
    )]
    Timeout {
        /// The silent rank.
        rank: usize,
        /// The rank that waits for it.
        waiting: usize,
        /// The timeout.
        seconds: u64,
    },
    /// A message is not the one that its receiver expects.
    #[error(
        "rank {rank} sends {found}, but rank {waiting} expects {expected}: \
         a message was lost, or the ranks do not run the same program on the same case"
    )]
    UnexpectedMessage {
        /// The rank that sends.
        rank: usize,
        /// The rank that waits.
        waiting: usize,
        /// The message that it expects.
        expected: String,
        /// The message that has arrived.
        found: String,
    },
    /// A message is longer than MPI can send.
    #[error("rank {rank} has to send a message of {gib} GiB, but MPI sends less than 16 GiB: use more ranks")]
    TooLong {
        /// The rank that sends.
        rank: usize,
        /// The message's length in 2³⁰ bytes.
        gib: usize,
    },
}
