//! What all ranks, or a group of them, do together: sums, and words for some of the others.

use super::{CommError, Head, Message, Ranks};
use crate::mesh::Rank;
use std::collections::BTreeMap;
use std::ops::Range;

/// Cells of a level up to which its flags are told to all ranks: to cluster so few takes less time than to do it together.
const TOLD: usize = 1 << 24;

/// The same where the ranks' devices read one another's flags and make boxes of them, each of all: a gigabyte for every 2³² cells.
const READ: usize = 1 << 27;

impl Ranks {
    /// Flags of a level of so many cells stay with the ranks that raise them, which then cluster together. `on_device`: they lie in the
    /// memory of devices.
    pub fn keeps_flags(&self, cells: usize, on_device: bool) -> bool {
        let told = if on_device && self.all_read() { READ } else { TOLD };
        !self.is_solo() && cells > self.told.unwrap_or(told)
    }

    /// Flags of levels with more cells than this stay with the ranks that raise them. All ranks are told the same.
    pub fn telling_flags_up_to(self, cells: usize) -> Self {
        Ranks { told: Some(cells), ..self }
    }

    /// Sums over a group of ranks, number by number: of whole numbers, so that the order does not matter. All of the group call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn sum(&self, group: &Range<usize>, head: Head, counts: &mut [u32]) -> Result<(), CommError> {
        let own = self.rank().number - group.start;
        // The largest power of two of the ranks double the distance each time; each of the others leaves it to one of them.
        let doubling = 1 << group.len().ilog2();
        let other = |place: usize| group.start + place;
        if own >= doubling {
            self.post_words(other(own - doubling), head, &packed(counts))?;
            let sums = self.wait_for_words(other(own - doubling), head)?;
            counts.fill(0);
            add(counts, &sums);
            return Ok(());
        }
        let stands_for = Some(own + doubling).filter(|&place| place < group.len());
        if let Some(place) = stands_for {
            add(counts, &self.wait_for_words(other(place), head)?);
        }
        let mut distance = 1;
        while distance < doubling {
            let partner = other(own ^ distance);
            self.post_words(partner, head, &packed(counts))?;
            add(counts, &self.wait_for_words(partner, head)?);
            distance *= 2;
        }
        match stands_for {
            Some(place) => self.post_words(other(place), head, &packed(counts)),
            None => Ok(()),
        }
    }

    /// Sends words to some ranks; answers those for this one, in the order of ranks. All ranks call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn exchange(&self, head: Head, parcels: BTreeMap<usize, Vec<u64>>) -> Result<Vec<Vec<u64>>, CommError> {
        let Rank { number, .. } = self.rank();
        let destinations: Vec<u64> = parcels.keys().map(|&to| to as u64).collect();
        let all = self.gather(&destinations)?;
        for (to, words) in parcels {
            self.post_words(to, head, &words)?;
        }
        let senders = all.iter().enumerate().filter(|(_, to)| to.contains(&(number as u64)));
        senders.map(|(from, _)| self.wait_for_words(from, head)).collect()
    }

    /// Sends words.
    ///
    /// # Errors
    /// As for [`Communicator::post`](super::Communicator::post).
    pub fn post_words(&self, to: usize, head: Head, words: &[u64]) -> Result<(), CommError> {
        self.post(to, Message::of_words(head, words))
    }

    /// Waits for words, whatever their number.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn wait_for_words(&self, from: usize, head: Head) -> Result<Vec<u64>, CommError> {
        self.watched(|comm| {
            Message::received(comm.wait(from)?).words_of(head).map_err(|message| {
                let (waiting, expected) = (comm.rank().number, Message::name(head, "some"));
                CommError::Unlike { rank: from, waiting, expected, found: message.to_string() }
            })
        })
    }
}

/// Numbers of 32 bits in words of 64.
fn packed(counts: &[u32]) -> Vec<u64> {
    counts.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32).collect()
}

/// Adds packed numbers; what would be too large is the largest.
fn add(counts: &mut [u32], packed: &[u64]) {
    for (counts, word) in counts.chunks_mut(2).zip(packed) {
        counts
            .iter_mut()
            .zip([*word as u32, (*word >> 32) as u32])
            .for_each(|(count, more)| *count = count.saturating_add(more));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Phase, Threads, USUAL_PATIENCE};
    use super::*;
    use std::sync::Arc;

    const HEAD: Head = Head { phase: Phase::Flags, level: 0, epoch: 7 };

    fn on_ranks(size: usize, work: impl Fn(&Ranks) + Sync) {
        Threads::run(size, USUAL_PATIENCE, &Arc::default(), |ranks| work(&ranks), |ranks| work(&ranks))
            .expect("threads");
    }

    /// The sums of any group of any size are all ranks', an odd number of them too; those outside the group do not take part.
    #[test]
    fn groups_sum() {
        for size in 1..=9 {
            on_ranks(size, |ranks| {
                let own = ranks.rank().number;
                for (start, end) in (0..size).flat_map(|start| (start + 1..=size).map(move |end| (start, end))) {
                    if !(start..end).contains(&own) {
                        continue;
                    }
                    let mut counts = [1, own as u32, 1 << (3 * own)];
                    ranks.sum(&(start..end), HEAD, &mut counts).expect("all are there");
                    let all = || (start..end).map(|rank| rank as u32);
                    assert_eq!(counts, [all().count() as u32, all().sum(), all().map(|rank| 1 << (3 * rank)).sum()]);
                }
            });
        }
    }

    /// Each rank has the words that are for it, from those that have some, in the order of ranks.
    #[test]
    fn words_reach_their_ranks() {
        on_ranks(5, |ranks| {
            let own = ranks.rank().number;
            // Rank `r` has words for the `r` next ones.
            let parcels = (1..=own).map(|step| ((own + step) % 5, vec![own as u64; step])).collect();
            let found = ranks.exchange(HEAD, parcels).expect("all are there");
            let step = |from: usize| (own + 5 - from) % 5;
            let expected = (0..5).filter(|&from| (1..=from).contains(&step(from)));
            assert_eq!(found, expected.map(|from| vec![from as u64; step(from)]).collect::<Vec<_>>());
        });
    }

    /// Words of another step are refused.
    #[test]
    fn other_words_are_refused() {
        on_ranks(2, |ranks| {
            let other = 1 - ranks.rank().number;
            ranks.post_words(other, HEAD, &[1, 2]).expect("the other is there");
            let found = ranks.wait_for_words(other, Head { epoch: 8, ..HEAD });
            let message = found.expect_err("words of another mesh").to_string();
            assert!(message.contains("2 numbers") && message.contains("mesh 7"), "{message}");
        });
    }
}
