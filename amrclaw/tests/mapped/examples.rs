//! The examples on mapped meshes against exact solutions, on fewer levels than they have.

use super::common::{advance_to, case, for_each_finest_cell, largest_difference, start, take_steps};
use super::cylinder::{bessel, relative_error};
use std::f64::consts::FRAC_2_PI;

/// A wave scattered by a cylinder equals the series solution within 2 %, on two of the example's three levels, with the steps of the Courant
/// number: the default limit, a hundredth of the run, which a side that changes with time brings, smears the wave a little more.
#[test]
fn a_cylinder_scatters_as_the_series_says() {
    let text = include_str!("../../../examples/acoustics_cylinder/case.toml");
    let mut simulation = start(text, &["output.format=[]", "levels.max=2", "time.dt_max=1.6"]);
    advance_to(&mut simulation, 1.6);
    let error = relative_error(&simulation.frame()).expect("the mesh is mapped");
    assert!(error < 0.02, "{error}");
}

/// The Bessel functions of the series have tabulated values, and Wronskians `J(n+1) Y(n) − J(n) Y(n+1) = 2/πx`.
#[test]
fn bessel_functions_are_bessels() {
    // Abramowitz and Stegun, table 9.1.
    let [j, y] = bessel(2.0, 4);
    for (found, wanted) in [
        (j[0], 0.223_890_779_141_236),
        (j[1], 0.576_724_807_756_873),
        (y[0], 0.510_375_672_649_745),
        (y[1], -0.107_032_431_540_938),
    ] {
        assert!((found - wanted).abs() < 1e-14, "{found} for {wanted}");
    }
    for x in [0.05, 0.8, 7.0, 60.0] {
        let [j, y] = bessel(x, 20);
        for n in 0..20 {
            let error = (j[n + 1] * y[n] - j[n] * y[n + 1]) * x / FRAC_2_PI - 1.0;
            // Neumann's series lose a digit or two for large x.
            assert!(error.abs() < 1e-11, "x = {x}, order {n}: {error:e}");
        }
    }
}

/// The relative L1 error of humps advected around the annulus; the exact solution is the initial data rotated.
fn error_of_annulus(overrides: &[&str]) -> f64 {
    let text = include_str!("../../../examples/advection_annulus/case.toml");
    let mapping = case(text, overrides).mapping::<2>().expect("the case has one");
    let mut simulation = start(text, overrides);
    advance_to(&mut simulation, 0.5);
    let (mut difference, mut whole) = (0.0, 0.0);
    for_each_finest_cell(&simulation.frame(), |_, point, dx, q| {
        // After half a revolution each hump is where the other one was.
        let [x, y] = mapping.position(point);
        let hump = |centre: f64| (-40.0 * ((x - centre).powi(2) + y * y)).exp();
        let (wanted, area) = (hump(0.5) - hump(-0.5), point[0] * dx[0] * dx[1]);
        difference += area * (q[0] - wanted).abs();
        whole += area * wanted.abs();
    });
    difference / whole
}

/// Humps advected around the annulus keep their shape: a level more reduces the error as at second order, less the effect of the limiter
/// at their maxima.
#[test]
fn humps_go_round_the_annulus() {
    let [one, two] = ["levels.max=1", "levels.max=2"].map(|levels| error_of_annulus(&[levels, "output.format=[]"]));
    assert!(two < 0.1 && one > 2.8 * two, "{one}, {two}");
}

/// On one level the annulus equals `advection_mapped` on a straight mesh of radius and angle with the same velocities and areas, up to
/// round-off of positions in the initial data, which forty steps carry on.
#[test]
fn the_annulus_is_a_straight_mesh_with_areas() {
    let mapped = include_str!("../../../examples/advection_annulus/case.toml");
    let [before, after] = ["[mesh.mapping]", "[mesh.boundary]"].map(|table| mapped.find(table).expect("a table"));
    let straight = [&mapped[..before], &mapped[after..]].concat();
    let straight = straight.replace("X_", "x_").replace("dX", "dx").replace("dY", "dy");
    let humps = "initial={q=\"exp(-40 * ((x*cos(y) + 0.5)^2 + (x*sin(y))^2)) - exp(-40 * ((x*cos(y) - 0.5)^2 + (x*sin(y))^2))\"}";
    let one_grid = ["levels.max=1", "gauge=[]", "output.format=[]"];
    let mut on_annulus = start(mapped, &one_grid);
    let mut on_mesh = start(&straight, &[&one_grid[..], &[humps]].concat());
    take_steps(&mut on_annulus, 40);
    take_steps(&mut on_mesh, 40);
    let difference = largest_difference(&on_annulus.frame(), &on_mesh.frame());
    assert!(difference <= 1e-12, "{difference:e}");
    assert!(on_annulus.frame().levels[0].patches[0].q.iter().any(|q| q.abs() > 0.2), "the humps are there");
}

/// Along the wall the shock moves undisturbed, at Mach 2.43 from x = 0.26: its position at t = 0.125 is right within half a cell of level 2.
#[test]
fn the_shock_passes_the_corner() {
    let text = include_str!("../../../examples/shock_corner/case.toml");
    let overrides = ["output.format=[]", "levels.max=2"];
    let mapping = case(text, &overrides).mapping::<2>().expect("the case has one");
    let mut simulation = start(text, &overrides);
    advance_to(&mut simulation, 0.125);
    // Along the upper wall the density falls from 3.249 to 1.
    let mut profile = Vec::new();
    for_each_finest_cell(&simulation.frame(), |_, point, _, q| {
        let [x, y] = mapping.position(point);
        if y > 0.61 && x > 0.5 {
            profile.push([x, q[0]]);
        }
    });
    profile.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // The position of a sharp shock with the same mass along this line.
    let mut place = 0.0;
    for pair in profile.windows(2) {
        let share = |q: f64| ((q - 1.0) / 2.249).clamp(0.0, 1.0);
        place += (pair[1][0] - pair[0][0]) * 0.5 * (share(pair[0][1]) + share(pair[1][1]));
    }
    let place = profile[0][0] + place;
    let wanted = 0.26 + 2.43 * 1.4_f64.sqrt() * 0.125;
    assert!((place - wanted).abs() < 0.004, "{place} for {wanted}");
}
