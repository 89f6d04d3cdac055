//! The command line under attack, by cases made at random: a few of each kind. More of one:
//!
//!     STRESS_COUNT=1000 STRESS_SEED=1 cargo test --release --package amrclaw --test stress restarts
//!
//! Folders of attempts that came out wrong are kept, and named.

mod cases;
mod checkpoints;
mod closed_box;
mod devices;
mod laws;
mod mesh;
mod problem;
mod random;
mod restarts;
mod water;

use random::Random;
use std::path::{Path, PathBuf};

/// One attempt of an attack.
struct Attempt {
    program: &'static Path,
    folder: PathBuf,
    /// Its number, which is the seed of its random numbers.
    number: u64,
}

/// The result of an attempt.
enum Verdict {
    /// The result is right.
    Held,
    /// The program legitimately refused the case or gave up, so that nothing was tested.
    Declined,
}

/// Makes attempts, each with its own seed, so that each can be repeated alone; by default those `known` too that have once come out wrong.
fn attack(kind: &str, count: u64, known: &[u64], once: fn(&Attempt, &mut Random) -> Result<Verdict, String>) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    let (count, seed) = (number("STRESS_COUNT").unwrap_or(count), number("STRESS_SEED").unwrap_or(1));
    let known = if std::env::var_os("STRESS_SEED").is_some() { &[] } else { known };
    let (mut declined, mut wrong) = (0, Vec::new());
    let seeds: Vec<u64> = (seed..seed + count).chain(known.iter().copied()).collect();
    for &number in &seeds {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stress").join(kind).join(number.to_string());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(&folder).unwrap();
        let attempt = Attempt { program: Path::new(env!("CARGO_BIN_EXE_amrclaw")), folder, number };
        match once(&attempt, &mut Random::new(number)) {
            Ok(verdict) => {
                declined += u64::from(matches!(verdict, Verdict::Declined));
                std::fs::remove_dir_all(&attempt.folder).unwrap();
            }
            Err(what) => wrong.push(format!("{number}: {what}, kept in {}", attempt.folder.display())),
        }
    }
    println!("{} tried, {declined} of them declined or given up", seeds.len());
    assert!(wrong.is_empty(), "{} of {} came out wrong:\n{}", wrong.len(), seeds.len(), wrong.join("\n"));
}

/// A case that is wrong in one value ends with an exit code, without a panic, and with nothing written.
#[test]
fn wrong_values() {
    attack("cases", 40, &[], cases::wrong);
}

/// So does a case whose text is changed at random.
#[test]
fn mutants() {
    attack("mutants", 40, &[], cases::changed);
}

/// A run that stops after every step and goes on writes what a run without a stop writes.
#[test]
fn restarts() {
    attack("restarts", 10, &[], restarts::on_patches);
}

/// The same on meshes of cells of any shape.
#[test]
fn meshes() {
    attack("meshes", 6, &[7, 12], restarts::on_meshes);
}

/// A case on a GPU writes what it writes on the CPU.
#[test]
#[ignore = "needs a GPU"]
fn devices() {
    attack("devices", 20, &[], devices::attack);
}

/// A mirrored case gives the mirrored result.
#[test]
fn mirrors() {
    attack("mirrors", 20, &[], laws::mirrors);
}

/// A closed box keeps what it holds.
#[test]
fn totals() {
    attack("totals", 20, &[], laws::totals);
}

/// Damaged checkpoints are refused, or lead to the same bytes.
#[test]
fn checkpoints() {
    attack("checkpoints", 20, &[], checkpoints::attack);
}

/// Water over random bottoms stays at rest where it was, is nowhere less than nothing, and is not lost.
#[test]
fn water() {
    attack(
        "water",
        20,
        &[
            78, 196, 393, 455, 538, 638, 900, 1_023, 100_014, 105_083, 110_068, 200_053, 211_102, 211_154, 212_206,
            400_482,
        ],
        water::attack,
    );
}
