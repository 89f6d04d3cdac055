//! The update as one compiled kernel.

use cuda::amr::{TileShape, UpdateArgs, UpdateOptions};
use cuda::compile::Target;
use cuda::{CudaError, Device, Kernel, Stream};

/// The compiled update.
#[derive(Clone, Debug)]
pub struct UpdateKernel {
    kernel: Kernel,
    shape: TileShape,
    resident_tiles: u32,
}

impl UpdateKernel {
    /// Compiles the update for a device.
    ///
    /// # Errors
    /// If it cannot be compiled or loaded.
    ///
    /// # Panics
    /// If the target has no solver.
    pub fn new(device: &Device, options: &UpdateOptions, target: &Target) -> Result<Self, CudaError> {
        let solver = target.solver.as_ref().expect("the update needs a solver");
        let module = device.compile(&options.source(solver, target.precision), target)?;
        let kernel = module.kernel(options.entry())?;
        let shape = options.tile_shape(solver, target.precision);
        let blocks = kernel.blocks_per_multiprocessor(device, shape.threads())?;
        Ok(UpdateKernel { kernel, shape, resident_tiles: blocks * device.info().multiprocessors })
    }

    /// Tiles that the device works on at once.
    pub fn resident_tiles(&self) -> u32 {
        self.resident_tiles
    }

    /// The kernel, to query its resources.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Queues the update of all tiles.
    ///
    /// # Safety
    /// The tables and arrays hold what [`UpdateArgs`] says, and nobody else touches what is written until it is done.
    pub unsafe fn launch(&self, stream: &Stream, args: &UpdateArgs) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.launch(stream, self.shape.grid(args.num_tiles as u32), args) }
    }
}
