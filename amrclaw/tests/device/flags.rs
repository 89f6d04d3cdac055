//! The flags that the device's kernels set and widen equal the CPU's.

use super::common::case;
use super::emulator::Emulator;
use super::machines::Machines;
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::device::KernelOptions;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::exec::{Executor, FlagRequest, LevelState, NewValues, Probe};
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, LevelMesh, Rank, buffer};
use amrclaw::physics::{AuxOutside, Boundary, CellFunction, CellRow, Criterion, Problem, Split};
use amrclaw::plan::{MeshChange, PlanOptions};
use amrclaw::regrid::nest::{LevelNesting, split_to_size};
use amrclaw::simulation::{RunOptions, Simulation};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use riemann::catalogue;
use riemann::patch::SolverKernels;
use std::sync::Arc;

/// Buffer widths below, at and above a tile's extent, each with a distance that flags keep from cells that are not covered.
const WIDTHS: [(i32, Option<i32>); 9] = [
    (0, None),
    (1, None),
    (2, Some(1)),
    (8, Some(2)),
    (63, None),
    (64, Some(0)),
    (0, Some(64)),
    (65, Some(2)),
    (3, Some(65)),
];
const RATIO: i32 = 2;

/// A problem, its solver, and machines with its kernels.
pub type Kernels<const D: usize, N> = (Problem<D>, SolverKernels, N);

/// A problem that flags jumps above 0.5.
pub fn problem<const D: usize, N: Machines>(text: &str) -> Kernels<D, N> {
    let options = RunOptions { threads: Some(1), ..RunOptions::default() };
    let seen = std::sync::Mutex::new(None);
    let make = |problem: &Problem<D>, solver: &SolverKernels, ratios: Vec<Ratio<D>>, _: &RunOptions| {
        *seen.lock().expect("nothing panics") = Some((problem.clone(), solver.clone()));
        let executor: Box<dyn Executor<D>> =
            Box::new(CpuExecutor::new(problem.clone(), solver.double.clone(), ratios, 1));
        Ok(executor)
    };
    let built = Simulation::builder(&case(text, &[])).options(&options).executor(&make).build();
    assert!(built.is_ok());
    let (problem, solver) = seen.into_inner().expect("nothing panics").expect("an executor was made");
    let kernels = solver.double.device_source().expect("built-in solvers have a text");
    let machines = N::new(&KernelOptions::of(&problem, solver.double.as_ref(), kernels, false));
    (problem, solver, machines)
}

/// A two-dimensional problem extended to three dimensions, with these boundary conditions.
pub fn in_space<N: Machines>(
    plane: &Problem<2>,
    (solver, parameters): (&str, &[(&str, f64)]),
    boundary: [[Boundary<3>; 2]; 3],
) -> Kernels<3, N> {
    let parameters = parameters.iter().map(|&(name, value)| (name.to_string(), value)).collect();
    let solver = catalogue::kernels(solver, 3, &parameters).expect("it is built in").expect("tests have all kernels");
    let problem = Problem {
        domain: Domain {
            lower: [0.0; 3],
            upper: [1.0; 3],
            cells: [8; 3],
            repeats: boundary.each_ref().map(|sides| matches!(sides[0], Boundary::Periodic)).into(),
        },
        boundary,
        initial: Arc::new(Zero(solver.double.equations().len())),
        aux: None,
        positive_aux: Vec::new(),
        aux_outside: AuxOutside::Nearest,
        source: None,
        own_source_at: None,
        criterion: Criterion::Difference { tolerance: 0.5 },
        extremes: None,
        scheme: plane.scheme,
        cfl_desired: 0.9,
        split: Split::Godunov,
        looks_beside: false,
        source_split: plane.source_split,
        conservation_fix: true,
        reduced: None,
        on_mesh: None,
    };
    let kernels = solver.double.device_source().expect("built-in solvers have a text");
    let machines = N::new(&KernelOptions::of(&problem, solver.double.as_ref(), kernels, false));
    (problem, solver, machines)
}

/// A function with this many values, all zero.
struct Zero(usize);

impl CellFunction<3> for Zero {
    fn num_values(&self) -> usize {
        self.0
    }

    fn fill_row(&self, _: &CellRow<3>, out: &mut [f64]) {
        out.fill(0.0);
    }
}

/// Two levels: the domain in patches of at most `size` cells, and every `keep`-th of them refined.
fn hierarchy<const D: usize>(cells: [i32; D], size: i32, keep: usize, periodic: [bool; D]) -> Hierarchy<D> {
    let domain = Domain { lower: [0.0; D], upper: [1.0; D], cells, repeats: periodic.into() };
    let patches = split_to_size(&[domain.coarsest()], [size; D]);
    let refined = patches.iter().step_by(keep).map(|cells| cells.fine_from_coarse(Ratio([RATIO; D]))).collect();
    let mut hierarchy = Hierarchy::new(domain, vec![Ratio([RATIO; D]); 2], patches);
    hierarchy.replace_finer(Level(0), vec![refined]);
    hierarchy
}

