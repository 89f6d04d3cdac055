//! Cases that are wrong in one value, and cases changed at random: the program reports mistakes, or runs. It must not panic or use
//! unbounded time or memory, must end with one of its exit codes, and must have written nothing if that is 2.

use super::random::Random;
use super::{Attempt, Verdict};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A valid case: keys and their values. `@` marks where a wrong value is inserted in a list of tables.
const RIGHT: &[(&str, &str)] = &[
    ("solver.name", "\"acoustics\""),
    ("solver.density", "1.0"),
    ("solver.bulk", "4.0"),
    ("mesh.lower", "[-1.0, -1.0]"),
    ("mesh.upper", "[1.0, 1.0]"),
    ("mesh.cells", "[12, 10]"),
    ("mesh.boundary.x", "[\"extrapolate\", \"wall\"]"),
    ("mesh.boundary.y", "\"periodic\""),
    ("mesh.boundary.aux", "\"position\""),
    ("levels.max", "2"),
    ("levels.ratio", "[2]"),
    ("levels.ratio_time", "[2]"),
    ("regrid.interval", "2"),
    ("regrid.buffer", "2"),
    ("regrid.cluster", "\"berger-rigoutsos\""),
    ("regrid.cutoff", "0.7"),
    ("regrid.tile_size", "4"),
    ("regrid.max_patch_size", "32"),
    ("regrid.conservation_fix", "true"),
    ("regrid.flag.criterion", "\"difference\""),
    ("regrid.flag.tolerance", "0.1"),
    ("scheme.order", "2"),
    ("scheme.transverse", "2"),
    ("scheme.split", "\"unsplit\""),
    ("scheme.limiter", "[\"mc\", \"mc\"]"),
    ("scheme.source", "\"godunov\""),
    ("time.start", "0.0"),
    ("time.end", "0.05"),
    ("time.dt_initial", "1e-3"),
    ("time.cfl_desired", "0.9"),
    ("time.cfl_max", "1.0"),
    ("time.max_steps", "2"),
    ("time.max_retries", "3"),
    ("initial.pressure", "\"exp(-10*(x^2 + y^2))\""),
    ("initial.u", "\"0\""),
    ("initial.v", "0.0"),
    ("source.u", "\"-u\""),
    ("output.format", "[\"vtkhdf\"]"),
    ("output.times", "[0.0, 0.05]"),
    ("output.checkpoint_every_steps", "1"),
    ("output.checkpoint_every_minutes", "10.0"),
    ("output.aux", "false"),
    ("output.png", "false"),
];

/// Keys that the valid case omits, or that are in lists.
const FURTHER: &[(&str, &str)] = &[
    ("mesh.boundary.z", "@"),
    ("regrid.flag.expression", "@"),
    ("scheme.capacity", "@"),
    ("time.dt", "@"),
    ("aux.kappa", "@"),
    ("aux", "@"),
    ("output.count", "@"),
    ("output.every_steps", "@"),
    ("regrid.region", "[{ levels = @, lower = [0, 0], upper = [0.5, 0.5] }]"),
    ("regrid.region", "[{ levels = [1, 2], lower = @, upper = [0.5, 0.5] }]"),
    ("regrid.region", "[{ levels = [1, 2], lower = [0, 0], upper = [0.5, 0.5], time = @ }]"),
    ("gauge", "[{ name = @, position = [0.5, 0.5] }]"),
    ("gauge", "[{ name = \"g\", position = @ }]"),
    ("unknown.key", "@"),
    ("solver.gamma", "@"),
    ("mesh.mapping", "@"),
    ("mesh.mapping", "{ x = @, y = \"Y\" }"),
    ("mesh.mapping", "{ x = \"X\", y = \"Y\", z = @ }"),
    ("mesh.mapping", "{ kind = @ }"),
    ("mesh.mapping", "{ kind = \"annulus\", inner = @, outer = 2.0 }"),
    ("mesh.mapping", "{ kind = \"annulus\", inner = 1.0, outer = 2.0, width = @ }"),
    ("mesh.mapping", "{ kind = \"wedge\", corner = 0.2, angle = @ }"),
];

