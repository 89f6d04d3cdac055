//! Shores that move as solutions in closed form, and another program's, do.

use super::super::common::{advance_to, case, for_each_finest_cell, options, start};
use super::{SHORE, error, on_a_line};
use amrclaw::simulation::Simulation;

/// Water sloshing in a paraboloid: the surface stays a plane (Thacker 1981, doi:10.1017/S0022112081001882). Bounds: a tenth more
/// than found; GeoClaw 5.13.1 has 2.0e-2 and 6.6e-2 on the same mesh, 1.5e-2 and 2.8e-2 on the same levels.
#[test]
fn a_bowl_sloshes_as_thacker_found() {
    let bottom = "aux.bottom=\"0.1 * (x^2 + y^2) - 0.1\"";
    let omega = (2.0 * 9.81 * 0.1_f64).sqrt();
    let velocity = format!("initial.y_momentum=\"depth * {}\"", 0.5 * omega);
    let overrides = [
        bottom,
        "mesh={lower=[-2,-2],upper=[2,2],cells=[100,100]}",
        "initial.depth=\"max(0, 0.05 * (2 * x - 0.5) - bottom)\"",
        &velocity,
        "time.cfl_desired=0.75",
    ];
    let levels = [
        "mesh.cells=[40,40]",
        "levels={max=2,ratio=[4]}",
        "regrid={interval=3,buffer=2}",
        "regrid.flag={criterion=\"user\",expression=\"depth > 0.001\"}",
        "ground.shore=\"mean\"",
    ];
    let period = std::f64::consts::TAU / omega;
    for (levels, bounds) in
        [(&[][..], [(0.5, 1.4e-2), (period, 4.6e-2)]), (&levels[..], [(0.5, 8.5e-3), (1.5, 1.8e-2)])]
    {
        let mut simulation = start(SHORE, &[&overrides[..], levels].concat());
        let before = simulation.totals()[0];
        for (time, bound) in bounds {
            advance_to(&mut simulation, time);
            let (cosine, sine) = ((omega * time).cos(), (omega * time).sin());
            let error = error(&simulation, |[x, y]| {
                let bottom = 0.1 * (x * x + y * y) - 0.1;
                (0.05 * (2.0 * x * cosine + 2.0 * y * sine - 0.5) - bottom).max(0.0)
            });
            assert!(error < bound, "t = {time}: {error:e}");
        }
        let gained = (simulation.totals()[0] - before) / before;
        assert!(gained.abs() < 1e-12, "{gained:e}");
    }
}

/// Depth after the break of a dam at x = 0 between the depth 1 and none (Ritter 1892), or 0.1 (Stoker 1957).
fn dam(below: f64, xi: f64) -> f64 {
    let c = 9.81_f64.sqrt();
    // The middle state between the rarefaction and the shock.
    let (mut lo, mut hi) = (below, 1.0);
    for _ in 0..60 {
        let h = 0.5 * (lo + hi);
        let shock = if below > 0.0 { (h - below) * (0.5 * 9.81 * (h + below) / (h * below)).sqrt() } else { f64::MAX };
        if shock < 2.0 * (c - (9.81 * h).sqrt()) { lo = h } else { hi = h }
    }
    let middle = if below > 0.0 { hi } else { 0.0 };
    let speed = 2.0 * (c - (9.81 * middle).sqrt());
    let front = if below > 0.0 { middle * speed / (middle - below) } else { 2.0 * c };
    if xi < -c {
        1.0
    } else if xi < speed - (9.81 * middle).sqrt() {
        ((2.0 * c - xi) / 3.0).powi(2) / 9.81
    } else if xi < front {
        middle
    } else {
        below
    }
}

/// A dam breaks onto dry land and onto water, along both axes of the plane, on a line, and on three levels of which the finest is
/// wherever water is. Bounds: GeoClaw's errors on the same mesh, plus 5 %.
#[test]
fn dams_break_as_ritter_and_stoker_found() {
    for (below, bounds) in [(0.0, [6.7e-3, 7.0e-3]), (0.1, [5.8e-3, 4.9e-3])] {
        for along in ["x", "y"] {
            let mesh = match along {
                "x" => "mesh={lower=[-1,-0.04],upper=[1,0.04],cells=[200,8]}",
                _ => "mesh={lower=[-0.04,-1],upper=[0.04,1],cells=[8,200]}",
            };
            let depth = format!("initial.depth=\"if({along} < 0, 1, {below})\"");
            let mut simulation = start(SHORE, &[mesh, &depth, "time.cfl_desired=0.75"]);
            for (time, bound) in [0.05, 0.1].into_iter().zip(bounds) {
                advance_to(&mut simulation, time);
                let axis = usize::from(along == "y");
                let error = error(&simulation, |x| dam(below, x[axis] / time));
                assert!(error < 1.05 * bound, "{below}, {along}, t = {time}: {error:e}");
            }
        }
        let depth = format!("initial={{depth=\"if(x < 0, 1, {below})\",x_momentum=\"0\"}}");
        let levels = [
            "mesh={lower=[-1,-0.04],upper=[1,0.04],cells=[100,4]}",
            "levels={max=3,ratio=[2,2]}",
            "regrid={interval=3,buffer=2}",
            "regrid.flag={criterion=\"user\",expression=\"depth > 0.001\"}",
            "time.dt_initial=0.0001",
            "time.cfl_desired=0.75",
        ];
        let of_levels = format!("initial.depth=\"if(x < 0, 1, {below})\"");
        let mut simulation = start(SHORE, &[&levels[..], &[&of_levels]].concat());
        for (time, bound) in [(0.05, 3.3e-3), (0.1, 3.8e-3)] {
            advance_to(&mut simulation, time);
            let error = error(&simulation, |[x, _]| dam(below, x / time));
            assert!(error < 1.05 * bound, "{below} on levels, t = {time}: {error:e}");
        }
        let text = SHORE.replace("y = \"wall\"\n", "").replace("y_momentum = \"0\"\n", "");
        let line = case(&text, &["mesh={lower=[-1],upper=[1],cells=[200]}", &depth, "time.cfl_desired=0.75"]);
        let mut simulation: Simulation<1> = Simulation::builder(&line).options(&options(2)).build().expect("a case");
        advance_to(&mut simulation, 0.1);
        let error = error(&simulation, |x| dam(below, x[0] / 0.1));
        assert!(error < 1.05 * bounds[1], "{below}, on a line: {error:e}");
    }
}

