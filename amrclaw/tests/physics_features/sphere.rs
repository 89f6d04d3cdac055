//! Water on a sphere, in degrees: rest, conservation, a steady flow, and waves that run alike in all directions.

use super::common::{advance_to, for_each_finest_cell, start};

const OCEAN: &str = include_str!("../cases/features/ocean.toml");
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Water at rest around an island stays at rest on three levels that come and go, and keeps its volume; by plain means of the bottom the first
/// regrid would change it by 1e-7. A wave past the island keeps it too. Tolerance: round-off of depths of 4000, as a speed.
#[test]
fn an_ocean_keeps_its_rest_and_its_water() {
    let still = ["initial.depth=\"max(0, -bottom)\"", "regrid.flag.expression=\"abs(bottom) < 3500 and t < 6000\""];
    for changes in [&still[..], &[]] {
        let mut simulation = start(OCEAN, changes);
        let before = simulation.totals()[0];
        assert_eq!(simulation.hierarchy().levels().len(), 3);
        advance_to(&mut simulation, 12000.0);
        let lost = (simulation.totals()[0] - before) / before;
        assert!(lost.abs() < 1e-14, "{lost:e}");
        let mut fastest = 0.0_f64;
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| fastest = fastest.max(q[1].abs().max(q[2].abs())));
        assert!((fastest < 1e-9 * 4000.0) == (changes == still), "{fastest:e}");
    }
}

/// A zonal flow in balance with the Coriolis force and the curvature stays as it is (Williamson et al. 1992, case 2), to second order. Away
/// from the sides in the north and south, whose waves have not come far after three hours. Without the terms of curvature, or with half of
/// the Coriolis force, the error would not fall.
#[test]
fn a_zonal_flow_is_steady() {
    let error = |cells: usize| {
        let mesh = format!("mesh.cells=[{},{cells}]", 2 * cells);
        let mut simulation = start(
            OCEAN,
            &[
                &mesh,
                "mesh.lower=[-180.0,-75.0]",
                "mesh.upper=[180.0,75.0]",
                "levels={max=1}",
                "solver={name=\"shallow_water_sphere\",rotation=7.292e-5,radius=6.37122e6,gravity=9.80616}",
                "aux.bottom=-1",
                "scheme.source=\"strang\"",
                "initial.depth=\"(29400 - (6.37122e6 * 7.292e-5 * 38.61 + 0.5 * 38.61^2) * sin(y * pi / 180)^2) / 9.80616\"",
                "initial.x_momentum=\"38.61 * cos(y * pi / 180) * (29400 - (6.37122e6 * 7.292e-5 * 38.61 + 0.5 * 38.61^2) * sin(y * pi / 180)^2) / 9.80616\"",
            ],
        );
        advance_to(&mut simulation, 10800.0);
        let mut worst = 0.0_f64;
        for_each_finest_cell(&simulation.frame(), |_, [_, y], _, q| {
            let depth =
                (29400.0 - (6.37122e6 * 7.292e-5 * 38.61 + 0.5 * 38.61 * 38.61) * (y * DEGREE).sin().powi(2)) / 9.80616;
            if y.abs() < 45.0 {
                worst = worst.max((q[0] - depth).abs()).max((q[2] / q[0]).abs());
            }
        });
        worst
    };
    let errors = [error(30), error(60)];
    assert!(errors[0] < 2.0 && errors[1] < 0.3 * errors[0], "{errors:?}");
}

/// A small wave from a hump at 30° north has run as far to the north, east and south after some hours, within a fifth of a cell of 1°, and is
/// as high within 5 %. With plain lengths of degrees the wave to the east would lie 15 % behind. Tolerances: of the width of the crest, and of
/// the damping by limiters, which depends on the direction.
#[test]
fn waves_run_alike_in_all_directions() {
    let hump = "initial.depth=\"4000 + exp(-(acos(min(1, sin(pi/6)*sin(y*pi/180) + cos(pi/6)*cos(y*pi/180)*cos(x*pi/180)))*180/pi)^2/18)\"";
    let mut simulation = start(OCEAN, &["levels={max=1}", "mesh.cells=[360,90]", "aux.bottom=-4000", hump]);
    advance_to(&mut simulation, 12000.0);
    // Of each direction the sums of surface and of surface times distance over the crest, and the highest surface.
    let mut found = [[0.0_f64; 3]; 3];
    let (sine, cosine) = (30.0 * DEGREE).sin_cos();
    for_each_finest_cell(&simulation.frame(), |_, [x, y], _, q| {
        let (x, y) = (x * DEGREE, y * DEGREE);
        let distance = (sine * y.sin() + cosine * y.cos() * x.cos()).acos() / DEGREE;
        let bearing = (x.sin() * y.cos()).atan2(cosine * y.sin() - sine * y.cos() * x.cos()) / DEGREE;
        let surface = q[0] - 4000.0;
        for (n, found) in found.iter_mut().enumerate() {
            if (bearing - 90.0 * n as f64).abs() < 15.0 && surface > 0.02 {
                *found = [found[0] + surface, found[1] + surface * distance, found[2].max(surface)];
            }
        }
    });
    let [north, east, south] = found.map(|[sum, moment, _]| moment / sum);
    assert!((north - east).abs() < 0.2 && (south - east).abs() < 0.2, "{north} {east} {south}");
    let [north, east, south] = found.map(|[.., highest]| highest);
    assert!((north / east - 1.0).abs() < 0.05 && (south / east - 1.0).abs() < 0.05, "{north} {east} {south}");
}
