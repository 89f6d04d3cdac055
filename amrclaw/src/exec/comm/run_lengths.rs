//! Words most of which are zero, in fewer of them.

/// Runs of zeros by their length, each followed by the words up to the next: `[zeros, others, word …]*`.
pub(in crate::exec) fn run_lengths(words: &[u64]) -> Vec<u64> {
    let mut runs = Vec::new();
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

/// The words that [`run_lengths`] was given; `None` if it cannot have made these runs.
pub(in crate::exec) fn expanded(mut runs: &[u64]) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    while let [zeros, others, rest @ ..] = runs {
        let (these, after) = rest.split_at_checked(usize::try_from(*others).ok()?)?;
        words.resize(words.len() + usize::try_from(*zeros).ok()?, 0);
        words.extend(these);
        runs = after;
    }
    runs.is_empty().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_lead_back_to_the_words() {
        for words in [&[][..], &[0, 0, 0], &[7, 8], &[0, 0, 9, 1, 0, 0, 0, 4], &[3, 0]] {
            assert_eq!(expanded(&run_lengths(words)).as_deref(), Some(words));
        }
        assert_eq!(run_lengths(&[0; 100]), [100, 0]);
        assert_eq!(expanded(&[1, 5, 2]), None);
    }
}
