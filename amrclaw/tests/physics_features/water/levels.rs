//! Levels whose sides cut shores: water at rest, volumes, symmetry.

use super::super::common::{advance_to, case, for_each_finest_cell, options, start, take_steps};
use super::SHORE;
use amrclaw::index::{CellBox, Ratio};
use amrclaw::physics::{CellFunction, CellRow};
use amrclaw::simulation::{Simulation, UserFunctions};
use std::collections::HashMap;
use std::sync::Arc;

/// On three levels that follow a wave over a shore no water is lost, and no cell beside a finer level gives more than it has, to
/// round-off.
#[test]
fn levels_keep_the_water() {
    let overrides = [
        "aux.bottom=\"0.8 * sin(5 * x) * cos(4 * y) - 0.2\"",
        "initial.depth=\"max(0, 0.6 * exp(-20 * (x^2 + y^2)) - bottom)\"",
        "levels={max=3,ratio=[2,4]}",
        "regrid={interval=2,buffer=1}",
        "regrid.flag={criterion=\"difference\",tolerance=0.1}",
    ];
    for split in ["scheme.split=unsplit", "scheme.split=strang"] {
        let mut simulation = start(SHORE, &[&overrides[..], &[split]].concat());
        let before = simulation.totals()[0];
        let mut least = 0.0_f64;
        for _ in 0..30 {
            take_steps(&mut simulation, 1);
            for_each_finest_cell(&simulation.frame(), |_, _, _, q| least = least.min(q[0]));
        }
        let lost = (simulation.totals()[0] - before) / before;
        assert!(lost.abs() < 1e-12, "{split}: {lost:e} of the water is lost");
        assert!(least > -1e-17, "{split}: a cell owes {:e}", -least);
    }
}

/// Water at rest has on three levels, whose interfaces and cells the shore cuts, the volume that it has on the finest alone, also
/// where the bottom moves; with plain means it has not. Tolerance: round-off.
#[test]
fn levels_have_equal_volumes_of_water_at_rest() {
    let volume = |bottom: &str, rest: &str, shore: &str, mesh: &[&str]| {
        let (bottom, depth) =
            (format!("aux.bottom=\"{bottom}\""), format!("initial.depth=\"max(0, {rest} - bottom)\""));
        let ground = format!("ground={{shore=\"{shore}\",sea_level={rest}}}");
        start(SHORE, &[&[&*bottom, &*depth, &*ground], mesh].concat()).totals()[0]
    };
    let three = [
        "levels={max=3,ratio=[[2,1],4]}",
        "output.format=[]",
        "regrid.region=[{lower=[-0.4,-0.3],upper=[0.5,0.6],levels=[3,3]}]",
        "regrid.flag={criterion=\"user\",expression=\"0\"}",
    ];
    let still = "0.8 * sin(5 * x) * cos(4 * y) - 0.2";
    let moving = format!("{still} + 0.1 * cos(t)");
    for (bottom, rest) in [(still, "0"), (still, "0.1"), (&moving, "0")] {
        let one = volume(bottom, rest, "rest", &["mesh.cells=[400,168]"]);
        let several = volume(bottom, rest, "rest", &three);
        assert!((several - one).abs() < 1e-14 * one, "{bottom}, {rest}: {one}, {several}");
        let plain = volume(bottom, rest, "mean", &three);
        assert!((plain - one).abs() > 1e-4 * one, "{bottom}, {rest}: {one}, {plain}");
    }
}

/// A lake above the sea, each in its part of the topography, and dry land below the sea stay as they are on three levels whose
/// sides cut their shores, and have the volume of the finest alone. Tolerances: round-off.
#[test]
fn a_lake_above_the_sea_stays_at_rest() {
    let shape = "if(abs(x) < 0.15 || y > 0.4 && y < 0.6, 1, 0.8 * sin(5 * x) * cos(4 * y) + if(x < 0, 0.2, -0.2))";
    let lake = format!("{{formula=\"{shape}\",upper=[0,0.5],sea_level=0.4,priority=1}}");
    let land = format!("{{formula=\"{shape}\",lower=[-1,0.5],sea_level=-9,priority=1}}");
    let topography = format!("topography=[{lake},{land},{{formula=\"{shape}\"}}]");
    let common = [
        "aux={}",
        "ground.shore=\"rest\"",
        &topography,
        "initial.depth=\"if(y > 0.5, 0, max(0, if(x < 0, 0.4, 0) - bottom))\"",
    ];
    let three = [
        "mesh.cells=[40,40]",
        "levels={max=3,ratio=[2,2]}",
        "regrid={interval=2,buffer=1}",
        "regrid.flag={criterion=\"user\",expression=\"hypot(x - 0.4 * cos(9 * t), y - 0.4 * sin(9 * t)) < 0.4\"}",
    ];
    let mut simulation = start(SHORE, &[&common[..], &three].concat());
    let (before, alone) = (simulation.totals()[0], start(SHORE, &[&common[..], &["mesh.cells=[160,160]"]].concat()));
    assert!((before - alone.totals()[0]).abs() < 1e-14 * before, "{before}, {}", alone.totals()[0]);
    take_steps(&mut simulation, 20);
    let mut momentum = 0.0_f64;
    for_each_finest_cell(&simulation.frame(), |_, _, _, q| momentum = momentum.max(q[1].abs()).max(q[2].abs()));
    assert!(simulation.hierarchy().levels().len() == 3 && momentum < 1e-13, "{momentum:e}");
}

