//! Random cases on meshes of cells of any shape, which may refine and move.

use super::Attempt;
use super::problem::{Choice, PHYSICS, Physics, shape, values};
use super::random::Random;
use std::fmt::Write as _;
use std::process::Command;

/// Makes a mesh beside the case, of the unit square or box; returns the shape of its cells.
fn make(attempt: &Attempt, random: &mut Random, dim: usize) -> Result<&'static str, String> {
    let of = match dim {
        2 => random.one_of(&["triangles", "quadrilaterals", "mixed"]),
        _ => random.one_of(&["tetrahedra", "hexahedra", "prisms", "pyramids"]),
    };
    let cells: Vec<String> = (0..dim).map(|_| random.whole(2, [24, 7][dim - 2]).to_string()).collect();
    let mut command = Command::new(attempt.program);
    command.current_dir(&attempt.folder).args(["mesh", "make", ["square", "box"][dim - 2], "mesh.msh", "--of", of]);
    command.args(["--cells", &cells.join(","), "--shake", random.one_of(&["0", "0.3", "0.5"])]);
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", attempt.program.display()))?;
    match output.status.success() {
        true => Ok(of),
        false => Err(format!("no mesh: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// A random case, and its number of steps.
pub fn case(attempt: &Attempt, random: &mut Random) -> Result<(String, u64), String> {
    let suits = |physics: &&Physics| physics.walls && physics.name != "shallow_water_bathymetry";
    let physics = random.one_of(&PHYSICS.iter().filter(suits).collect::<Vec<_>>());
    let dim = random.one_of(physics.dims).max(2);
    let of = make(attempt, random, dim)?;
    let mut text = format!("[solver]\nname = {:?}\n{}", physics.name, physics.parameters);
    text.push_str("[mesh]\nfile = \"mesh.msh\"\n");
    let moves = random.percent(25);
    let _ = writeln!(text, "order = {:?}", random.one_of(&["hilbert", "file", "rcm"]));
    if moves {
        let bend = random.number(-0.08, 0.08);
        let _ = writeln!(text, "[mesh.motion]\nx = \"x + {bend} * sin(9 * t) * sin(2 * pi * x) * sin(pi * y)\"");
    }
    text.push_str("[mesh.boundary]\n");
    for axis in &["x", "y", "z"][..dim] {
        for side in ["lower", "upper"] {
            let _ = writeln!(text, "{axis}_{side} = {:?}", random.one_of(&["wall", "wall", "extrapolate"]));
        }
    }
    if ["triangles", "quadrilaterals", "hexahedra"].contains(&of) && random.percent(60) {
        let levels = random.whole(2, if dim > 2 { 2 } else { 3 });
        let _ = writeln!(text, "[levels]\nmax = {levels}\n[regrid]\ninterval = {}", random.whole(1, 4));
        let _ = writeln!(text, "buffer = {}", random.whole(0, 2));
        let (criterion, tolerance) = random.one_of(&[("difference", 0.05), ("difference", 0.2), ("curvature", 0.08)]);
        let _ = writeln!(text, "[regrid.flag]\ncriterion = {criterion:?}\ntolerance = {tolerance}");
    }
    let order = random.whole(1, 2);
    let _ = writeln!(text, "[scheme]\norder = {order}\nloop = {:?}", random.one_of(&["auto", "cell", "face"]));
    if order == 2 {
        let _ = writeln!(text, "limiter = {:?}", random.one_of(&["venkatakrishnan", "barth-jespersen", "none"]));
        let _ = writeln!(text, "time = {:?}", random.one_of(&["rk2", "rk3", "rk3_low_storage", "hancock"]));
    }
    if random.percent(30) {
        let name = physics.initial[0].0;
        let _ = writeln!(text, "source = {:?}", random.one_of(&["godunov", "strang"]));
        let _ = writeln!(text, "[source]\n{name} = \"-0.1 * {name} * (1 + {})\"", shape(random, dim));
    }
    let _ = writeln!(text, "[time]\nend = 10.0\ndt_initial = {}", random.one_of(&[1e-3, 1e-2]));
    values(&Choice { physics, dim, mapped: false }, random, &mut text);
    text.push_str("[output]\nformat = [\"vtkhdf\"]\nevery_steps = 1\npng = false\ncheckpoint_every_minutes = 0\n");
    let place: Vec<f64> = (0..dim).map(|_| random.number(0.15, 0.85)).collect();
    let _ = writeln!(text, "[[gauge]]\nname = \"g\"\nposition = {place:?}");
    Ok((text, random.whole(3, 8)))
}
