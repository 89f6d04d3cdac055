//! A program with a solver of its own: `cargo run --release --example sound_in_wind`.
//!
//! The file that `amrclaw run --solver` compiles is a module here. The program sets up the case, advances it to times of its
//! own choice, and reads totals and values between.

mod sound_in_wind;

use amrclaw::case::Case;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::Simulation;
use sound_in_wind::SoundInWind;
use std::error::Error;

/// The case. Its `[solver]` is ignored: the program gives the solver.
const CASE: &str = r#"
initial = "user"
[solver]
name = "sound_in_wind"
[mesh]
lower = [-1.0, -1.0]
upper = [1.0, 1.0]
cells = [40, 40]
[levels]
max = 2
[regrid.flag]
criterion = "user"
[time]
end = 0.7
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let wind = [0.5, 0.25];
    let solver = ChosenSolver::own(SoundInWind { density: 1.0, bulk: 1.0, wind_x: wind[0], wind_y: wind[1] });
    let case = Case::from_str_with(CASE, "sound in wind", &[], |_| Ok(solver.shape.clone()))?;
    let mut simulation = Simulation::<2>::builder(&case).solver(&solver).build()?;

    println!("{:>5} {:>6} {:>7} {:>10} {:>18}", "t", "steps", "patches", "∫ p", "centre of the sound");
    for step in 0..=4 {
        simulation.advance_to(f64::from(step) * 0.7 / 4.0)?;
        let frame = simulation.frame();
        // The centre of mass of the pressure moves with the wind.
        let (mut total, mut moment) = (0.0, [0.0; 2]);
        for patch in &frame.levels[0].patches {
            for (cell, pressure) in patch.cells.cells().zip(&patch.q) {
                total += pressure;
                let centre = frame.geometry(0).centre(cell);
                (0..2).for_each(|d| moment[d] += pressure * centre[d]);
            }
        }
        let patches: usize = frame.levels.iter().map(|level| level.patches.len()).sum();
        println!(
            "{:5.3} {:6} {:7} {:10.6} {:9.4} {:9.4}",
            simulation.time(),
            simulation.counts().levels[0].steps,
            patches,
            simulation.totals()[0],
            moment[0] / total,
            moment[1] / total,
        );
    }
    Ok(())
}
