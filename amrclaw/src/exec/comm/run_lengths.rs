//! Words most of which are zero, in fewer of them. Pieces of the words are coded and added up by all threads.

use rayon::prelude::*;

/// Words of a piece.
const PIECE: usize = 1 << 13;

/// Pieces one after another, each as the number of its words that follow, which are runs of zeros by their length, each followed by the
/// words up to the next: `[zeros, others, word …]*`.
pub(in crate::exec) fn run_lengths(words: &[u64]) -> Vec<u64> {
    let pieces: Vec<Vec<u64>> = words.par_chunks(PIECE).map(runs_of).collect();
    pieces.concat()
}

/// The runs of one piece behind their number.
fn runs_of(words: &[u64]) -> Vec<u64> {
    let mut runs = vec![0];
    let mut rest = words;
    while !rest.is_empty() {
        let zeros = rest.iter().take_while(|&&word| word == 0).count();
        let others = rest[zeros..].iter().take_while(|&&word| word != 0).count();
        runs.extend([zeros as u64, others as u64]);
        runs.extend(&rest[zeros..zeros + others]);
        rest = &rest[zeros + others..];
    }
    runs[0] = runs.len() as u64 - 1;
    runs
}

/// Adds the bits of the words that [`run_lengths`] was given to as many others.
///
/// # Panics
/// If it has not made these runs of so many words: ranks that have told one another of the same mesh cannot.
pub(in crate::exec) fn add_runs(mut runs: &[u64], words: &mut [u64]) {
    let mut pieces = Vec::new();
    while let [len, rest @ ..] = runs {
        let (piece, after) = rest.split_at(*len as usize);
        pieces.push(piece);
        runs = after;
    }
    assert_eq!(pieces.len(), words.len().div_ceil(PIECE), "pieces of {} words", words.len());
    words.par_chunks_mut(PIECE).zip(pieces).for_each(|(words, mut runs)| {
        let mut at = 0;
        while let [zeros, others, rest @ ..] = runs {
            let (these, after) = rest.split_at(*others as usize);
            at += *zeros as usize;
            words[at..][..these.len()].iter_mut().zip(these).for_each(|(word, bits)| *word |= bits);
            at += these.len();
            runs = after;
        }
        assert_eq!(at, words.len(), "words of a piece");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of any number of pieces come back, among bits that were there.
    #[test]
    fn runs_lead_back_to_the_words() {
        let scattered: Vec<u64> = (0..3 * PIECE as u64 + 7).map(|k| if k % 11 < 4 { k } else { 0 }).collect();
        for words in [&[][..], &[0, 0, 0], &[7, 8], &[0, 0, 9, 1, 0, 0, 0, 4], &[3, 0], &scattered] {
            let mut found = vec![1 << 40; words.len()];
            add_runs(&run_lengths(words), &mut found);
            assert!(found.iter().zip(words).all(|(found, word)| *found == word | 1 << 40), "{} words", words.len());
        }
        assert_eq!(run_lengths(&[0; 100]), [2, 100, 0]);
    }

    /// Runs of another number of words are no flags of this mesh.
    #[test]
    #[should_panic(expected = "words of a piece")]
    fn runs_of_fewer_words_are_refused() {
        add_runs(&run_lengths(&[1, 2]), &mut [0; 3]);
    }
}
