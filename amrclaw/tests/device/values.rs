//! Kernels that move values between patches and levels are bitwise equal to the CPU, in one, two and three dimensions. No step is
//! taken.

use super::emulator::Emulator;
use super::flags::{in_space, problem};
use super::late::Late;
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::exec::{Executor, LevelState, NewValues, Outcomes, Reduction, reduce_levels};
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, LevelMesh, Rank};
use amrclaw::physics::{Boundary, Problem};
use amrclaw::plan::{LevelPlans, MeshChange, PlanOptions};
use amrclaw::regrid::nest::split_to_size;
use riemann::group::Wall;
use riemann::patch::SolverKernels;

const NUM_GHOST: i32 = 2;

/// The two executors, CPU and device, that must agree.
type Both<const D: usize> = [Box<dyn Executor<D>>; 2];

/// Three levels: the domain in patches of at most `size` cells; over every patch whose number is `rest` modulo three, a patch of level 2;
/// over its cells two or more from its sides, one of level 3.
fn hierarchy<const D: usize>(problem: &Problem<D>, ratios: [Ratio<D>; 2], size: i32, rest: usize) -> Hierarchy<D> {
    let patches = split_to_size(&[problem.domain.coarsest()], [size; D]);
    let mut hierarchy = Hierarchy::new(problem.domain.clone(), ratios.to_vec(), patches.clone());
    let chosen = patches.iter().enumerate().filter(|(k, _)| k % 3 == rest).map(|(_, cells)| cells);
    let finer: Vec<_> = chosen.map(|cells| cells.fine_from_coarse(ratios[0])).collect();
    let inner = finer.iter().map(|cells| cells.grow(-2)).filter(|cells| !cells.is_empty());
    let finest =
        split_to_size(&inner.map(|cells| cells.fine_from_coarse(ratios[1])).collect::<Vec<_>>(), [3 * size; D]);
    hierarchy.replace_finer(Level(0), vec![finer, finest]);
    hierarchy
}

fn random_state<const D: usize>(mesh: &LevelMesh<D>, num_eqn: usize, seed: u64) -> LevelState<D> {
    let mut random = seed;
    let mut values = |cells: &CellBox<D>| {
        let value = |_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1u64 << 53) as f64 - 0.3
        };
        (0..num_eqn * cells.volume()).map(value).collect()
    };
    LevelState {
        time: 0.0,
        q: mesh.patches().iter().map(&mut values).collect(),
        aux: vec![Vec::new(); mesh.patches().len()],
    }
}

