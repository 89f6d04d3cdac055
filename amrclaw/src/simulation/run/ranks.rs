//! Several ranks of one run: starting them as threads, and agreeing on outcomes.

use super::{Cause, Job, RunFailure, Watch, run_case};
use crate::case::{Case, SolverFrom};
use crate::exec::ExecError;
use crate::frames::checkpoint_patches::StoredCheckpoint;
use crate::frames::run_json::{RankRecord, RunRecord};
use crate::index::Level;
use crate::plugin;
use crate::ranks::{DEFAULT_TIMEOUT, Ranks, Threads, mpi};
use crate::simulation::{RunError, RunOptions, Simulation};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::warn;

/// Runs a case on `size` ranks, each a thread of this process; the calling thread is the first.
pub(super) fn run_on_threads(job: Job<'_>, size: usize, watch: &mut Watch<'_>) -> Result<RunRecord, RunFailure> {
    let options = job.options;
    let timeout = options.comm_timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs);
    let threads = Some((options.num_threads() / size).max(1));
    for (k, device) in options.devices.iter().enumerate() {
        if options.devices[..k].contains(device) {
            warn!(
                device,
                "several ranks share a GPU: they are no faster than one rank, and each has its own tables in GPU memory"
            );
        }
    }
    let of_rank = |comm| RunOptions { threads, comm, ranks: None, ..options.clone() };
    let others = |comm| {
        // The first rank returns the outcome.
        let _ = run_case(Job { options: &of_rank(comm), ..job }, &mut |_| ControlFlow::Continue(()));
    };
    let first = |comm| run_case(Job { options: &of_rank(comm), ..job }, watch);
    let ran = Threads::run(size, timeout, &options.stop, first, others);
    ran.unwrap_or_else(|error| {
        let error = RunError::Threads { threads: size, message: error.to_string() };
        Err(RunFailure::Refused(Box::new(error.into())))
    })
}

/// Makes an error on any rank an error on all: returns this rank's error, else that of another rank, else the value.
pub(super) fn agreed<T>(ranks: &Ranks, outcome: Result<T, Cause>) -> Result<T, Cause> {
    if ranks.is_solo() {
        return outcome;
    }
    let own = outcome.as_ref().err().map(ToString::to_string);
    match (outcome, ranks.first(own.as_ref(), |_| 0)) {
        (Err(cause), _) => Err(cause),
        (Ok(_), Err(lost)) => Err(RunError::from(ExecError::from(lost)).into()),
        (Ok(_), Ok(Some((rank, message)))) => Err(Cause::RemoteValues { rank, message }),
        (Ok(value), Ok(None)) => Ok(value),
    }
}

/// Refuses ranks with different programs, cases, solvers or options.
pub(super) fn check_alike(Job { case, options, files }: Job<'_>) -> Result<(), Cause> {
    let ranks = &options.comm;
    if ranks.is_solo() {
        return Ok(());
    }
    let own = [
        ("program", program()),
        ("case file", case.text()),
        ("solver file", solver_file(case)),
        ("precision", options.precision.name().to_owned()),
        ("device", options.device.name().to_owned()),
        ("choice of --fmad", options.no_fused.to_string()),
        ("checkpoint", format!("{:?}", files.restart)),
    ];
    refuse_unlike(ranks, &own.map(|(name, text)| (name, u64::from(crc32fast::hash(text.as_bytes())))))
}

/// Refuses ranks whose checkpoints of the same path differ.
pub(super) fn check_same_checkpoint<const D: usize>(ranks: &Ranks, stored: &StoredCheckpoint<D>) -> Result<(), Cause> {
    refuse_unlike(ranks, &[("checkpoint", stored.checksum())])
}

