//! Comparisons with exact solutions and with formulas written out: orders of convergence, Clawpack's mapped acoustics, symmetry, an oblique
//! shock, gauges.

use super::SMOOTH;
use super::common::{advance_to, case, for_each_finest_cell, orders, start, take_steps};
use amrclaw::frames::frame::Frame;
use amrclaw::mesh::Mapping;
use std::f64::consts::PI;

/// One level between periodic sides.
fn one_level(solver: &str, cells: usize, end: f64, initial: &str) -> String {
    format!(
        "solver = {{ {solver} }}\n[mesh]\ncells = [{cells}, {cells}]\nboundary = {{ x = \"periodic\", y = \"periodic\" }}\n\
         [mesh.mapping]\nx = \"{}\"\ny = \"{}\"\n[scheme]\nlimiter = \"none\"\n[time]\nend = {end}\n\
         [initial]\n{initial}\n[output]\nformat = []\n",
        SMOOTH[0], SMOOTH[1]
    )
}

/// The mean of |q − exact|, weighted by the cells' areas, which are the last auxiliary value of a mapped cell.
fn error(frame: &Frame<2>, mapping: &Mapping<2>, exact: impl Fn([f64; 2]) -> f64) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    for patch in &frame.levels[0].patches {
        let (volume, aux) = (patch.cells.volume(), frame.aux.len());
        for (k, cell) in patch.cells.cells().enumerate() {
            let dx = frame.levels[0].dx;
            let centre = [0, 1].map(|d| frame.lower[d] + (f64::from(cell[d]) + 0.5) * dx[d]);
            let kappa = patch.aux[(aux - 1) * volume + k];
            sum += kappa * (patch.q[k] - exact(mapping.position(centre))).abs();
            area += kappa;
        }
    }
    sum / area
}

