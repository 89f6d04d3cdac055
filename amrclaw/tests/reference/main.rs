//! Compares our results with those of AMRClaw and GeoClaw 5.13.1, cell by cell. `tests/data/reference/README.md` says how the reference was made.
//!
//! Proves: on one level, the update (every limiter, order, kind of transverse terms and sweeps) is AMRClaw's up to the order
//! of sums; on fixed patches, so are ghost cells, averaging down and the conservation fix; with regridding, the
//! patches cover the same cells (so flags, buffers, clusters and nesting are AMRClaw's) and values agree up to round-off; in the
//! paper's benchmark, the solution agrees to a thousandth (relative L1 of the pressure) and the work to five per cent.

mod adjoint;
mod beach;
mod field;
mod flagregions;
mod npz;
mod space;
mod space_regridded;

use amrclaw::case::{Case, find_built_in};
use amrclaw::simulation::Simulation;
use field::{Field, relative_l1};
use npz::Npz;
use std::path::Path;

/// Sums in a different order: at most a few units in the last place per step, for values of order one; errors do
/// not grow in a linear problem.
const SAME_FORMULAS: f64 = 1e-13;
/// As [`SAME_FORMULAS`], but round-off in the Courant number changes the time step, and with it the time between samples.
const SAME_STEPS: f64 = 1e-12;
/// Interpolation at the interfaces adds differences of nearly equal numbers, and each substep adds its own round-off.
const SAME_INTERFACES: f64 = 1e-12;
/// Nonlinear equations: speeds depend on the solution, and square roots and quotients lose a digit.
const SAME_NONLINEAR: f64 = 1e-11;

fn start(case: &str) -> Simulation<2> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reference").join(format!("{case}.toml"));
    let case = Case::load_with(&path, &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
    Simulation::builder(&case).build().unwrap_or_else(|e| panic!("{e}"))
}

/// Takes coarse steps with a fixed step size, and compares all cells after each of the given numbers of steps.
fn assert_equal_after(case: &str, steps: &[u64], bound: f64) {
    let mut simulation = start(case);
    let mut taken = 0;
    for &n in steps {
        while taken < n {
            simulation.step().unwrap_or_else(|e| panic!("{case}, step {}: {e}", taken + 1));
            taken += 1;
        }
        assert_equal(&simulation, &format!("{case}_{n:04}"), bound);
    }
}

fn assert_equal<const D: usize>(simulation: &Simulation<D>, reference: &str, bound: f64) {
    let (ours, theirs) = (Field::ours(&simulation.frame()), Field::reference(reference));
    assert!(
        (ours.time - theirs.time).abs() <= 1e-12,
        "{reference}: t = {}, the reference's {}",
        ours.time,
        theirs.time
    );
    let difference = ours.largest_difference(&theirs);
    assert!(difference.size <= bound, "{reference}: {difference:?}, more than {bound:e}");
}

macro_rules! equal_after {
    ($bound:expr; $($name:ident $steps:expr,)*) => {$(
        #[test]
        fn $name() {
            assert_equal_after(stringify!($name), &$steps, $bound);
        }
    )*};
}

equal_after! { SAME_FORMULAS;
    single_none [1, 125],
    single_minmod [1, 125],
    single_superbee [1, 125],
    single_vanleer [1, 125, 250],
    single_vanleer_periodic [125, 250],
    single_vanleer_trans0 [1, 125],
    single_vanleer_trans1 [1, 125],
    single_vanleer_dimsplit [1, 125],
    single_order1_trans0 [1, 125],
    single_order1_trans1 [1, 125],
}

// The reference's patches are forced by regions; step 0 shows that we build the same patches and average the initial data down.
equal_after! { SAME_INTERFACES;
    st2r2 [0, 1, 40],
    st2r4 [0, 1, 40],
    st3r2 [0, 1, 40],
    st2edge [0, 1, 40],
}

equal_after! { SAME_NONLINEAR;
    euler [1, 100],
    burgers [1, 100],
}

/// The time steps chosen by the Courant number, and the shortened step before an output time, are AMRClaw's.
#[test]
fn single_vardt() {
    let mut simulation = start("single_vardt");
    for (k, t) in [0.25, 0.5].into_iter().enumerate() {
        simulation.advance_to(t).unwrap_or_else(|e| panic!("{e}"));
        assert_equal(&simulation, &format!("single_vardt_{}", k + 1), SAME_STEPS);
    }
}

/// Ratio between levels of the cases with regridding.
const RATIOS: [i32; 2] = [2, 2];
/// If patches differ, so do the interfaces between levels and therefore the solutions, by less than the flagging tolerance
/// below which cells are not refined.
const REGRIDDED: f64 = 1e-3;

fn assert_close(simulation: &Simulation<2>, reference: &str) -> (Field<2>, Field<2>) {
    let (ours, theirs) = (Field::ours(&simulation.frame()), Field::reference(reference));
    let pressure = |f: &Field<2>| f.composite(0, &RATIOS);
    let difference = relative_l1(&pressure(&ours), &pressure(&theirs));
    assert!(difference <= REGRIDDED, "{reference}: relative L1 difference of the pressure {difference:e}");
    (ours, theirs)
}

/// Small patches, regridded every second step. A different breaking of ties in clustering, or a narrower margin around the finest
/// level, changes the patches and the solution by two thousandths, as much as exchanging x and y changes AMRClaw's own. So the
/// patches must be exactly AMRClaw's; then the values agree too.
#[test]
fn dyn3() {
    let mut simulation = start("dyn3");
    for step in 0..=40 {
        if step > 0 {
            simulation.step().unwrap_or_else(|e| panic!("step {step}: {e}"));
        }
        if [0, 1, 40].contains(&step) {
            assert_close(&simulation, &format!("dyn3_{step:04}"));
            assert_equal(&simulation, &format!("dyn3_{step:04}"), SAME_INTERFACES);
        }
    }
}

