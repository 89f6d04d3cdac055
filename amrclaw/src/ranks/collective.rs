//! Collective communication of all ranks or a group of them: sums, and the exchange of words.

use super::{CommError, Message, MessageHeader, Ranks};
use crate::mesh::Rank;
use std::collections::BTreeMap;
use std::ops::Range;

/// Largest number of cells of a level whose flags are gathered on all ranks: for so few, each rank clusters faster alone.
const GATHERED_CELLS: usize = 1 << 24;

/// The same where devices read one another's flags and each clusters the flags of all ranks: a gigabyte for every 2³² cells.
const GATHERED_CELLS_ON_DEVICE: usize = 1 << 27;

impl Ranks {
    /// True if each rank keeps its own flags of a level with this many cells, and the ranks cluster them together. `on_device`: the flags
    /// are in the memory of devices.
    pub fn keeps_flags(&self, cells: usize, on_device: bool) -> bool {
        let usual = if on_device && self.all_have_peer_access() { GATHERED_CELLS_ON_DEVICE } else { GATHERED_CELLS };
        !self.is_solo() && cells > self.most_gathered.unwrap_or(usual)
    }

    /// Sets the largest number of cells of a level whose flags are gathered on all ranks; it must be the same on all ranks.
    pub fn with_gather_limit(self, cells: usize) -> Self {
        Ranks { most_gathered: Some(cells), ..self }
    }

    /// Sums counts over a group of ranks, element by element; they are integers, so that the order does not matter. All of the group call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn sum(&self, group: &Range<usize>, header: MessageHeader, counts: &mut [u32]) -> Result<(), CommError> {
        let own = self.rank().number - group.start;
        // Recursive doubling among the largest power of two of the ranks; each other rank leaves its counts to one of these.
        let doubling = 1 << group.len().ilog2();
        let other = |place: usize| group.start + place;
        if own >= doubling {
            self.post_words(other(own - doubling), header, &packed(counts))?;
            let sums = self.wait_for_words(other(own - doubling), header)?;
            counts.fill(0);
            add(counts, &sums);
            return Ok(());
        }
        let stands_for = Some(own + doubling).filter(|&place| place < group.len());
        if let Some(place) = stands_for {
            add(counts, &self.wait_for_words(other(place), header)?);
        }
        let mut distance = 1;
        while distance < doubling {
            let partner = other(own ^ distance);
            self.post_words(partner, header, &packed(counts))?;
            add(counts, &self.wait_for_words(partner, header)?);
            distance *= 2;
        }
        match stands_for {
            Some(place) => self.post_words(other(place), header, &packed(counts)),
            None => Ok(()),
        }
    }

    /// Sends words to some ranks; returns those that others send to this rank, in the order of ranks. All ranks call it.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn exchange(
        &self,
        header: MessageHeader,
        words_to: BTreeMap<usize, Vec<u64>>,
    ) -> Result<Vec<Vec<u64>>, CommError> {
        let Rank { number, .. } = self.rank();
        let destinations: Vec<u64> = words_to.keys().map(|&to| to as u64).collect();
        let all = self.gather(&destinations)?;
        for (to, words) in words_to {
            self.post_words(to, header, &words)?;
        }
        let senders = all.iter().enumerate().filter(|(_, to)| to.contains(&(number as u64)));
        senders.map(|(from, _)| self.wait_for_words(from, header)).collect()
    }

    /// Sends words.
    ///
    /// # Errors
    /// As for [`Communicator::post`](super::Communicator::post).
    pub fn post_words(&self, to: usize, header: MessageHeader, words: &[u64]) -> Result<(), CommError> {
        self.post(to, Message::of_words(header, words))
    }

    /// Waits for words with this header, whatever their number.
    ///
    /// # Errors
    /// As for [`Communicator::wait`](super::Communicator::wait).
    pub fn wait_for_words(&self, from: usize, header: MessageHeader) -> Result<Vec<u64>, CommError> {
        let expected = || Message::name(header, "some");
        self.communicate(|comm| {
            let message = self.next(comm, from, expected)?;
            message.words_of(header).map_err(|message| self.unexpected(from, expected(), &message))
        })
    }
}

/// Packs 32-bit numbers into 64-bit words.
fn packed(counts: &[u32]) -> Vec<u64> {
    counts.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32).collect()
}

/// Adds packed numbers; sums saturate.
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
    use super::super::{DEFAULT_TIMEOUT, MessageKind, Threads};
    use super::*;
    use std::sync::Arc;

    const HEAD: MessageHeader = MessageHeader { kind: MessageKind::Flags, level: 0, epoch: 7 };

    fn on_ranks(size: usize, work: impl Fn(&Ranks) + Sync) {
        Threads::run(size, DEFAULT_TIMEOUT, &Arc::default(), |ranks| work(&ranks), |ranks| work(&ranks))
            .expect("threads");
    }

    /// All ranks of a group get its sums, whatever its size; ranks outside the group do not take part.
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

    /// Each rank receives the words that others send to it, in the order of ranks.
    #[test]
    fn words_reach_their_ranks() {
        on_ranks(5, |ranks| {
            let own = ranks.rank().number;
            // Rank `r` has words for the `r` next ones.
            let words_to = (1..=own).map(|step| ((own + step) % 5, vec![own as u64; step])).collect();
            let found = ranks.exchange(HEAD, words_to).expect("all are there");
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
            let found = ranks.wait_for_words(other, MessageHeader { epoch: 8, ..HEAD });
            let message = found.expect_err("words of another mesh").to_string();
            assert!(message.contains("2 numbers") && message.contains("mesh 7"), "{message}");
        });
    }
}
