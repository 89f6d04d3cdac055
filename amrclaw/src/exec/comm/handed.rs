//! What goes from rank to rank where it lies: handed on within a process, or sent from a device's memory to another's.

use super::{CommError, Head, Message, Ranks, RunLengths};
use crate::mesh::Rank;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Messages between the memories of devices, by an MPI that reaches these.
///
/// Those between two ranks arrive in the order in which they were posted; each follows a [`Message`] that announces it.
pub trait DeviceMessages {
    /// Sends the bytes at an address; does not wait until they are there.
    ///
    /// # Errors
    /// As for [`super::Communicator::post`].
    ///
    /// # Safety
    /// As long as `held` lives, the memory has so many bytes, up to a whole number of words, and nobody writes them.
    unsafe fn post_from(
        &self,
        to: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError>;

    /// Waits for the next message of another rank, which has so many bytes, and puts it at an address.
    ///
    /// # Errors
    /// As for [`super::Communicator::wait`].
    ///
    /// # Safety
    /// As long as `held` lives, the memory has room for so many bytes, up to a whole number of words. Nobody else uses it, not after an
    /// error either, when the message may still come.
    unsafe fn wait_at(
        &self,
        from: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError>;
}

impl Ranks {
    /// All ranks are of this process, so that one can be handed what another has.
    pub(in crate::exec) fn share_process(&self) -> bool {
        self.comm.board().is_some()
    }

    /// Hands another rank of this process a thing of so many bytes.
    pub(in crate::exec) fn hand(
        &self,
        to: usize,
        head: Head,
        bytes: usize,
        thing: impl Any + Send,
    ) -> Result<(), CommError> {
        let board = self.comm.board().expect("asked for where ranks share a process");
        board.put(self.rank().number, to, Box::new(thing));
        self.shared.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.post(to, self.message::<f64>(head, 0))
    }

    /// Waits for a thing that another rank of this process hands over.
    pub(in crate::exec) fn take<T: Any>(&self, from: usize, head: Head) -> Result<T, CommError> {
        let notice = self.wait::<f64>(from, head, 0)?;
        self.recycle(notice);
        let board = self.comm.board().expect("asked for where ranks share a process");
        let thing = board.take(from, self.rank().number).and_then(|thing| thing.downcast::<T>().ok());
        Ok(*thing.expect("a notice follows each thing"))
    }

    /// Tells all ranks words that are mostly zero; answers those of every rank, in the order of ranks. All ranks call it. Those of a process
    /// copy nothing.
    ///
    /// # Errors
    /// As for [`super::Communicator::wait`].
    pub(in crate::exec) fn gather_runs(&self, head: Head, own: RunLengths) -> Result<Vec<Arc<RunLengths>>, CommError> {
        if !self.share_process() {
            let all = self.gather(&own.to_words())?;
            return Ok(all.iter().map(|words| Arc::new(RunLengths::from_words(words))).collect());
        }
        let (Rank { number, of }, own) = (self.rank(), Arc::new(own));
        for to in (0..of).filter(|&to| to != number) {
            self.hand(to, head, own.num_bytes(), own.clone())?;
        }
        (0..of).map(|from| if from == number { Ok(own.clone()) } else { self.take(from, head) }).collect()
    }

    /// From here on a device does this rank's work.
    pub(in crate::exec) fn work_beside_device(&self) {
        self.comm.work_beside_device();
    }

    /// This rank can send what lies in its device's memory.
    pub(in crate::exec) fn reaches_devices(&self) -> bool {
        self.comm.device_messages().is_some()
    }

    /// Keeps memory that other processes may have open, and with it this rank's device, until all ranks leave.
    pub(in crate::exec) fn keep(&self, held: impl Any + Send) {
        self.comm.keep(Box::new(held));
    }

    /// Sends so many numbers from a device's memory, where all ranks can ([`Ranks::reaches_devices`]): an address and bytes.
    ///
    /// # Safety
    /// As for [`DeviceMessages::post_from`].
    pub(in crate::exec) unsafe fn post_from_device(
        &self,
        to: usize,
        (head, numbers): (Head, usize),
        (address, bytes): (u64, usize),
        held: impl Any + Send,
    ) -> Result<(), CommError> {
        self.shared.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.post(to, Message::notice(head, numbers))?;
        // SAFETY: the caller's promise.
        self.watched(|comm| unsafe { devices_of(comm).post_from(to, address, bytes, Box::new(held)) })
    }

    /// Waits for such a message, and puts it into a device's memory.
    ///
    /// # Safety
    /// As for [`DeviceMessages::wait_at`].
    pub(in crate::exec) unsafe fn wait_on_device(
        &self,
        from: usize,
        (head, numbers): (Head, usize),
        (address, bytes): (u64, usize),
        held: impl Any + Send,
    ) -> Result<(), CommError> {
        self.watched(|comm| {
            let notice = Message::received(comm.wait(from)?);
            if notice.is_notice(head, numbers) {
                // SAFETY: the caller's promise.
                return unsafe { devices_of(comm).wait_at(from, address, bytes, Box::new(held)) };
            }
            let (waiting, expected) = (comm.rank().number, Message::name(head, numbers));
            Err(CommError::Unlike { rank: from, waiting, expected, found: notice.to_string() })
        })
    }
}

fn devices_of(comm: &dyn super::Communicator) -> &dyn DeviceMessages {
    comm.device_messages().expect("asked for where ranks reach devices")
}
