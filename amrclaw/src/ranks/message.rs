//! Messages of numbers.

use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::fmt;

/// The step of the method to which a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Ghost cells.
    GhostCells,
    /// Values of new patches.
    NewPatches,
    /// States and capacities of the coarse cells under new patches, which these keep.
    Capacity,
    /// The coarse level's part of the flux register, and the states of its cells beside the faces.
    CoarseFaces,
    /// Complete sums of the flux register, for owners of coarse cells.
    FaceSums,
    /// Averages of fine cells.
    Averages,
    /// Flags of a level's cells.
    Flags,
    /// A level's values for output.
    Output,
}

/// The header of a message, which the receiver verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHeader {
    /// The step of the method.
    pub kind: MessageKind,
    /// Number of the level.
    pub level: u8,
    /// Epoch of the mesh.
    pub epoch: u64,
}

/// Words of the header: kind and level, epoch, number of numbers, and which message it is. They lie in the padding of [`PACK_OVERRUN`]
/// before the numbers.
const HEAD: usize = 4;
/// The word that tells which message between its two ranks it is.
const ORDINAL: usize = 3;
const _: () = assert!(HEAD * 8 <= PACK_OVERRUN * 4);

/// A message of numbers from one rank to another. The numbers begin at the same offset as those of a level's first patch, so that regions
/// in a message are addressed like those of patches.
#[derive(Debug)]
pub struct Message {
    words: Vec<u64>,
}

impl MessageHeader {
    fn word(self) -> u64 {
        self.kind as u64 | u64::from(self.level) << 8
    }

    /// The header of a message of `numbers` numbers, which has not been counted yet.
    fn words(self, numbers: usize) -> [u64; HEAD] {
        [self.word(), self.epoch, numbers as u64, 0]
    }
}

impl Message {
    /// Words of a message of `numbers` numbers, padding included.
    pub fn len<R: Scalar>(numbers: usize) -> usize {
        ((PACK_OVERRUN + numbers) * R::BYTES).div_ceil(8)
    }

    /// A message with room for `numbers` numbers, in the buffer of an earlier message.
    pub fn new<R: Scalar>(header: MessageHeader, numbers: usize, mut words: Vec<u64>) -> Self {
        words.resize(Self::len::<R>(numbers), 0);
        words[..HEAD].copy_from_slice(&header.words(numbers));
        Message { words }
    }

    /// A message of words.
    pub fn of_words(header: MessageHeader, words: &[u64]) -> Self {
        Message { words: [&header.words(words.len()), words].concat() }
    }

    /// A header alone, which announces numbers that are sent separately.
    pub fn notice(header: MessageHeader, numbers: usize) -> Self {
        Message { words: header.words(numbers).to_vec() }
    }

    /// True if this is the announcement of `numbers` numbers with this header.
    pub fn is_notice(&self, header: MessageHeader, numbers: usize) -> bool {
        self.words.len() == HEAD && self.words[..ORDINAL] == header.words(numbers)[..ORDINAL]
    }

    /// The words of a message of words with this header, whatever their number; an error returns any other message.
    pub fn words_of(mut self, header: MessageHeader) -> Result<Vec<u64>, Self> {
        let is_right = self.words.get(..HEAD).is_some_and(|found| {
            found[..2] == [header.word(), header.epoch] && found[2] == (self.words.len() - HEAD) as u64
        });
        if is_right { Ok(self.words.split_off(HEAD)) } else { Err(self) }
    }

    /// The message as number `ordinal` from its sender to its receiver.
    pub fn counted(mut self, ordinal: u64) -> Self {
        self.words[ORDINAL] = ordinal;
        self
    }

    /// True if it is number `ordinal` from its sender.
    pub fn has_ordinal(&self, ordinal: u64) -> bool {
        self.words.get(ORDINAL) == Some(&ordinal)
    }

    /// The message in received words.
    pub fn received(words: Vec<u64>) -> Self {
        Message { words }
    }

    /// The words to be sent.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// True if the message has this header and this many numbers.
    pub fn is<R: Scalar>(&self, header: MessageHeader, numbers: usize) -> bool {
        self.words.len() == Self::len::<R>(numbers) && self.words[..ORDINAL] == header.words(numbers)[..ORDINAL]
    }

    /// The numbers, behind the padding of [`PACK_OVERRUN`].
    pub fn numbers_mut<R: Scalar>(&mut self) -> &mut [R] {
        let len = self.words.len() * 8 / R::BYTES;
        // SAFETY: words are aligned as numbers of at most 64 bits are, and any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), len) }
    }

    /// The description of a message in errors.
    pub fn name(header: MessageHeader, numbers: impl fmt::Display) -> String {
        format!("{numbers} numbers ({:?} of level {}, mesh {})", header.kind, header.level + 1, header.epoch)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words[..] {
            [place, epoch, numbers, ordinal, ..] => {
                let (step, level) = (place & 255, (place >> 8) + 1);
                write!(f, "{numbers} numbers (step {step} of level {level}, mesh {epoch}) as message {ordinal}")
            }
            _ => write!(f, "{} words", self.words.len()),
        }
    }
}
