//! Runs that stop after every step and go on from their checkpoint: what they write must be what a run without a stop writes,
//! to the byte.

use super::random::Random;
use super::{Attempt, Verdict};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A solver by its name, dimensions, parameters, data and auxiliary values. `W`, `X` and `Y` stand for shapes between −1 and 1.
struct Physics {
    name: &'static str,
    dims: &'static [usize],
    parameters: &'static str,
    initial: &'static [(&'static str, &'static str)],
    /// What a second dimension adds.
    across: &'static [(&'static str, &'static str)],
    aux: &'static [(&'static str, &'static str)],
    /// The solver has a velocity, which a wall turns back.
    walls: bool,
    capacity: bool,
}

const PHYSICS: &[Physics] = &[
    Physics {
        name: "acoustics",
        dims: &[1, 2],
        parameters: "density = 1.3\nbulk = 2.1\n",
        initial: &[("pressure", "W"), ("u", "0.5 * X")],
        across: &[("v", "0.5 * Y")],
        aux: &[],
        walls: true,
        capacity: false,
    },
    Physics {
        name: "shallow_water",
        dims: &[1, 2],
        parameters: "gravity = 1.0\n",
        initial: &[("depth", "1 + 0.3 * W"), ("x_momentum", "(1 + 0.3 * W) * 0.3 * X")],
        across: &[("y_momentum", "(1 + 0.3 * W) * 0.3 * Y")],
        aux: &[],
        walls: true,
        capacity: false,
    },
    Physics {
        name: "euler",
        dims: &[1, 2],
        parameters: "",
        initial: &[("density", "1 + 0.3 * W"), ("x_momentum", "0.2 * X"), ("energy", "3 + 0.5 * W")],
        across: &[("y_momentum", "0.2 * Y")],
        aux: &[],
        walls: true,
        capacity: false,
    },
    Physics {
        name: "burgers",
        dims: &[1, 2],
        parameters: "",
        initial: &[("q", "W + 0.2 * X")],
        across: &[],
        aux: &[],
        walls: false,
        capacity: false,
    },
    Physics {
        name: "acoustics_variable",
        dims: &[2],
        parameters: "",
        initial: &[("pressure", "W"), ("u", "0.5 * X"), ("v", "0.5 * Y")],
        across: &[],
        aux: &[("impedance", "1.5 + X"), ("sound_speed", "1 + 0.5 * Y")],
        walls: true,
        capacity: false,
    },
    Physics {
        name: "shallow_water_bathymetry",
        dims: &[2],
        parameters: "gravity = 1.0\n",
        initial: &[("depth", "1 + 0.2 * W - 0.2 * X"), ("x_momentum", "0.1 * Y"), ("y_momentum", "0")],
        across: &[],
        aux: &[("bottom", "0.2 * X - 1")],
        walls: true,
        capacity: false,
    },
    Physics {
        name: "advection_mapped",
        dims: &[2],
        parameters: "",
        initial: &[("q", "W")],
        across: &[],
        aux: &[("u_edge", "cos(9 * t) * X"), ("v_edge", "Y"), ("capacity", "1.5 + 0.5 * X")],
        walls: false,
        capacity: true,
    },
];

/// A shape between −1 and 1: a wave, a disc, or nothing.
fn shape(random: &mut Random, dim: usize) -> String {
    let (x, y) = (random.number(0.0, 1.0), random.number(0.0, 1.0));
    let in_plane = |term: String| if dim > 1 { term } else { String::new() };
    match random.whole(0, 4) {
        0 | 1 => {
            let (along, across, phase) = (random.whole(0, 2), random.whole(0, 2), random.number(0.0, 6.0));
            format!("sin(2 * pi * ({along} * x{}) + {phase})", in_plane(format!(" + {across} * y")))
        }
        2 | 3 => {
            let size = random.number(0.01, 0.1);
            format!("if((x - {x})^2{} < {size}, 1, 0)", in_plane(format!(" + (y - {y})^2")))
        }
        _ => "0".into(),
    }
}

