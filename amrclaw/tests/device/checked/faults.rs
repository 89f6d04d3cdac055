//! Planted faults are found.

use super::executor::{Checked, totals};
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::{Executor, NewValues};
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, Rank};
use amrclaw::physics::{AuxOutside, Boundary, CellFunction, CellRow, Criterion, Problem, SourceSplit, Split};
use amrclaw::plan::{LevelPlans, MeshChange, PlanOptions};
use riemann::limiter::Limiter;
use riemann::patch::{MAX_WAVES, Scheme};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A bump.
struct Bump;

impl CellFunction<2> for Bump {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<2>, out: &mut [f64]) {
        for (i, value) in out.iter_mut().enumerate() {
            let [x, y] = row.centre(i);
            *value = 1.0 + (-20.0 * ((x - 0.4).powi(2) + (y - 0.5).powi(2))).exp();
        }
    }
}

const OPTIONS: PlanOptions = PlanOptions { num_ghost: 2, conservation_fix: true, rank: Rank::SOLO };

/// Advection on a periodic domain.
fn problem() -> Problem<2> {
    let limiters = [Limiter::default(); MAX_WAVES];
    Problem {
        domain: Domain { lower: [0.0; 2], upper: [1.0, 1.1], cells: [14, 11], repeats: [true; 2].into() },
        boundary: std::array::from_fn(|_| [Boundary::Periodic, Boundary::Periodic]),
        initial: Arc::new(Bump),
        aux: None,
        positive_aux: Vec::new(),
        aux_outside: AuxOutside::Nearest,
        source: None,
        own_source_at: None,
        criterion: Criterion::Difference { tolerance: 0.1 },
        extremes: None,
        scheme: Scheme { order: 2, transverse: 2, double_transverse: false, limiters, capacity: -1, sharing_faces: 0 },
        cfl_desired: 0.9,
        split: Split::Unsplit,
        looks_beside: false,
        source_split: SourceSplit::None,
        conservation_fix: true,
        reduced: None,
        on_mesh: None,
    }
}

/// Two levels, the finer one of two patches that touch: the second one up to row `end`.
fn hierarchy_to(end: i32) -> Hierarchy<2> {
    let domain = problem().domain;
    let halves = [CellBox::new([0, 0], [7, 11]), CellBox::new([7, 0], [14, 11])];
    let mut hierarchy = Hierarchy::new(domain, vec![Ratio([2, 2])], halves.to_vec());
    let fine = [CellBox::new([4, 6], [12, 14]), CellBox::new([12, 8], [20, end])];
    hierarchy.replace_finer(Level(0), vec![fine.to_vec()]);
    hierarchy
}

fn hierarchy() -> Hierarchy<2> {
    hierarchy_to(16)
}

fn executor() -> Checked<2, CpuExecutor<2, f64>> {
    let parameters = BTreeMap::from([("u".to_string(), 0.7), ("v".to_string(), -0.4)]);
    let solver = riemann::catalogue::kernels("advection", 2, &parameters)
        .expect("it is built in")
        .expect("tests have all kernels");
    Checked::new(CpuExecutor::new(problem(), solver.double, vec![Ratio([2, 2])], 1), &[0])
}

/// The plans of a mesh.
fn plans_of(hierarchy: &Hierarchy<2>, options: PlanOptions) -> Arc<Vec<LevelPlans<2>>> {
    let mut change = MeshChange::new(hierarchy, None, options);
    change.plan_while(false, |_| ());
    change.into_plans()
}

/// Adopts the mesh with plans that need not be its own.
fn adopt(
    exec: &mut dyn Executor<2>,
    hierarchy: &Hierarchy<2>,
    plans: Arc<Vec<LevelPlans<2>>>,
) -> Arc<Vec<LevelPlans<2>>> {
    // Another mesh: all levels are new.
    let before = self::hierarchy();
    let mut change = MeshChange::back(hierarchy, plans, &before, OPTIONS);
    exec.adopt(&mut change, NewValues::Initial(0.0)).expect("the data are numbers");
    change.into_plans()
}

fn adopt_sound(exec: &mut dyn Executor<2>, hierarchy: &Hierarchy<2>) -> Arc<Vec<LevelPlans<2>>> {
    adopt(exec, hierarchy, plans_of(hierarchy, OPTIONS))
}

