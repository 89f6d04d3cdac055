//! Formulas of cases: on the device they give the CPU's bits, and the host computes none of them.

use super::common::{bits, case, options, take_steps};
use super::start_emulated;
use amrclaw::simulation::{Simulation, UserFunctions};

const LINE: &str = include_str!("../cases/gas_on_a_line.toml");
const PLANE: &str = include_str!("../cases/sound.toml");
const SPACE: &str = include_str!("../cases/sound_in_space.toml");

/// A case, overrides, and what the host computes of it in steps and regrids.
pub type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Lines.
pub const ON_A_LINE: [Row; 2] = [
    (LINE, &["regrid.flag={criterion='user',expression='abs(density - 0.5) < 0.45 && x > 2 * dx'}"], &[]),
    (
        LINE,
        &[
            "source.density='if(x_lower > 0.5, -0.3 * density / (1 + x), min(t, 0.1))'",
            "source.energy='-max(0.1, x_momentum^2 / density, sign(x - 0.4)) + floor(8 * x) / 16 - ceil(x) * 1e-3'",
            "scheme.source='strang'",
        ],
        &[],
    ),
];

/// Planes.
pub const IN_A_PLANE: [Row; 4] = [
    (
        PLANE,
        &["regrid.flag={criterion='user',expression='pressure > 0.4 + 0.1 * r || (t < 0.02 && hypot(u, v) > 0.2)'}"],
        &["flags"],
    ),
    (PLANE, &["regrid.flag={criterion='user',expression='pressure - 0.3 * r > 0.1 * mod(7 * y, 1)'}"], &[]),
    (
        PLANE,
        &[
            "source.pressure='-2 * pressure * x_upper + u^3'",
            "source.v='!(x > y) - 0.5 * heaviside(y)'",
            "scheme.source='strang'",
        ],
        &[],
    ),
    (
        PLANE,
        &["source.u='0.3 * pressure / (density + bulk * dy)'", "scheme.source='godunov'", "scheme.split='strang'"],
        &[],
    ),
];

/// Space.
pub const IN_SPACE: [Row; 2] = [
    (SPACE, &["regrid.flag={criterion='user',expression='pressure > 0.2 && z_lower > 0.1 * (1 + t)'}"], &[]),
    (
        SPACE,
        &[
            "source.pressure='-pressure * z_upper * sqrt(abs(y)) + 0 * r'",
            "source.w='u * v - z'",
            "scheme.source='strang'",
        ],
        &[],
    ),
];

fn compare<const D: usize>((text, overrides, on_host): &Row, steps: usize) {
    let mut cpu =
        Simulation::<D>::builder(&case(text, overrides)).options(&options(2)).build().unwrap_or_else(|e| panic!("{e}"));
    let mut device = start_emulated::<D>(text, overrides, UserFunctions::default());
    take_steps(&mut cpu, steps);
    take_steps(&mut device, steps);
    assert!(cpu.counts().regrids > 0 && cpu.hierarchy().levels().len() == 3, "{overrides:?}");
    assert!(bits(&cpu.frame()) == bits(&device.frame()), "{overrides:?}: bits");
    assert_eq!(cpu.counts().regrids, device.counts().regrids, "{overrides:?}");
    assert_eq!(cpu.totals(), device.totals(), "{overrides:?}");
    let work = device.host_work();
    let found: Vec<&str> = work.iter().map(|work| work.what).filter(|what| *what != "initial data").collect();
    assert_eq!(found, *on_host, "{overrides:?}");
}

#[test]
fn formulas_on_a_line_are_computed_by_kernels() {
    ON_A_LINE.iter().for_each(|row| compare::<1>(row, 4));
}

#[test]
fn formulas_in_a_plane_are_computed_by_kernels() {
    IN_A_PLANE.iter().for_each(|row| compare::<2>(row, 4));
}

#[test]
fn formulas_in_space_are_computed_by_kernels() {
    IN_SPACE.iter().for_each(|row| compare::<3>(row, 3));
}