/// Values that are zero, with a few ones at random.
fn spikes<const D: usize>(mesh: &LevelMesh<D>, seed: u64) -> LevelState<D> {
    let mut random = seed;
    let mut values = |cells: &CellBox<D>| {
        let value = |_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u8::from((random >> 40).is_multiple_of(977)))
        };
        (0..cells.volume()).map(value).collect()
    };
    LevelState {
        time: 0.0,
        q: mesh.patches().iter().map(&mut values).collect(),
        aux: vec![Vec::new(); mesh.patches().len()],
    }
}

fn check<const D: usize, N: Machines>(
    (problem, solver, machines): &Kernels<D, N>,
    hierarchy: &Hierarchy<D>,
    seed: u64,
) -> Result<(), TestCaseError> {
    let problem = Problem { domain: hierarchy.domain().clone(), ..problem.clone() };
    let (double, ratios) = (solver.double.clone(), hierarchy.ratios().to_vec());
    let cpu = CpuExecutor::new(problem.clone(), double.clone(), ratios.clone(), 1);
    let device = ResidentExecutor::new(machines.machine(), problem, double, ratios, 1).expect("there is memory");
    let mut both: [Box<dyn Probe<D>>; 2] = [Box::new(cpu), Box::new(device)];
    let options = PlanOptions { num_ghost: 2, conservation_fix: false, rank: Rank::SOLO };
    let state = |level: Level, _: &dyn Fn(usize) -> bool| spikes(hierarchy.level(level), seed);
    let [_, plans] = both.each_mut().map(|exec| {
        let mut change = MeshChange::new(hierarchy, None, options);
        exec.adopt(&mut change, NewValues::Given(&state)).expect("the state fits");
        change.into_plans()
    });
    for (width, inset) in WIDTHS {
        let request = FlagRequest { regions: &[], width, inset };
        for (l, plans) in plans.iter().enumerate() {
            let [expected, found] = both.each_mut().map(|exec| {
                exec.fill_ghosts(Level(l as u8), plans).expect("there is memory");
                exec.renew_aux(Level(l as u8), Some(request)).expect("there is memory");
                let flagged = exec.flags(Level(l as u8), 0.1).expect("there is memory");
                let mut tags = buffer(&flagged.tags, width - flagged.done.width, hierarchy.domain().repeats);
                if let Some(inset) = inset.filter(|_| !flagged.done.inset) {
                    LevelNesting::new(hierarchy.level(Level(l as u8)), &[], inset).clip(&mut tags);
                }
                tags
            });
            prop_assert!(expected == found, "level {}, {:?}: {:?} on the device {:?}", l, request, expected, found);
        }
    }
    Ok(())
}

fn run<const D: usize, N: Machines>(problem: &Kernels<D, N>, cases: [u32; 2], cells: impl Strategy<Value = [i32; D]>) {
    let settings = (cells, 5..70i32, 1..4usize, any::<bool>(), any::<u64>());
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(N::cases(cases)) });
    let outcome = runner.run(&settings, |(cells, size, keep, wraps, seed)| {
        let mut periodic = [false; D];
        periodic[D - 1] = wraps;
        check(problem, &hierarchy(cells, size, keep, periodic), seed)
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

/// Random patch sizes, on domains whose sides cut tiles, on levels that cover all or a part of them, periodic or not.
pub fn compare_in_a_plane<N: Machines>() {
    let text = "[solver]\nname = \"advection\"\nu = 1.0\nv = 1.0\n[mesh]\ncells = [8, 8]\n[levels]\nmax = 3\nratio = [2, 2]\n\
                [regrid.flag]\ntolerance = 0.5\n[time]\nend = 1.0\ndt_initial = 0.1\n[initial]\nq = \"0\"\n";
    run(&problem::<2, N>(text), [8, 60], [1..130i32, 1..70i32]);
}

pub fn compare_on_a_line<N: Machines>() {
    let text = "[solver]\nname = \"advection\"\nu = 1.0\n[mesh]\ncells = [8]\n[levels]\nmax = 3\nratio = [2, 2]\n\
                [regrid.flag]\ntolerance = 0.5\n[time]\nend = 1.0\ndt_initial = 0.1\n[initial]\nq = \"0\"\n";
    run(&problem::<1, N>(text), [40, 100], (1..400i32).prop_map(|n| [n]));
}

pub fn compare_in_space<N: Machines>() {
    let text = "[solver]\nname = \"advection\"\nu = 1.0\nv = 1.0\n[mesh]\ncells = [8, 8]\n[time]\nend = 1.0\n[initial]\nq = \"0\"\n";
    let problem = in_space::<N>(
        &problem::<2, N>(text).0,
        ("advection", &[("u", 1.0), ("v", 1.0), ("w", 1.0)]),
        std::array::from_fn(|_| [Boundary::Extrapolate, Boundary::Extrapolate]),
    );
    run(&problem, [6, 60], [1..90i32, 1..21i32, 1..19i32]);
}

#[test]
fn tags_of_a_plane_are_the_cpus() {
    compare_in_a_plane::<Emulator>();
}

#[test]
fn tags_of_a_line_are_the_cpus() {
    compare_on_a_line::<Emulator>();
}

#[test]
fn tags_in_space_are_the_cpus() {
    compare_in_space::<Emulator>();
}