/// A step of the coarser level and two of the finer one.
fn step(exec: &mut dyn Executor<2>, plans: &[LevelPlans<2>], dt: f64) {
    exec.prepare_steps(false, None).expect("no parameters");
    let mut take = |level: Level, dt: f64| {
        exec.fill_ghosts(level, &plans[level.index()]).expect("no boundary");
        exec.advance(level, plans, dt).expect("no auxiliary values");
        if level == Level(0) {
            exec.fill_ghosts(level, &plans[0]).expect("no boundary");
        }
    };
    take(Level(0), dt);
    take(Level(1), 0.5 * dt);
    take(Level(1), 0.5 * dt);
    exec.reflux(Level(1), &plans[1]);
    exec.average_down(Level(1), &plans[1]);
}

/// The message of a panic.
fn panic_of(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("the fault is found");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

#[test]
fn a_sound_step_passes() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let plans = adopt_sound(&mut exec, &hierarchy);
    (0..3).for_each(|_| step(&mut exec, &plans, 0.04));
    assert!(totals(&exec, Level(1), None)[0] > 0.0);
}

#[test]
fn ghost_cells_left_out_are_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let thin = plans_of(&hierarchy, PlanOptions { num_ghost: 1, ..OPTIONS });
    let plans = [plans_of(&hierarchy, OPTIONS)[0].clone(), thin[1].clone()];
    let plans = adopt(&mut exec, &hierarchy, Arc::new(plans.to_vec()));
    let message = panic_of(|| step(&mut exec, &plans, 0.04));
    assert!(message.contains("of level 2, patch 0, has no value"), "{message}");
}

#[test]
fn a_level_that_is_not_filled_is_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let plans = adopt_sound(&mut exec, &hierarchy);
    let message = panic_of(|| exec.advance(Level(0), &plans, 0.04).expect("no auxiliary values"));
    assert!(message.contains("a step starts: ghost cell"), "{message}");
}

/// The conservation fix and the averages change what ghost cells were filled from.
#[test]
fn ghost_cells_older_than_averages_are_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let plans = adopt_sound(&mut exec, &hierarchy);
    step(&mut exec, &plans, 0.04);
    let message = panic_of(|| exec.advance(Level(0), &plans, 0.04).expect("no auxiliary values"));
    assert!(message.contains("a step starts: ghost cell"), "{message}");
}

#[test]
fn a_face_that_is_not_in_a_register_is_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let plans = plans_of(&hierarchy_to(14), OPTIONS);
    let message = panic_of(|| drop(adopt(&mut exec, &hierarchy, plans)));
    assert!(message.contains("times that the register of level 2 has the face of cell"), "{message}");
}

/// Without the conservation fix the integral over all levels changes.
#[test]
fn a_step_that_loses_something_is_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let plans = plans_of(&hierarchy, PlanOptions { conservation_fix: false, ..OPTIONS });
    let plans = adopt(&mut exec, &hierarchy, plans);
    let message = panic_of(|| step(&mut exec, &plans, 0.04));
    assert!(message.contains("a step of all levels: equation 0 held"), "{message}");
}

/// A mesh that changes before finer levels are averaged loses what they hold.
#[test]
fn averages_left_out_are_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let old = adopt_sound(&mut exec, &hierarchy);
    let mut next = hierarchy.clone();
    next.replace_finer(Level(0), Vec::new());
    let mut change = MeshChange::new(&next, Some((&hierarchy, &old)), OPTIONS);
    let message = panic_of(|| exec.adopt(&mut change, NewValues::Transferred).expect("no auxiliary values"));
    assert!(message.contains("a change of the mesh: equation 0 held"), "{message}");
}

#[test]
fn a_stale_plan_is_found() {
    let (mut exec, hierarchy) = (executor(), hierarchy());
    let old = adopt_sound(&mut exec, &hierarchy);
    exec.average_down(Level(1), &old[1]);
    let mut next = hierarchy.clone();
    next.replace_finer(Level(0), vec![vec![CellBox::new([4, 6], [12, 14])]]);
    let mut change = MeshChange::new(&next, Some((&hierarchy, &old)), OPTIONS);
    exec.fill_ghosts(Level(0), &old[0]).expect("no boundary");
    exec.adopt(&mut change, NewValues::Transferred).expect("no auxiliary values");
    let message = panic_of(|| exec.fill_ghosts(Level(1), &old[1]).expect("no boundary"));
    assert!(message.contains("stale plan: rebuild at regrid"), "{message}");
}
