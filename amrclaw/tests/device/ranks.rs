//! Any number of ranks with a device each is bitwise equal to the CPU alone: ghost cells, averages, the conservation fix,
//! new patches, flags, gauges and rejected steps work across devices.

use super::apart::{Apart, SharedState};
use super::common::{bits, case, take_steps};
use super::emulator::Emulator;
use super::kernels_of;
use super::late::{Devices, Late};
use amrclaw::case::Case;
use amrclaw::exec::Executor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::frames::frame::Frame;
use amrclaw::index::{Level, Ratio};
use amrclaw::physics::Problem;
use amrclaw::ranks::{Acknowledgements, Communicator, Ranks, Threads};
use amrclaw::simulation::{MakeExecutor, RunError, RunOptions, ScheduleState, Simulation};
use riemann::patch::SolverKernels;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Timeout of a rank that waits for another: longer than the compilation of kernels takes.
const TIMEOUT: Duration = Duration::from_secs(300);

/// How ranks and their devices exchange messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transport {
    /// Threads that access one another's memory.
    Together,
    /// As if they were processes.
    Apart,
    /// As if they were processes whose messages go from device to device; `late`: devices defer their work.
    ApartByDevices { late: bool },
    /// As if they were processes, two on each machine, with peer access to one another's memory; between machines messages go from device to
    /// device (`by_devices`) or through the host. Devices defer their work.
    PeerAccess { by_devices: bool },
    /// As `Together`, but devices defer their work, except those whose number modulo two is `but`, which execute it at once.
    Late { but: Option<usize> },
}

/// The ranks of a run.
pub(super) fn ranks_of(size: usize, way: Transport) -> impl Iterator<Item = Ranks> {
    let between = Arc::new(SharedState::default());
    Threads::new(size, TIMEOUT).into_iter().map(move |threads| {
        let (by_devices, shared_state) = match way {
            Transport::Together | Transport::Late { .. } => return Ranks::new(Arc::new(threads), Arc::default()),
            Transport::Apart => (false, None),
            Transport::ApartByDevices { .. } => (true, None),
            Transport::PeerAccess { by_devices } => (by_devices, Some(between.clone())),
        };
        let comm: Arc<dyn Communicator> =
            Arc::new(Apart { threads, by_devices, shared_state, acknowledgements: Acknowledgements::default() });
        Ranks::new(comm, Arc::default())
    })
}

/// Tiles that a device works on at once. If the number of ranks is odd they are so few that the finest level is swept in place.
fn resident_tiles(options: &RunOptions) -> u32 {
    if options.comm.rank().of % 2 == 1 { 1 } else { 1 << 10 }
}

/// An executor of one of several ranks on an emulated device of its own.
fn on_rank<const D: usize>(
    problem: &Problem<D>,
    solver: &SolverKernels,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    let (emulator, double) = (Emulator::new(&kernels_of(problem, solver)), solver.double.clone());
    let emulator = emulator.with_resident_tiles(resident_tiles(options));
    let executor =
        ResidentExecutor::new(Late::prompt(emulator), problem.clone(), double, ratios, options.num_threads())?;
    Ok(Box::new(executor.on_rank(options.comm.clone())))
}

/// The same on one of `devices`, which defer their work: see [`Transport::Late`].
fn on_late_rank<const D: usize>(
    (problem, solver): (&Problem<D>, &SolverKernels),
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
    (devices, but): (Arc<Devices>, Option<usize>),
) -> Result<Box<dyn Executor<D>>, RunError> {
    let emulator = Emulator::new(&kernels_of(problem, solver)).with_resident_tiles(resident_tiles(options));
    let number = options.comm.rank().number;
    let late = Late::new(emulator, devices, number, but.is_some_and(|but| but == number % 2));
    let executor = ResidentExecutor::new(late, problem.clone(), solver.double.clone(), ratios, options.num_threads())?;
    Ok(Box::new(executor.on_rank(options.comm.clone())))
}

/// The results of a run: solution, totals, next time step, counts of steps and retries, rows of gauges.
#[derive(Debug, PartialEq)]
struct Outcome {
    solution: Vec<u64>,
    totals: Vec<u64>,
    next: u64,
    counts: String,
    gauges: Vec<String>,
}

impl Outcome {
    fn of<const D: usize>(simulation: &Simulation<D>, frame: &Frame<D>) -> Self {
        Outcome {
            solution: bits(frame),
            totals: simulation.totals().into_iter().map(f64::to_bits).collect(),
            next: simulation.dt_next().to_bits(),
            counts: format!("{:?}", simulation.counts()),
            gauges: simulation
                .gauges()
                .iter()
                .map(|gauge| format!("{:?}", gauge.samples().collect::<Vec<_>>()))
                .collect(),
        }
    }
}

