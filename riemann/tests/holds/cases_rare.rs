//! Solvers in the plane that few cases use and whose states are like no other's.

use super::{Case, Property, acoustics_variable, euler, mean, same};
use riemann::prelude::*;
use riemann::solvers::{
    AcousticsAdjoint, EulerRelativistic, EulerTwoGases, EulerWallsHlle, Mhd, ShallowWaterLayers,
    ShallowWaterWholeSphere,
};

/// Checks a property of each.
pub fn for_every_rare_solver(property: &impl Property) {
    property.check(&acoustics_adjoint());
    property.check(&mhd());
    property.check(&euler_relativistic());
    property.check(&euler_two_gases());
    property.check(&euler_walls_hlle());
    property.check(&shallow_water_layers());
    property.check(&shallow_water_whole_sphere());
}

fn acoustics_adjoint() -> Case<AcousticsAdjoint, 3, 2> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = acoustics_variable();
    let solver = AcousticsAdjoint::<2>;
    Case { name: "acoustics_adjoint", solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

pub fn mhd() -> Case<Mhd, 9, 0> {
    let solver = Mhd::<2> { gamma: 5.0 / 3.0, cleaning_speed: 2.3 };
    Case {
        name: "mhd",
        solver,
        exchanged: solver,
        state: |random| {
            let gamma = 5.0 / 3.0;
            Mhd::<2> { gamma, cleaning_speed: 1.0 }.admissible(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, mz, energy, bx, by, bz, psi]| [density, my, mx, mz, energy, by, bx, bz, psi],
        exchange_aux: same,
        average: mean,
    }
}

fn euler_relativistic() -> Case<EulerRelativistic, 4, 0> {
    let solver = EulerRelativistic::<2> { gamma: 5.0 / 3.0 };
    Case {
        name: "euler_relativistic",
        solver,
        exchanged: solver,
        state: |random| {
            EulerRelativistic::<2> { gamma: 5.0 / 3.0 }.admissible(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        aux: |_| [],
        exchange_state: |[mass, mx, my, energy]| [mass, my, mx, energy],
        exchange_aux: same,
        average: mean,
    }
}

/// A gas and a liquid, whose densities are those of [`euler`].
fn euler_two_gases() -> Case<EulerTwoGases, 5, 0> {
    let solver = EulerTwoGases::<2> { gamma_1: 1.4, stiffness_1: 0.0, gamma_2: 4.4, stiffness_2: 6.0 };
    Case {
        name: "euler_two_gases",
        solver,
        exchanged: solver,
        state: |random| {
            let solver = EulerTwoGases::<2> { gamma_1: 1.4, stiffness_1: 0.0, gamma_2: 4.4, stiffness_2: 6.0 };
            solver.admissible(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, energy, fraction]| [density, my, mx, energy, fraction],
        exchange_aux: same,
        average: mean,
    }
}

fn euler_walls_hlle() -> Case<EulerWallsHlle, 4, 1> {
    let Case { state, exchange_state, average, .. } = euler();
    let solver = EulerWallsHlle::<2> { gamma: super::GAMMA };
    Case {
        name: "euler_walls_hlle",
        solver,
        exchanged: solver,
        state,
        aux: |random| [random.between(0.0, 1.99).floor()],
        exchange_state,
        exchange_aux: same,
        average,
    }
}

fn shallow_water_layers() -> Case<ShallowWaterLayers, 6, 1> {
    let solver = ShallowWaterLayers::<2> { gravity: 9.81, ratio: 0.9 };
    Case {
        name: "shallow_water_layers",
        solver,
        exchanged: solver,
        state: |random| {
            let solver = ShallowWaterLayers::<2> { gravity: 9.81, ratio: 0.9 };
            solver.admissible(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        aux: |random| [random.between(-1.0, 0.0)],
        exchange_state: |[h1, x1, y1, h2, x2, y2]| [h1, y1, x1, h2, y2, x2],
        exchange_aux: same,
        average: mean,
    }
}

pub fn shallow_water_whole_sphere() -> Case<ShallowWaterWholeSphere, 4, 10> {
    let solver = ShallowWaterWholeSphere { gravity: 9.81, rotation: 0.3 };
    Case {
        name: "shallow_water_whole_sphere",
        solver,
        exchanged: solver,
        state: |random| {
            let solver = ShallowWaterWholeSphere { gravity: 9.81, rotation: 0.3 };
            solver.admissible(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        aux: |random| {
            let solver = ShallowWaterWholeSphere { gravity: 9.81, rotation: 0.3 };
            solver.admissible_aux(std::array::from_fn(|_| random.between(0.0, 1.0)))
        },
        exchange_state: same,
        exchange_aux: |[lx, dx, ly, dy, lz, dz, x, y, z, capacity]| [dx, lx, dy, ly, dz, lz, x, y, z, capacity],
        average: |ql, qr| {
            let h = 0.5 * (ql[0] + qr[0]);
            std::array::from_fn(|m| match m {
                0 => h,
                _ => h * super::roe_mean(ql[0], ql[m] / ql[0], qr[0], qr[m] / qr[0]),
            })
        },
    }
}
