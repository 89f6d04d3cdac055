//! The executor that a run asks for.

use super::{Device, Precision, RunError, RunOptions};
use crate::exec::cpu::CpuExecutor;
use crate::exec::device::KernelOptions;
use crate::exec::resident::{Hardware, ResidentExecutor};
use crate::exec::streamed::Streamed;
use crate::exec::{ExecError, Executor};
use crate::index::Ratio;
use crate::physics::Problem;
use riemann::patch::{PatchSolver, SolverKernels};
use riemann::real::Scalar;
use std::sync::Arc;

/// Makes an executor for a problem, a solver and the ratios between levels.
pub type MakeExecutor<'a, const D: usize> =
    &'a dyn Fn(&Problem<D>, &SolverKernels, Vec<Ratio<D>>, &RunOptions) -> Result<Box<dyn Executor<D>>, RunError>;

/// The executor of the options' device.
pub(super) fn make<const D: usize>(
    problem: &Problem<D>,
    solver: &SolverKernels,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    match options.precision {
        Precision::F64 => on_device(problem, &solver.double, ratios, options),
        Precision::F32 => on_device(problem, &solver.single, ratios, options),
    }
}

fn on_device<const D: usize, R: Scalar>(
    problem: &Problem<D>,
    solver: &Arc<dyn PatchSolver<R>>,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    let (problem, solver, threads) = (problem.clone(), solver.clone(), options.num_threads());
    if options.device == Device::Cpu {
        let executor = CpuExecutor::new(problem, solver, ratios, threads);
        return Ok(Box::new(executor.on_rank(options.comm.clone())));
    }
    let refused = |why: &str| RunError::from(ExecError::Device(format!("--device {}: {why}", options.device.name())));
    if !options.comm.is_solo() {
        return Err(refused("several ranks run on threads of the processor: --device cpu"));
    }
    let text = solver.device_source().ok_or_else(|| {
        refused("the solver has no CUDA C++; write it with #[riemann::solver], which makes it from the Rust")
    })?;
    let fused = !options.no_fused;
    let kernels = KernelOptions::of(&problem, solver.as_ref(), text, fused);
    if options.device == Device::CudaStreamed {
        let engine = Streamed::open(&kernels, options.device_memory).map_err(ExecError::from)?;
        return Ok(Box::new(engine.executor(problem, solver, ratios, threads)));
    }
    let hardware = Hardware::open(0, options.device_memory, &kernels).map_err(ExecError::from)?;
    Ok(Box::new(ResidentExecutor::new(hardware, problem, solver, ratios, threads)?))
}
