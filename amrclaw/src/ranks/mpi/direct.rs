//! Messages between GPUs that do not pass through the host's memory.

use super::Mpi;
use super::state::{ACKNOWLEDGEMENT, DEVICE_MESSAGE};
use crate::ranks::{Acknowledgements, CommError, Communicator, DeviceMessages, PeerAccess};
use std::any::Any;
use std::ffi::{c_int, c_void};

/// Which transports of messages between GPUs are allowed besides that through the host's memory.
#[derive(Debug, PartialEq)]
pub(super) struct DeviceTransports {
    /// By a GPU-aware MPI.
    pub by_mpi: bool,
    /// The receiver reads them in the sender's memory.
    pub read: bool,
}

impl DeviceTransports {
    /// Those that environment variables do not turn off: our own, and Open MPI's, which up to version 4 reports support even where it is off.
    pub fn allowed(variable: impl Fn(&str) -> Option<String>) -> Self {
        const OFF: &[&str] = &["0", "off", "false", "no"];
        let is = |name: &str, texts: &[&str]| variable(name).is_some_and(|text| texts.contains(&text.trim()));
        let (own, of_open_mpi) = ("AMRCLAW_GPU_MESSAGES", "OMPI_MCA_opal_cuda_support");
        let off = is(own, OFF);
        DeviceTransports { by_mpi: !off && !is(of_open_mpi, OFF), read: !off && !is(own, &["mpi"]) }
    }
}

/// Identifies the machine by Linux's boot id; `None` where environment variables forbid ranks to read one another's memory.
pub fn machine_id() -> Option<[u64; 2]> {
    DeviceTransports::allowed(|name| std::env::var(name).ok()).read.then(boot)?
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
        state.free_completed_sends();
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

impl PeerAccess for Mpi {
    fn machine_id(&self) -> [u64; 2] {
        self.machine.expect("asked for where it is known")
    }

    fn acknowledgements(&self) -> &Acknowledgements {
        &self.acknowledgements
    }

    fn post_acknowledgement(&self, to: usize, count: u64) {
        let mut state = self.state.lock();
        if !state.ended {
            state.free_completed_sends();
            state.send_words(to, ACKNOWLEDGEMENT, vec![count]);
        }
    }

    fn take_acknowledgement(&self, from: usize) -> Option<u64> {
        self.state.lock().receive_short(from as c_int, ACKNOWLEDGEMENT).map(|words| words[0])
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceTransports, boot};

    /// Each variable turns off one transport of messages between GPUs, or both; other variables have no effect.
    #[test]
    fn messages_between_gpus_can_be_turned_off() {
        let by = |name: &'static str, value: &'static str| {
            let DeviceTransports { by_mpi, read } =
                DeviceTransports::allowed(|asked| (asked == name).then(|| value.to_owned()));
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

    /// A machine has an identifier, which does not change between calls.
    #[test]
    fn a_machine_is_known() {
        assert!(boot().is_some_and(|name| name != [0; 2]) && boot() == boot());
    }
}