/// Wrong values: of every type, too small, too large, missing, and TOML values that no key accepts.
const WRONG: &[&str] = &[
    "0",
    "-1",
    "3",
    "99999999999",
    "99999999999999999999999",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "true",
    "\"\"",
    "\"no such word\"",
    "\"1/0\"",
    "\"sqrt(-1 - x^2)\"",
    "\"((((((((\"",
    "\"\\u001b[2J\\u202e\"",
    "[]",
    "[[], [1], [1, [2]]]",
    "[1, 2, 3, 4]",
    "[1e300, -1e300]",
    "[\"a\", 1, true]",
    "{ a = { b = 1 } }",
    "1979-05-27T07:32:00Z",
    "LONG",
];

/// Number of cases that are wrong in one value.
const COUNT: u64 = ((RIGHT.len() + FURTHER.len()) * WRONG.len()) as u64;

/// A case that is wrong in one value, selected by the attempt's number, so that [`COUNT`] successive attempts try all of them.
pub fn wrong(attempt: &Attempt, _: &mut Random) -> Result<Verdict, String> {
    let n = (attempt.number % COUNT) as usize;
    let long = format!("\"{}\"", "long ".repeat(20_000));
    let value = match WRONG[n % WRONG.len()] {
        "LONG" => &long,
        value => value,
    };
    let place = n / WRONG.len();
    let (key, value) = match FURTHER.get(place) {
        Some((key, template)) => (*key, template.replace('@', value)),
        None => (RIGHT[place - FURTHER.len()].0, value.to_owned()),
    };
    let others =
        RIGHT.iter().filter(|(other, _)| *other != key && !(key.starts_with("output.") && *other == "output.times"));
    let lines = others.map(|(key, value)| format!("{key} = {value}\n"));
    let text: String = lines.chain([format!("{key} = {value}\n")]).collect();
    attack(attempt, text.as_bytes())
}

/// A valid case or one of the project's examples, changed in one to four places of its text.
pub fn changed(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let mut texts = examples()?;
    texts.push(RIGHT.iter().map(|(key, value)| format!("{key} = {value}\n")).collect());
    let mut text = pick(random, &texts).clone().into_bytes();
    for _ in 0..random.whole(1, 4) {
        change(&mut text, random, &texts);
    }
    attack(attempt, &text)
}

/// The examples without a solver's file: files that random changes might name must not be compiled.
fn examples() -> Result<Vec<String>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(&folder).map_err(failed)?.flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let texts = files.iter().filter_map(|entry| std::fs::read_to_string(entry.path().join("case.toml")).ok());
    Ok(texts.filter(|text| !text.contains("path =")).collect())
}

fn pick<'a, T>(random: &mut Random, several: &'a [T]) -> &'a T {
    &several[random.whole(0, several.len() as u64 - 1) as usize]
}

/// Changes one place.
fn change(text: &mut Vec<u8>, random: &mut Random, others: &[String]) {
    let at = random.whole(0, text.len() as u64) as usize;
    let end = (at + random.whole(1, 30) as usize).min(text.len());
    match random.whole(0, 6) {
        0 => drop(text.splice(at..end, [])),
        1 => {
            let part = text[at..end].to_vec();
            drop(text.splice(at..at, part));
        }
        2 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.whole(0, 7);
            }
        }
        3 => drop(text.splice(at..at, [random.whole(0, 255) as u8])),
        4 => drop(text.splice(at..at, random.one_of(WRONG).bytes())),
        5 => {
            // A number of the text becomes another.
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = text[at..].iter().position(is_digit).map(|offset| at + offset) else { return };
            let len = text[start..].iter().take_while(|byte| is_digit(byte)).count();
            let other = random.number(-100.0, 100.0).to_string();
            let other = if random.percent(50) { random.one_of(&WRONG[..10]) } else { &other };
            drop(text.splice(start..start + len, other.bytes()));
        }
        _ => {
            let other = pick(random, others).as_bytes();
            let from = random.whole(0, other.len() as u64) as usize;
            let to = (from + random.whole(1, 200) as usize).min(other.len());
            drop(text.splice(at..at, other[from..to].iter().copied()));
        }
    }
}

