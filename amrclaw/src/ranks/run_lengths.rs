//! Run-length encoding of words that are mostly zero, encoded and joined by all threads.

use rayon::prelude::*;
use std::sync::Arc;

/// Words of a piece, which one thread encodes.
const PIECE: usize = 1 << 13;

/// Run-length encoded words: pieces of [`PIECE`] words, each a sequence of runs: the number of zeros, the number of other words behind
/// them, and these words: `[zeros, others, word …]*`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunLengths(Vec<Vec<u64>>);

impl RunLengths {
    pub fn new(words: &[u64]) -> Self {
        RunLengths(words.par_chunks(PIECE).map(runs_of).collect())
    }

    /// Serializes the pieces one after another, each behind its length.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::with_capacity(self.num_bytes() / 8 + self.0.len());
        for piece in &self.0 {
            words.push(piece.len() as u64);
            words.extend(piece);
        }
        words
    }

    /// The inverse of [`RunLengths::to_words`].
    pub fn from_words(mut words: &[u64]) -> Self {
        let mut pieces = Vec::new();
        while let [len, rest @ ..] = words {
            let (piece, after) = rest.split_at(*len as usize);
            pieces.push(piece.to_vec());
            words = after;
        }
        RunLengths(pieces)
    }

    /// Bytes of all pieces.
    pub fn num_bytes(&self) -> usize {
        self.0.iter().map(|piece| size_of_val(piece.as_slice())).sum()
    }

    /// Overwrites `words` with the bitwise OR of all, each of which encodes as many words.
    ///
    /// # Panics
    /// If one encodes another number of words: ranks with the same mesh cannot differ in this.
    pub fn join(all: &[Arc<Self>], words: &mut [u64]) {
        let pieces = words.len().div_ceil(PIECE);
        all.iter().for_each(|runs| assert_eq!(runs.0.len(), pieces, "pieces of {} words", words.len()));
        words.par_chunks_mut(PIECE).enumerate().for_each(|(k, words)| {
            words.fill(0);
            all.iter().for_each(|runs| add(&runs.0[k], words));
        });
    }
}

/// ORs the runs of a piece into its words.
fn add(mut runs: &[u64], words: &mut [u64]) {
    let mut at = 0;
    while let [zeros, others, rest @ ..] = runs {
        let (these, after) = rest.split_at(*others as usize);
        at += *zeros as usize;
        words[at..][..these.len()].iter_mut().zip(these).for_each(|(word, bits)| *word |= bits);
        at += these.len();
        runs = after;
    }
    assert_eq!(at, words.len(), "words of a piece");
}

/// Encodes one piece.
fn runs_of(words: &[u64]) -> Vec<u64> {
    let mut runs = Vec::with_capacity(words.iter().filter(|&&word| word != 0).count() + 2);
    let mut rest = words;
    while !rest.is_empty() {
        let zeros = rest.iter().take_while(|&&word| word == 0).count();
        let others = rest[zeros..].iter().take_while(|&&word| word != 0).count();
        runs.extend([zeros as u64, others as u64]);
        runs.extend(&rest[zeros..zeros + others]);
        rest = &rest[zeros + others..];
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of any number of pieces are decoded and joined with others, whatever the target held; serialization changes nothing.
    #[test]
    fn runs_lead_back_to_the_words() {
        let scattered: Vec<u64> = (0..3 * PIECE as u64 + 7).map(|k| if k % 11 < 4 { k } else { 0 }).collect();
        for words in [&[][..], &[0, 0, 0], &[7, 8], &[0, 0, 9, 1, 0, 0, 0, 4], &[3, 0], &scattered] {
            let runs = RunLengths::new(words);
            assert_eq!(RunLengths::from_words(&runs.to_words()), runs);
            let others = RunLengths::new(&words.iter().map(|word| word & 1 << 40).collect::<Vec<_>>());
            let more = RunLengths::new(&vec![1 << 41; words.len()]);
            let mut found = vec![5; words.len()];
            RunLengths::join(&[runs, others, more].map(Arc::new), &mut found);
            assert!(found.iter().zip(words).all(|(found, word)| *found == word | 1 << 41), "{} words", words.len());
        }
        assert_eq!(RunLengths::new(&[0; 100]).to_words(), [2, 100, 0]);
    }

    /// Runs that encode another number of words are refused.
    #[test]
    #[should_panic(expected = "words of a piece")]
    fn runs_of_fewer_words_are_refused() {
        RunLengths::join(&[Arc::new(RunLengths::new(&[1, 2]))], &mut [0; 3]);
    }
}
