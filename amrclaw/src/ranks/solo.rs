//! One rank alone.

use super::{CommError, Communicator};
use crate::mesh::Rank;

/// The only rank of a run.
pub(super) struct Solo;

impl Communicator for Solo {
    fn rank(&self) -> Rank {
        Rank::SOLO
    }

    fn post(&self, to: usize, _words: Vec<u64>) -> Result<(), CommError> {
        unreachable!("there is no rank {to}")
    }

    fn wait(&self, from: usize) -> Result<Vec<u64>, CommError> {
        unreachable!("there is no rank {from}")
    }

    fn abort(&self, _reason: &str) {}
}
