//! Reports in memory of the host.

use super::*;
use crate::exec::DeviceUse;
use crate::exec::gpu::device::Queue;
use cuda::Grid;
use cuda::abi::DeviceStruct;
use parking_lot::Mutex;

/// Memory of the host in place of a device's; runs no kernels.
pub(in crate::exec::gpu::resident) struct Host;

impl Queue for Host {
    type Memory = Mutex<Vec<u8>>;

    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError> {
        Ok(Mutex::new(vec![0xff; bytes]))
    }

    fn address(memory: &Self::Memory) -> u64 {
        memory.lock().as_ptr() as u64
    }

    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError> {
        target.lock()[at..at + source.len()].copy_from_slice(source);
        Ok(())
    }

    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        target.copy_from_slice(&source.lock()[at..at + target.len()]);
        Ok(())
    }

    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError> {
        target.lock()[at..at + bytes].fill(0);
        Ok(())
    }

    fn set_parameters(&self, _: &[f64]) -> Result<(), CudaError> {
        Ok(())
    }

    unsafe fn launch<A: DeviceStruct>(&self, _: &'static str, _: Grid, _: &A) -> Result<(), CudaError> {
        Ok(())
    }
}

impl Machine for Host {
    type Download = ();
    type Shared = Self::Memory;

    fn begin_download(&self, _: &Self::Memory, _: usize) -> Result<(), CudaError> {
        Ok(())
    }

    fn finish_download<T>(&self, (): (), look: impl FnOnce(&[u8]) -> T) -> Result<T, CudaError> {
        Ok(look(&[]))
    }

    fn mark(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn download_marked(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        self.download(source, at, target)
    }

    fn share(&self, bytes: usize) -> Result<Self::Memory, CudaError> {
        self.allocate(bytes)
    }

    fn shared_memory(shared: &Self::Memory) -> &Self::Memory {
        shared
    }

    fn publish(&self, _: &Self::Memory) -> Result<(), CudaError> {
        Ok(())
    }

    fn begin_reading(&self, _: &Self::Memory) -> Result<bool, CudaError> {
        Ok(true)
    }

    fn read(
        &self,
        (source, at): (&Self::Memory, usize),
        (target, to): (&Self::Memory, usize),
        bytes: usize,
    ) -> Result<(), CudaError> {
        target.lock()[to..to + bytes].copy_from_slice(&source.lock()[at..at + bytes]);
        Ok(())
    }

    fn finish(&self, _: &Self::Memory) -> Result<(), CudaError> {
        Ok(())
    }

    fn export(&self, _: &mut Self::Memory) -> Result<Vec<u64>, CudaError> {
        Ok(Vec::new())
    }

    fn import(&self, _: &[u64]) -> Result<Self::Memory, CudaError> {
        unreachable!("nothing is exported")
    }

    fn resident_tiles(&self) -> u32 {
        1
    }

    fn usage(&self) -> DeviceUse {
        DeviceUse::default()
    }
}

/// Steps of levels with few patches, with more than there is room for at first, and again with few: each is reported by the
/// patch with the largest Courant number, whatever was there before.
#[test]
fn reports_grow_with_the_level() {
    let mut reports = Reports::new(&Host, 1).expect("there is memory");
    let patches = [10, REPORTS + 5, 3 * REPORTS, 7];
    for (n, &patches) in patches.iter().enumerate() {
        let first = reports.begin(&Host, patches).expect("there is memory").address();
        let at = (first - Host::address(&reports.reports)) as usize + (patches - 2) * REPORT;
        let found = PatchReport { courant: (n as f64 + 0.5).to_bits(), not_finite: 0, reverses: 0 };
        Host.upload(crate::exec::gpu::device::bytes_of(&[found]), &reports.reports, at).expect("it fits");
    }
    let mut outcomes = Outcomes::default();
    reports.collect(&Host, &mut outcomes).expect("there is memory");
    let found: Vec<_> = outcomes.steps.iter().map(|step| (step.courant, step.patch)).collect();
    assert_eq!(found, [(0.5, 8), (1.5, REPORTS + 3), (2.5, 3 * REPORTS - 2), (3.5, 5)]);
}
