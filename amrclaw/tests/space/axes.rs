//! A flow that varies along one axis equals the one-dimensional run, and one that varies in a plane the two-dimensional run, bitwise, whatever
//! the axes; up to round-off where three dimensions split a sum of fluctuations and two dimensions split each by itself.

use super::common::take_steps;
use super::start;
use amrclaw::frames::frame::Frame;
use std::collections::HashMap;
use std::fmt::Write;

/// A flow along one axis, `X` in its formulas, or in a plane of `X` and `Y`.
struct Flow {
    solver: &'static str,
    /// Parameters, and other fields, by key.
    scalars: &'static [(&'static str, &'static str)],
    /// The keys of a vector's components along x, y and z; the components along the flow's axes, and along the others.
    vector: Option<([&'static str; 3], [&'static str; 2], &'static str)>,
    /// Boundary conditions along the flow's axes.
    sides: &'static str,
}

const VELOCITIES: [&str; 3] = ["initial.u", "initial.v", "initial.w"];
const MOMENTA: [&str; 3] = ["initial.x_momentum", "initial.y_momentum", "initial.z_momentum"];
const WALLED: &str = r#"["wall", "extrapolate"]"#;
const OPEN: &str = r#"["extrapolate", "extrapolate"]"#;

/// Sod's shock tube.
const SOD: [(&str, &str); 2] =
    [("initial.density", "if(X < 0.5, 1, 0.125)"), ("initial.energy", "if(X < 0.5, 2.5, 0.25)")];

const LINES: [Flow; 6] = [
    Flow {
        solver: "acoustics",
        scalars: &[("solver.density", "1.0"), ("solver.bulk", "1.7"), ("initial.pressure", "exp(-30 * (X - 0.4)^2)")],
        vector: Some((VELOCITIES, ["0.3 * X", ""], "0")),
        sides: WALLED,
    },
    Flow {
        solver: "acoustics_variable",
        scalars: &[
            ("aux.impedance", "if(X < 0.6, 1, 2.3)"),
            ("aux.sound_speed", "if(X < 0.6, 1.1, 0.7)"),
            ("initial.pressure", "exp(-30 * (X - 0.4)^2)"),
        ],
        vector: Some((VELOCITIES, ["0.3 * X", ""], "0")),
        sides: WALLED,
    },
    Flow {
        solver: "advection",
        scalars: &[("initial.q", "exp(-30 * (X - 0.4)^2)")],
        vector: Some((["solver.u", "solver.v", "solver.w"], ["-0.9", ""], "0.4")),
        sides: OPEN,
    },
    Flow { solver: "burgers", scalars: &[("initial.q", "sin(2 * pi * X)")], vector: None, sides: OPEN },
    Flow { solver: "euler", scalars: &SOD, vector: Some((MOMENTA, ["0", ""], "0")), sides: WALLED },
    Flow { solver: "euler_hllc", scalars: &SOD, vector: Some((MOMENTA, ["0", ""], "0")), sides: WALLED },
];

/// Without `euler`: in three dimensions its two shear waves and the entropy wave are one wave, which is limited as a whole.
const PLANES: [Flow; 6] = [
    Flow {
        solver: "acoustics",
        scalars: &[
            ("solver.density", "1.0"),
            ("solver.bulk", "1.7"),
            ("initial.pressure", "exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))"),
        ],
        vector: Some((VELOCITIES, ["0.3 * Y", "-0.2 * X * Y"], "0")),
        sides: WALLED,
    },
    Flow {
        solver: "acoustics_variable",
        scalars: &[
            ("aux.impedance", "if(X + 0.4 * Y < 0.6, 1, 2.3)"),
            ("aux.sound_speed", "if(X + 0.4 * Y < 0.6, 1.1, 0.7)"),
            ("initial.pressure", "exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))"),
        ],
        vector: Some((VELOCITIES, ["0.3 * Y", "-0.2 * X * Y"], "0")),
        sides: WALLED,
    },
    Flow {
        solver: "advection",
        scalars: &[("initial.q", "exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))")],
        vector: Some((["solver.u", "solver.v", "solver.w"], ["-0.9", "0.7"], "0.4")),
        sides: OPEN,
    },
    Flow {
        solver: "advection_edge",
        scalars: &[("initial.q", "exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))")],
        vector: Some((["aux.u_edge", "aux.v_edge", "aux.w_edge"], ["Y - 0.4", "0.5 - X"], "0")),
        sides: OPEN,
    },
    Flow { solver: "burgers", scalars: &[("initial.q", "sin(2 * pi * (X - Y))")], vector: None, sides: OPEN },
    Flow {
        solver: "euler_hllc",
        scalars: &[
            ("initial.density", "1 + exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))"),
            ("initial.energy", "3 + 2 * exp(-30 * ((X - 0.4)^2 + (Y - 0.5)^2))"),
        ],
        vector: Some((MOMENTA, ["0.3 - 0.2 * Y", "-0.2 * X"], "0")),
        sides: WALLED,
    },
];

/// Every kind of update; Courant numbers are small enough for all of them.
const SCHEMES: [&[&str]; 7] = [
    &["scheme.limiter=mc"],
    &["scheme.limiter=van_leer", "scheme.double_transverse=false"],
    &["scheme.limiter=minmod", "scheme.transverse=1"],
    &["scheme.limiter=van_leer", "scheme.transverse=0"],
    &["scheme.order=1", "scheme.transverse=1"],
    &["scheme.order=1", "scheme.transverse=0"],
    &["scheme.split=godunov"],
];
const STEPS: usize = 8;
const DT: f64 = 0.0075;

impl Flow {
    /// The case in `dim` dimensions, with the flow along these axes of the mesh. Along the other axes it has three cells and boundaries that
    /// do not disturb the flow.
    fn text(&self, dim: usize, axes: &[usize], dt: f64, sides: &str) -> String {
        let place = |d: usize| axes.iter().position(|&axis| axis == d);
        let formula = |text: &str| {
            let named = |text: String, (name, axis): (&str, &usize)| text.replace(name, ["x", "y", "z"][*axis]);
            ["X", "Y"].into_iter().zip(axes).fold(text.to_owned(), named)
        };
        let counts: &[i32] = if axes.len() == 1 { &[31] } else { &[29, 19] };
        let cells: Vec<i32> = (0..dim).map(|d| place(d).map_or(3, |k| counts[k])).collect();
        // Binary fractions, so that coordinates are the same numbers along every axis.
        let dx = [0.03125, 0.046875];
        let upper = (0..dim).map(|d| place(d).map_or(1.5, |k| f64::from(counts[k]) * dx[k])).collect::<Vec<_>>();
        let mut text = format!("solver.name = \"{}\"\nmesh.cells = {cells:?}\nmesh.upper = {upper:?}\n", self.solver);
        let mut write = |key: &str, value: &str| {
            let value = if key.starts_with("solver.") { value.to_owned() } else { format!("\"{}\"", formula(value)) };
            writeln!(text, "{key} = {value}").expect("a string");
        };
        self.scalars.iter().for_each(|(key, value)| write(key, value));
        for d in 0..dim {
            if let Some((keys, along, across)) = self.vector {
                write(keys[d], place(d).map_or(across, |k| along[k]));
            }
        }
        for (d, name) in ["x", "y", "z"].into_iter().enumerate().take(dim) {
            let side = if place(d).is_some() { sides } else { OPEN };
            writeln!(text, "mesh.boundary.{name} = {side}").expect("a string");
        }
        format!("{text}time.end = 10.0\ntime.dt = {dt}\nscheme.allow_unstable = true\noutput.format = []\n")
    }

