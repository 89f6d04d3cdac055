//! Water over random bottoms, with films, on levels that move: a lake at rest stays, no depth is negative, no water is lost, and steps
//! are as long as waves ask for.

use super::laws::{record, run};
use super::random::Random;
use super::{Attempt, Verdict};
use std::fmt::Write as _;

/// Largest change of the water relative to all of it, or to a tenth of a unit.
const LOST: f64 = 1e-12;
/// Steps of a run.
pub const STEPS: u64 = 20;
/// When a run ends that has not made its steps before.
const END: f64 = 100.0;

/// A wave along all axes, with values between −1 and 1.
fn wave(random: &mut Random, dim: usize, fastest: f64) -> String {
    let mut number = |low, high| random.number(low, high);
    let across = if dim > 1 { format!(" + {} * y", number(-fastest, fastest)) } else { String::new() };
    format!("sin({} * x{across} + {})", number(-fastest, fastest), number(0.0, 6.0))
}

/// A case, the same with shorter steps, what ends its run early, and the longest step that waves on still water allow.
pub struct Water {
    pub text: String,
    /// Of unsplit steps in the plane: of first order without transverse waves, at half the Courant number.
    slower: Option<String>,
    /// Unsplit in the plane, of water that falls: on a mapped mesh, and how wide its narrowest cells are in terms of others.
    mapped: Option<(String, f64)>,
    stop: String,
    longest: f64,
}

/// A lake at rest, or water that falls.
pub fn case(random: &mut Random) -> Water {
    let dim = random.one_of(&[1, 2, 2]);
    let (rests, level) = (random.percent(50), random.number(-0.2, 0.4));
    let cells = random.whole(12, if dim > 1 { 24 } else { 60 });
    let split = if dim > 1 { random.one_of(&["unsplit", "unsplit", "strang", "godunov"]) } else { "unsplit" };
    // What the shape is above zero is water: deep, or a film of 1e-14 to 0.3.
    let rough = random.one_of(&[0.0, 0.3, 0.6]);
    let shape = format!("({} + {rough} * {} + 0.2)", wave(random, dim, 9.0), wave(random, dim, 5000.0));
    let depth = match random.percent(50) {
        true => format!("if({shape} > 0.3, {shape}, if({shape} > 0, 1e-14 * 10^(45 * {shape}), {shape}))"),
        false => shape,
    };
    let fallen = format!("max(0, {level} - bottom + {} * {})", random.number(0.1, 0.6), wave(random, dim, 2000.0));
    let initial = if rests { format!("max(0, {level} - bottom)") } else { fallen };
    let levels = random.whole(1, 3);
    let ratios: Vec<u64> = (1..levels).map(|_| random.one_of(&[2, 2, 4])).collect();
    let momenta = &["x_momentum", "y_momentum"][..dim];
    let mut stop = "min(depth) < -1e-15".to_owned();
    if rests {
        let _ = write!(stop, " || max(if(depth > 0, abs(depth + bottom - {level}), 0)) > 1e-13");
        momenta.iter().for_each(|name| stop += &format!(" || max(abs({name})) > 1e-13"));
    }
    let limiter = random.one_of(&["minmod", "superbee", "mc", "van_leer"]);
    let centre = |axis: &str, phase: f64| format!("({axis} - 0.5 - 0.3 * sin(9 * t + {phase}))^2");
    let disc =
        ["x", "y"][..dim].iter().map(|axis| centre(axis, random.number(0.0, 6.0))).collect::<Vec<_>>().join(" + ");
    let zeros: String = momenta.iter().map(|name| format!("{name} = 0\n")).collect();
    let walls: String = ["x", "y"][..dim].iter().map(|axis| format!("{axis} = \"wall\"\n")).collect();
    // The deepest water at first.
    let deepest = 2.8;
    let longest = 0.9 / cells as f64 / f64::sqrt(deepest);
    let text = format!(
        "[solver]\nname = \"shallow_water_bathymetry\"\ngravity = 1.0\n[mesh]\ncells = {:?}\n[mesh.boundary]\n{walls}\
         [ground]\nsea_level = {level}\n[levels]\nmax = {levels}\nratio = {ratios:?}\n\
         [regrid]\ninterval = {}\nbuffer = {}\n[regrid.flag]\ncriterion = \"user\"\nexpression = \"{disc} < {}\"\n\
         [scheme]\nsplit = {split:?}\nlimiter = {limiter:?}\norder = {}\n\
         [time]\nend = {END}\ncfl_desired = 0.9\ndt_initial = {}\nstop_when = {stop:?}\n\
         [aux]\nbottom = \"{level} - {depth}\"\n[initial]\ndepth = {initial:?}\n{zeros}\
         [output]\nformat = []\ncount = 1\npng = false\ncheckpoint_every_minutes = 0\n",
        vec![cells; dim],
        random.whole(1, 3),
        random.whole(0, 2),
        random.number(0.02, 0.1),
        random.whole(1, 2),
        0.3 * longest,
    );
    let is_unsplit = dim > 1 && split == "unsplit";
    let mapped = (is_unsplit && !rests).then(|| {
        let (x, y, narrowest) = match random.whole(0, 2) {
            0 => ("X", "Y", 1.0),
            1 => ("X + 0.08 * sin(2 * pi * X)", "Y", 0.5),
            _ => ("X + 0.08 * sin(pi * X) * sin(3 * Y)", "Y + 0.08 * sin(2 * pi * Y)", 0.5),
        };
        let mapping = format!("[mesh.mapping]\nx = \"{x}\"\ny = \"{y}\"\n[mesh.boundary]\n");
        (text.replace("[mesh.boundary]\n", &mapping), narrowest)
    });
    let slower = is_unsplit.then(|| {
        let first_order = text.replace("order = 2", "order = 1").replace("[scheme]\n", "[scheme]\ntransverse = 0\n");
        first_order.replace("cfl_desired = 0.9", "cfl_desired = 0.45")
    });
    Water { text, slower, mapped, stop, longest }
}

