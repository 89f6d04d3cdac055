//! Functions of the calling program over boxes give the same as over rows; values can be read in place; a run can
//! be stopped.

mod common;

use amrclaw::exec::HostArray;
use amrclaw::index::Level;
use amrclaw::physics::{
    BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellBlockFunction, CellFunction, CellRow,
    StateBlockFunction, StateFunction,
};
use amrclaw::simulation::{self, RunFailure, RunFiles, Simulation, UserFunctions};
use common::{bits, case, largest_difference, start, start_with, take_steps};
use riemann::axis::{Axis, Side};
use std::ops::ControlFlow;
use std::sync::Arc;
use unstructured::make::{Block, Of};
use unstructured::write::{Format, write};

/// A pulse of sound on two levels.
const CASE: &str = include_str!("cases/pulse.toml");
/// Overrides that leave initial values, one boundary and the flags to functions of the program.
const OF_PROGRAM: [&str; 3] =
    ["initial=user", "mesh.boundary.x=['user','extrapolate']", "regrid.flag={criterion='user'}"];

/// All functions of the case, each over boxes or over rows.
struct Waves {
    by_block: bool,
}

fn pressure([x, y]: [f64; 2]) -> f64 {
    (5.0 * x).sin() + (std::f64::consts::TAU * y).cos()
}

fn inflow([_, y]: [f64; 2], t: f64, mirror: f64) -> f64 {
    0.5 * mirror + y + t
}

/// Depends on the state and on x, so that the places of values and the coordinates of boxes matter.
fn is_flagged([x, _]: [f64; 2], pressure: f64) -> f64 {
    f64::from(u8::from(pressure.abs() > 0.1234 && x > 0.2345))
}

fn centres(block: &CellBlock<2>) -> impl Iterator<Item = [f64; 2]> + '_ {
    block.rows().flat_map(|row| (0..row.len).map(move |i| row.centre(i)))
}

impl CellFunction<2> for Waves {
    fn num_values(&self) -> usize {
        3
    }

    fn fill_row(&self, row: &CellRow<2>, out: &mut [f64]) {
        out.fill(0.0);
        (0..row.len).for_each(|i| out[i] = pressure(row.centre(i)));
    }

    fn by_block(&self) -> Option<&dyn CellBlockFunction<2>> {
        self.by_block.then_some(self)
    }
}

impl CellBlockFunction<2> for Waves {
    fn fill(&self, block: &CellBlock<2>, out: &mut [f64]) {
        out.fill(0.0);
        out.iter_mut().zip(centres(block)).for_each(|(o, x)| *o = pressure(x));
    }
}

impl BoundaryFunction<2> for Waves {
    fn fill(&self, cell: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        ghost[0] = inflow(cell.centre, cell.time, mirror[0]);
    }

    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<2>> {
        self.by_block.then_some(self)
    }
}

impl BoundaryBlockFunction<2> for Waves {
    fn fill(&self, block: &CellBlock<2>, axis: Axis, side: Side, values: &mut [f64]) {
        assert_eq!((axis, side), (Axis::X, Side::Lower));
        assert_eq!(values.len(), 3 * block.num_cells());
        values.iter_mut().zip(centres(block)).for_each(|(v, x)| *v = inflow(x, block.time, *v));
    }
}

impl StateFunction<2> for Waves {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, row: &CellRow<2>, state: &[f64], _aux: &[f64], out: &mut [f64]) {
        // Depends on the cell's own pressure alone: a row has no neighbours along y.
        (0..row.len).for_each(|i| out[i] = is_flagged(row.centre(i), state[i]));
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<2>> {
        self.by_block.then_some(self)
    }
}

impl StateBlockFunction<2> for Waves {
    fn fill(&self, block: &CellBlock<2>, state: &[f64], _aux: &[f64], out: &mut [f64]) {
        let row = block.size[0] + 2;
        assert_eq!(state.len(), 3 * row * (block.size[1] + 2));
        for (n, (o, x)) in out.iter_mut().zip(centres(block)).enumerate() {
            let (i, j) = (n % block.size[0], n / block.size[0]);
            *o = is_flagged(x, state[(j + 1) * row + i + 1]);
        }
    }
}

/// A wall normal to x.
struct Mirror;

impl BoundaryFunction<2> for Mirror {
    fn fill(&self, cell: &BoundaryCell<2>, mirror: &[f64], ghost: &mut [f64]) {
        assert_eq!((cell.axis, cell.side), (Axis::X, Side::Upper));
        ghost.copy_from_slice(&[mirror[0], -mirror[1], mirror[2]]);
    }
}

/// At the sides of triangles, of any direction, a program's values are those in the frames of faces: a wall normal to x is a wall, to the bit.
#[test]
fn sides_of_meshes_are_seen_along_their_normals() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("block.msh");
    let block = Block { shake: 0.3, ..Block::new(&[7, 6], Of::Triangles) };
    write(&path, &block.make().expect("a block"), Format::Gmsh4 { binary: true }).expect("it is written");
    let [walls, own] = ["wall", "user"].map(|kind| {
        let sides = ["x_lower", "x_upper", "y_lower", "y_upper"].map(|side| format!("{side} = {kind:?}\n")).concat();
        let text = format!(
            "solver = {{ name = \"acoustics\", density = 1.0, bulk = 4.0 }}\ntime.end = 1\noutput.format = []\n\
             scheme.order = 2\nmesh.file = {path:?}\n[mesh.boundary]\n{sides}\
             [initial]\npressure = \"exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))\"\nu = \"y\"\nv = \"-x\"\n"
        );
        let user = UserFunctions { boundary: Some(Arc::new(Mirror)), ..UserFunctions::default() };
        // A program's function may depend on time: its steps would be shorter.
        let mut simulation: Simulation<2> = start_with(&text, &["time.dt=0.002"], user);
        take_steps(&mut simulation, 4);
        bits(&simulation.frame())
    });
    assert_eq!(walls, own);
}

