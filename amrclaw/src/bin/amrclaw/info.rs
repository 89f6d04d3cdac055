//! `amrclaw info`.

use crate::{Failure, solver};
use amrclaw::io::FrameFormat;
use amrclaw::simulation::available_threads;

pub fn info() -> Result<(), Failure> {
    println!("amrclaw {}", env!("CARGO_PKG_VERSION"));
    println!("devices   cpu: {} threads, {} vectors", available_threads(), riemann::patch::Isa::detect().name());
    gpus();
    println!("formats   {}", FrameFormat::ALL.map(FrameFormat::name).join(", "));
    print!("solvers\n{}", solver::list());
    Ok(())
}

/// GPUs, driver and compiler, or what is missing for `--device cuda`.
fn gpus() {
    match cuda::driver_version() {
        Ok([major, minor]) => println!("          cuda: the driver speaks CUDA {major}.{minor}"),
        Err(error) => println!("          cuda: {error}"),
    }
    for device in cuda::DeviceInfo::all().unwrap_or_default() {
        let gibibytes = device.memory as f64 / f64::from(1 << 30);
        let [major, minor] = device.capability;
        println!(
            "          cuda {}: {}, {gibibytes:.0} GiB, compute capability {major}.{minor}, {} multiprocessors",
            device.ordinal, device.name, device.multiprocessors
        );
    }
    match cuda::nvrtc::Nvrtc::get() {
        Ok(nvrtc) => {
            let [major, minor] = nvrtc.version();
            println!("          nvrtc: {major}.{minor}, {}", nvrtc.path().display());
        }
        Err(error) => println!("          nvrtc: {error}"),
    }
}
