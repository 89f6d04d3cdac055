//! `amrclaw info`.

use crate::{Failure, solver};
use amrclaw::io::FrameFormat;
use amrclaw::simulation::available_threads;

pub fn info() -> Result<(), Failure> {
    println!("amrclaw {}", env!("CARGO_PKG_VERSION"));
    println!("devices   cpu: {} threads, {} vectors", available_threads(), riemann::patch::Isa::detect().name());
    println!("formats   {}", FrameFormat::ALL.map(FrameFormat::name).join(", "));
    print!("solvers\n{}", solver::list());
    Ok(())
}
