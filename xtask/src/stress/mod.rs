//! Stress tests of the command line: `cargo xtask stress KIND` makes random cases and reports how many gave a wrong
//! result.

mod cases;
mod checkpoints;
mod closed_box;
mod laws;
mod problem;
mod random;
mod restarts;

use crate::process::{Outcome, release_program, root, target_dir, tested_program};
use random::Random;
use std::path::{Path, PathBuf};

/// One kind of attack.
struct Kind {
    name: &'static str,
    /// Tests one case, made from the random numbers, in a new folder.
    attack: fn(&Attempt, &mut Random) -> Result<Verdict, String>,
    /// Number of attempts in `cargo xtask test`.
    share: u64,
}

const KINDS: &[Kind] = &[
    Kind { name: "cases", attack: cases::wrong, share: 40 },
    Kind { name: "mutants", attack: cases::changed, share: 40 },
    Kind { name: "restarts", attack: restarts::attack, share: 10 },
    Kind { name: "mirrors", attack: laws::mirrors, share: 20 },
    Kind { name: "totals", attack: laws::totals, share: 20 },
    Kind { name: "checkpoints", attack: checkpoints::attack, share: 20 },
];

/// One attempt of an attack.
struct Attempt {
    program: PathBuf,
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

struct Options {
    count: u64,
    seed: u64,
    program: Option<PathBuf>,
}

/// `cargo xtask stress KIND [--count N] [--seed S] [--program FILE]`.
pub fn run(arguments: &[String]) -> Outcome {
    let names = KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    let (name, rest) = arguments.split_first().ok_or_else(|| format!("which kind of attack? There are: {names}"))?;
    let kind = KINDS.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| format!("no kind of attack is named `{name}`; there are: {names}"))?;
    let options = parse(rest)?;
    let program = match options.program {
        Some(program) => root().join(program),
        None => release_program()?,
    };
    attack(kind, &program, options.seed, options.count)
}

/// A small number of attempts of every kind, with the program that the tests build.
pub fn share() -> Outcome {
    let program = tested_program()?;
    KINDS.iter().try_for_each(|kind| attack(kind, &program, 1, kind.share))
}

fn parse(arguments: &[String]) -> Outcome<Options> {
    let mut options = Options { count: 100, seed: 1, program: None };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{word}` wants a value"))?;
        let number = || value.parse().map_err(|_| format!("`{word} {value}` is not a whole number"));
        match word.as_str() {
            "--count" => options.count = number()?,
            "--seed" => options.seed = number()?,
            "--program" => options.program = Some(value.into()),
            _ => return Err(format!("no option `{word}`; see `cargo xtask help`")),
        }
    }
    Ok(options)
}

/// Makes `count` attempts, each with its own seed, so that each can be repeated alone. The folders of failed attempts are kept.
fn attack(kind: &Kind, program: &Path, seed: u64, count: u64) -> Outcome {
    let folder = target_dir().join("stress").join(kind.name);
    let (mut declined, mut wrong) = (0, Vec::new());
    for n in 0..count {
        let name = format!("{}", seed + n);
        let attempt = Attempt { program: program.to_owned(), folder: folder.join(&name), number: seed + n };
        let failed = |e: std::io::Error| format!("{}: {e}", attempt.folder.display());
        if attempt.folder.exists() {
            std::fs::remove_dir_all(&attempt.folder).map_err(failed)?;
        }
        std::fs::create_dir_all(&attempt.folder).map_err(failed)?;
        match (kind.attack)(&attempt, &mut Random::new(seed + n)) {
            Ok(verdict) => {
                declined += u64::from(matches!(verdict, Verdict::Declined));
                std::fs::remove_dir_all(&attempt.folder).map_err(failed)?;
            }
            Err(what) => {
                println!("{} {name}: {what}\n    kept in {}", kind.name, attempt.folder.display());
                wrong.push(name);
            }
        }
    }
    println!("{}: {count} tried, {declined} of them declined or given up, {} wrong", kind.name, wrong.len());
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} {} came out wrong", kind.name, wrong.join(", "))) }
}
