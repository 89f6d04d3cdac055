//! Cases run on an executor that checks the invariants of plans and verbs. The results are bitwise equal to the CPU executor's.

mod executor;
mod faces;
mod faults;

use super::emulator::Emulator;
use super::kernels_of;
use super::late::Late;
use crate::common::bits;
use amrclaw::case::{BoundaryKind, Case, CaseSettings, Criterion, find_built_in};
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::simulation::{MakeExecutor, RunOptions, Simulation};
use executor::Checked;
use std::path::{Path, PathBuf};

/// Regrids come after every second or third step.
const STEPS: usize = 4;

/// The folder of cases that tests run.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// All cases in a folder and in the folders within, each once.
fn cases_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_case = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|end| end == "toml");
    let within = |path: PathBuf| if path.is_dir() { cases_in(&path) } else { vec![path] };
    paths.into_iter().filter(is_case).flat_map(within).collect()
}

/// Loads a case. If its criterion is a test's function, `difference` replaces it.
fn load(path: &Path) -> Case {
    let flag = CaseSettings::load(path, &[]).unwrap_or_else(|e| panic!("{e}")).regrid.flag;
    let own = flag.criterion == Criterion::User && flag.expression.is_none();
    let differences = ["regrid.flag.criterion=difference", "regrid.flag.tolerance=0.1"].map(str::to_owned);
    Case::load_with(path, if own { &differences } else { &[] }, find_built_in).unwrap_or_else(|e| panic!("{e}"))
}

/// Components whose totals are conserved: all sides are periodic, there is no source, and the solver's equations are conservation laws.
fn kept(case: &Case) -> Vec<usize> {
    let is_closed = case.mesh.boundary.iter().flatten().all(|side| *side == BoundaryKind::Periodic);
    let of_fluxes =
        ["acoustics", "advection", "burgers", "euler", "euler_hllc", "euler_strong_shocks", "shallow_water"]
            .contains(&case.shape().name.as_str());
    let all = 0..case.shape().equations.len();
    if is_closed && of_fluxes && !case.shape().has_source && !case.source.is_given() {
        all.collect()
    } else {
        Vec::new()
    }
}

/// Runs a case on the CPU executor and on the one that `make` makes, and compares them. Returns the number of regrids.
fn watch<const D: usize>(case: &Case, what: &str, make: MakeExecutor<'_, D>) -> u64 {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let outcome = |simulation: Result<Simulation<D>, _>| {
        let mut simulation = simulation.unwrap_or_else(|e| panic!("{what}: {e}"));
        (0..STEPS).for_each(|_| simulation.step().unwrap_or_else(|e| panic!("{what}: {e}")));
        let totals = simulation.totals().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        let regrids = simulation.counts().regrids;
        (bits(&simulation.frame()), totals, simulation.dt_next().to_bits(), regrids)
    };
    let expected = outcome(Simulation::builder(case).options(&options).build());
    let found = outcome(Simulation::builder(case).options(&options).executor(make).build());
    assert!(found == expected, "{what}: other bits where it is watched");
    found.3
}

fn on_processor<const D: usize>(case: &Case, what: &str) -> u64 {
    let kept = kept(case);
    watch::<D>(case, what, &|problem, solver, ratios, options| {
        let inner = CpuExecutor::new(problem.clone(), solver.double.clone(), ratios, options.num_threads());
        Ok(Box::new(Checked::new(inner, &kept)))
    })
}

fn on_device<const D: usize>(name: &str) {
    let case = load(&folder().join(name));
    let kept = kept(&case);
    let regrids = watch::<D>(&case, name, &|problem, solver, ratios, options| {
        let device = Late::prompt(Emulator::new(&kernels_of(problem, solver)));
        let double = solver.double.clone();
        let inner = ResidentExecutor::new(device, problem.clone(), double, ratios, options.num_threads())?;
        Ok(Box::new(Checked::new(inner, &kept)))
    });
    assert!(regrids > 0, "{name}: no regrid");
}

/// Every case of the folder, in one, two and three dimensions; most of them regrid on the way.
#[test]
fn all_cases_keep_all_promises_on_the_processor() {
    let (mut dimensions, mut regridded) = ([0; 3], 0);
    for path in cases_in(&folder()) {
        let (case, what) = (load(&path), path.display().to_string());
        let regrids = match case.dimension() {
            1 => on_processor::<1>(&case, &what),
            2 => on_processor::<2>(&case, &what),
            _ => on_processor::<3>(&case, &what),
        };
        dimensions[case.dimension() - 1] += 1;
        regridded += usize::from(regrids > 0);
    }
    assert!(dimensions.iter().all(|&cases| cases > 0) && regridded > 20, "{dimensions:?}, {regridded} with regrids");
}

#[test]
fn a_line_keeps_all_promises_on_the_device() {
    on_device::<1>("gas_on_a_line.toml");
}

#[test]
fn a_plane_keeps_all_promises_on_the_device() {
    on_device::<2>("sound.toml");
}
