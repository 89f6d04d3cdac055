//! One GPU.

use crate::runtime::abi::Plain;
use crate::runtime::cache;
use crate::runtime::error::CudaError;
use crate::runtime::launch::LastLaunch;
use crate::runtime::memory::{
    DeviceBuffer, DeviceMemory, Limit, PageLocks, PinnedBuffer, PinnedMemory, Pool, PoolStatistics,
};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What can be known about a GPU without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number.
    pub ordinal: usize,
    /// Its name.
    pub name: String,
    /// Bytes of memory.
    pub memory: u64,
    /// Compute capability: major and minor.
    pub capability: [u32; 2],
    /// Number of multiprocessors.
    pub multiprocessors: u32,
}

/// An open GPU with its pools of memory.
#[derive(Debug)]
pub struct Device {
    info: DeviceInfo,
    context: Arc<CudaContext>,
    memory: Arc<Pool<DeviceMemory>>,
    /// Memory that other devices reach too, and MPI.
    shared_memory: Arc<Pool<DeviceMemory>>,
    pinned: Arc<Pool<PinnedMemory>>,
    launched: Arc<LastLaunch>,
    /// The folder that keeps machine code of kernels.
    kept_kernels: Option<PathBuf>,
    /// Numbers of the devices whose memory this one has tried to reach, and whether it does.
    reached: Mutex<Vec<(usize, bool)>>,
}

/// Version of CUDA that the driver speaks: major and minor.
///
/// # Errors
/// If there is no driver.
pub fn driver_version() -> Result<[u32; 2], CudaError> {
    initialise()?;
    let mut version = 0;
    // SAFETY: the driver is there; it writes one number.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(CudaError::driver("querying its version", 0))?;
    Ok([version as u32 / 1000, version as u32 % 1000 / 10])
}

/// True if the device with number `from` can read the memory of that with number `to` directly.
///
/// # Errors
/// If there is no driver, or no such device.
pub fn can_access_peer(from: usize, to: usize) -> Result<bool, CudaError> {
    initialise()?;
    let failed = CudaError::driver("querying peer access", from);
    let [device, other] = [from, to].map(|ordinal| result::device::get(ordinal as i32).map_err(&failed));
    let mut can = 0;
    // SAFETY: both are devices; the driver writes one number.
    unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, device?, other?) }.result().map_err(&failed)?;
    Ok(can != 0)
}

/// Opens the driver.
fn initialise() -> Result<(), CudaError> {
    // SAFETY: opening the driver's library runs its initialisation and nothing of ours.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    result::init().map_err(|error| CudaError::NoDevice(error.to_string()))
}

impl DeviceInfo {
    /// All GPUs that the driver shows.
    ///
    /// # Errors
    /// If there is no driver, or it does not answer. No GPU is an empty list.
    pub fn all() -> Result<Vec<DeviceInfo>, CudaError> {
        match initialise() {
            Err(CudaError::NoDevice(_)) => return Ok(Vec::new()),
            outcome => outcome?,
        }
        let count = result::device::get_count().map_err(CudaError::driver("counting devices", 0))?;
        (0..count as usize).map(DeviceInfo::of).collect()
    }

    /// The GPU with number `ordinal`, which is not opened.
    ///
    /// # Errors
    /// If driver or GPU are missing.
    pub fn numbered(ordinal: usize) -> Result<DeviceInfo, CudaError> {
        let all = Self::all()?;
        all.get(ordinal).cloned().ok_or_else(|| {
            CudaError::NoDevice(match all.len() {
                0 => "it lists none".into(),
                n => format!("it lists {n}, numbered from 0, but number {ordinal} was requested"),
            })
        })
    }

    fn of(ordinal: usize) -> Result<DeviceInfo, CudaError> {
        let failed = CudaError::driver("querying properties", ordinal);
        let device = result::device::get(ordinal as i32).map_err(&failed)?;
        // SAFETY: `device` is a device.
        let number = |attribute| unsafe { result::device::get_attribute(device, attribute) }.map_err(&failed);
        Ok(DeviceInfo {
            ordinal,
            name: result::device::get_name(device).map_err(&failed)?,
            // SAFETY: likewise.
            memory: unsafe { result::device::total_mem(device) }.map_err(&failed)? as u64,
            capability: [
                number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
                number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
            ],
            multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        })
    }

