//! What the equations promise of random cases: a mirrored case gives the mirrored result, and a box without ways out keeps its totals.

use super::closed_box::{ClosedBox, Refined, sign};
use super::random::Random;
use super::{Attempt, Verdict};
use std::process::Command;

/// Largest difference of a gauge's values from those of the mirrored run, relative to the largest value or 1: round-off of six steps, which
/// limiters and Roe averages amplify.
const MIRROR_TOLERANCE: f64 = 1e-10;
/// Largest change of a total in a closed box, relative to the total or 1: the box has volume 1, and the sum runs over some thousand cells.
const TOTAL_TOLERANCE: f64 = 2e-13;

/// Executes `amrclaw run`; `None` where the program gives the run up, as it may where a random state becomes inadmissible.
pub fn run(attempt: &Attempt, name: &str, text: &str, steps: u64) -> Result<Option<()>, String> {
    let file = format!("{name}.toml");
    std::fs::write(attempt.folder.join(&file), text).map_err(|e| format!("{file}: {e}"))?;
    let mut command = Command::new(attempt.program);
    command.current_dir(&attempt.folder).args(["run", &file, "--quiet", "--output", name]);
    command.args(["--set", &format!("time.max_steps={steps}")]);
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", attempt.program.display()))?;
    match output.status.code() {
        Some(0) => Ok(Some(())),
        Some(1) => Ok(None),
        _ => Err(format!("{file}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// The record of a run.
pub fn record(attempt: &Attempt, name: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(&read(attempt, &format!("{name}/run.json"))?).map_err(|e| format!("run.json: {e}"))
}

fn read(attempt: &Attempt, file: &str) -> Result<String, String> {
    std::fs::read_to_string(attempt.folder.join(file)).map_err(|e| format!("{file}: {e}"))
}

/// Runs a case and its image in a mirror across an axis; compares what gauges at mirrored places record.
pub fn mirrors(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let case = ClosedBox::new(random, Refined::Region);
    let axis = random.whole(0, case.dim as u64 - 1) as usize;
    for (name, text) in [("right", case.text()), ("mirrored", case.mirrored(axis))] {
        if run(attempt, name, &text, case.steps)?.is_none() {
            return Ok(Verdict::Declined);
        }
    }
    let [right, mirrored] = ["right", "mirrored"].map(|name| read(attempt, &format!("{name}/gauge_g.csv")));
    let (right, mirrored) = (right?, mirrored?);
    let names: Vec<&str> = right.lines().nth(1).unwrap_or("").split(',').collect();
    let (right, mirrored) = (rows(&right)?, rows(&mirrored)?);
    if right.len() != mirrored.len() {
        return Err(format!("{} rows of the gauge, mirrored across axis {axis} {}", right.len(), mirrored.len()));
    }
    let largest = right.iter().flatten().fold(1.0_f64, |most, value| most.max(value.abs()));
    for (n, (row, image)) in right.iter().zip(&mirrored).enumerate() {
        for ((value, other), name) in row.iter().zip(image).zip(&names) {
            let expected = sign(name, axis) * other;
            let difference = (value - expected).abs();
            if difference > MIRROR_TOLERANCE * largest || difference.is_nan() {
                return Err(format!("row {n}, {name}: {value}, mirrored across axis {axis} {other}"));
            }
        }
    }
    Ok(Verdict::Held)
}

/// The numbers of a gauge's file.
fn rows(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let number = |word: &str| word.parse().map_err(|_| format!("`{word}` is not a number"));
    text.lines().skip(2).map(|line| line.split(',').map(number).collect()).collect()
}

/// Runs a case that nothing can leave, with sources of other quantities; the total of its first equation must stay.
pub fn totals(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let case = ClosedBox::new(random, Refined::Flags);
    if run(attempt, "run", &case.text(), case.steps)?.is_none() {
        return Ok(Verdict::Declined);
    }
    let record = record(attempt, "run")?;
    let total = |when: &str| {
        let total = &record[when][case.first];
        total.as_f64().ok_or_else(|| format!("run.json: {when}.{} is {total}", case.first))
    };
    let (before, after) = (total("totals_initial")?, total("totals_final")?);
    if (after - before).abs() > TOTAL_TOLERANCE * before.abs().max(1.0) {
        return Err(format!("the total of {} was {before}, and is {after}", case.first));
    }
    Ok(Verdict::Held)
}