/// Water runs up a beach as Carrier & Greenspan (1958) found, on two levels: the surface at five places at t = 2, by the
/// parametric form in the example's README. Tolerance: the distance of a cell's middle from the place, over the slope, and as
/// much again. The shore is at 0.115.
#[test]
fn a_wave_runs_up_a_beach_as_carrier_and_greenspan_found() {
    let mut simulation = on_a_line(include_str!("../../../../examples/carrier_greenspan/case.toml"), &[]);
    advance_to(&mut simulation, 2.0);
    let surfaces = [(-1.2, 0.07759), (-0.8, 0.08418), (-0.4, 0.10003), (-0.2, 0.10834), (0.0, 0.11361)];
    let (mut found, mut shore) = (0, f64::MIN);
    for_each_finest_cell(&simulation.frame(), |_, [x], [dx], q| {
        if q[0] > 1e-3 {
            shore = shore.max(x + 0.5 * dx);
        }
        for (_, surface) in surfaces.iter().filter(|(place, _)| (x - 1e-9 - place).abs() < 0.5 * dx) {
            found += 1;
            assert!((q[0] + x - surface).abs() < 1e-3, "{x}: {}, not {surface}", q[0] + x);
        }
    });
    assert!(found == surfaces.len() && (shore - 0.115).abs() < 0.011, "{found}, {shore}");
}

/// A stream becomes the steady one for which the bottom of the example has been found, at second order: also at its inflow, where
/// the ghost cells' own sources act, as in all cells, before the waves.
#[test]
fn a_stream_with_friction_becomes_steady_as_macdonald_found() {
    let errors = [50, 100].map(|cells| {
        let text = include_str!("../../../../examples/channel_friction/case.toml");
        let mut simulation = on_a_line(text, &[&format!("mesh.cells=[{cells}]")]);
        advance_to(&mut simulation, 3000.0);
        let depth = error(&simulation, |[x]| (1.0 + 0.5 * (x * std::f64::consts::TAU / 500.0).cos()).powf(-0.3));
        let mut discharge = 0.0_f64;
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| discharge = discharge.max((q[1] - 2.0).abs()));
        [depth, discharge]
    });
    for [coarse, fine] in [0, 1].map(|k| errors.map(|of| of[k])) {
        assert!(fine < coarse / 3.0, "{errors:?}");
    }
}

/// A wave runs up the beach of the example, on one level: depths along a row as GeoClaw 5.13.1 has them, whose file of heights is
/// finer. Tolerance: 1 %; 0.3 % is found, most of it where nodes 4 apart cut off the edge of the basin.
#[test]
fn a_wave_runs_up_a_beach_from_a_file() {
    const BEACH: &str = include_str!("../../../../examples/tsunami_beach/case.toml");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/tsunami_beach/beach.asc");
    let topography = format!("topography=[{{file=\"{file}\"}}]");
    let mut simulation = start(BEACH, &[&topography, "levels.max=1", "levels.ratio=[]", "mesh.cells=[100,100]"]);
    let before = simulation.totals()[0];
    advance_to(&mut simulation, 6.0);
    let geoclaw = [19.9849, 19.9943, 20.0088, 20.0094, 20.001, 19.9916, 19.9793, 16.4506, 12.3571, 8.4748, 4.9371];
    let mut error = 0.0;
    for_each_finest_cell(&simulation.frame(), |_, [x, y], _, q| {
        let place = (x - 1.0) / 8.0;
        if y == 1.0 && place >= 0.0 && place.fract() == 0.0 && place < 11.0 {
            error += (q[0] - geoclaw[place as usize]).abs();
        }
    });
    let all: f64 = geoclaw.iter().sum();
    assert!(error > 0.0 && error < 0.01 * all, "{error}");
    assert!(((simulation.totals()[0] - before) / before).abs() < 1e-12);
}
