//! Data that ranks exchange without a copy on the host: objects within a process, and messages between the memories of devices by MPI.

use super::{CommError, Message, MessageHeader, Ranks, RunLengths};
use crate::mesh::Rank;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Messages between the memories of devices, by a GPU-aware MPI.
///
/// Those between two ranks arrive in the order in which they were posted; each follows a [`Message`] that announces it.
pub trait DeviceMessages {
    /// Sends the bytes at an address; does not wait until they are received.
    ///
    /// # Errors
    /// As for [`super::Communicator::post`].
    ///
    /// # Safety
    /// As long as `held` lives, the memory has `bytes` bytes, rounded up to whole words, and nobody writes them.
    unsafe fn post_from(
        &self,
        to: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError>;

    /// Waits for the next message of another rank, of `bytes` bytes, and receives it at an address.
    ///
    /// # Errors
    /// As for [`super::Communicator::wait`].
    ///
    /// # Safety
    /// As long as `held` lives, the memory has room for `bytes` bytes, rounded up to whole words, and nobody else uses it. This holds after
    /// an error too, since the message may still arrive.
    unsafe fn wait_at(
        &self,
        from: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError>;
}

impl Ranks {
    /// True if all ranks are of this process, so that they can pass objects to one another.
    pub(crate) fn share_process(&self) -> bool {
        self.comm.mailbox().is_some()
    }

    /// Passes an object to another rank of this process. `bytes`: its size, counted as traffic.
    pub(crate) fn send_object(
        &self,
        to: usize,
        header: MessageHeader,
        bytes: usize,
        object: impl Any + Send,
    ) -> Result<(), CommError> {
        let mailbox = self.comm.mailbox().expect("asked for where ranks share a process");
        mailbox.put(self.rank().number, to, Box::new(object));
        self.shared.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.post(to, self.message::<f64>(header, 0))
    }

    /// Waits for the next object from another rank of this process.
    pub(crate) fn receive_object<T: Any>(&self, from: usize, header: MessageHeader) -> Result<T, CommError> {
        let notice = self.wait::<f64>(from, header, 0)?;
        self.recycle(notice);
        let mailbox = self.comm.mailbox().expect("asked for where ranks share a process");
        let object = mailbox.take(from, self.rank().number).and_then(|object| object.downcast::<T>().ok());
        Ok(*object.expect("a notice follows each object"))
    }

    /// Gathers every rank's words, which are mostly zero, on all ranks, in the order of ranks. All ranks call it. Ranks of one process share
    /// them without a copy.
    ///
    /// # Errors
    /// As for [`super::Communicator::wait`].
    pub(crate) fn gather_runs(
        &self,
        header: MessageHeader,
        own: RunLengths,
    ) -> Result<Vec<Arc<RunLengths>>, CommError> {
        if !self.share_process() {
            let all = self.gather(&own.to_words())?;
            return Ok(all.iter().map(|words| Arc::new(RunLengths::from_words(words))).collect());
        }
        let (Rank { number, of }, own) = (self.rank(), Arc::new(own));
        for to in (0..of).filter(|&to| to != number) {
            self.send_object(to, header, own.num_bytes(), own.clone())?;
        }
        (0..of).map(|from| if from == number { Ok(own.clone()) } else { self.receive_object(from, header) }).collect()
    }

    /// From now on a device takes this rank's steps.
    pub(crate) fn poll_longer(&self) {
        self.comm.poll_longer();
    }

    /// True if this rank can send messages from its device's memory by MPI.
    pub(crate) fn reaches_devices(&self) -> bool {
        self.comm.device_messages().is_some()
    }

    /// Keeps memory that other processes may have open, and with it this rank's device, until all ranks leave.
    pub(crate) fn keep(&self, held: impl Any + Send) {
        self.comm.keep(Box::new(held));
    }

    /// Sends numbers from a device's memory, given by address and bytes, where all ranks can ([`Ranks::reaches_devices`]).
    ///
    /// # Safety
    /// As for [`DeviceMessages::post_from`].
    pub(crate) unsafe fn post_from_device(
        &self,
        to: usize,
        (header, numbers): (MessageHeader, usize),
        (address, bytes): (u64, usize),
        held: impl Any + Send,
    ) -> Result<(), CommError> {
        self.shared.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.post(to, Message::notice(header, numbers))?;
        // SAFETY: the caller's promise.
        self.communicate(|comm| unsafe { devices_of(comm).post_from(to, address, bytes, Box::new(held)) })
    }

    /// Waits for a message of [`Ranks::post_from_device`] and receives it in a device's memory.
    ///
    /// # Safety
    /// As for [`DeviceMessages::wait_at`].
    pub(crate) unsafe fn wait_on_device(
        &self,
        from: usize,
        (header, numbers): (MessageHeader, usize),
        (address, bytes): (u64, usize),
        held: impl Any + Send,
    ) -> Result<(), CommError> {
        let expected = || Message::name(header, numbers);
        self.communicate(|comm| {
            let notice = self.next(comm, from, expected)?;
            if notice.is_notice(header, numbers) {
                // SAFETY: the caller's promise.
                return unsafe { devices_of(comm).wait_at(from, address, bytes, Box::new(held)) };
            }
            Err(self.unexpected(from, expected(), &notice))
        })
    }
}

fn devices_of(comm: &dyn super::Communicator) -> &dyn DeviceMessages {
    comm.device_messages().expect("asked for where ranks reach devices")
}
