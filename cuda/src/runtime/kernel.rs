//! Compiled kernels and their launches.

use crate::runtime::abi::DeviceStruct;
use crate::runtime::device::Device;
use crate::runtime::error::CudaError;
pub use crate::runtime::launch::Grid;
use crate::runtime::stream::Stream;
use cudarc::driver::{CudaFunction, CudaModule, DevicePtr, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::Arc;

/// Machine code on a device.
#[derive(Clone, Debug)]
pub struct Module {
    raw: Arc<CudaModule>,
    device: usize,
}

/// An array of a module in constant memory, which all its kernels read.
#[derive(Clone, Debug)]
pub struct ConstantArray {
    address: sys::CUdeviceptr,
    bytes: usize,
    /// Keeps it loaded.
    _module: Module,
}

/// One entry point of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    raw: CudaFunction,
    name: &'static str,
    device: usize,
}

impl Device {
    /// Loads machine code.
    pub(crate) fn load(&self, cubin: Vec<u8>) -> Result<Module, CudaError> {
        let image = cudarc::nvrtc::Ptx::from_binary(cubin);
        let raw = self.context().load_module(image).map_err(CudaError::driver("loading a module", self.ordinal()))?;
        Ok(Module { raw, device: self.ordinal() })
    }
}

impl Module {
    /// The entry point `name`.
    pub fn kernel(&self, name: &'static str) -> Result<Kernel, CudaError> {
        let raw = self.raw.load_function(name).map_err(CudaError::driver("finding a kernel", self.device))?;
        Ok(Kernel { raw, name, device: self.device })
    }

    /// The array `name` in constant memory; `None` if no kernel of the module reads it.
    pub fn constant_array(&self, device: &Device, name: &str) -> Result<Option<ConstantArray>, CudaError> {
        let failed = CudaError::driver("finding an array", self.device);
        device.context().bind_to_thread().map_err(&failed)?;
        let stream = device.context().default_stream();
        match self.raw.get_global(name, &stream) {
            Ok(array) => {
                let (address, _) = array.device_ptr(&stream);
                Ok(Some(ConstantArray { address, bytes: array.len(), _module: self.clone() }))
            }
            Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_FOUND)) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

impl ConstantArray {
    /// Waits until all work of a stream is done, then copies to the beginning of the array, and waits.
    pub fn write(&self, stream: &Stream, source: &[f64]) -> Result<(), CudaError> {
        assert!(size_of_val(source) <= self.bytes, "{} numbers to {} bytes", source.len(), self.bytes);
        stream.synchronize()?;
        let failed = stream.failed("copying to the device");
        stream.raw.context().bind_to_thread().map_err(&failed)?;
        // SAFETY: the array has as many places; the source is borrowed until the copy is done.
        unsafe { result::memcpy_htod_async(self.address, source, stream.raw.cu_stream()) }.map_err(&failed)?;
        stream.synchronize()
    }
}

impl Kernel {
    /// Registers of a thread, and its bytes of local memory: more than a few bytes are spilt registers.
    pub fn resources(&self) -> Result<[i32; 2], CudaError> {
        let what = CudaError::driver("querying a kernel's resources", self.device);
        Ok([self.raw.num_regs().map_err(&what)?, self.raw.local_size_bytes().map_err(&what)?])
    }

    /// Blocks of `threads` threads that a multiprocessor of the kernel's device runs at once. May be called from any thread.
    pub fn blocks_per_multiprocessor(&self, device: &Device, threads: u32) -> Result<u32, CudaError> {
        let bound = device.context().bind_to_thread();
        let blocks = bound.and_then(|()| self.raw.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None));
        blocks.map_err(CudaError::driver("querying a kernel's occupancy", self.device))
    }

    /// Queues the kernel. An empty grid launches nothing.
    ///
    /// # Safety
    /// `A` is the struct that the kernel takes; what its pointers point at lives, and is used by nobody else, until the
    /// kernel is done.
    pub unsafe fn launch<A: DeviceStruct>(&self, stream: &Stream, grid: Grid, argument: &A) -> Result<(), CudaError> {
        if !self.begin(stream, grid)? {
            return Ok(());
        }
        let [x, y, z] = grid.blocks;
        let mut arguments: [*mut c_void; 1] = [std::ptr::from_ref(argument).cast_mut().cast()];
        // SAFETY: the driver copies the struct during the call; the rest is the caller's promise.
        unsafe {
            result::launch_kernel(
                self.raw.cu_function(),
                (x, y, z),
                (grid.threads, 1, 1),
                grid.shared_bytes,
                stream.raw.cu_stream(),
                &mut arguments,
            )
        }
        .map_err(|source| self.failed(stream, grid, source))
    }

    /// Like [`Kernel::launch`], but blocks may start before the preceding kernel of the stream has ended, where the device supports it:
    /// the kernel itself waits (`await_previous`).
    ///
    /// # Safety
    /// That of [`Kernel::launch`]. Besides, no kernel of the stream reads before its `await_previous` anything that a kernel writes,
    /// unless a later kernel than the writer was launched by [`Kernel::launch`].
    pub unsafe fn launch_ahead<A: DeviceStruct>(
        &self,
        stream: &Stream,
        grid: Grid,
        argument: &A,
    ) -> Result<(), CudaError> {
        if !self.begin(stream, grid)? {
            return Ok(());
        }
        let [x, y, z] = grid.blocks;
        let mut arguments: [*mut c_void; 1] = [std::ptr::from_ref(argument).cast_mut().cast()];
        let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
        value.programmaticStreamSerializationAllowed = 1;
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value,
        };
        let config = sys::CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: grid.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: grid.shared_bytes,
            hStream: stream.raw.cu_stream(),
            attrs: &mut attribute,
            numAttrs: 1,
        };
        // SAFETY: the driver copies struct and attributes during the call; the rest is the caller's promise.
        let launched = unsafe {
            sys::cuLaunchKernelEx(&config, self.raw.cu_function(), arguments.as_mut_ptr(), std::ptr::null_mut())
        };
        launched.result().map_err(|source| self.failed(stream, grid, source))
    }

    /// Makes the stream's device current in this thread. False if the grid is empty.
    fn begin(&self, stream: &Stream, grid: Grid) -> Result<bool, CudaError> {
        if grid.blocks.contains(&0) {
            return Ok(false);
        }
        stream.raw.context().bind_to_thread().map_err(stream.failed("launching a kernel"))?;
        stream.launched.note(self.name, grid);
        Ok(true)
    }

    /// The error of a failed launch, or of a kernel before it.
    fn failed(&self, stream: &Stream, grid: Grid, source: DriverError) -> CudaError {
        match stream.failed("launching a kernel")(source) {
            CudaError::Driver { device, source, .. } => {
                let kernel = self.name.into();
                CudaError::Launch { kernel, device, grid: grid.blocks, block: grid.threads, source }
            }
            fault => fault,
        }
    }
}
