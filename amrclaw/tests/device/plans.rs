//! Tables of plans that the device makes from the boxes alone are equivalent to the host's plans: on random levels every value after a step,
//! a regrid and another step is bitwise equal to the CPU's, on one device and on several ranks with one device each.

use super::emulator::Emulator;
use super::flags::{Kernels, in_space, problem};
use super::machines::Machines;
use super::ranks::{Transport, ranks_of};
use super::refine::{PLANE, REFINED, Setting, boxes_of_host, mixed};
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::exec::{Executor, LevelState, NewValues};
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, LevelMesh, Partition, Rank};
use amrclaw::physics::{Boundary, Problem};
use amrclaw::plan::{LevelPlans, MeshChange, PlanOptions};
use amrclaw::ranks::Ranks;
use amrclaw::regrid::nest::split_to_size;
use amrclaw::regrid::{ClusterParams, Clustering, RegridOptions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use riemann::group::Wall;
use std::sync::Arc;

const OPTIONS: PlanOptions = PlanOptions { num_ghost: 2, conservation_fix: true, rank: Rank::SOLO };

/// Pseudo-random values, different in all cells.
fn random<const D: usize>(level: usize, mesh: &LevelMesh<D>, count: usize, seed: u64) -> LevelState<D> {
    let value = |cell: [i32; D], m: usize| {
        let number = mixed(&cell.map(i64::from), seed ^ (level * 16 + m) as u64);
        (number >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let of_patch =
        |patch: &CellBox<D>| (0..count).flat_map(|m| patch.cells().map(move |cell| value(cell, m))).collect();
    LevelState {
        time: 0.0,
        q: mesh.patches().iter().map(of_patch).collect(),
        aux: vec![Vec::new(); mesh.patches().len()],
    }
}

/// A hierarchy whose levels are refined around blots.
fn hierarchy<const D: usize, N>(problem: &Kernels<D, N>, setting: &Setting<D>) -> Hierarchy<D> {
    let domain = problem.0.domain.clone();
    let coarsest = split_to_size(&[domain.coarsest()], [17; D]);
    let mut hierarchy = Hierarchy::new(domain, setting.ratios.map(|r| Ratio([r; D])).to_vec(), coarsest);
    refine(problem, setting, &mut hierarchy, 0);
    hierarchy
}

/// Replaces the levels above `base`.
fn refine<const D: usize, N>(problem: &Kernels<D, N>, setting: &Setting<D>, hierarchy: &mut Hierarchy<D>, base: usize) {
    for l in base..REFINED {
        let made = boxes_of_host(problem, hierarchy, l, setting);
        hierarchy.replace_finer(Level(l as u8), made);
        if hierarchy.num_levels() < l + 2 {
            break;
        }
    }
}

/// Calls every verb once on all levels.
fn step<const D: usize>(exec: &mut dyn Executor<D>, plans: &[LevelPlans<D>]) {
    for (l, own) in plans.iter().enumerate() {
        exec.fill_ghosts(Level(l as u8), own).expect("there is memory");
        exec.advance(Level(l as u8), plans, 1e-3).expect("there is memory");
        // Slopes between cells that are at the new time fill ghost cells of the next finer level.
        exec.fill_ghosts(Level(l as u8), own).expect("there is memory");
    }
    for (l, own) in plans.iter().enumerate().skip(1).rev() {
        exec.reflux(Level(l as u8), own);
        exec.average_down(Level(l as u8), own);
    }
}

/// All values of all levels, as they are stored.
fn values<const D: usize>(exec: &dyn Executor<D>, hierarchy: &Hierarchy<D>) -> Vec<Vec<Vec<u64>>> {
    let levels = (0..hierarchy.num_levels()).map(|l| exec.snapshot(Level(l as u8)).q);
    levels.map(|q| q.iter().map(|patch| patch.iter().map(|x| x.to_bits()).collect()).collect()).collect()
}

/// Results of all verbs on a hierarchy that another replaces: values after a step, after the regrid, after another step; and the plans.
type Course<const D: usize> = ([Vec<Vec<Vec<u64>>>; 3], Arc<Vec<LevelPlans<D>>>);

/// Computes a [`Course`] on an executor, which may be that of one of several ranks.
fn course<const D: usize>(
    exec: &mut dyn Executor<D>,
    [first, second]: [&Hierarchy<D>; 2],
    rank: Rank,
    state: &(dyn Fn(Level) -> LevelState<D> + Sync),
) -> Course<D> {
    let options = PlanOptions { rank, ..OPTIONS };
    let mut change = MeshChange::new(first, None, options);
    exec.adopt(&mut change, NewValues::Given(&|level, _: &dyn Fn(usize) -> bool| state(level)))
        .expect("the state fits");
    let plans = change.into_plans();
    step(exec, &plans);
    let stepped = own_values(exec, first, &plans, rank);
    for (l, own) in plans.iter().enumerate() {
        exec.fill_ghosts(Level(l as u8), own).expect("there is memory");
    }
    let mut change = MeshChange::new(second, Some((first, &plans[..])), options);
    exec.adopt(&mut change, NewValues::Transferred).expect("there is memory");
    let plans = change.into_plans();
    let moved = own_values(exec, second, &plans, rank);
    step(exec, &plans);
    ([stepped, moved, own_values(exec, second, &plans, rank)], plans)
}

/// All stored values of a rank's own patches; other ranks' patches are empty.
fn own_values<const D: usize>(
    exec: &dyn Executor<D>,
    hierarchy: &Hierarchy<D>,
    plans: &[LevelPlans<D>],
    rank: Rank,
) -> Vec<Vec<Vec<u64>>> {
    let mut all = values(exec, hierarchy);
    for (of_level, plans) in all.iter_mut().zip(plans) {
        for (k, patch) in of_level.iter_mut().enumerate() {
            if !Partition::owns(plans.partition.as_deref(), rank.number, k) {
                patch.clear();
            }
        }
    }
    all
}

/// Combines the courses of `size` ranks with a device each.
fn on_ranks<const D: usize, N: Machines>(
    (problem, kernels, machines): &Kernels<D, N>,
    hierarchies: [&Hierarchy<D>; 2],
    size: usize,
    state: &(dyn Fn(Level) -> LevelState<D> + Sync),
) -> Course<D> {
    let start = |ranks: Ranks| {
        move || {
            let (machine, rank) = (machines.machine(), ranks.rank());
            let ratios = hierarchies[0].ratios().to_vec();
            let exec = ResidentExecutor::new(machine, problem.clone(), kernels.double.clone(), ratios, 1);
            course(&mut exec.expect("there is memory").on_rank(ranks), hierarchies, rank, state)
        }
    };
    let courses: Vec<_> = std::thread::scope(|scope| {
        let ranks: Vec<_> = ranks_of(size, Transport::Together).map(|ranks| scope.spawn(start(ranks))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a rank that does not panic")).collect()
    });
    let mut courses = courses.into_iter();
    let (mut all, plans) = courses.next().expect("there is a first rank");
    for (of_rank, others) in courses {
        assert!(plans.iter().zip(others.iter()).all(|(a, b)| a.are_made() == b.are_made()), "ranks differ");
        for (all, of_rank) in all.iter_mut().flatten().flatten().zip(of_rank.into_iter().flatten().flatten()) {
            all.extend(of_rank);
        }
    }
    (all, plans)
}

fn check<const D: usize, N: Machines>(
    problem: &Kernels<D, N>,
    setting: &Setting<D>,
    base: usize,
    num_ranks: usize,
) -> Result<(), TestCaseError> {
    let domain = Domain { cells: setting.cells, ..problem.0.domain.clone() };
    let problem = (Problem { domain, ..problem.0.clone() }, problem.1.clone(), problem.2.clone());
    let first = hierarchy(&problem, setting);
    let mut second = first.clone();
    refine(
        &problem,
        &Setting { seed: setting.seed ^ 1, ..setting.clone() },
        &mut second,
        base.min(first.num_levels() - 1),
    );
    let plans = compare(&problem, [&first, &second], setting.seed, num_ranks)?;
    prop_assert!(plans.iter().all(|plans| !plans.are_made()), "the host has been asked for plans");
    Ok(())
}

/// Asserts that the courses of ranks and of the CPU alone are bitwise equal; returns the plans of the ranks.
fn compare<const D: usize, N: Machines>(
    problem: &Kernels<D, N>,
    hierarchies: [&Hierarchy<D>; 2],
    seed: u64,
    num_ranks: usize,
) -> Result<Arc<Vec<LevelPlans<D>>>, TestCaseError> {
    let [first, second] = hierarchies;
    let kernels = problem.1.double.clone();
    let (count, ratios) = (kernels.equations().len(), first.ratios().to_vec());
    let state = |level: Level| random(level.index(), first.level(level), count, seed);
    let mut cpu = CpuExecutor::new(problem.0.clone(), kernels, ratios, 1);
    let (expected, _) = course(&mut cpu, hierarchies, Rank::SOLO, &state);
    let (found, plans) = on_ranks(problem, hierarchies, num_ranks, &state);
    for (what, (expected, found)) in ["a step", "a regrid", "a step more"].iter().zip(expected.iter().zip(&found)) {
        for (l, (expected, found)) in expected.iter().zip(found).enumerate() {
            for (k, (expected, found)) in expected.iter().zip(found).enumerate() {
                prop_assert!(expected == found, "after {what}: patch {k} of level {l}: {first:?}, then {second:?}");
            }
        }
    }
    Ok(plans)
}

fn run<const D: usize, N: Machines>(problem: &Kernels<D, N>, cases: [u32; 2], cells: impl Strategy<Value = [i32; D]>) {
    let options = (prop_oneof![Just(0.5), Just(0.7), Just(1.0)], 1..3i32, 0..3i32, 8..30i32);
    let ratios = prop_oneof![Just([2, 2, 2]), Just([4, 2, 2]), Just([2, 4, 2]), Just([2, 2, 4])];
    // Of a single rank, too.
    let settings = (cells, options, ratios, (0..2usize, 1..4usize), any::<u64>());
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(N::cases(cases)) });
    let outcome = runner.run(
        &settings,
        |(cells, (cutoff, min_size, buffer, max_patch_size), ratios, (base, num_ranks), seed)| {
            let cluster = Clustering::BergerRigoutsos(ClusterParams { cutoff, min_size });
            let options = RegridOptions { buffer, cluster, max_patch_size, nesting_width: 1, regions: Vec::new() };
            let periodic = problem.0.domain.repeats.axes;
            check(problem, &Setting { cells, periodic, ratios, options, seed }, base, num_ranks)
        },
    );
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

/// The same problem with other boundary conditions; an axis is periodic if its first side is.
fn with_sides<const D: usize, N>(
    (problem, kernels, machines): Kernels<D, N>,
    sides: [[Boundary<D>; 2]; D],
) -> Kernels<D, N> {
    let periodic = sides.each_ref().map(|sides| matches!(sides[0], Boundary::Periodic));
    let domain = Domain { repeats: periodic.into(), ..problem.domain.clone() };
    (Problem { boundary: sides, domain, ..problem }, kernels, machines)
}

fn sound<const D: usize, N: Machines>() -> Kernels<D, N> {
    let solver = PLANE.replace("\"advection\"\nu = 1.0\nv = 1.0", "\"acoustics\"\ndensity = 1.0\nbulk = 4.0");
    problem(&solver.replace("q = \"0\"", "pressure = \"0\"\nu = \"0\"\nv = \"0\""))
}

pub(super) fn compare_in_a_plane<N: Machines>() {
    let cells = || [1..60i32, 1..44i32];
    let open = || [Boundary::Extrapolate, Boundary::Extrapolate];
    let closed = || [Boundary::Wall(Wall::Slip), Boundary::Extrapolate];
    run(&with_sides(sound::<2, N>(), [closed(), open()]), [8, 15], cells());
    run(&with_sides(sound::<2, N>(), [[Boundary::Periodic, Boundary::Periodic], closed()]), [8, 15], cells());
    run(&with_sides(sound::<2, N>(), [(); 2].map(|()| [Boundary::Periodic, Boundary::Periodic])), [8, 15], cells());
}

/// If a patch has more neighbours than the kernels have room for, the host plans the level, on all ranks.
pub(super) fn compare_levels_without_room<N: Machines>() {
    let (problem, kernels, machines) =
        with_sides(sound::<2, N>(), [(); 2].map(|()| [Boundary::Periodic, Boundary::Periodic]));
    let domain = Domain { cells: [16, 12], ..problem.domain.clone() };
    let coarsest = split_to_size(&[domain.coarsest()], [1; 2]);
    let mut first = Hierarchy::new(domain.clone(), vec![Ratio([2; 2])], coarsest);
    first.replace_finer(Level(0), vec![vec![CellBox::new([2, 2], [28, 20])]]);
    let mut second = first.clone();
    second.replace_finer(Level(0), vec![vec![CellBox::new([4, 0], [30, 22])]]);
    let problem = (Problem { domain, ..problem }, kernels, machines);
    for num_ranks in [1, 2, 3] {
        let plans = compare(&problem, [&first, &second], 7, num_ranks).unwrap_or_else(|e| panic!("{e}"));
        assert!(plans[1].are_made(), "{num_ranks} ranks: kernels have planned the level");
    }
}

pub(super) fn compare_on_a_line<N: Machines>() {
    let line = PLANE.replace("v = 1.0\n", "").replace("[8, 8]", "[8]");
    let cells = || (1..300i32).prop_map(|n| [n]);
    run(&with_sides(problem::<1, N>(&line), [[Boundary::Extrapolate, Boundary::Extrapolate]]), [12, 20], cells());
    run(&with_sides(problem::<1, N>(&line), [[Boundary::Periodic, Boundary::Periodic]]), [12, 20], cells());
}

pub(super) fn compare_in_space<N: Machines>() {
    let parameters = [("density", 1.0), ("bulk", 4.0)];
    let sides = [
        [Boundary::Periodic, Boundary::Periodic],
        [Boundary::Wall(Wall::Slip), Boundary::Extrapolate],
        [Boundary::Extrapolate, Boundary::Wall(Wall::Slip)],
    ];
    run(&in_space::<N>(&sound::<2, N>().0, ("acoustics", &parameters), sides), [5, 40], [1..16i32, 1..12i32, 1..10i32]);
}

#[test]
fn tables_of_a_plane_do_what_plans_do() {
    compare_in_a_plane::<Emulator>();
}

#[test]
fn levels_without_room_are_planned_by_the_host() {
    compare_levels_without_room::<Emulator>();
}

#[test]
fn tables_on_a_line_do_what_plans_do() {
    compare_on_a_line::<Emulator>();
}

#[test]
fn tables_in_space_do_what_plans_do() {
    compare_in_space::<Emulator>();
}
