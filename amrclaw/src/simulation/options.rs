//! How a case is run, as opposed to what it says.

use crate::physics::AnyUserFunctions;
use crate::ranks::Ranks;
pub use riemann::real::Precision;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A word that an option takes, and its meaning.
pub type Word = (&'static str, &'static str);

/// What holds the values and computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Device {
    /// Threads of the processor.
    #[default]
    Cpu,
    /// A GPU that holds all values.
    Cuda,
    /// A GPU that works on values in the host's memory.
    CudaStreamed,
}

impl Device {
    /// All of them.
    pub const ALL: [Device; 3] = [Device::Cpu, Device::Cuda, Device::CudaStreamed];
    pub(super) const WORDS: [Word; 3] = [
        ("cpu", "Threads of the processor"),
        ("cuda", "A GPU that holds all values"),
        ("cuda-streamed", "A GPU that works on values in the host's memory"),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a case is run, as opposed to what it says. [`RUN_OPTIONS`](super::RUN_OPTIONS) says how its fields are given.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Threads; all of the machine's unless given.
    pub threads: Option<usize>,
    /// Precision.
    pub precision: Precision,
    /// What to run on.
    pub device: Device,
    /// On a GPU, use no fused multiply-adds: results in `f64` are then bitwise those of the CPU.
    pub no_fused: bool,
    /// Bytes of the GPU's memory to use at most.
    pub device_memory: Option<u64>,
    /// Numbers of the GPUs to run on, one for each rank of this host; as many as there are ranks, from 0, unless given.
    pub devices: Vec<usize>,
    /// Take the GPU's own time by phase.
    pub device_times: bool,
    /// Run a user's solver that lacks properties of every solver.
    pub unchecked_solver: bool,
    /// Ranks that share the patches among them, all in this process; one unless given.
    pub ranks: Option<usize>,
    /// Timeout in seconds after which a rank considers another rank lost.
    pub comm_timeout: Option<u64>,
    /// This rank of several: [`run`](super::run()) sets it for those that it starts.
    pub comm: Ranks,
    /// Functions for the case's `"user"` entries.
    pub functions: AnyUserFunctions,
    /// Another thread sets it to stop the run: after the current step of any level, with the state at which the coarsest level's
    /// step began.
    pub stop: Arc<AtomicBool>,
}

impl RunOptions {
    /// The same with `device` set to a GPU if `devices` names GPUs.
    pub(super) fn settled(&self) -> Self {
        let named = !self.devices.is_empty() && self.device == Device::Cpu;
        RunOptions { device: if named { Device::Cuda } else { self.device }, ..self.clone() }
    }

    /// Ranks in this process: those asked for, or one for each GPU named.
    ///
    /// # Errors
    /// Both are given, and differ; or they are more than [`most_threads`].
    pub(super) fn num_ranks(&self) -> Result<usize, String> {
        match (self.ranks, self.devices.len()) {
            (Some(ranks), _) if ranks > most_threads() => Err(format!(
                "{ranks} ranks are too many for one process on this machine: write at most {}, or start more processes with mpiexec",
                most_threads()
            )),
            (ranks, 0) => Ok(ranks.unwrap_or(1)),
            (Some(ranks), named) if ranks != named => Err(format!(
                "{ranks} ranks need as many GPUs, and --devices names {named}: name one for each rank, or leave --ranks out"
            )),
            (_, named) => Ok(named),
        }
    }

    /// Threads of the host to use: those asked for, as far as [`most_threads`] allows.
    pub fn num_threads(&self) -> usize {
        self.threads.unwrap_or_else(available_threads).clamp(1, most_threads())
    }
}

/// Upper bound on the number of threads. More threads than the machine runs at once only wait for one another, and each has its own
/// stack and working memory.
pub fn most_threads() -> usize {
    (4 * available_threads()).max(64)
}

/// Threads that this machine runs at once.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
