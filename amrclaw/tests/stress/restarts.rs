//! Runs that stop after every step and continue from their checkpoint, with other numbers of threads and ranks: their files must equal
//! those of an uninterrupted run with one thread, byte for byte.

use super::random::Random;
use super::{Attempt, Verdict, mesh, problem};
use std::path::Path;
use std::process::Command;

/// Executes `amrclaw run` up to `steps` steps with a checkpoint after every step; returns the exit code and the output.
fn run(
    attempt: &Attempt,
    steps: u64,
    output: &str,
    restart: Option<u64>,
    (threads, ranks): (u64, u64),
) -> Result<(i32, String), String> {
    let mut command = Command::new(attempt.program);
    command.current_dir(&attempt.folder).args(["run", "case.toml", "--quiet", "--output", output]);
    command.args(["--threads", &threads.to_string(), "--ranks", &ranks.to_string()]);
    command.args(["--set", &format!("time.max_steps={steps}")]);
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

/// Names and contents of the files of a run, without checkpoints and records.
pub fn written(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["fort.", "gauge", "frame_"].iter().any(|begin| name.starts_with(begin)) {
            files.push((name, std::fs::read(entry.path()).map_err(failed)?));
        }
    }
    files.sort();
    Ok(files)
}

/// Runs a case on patches.
pub fn on_patches(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let (text, steps) = problem::case(random);
    attack(attempt, random, &text, steps, 3)
}

/// Runs a case on a mesh of cells of any shape.
pub fn on_meshes(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let (text, steps) = mesh::case(attempt, random)?;
    attack(attempt, random, &text, steps, 1)
}

/// Runs a case without interruption, and again with a stop after every step, on up to so many ranks.
fn attack(attempt: &Attempt, random: &mut Random, text: &str, steps: u64, ranks: u64) -> Result<Verdict, String> {
    std::fs::write(attempt.folder.join("case.toml"), text).map_err(|e| format!("case.toml: {e}"))?;
    let (code, said) = run(attempt, steps, "whole", None, (1, 1))?;
    match code {
        0 => {}
        2 => return Err(format!("the case is refused: {said}")),
        _ => return Ok(Verdict::Declined),
    }
    // A run in which nothing moves may reach its end earlier.
    let is_frame = |name: &str| name.starts_with("fort.q") || name.starts_with("frame_");
    let frames = written(&attempt.folder.join("whole"))?.iter().filter(|(name, _)| is_frame(name)).count();
    for step in 1..=steps.min(frames.saturating_sub(1) as u64) {
        let restart = Some(step - 1).filter(|&before| before > 0);
        let (code, said) = run(attempt, step, "parts", restart, (random.whole(1, 2), random.whole(1, ranks)))?;
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
