//! Water on the whole sphere, with momentum in space, on squares whose sides are folded.

use super::common::{advance_to, for_each_finest_cell, start};
use amrclaw::simulation::Simulation;

const SPHERE: &str = include_str!("../../../examples/shallow_sphere/case.toml");

/// The place of a cell's centre on the sphere.
fn place([x, y]: [f64; 2]) -> [f64; 3] {
    let [a, b] = [x, y].map(|x| 0.5 * std::f64::consts::PI * x);
    let d = |a: f64| (1.0 - 0.5 * a.sin().powi(2)).sqrt();
    [a.sin() * d(b), b.sin() * d(a), a.cos() * b.cos()]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| a[d] * b[d]).sum()
}

/// Water at rest on three levels that come and go across folds and corners stays at rest, to round-off; a heap that runs around the sphere on
/// them keeps its volume. With momenta that are not tangent where other levels leave them it would change by 1e-8.
#[test]
fn water_keeps_its_rest_and_its_volume() {
    let levels = ["mesh.cells=[32,16]", "levels={max=3,ratio=2}", "time.end=1.5"];
    let flag = [
        "initial.depth=1",
        "regrid.flag={criterion=\"user\",expression=\"radial_x * cos(2 * t) + radial_y * sin(2 * t) > 0.8\"}",
    ];
    let mut still = start(SPHERE, &[&levels[..], &flag].concat());
    advance_to(&mut still, 1.5);
    let mut cells = 0;
    for_each_finest_cell(&still.frame(), |_, _, _, q| {
        assert!((q[0] - 1.0).abs() < 1e-14 && q[1..].iter().all(|m| m.abs() < 1e-14), "{q:?}");
        cells += 1;
    });
    assert!(still.hierarchy().levels().len() == 3 && cells > 1000);

    let mut heap = start(SPHERE, &levels);
    let before = heap.totals()[0];
    assert!((before - 4.0 * std::f64::consts::PI).abs() > 0.01);
    advance_to(&mut heap, 1.5);
    assert_eq!(heap.hierarchy().levels().len(), 3);
    let lost = (heap.totals()[0] - before) / before;
    assert!(lost.abs() < 1e-13, "{lost:e}");
}

/// Largest and mean error of depth and momentum of a flow about an axis in balance with the curvature and the Coriolis force, which has the axis
/// z, after a third of a turn: Williamson et al. 1992, case 2, doi:10.1016/S0021-9991(05)80016-6.
fn errors_of_a_zonal_flow(cells: usize, axis: [f64; 3], rotation: f64) -> [f64; 2] {
    let [x, y, z] = axis;
    let speed = 0.5;
    let mesh = format!("mesh.cells=[{},{cells}]", 2 * cells);
    let solver = format!("solver.rotation={rotation}");
    let depth = format!(
        "define.steady=\"2 - {} * ({x} * radial_x + {y} * radial_y + {z} * radial_z)^2\"",
        (rotation + 0.5 * speed) * speed
    );
    let momentum = [
        format!("initial.x_momentum=\"{speed} * ({y} * radial_z - {z} * radial_y) * steady\""),
        format!("initial.y_momentum=\"{speed} * ({z} * radial_x - {x} * radial_z) * steady\""),
        format!("initial.z_momentum=\"{speed} * ({x} * radial_y - {y} * radial_x) * steady\""),
    ];
    let [m, n, p] = &momentum;
    let changes =
        [&*mesh, &solver, &depth, "initial.depth=\"steady\"", m, n, p, "levels.max=1", "scheme.source=\"strang\""];
    let mut simulation = start(SPHERE, &changes);
    advance_to(&mut simulation, 2.0);
    let (mut worst, mut mean, mut area) = (0.0_f64, 0.0, 0.0);
    for_each_finest_cell(&simulation.frame(), |_, [u, v], dx, q| {
        let r = place([u, v]);
        let steady = 2.0 - (rotation + 0.5 * speed) * speed * dot(axis, r).powi(2);
        let flow = [y * r[2] - z * r[1], z * r[0] - x * r[2], x * r[1] - y * r[0]].map(|u| speed * u * steady);
        let error = (0..3).map(|d| (q[d + 1] - flow[d]).abs()).fold((q[0] - steady).abs(), f64::max);
        let [a, b] = [u, v].map(|x| (0.5 * std::f64::consts::PI * x).cos().powi(2));
        let size = (a + b) * dx[0] * dx[1];
        (worst, mean, area) = (worst.max(error), mean + size * error, area + size);
    });
    [worst, mean / area]
}