    /// The component, in the run along these axes, that corresponds to component `name` of the run along the first axes.
    fn renamed<'a>(&self, name: &'a str, axes: &[usize]) -> &'a str {
        let keys = self.vector.map(|(keys, ..)| keys);
        let place = keys.and_then(|keys| keys.iter().position(|key| *key == format!("initial.{name}")));
        place.zip(keys).map_or(name, |(d, keys)| keys[axes[d]].trim_start_matches("initial."))
    }

    /// Bound of the difference between runs in three and in two dimensions: ten units in the last place of states of size one, for an addition
    /// or two in different order in each of eight steps, if transverse parts are constants times the fluctuation; else zero.
    fn round_off(&self) -> f64 {
        if ["acoustics", "advection"].contains(&self.solver) { 1e-15 } else { 0.0 }
    }

    /// Compares a run in three dimensions with one in `D` dimensions.
    fn compare<const D: usize>(&self, axes: &[usize], thin: &Frame<D>, space: &Frame<3>, what: &str) {
        let (thin_patch, patch) = (&thin.levels[0].patches[0], &space.levels[0].patches[0]);
        let place: HashMap<_, _> = thin_patch.cells.cells().enumerate().map(|(k, cell)| (cell, k)).collect();
        let mut compared = vec![false; space.equations.len()];
        let round_off = if D == 2 { self.round_off() } else { 0.0 };
        for (m, name) in thin.equations.iter().enumerate() {
            let renamed = self.renamed(name, axes);
            let n = space.equations.iter().position(|other| other == renamed).expect("the same equations and more");
            compared[n] = true;
            for (k, cell) in patch.cells.cells().enumerate() {
                let found = patch.q[n * patch.cells.volume() + k];
                let in_thin: [i32; D] = std::array::from_fn(|d| cell[axes[d]]);
                let expected = thin_patch.q[m * thin_patch.cells.volume() + place[&in_thin]];
                assert!(
                    (found - expected).abs() <= round_off,
                    "{what}: {renamed} of {cell:?} is {found:e}, not {expected:e}"
                );
            }
        }
        for (n, values) in patch.q.chunks_exact(patch.cells.volume()).enumerate() {
            assert!(
                compared[n] || values.iter().all(|v| v.abs() <= round_off),
                "{what}: {} is not zero",
                space.equations[n]
            );
        }
    }

    /// Runs the flow in `D` dimensions, and in three dimensions along these axes, and compares the results.
    fn check<const D: usize>(&self, axes: &[usize; D], scheme: &[&str], thin: (f64, usize), sides: &str) {
        let first: [usize; D] = std::array::from_fn(|d| d);
        let mut small = start::<D>(&self.text(D, &first, thin.0, sides), scheme);
        take_steps(&mut small, thin.1);
        let mut large = start::<3>(&self.text(3, axes, DT, sides), scheme);
        take_steps(&mut large, STEPS);
        let (small, large) = (small.frame(), large.frame());
        self.compare(axes, &small, &large, &format!("{}, {scheme:?}, along {axes:?}", self.solver));
    }
}