/// Smooth sound and density waves on a smooth mapping converge to second order; the bound allows for the coarsest grid.
#[test]
fn smooth_waves_converge_to_second_order() {
    // X + 1 is mapped to x + 1 and y + 0.1, Y + 1 to y + 1: these waves are periodic under both.
    let phase = "2*pi*(x + 0.0)";
    let sound = format!("pressure = \"sin({phase})\"\nu = \"sin({phase})\"\nv = \"0\"");
    let gas = format!(
        "density = \"1 + 0.2*sin({phase})\"\nx_momentum = \"0.5 * (1 + 0.2*sin({phase}))\"\ny_momentum = \"0\"\n\
         energy = \"2.5 + 0.125 * (1 + 0.2*sin({phase}))\""
    );
    let measured = |solver: &str, initial: &str, exact: &dyn Fn([f64; 2]) -> f64| -> Vec<f64> {
        let run = |cells| {
            let text = one_level(solver, cells, 0.4, initial);
            let mapping = case(&text, &[]).mapping::<2>().expect("the case has one");
            let mut simulation = start(&text, &[]);
            advance_to(&mut simulation, 0.4);
            error(&simulation.frame(), &mapping, exact)
        };
        orders(&[24, 48, 96].map(run))
    };
    let sound =
        measured(r#"name = "acoustics", density = 1.0, bulk = 1.0"#, &sound, &|[x, _]| (2.0 * PI * (x - 0.4)).sin());
    assert!(sound.iter().all(|order| *order > 1.8), "sound: {sound:?}");
    let gas = measured(r#"name = "euler""#, &gas, &|[x, _]| 1.0 + 0.2 * (2.0 * PI * (x - 0.2)).sin());
    assert!(gas.iter().all(|order| *order > 1.8), "gas: {gas:?}");
}

const RING: &str = r#"
    solver = { name = "acoustics", density = 1.0, bulk = 4.0 }
    [mesh]
    cells = [12, 40]
    boundary = { x = "extrapolate", y = "periodic" }
    [mesh.mapping]
    kind = "annulus"
    inner = 0.5
    outer = 1.5
    [time]
    end = 1.0
    dt = 0.01
    [initial]
    pressure = "exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))"
    u = "0.3 * y"
    v = "-0.2 * x"
    [output]
    format = []
"#;

/// The solution equals Godunov's method with the formulas of Clawpack's `rpn2_acoustics_mapped` up to round-off of ten steps: for each face
/// normal velocities, two waves, and speeds times the ratio of the face's length to that of a computational cell.
#[test]
fn formulas_written_out_agree() {
    let overrides = ["scheme.order=1", "scheme.transverse=0", "scheme.allow_unstable=true", "time.dt=0.002"];
    let mut simulation = start(RING, &overrides);
    let (nx, ny, dt) = (12_usize, 40_usize, 0.002);
    let (dx, dy) = (1.0 / nx as f64, 1.0 / ny as f64);
    let node = |i: usize, j: usize| {
        let (r, angle) = (0.5 + i as f64 * dx, 2.0 * PI * (j as f64 * dy));
        [r * angle.cos(), r * angle.sin()]
    };
    let mut q: Vec<[f64; 3]> = vec![[0.0; 3]; nx * ny];
    let frame = simulation.frame();
    let patch = &frame.levels[0].patches[0];
    (0..nx * ny).for_each(|k| q[k] = [0, 1, 2].map(|m| patch.q[m * nx * ny + k]));
    let (zz, c) = (2.0, 2.0);
    // The fluctuations to the left and to the right.
    let solve = |l: [f64; 3], r: [f64; 3], [a, b]: [f64; 2], ratio: f64| {
        let (jump_p, jump_u) = (r[0] - l[0], (a * r[1] + b * r[2]) - (a * l[1] + b * l[2]));
        let (a1, a2) = ((-jump_p + zz * jump_u) / (2.0 * zz), (jump_p + zz * jump_u) / (2.0 * zz));
        let left = [-a1 * zz, a1 * a, a1 * b].map(|w| -c * ratio * w);
        let right = [a2 * zz, a2 * a, a2 * b].map(|w| c * ratio * w);
        [left, right]
    };
    for _ in 0..10 {
        let old = q.clone();
        let mut add = |k: usize, factor: f64, fluctuation: [f64; 3]| {
            let (i, j) = (k % nx, k / nx);
            let [p, s, t, u] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            let area = 0.5 * ((t[0] - p[0]) * (u[1] - s[1]) - (t[1] - p[1]) * (u[0] - s[0]));
            let kappa = area / (dx * dy);
            (0..3).for_each(|m| q[k][m] -= dt / (kappa * factor) * fluctuation[m]);
        };
        for j in 0..ny {
            for i in 1..nx {
                let (p, s) = (node(i, j), node(i, j + 1));
                let (x, y) = (s[1] - p[1], -(s[0] - p[0]));
                let length = x.hypot(y);
                let [left, right] = solve(old[j * nx + i - 1], old[j * nx + i], [x / length, y / length], length / dy);
                add(j * nx + i - 1, dx, left);
                add(j * nx + i, dx, right);
            }
            for i in 0..nx {
                let below = (j + ny - 1) % ny;
                let (p, s) = (node(i, j), node(i + 1, j));
                let (x, y) = (-(s[1] - p[1]), s[0] - p[0]);
                let length = x.hypot(y);
                let [left, right] = solve(old[below * nx + i], old[j * nx + i], [x / length, y / length], length / dx);
                add(below * nx + i, dy, left);
                add(j * nx + i, dy, right);
            }
        }
    }
    take_steps(&mut simulation, 10);
    let frame = simulation.frame();
    let patch = &frame.levels[0].patches[0];
    for (k, wanted) in q.iter().enumerate() {
        for (m, wanted) in wanted.iter().enumerate() {
            let found = patch.q[m * nx * ny + k];
            assert!((found - wanted).abs() <= 1e-12, "cell {k}, component {m}: {found} for {wanted}");
        }
    }
}

/// A pulse that is the same at all angles of a ring stays so, up to round-off of forty steps.
#[test]
fn rings_stay_symmetric() {
    for text in [
        RING.replace("exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))", "exp(-20 * (r - 0.9)^2)"),
        RING.replace("exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))", "exp(-20 * (r - 0.9)^2)")
            .replace("\"extrapolate\"", "\"wall\""),
    ] {
        let mut simulation = start(&text.replace("0.3 * y", "0").replace("-0.2 * x", "0"), &["time.dt=0.005"]);
        take_steps(&mut simulation, 40);
        let mut of_ring = vec![Vec::new(); 12];
        for_each_finest_cell(&simulation.frame(), |_, x, _, q| of_ring[(x[0] * 12.0) as usize].push(q[0]));
        for pressures in of_ring {
            let (low, high) = pressures.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
            assert_eq!(pressures.len(), 40);
            assert!(high - low <= 1e-12, "{low} to {high}");
        }
    }
}

/// A gauge is at its physical position: its first sample is the initial data there, up to second order in the cell size.
#[test]
fn gauges_stand_at_physical_positions() {
    let text = RING.replace("[output]", "[[gauge]]\nname = \"g\"\nposition = [-0.4, -0.8]\n[output]");
    let text = text.replace("exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))", "1 + 0.5 * x + 0.25 * y");
    let mut simulation = start(&text, &["time.dt=1e-9"]);
    take_steps(&mut simulation, 1);
    let gauge = &simulation.gauges()[0];
    assert_eq!(gauge.position, [-0.4, -0.8]);
    let sample = gauge.samples().last().expect("a row");
    assert!((sample.q[0] - 0.6).abs() < 5e-3, "{}", sample.q[0]);
}

/// In source formulas `x`, `y` are physical positions and `X`, `Y` computational ones. The medium is at rest, and the step so short that waves
/// change the pressure by a millionth of what the source adds.
#[test]
fn sources_see_physical_positions() {
    let text =
        RING.replace("exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))", "1").replace("0.3 * y", "0").replace("-0.2 * x", "0");
    let text = text.replace("[output]", "[source]\npressure = \"1 + x * x - y + X\"\n[output]");
    let mapping = case(&text, &[]).mapping::<2>().expect("the case has one");
    let mut simulation = start(&text, &["time.dt=1e-6"]);
    take_steps(&mut simulation, 1);
    for_each_finest_cell(&simulation.frame(), |_, at, _, q| {
        let [x, y] = mapping.position(at);
        let (grown, wanted) = ((q[0] - 1.0) / 1e-6, 1.0 + x * x - y + at[0]);
        assert!((grown - wanted).abs() < 1e-4, "{grown} for {wanted} at {x}, {y}");
    });
}

/// The shock at the wedge of the example has the angle of the theory, 32.24°, within half a degree, and the density behind it is 2.845
/// within 0.01.
#[test]
fn an_oblique_shock_has_its_angle() {
    let text = include_str!("../../../examples/euler_wedge/case.toml");
    let case = case(text, &["output.format=[]"]);
    let mapping = case.mapping::<2>().expect("the case has one");
    let mut simulation = start(text, &["output.format=[]"]);
    advance_to(&mut simulation, 1.2);
    // For each column of the finest cells, the highest position where the density exceeds the mean of the states beside the shock.
    let mut crossings = std::collections::BTreeMap::<i64, [f64; 2]>::new();
    let mut behind = Vec::new();
    for_each_finest_cell(&simulation.frame(), |_, point, dx, q| {
        let [x, y] = mapping.position(point);
        let (surface, from_corner) = ((x - 0.2) * 15.0_f64.to_radians().tan(), x - 0.2);
        if (0.5..0.9).contains(&x) {
            let place = crossings.entry((point[0] / dx[0] * (dx[0] / 0.005)) as i64).or_insert([x, 0.0]);
            if q[0] > 2.12 && y > place[1] {
                *place = [x, y];
            }
            if y > surface + 0.05 && y < 0.5 * from_corner {
                behind.push(q[0]);
            }
        }
    });
    let points: Vec<[f64; 2]> = crossings.into_values().filter(|place| place[1] > 0.0).collect();
    let mean = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|p| p[0]), mean(&|p| p[1]));
    let slope = mean(&|p| (p[0] - x) * (p[1] - y)) / mean(&|p| (p[0] - x).powi(2));
    let angle = slope.atan().to_degrees();
    assert!(points.len() > 20 && (angle - 32.24).abs() < 0.5, "{} points: {angle}°", points.len());
    behind.sort_by(f64::total_cmp);
    let median = behind[behind.len() / 2];
    assert!((median - 2.845).abs() < 0.01, "{median}");
}