fn simulation_of(by_block: bool) -> Simulation<2> {
    let waves = Arc::new(Waves { by_block });
    let user = UserFunctions {
        initial: Some(waves.clone()),
        boundary: Some(waves.clone()),
        flag: Some(waves),
        ..UserFunctions::default()
    };
    start_with(CASE, &OF_PROGRAM, user)
}

/// Functions over boxes and over rows give the same patches and values. Their coordinates differ by round-off, an ulp of
/// numbers near 1, which 12 steps carry on.
#[test]
fn boxes_and_rows_agree() {
    let (mut rows, mut boxes) = (simulation_of(false), simulation_of(true));
    take_steps(&mut rows, 12);
    take_steps(&mut boxes, 12);
    let (rows, boxes) = (rows.frame(), boxes.frame());
    assert!(rows.levels[1].patches.len() > 1, "there is something to compare");
    assert!(largest_difference(&rows, &boxes) < 1e-12);
}

/// The built-in criterion as a function over boxes: it reads the ghost cell that a box has on every side.
struct Difference {
    tolerance: f64,
}

impl StateFunction<2> for Difference {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, _: &CellRow<2>, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!("it is called for boxes");
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<2>> {
        Some(self)
    }
}

impl StateBlockFunction<2> for Difference {
    fn fill(&self, block: &CellBlock<2>, state: &[f64], _aux: &[f64], out: &mut [f64]) {
        let [size, row] = [block.size[0], block.size[0] + 2];
        let component = row * (block.size[1] + 2);
        for (n, flag) in out.iter_mut().enumerate() {
            let cell = (n / size + 1) * row + n % size + 1;
            let differs = |&(m, along): &(usize, usize)| {
                (state[m * component + cell + along] - state[m * component + cell - along]).abs() > self.tolerance
            };
            let any = (0..3).flat_map(|m| [(m, 1), (m, row)]).any(|which| differs(&which));
            *flag = f64::from(u8::from(any));
        }
    }
}

/// Differences taken in boxes flag the cells that the built-in criterion flags, at the edges of patches and of the domain too: the runs are
/// bitwise equal.
#[test]
fn boxes_have_the_cells_around_them() {
    let tolerance = 0.05;
    let user = UserFunctions { flag: Some(Arc::new(Difference { tolerance })), ..UserFunctions::default() };
    let mut boxes = start_with(CASE, &["regrid.flag={criterion='user'}"], user);
    let mut built_in = start(CASE, &[&format!("regrid.flag={{criterion='difference', tolerance={tolerance}}}")]);
    take_steps(&mut boxes, 12);
    take_steps(&mut built_in, 12);
    assert!(boxes.frame().levels[1].patches.len() > 1, "there is something to compare");
    assert_eq!(bits(&boxes.frame()), bits(&built_in.frame()));
}

/// Values read in place are those of a snapshot. Values whose memory is taken over do not change, while the simulation goes on and is
/// bitwise equal to an undisturbed one.
#[test]
fn values_are_seen_in_place_and_outlive_the_step() {
    let (mut watched, mut alone) = (start(CASE, &[]), start(CASE, &[]));
    take_steps(&mut watched, 3);
    take_steps(&mut alone, 3);
    let frame = watched.frame();
    let level = Level(1);
    let values = watched.host_values(level).expect("the CPU's values lie in the host's memory");
    let HostArray::F64(q) = values.q else { panic!("the run is in f64") };
    let (address, before) = (q.as_ptr(), q.to_vec());
    for (patch, layout) in frame.levels[1].patches.iter().zip(&values.layout.patches) {
        for (k, cell) in patch.cells.cells().enumerate() {
            assert_eq!(q[layout.offset(3, cell)], patch.q[k]);
        }
    }
    let kept = watched.take_values(level).expect("the CPU's values can be given away");
    take_steps(&mut watched, 9);
    take_steps(&mut alone, 9);
    // SAFETY: `kept` alone holds the memory.
    let after = unsafe { std::slice::from_raw_parts(address, before.len()) };
    assert!(before.iter().zip(after).all(|(a, b)| a.to_bits() == b.to_bits()));
    drop(kept);
    assert_eq!(bits(&watched.frame()), bits(&alone.frame()));
}

/// A stopped run leaves a checkpoint; a restart from it ends like a run that was never stopped.
#[test]
fn a_run_can_be_stopped_and_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let case = case(CASE, &[]);
    let options = common::options(2);
    let files = |restart| RunFiles { restart, ..RunFiles::new(folder.path()) };
    let mut stop = |progress: &simulation::Progress| match progress.steps {
        5 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let Err(RunFailure::Interrupted { step, checkpoint, .. }) =
        simulation::run(&case, &options, &files(None), &mut stop)
    else {
        panic!("the run was stopped")
    };
    assert_eq!(step, 5);
    let record = std::fs::read_to_string(folder.path().join("run.json")).expect("the record is written");
    assert!(record.contains("\"interrupted\""), "{record}");
    let mut go_on = |_: &simulation::Progress| ControlFlow::Continue(());
    let resumed = simulation::run(&case, &options, &files(Some(checkpoint)), &mut go_on).expect("the run goes on");
    let whole = simulation::run(&case, &options, &files(None), &mut go_on).expect("the run ends");
    assert_eq!(resumed.totals_final, whole.totals_final);
    assert_eq!(resumed.steps, whole.steps);
}