/// Sound, advection, shocks and Sod's shock tube along x, y and z equal the one-dimensional runs.
#[test]
fn flows_along_an_axis_are_those_on_a_line() {
    for flow in &LINES {
        for (scheme, axis) in SCHEMES.iter().flat_map(|scheme| [0, 1, 2].map(|axis| (scheme, axis))) {
            flow.check(&[axis], scheme, (DT, STEPS), flow.sides);
        }
    }
}

#[test]
fn flows_in_a_plane_are_those_of_two_dimensions() {
    for flow in &PLANES {
        for (scheme, axes) in SCHEMES.iter().flat_map(|scheme| [[0, 1], [1, 2], [0, 2]].map(|axes| (scheme, axes))) {
            flow.check(&axes, scheme, (DT, STEPS), flow.sides);
        }
    }
}

/// Strang splitting sweeps the last axis in one step, as in one dimension, and the others in two half steps, as in one dimension with half the
/// step size; flows in planes with z equal those in two dimensions. No ghost cells are filled between the half steps, which is exact only
/// for periodic sides.
#[test]
fn strangs_sweeps_along_an_axis_are_those_on_a_line() {
    let scheme = &["scheme.split=strang"];
    for flow in &LINES {
        flow.check(&[2], scheme, (DT, STEPS), flow.sides);
        for axis in [0, 1] {
            flow.check(&[axis], scheme, (0.5 * DT, 2 * STEPS), r#"["periodic", "periodic"]"#);
        }
    }
    for (flow, axes) in PLANES.iter().flat_map(|flow| [[1, 2], [0, 2]].map(|axes| (flow, axes))) {
        flow.check(&axes, scheme, (DT, STEPS), flow.sides);
    }
}
