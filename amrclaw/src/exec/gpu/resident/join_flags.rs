//! Tags of all ranks, joined on each rank's device, so that each rank makes all boxes.

use super::cover_tags::Tags;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::{bytes_of, pointer, words_of};
use crate::mesh::Rank;
use crate::ranks::{MessageHeader, MessageKind, RunLengths};
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::JoinFlagsArgs;
use cuda::amr::kernels::JOIN_FLAGS;

/// The bits of a level that are joined over all ranks, on each rank's device.
struct Bits<'a, N: Machine> {
    header: MessageHeader,
    /// The tags, and the cells that patches cover if these matter too: so many bytes each.
    kinds: Vec<&'a N::Memory>,
    bytes: usize,
}

impl<N: Machine> Bits<'_, N> {
    /// Bytes of a message with all of them, one kind behind the other.
    fn message_bytes(&self) -> usize {
        self.kinds.len() * self.bytes
    }

    /// For each kind, its address and its byte offset in a message.
    fn places(&self) -> impl Iterator<Item = (Pointer<u64>, usize)> {
        self.kinds.iter().enumerate().map(|(k, bits)| (pointer::<_, N>(bits, 0), k * self.bytes))
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Joins the tags of all ranks, and unless `nests_all` (every box nests) also the cells that the base level's patches cover. The base
    /// level's tags come last. All ranks call it.
    pub(super) fn join_flags(&self, tags: &[Tags<'_, D, N>], nests_all: bool) -> Result<(), ExecError> {
        let base = tags.last().map(|tags| tags.level);
        let bits = tags.iter().map(|&Tags { level, flags, .. }| {
            let covered = Some(&flags.covered).filter(|_| Some(level) == base && !nests_all);
            let kinds = std::iter::once(&flags.tags).chain(covered).collect();
            Bits { header: self.header(MessageKind::Flags, level), kinds, bytes: flags.bytes }
        });
        let levels: Vec<Bits<'_, N>> = bits.collect();
        if !self.ranks.all_have_peer_access() {
            return levels.iter().try_for_each(|bits| self.gather_bits(bits));
        }
        // All messages are sent before any is waited for.
        levels.iter().try_for_each(|bits| self.send_bits(bits))?;
        levels.iter().try_for_each(|bits| self.receive_bits(bits))
    }

    fn other_ranks(&self) -> impl Iterator<Item = usize> + use<D, N> {
        let Rank { number, of } = self.ranks.rank();
        (0..of).filter(move |&rank| rank != number)
    }

    /// Sends a copy of this rank's bits to the other ranks, which read it in this one's memory.
    fn send_bits(&self, bits: &Bits<'_, N>) -> Result<(), ExecError> {
        let places = self.other_ranks().map(|rank| (rank, 0..bits.message_bytes()));
        let handed = self.publish_message(bits.header, bits.message_bytes(), places, |message| {
            // Bits joined with themselves are copied.
            bits.places()
                .try_for_each(|(own, start)| self.join([own, own], pointer::<_, N>(message, start), bits.bytes))
        });
        handed.map(drop)
    }

    /// Joins the bits of the other ranks into this one's.
    fn receive_bits(&self, bits: &Bits<'_, N>) -> Result<(), ExecError> {
        self.other_ranks().try_for_each(|rank| {
            self.with_peer_message(rank, bits.header, bits.message_bytes(), |message, at| {
                let join = |(own, start)| self.join([own, pointer::<_, N>(message, at + start)], own, bits.bytes);
                Ok(bits.places().try_for_each(join)?)
            })
        })
    }

    /// Joins the bits of the other ranks into this one's, through the host.
    fn gather_bits(&self, bits: &Bits<'_, N>) -> Result<(), ExecError> {
        let mut words = vec![0; bits.bytes / size_of::<u64>()];
        bits.kinds.iter().try_for_each(|memory| {
            let download = self.machine.begin_download(memory, bits.bytes)?;
            let own = self.machine.finish_download(download, |bytes| RunLengths::new(words_of(bytes)))?;
            RunLengths::join(&self.ranks.gather_runs(bits.header, own)?, &mut words);
            Ok(self.machine.upload(bytes_of(&words), memory, 0)?)
        })
    }

    fn join(&self, [own, other]: [Pointer<u64>; 2], joined: Pointer<u64>, bytes: usize) -> Result<(), CudaError> {
        let num_words = bytes / size_of::<u64>();
        let args = JoinFlagsArgs { own, other, joined, num_words: num_words as u32 };
        // SAFETY: there are so many words in each place; a thread reads where it writes before it does.
        unsafe { self.machine.run(&JOIN_FLAGS, D, num_words, &args) }
    }
}