/// Water at rest about a hump that runs up a round beach on three levels is the same along x and y to round-off, as its boxes
/// are: those of tiles.
#[test]
fn a_radial_wave_stays_symmetric_on_levels() {
    let mesh = [
        "mesh={lower=[-100,-100],upper=[100,100],cells=[40,40]}",
        "aux.bottom=\"0.01 * r^2 - 80\"",
        "ground.shore=\"rest\"",
        "initial.depth=\"max(0, if(bottom < 0, 40 * exp(-r^2 / 10), 0) - bottom)\"",
        "solver.manning=0.025",
        "levels={max=3,ratio=[2,2]}",
        "regrid={interval=3,buffer=2,cluster=\"tiles\",tile_size=10}",
        "regrid.flag={criterion=\"user\",expression=\"depth > 0.001 && abs(depth + bottom) > 0.05\"}",
        "time.cfl_desired=0.75",
    ];
    let mut simulation = start(SHORE, &mesh);
    advance_to(&mut simulation, 4.0);
    let mut depths = HashMap::new();
    for_each_finest_cell(&simulation.frame(), |level, x, _, q| {
        depths.insert((level, x.map(|x| (100.0 * x).round() as i64)), q[0]);
    });
    let unlike = |(&(level, [x, y]), depth): (&(usize, [i64; 2]), &f64)| (depth - depths[&(level, [y, x])]).abs();
    let most = depths.iter().map(unlike).fold(0.0, f64::max);
    assert!(most < 1e-12 * 80.0 && simulation.hierarchy().levels().len() == 3, "{most:e}");
}

/// Level of the water at rest.
const REST: f64 = 0.37;

/// Cells of the finest level along an axis in one of the coarsest.
const FINEST: i32 = 8;

/// The bottom of a cell of the finest level, without any order: deep water, land, and films of 1e-14 to 0.1.
fn finest_bottom<const D: usize>(cell: [i32; D]) -> f64 {
    let [x, y] = [0, 1].map(|d| cell.get(d).map_or(0.0, |&i| f64::from(i)));
    let random = |a: f64, b: f64| ((a * x + b * y + 1.0).sin() * 4321.1).rem_euclid(1.0);
    let shape = (0.11 * x).sin() + (0.13 * y).cos() + random(12.9, 78.2) - 0.5;
    REST - if shape.abs() < 0.5 { 10_f64.powf(13.0 * random(3.7, 1.3) - 14.0) } else { shape }
}

/// The bottom of a cell of any level with `fine` cells of the finest along an axis, so that levels fit: the mean of what lies
/// below the water at rest, or of land alone.
fn bottom_that_fits<const D: usize>(cell: [i32; D], fine: i32) -> f64 {
    let under = CellBox::cell(cell).fine_from_coarse(Ratio::uniform(fine));
    let mean =
        |of: fn(f64) -> f64| under.cells().map(|cell| of(finest_bottom(cell))).sum::<f64>() / under.volume() as f64;
    let under_water = REST - mean(|bottom| (REST - bottom).max(0.0));
    if under_water < REST { under_water } else { mean(|bottom| bottom) }
}

/// Fine cells along an axis in one of size `dx`.
fn fine_in(dx: f64) -> i32 {
    (dx / (0.1 / f64::from(FINEST))).round() as i32
}

/// The bottom, or states of the water at rest over it.
struct Shores {
    num_values: usize,
}

impl<const D: usize> CellFunction<D> for Shores {
    fn num_values(&self) -> usize {
        self.num_values
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        out.fill(0.0);
        for (i, out) in out[..row.len].iter_mut().enumerate() {
            let bottom = bottom_that_fits(row.cell(i), fine_in(row.geometry.dx_in_space()[0]));
            *out = if self.num_values > 1 { (REST - bottom).max(0.0) } else { bottom };
        }
    }
}