/// Runs a case of water, and if it holds, of each fourth the one with shorter steps, of another fourth the one on a mapped mesh.
pub fn attack(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let Water { text, slower, mapped, stop, longest } = case(random);
    let verdict = held(attempt, ("run", &text), &stop, longest)?;
    let (name, more) = match attempt.number % 4 {
        0 => ("slower", slower.map(|text| (text, 0.5))),
        2 => ("mapped", mapped),
        _ => return Ok(verdict),
    };
    more.map_or(Ok(verdict), |(text, part)| held(attempt, (name, &text), &stop, part * longest))
}

/// Runs a case, in which waves on still water allow a `longest` step.
fn held(attempt: &Attempt, (name, text): (&str, &str), stop: &str, longest: f64) -> Result<Verdict, String> {
    if run(attempt, name, text, STEPS)?.is_none() {
        return Err(format!("{name}: given up"));
    }
    let record = record(attempt, name)?;
    if record["totals_initial"]["depth"] == 0.0 {
        // All land: nothing limits the steps.
        return Ok(Verdict::Declined);
    }
    // Nearly all land: a few long steps reach the end.
    if record["steps"][0] != STEPS && record["time"] != END {
        return Err(format!("{stop} after {} steps", record["steps"][0]));
    }
    let number = |value: &serde_json::Value| value.as_f64().ok_or_else(|| format!("run.json: {value} is no number"));
    let [before, after] = [&record["totals_initial"]["depth"], &record["totals_final"]["depth"]].map(number);
    let (before, lost) = (before.clone()?, before? - after?);
    if lost.abs() > LOST * before.max(0.1) {
        return Err(format!("{lost:e} of the water is lost, of {before}"));
    }
    // Waves run on water that falls: three times as fast as on the deepest at rest; twice as many steps.
    let time = number(&record["time"])?;
    if time < STEPS as f64 * longest / 6.0 {
        return Err(format!("{STEPS} steps end at {time}, the first being {}", 0.3 * longest));
    }
    Ok(Verdict::Held)
}
