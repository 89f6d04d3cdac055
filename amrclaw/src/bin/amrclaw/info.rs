//! `amrclaw info`.

use crate::Failure;
use amrclaw::io::FrameFormat;
use amrclaw::simulation::available_threads;

pub fn info() -> Result<(), Failure> {
    println!("amrclaw {}", env!("CARGO_PKG_VERSION"));
    println!("devices   cpu: {} threads, {} vectors", available_threads(), riemann::patch::Isa::detect().name());
    println!("formats   {}", FrameFormat::ALL.map(FrameFormat::name).join(", "));
    println!("solvers");
    for solver in riemann::catalogue::all() {
        println!("  {:<19}{}D  {}", solver.name, solver.dim, solver.title);
        let parameters = solver.parameters.iter().map(|p| match p.default {
            Some(default) => format!("{} ({}; {default} unless given)", p.name, p.about),
            None => format!("{} ({})", p.name, p.about),
        });
        let lists = [
            ("equations", solver.equations.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()),
            ("aux", solver.aux.iter().map(|&name| name.to_owned()).collect()),
            ("parameters", parameters.collect()),
        ];
        for (what, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            println!("      {what}: {}", list.join(", "));
        }
    }
    Ok(())
}