/// Fills all ghost cells and compares every value; ghost cells are compared by samples at their centres.
fn compare<const D: usize>(what: &str, both: &mut Both<D>, hierarchy: &Hierarchy<D>, plans: &[LevelPlans<D>]) {
    for (l, mesh) in hierarchy.levels().iter().enumerate() {
        let level = Level(l as u8);
        let [expected, found] = both.each_ref().map(|exec| exec.snapshot(level));
        assert!(expected.q == found.q, "{what}: values of level {l}");
        let in_patch = |(k, cells): (usize, &CellBox<D>)| cells.cells().map(move |cell| (k, cell)).collect::<Vec<_>>();
        let cells: Vec<_> = mesh.patches().iter().enumerate().flat_map(in_patch).collect();
        let [expected, found] = both.each_ref().map(|exec| exec.values_in_cells(level, &cells).expect("it answers"));
        assert!(expected == found && expected.len() >= cells.len(), "{what}: gathered values of level {l}");
        let samples = both.each_mut().map(|exec| {
            exec.fill_ghosts(level, &plans[l]).expect("there is memory");
            let geometry = hierarchy.geometry(level);
            for (patch, cells) in mesh.patches().iter().enumerate() {
                for cell in cells.grow(NUM_GHOST).cells().filter(|cell| !cells.contains(*cell)) {
                    let centre = geometry.centre(cell);
                    exec.sample(level, patch, centre);
                }
            }
            let mut outcomes = Outcomes::default();
            exec.collect(&mut outcomes).expect("there is memory");
            outcomes.samples
        });
        let [expected, found] = samples.map(|samples| samples.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
        assert!(!expected.is_empty() && expected == found, "{what}: ghost cells of level {l}");
    }
    for reduction in [Reduction::Totals, Reduction::Largest] {
        let [expected, found] = both.each_ref().map(|exec| {
            let mut values = Vec::new();
            reduce_levels(&**exec, reduction, plans, &mut values).expect("there is memory");
            values
        });
        assert_eq!(expected, found, "{what}: {reduction:?}");
    }
}

fn check<const D: usize>(
    (problem, solver, emulator): &(Problem<D>, SolverKernels, Emulator),
    ratios: [Ratio<D>; 2],
    (cells, size): ([i32; D], i32),
) {
    let upper = std::array::from_fn(|d| 1.0 + 0.3 * d as f64);
    let domain = Domain { upper, cells, ..problem.domain.clone() };
    let problem = Problem { domain, ..problem.clone() };
    let double = solver.double.clone();
    let cpu = CpuExecutor::new(problem.clone(), double.clone(), ratios.to_vec(), 1);
    let device = ResidentExecutor::new(Late::prompt(emulator.clone()), problem.clone(), double, ratios.to_vec(), 1);
    let mut both: Both<D> = [Box::new(cpu), Box::new(device.expect("there is memory"))];
    let options = PlanOptions { num_ghost: NUM_GHOST, conservation_fix: true, rank: Rank::SOLO };
    let before = hierarchy(&problem, ratios, size, 0);
    let num_eqn = solver.double.equations().len();
    let state =
        |level: Level, _: &dyn Fn(usize) -> bool| random_state(before.level(level), num_eqn, 7 + level.index() as u64);
    let adopt = |exec: &mut Box<dyn Executor<D>>, mut change: MeshChange<'_, D>, values: NewValues<'_, D>| {
        exec.adopt(&mut change, values).expect("there is memory");
        change.into_plans()
    };
    let [_, plans] =
        both.each_mut().map(|exec| adopt(exec, MeshChange::new(&before, None, options), NewValues::Given(&state)));
    compare("as loaded", &mut both, &before, &plans);
    for l in (1..plans.len()).rev() {
        both.iter_mut().for_each(|exec| exec.average_down(Level(l as u8), &plans[l]));
    }
    compare("averaged down", &mut both, &before, &plans);

    // Other patches are refined: values are copied where the old level had cells, and interpolated elsewhere.
    let mut after = before.clone();
    let other = hierarchy(&problem, ratios, size + 2, 1);
    after.replace_finer(Level(0), other.levels()[1..].iter().map(|mesh| mesh.patches().to_vec()).collect());
    let [_, new_plans] = both.each_mut().map(|exec| {
        let change = MeshChange::new(&after, Some((&before, &plans)), options);
        adopt(exec, change, NewValues::Transferred)
    });
    compare("regridded", &mut both, &after, &new_plans);
}

/// A problem with walls, an open and periodic sides.
fn text(dim: usize, solver: &str) -> String {
    let sides = ["x = [\"wall\", \"extrapolate\"]", "y = [\"periodic\", \"periodic\"]"];
    format!(
        "[solver]\nname = \"{solver}\"\n[mesh]\ncells = [{}]\n[mesh.boundary]\n{}\n[levels]\nmax = 3\nratio = [2, 2]\n\
         [regrid.flag]\ntolerance = 0.5\n[time]\nend = 1.0\ndt_initial = 0.1\n[initial]\nx_momentum = \"0\"\n{}\
         energy = \"2.5\"\ndensity = \"1\"\n",
        ["8", "8"][..dim].join(", "),
        sides[..dim].join("\n"),
        if dim > 1 { "y_momentum = \"0\"\n" } else { "" },
    )
}

#[test]
fn values_on_a_line_are_the_cpus() {
    let problem = problem::<1, _>(&text(1, "euler"));
    check(&problem, [Ratio([2]), Ratio([4])], ([61], 9));
}

#[test]
fn values_in_a_plane_are_the_cpus() {
    let problem = problem::<2, _>(&text(2, "euler"));
    check(&problem, [Ratio([2, 2]), Ratio([2, 4])], ([31, 22], 7));
    check(&problem, [Ratio([4, 2]), Ratio([3, 2])], ([17, 26], 9));
}

#[test]
fn values_in_space_are_the_cpus() {
    let sides = [
        [Boundary::Wall(Wall::Slip), Boundary::Extrapolate],
        [Boundary::Periodic, Boundary::Periodic],
        [Boundary::Extrapolate, Boundary::Wall(Wall::Slip)],
    ];
    let problem = in_space(&problem::<2, Emulator>(&text(2, "euler")).0, ("euler", &[("gamma", 1.4)]), sides);
    check(&problem, [Ratio([2; 3]), Ratio([2; 3])], ([13, 11, 9], 5));
    check(&problem, [Ratio([2, 4, 3]), Ratio([3, 2, 2])], ([9, 8, 11], 5));
}