/// Names the first rank that has something else than rank 0, and what it is.
fn refuse_unlike(ranks: &Ranks, own: &[(&str, u64)]) -> Result<(), Cause> {
    let numbers: Vec<u64> = own.iter().map(|(_, number)| *number).collect();
    let all = ranks.gather(&numbers).map_err(|lost| RunError::from(ExecError::from(lost)))?;
    for (rank, theirs) in all.iter().enumerate() {
        if let Some(k) = (0..own.len()).find(|&k| theirs.get(k) != all[0].get(k)) {
            return Err(Cause::RemoteValues { rank, message: format!("the {} is not that of rank 0", own[k].0) });
        }
    }
    Ok(())
}

/// Identifies the program: its version and, for ranks in different processes, a checksum of its file.
fn program() -> String {
    let file = mpi::launch().and_then(|_| checksum(&own_file()?));
    format!("{} {file:?}", env!("CARGO_PKG_VERSION"))
}

/// The file that this code is in: the program, or a library that Python has loaded.
fn own_file() -> Option<PathBuf> {
    let code = program as fn() -> String as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let is_here = |line: &&str| {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let range =
            range.map(|(start, end)| [start, end].map(|address| usize::from_str_radix(address, 16).unwrap_or(0)));
        range.is_some_and(|[start, end]| (start..end).contains(&code))
    };
    let file = maps.lines().find(is_here).and_then(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    file.or_else(|| std::env::current_exe().ok())
}

/// Identifies the file that the case's solver comes from, with all that it includes.
fn solver_file(case: &Case) -> String {
    match &case.solver.from {
        SolverFrom::Name(_) => String::new(),
        SolverFrom::Path(path) => plugin::contents(path).unwrap_or_else(|error| error.to_string()),
    }
}

fn checksum(file: &Path) -> Option<u32> {
    Some(crc32fast::hash(&std::fs::read(file).ok()?))
}

/// The first rank's `words`, on all ranks.
pub(super) fn broadcast_from_first(ranks: &Ranks, words: u64) -> Result<u64, Cause> {
    if ranks.is_solo() {
        return Ok(words);
    }
    let all = ranks.gather(&[words]).map_err(|lost| RunError::from(ExecError::from(lost)))?;
    Ok(all[0][0])
}

/// Each rank's record: cells, memory, messages and seconds. Empty for a single rank.
pub(super) fn records<const D: usize>(simulation: &Simulation<D>) -> Vec<RankRecord> {
    let ranks = simulation.ranks();
    if ranks.is_solo() || !simulation.is_readable() {
        return Vec::new();
    }
    let levels = simulation.hierarchy().levels().iter().zip(0..).filter_map(|(mesh, l)| {
        let own = simulation.partition(Level(l))?.patches_of(ranks.rank().number);
        Some(own.map(|k| mesh.patches()[k].volume() as u64).sum::<u64>())
    });
    let (cells, traffic) = (levels.sum(), ranks.traffic());
    let [host, _] = simulation.memory().held;
    let seconds = [simulation.stopwatch().seconds().advance, traffic.waited].map(f64::to_bits);
    let counts = [cells, simulation.own_cells_advanced(), host as u64, traffic.messages, traffic.bytes];
    let words: Vec<u64> = counts.into_iter().chain(seconds).collect();
    let record = |words: &Vec<u64>| RankRecord {
        cells: words[0],
        cells_advanced: words[1],
        memory_bytes: words[2],
        messages: words[3],
        bytes_sent: words[4],
        seconds_advancing: f64::from_bits(words[5]),
        seconds_waited: f64::from_bits(words[6]),
    };
    ranks.gather(&words).map_or(Vec::new(), |all| all.iter().map(record).collect())
}

/// The largest of the ranks' cell updates over their mean; `None` for a single rank, or if there were no steps.
pub(super) fn imbalance(ranks: &[RankRecord]) -> Option<f64> {
    let updates = || ranks.iter().map(|rank| rank.cells_advanced);
    let (sum, most) = (updates().sum::<u64>(), updates().max()?);
    (sum > 0).then(|| most as f64 * ranks.len() as f64 / sum as f64)
}