fn boundaries(random: &mut Random, dim: usize, walls: bool, text: &mut String) {
    text.push_str("[mesh.boundary]\n");
    for axis in &["x", "y"][..dim] {
        let kinds: &[&str] = if walls { &["extrapolate", "wall", "wall"] } else { &["extrapolate"] };
        let sides = match random.percent(40) {
            true => ["periodic"; 2],
            false => [random.one_of(kinds), random.one_of(kinds)],
        };
        let _ = writeln!(text, "{axis} = {sides:?}");
    }
}

fn levels(random: &mut Random, dim: usize, levels: u64, text: &mut String) {
    let ratio = |random: &mut Random| match dim > 1 && random.percent(20) {
        true => format!("[{}, {}]", random.one_of(&[2, 3, 4]), random.one_of(&[2, 3, 4])),
        false => random.one_of(&[2, 2, 3, 4]).to_string(),
    };
    let ratios: Vec<String> = (1..levels).map(|_| ratio(random)).collect();
    let _ = writeln!(text, "[levels]\nmax = {levels}\nratio = [{}]", ratios.join(", "));
    if random.percent(20) {
        let times: Vec<u64> = (1..levels).map(|_| random.whole(1, 4)).collect();
        let _ = writeln!(text, "ratio_time = {times:?}");
    }
    let (interval, cutoff) = (random.whole(1, 5), random.one_of(&[0.5, 0.7, 0.9, 1.0]));
    let _ = writeln!(text, "[regrid]\ninterval = {interval}\ncutoff = {cutoff}");
    let _ = writeln!(text, "max_patch_size = {}", random.one_of(&[12, 24, 48, 96]));
    if random.percent(60) {
        let _ = writeln!(text, "buffer = {}", random.one_of(&[0, 0, 0, 1, 2, 5]));
    }
    if random.percent(20) {
        text.push_str("conservation_fix = false\n");
    }
    if random.percent(15) {
        let _ = writeln!(text, "cluster = \"tiles\"\ntile_size = {}", random.one_of(&[2, 5, 8]));
    }
    let (criterion, tolerance) = match random.whole(0, 4) {
        0 => ("richardson", random.one_of(&[1e-3, 1e-4])),
        _ => ("difference", random.one_of(&[0.02, 0.05, 0.2])),
    };
    let _ = writeln!(text, "[regrid.flag]\ncriterion = {criterion:?}\ntolerance = {tolerance}");
    if random.percent(15) {
        let corner = |value: f64| vec![value; dim];
        let (lower, upper) = (corner(random.number(0.0, 0.5)), corner(random.number(0.5, 1.0)));
        let finest = random.whole(1, levels);
        let _ = writeln!(text, "[[regrid.region]]\nlevels = [1, {finest}]\nlower = {lower:?}\nupper = {upper:?}");
    }
}