/// The flow stays as it is, to second order, at corners too: about the axis of the Coriolis force, through the squares' middles, and without that
/// force about one across their sides and folds.
#[test]
fn a_zonal_flow_is_steady() {
    for (axis, rotation) in [([0.0, 0.0, 1.0], 0.5), ([0.6, 0.64, 0.48], 0.0)] {
        let errors = [16, 32].map(|cells| errors_of_a_zonal_flow(cells, axis, rotation));
        let [[worst, mean], [worst_fine, mean_fine]] = errors;
        assert!(mean_fine < 0.27 * mean && worst_fine < 0.3 * worst, "{axis:?}: {errors:?}");
    }
}

/// Depths by their distance from the middle of a heap, means over rings.
fn rings(simulation: &Simulation<2>, distance: impl Fn([f64; 2]) -> f64) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; 14];
    for_each_finest_cell(&simulation.frame(), |_, at, _, q| {
        if let Some([sum, count]) = sums.get_mut((distance(at) / 0.1) as usize) {
            (*sum, *count) = (*sum + q[0], *count + 1.0);
        }
    });
    sums.into_iter().map(|[sum, count]| sum / count).collect()
}

/// A heap falls alike at a square's middle, on a side, on a fold, at a corner and beside it, and as in degrees of longitude and latitude. Tolerance: a
/// twelfth of the wave's height; half of that is found, in degrees.
#[test]
fn a_heap_falls_alike_everywhere() {
    let heap = |[x, y, z]: [f64; 3]| {
        let depth = format!(
            "initial.depth=\"1 + 0.5 * exp(-8 * ((radial_x - {x})^2 + (radial_y - {y})^2 + (radial_z - {z})^2))\""
        );
        let mut simulation = start(SPHERE, &[&*depth, "mesh.cells=[80,40]", "levels.max=1", "solver.rotation=0"]);
        advance_to(&mut simulation, 0.8);
        rings(&simulation, |at| dot([x, y, z], place(at)).clamp(-1.0, 1.0).acos())
    };
    let root = 0.5_f64.sqrt();
    let middle = heap([0.0, 0.0, 1.0]);
    let mut others =
        vec![heap([1.0, 0.0, 0.0]), heap([0.0, 1.0, 0.0]), heap([root, root, 0.0]), heap([0.6, 0.64, 0.48])];
    let ocean = include_str!("../cases/features/ocean.toml");
    let mut degrees = start(
        ocean,
        &[
            "mesh={lower=[-90,-70],upper=[90,70],cells=[80,64]}",
            "levels={max=1}",
            "solver={name=\"shallow_water_sphere\",radius=1,gravity=1}",
            "aux.bottom=-1",
            "initial.depth=\"1 + 0.5 * exp(-16 * (1 - cos(x * pi / 180) * cos(y * pi / 180)))\"",
        ],
    );
    advance_to(&mut degrees, 0.8);
    let radians = std::f64::consts::PI / 180.0;
    others.push(rings(&degrees, |[x, y]| ((x * radians).cos() * (y * radians).cos()).acos()));
    for other in others {
        let most = middle.iter().zip(&other).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(most < 0.01, "{most}: {middle:.3?}, {other:.3?}");
    }
}