/// The paper's benchmark on 100 x 100 coarse cells takes as many steps as AMRClaw's on each level, and advances as many cells.
#[test]
fn acoustics_paper_100() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/acoustics_radial/case.toml");
    let small = ["mesh.cells=[100,100]".to_string()];
    let case = Case::load_with(&path, &small, find_built_in).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::<2>::builder(&case).build().unwrap_or_else(|e| panic!("{e}"));
    simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{e}"));
    let counts = simulation.counts();
    let steps: Vec<u64> = counts.levels.iter().map(|level| level.steps).collect();
    assert_eq!(steps, [113, 226, 452]);
    let cells = counts.cells_total() as f64;
    assert!((cells / 7.047e7 - 1.0).abs() <= 0.05, "{cells:e} cells advanced, not 7.047e7");
}

/// The paper's benchmark on a small grid: solution, cells per level, total pressure, gauges.
#[test]
fn acoustics_paper_50() {
    let mut simulation = start("acoustics_paper_50");
    for (k, t) in [0.0, 0.3, 0.6, 1.0].into_iter().enumerate() {
        simulation.advance_to(t).unwrap_or_else(|e| panic!("{e}"));
        let (ours, theirs) = assert_close(&simulation, &format!("acoustics_paper_50_{k}"));
        let cells = (ours.cells_per_level(), theirs.cells_per_level());
        assert_eq!(cells.0.len(), cells.1.len(), "levels at t = {t}");
        for (level, (a, b)) in cells.0.iter().zip(&cells.1).enumerate() {
            assert!(a.abs_diff(*b) as f64 <= 0.05 * *b as f64, "t = {t}, level {}: {a} cells, not {b}", level + 1);
        }
        // Cells of the composite grid have the width 0.01. The ring's total pressure is 2π·0.5·0.4.
        let total = |f: &Field<2>| f.composite(0, &RATIOS).iter().sum::<f64>() * 0.01 * 0.01;
        let (a, b) = (total(&ours), total(&theirs));
        assert!((a - b).abs() <= 1e-4 * 1.2566, "t = {t}: total pressure {a}, not {b}");
    }
    assert_gauges(&simulation);
}

/// Compares each gauge's three values with the reference's rows of level, t, p, u, v; bound: a thousandth of the value's range over the
/// run. Samples are interpolated in time: they are taken at steps of the finest level at the gauge, which differ if our patches do.
fn assert_gauges(simulation: &Simulation<2>) {
    let mut file = Npz::open("reference", "acoustics_paper_50_gauges");
    for (g, ours) in simulation.gauges().iter().enumerate() {
        let theirs = file.array(&format!("gauge{g:05}"));
        let rows = || (0..theirs.shape[0]).map(|k| theirs.row(k));
        for m in 0..3 {
            let (low, high) = rows().fold((f64::MAX, f64::MIN), |(l, h), row| (l.min(row[2 + m]), h.max(row[2 + m])));
            let samples: Vec<[f64; 2]> = ours.samples().map(|s| [s.time, s.q[m]]).collect();
            for row in rows() {
                let (t, difference) = (row[1], (interpolate(&samples, row[1]) - row[2 + m]).abs());
                // The range of a velocity that is zero by symmetry is only round-off.
                let bound = (1e-3 * (high - low)).max(1e-12);
                assert!(
                    difference <= bound,
                    "gauge {g}, value {m}, t = {t}: differs by {difference:e}, bound {bound:e}"
                );
            }
        }
    }
}

/// Interpolates linearly between samples (time, value), which are sorted by time; constant outside.
fn interpolate(samples: &[[f64; 2]], t: f64) -> f64 {
    let after = samples.partition_point(|s| s[0] < t).clamp(1, samples.len() - 1);
    let [[t0, q0], [t1, q1]] = [samples[after - 1], samples[after]];
    q0 + (q1 - q0) * ((t - t0) / (t1 - t0)).clamp(0.0, 1.0)
}

/// The measures, applied to the reference itself, are sharp: the ring's total pressure is 2π·0.5·0.4, and solutions with another limiter or
/// at another time do not pass as equal.
#[test]
fn measures_tell_solutions_apart() {
    let field = Field::<2>::reference("acoustics_paper_50_0");
    assert_eq!(field.cells_per_level(), [2500, 10000, 30976]);
    assert_eq!(field.time, 0.0);
    let total = field.composite(0, &RATIOS).iter().sum::<f64>() * 1e-4;
    assert!((total - 1.25664).abs() < 1e-3, "{total}");
    let later = Field::<2>::reference("acoustics_paper_50_1");
    assert!(relative_l1(&field.composite(0, &RATIOS), &later.composite(0, &RATIOS)) > 0.1);

    let limited = |name| Field::<2>::reference(&format!("single_{name}_0001"));
    let difference = limited("vanleer").largest_difference(&limited("minmod"));
    assert!(difference.size > 1e-4, "{difference:?}");
    assert_eq!(limited("vanleer").largest_difference(&limited("vanleer")).size, 0.0);
}

/// Every case file can be read and fits its solver, whether or not a test runs it.
#[test]
fn case_files_fit_their_solvers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reference");
    let mut found = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("an entry of the folder of cases").path();
        Case::load_with(&path, &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
        found += 1;
    }
    assert_eq!(found, 22);
}
