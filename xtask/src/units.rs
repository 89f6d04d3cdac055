//! The check `units`: unit and integration tests. Cargo runs one test program after another; here several run at a time, so that no processor
//! waits while one program waits for others or has a single long test left.

use crate::process::{Outcome, cargo, command, root, target_dir};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// What takes longest, which begins first: beside it the others are run.
const LONG: [&str; 4] = ["device", "cli", "processes", "mapped"];

/// Something to run to its end beside others.
pub struct Task {
    pub name: String,
    pub what: String,
    pub command: Command,
}

/// Builds all test programs and runs them.
pub fn run() -> Outcome {
    run_tasks(programs()?)
}

/// Builds all test programs; those that take longest come first.
pub fn programs() -> Outcome<Vec<Task>> {
    let build = ["test", "--workspace", "--tests", "--examples", "--no-run"];
    let mut build = cargo(&build);
    build.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let built = build.output().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.status.success() {
        return Err(format!("the tests cannot be built: {}", built.status));
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let mut programs: Vec<Task> =
        messages.lines().filter_map(|line| program(&serde_json::from_str(line).ok()?)).collect();
    programs.sort_by_key(|task| LONG.iter().position(|long| task.name == *long).unwrap_or(LONG.len()));
    Ok(programs)
}

/// The test program that a message of cargo announces, to be run as cargo runs it: in its package's folder.
fn program(message: &Value) -> Option<Task> {
    let file = message["executable"].as_str()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let mut run = command(file);
    run.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    let name = message["target"]["name"].as_str()?.to_owned();
    if name == "device" {
        // `.ci/rustc` does not optimise it: then the solvers in it need more than a thread has, 2 MiB.
        run.env("RUST_MIN_STACK", "33554432");
    }
    let place = Path::new(message["target"]["src_path"].as_str()?);
    let what = place.strip_prefix(root().canonicalize().ok()?).unwrap_or(place).display().to_string();
    Some(Task { name, what, command: run })
}

/// Runs tasks in their order, as many at a time as there are processors, up to four. Prints what each one printed when it ends; those that
/// failed are named at the end.
pub fn run_tasks(tasks: Vec<Task>) -> Outcome {
    let folder = target_dir().join("task-output");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let at_a_time = std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 4));
    let number = tasks.len();
    let (queue, failed) = (Mutex::new(tasks.into_iter().enumerate()), Mutex::new(Vec::new()));
    let next = || queue.lock().expect("no task panics").next();
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some((i, mut task)) = next() {
                    let begin = Instant::now();
                    let outcome = run_task(&mut task, &folder.join(format!("{i}.txt")));
                    // Whole, whatever ends meanwhile.
                    let mut failed = failed.lock().expect("no task panics");
                    let (name, what, seconds) = (&task.name, &task.what, begin.elapsed().as_secs_f64());
                    let (printed, ended) = outcome.unwrap_or_else(|message| (String::new(), Err(message)));
                    println!("\n---- {}/{number} {name}: {what} ----\n{}", i + 1, printed.trim_end());
                    match ended {
                        Ok(()) => println!("---- {name} passed in {seconds:.0} s, beside others ----"),
                        Err(message) => {
                            println!("---- {name} FAILED after {seconds:.0} s: {message} ----");
                            failed.push(format!("{name} ({what}): {message}"));
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no task panics");
    if failed.is_empty() { Ok(()) } else { Err(format!("{} of {number} failed\n{}", failed.len(), failed.join("\n"))) }
}

/// Runs a task; returns what it printed, both streams in the order in which it printed them, and whether it passed.
fn run_task(task: &mut Task, file: &PathBuf) -> Outcome<(String, Outcome)> {
    let wrong = |e: std::io::Error| format!("{}: {e}", file.display());
    let output = File::create(file).map_err(wrong)?;
    task.command.stdin(Stdio::null()).stdout(output.try_clone().map_err(wrong)?).stderr(output);
    let status = task.command.status().map_err(|e| format!("cannot start: {e}"))?;
    let printed = std::fs::read(file).map_err(wrong)?;
    let ended = if status.success() { Ok(()) } else { Err(status.to_string()) };
    Ok((String::from_utf8_lossy(&printed).into_owned(), ended))
}