    /// The architecture as NVRTC calls it, such as `sm_90`.
    pub fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability[0], self.capability[1])
    }
}

impl Device {
    /// Opens the GPU with number `ordinal`. `memory_limit`: bytes of its memory to use at most.
    ///
    /// # Errors
    /// If driver or GPU are missing.
    pub fn open(ordinal: usize, memory_limit: Option<u64>) -> Result<Device, CudaError> {
        let info = DeviceInfo::numbered(ordinal)?;
        let failed = CudaError::driver("creating a context", ordinal);
        let context = CudaContext::new(ordinal).map_err(&failed)?;
        // SAFETY: no memory of cudarc's own types is used, whose accesses the events would order.
        unsafe { context.disable_event_tracking() };
        let launched = Arc::<LastLaunch>::default();
        let limit = Arc::new(Limit::new(memory_limit));
        let [memory, shared_memory] = [false, true].map(|is_shared| {
            let memory = DeviceMemory::new(context.clone(), launched.clone(), is_shared);
            Arc::new(Pool::new(memory, limit.clone()))
        });
        let pinned = Pool::new(PinnedMemory::new(context.clone(), launched.clone()), Arc::default());
        Ok(Device {
            info,
            context,
            memory,
            shared_memory,
            pinned: Arc::new(pinned),
            launched,
            kept_kernels: cache::kernels(),
            reached: Mutex::default(),
        })
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Its number.
    pub fn ordinal(&self) -> usize {
        self.info.ordinal
    }

    /// How much memory on the device is held and used.
    pub fn memory_use(&self) -> PoolStatistics {
        self.memory.statistics() + self.shared_memory.statistics()
    }

    /// Memory on the host that the device can reach.
    pub fn pinned(&self) -> &Arc<Pool<PinnedMemory>> {
        &self.pinned
    }

    /// An array of `len` numbers on the device.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn buffer<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        DeviceBuffer::new(&self.memory, len)
    }

    /// The same, which other devices can reach, and MPI.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn shared_buffer<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        DeviceBuffer::new(&self.shared_memory, len)
    }

    /// An array of `len` zeros in pinned memory of the host.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn pinned_buffer<T: Plain>(&self, len: usize) -> Result<PinnedBuffer<T>, CudaError> {
        PinnedBuffer::zeros(&self.pinned, len)
    }

    /// Page locks for the host's memory, for this device and all others.
    pub fn page_locks(&self) -> PageLocks {
        PageLocks::new(&self.context)
    }

    /// The kernel launched last, in any stream.
    pub(crate) fn launched(&self) -> &Arc<LastLaunch> {
        &self.launched
    }

    /// The folder that keeps machine code of kernels, if there can be one.
    pub(crate) fn kept_kernels(&self) -> Option<&Path> {
        self.kept_kernels.as_deref()
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Enables direct access of this device to another one's shared memory, if it is possible; true if kernels may then read that
    /// memory. Otherwise copies from there pass through the host.
    ///
    /// # Errors
    /// The driver's.
    pub fn enable_peer_access<T: Plain>(&self, memory: &DeviceBuffer<T>) -> Result<bool, CudaError> {
        let other = memory.context();
        if other.ordinal() == self.ordinal() {
            return Ok(true);
        }
        let mut reached = self.reached.lock();
        if let Some(&(_, reaches)) = reached.iter().find(|(ordinal, _)| *ordinal == other.ordinal()) {
            return Ok(reaches);
        }
        let reaches = can_access_peer(self.ordinal(), other.ordinal())?;
        if reaches {
            let failed = CudaError::driver("reaching another device", self.ordinal());
            self.context.bind_to_thread().map_err(&failed)?;
            // SAFETY: both contexts live as long as their owners.
            match unsafe { sys::cuCtxEnablePeerAccess(other.cu_ctx(), 0) }.result() {
                Err(DriverError(sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)) => {}
                outcome => outcome.map_err(&failed)?,
            }
        }
        reached.push((other.ordinal(), reaches));
        Ok(reaches)
    }

    /// Waits until all streams are done.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.context.synchronize().map_err(CudaError::driver("waiting for all work", self.ordinal()))
    }
}
