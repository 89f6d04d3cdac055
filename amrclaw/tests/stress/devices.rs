//! Random cases of every kind on a GPU: what they write must equal what the CPU writes, byte for byte.

use super::closed_box::{ClosedBox, Refined};
use super::random::Random;
use super::restarts::written;
use super::{Attempt, Verdict, mesh, problem, water};
use std::process::Command;

/// Cases that write nothing write their frames here.
const NO_FILES: &str = "format = []";
const FILES: &str = "format = [\"clawpack-ascii\"]";

/// Executes `amrclaw run`; returns the exit code and the output.
fn run(attempt: &Attempt, device: &str, precision: &str, steps: u64) -> Result<(i32, String), String> {
    let mut command = Command::new(attempt.program);
    command.current_dir(&attempt.folder).args(["run", "case.toml", "--quiet", "--device", device, "--output", device]);
    // A device that fuses multiplications and additions rounds differently.
    command.args(if device == "cpu" { ["--threads", "1"] } else { ["--fmad", "off"] });
    command.args(["--precision", precision, "--set", &format!("time.max_steps={steps}")]);
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", attempt.program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(code @ 0..=3) => Ok((code, said)),
        _ => Err(format!("{device}: {}: {said}", output.status)),
    }
}

/// Runs a case on the CPU, on a GPU, and streamed through one.
pub fn attack(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let kind = random.whole(0, 4);
    let (text, steps) = match kind {
        0 => (water::case(random).text.replace(NO_FILES, FILES), water::STEPS),
        1 => {
            let case = ClosedBox::new(random, Refined::Flags);
            (case.text().replace(NO_FILES, FILES), case.steps)
        }
        2 => mesh::case(attempt, random)?,
        _ => problem::case(random),
    };
    // On meshes the CPU knows the wider one only.
    let precision = if kind != 2 && random.percent(25) { "f32" } else { "f64" };
    std::fs::write(attempt.folder.join("case.toml"), text).map_err(|e| format!("case.toml: {e}"))?;
    let (expected, said) = run(attempt, "cpu", precision, steps)?;
    if expected == 2 {
        return Err(format!("the case is refused: {said}"));
    }
    let whole = written(&attempt.folder.join("cpu"))?;
    for device in &["cuda", "cuda-streamed"][..if kind == 2 { 1 } else { 2 }] {
        let (code, said) = run(attempt, device, precision, steps)?;
        if code != expected {
            return Err(format!("{device}: exit code {code}, of the CPU {expected}: {said}"));
        }
        let files = written(&attempt.folder.join(device))?;
        let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if names(&files) != names(&whole) {
            return Err(format!("{device} wrote {}, the CPU {}", names(&files).join(" "), names(&whole).join(" ")));
        }
        if let Some(((name, _), _)) = files.iter().zip(&whole).find(|(a, b)| a != b) {
            return Err(format!("{device}: {name} differs"));
        }
    }
    Ok(if expected == 0 { Verdict::Held } else { Verdict::Declined })
}