/// A case, and how many steps it takes.
fn case(random: &mut Random) -> (String, u64) {
    let physics = &PHYSICS[random.whole(0, PHYSICS.len() as u64 - 1) as usize];
    let dim = random.one_of(physics.dims);
    let mut text = format!("[solver]\nname = {:?}\n{}", physics.name, physics.parameters);
    let size = |random: &mut Random| match random.percent(30) {
        true => random.whole(1, 6),
        false => random.whole(7, if dim > 1 { 32 } else { 80 }),
    };
    let cells: Vec<u64> = (0..dim).map(|_| size(random)).collect();
    let _ = writeln!(text, "[mesh]\ncells = {cells:?}");
    boundaries(random, dim, physics.walls, &mut text);
    let num_levels = random.one_of(&[1, 2, 3, 3, 4]);
    if num_levels > 1 {
        levels(random, dim, num_levels, &mut text);
    }
    let split = if dim > 1 { random.one_of(&["unsplit", "unsplit", "godunov", "strang"]) } else { "unsplit" };
    let limiter = random.one_of(&["none", "minmod", "superbee", "mc", "van_leer"]);
    let (order, transverse) = (random.whole(1, 2), random.whole(1, 2));
    let _ = writeln!(text, "[scheme]\norder = {order}\nsplit = {split:?}\nlimiter = {limiter:?}");
    if dim > 1 && split == "unsplit" {
        let _ = writeln!(text, "transverse = {transverse}");
    }
    if physics.capacity {
        text.push_str("capacity = \"capacity\"\n");
    }
    let steps = random.whole(3, 6);
    let _ = writeln!(text, "[time]\nend = 10.0\ndt_initial = {}\ncfl_desired = 0.9", random.one_of(&[1e-3, 1e-2]));
    if random.percent(20) {
        text.push_str("[source]\n");
        let _ = writeln!(text, "{} = \"-0.1 * {}\"", physics.initial[0].0, physics.initial[0].0);
    }
    let shapes = [shape(random, dim), shape(random, dim), shape(random, dim)];
    let fill = |formula: &str| {
        formula
            .replace('W', &format!("({})", shapes[0]))
            .replace('X', &format!("({})", shapes[1]))
            .replace('Y', &format!("({})", shapes[2]))
    };
    text.push_str("[initial]\n");
    for (name, formula) in
        physics.initial.iter().chain(&physics.across[..if dim > 1 { physics.across.len() } else { 0 }])
    {
        let _ = writeln!(text, "{name} = {:?}", fill(formula));
    }
    if !physics.aux.is_empty() {
        text.push_str("[aux]\n");
        physics.aux.iter().for_each(|(name, formula)| {
            let _ = writeln!(text, "{name} = {:?}", fill(formula));
        });
    }
    text.push_str(
        "[output]\nformat = [\"clawpack-ascii\"]\nevery_steps = 1\npng = false\ncheckpoint_every_minutes = 0\n",
    );
    let place = vec![random.number(0.05, 0.95); dim];
    let _ = writeln!(text, "[[gauge]]\nname = \"g\"\nposition = {place:?}");
    (text, steps)
}

/// `amrclaw run` with steps up to `steps`, a checkpoint after every step; the exit code, and what it said.
fn run(
    attempt: &Attempt,
    steps: u64,
    output: &str,
    restart: Option<u64>,
    threads: u64,
) -> Result<(i32, String), String> {
    let mut command = Command::new(&attempt.program);
    command.current_dir(&attempt.folder).args(["run", "case.toml", "--quiet", "--output", output]);
    command.args(["--threads", &threads.to_string(), "--set", &format!("time.max_steps={steps}")]);
    command.args(["--set", "output.checkpoint_every_steps=1"]);
    if let Some(step) = restart {
        command.args(["--restart", &format!("{output}/checkpoint_{step:06}.h5")]);
    }
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", attempt.program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(code @ 0..=3) => Ok((code, said)),
        _ => Err(format!("{}: {said}", output.status)),
    }
}

/// What the runs have written besides checkpoints and their records: names and contents.
fn written(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("fort.") || name.starts_with("gauge") {
            files.push((name, std::fs::read(entry.path()).map_err(failed)?));
        }
    }
    files.sort();
    Ok(files)
}

/// A case at once, and again with a stop after every step.
pub fn attack(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let (text, steps) = case(random);
    std::fs::write(attempt.folder.join("case.toml"), text).map_err(|e| format!("case.toml: {e}"))?;
    let (code, said) = run(attempt, steps, "whole", None, 1)?;
    match code {
        0 => {}
        2 => return Err(format!("the case is refused: {said}")),
        _ => return Ok(Verdict::Declined),
    }
    // A run may reach its end before: one in which nothing moves.
    let frames = written(&attempt.folder.join("whole"))?.iter().filter(|(name, _)| name.starts_with("fort.q")).count();
    for step in 1..=steps.min(frames.saturating_sub(1) as u64) {
        let restart = Some(step - 1).filter(|&before| before > 0);
        let (code, said) = run(attempt, step, "parts", restart, random.whole(1, 2))?;
        if code != 0 {
            return Err(format!("after step {}: exit code {code}: {said}", step - 1));
        }
    }
    let [whole, parts] = ["whole", "parts"].map(|output| written(&attempt.folder.join(output)));
    let (whole, parts) = (whole?, parts?);
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" ");
    if names(&whole) != names(&parts) {
        return Err(format!("{} are {}", names(&whole), names(&parts)));
    }
    match whole.iter().zip(&parts).find(|(a, b)| a != b) {
        Some(((name, _), _)) => Err(format!("{name} differs")),
        None => Ok(Verdict::Held),
    }
}