/// A state from which a run restarts.
type Start<const D: usize> = (Frame<D>, ScheduleState);

/// Takes steps on one rank, and adds the values of its patches to the frame of all ranks.
fn run_rank<const D: usize>(
    case: &Case,
    comm: &Ranks,
    start: Option<&Start<D>>,
    steps: usize,
    (values, make): (&Mutex<Option<Frame<D>>>, MakeExecutor<D>),
) -> Result<(Outcome, Start<D>), String> {
    let options = RunOptions { threads: Some(1), comm: comm.clone(), ..RunOptions::default() };
    let builder = Simulation::<D>::builder(case).options(&options).executor(make);
    let made = match start {
        None => builder.build(),
        Some((frame, state)) => builder.resume(frame, state),
    };
    let mut simulation = made.map_err(|e| e.to_string())?;
    (0..steps).try_for_each(|_| simulation.step()).map_err(|e| e.to_string())?;
    let own = simulation.frame();
    let put = |whole: &mut Frame<D>| {
        for (l, level) in own.levels.iter().enumerate() {
            let partition = simulation.partition(Level(l as u8)).expect("there are several ranks");
            for k in partition.patches_of(comm.rank().number) {
                whole.levels[l].patches[k] = level.patches[k].clone();
            }
        }
    };
    put(values.lock().expect("no rank panics").get_or_insert_with(|| own.clone()));
    comm.gather(&[]).map_err(|e| e.to_string())?;
    let whole = values.lock().expect("no rank panics").clone().expect("every rank has its values");
    Ok((Outcome::of(&simulation, &whole), (whole, simulation.schedule_state())))
}

/// Takes steps on `size` ranks; returns the results and the state.
fn run_on<const D: usize>(
    case: &Case,
    (size, way): (usize, Transport),
    start: Option<&Start<D>>,
    steps: usize,
) -> (Outcome, Start<D>) {
    let (values, devices) = (Mutex::new(None), Devices::new(size));
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let begin = |ranks: Ranks| {
            // If the number of ranks is odd, flags are not gathered, and the ranks cluster together.
            let comm = if size % 2 == 1 { ranks.with_gather_limit(0) } else { ranks };
            let (values, devices) = (&values, &devices);
            let late = match way {
                Transport::Together | Transport::Apart | Transport::ApartByDevices { late: false } => None,
                Transport::ApartByDevices { late: true } | Transport::PeerAccess { .. } => Some(None),
                Transport::Late { but } => Some(but),
            };
            scope.spawn(move || match late {
                None => run_rank(case, &comm, start, steps, (values, &on_rank)),
                Some(but) => run_rank(
                    case,
                    &comm,
                    start,
                    steps,
                    (values, &|problem, solver, ratios, options| {
                        on_late_rank((problem, solver), ratios, options, (devices.clone(), but))
                    }),
                ),
            })
        };
        let ranks: Vec<_> = ranks_of(size, way).map(begin).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a rank that does not panic")).collect()
    });
    outcomes.into_iter().next().expect("there is a first rank").unwrap_or_else(|e| panic!("{size} ranks: {e}"))
}

/// The results on the CPU.
fn on_processor<const D: usize>(case: &Case, steps: usize) -> Outcome {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let mut cpu = Simulation::<D>::builder(case).options(&options).build().unwrap_or_else(|e| panic!("{e}"));
    take_steps(&mut cpu, steps);
    assert!(cpu.counts().regrids > 0 && cpu.hierarchy().num_levels() > 1, "nothing is regridded");
    Outcome::of(&cpu, &cpu.frame())
}

fn assert_same(found: &Outcome, expected: &Outcome, what: &str) {
    let different = expected.solution.iter().zip(&found.solution).filter(|(a, b)| a != b).count();
    assert_eq!((different, expected.solution.len()), (0, found.solution.len()), "{what}");
    assert!(found == expected, "{what}: totals, gauges or counts: {} and {}", found.counts, expected.counts);
}

/// Asserts that a case gives the same results on the CPU alone and on ranks with emulated devices.
fn compare<const D: usize>(text: &str, overrides: &[&str], steps: usize, sizes: &[(usize, Transport)]) {
    let case = case(text, overrides);
    let expected = on_processor::<D>(&case, steps);
    for &size in sizes {
        let (found, _) = run_on::<D>(&case, size, None, steps);
        assert_same(&found, &expected, &format!("{overrides:?} on {size:?} ranks"));
    }
}