/// Water at rest stays so on three levels whose sides cut shores and films, while the levels move: what passes between levels is
/// the surface. Tolerances: round-off of a surface of order one, and of a sum of so many cells.
fn assert_rest<const D: usize>(text: &str, overrides: &[&str]) {
    let levels = [
        "initial={}",
        "initial=\"user\"",
        "aux=\"user\"",
        "levels={max=3,ratio=[2,4]}",
        "regrid={interval=2,buffer=1}",
        "time.dt=0.01",
    ];
    let functions = UserFunctions {
        initial: Some(Arc::new(Shores { num_values: D + 1 })),
        aux: Some(Arc::new(Shores { num_values: 1 })),
        ..UserFunctions::default()
    };
    let case = case(text, &[&levels[..], overrides].concat());
    let mut simulation: Simulation<D> =
        Simulation::builder(&case).options(&options(2)).functions(functions).build().unwrap_or_else(|e| panic!("{e}"));
    let before = simulation.totals()[0];
    take_steps(&mut simulation, 40);
    assert!(simulation.counts().regrids > 10 && simulation.hierarchy().levels().len() == 3);
    let [mut surface, mut momentum] = [0.0_f64; 2];
    for_each_finest_cell(&simulation.frame(), |_, x, dx, q| {
        let cell: [i32; D] = std::array::from_fn(|d| ((x[d] + 1.0) / dx[d]).floor() as i32);
        assert!(q[0] >= 0.0, "{overrides:?}: {} at {x:?}", q[0]);
        if q[0] > 0.0 {
            surface = surface.max((q[0] + bottom_that_fits(cell, fine_in(dx[0])) - REST).abs());
        }
        momentum = q[1..].iter().fold(momentum, |most, q| most.max(q.abs()));
    });
    assert!(surface < 1e-13 && momentum < 1e-13, "{overrides:?}: {surface:e}, {momentum:e}");
    let lost = (simulation.totals()[0] - before) / before;
    assert!(lost.abs() < 1e-13, "{overrides:?}: {lost:e} of the water is lost");
}

#[test]
fn water_at_rest_stays_at_rest_between_levels() {
    let mesh = "mesh={lower=[-1,-1],upper=[1,0.8],cells=[20,18]}";
    // A disc that goes round.
    let disc = "(x - 0.4 * cos(9 * t))^2 + (y - 0.4 * sin(9 * t))^2 < 0.1";
    let flag = |expression: &str| format!("regrid.flag={{criterion=\"user\",expression=\"{expression}\"}}");
    for scheme in ["scheme.split=unsplit", "scheme.split=strang", "scheme.order=1"] {
        assert_rest::<2>(SHORE, &[mesh, &flag(disc), scheme]);
    }
    let line = SHORE.replace("y = \"wall\"\n", "").replace("y_momentum = \"0\"\n", "");
    assert_rest::<1>(&line, &["mesh={lower=[-1],upper=[1],cells=[20]}", &flag("abs(x - 0.4 * cos(9 * t)) < 0.3")]);
}

/// Ground that rises by the same everywhere lifts water and shores with it, on three levels whose sides cut the shore: nothing
/// flows. The conservation fix solves Riemann problems between bottoms of the middles of coarse and fine steps, which cancel over
/// a coarse step. Tolerance: round-off; with the fix twice what was found, a thousandth of what the same rise of the surface
/// alone would set in motion.
#[test]
fn ground_that_rises_as_a_whole_moves_no_water() {
    let lifted = include_str!("../../cases/restart/lifted_water.toml");
    let file = tempfile::NamedTempFile::new().unwrap();
    let at = |t: f64, z: f64| [[-9, -9], [9, -9], [-9, 9], [9, 9]].map(|[x, y]| format!("{t} {x} {y} {z}\n")).concat();
    std::fs::write(file.path(), at(0.004, 0.0) + &at(0.05, 0.1)).unwrap();
    let motion = format!("bottom_motion=[{{file=\"{}\"}}]", file.path().display());
    let region = "regrid.region=[{lower=[-0.4,-0.3],upper=[0.5,0.6],levels=[3,3]}]";
    for (fix, tolerance) in [(false, 1e-13), (true, 2e-4)] {
        let fix = format!("regrid.conservation_fix={fix}");
        let mut simulation = start(lifted, &[&motion, "regrid.flag.expression=0", region, &fix]);
        let before = simulation.totals()[0];
        take_steps(&mut simulation, 12);
        let mut momentum = 0.0_f64;
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| momentum = momentum.max(q[1].abs()).max(q[2].abs()));
        let gained = (simulation.totals()[0] - before) / before;
        assert!(simulation.hierarchy().levels().len() == 3 && momentum < tolerance, "{fix}: {momentum:e}");
        assert!(gained.abs() < 1e-13, "{fix}: {gained:e}");
    }
}
