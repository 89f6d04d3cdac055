//! The executor that a run asks for.

use super::{Device, Precision, RunError, RunOptions};
use crate::exec::cpu::CpuExecutor;
use crate::exec::gpu::device::KernelOptions;
use crate::exec::gpu::resident::{GpuMachine, ResidentExecutor};
use crate::exec::gpu::streamed::{GpuLane, LANES, Streamed};
use crate::exec::{ExecError, Executor, on_mesh};
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
    if problem.on_mesh.is_some() && options.device == Device::Cpu {
        return Ok(on_mesh::executor(problem, &solver.double, options.num_threads()));
    }
    match options.precision {
        Precision::F64 => on_device(problem, &solver.double, ratios, options),
        Precision::F32 => {
            let single = solver.single.as_ref().expect("the solver's kernels are in the run's precision");
            on_device(problem, single, ratios, options)
        }
    }
}

fn on_device<const D: usize, R: Scalar>(
    problem: &Problem<D>,
    solver: &Arc<dyn PatchSolver<R>>,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    if options.device == Device::Cpu {
        let executor = CpuExecutor::new(problem.clone(), solver.clone(), ratios, options.num_threads());
        return Ok(Box::new(executor.on_rank(options.comm.clone())));
    }
    let comm = &options.comm;
    let number = device_number(options)?;
    let opened = number.and_then(|number| open(problem, solver, ratios, options, number));
    if comm.is_solo() {
        return opened.map_err(RunError::from);
    }
    // If a rank failed alone to open its device, the others would wait for it.
    let failed = opened.as_ref().err().map(ToString::to_string);
    match comm.first(failed.as_ref(), |_| 0).map_err(ExecError::from)? {
        Some((rank, message)) => Err(ExecError::Device(format!("rank {rank}: {message}")).into()),
        None => Ok(opened?),
    }
}

/// The executor on the GPU with this number.
fn open<const D: usize, R: Scalar>(
    problem: &Problem<D>,
    solver: &Arc<dyn PatchSolver<R>>,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
    number: usize,
) -> Result<Box<dyn Executor<D>>, ExecError> {
    let refused = |why: &str| ExecError::Device(format!("--device {}: {why}", options.device.name()));
    let text = solver.device_source().ok_or_else(|| {
        refused("the solver has no CUDA C++; write it with #[riemann::solver], which makes it from the Rust")
    })?;
    let kernels = KernelOptions::of(problem, solver.as_ref(), text, !options.no_fused);
    if problem.on_mesh.is_some() && kernels.functions.beyond.is_none() {
        return Err(refused("a side of the mesh has values that no kernel computes"));
    }
    let (problem, solver, threads) = (problem.clone(), solver.clone(), options.num_threads());
    if options.device == Device::CudaStreamed {
        let lanes = GpuLane::open(number, &kernels, options.device_memory, LANES)?;
        let engine = Streamed::new(lanes, &kernels, (&problem, solver.as_ref()), options.device_memory)?;
        return Ok(Box::new(engine.executor(problem, solver, ratios, threads).on_rank(options.comm.clone())));
    }
    let hardware = GpuMachine::open(number, options.device_memory, &kernels)?;
    let hardware = if options.device_times { hardware.timed() } else { hardware };
    let executor = ResidentExecutor::new(hardware, problem, solver, ratios, threads)?;
    Ok(Box::new(executor.on_rank(options.comm.clone())))
}

/// The GPU of this rank, by its position among the ranks of its host that see the same GPUs: a launcher may set `CUDA_VISIBLE_DEVICES`
/// for each rank. The outer error is a communication error.
fn device_number(options: &RunOptions) -> Result<Result<usize, ExecError>, RunError> {
    let RunOptions { comm, devices, .. } = options;
    let host = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let shown = std::env::var_os("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    let seen = [&*host, shown.as_encoded_bytes()].map(|bytes| u64::from(crc32fast::hash(bytes)));
    let all = comm.gather(&seen).map_err(ExecError::from)?;
    let place = all[..comm.rank().number].iter().filter(|other| **other == seen).count();
    if devices.is_empty() {
        return Ok(Ok(place));
    }
    Ok(devices.get(place).copied().ok_or_else(|| {
        let named = devices.len();
        ExecError::Device(format!("there are more ranks on this host than GPUs: --devices names {named}"))
    }))
}