/// Time limit for `validate`, which takes milliseconds for valid cases and must not take longer for wrong ones.
const LOOKING: Duration = Duration::from_secs(20);

/// Time limit for a run: a randomly changed case may be valid and take hours.
const RUNNING: Duration = Duration::from_secs(20);

/// Limit of the address space of `validate`, in kB.
const MEMORY: u64 = 1_000_000;

/// Most bytes that the program may print.
const SAID: usize = 100_000;

/// Validates a case, then runs it.
fn attack(attempt: &Attempt, text: &[u8]) -> Result<Verdict, String> {
    let folder = attempt.folder.join("in");
    std::fs::create_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let file = attempt.folder.join("case.toml");
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut validate = Command::new("sh");
    validate.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$@\""), "sh"]).arg(attempt.program);
    validate.args(["validate", "../case.toml", "--no-code"]);
    let Some(status) = ended(validate.current_dir(&folder), &attempt.folder, LOOKING)? else {
        return Err(format!("`validate` takes longer than {LOOKING:?}"));
    };
    let code = judge(status, &attempt.folder, &folder)?;
    if code == 2 {
        // `run` must refuse what `validate` refuses, and write nothing either.
        return again(attempt, &folder, Some(2));
    }
    again(attempt, &folder, None)
}

/// Runs the case on one thread.
fn again(attempt: &Attempt, folder: &Path, expected: Option<i32>) -> Result<Verdict, String> {
    let mut run = Command::new(attempt.program);
    run.args(["run", "../case.toml", "--output", "out", "--quiet", "--threads", "1"]);
    let Some(status) = ended(run.current_dir(folder), &attempt.folder, RUNNING)? else { return Ok(Verdict::Declined) };
    let code = judge(status, &attempt.folder, folder)?;
    match expected {
        Some(expected) if code != expected => Err(format!("`validate` ends with {expected}, `run` with {code}")),
        _ => Ok(Verdict::Held),
    }
}

/// Runs a command with its output in a file; `None` if it exceeds the time limit and is killed.
fn ended(command: &mut Command, log: &Path, limit: Duration) -> Result<Option<ExitStatus>, String> {
    let failed = |e: std::io::Error| format!("cannot run {command:?}: {e}", command = "the program");
    let said = std::fs::File::create(log.join("said")).map_err(failed)?;
    let other = said.try_clone().map_err(failed)?;
    let mut child = command.stdin(Stdio::null()).stdout(other).stderr(said).spawn().map_err(failed)?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The exit code, if it is a possible one, and output and files agree with it.
fn judge(status: ExitStatus, log: &Path, folder: &Path) -> Result<i32, String> {
    let said = std::fs::read(log.join("said")).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&said);
    if text.contains("panicked at") || text.contains("overflowed its stack") {
        return Err(format!("a panic: {}", text.lines().next().unwrap_or_default()));
    }
    if said.len() > SAID {
        return Err(format!("{} bytes are said", said.len()));
    }
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c)) {
        return Err("a control character is said".to_owned());
    }
    let left = std::fs::read_dir(folder).map_err(|e| e.to_string())?.count();
    match status.code() {
        Some(code @ 0..=1) => Ok(code),
        Some(2) if left == 0 => Ok(2),
        Some(2) => Err("the input was wrong, and something was written".to_owned()),
        _ => Err(format!("it ended with {status}")),
    }
}
