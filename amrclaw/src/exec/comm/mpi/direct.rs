//! Messages between GPUs where the host's memory need not be on their way.

use super::Mpi;
use super::state::{DEVICE_MESSAGE, RECEIPT};
use crate::exec::comm::{CommError, Communicator, DeviceMessages, Lending, Receipts};
use std::any::Any;
use std::ffi::{c_int, c_void};

/// How messages between GPUs may go where the host's memory need not be on their way.
#[derive(Debug, PartialEq)]
pub(super) struct Ways {
    /// By MPI.
    pub by_mpi: bool,
    /// The receiver reads them in the sender's memory.
    pub read: bool,
}

impl Ways {
    /// What variables leave of them: our own, or Open MPI's, which up to version 4 answers as though it could take such messages all the same.
    pub fn allowed(variable: impl Fn(&str) -> Option<String>) -> Self {
        const OFF: &[&str] = &["0", "off", "false", "no"];
        let is = |name: &str, texts: &[&str]| variable(name).is_some_and(|text| texts.contains(&text.trim()));
        let (own, of_open_mpi) = ("AMRCLAW_GPU_MESSAGES", "OMPI_MCA_opal_cuda_support");
        let off = is(own, OFF);
        Ways { by_mpi: !off && !is(of_open_mpi, OFF), read: !off && !is(own, &["mpi"]) }
    }
}

/// The machine by what Linux calls it from its start to its end; none where variables forbid its ranks to read one another's memory.
pub fn machine() -> Option<[u64; 2]> {
    Ways::allowed(|name| std::env::var(name).ok()).read.then(boot)?
}

fn boot() -> Option<[u64; 2]> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let number = u128::from_str_radix(&text.trim().replace('-', ""), 16).ok()?;
    Some([(number >> 64) as u64, number as u64])
}

impl DeviceMessages for Mpi {
    unsafe fn post_from(
        &self,
        to: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError> {
        let words = bytes.div_ceil(size_of::<u64>());
        self.check_length(words)?;
        let mut state = self.state.lock();
        state.forget_sent();
        // SAFETY: the caller's promise.
        unsafe { state.send(to, DEVICE_MESSAGE, (address as *const u64, words), held) };
        Ok(())
    }

    unsafe fn wait_at(
        &self,
        from: usize,
        address: u64,
        bytes: usize,
        held: Box<dyn Any + Send>,
    ) -> Result<(), CommError> {
        let room = (address as *mut c_void, bytes.div_ceil(size_of::<u64>()));
        // SAFETY: the caller's promise; where the message does not come, what holds its room is kept.
        unsafe { self.receive(from, DEVICE_MESSAGE, room) }.inspect_err(|_| self.keep(held))
    }
}

impl Lending for Mpi {
    fn machine(&self) -> [u64; 2] {
        self.machine.expect("asked for where it is known")
    }

    fn receipts(&self) -> &Receipts {
        &self.receipts
    }

    fn post_receipt(&self, to: usize, words: Vec<u64>) {
        let mut state = self.state.lock();
        state.forget_sent();
        state.send_words(to, RECEIPT, words);
    }

    fn take_receipt(&self, from: usize) -> Option<Vec<u64>> {
        self.state.lock().receive_short(from as c_int, RECEIPT)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ways, boot};

    /// A variable turns off one way of messages between GPUs, or both, and no other does.
    #[test]
    fn messages_between_gpus_can_be_turned_off() {
        let by = |name: &'static str, value: &'static str| {
            let Ways { by_mpi, read } = Ways::allowed(|asked| (asked == name).then(|| value.to_owned()));
            [by_mpi, read]
        };
        assert_eq!(by("AMRCLAW_GPU_MESSAGES", "off"), [false, false]);
        assert_eq!(by("AMRCLAW_GPU_MESSAGES", "mpi"), [true, false]);
        assert_eq!(by("OMPI_MCA_opal_cuda_support", "0"), [false, true]);
        assert_eq!(
            [by("AMRCLAW_GPU_MESSAGES", "on"), by("OMPI_MCA_opal_cuda_support", "1"), by("PATH", "off")],
            [[true; 2]; 3]
        );
    }

    /// A machine has a name, which is the same whenever it is asked for.
    #[test]
    fn a_machine_is_known() {
        assert!(boot().is_some_and(|name| name != [0; 2]) && boot() == boot());
    }
}