const SOUND: &str = include_str!("../cases/sound.toml");
const SMALL: &str = "regrid.max_patch_size=8";
const TOGETHER: Transport = Transport::Together;
const APART: Transport = Transport::Apart;
const BY_DEVICES: Transport = Transport::ApartByDevices { late: false };
const BY_LATE_DEVICES: Transport = Transport::ApartByDevices { late: true };
const PEER_ACCESS: Transport = Transport::PeerAccess { by_devices: false };
const PEER_ACCESS_BY_DEVICES: Transport = Transport::PeerAccess { by_devices: true };
const LATE: [Transport; 3] =
    [Transport::Late { but: None }, Transport::Late { but: Some(0) }, Transport::Late { but: Some(1) }];

/// Sound in two dimensions with a wall, an open and periodic sides: with more ranks than the coarsest level has patches, with a step that is
/// rejected after regrids, and without shared memory.
#[test]
fn a_plane_is_the_same_on_ranks() {
    compare::<2>(SOUND, &[SMALL], 4, &[(2, TOGETHER), (4, APART), (5, TOGETHER)]);
    compare::<2>(SOUND, &["time.dt_initial=3.0", "mesh.boundary.x=[\"periodic\",\"periodic\"]"], 2, &[(3, TOGETHER)]);
}

/// The same in one dimension, and in three with a split scheme.
#[test]
fn lines_and_space_are_the_same_on_ranks() {
    compare::<1>(include_str!("../cases/gas_on_a_line.toml"), &["regrid.max_patch_size=12"], 4, &[(3, TOGETHER)]);
    let space = include_str!("../cases/sound_in_space.toml");
    compare::<3>(space, &["scheme.split=\"strang\"", SMALL], 3, &[(3, TOGETHER)]);
}

/// Time-dependent auxiliary values, flags that the host computes, a capacity, inflow formulas, a mapped mesh, transfer variables, a parameter that
/// follows the solution.
#[test]
fn functions_are_the_same_on_ranks() {
    let swirl = include_str!("../cases/swirl.toml");
    let richardson = ["regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=1e-3", SMALL];
    compare::<2>(swirl, &richardson, 3, &[(3, TOGETHER)]);
    let capacity = include_str!("../cases/features/capacity.toml");
    let varied = ["aux.capacity=\"1.5 + sin(6 * x) * cos(5 * y)\"", "scheme.split=\"godunov\"", SMALL];
    compare::<2>(capacity, &varied, 5, &[(2, TOGETHER), (3, BY_DEVICES)]);
    let inflow = [
        "mesh.boundary={x=['inflow','wall'],y=['extrapolate','inflow']}",
        "mesh.boundary.inflow={pressure='0.5 * pressure + y * t - 0.1 * x',u='-u',v='v + x_lower * dy'}",
        SMALL,
    ];
    compare::<2>(SOUND, &inflow, 3, &[(3, TOGETHER)]);
    compare::<2>(include_str!("../cases/mapped/sound.toml"), &["regrid.max_patch_size=12"], 3, &[(3, TOGETHER)]);
    let shore = include_str!("../cases/solvers/shallow_water_bathymetry.toml");
    compare::<2>(shore, &[SMALL], 4, &[(2, TOGETHER), (3, BY_DEVICES)]);
    let reduced = include_str!("../cases/restart/reduced.toml");
    compare::<2>(reduced, &["regrid.max_patch_size=12"], 3, &[(2, TOGETHER), (3, LATE[0])]);
}

/// Three steps on three ranks and, after a restart, three more on two equal six steps on the CPU.
#[test]
fn runs_go_on_on_other_ranks() {
    let case = case(SOUND, &[SMALL]);
    let expected = on_processor::<2>(&case, 6);
    let (_, state) = run_on::<2>(&case, (3, TOGETHER), None, 3);
    let (found, _) = run_on(&case, (2, TOGETHER), Some(&state), 3);
    // A restart starts new gauge series.
    assert_same(&Outcome { gauges: expected.gauges.clone(), ..found }, &expected, "three ranks, then two");
}

/// Whatever work devices defer, no message is read before it is packed, and no buffer is overwritten before it is read; also with rejected
/// steps and new patches.
#[test]
fn messages_are_ordered_with_deferred_work() {
    let two = LATE.map(|way| (2, way));
    compare::<2>(SOUND, &[SMALL], 6, &two);
    compare::<2>(SOUND, &["time.dt_initial=3.0", SMALL], 2, &[(3, LATE[0])]);
    compare::<3>(include_str!("../cases/sound_in_space.toml"), &["mesh.cells=[7,6,6]", SMALL], 3, &two[..1]);
    compare::<2>(SOUND, &[SMALL], 6, &[(2, BY_LATE_DEVICES), (3, BY_LATE_DEVICES)]);
}

/// The same between processes with peer access: among all ranks, or among two on each machine.
#[test]
fn exported_memory_is_read_before_it_is_overwritten() {
    compare::<2>(SOUND, &[SMALL], 4, &[(2, PEER_ACCESS), (3, PEER_ACCESS), (4, PEER_ACCESS_BY_DEVICES)]);
}
