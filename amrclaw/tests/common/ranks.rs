//! Shared by the tests of several ranks: runs, and comparisons of their files.
#![allow(dead_code, reason = "each test file uses its part")]

use amrclaw::case::{Case, find_built_in};
use amrclaw::ranks::{DEFAULT_TIMEOUT, Ranks, Threads};
use amrclaw::simulation::{RunFailure, RunFiles, RunOptions, run};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The results of a run: every file except `run.json` and `steps.jsonl`; what the former says of the solution; and the outcome, without the name of the folder.
#[derive(PartialEq)]
pub struct Left {
    /// By their paths in the folder.
    pub files: BTreeMap<String, Vec<u8>>,
    /// `run.json` without [`COSTS`]; empty if there is none.
    pub record: String,
    pub outcome: Result<(), String>,
}

/// The keys of `run.json` that depend on the machine, on times or on the number of ranks.
const COSTS: [&str; 8] =
    ["threads", "wall_seconds", "updates_per_second", "phases", "writer_seconds", "memory_bytes", "ranks", "imbalance"];

impl Left {
    /// Asserts that both runs have left the same files, byte for byte, with the same totals, counts of cells and steps, to the last bit.
    pub fn assert_files_are_those_of(&self, other: &Left, what: &str) {
        assert!(self.files.keys().eq(other.files.keys()), "{what}: {:?}, {:?}", self.names(), other.names());
        assert_eq!(self.record, other.record, "{what}: run.json differs");
        let different = self.files.iter().find(|(name, bytes)| other.files[*name] != **bytes);
        assert!(different.is_none(), "{what}: {} differs", different.map_or("", |(name, _)| name));
    }

    /// Asserts that gauges, monitors and the files of the sixth step are those of another run, byte for byte.
    pub fn assert_ends_as(&self, other: &Left, what: &str) {
        let compared = other
            .files
            .iter()
            .filter(|(name, _)| name.starts_with("gauge") || name.starts_with("monitor") || name.contains("000006"));
        assert!(compared.clone().count() > 1, "{what}: {:?}", other.names());
        let different = compared.into_iter().find(|(name, bytes)| self.files.get(*name) != Some(bytes));
        assert!(different.is_none(), "{what}: {} differs", different.map_or("", |(name, _)| name));
    }

    fn names(&self) -> Vec<&String> {
        self.files.keys().collect()
    }
}

pub fn left(dir: &Path, outcome: Result<(), RunFailure>) -> Left {
    let mut files = files_in(dir, "");
    // It holds seconds.
    files.remove("steps.jsonl");
    let record = files.remove("run.json").map_or_else(String::new, |text| record_without_costs(&text));
    let message = |failure: RunFailure| failure.to_string().replace(&dir.display().to_string(), "DIR");
    Left { files, record, outcome: outcome.map_err(message) }
}

/// Every file in a folder and its subfolders; `prefix` is put before the names.
fn files_in(dir: &Path, prefix: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), format!("{prefix}{}", entry.file_name().to_string_lossy()));
        if path.is_dir() {
            files.extend(files_in(&path, &format!("{name}/")));
        } else {
            files.insert(name, std::fs::read(path).expect("a file of the run"));
        }
    }
    files
}

/// What a `run.json` says without [`COSTS`], as text: texts of numbers are equal only if their bits are.
fn record_without_costs(text: &[u8]) -> String {
    let mut record: BTreeMap<String, serde_json::Value> = serde_json::from_slice(text).expect("run.json is JSON");
    record.retain(|key, _| !COSTS.contains(&key.as_str()));
    assert!(record.contains_key("totals_final") && record.contains_key("cells_advanced"), "{:?}", record.keys());
    serde_json::to_string_pretty(&record).expect("text")
}

/// Runs a case on `ranks` ranks, which are threads of this process. If their number is odd, flags are not gathered: ranks cluster together.
pub fn run_on(ranks: usize, case: &Case, files: &RunFiles) -> Left {
    let with = |options: RunOptions| run(case, &options, files, &mut |_| ControlFlow::Continue(()));
    if ranks == 1 || ranks.is_multiple_of(2) {
        let outcome = with(RunOptions { ranks: Some(ranks), threads: Some(2), ..RunOptions::default() });
        return left(&files.dir, outcome.map(drop));
    }
    let on_rank = |comm: Ranks| {
        let comm = comm.with_gather_limit(0);
        with(RunOptions { comm, threads: Some(1), ..RunOptions::default() })
    };
    let outcome = Threads::run(ranks, DEFAULT_TIMEOUT, &Arc::default(), on_rank, |comm| drop(on_rank(comm)));
    left(&files.dir, outcome.expect("threads for all ranks").map(drop))
}

