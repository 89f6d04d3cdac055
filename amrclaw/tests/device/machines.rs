//! Where random comparisons with the CPU run: on the emulator, or on a GPU in tests that are ignored without one.

use super::emulator::Emulator;
use super::late::Late;
use amrclaw::exec::gpu::device::{KernelOptions, Machine};
use amrclaw::exec::gpu::resident::GpuMachine;
use cuda::Device;
use std::sync::Arc;

/// A source of machines that have the kernels of one problem.
pub trait Machines: Clone + Sync {
    type Machine: Machine;

    fn new(kernels: &KernelOptions) -> Self;

    /// A machine for one executor.
    fn machine(&self) -> Self::Machine;

    /// How many random cases to compare, of the numbers for the emulator and for a GPU.
    fn cases(emulated_and_gpu: [u32; 2]) -> u32;
}

impl Machines for Emulator {
    type Machine = Late;

    fn new(kernels: &KernelOptions) -> Self {
        Emulator::new(kernels)
    }

    fn machine(&self) -> Late {
        Late::prompt(self.clone())
    }

    fn cases([emulated, _]: [u32; 2]) -> u32 {
        emulated
    }
}

/// The first GPU.
#[derive(Clone)]
pub struct Gpu {
    kernels: KernelOptions,
    /// Keeps the driver's context between machines.
    _device: Arc<Device>,
}

impl Machines for Gpu {
    type Machine = GpuMachine;

    fn new(kernels: &KernelOptions) -> Self {
        let device = Device::open(0, None).unwrap_or_else(|error| panic!("{error}"));
        Gpu { kernels: kernels.clone(), _device: Arc::new(device) }
    }

    fn machine(&self) -> GpuMachine {
        GpuMachine::open(0, None, &self.kernels).unwrap_or_else(|error| panic!("{error}"))
    }

    fn cases([_, on_gpu]: [u32; 2]) -> u32 {
        on_gpu
    }
}
