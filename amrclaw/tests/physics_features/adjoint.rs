//! The adjoint solution by which cells are flagged.

use super::common::case;
use amrclaw::case::{Case, find_built_in};
use amrclaw::frames::frame::FramePatch;
use amrclaw::simulation::{RunError, Simulation, adjoint_solution, check};

/// A case on one level, and the integrals of a functional's density times its solution at the end, and of the adjoint solution times its
/// data.
fn integrals<const D: usize>(text: &str) -> [f64; 2] {
    let case = case(text, &[]);
    let snapshots = adjoint_solution::<D>(&case).unwrap_or_else(|e| panic!("{e}"));
    let mut forward = Simulation::<D>::builder(&case).build().unwrap_or_else(|e| panic!("{e}"));
    let cells = snapshots.cells.iter().product::<usize>();
    let len = cells * snapshots.num_eqn;
    let integral = |simulation: &Simulation<D>, snapshot: &[f64]| -> f64 {
        let frame = simulation.frame();
        let aux = |patch: &FramePatch<D>, i: usize, of: &str| {
            frame.aux.iter().position(|name| name == of).map(|n| patch.aux[n * patch.cells.volume() + i])
        };
        let term = |patch: &FramePatch<D>| -> f64 {
            let volume = patch.cells.volume();
            let of_cell = |(i, cell): (usize, [i32; D])| {
                let place = (0..D).rev().fold(0, |at, d| at * snapshots.cells[d] + cell[d] as usize);
                // Of water the waves on what is at rest.
                let rest = aux(patch, i, "bottom").map_or(0.0, |bottom| (-bottom).max(0.0));
                let wave = |m: usize| patch.q[m * volume + i] - if m == 0 { rest } else { 0.0 };
                let products = (0..snapshots.num_eqn).map(|m| wave(m) * snapshot[place * snapshots.num_eqn + m]);
                aux(patch, i, "capacity").unwrap_or(1.0) * products.sum::<f64>()
            };
            patch.cells.cells().enumerate().map(of_cell).sum()
        };
        frame.levels[0].patches.iter().map(term).sum::<f64>() * snapshots.geometry.volume()
    };
    let at_start = integral(&forward, &snapshots.values[snapshots.values.len() - len..]);
    forward.advance_to(case.time.end).unwrap_or_else(|e| panic!("{e}"));
    [integral(&forward, &snapshots.values[..len]), at_start]
}

/// What the functional will be is known from the start: the integral of the solution times the adjoint solution is the same at both ends,
/// in one, two and three dimensions, in media that vary, between walls, in solids, on mapped meshes. The two differ by the error of
/// either solution, a few per cent here; a wrong factor or sign of any component changes them by tens.
#[test]
fn the_adjoint_solution_tells_the_functional() {
    let flag = "regrid = { flag = { criterion = \"adjoint\", tolerance = 1, adjoint = { snapshots = 4, functional = ";
    let line = "solver = { name = \"acoustics_variable\" }\nmesh = { cells = [200], boundary = { x = \"wall\" } }\n\
        time = { end = 0.5 }\naux = { impedance = \"if(x < 0.5, 1, 3)\", sound_speed = \"if(x < 0.5, 1, 0.7)\" }\n\
        initial = { pressure = \"exp(-200 * (x - 0.3)^2)\", u = \"exp(-200 * (x - 0.3)^2)\" }\n";
    let plane = "solver = { name = \"acoustics\", density = 2, bulk = 1 }\nmesh = { cells = [40, 40], boundary = { x = \"wall\" } }\n\
        time = { end = 0.4 }\ninitial = { pressure = \"exp(-40 * ((x - 0.4)^2 + (y - 0.4)^2))\", u = 0.1, v = \"y * 0.3\" }\n";
    let mapped = plane.replace("cells", "mapping = { x = \"X + 0.3 * Y\", y = \"Y - 0.1 * X * X\" }, cells");
    let block = "solver = { name = \"elasticity\", density = 1, lambda = 2, mu = 1 }\nmesh = { cells = [16, 16, 16] }\n\
        time = { end = 0.1 }\ninitial = { stress_xx = \"exp(-20 * ((x - 0.4)^2 + (y - 0.4)^2 + (z - 0.6)^2))\", stress_yy = 0, \
        stress_zz = 0, stress_xy = 0.2, stress_xz = 0, stress_yz = 0, u = 0, v = \"z\", w = 0 }\n";
    // A small wave that runs right, past an island; the adjoint leaves friction out.
    let hump = "exp(-40 * ((x - 0.4)^2 + (y - 0.5)^2))";
    let water = format!(
        "solver = {{ name = \"shallow_water_bathymetry\", manning = 0.01 }}\nmesh = {{ cells = [40, 40], boundary = {{ x = \"wall\" }} }}\n\
         time = {{ end = 0.06 }}\naux = {{ bottom = \"1.5 * exp(-60 * ((x - 0.5)^2 + (y - 0.2)^2)) - 1 - 0.3 * x\" }}\n\
         initial = {{ depth = \"max(0, 1e-5 * {hump} - bottom)\", x_momentum = \"max(0, -bottom) * 3e-5 * {hump}\", y_momentum = 0 }}\n"
    );
    let of_water = flag.replace("functional", "about = { depth = \"max(0, -bottom)\" }, functional");
    let near = "exp(-40 * ((x - 0.6)^2 + (y - 0.5)^2))";
    let table: [([f64; 2], f64); 5] = [
        (integrals::<2>(&format!("{water}{of_water}{{ depth = \"{near}\", x_momentum = \"{near}\" }} }} }} }}")), 0.03),
        (
            integrals::<1>(&format!(
                "{line}{flag}{{ pressure = \"exp(-200 * (x - 0.7)^2)\", u = \"3 * x\" }} }} }} }}"
            )),
            0.02,
        ),
        (integrals::<2>(&format!("{plane}{flag}{{ pressure = \"{near}\", v = \"{near}\" }} }} }} }}")), 0.03),
        (integrals::<2>(&format!("{mapped}{flag}{{ pressure = \"{near}\", v = \"{near}\" }} }} }} }}")), 0.03),
        (
            integrals::<3>(&format!(
                "{block}{flag}{{ stress_zz = \"{near}\", v = \"{near}\", stress_xy = \"{near}\" }} }} }} }}"
            )),
            0.03,
        ),
    ];
    let close =
        |([expected, found], tolerance): &([f64; 2], f64)| (found - expected).abs() < tolerance * expected.abs();
    assert!(table.iter().all(close), "{table:?}");
}

/// Equations whose adjoint is not known are refused before the first step, and the reason is told.
#[test]
fn other_equations_are_refused() {
    let rest = "mesh = { cells = [8, 8] }\nlevels = { max = 2 }\ntime = { end = 1 }\ninitial = { q = \"x\" }\n\
        regrid = { flag = { criterion = \"adjoint\", tolerance = 1, adjoint = { functional = { q = \"x\" } } } }";
    let table = [
        ("advection\", u = 1, v = 2", "its equations are not the same when time runs backwards"),
        ("burgers\"", "its equations are not linear"),
        ("advection_reaction\", u = 1, v = 2, rate = 1", "of a source term"),
    ];
    for (solver, why) in table {
        let text = format!("solver = {{ name = \"{} }}\n{rest}", solver);
        let case = Case::from_str_with(&text, "case", &[], find_built_in);
        let error = case.map_err(RunError::from).and_then(|case| check(&case));
        let error = error.err().map_or_else(String::new, |error| error.to_string());
        assert!(error.contains(why), "{solver}: {error}");
    }
}
