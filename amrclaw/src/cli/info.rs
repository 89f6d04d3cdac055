//! `amrclaw info`.

use crate::cli::{Failure, solver, terminal};
use crate::frames::FrameFormat;
use crate::ranks::mpi;
use crate::simulation::available_threads;
use riemann::limiter::Limiter;

pub fn info() -> Result<(), Failure> {
    say!("amrclaw {}", env!("CARGO_PKG_VERSION"));
    say!("devices   cpu: {} threads, {} vectors", available_threads(), riemann::patch::Isa::detect().name());
    gpus();
    libraries_of_mpi();
    say!("formats   {}", FrameFormat::ALL.map(FrameFormat::name).join(", "));
    say!("limiters  {}", Limiter::ALL.map(Limiter::name).join(", "));
    terminal::show(&format!("solvers\n{}", solver::list()));
    Ok(())
}

/// Prints the MPI libraries that can be used with `mpiexec`.
fn libraries_of_mpi() {
    let found = mpi::libraries();
    if found.is_empty() {
        say!(
            "mpi       none: no libmpi_abi.so.1 (MPICH 5 or later, `pip install mpich`), and no mpicc of another library"
        );
    }
    for (n, library) in found.iter().enumerate() {
        let messages = match library.gpu_aware {
            Some(true) => "GPU-aware: can send messages from GPU memory",
            Some(false) => "not GPU-aware: cannot send messages from GPU memory",
            None => "does not report whether it can send messages from GPU memory",
        };
        let begin = if n == 0 { "mpi" } else { "" };
        say!("{begin:9} {}, {}; {messages}", library.version, library.path.display());
    }
}

/// GPUs, driver and compiler, or what is missing for `--device cuda`.
fn gpus() {
    match cuda::driver_version() {
        Ok([major, minor]) => say!("          cuda: the driver supports CUDA {major}.{minor}"),
        Err(error) => say!("          cuda: {error}"),
    }
    let devices = cuda::DeviceInfo::all().unwrap_or_default();
    for device in &devices {
        let gibibytes = device.memory as f64 / f64::from(1 << 30);
        let [major, minor] = device.capability;
        say!(
            "          cuda {}: {}, {gibibytes:.0} GiB, compute capability {major}.{minor}, {} multiprocessors",
            device.ordinal,
            device.name,
            device.multiprocessors
        );
        let others = devices.iter().map(|other| other.ordinal).filter(|&other| other != device.ordinal);
        let reached = others.filter(|&other| cuda::can_access_peer(device.ordinal, other).unwrap_or(false));
        let reached: Vec<String> = reached.map(|other| other.to_string()).collect();
        if devices.len() > 1 {
            let which = if reached.is_empty() { "none".to_owned() } else { reached.join(", ") };
            say!("            peer access to the memory of GPUs: {which}");
        }
    }
    match cuda::nvrtc::Nvrtc::get() {
        Ok(nvrtc) => {
            let [major, minor] = nvrtc.version();
            say!("          nvrtc: {major}.{minor}, {}", nvrtc.path().display());
        }
        Err(error) => say!("          nvrtc: {error}"),
    }
}