pub fn load(path: &Path, overrides: &[&str]) -> Case {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Case::load_with(path, &overrides, find_built_in).unwrap_or_else(|e| panic!("{e}"))
}

pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).join("case.toml")
}

/// Every case file of the tests.
pub fn all_cases() -> Vec<PathBuf> {
    let cases = cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
    assert!(cases.len() > 40);
    cases
}

/// Every case file in a folder and its subfolders.
fn cases_in(folder: &Path) -> Vec<PathBuf> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases").flatten() {
        let path = entry.path();
        if path.is_dir() {
            cases.extend(cases_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            cases.push(path);
        }
    }
    cases.sort();
    cases
}

/// Three steps with a checkpoint, in small patches.
pub const SHORT: [&str; 4] =
    ["time.max_steps=3", "output.checkpoint_every_steps=2", "output.png=false", "regrid.max_patch_size=12"];

/// Examples with settings for all that a run writes in one, two and three dimensions: every format of frames, with auxiliary values and
/// further fields, pictures, gauges. To be used with [`OUTPUT_STEPS`].
pub const OUTPUTS: [(&str, &[&str]); 6] = [
    ("traffic_light", &["mesh.cells=[50]", TEXT, "gauge=[{name=\"light\",position=[0.1]}]"]),
    ("acoustics_radial", &["mesh.cells=[40,36]", TEXT, FIELDS, PLOTS, "gauge=[{name=\"side\",position=[0.3,0.2]}]"]),
    ("acoustics_radial", &["mesh.cells=[40,36]", "output.format=\"clawpack-binary\"", "levels.ratio=[[2,4],[4,2]]"]),
    ("acoustics_interface", &["mesh.cells=[30,26]", BINARY]),
    ("acoustics_cylinder", &["mesh.cells=[12,24]", BINARY]),
    ("acoustics_3d_interface", &["mesh.cells=[10,8,6]", TEXT]),
];

const TEXT: &str = "output.format=[\"vtkhdf\",\"clawpack-ascii\",\"plotfile\"]";
const BINARY: &str = "output.format=[\"vtkhdf\",\"clawpack-binary\",\"plotfile\"]";
const FIELDS: &str =
    "output.field=[{name=\"speed\",formula=\"hypot(u, v)\"},{name=\"curl\",formula=\"dx(v) - dy(u)\"}]";
const PLOTS: &str = "plot=[{name=\"curl\",field=[\"abs(curl)\",\"grad(pressure)\"],slice={x=0.1}}]";

/// Three steps, with frames of the start, the second and the last, in small patches.
pub const OUTPUT_STEPS: [&str; 6] = [
    "time.max_steps=3",
    "output.every_steps=2",
    "output.checkpoint_every_steps=2",
    "output.png=true",
    "output.aux=true",
    "regrid.max_patch_size=12",
];

/// Examples with built-in solvers, each with a mesh for a short run.
pub const EXAMPLES: [(&str, &str); 25] = [
    ("acoustics_3d_hill", "mesh.cells=[10,8,6]"),
    ("acoustics_3d_interface", "mesh.cells=[10,8,6]"),
    ("acoustics_cylinder", "mesh.cells=[12,24]"),
    ("acoustics_interface", "mesh.cells=[30,26]"),
    ("acoustics_radial", "mesh.cells=[40,36]"),
    ("acoustics_spherical", "mesh.cells=[12,10,8]"),
    ("advection_3d_swirl", "mesh.cells=[12,10,8]"),
    ("advection_annulus", "mesh.cells=[12,24]"),
    ("advection_sphere", "mesh.cells=[24,12]"),
    ("advection_swirl", "mesh.cells=[22,20]"),
    ("burgers_3d_cube", "mesh.cells=[10,9,8]"),
    ("burgers_square", "mesh.cells=[22,20]"),
    ("decaying_puff", "mesh.cells=[22,20]"),
    ("elastic_push", "mesh.cells=[22,20]"),
    ("euler_3d_radial", "mesh.cells=[10,8,8]"),
    ("euler_quadrants", "mesh.cells=[25,20]"),
    ("euler_shock_bubble", "mesh.cells=[40,10]"),
    ("euler_wedge", "mesh.cells=[20,14]"),
    ("sedov_3d", "mesh.cells=[10,8,8]"),
    ("shallow_hump", "mesh.cells=[30,26]"),
    ("shallow_radial_dam_break", "mesh.cells=[22,20]"),
    ("shock_bubble_3d", "mesh.cells=[18,8,8]"),
    ("shock_corner", "mesh.cells=[26,10]"),
    ("strain_pulse", "mesh.cells=[22,20]"),
    ("traffic_light", "mesh.cells=[50]"),
];
