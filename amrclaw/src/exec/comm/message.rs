//! Messages of numbers.

use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::fmt;

/// At which step of the method a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Ghost cells.
    GhostCells,
    /// Values of new patches.
    NewPatches,
    /// What coarse cells hold with their capacity, for the new patches over them.
    Capacity,
    /// Sums that the coarse level has begun at its faces to a finer one, and its cells there.
    CoarseFaces,
    /// Sums that coarse cells receive.
    FaceSums,
    /// Averages of fine cells.
    Averages,
    /// Flags of a level's cells.
    Flags,
    /// A level's values for output.
    Output,
}

/// What a message says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The step of the method.
    pub phase: Phase,
    /// Number of the level.
    pub level: u8,
    /// Epoch of the mesh.
    pub epoch: u64,
}

/// Words of the head: phase and level, epoch, number of numbers. They lie in the room that packs may run over before the numbers.
const HEAD: usize = 3;
const _: () = assert!(HEAD * 8 <= PACK_OVERRUN * 4);

/// Numbers on their way from a rank to another. They begin where those of a level's first patch would, so that regions in a message are
/// addressed as patches are.
#[derive(Debug)]
pub struct Message {
    words: Vec<u64>,
}

impl Head {
    fn word(self) -> u64 {
        self.phase as u64 | u64::from(self.level) << 8
    }
}

impl Message {
    /// Words of so many numbers, and of the room before them.
    fn len<R: Scalar>(numbers: usize) -> usize {
        ((PACK_OVERRUN + numbers) * R::BYTES).div_ceil(8)
    }

    /// A message of so many numbers in the memory of another.
    pub fn new<R: Scalar>(head: Head, numbers: usize, mut words: Vec<u64>) -> Self {
        words.resize(Self::len::<R>(numbers), 0);
        words[..HEAD].copy_from_slice(&[head.word(), head.epoch, numbers as u64]);
        Message { words }
    }

    /// A message of words.
    pub fn of_words(head: Head, words: &[u64]) -> Self {
        Message { words: [&[head.word(), head.epoch, words.len() as u64], words].concat() }
    }

    /// What announces so many numbers that lie elsewhere.
    pub fn notice(head: Head, numbers: usize) -> Self {
        Message { words: vec![head.word(), head.epoch, numbers as u64] }
    }

    /// True if it announces so many numbers of this.
    pub fn is_notice(&self, head: Head, numbers: usize) -> bool {
        self.words == [head.word(), head.epoch, numbers as u64]
    }

    /// The words, whatever their number, if it says this of itself; else the message.
    pub fn words_of(mut self, head: Head) -> Result<Vec<u64>, Self> {
        let is_right = self.words.get(..HEAD).is_some_and(|found| {
            found[..2] == [head.word(), head.epoch] && found[2] == (self.words.len() - HEAD) as u64
        });
        if is_right { Ok(self.words.split_off(HEAD)) } else { Err(self) }
    }

    /// What has been received.
    pub fn received(words: Vec<u64>) -> Self {
        Message { words }
    }

    /// The words to be sent.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// True if it says this of itself and has so many numbers.
    pub fn is<R: Scalar>(&self, head: Head, numbers: usize) -> bool {
        self.words.len() == Self::len::<R>(numbers) && self.words[..HEAD] == [head.word(), head.epoch, numbers as u64]
    }

    /// The numbers, behind room for packs.
    pub fn numbers_mut<R: Scalar>(&mut self) -> &mut [R] {
        let len = self.words.len() * 8 / R::BYTES;
        // SAFETY: words are aligned as numbers of at most 64 bits are, and any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), len) }
    }

    /// A message in words.
    pub fn name(head: Head, numbers: impl fmt::Display) -> String {
        format!("{numbers} numbers ({:?} of level {}, mesh {})", head.phase, head.level + 1, head.epoch)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words[..] {
            [place, epoch, numbers, ..] => {
                write!(f, "{numbers} numbers (step {} of level {}, mesh {epoch})", place & 255, (place >> 8) + 1)
            }
            _ => write!(f, "{} words", self.words.len()),
        }
    }
}
