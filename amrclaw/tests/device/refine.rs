//! The boxes that the device makes from its tags are exactly those that the host makes from the same tags.

use super::emulator::Emulator;
use super::flags::{Kernels, in_space, problem};
use super::machines::Machines;
use super::ranks::{Transport, ranks_of};
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::exec::{Executor, FlagRequest, LevelState, NewValues, RefineRequest, Refinement};
use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, LevelMesh, Rank};
use amrclaw::physics::{Boundary, Problem};
use amrclaw::plan::{LevelPlans, MeshChange, PlanOptions};
use amrclaw::ranks::Ranks;
use amrclaw::regrid::nest::split_to_size;
use amrclaw::regrid::{
    ClusterParams, Clustering, RefinementRegion, RegionPlace, RegridOptions, RegridTime, Shape, finer_boxes,
    flag_regions,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::ops::Range;
use std::sync::Arc;

/// Number of refined levels: enough for one that must nest two levels above its base.
pub(super) const REFINED: usize = 3;
/// From this number of boxes on, the device may have no room for a level; a level of smallest patches may exceed it.
const MANY: usize = 1 << 13;

#[derive(Clone, Debug)]
pub(super) struct Setting<const D: usize> {
    pub cells: [i32; D],
    pub periodic: [bool; D],
    pub ratios: [i32; REFINED],
    pub options: RegridOptions<D>,
    pub seed: u64,
}

/// A pseudo-random number, a function of `numbers` and the seed.
pub(super) fn mixed(numbers: &[i64], seed: u64) -> u64 {
    numbers.iter().fold(seed, |mixed, &n| {
        let mixed = (mixed ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    })
}

/// Values that are zero, and one in some blots: boxes that all levels share, boxes of this level, single cells.
fn blots<const D: usize>(level: usize, mesh: &LevelMesh<D>, seed: u64) -> LevelState<D> {
    let size = mesh.domain().size();
    let place = |salt: i64, d: usize, share: i64| {
        let at = |end: i64| (mixed(&[salt, d as i64, end], seed) % 1000) as i32 * size[d] / 1000;
        let lo = at(0).min(size[d] - 1);
        (lo, lo + 1 + at(1) / share as i32)
    };
    let blot = |salt: i64, share: i64| {
        let ends: [(i32, i32); D] = std::array::from_fn(|d| place(salt, d, share));
        CellBox::new(ends.map(|(lo, _)| lo), ends.map(|(_, hi)| hi))
    };
    let all: Vec<CellBox<D>> =
        (0..3).map(|k| blot(k, 2)).chain((0..4).map(|k| blot(100 + 10 * level as i64 + k, 9))).collect();
    let value = |cell: [i32; D]| {
        let inside = all.iter().filter(|blot| blot.contains(cell)).count();
        let single = mixed(&cell.map(i64::from), seed ^ level as u64).is_multiple_of(3001);
        (inside % 2) as f64 + f64::from(u8::from(single))
    };
    LevelState {
        time: 0.0,
        q: mesh.patches().iter().map(|patch| patch.cells().map(value).collect()).collect(),
        aux: vec![Vec::new(); mesh.patches().len()],
    }
}

fn adopt<const D: usize>(
    exec: &mut dyn Executor<D>,
    hierarchy: &Hierarchy<D>,
    seed: u64,
    rank: Rank,
) -> Arc<Vec<LevelPlans<D>>> {
    let options = PlanOptions { num_ghost: 2, conservation_fix: false, rank };
    let mut change = MeshChange::new(hierarchy, None, options);
    let state = |level: Level, _: &dyn Fn(usize) -> bool| blots(level.index(), hierarchy.level(level), seed);
    exec.adopt(&mut change, NewValues::Given(&state)).expect("the state fits");
    change.into_plans()
}

/// The boxes that the host makes from blots, level by level above the base.
pub(super) fn boxes_of_host<const D: usize, N>(
    problem: &Kernels<D, N>,
    hierarchy: &Hierarchy<D>,
    base: usize,
    setting: &Setting<D>,
) -> Vec<Vec<CellBox<D>>> {
    let (problem, solver, _) = problem;
    let mut cpu = CpuExecutor::new(problem.clone(), solver.double.clone(), hierarchy.ratios().to_vec(), 1);
    let plans = adopt(&mut cpu, hierarchy, setting.seed, Rank::SOLO);
    let at = RegridTime { time: 0.0, unfilled: Level::COARSEST, dt: 0.1, time_ratios: &[2; REFINED] };
    let base = Level(base as u8);
    finer_boxes(base, hierarchy, &mut cpu, &Ranks::default(), &plans, &setting.options, at).expect("there is memory")
}

/// The boxes of each level, if the device has room for them.
type Boxes<const D: usize> = Option<Vec<Vec<CellBox<D>>>>;

/// The boxes that devices make above each base level: one device, or one for each of several ranks, which must agree.
fn boxes_of_devices<const D: usize, N: Machines>(
    problem: &Kernels<D, N>,
    hierarchy: &Hierarchy<D>,
    bases: Range<usize>,
    setting: &Setting<D>,
) -> Vec<Boxes<D>> {
    let (size, way) =
        [(1, Transport::Together), (2, Transport::Together), (3, Transport::Apart)][(setting.seed % 3) as usize];
    let found: Vec<_> = std::thread::scope(|scope| {
        let bases = &bases;
        let begin = |ranks| scope.spawn(move || boxes_of_rank(problem, hierarchy, bases.clone(), (setting, ranks)));
        let running: Vec<_> = ranks_of(size, way).map(begin).collect();
        running.into_iter().map(|rank| rank.join().expect("a rank that does not panic")).collect()
    });
    found.iter().for_each(|boxes| assert_eq!(boxes, &found[0], "{way:?}"));
    found.into_iter().next().expect("there is a first rank")
}

/// The boxes that one rank's device makes.
fn boxes_of_rank<const D: usize, N: Machines>(
    (problem, solver, machines): &Kernels<D, N>,
    hierarchy: &Hierarchy<D>,
    bases: Range<usize>,
    (setting, ranks): (&Setting<D>, Ranks),
) -> Vec<Boxes<D>> {
    let (double, ratios, rank) = (solver.double.clone(), hierarchy.ratios().to_vec(), ranks.rank());
    let device =
        ResidentExecutor::new(machines.machine(), problem.clone(), double, ratios, 1).expect("there is memory");
    let mut device = device.on_rank(ranks);
    let plans = adopt(&mut device, hierarchy, setting.seed, rank);
    for (l, plans) in plans.iter().enumerate() {
        device.fill_ghosts(Level(l as u8), plans).expect("there is memory");
    }
    bases.map(|base| boxes_above(&mut device, hierarchy, Level(base as u8), setting)).collect()
}

/// The boxes that a device makes above a base level.
fn boxes_above<const D: usize>(
    device: &mut impl Executor<D>,
    hierarchy: &Hierarchy<D>,
    base: Level,
    setting: &Setting<D>,
) -> Boxes<D> {
    let finest = hierarchy.finest().index().min(hierarchy.max_levels() - 2);
    let RegridOptions { buffer, nesting_width, max_patch_size, cluster, ref regions } = setting.options;
    let request = RefineRequest {
        hierarchy,
        base,
        finest: Level(finest as u8),
        nesting_width,
        room: 1 + buffer,
        method: cluster.method(),
        max_patch_size,
        steps: &vec![0.1; finest + 1],
    };
    for level in request.levels() {
        let inset = Some(nesting_width).filter(|_| level == base);
        let regions = &flag_regions(regions, hierarchy, level, 0.0);
        let request = FlagRequest { regions, width: buffer, inset };
        device.renew_aux(level, Some(request)).expect("there is memory");
    }
    match device.refine(request).expect("the device works") {
        Refinement::Boxes(boxes) => Some(boxes),
        Refinement::Flags(_) => None,
    }
}

/// Makes one level after another, and each time compares the device's boxes above every base level with the host's.
fn check<const D: usize, N: Machines>(problem: &Kernels<D, N>, setting: &Setting<D>) -> Result<(), TestCaseError> {
    let domain = Domain { lower: [0.0; D], upper: [1.0; D], cells: setting.cells, repeats: setting.periodic.into() };
    let problem = (Problem { domain: domain.clone(), ..problem.0.clone() }, problem.1.clone(), problem.2.clone());
    let ratios = setting.ratios.map(|r| Ratio([r; D])).to_vec();
    let coarsest = split_to_size(&[domain.coarsest()], [40; D]);
    let mut hierarchy = Hierarchy::new(domain, ratios, coarsest);
    for l in 0..REFINED {
        let mut made = Vec::new();
        for (base, found) in boxes_of_devices(&problem, &hierarchy, 0..l + 1, setting).into_iter().enumerate() {
            let mut expected = boxes_of_host(&problem, &hierarchy, base, setting);
            let Some(found) = found else {
                let most = expected.iter().map(Vec::len).max().unwrap_or(0);
                prop_assert!(most > MANY, "no room for {most} boxes");
                return Ok(());
            };
            for (level, (expected, found)) in expected.iter_mut().zip(&found).enumerate() {
                expected.sort_unstable_by_key(|b| std::array::from_fn::<_, D, _>(|d| b.lo[D - 1 - d]));
                prop_assert!(expected == found, "level {level} above {base}: {expected:?} on the device {found:?}");
            }
            prop_assert_eq!(expected.len(), found.len());
            made = expected.split_off(l - base);
        }
        hierarchy.replace_finer(Level(l as u8), made);
        if hierarchy.num_levels() < l + 2 {
            break;
        }
    }
    Ok(())
}

/// A box or a triangle that forces or forbids levels; `places` are its ends along each axis of a unit domain, in units of 1/255.
fn region<const D: usize>(places: &[[u8; 2]], is_box: bool, coarsest: u8, finest: u8) -> RefinementRegion<D> {
    let end = |d: usize, side: usize| f64::from(places[d][side]) / 255.0;
    let [lower, upper] = [f64::min, f64::max].map(|of| std::array::from_fn(|d| of(end(d, 0), end(d, 1))));
    let [coarsest, finest] = [coarsest.min(finest), coarsest.max(finest)].map(Level);
    let place = if is_box || D == 1 {
        RegionPlace::Box { lower, upper }
    } else {
        let corners = vec![[lower[0], lower[1]], [upper[0], end(1, 0)], [end(0, 1), upper[1]]];
        RegionPlace::Shape(Arc::new(Shape::new(&[corners], (2, [lower[D - 1], upper[D - 1]]), None)))
    };
    RefinementRegion { coarsest, finest, place, time: [0.0, 1.0] }
}

fn run<const D: usize, N: Machines>(problem: &Kernels<D, N>, cases: [u32; 2], cells: impl Strategy<Value = [i32; D]>) {
    // Smaller patches would be more than the device has room for, and would be made by the host.
    let smallest = if D == 3 { 6 } else { 2 };
    let cuts = (prop_oneof![Just(0.2), Just(0.5), Just(0.7), Just(0.9), Just(1.0)], 1..4i32);
    let cuts = cuts.prop_map(|(cutoff, min_size)| Clustering::BergerRigoutsos(ClusterParams { cutoff, min_size }));
    let covering = prop_oneof![3 => cuts, 1 => (3..20i32).prop_map(Clustering::Tiles)];
    let regions = (any::<[[u8; 2]; 3]>(), any::<bool>(), 0..4u8, 0..4u8);
    let regions = regions.prop_map(|(places, is_box, coarsest, finest)| region(&places, is_box, coarsest, finest));
    let options = (covering, 0..5i32, smallest..50i32, prop::collection::vec(regions, 0..3));
    let ratios = prop_oneof![Just([2, 2, 2]), Just([4, 2, 2]), Just([2, 2, 4])];
    let settings = (cells, any::<[bool; D]>(), options, ratios, any::<u64>());
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(N::cases(cases)) });
    let outcome = runner.run(&settings, |(cells, periodic, options, ratios, seed)| {
        let (cluster, buffer, max_patch_size, regions) = options;
        let options = RegridOptions { buffer, cluster, max_patch_size, nesting_width: 1, regions };
        check(problem, &Setting { cells, periodic, ratios, options, seed })
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

pub(super) const PLANE: &str = "[solver]\nname = \"advection\"\nu = 1.0\nv = 1.0\n[mesh]\ncells = [8, 8]\n[levels]\nmax = 4\n\
    ratio = [2, 2, 2]\n[regrid.flag]\ntolerance = 0.5\n[time]\nend = 1.0\ndt_initial = 0.1\n[initial]\nq = \"0\"\n";

pub(super) fn compare_in_a_plane<N: Machines>() {
    let problem = problem::<2, N>(PLANE);
    run(&problem, [8, 25], [3..160i32, 3..110i32]);
    // More planes than a block has memory for.
    run(&problem, [1, 5], [1400..1500i32, 3..20i32]);
}

pub(super) fn compare_on_a_line<N: Machines>() {
    let text = "[solver]\nname = \"advection\"\nu = 1.0\n[mesh]\ncells = [8]\n[levels]\nmax = 4\nratio = [2, 2, 2]\n\
                [regrid.flag]\ntolerance = 0.5\n[time]\nend = 1.0\ndt_initial = 0.1\n[initial]\nq = \"0\"\n";
    run(&problem::<1, N>(text), [14, 25], prop_oneof![3..900i32, 2600..3000i32].prop_map(|n| [n]));
}

/// Advection in three dimensions, with open sides.
fn space<N: Machines>() -> Kernels<3, N> {
    let parameters = [("u", 1.0), ("v", 1.0), ("w", 1.0)];
    let sides = std::array::from_fn(|_| [Boundary::Extrapolate, Boundary::Extrapolate]);
    in_space(&problem::<2, N>(PLANE).0, ("advection", &parameters), sides)
}

pub(super) fn compare_in_space<N: Machines>() {
    run(&space::<N>(), [4, 25], [3..30i32, 3..18i32, 3..16i32]);
}

/// A forced region that does not nest is cut into more than 64 parts, all of them on the device.
pub(super) fn compare_many_parts_in_space<N: Machines>() {
    let cluster = Clustering::BergerRigoutsos(ClusterParams { cutoff: 0.2, min_size: 1 });
    let regions = vec![region(&[[107, 169], [208, 245], [32, 76]], true, 0, 3)];
    let options = RegridOptions { buffer: 0, cluster, max_patch_size: 19, nesting_width: 1, regions };
    let setting =
        Setting { cells: [34, 7, 19], periodic: [false; 3], ratios: [2; 3], options, seed: 5412325713863129064 };
    check(&space::<N>(), &setting).unwrap_or_else(|e| panic!("{e}"));
}

/// In two dimensions too, long boxes over scattered tags that do not nest are cut into more than 64 parts.
pub(super) fn compare_many_parts_in_a_plane<N: Machines>() {
    let cluster = Clustering::BergerRigoutsos(ClusterParams { cutoff: 0.5, min_size: 3 });
    let options = RegridOptions { buffer: 0, cluster, max_patch_size: 49, nesting_width: 1, regions: vec![] };
    let setting =
        Setting { cells: [1434, 10], periodic: [true, false], ratios: [2; 3], options, seed: 4624331515802676030 };
    check(&problem::<2, N>(PLANE), &setting).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn boxes_in_a_plane_are_the_hosts() {
    compare_in_a_plane::<Emulator>();
}

#[test]
fn boxes_on_a_line_are_the_hosts() {
    compare_on_a_line::<Emulator>();
}

#[test]
fn boxes_in_space_are_the_hosts() {
    compare_in_space::<Emulator>();
}

#[test]
fn a_box_in_space_may_have_many_parts() {
    compare_many_parts_in_space::<Emulator>();
}

#[test]
fn a_long_box_may_have_many_parts() {
    compare_many_parts_in_a_plane::<Emulator>();
}
