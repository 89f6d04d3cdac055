//! The built-in solvers in three dimensions, with admissible states.

use super::{Case, GAMMA, Property, advection, burgers, mean, roe_mean, same};
use riemann::solvers::{
    Acoustics, AcousticsVariable, Advection, AdvectionEdge, Burgers, Elasticity, Euler, EulerHllc, EulerStrongShocks,
    EulerTracer,
};

/// Checks a property of the built-in solvers in three dimensions.
pub fn for_every_solver_in_space(property: &impl Property) {
    property.check(&acoustics_in_space());
    property.check(&acoustics_variable_in_space());
    property.check(&advection_in_space());
    property.check(&advection_edge_in_space());
    property.check(&burgers_in_space());
    property.check(&elasticity_in_space());
    property.check(&euler_in_space());
    property.check(&euler_hllc_in_space());
    property.check(&euler_strong_shocks_in_space());
    property.check(&euler_tracer_in_space());
}

pub fn acoustics_in_space() -> Case<Acoustics<3>, 4, 0> {
    let solver = Acoustics::<3> { density: 1.3, bulk: 3.7 };
    Case {
        name: "acoustics in space",
        solver,
        exchanged: solver,
        state: |random| std::array::from_fn(|_| random.between(-1.0, 1.0)),
        aux: |_| [],
        exchange_state: |[p, u, v, w]| [p, v, u, w],
        exchange_aux: same,
        average: mean,
    }
}

fn acoustics_variable_in_space() -> Case<AcousticsVariable<3>, 4, 2> {
    let Case { state, exchange_state, average, .. } = acoustics_in_space();
    Case {
        name: "acoustics_variable in space",
        solver: AcousticsVariable::<3>,
        exchanged: AcousticsVariable::<3>,
        state,
        aux: |random| [random.positive(0.2, 5.0), random.positive(0.2, 5.0)],
        exchange_state,
        exchange_aux: same,
        average,
    }
}

fn advection_edge_in_space() -> Case<AdvectionEdge<3>, 1, 3> {
    Case {
        name: "advection_edge in space",
        solver: AdvectionEdge::<3>,
        exchanged: AdvectionEdge::<3>,
        state: |random| [random.between(-1.0, 1.0)],
        aux: |random| std::array::from_fn(|_| random.between(-1.0, 1.0)),
        exchange_state: same,
        exchange_aux: |[u, v, w]| [v, u, w],
        average: mean,
    }
}

fn elasticity_in_space() -> Case<Elasticity<3>, 9, 0> {
    let solver = Elasticity::<3> { density: 1.3, lambda: 2.1, mu: 0.9 };
    Case {
        name: "elasticity in space",
        solver,
        exchanged: solver,
        state: |random| std::array::from_fn(|_| random.between(-1.0, 1.0)),
        aux: |_| [],
        exchange_state: |[xx, yy, zz, xy, xz, yz, u, v, w]| [yy, xx, zz, xy, yz, xz, v, u, w],
        exchange_aux: same,
        average: mean,
    }
}

fn advection_in_space() -> Case<Advection<3>, 1, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = advection();
    let (solver, exchanged) = (Advection::<3> { u: 0.7, v: -0.4, w: 1.6 }, Advection::<3> { u: -0.4, v: 0.7, w: 1.6 });
    Case { name: "advection in space", solver, exchanged, state, aux, exchange_state, exchange_aux, average }
}

fn burgers_in_space() -> Case<Burgers<3>, 1, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = burgers();
    let (name, solver, exchanged) = ("burgers in space", Burgers::<3>, Burgers::<3>);
    Case { name, solver, exchanged, state, aux, exchange_state, exchange_aux, average }
}

/// Conserved quantities of a gas in three dimensions.
fn gas_in_space(density: f64, velocity: [f64; 3], pressure: f64) -> [f64; 5] {
    let [u, v, w] = velocity;
    let energy = pressure / (GAMMA - 1.0) + 0.5 * density * (u * u + v * v + w * w);
    [density, density * u, density * v, density * w, energy]
}

/// The gas of [`euler`], with a third velocity.
fn euler_in_space() -> Case<Euler<3>, 5, 0> {
    let solver = Euler::<3> { gamma: GAMMA };
    Case {
        name: "euler in space",
        solver,
        exchanged: solver,
        state: |random| {
            let velocity = std::array::from_fn(|_| random.between(-3.0, 3.0));
            gas_in_space(random.positive(0.2, 5.0), velocity, random.positive(0.2, 5.0))
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, mz, energy]| [density, my, mx, mz, energy],
        exchange_aux: same,
        average: |ql, qr| {
            let squared = |[u, v, w]: [f64; 3]| u * u + v * v + w * w;
            let velocity = |q: [f64; 5]| [1, 2, 3].map(|m| q[m] / q[0]);
            let enthalpy = |q: [f64; 5]| {
                let kinetic = 0.5 * q[0] * squared(velocity(q));
                (q[4] + (GAMMA - 1.0) * (q[4] - kinetic)) / q[0]
            };
            let average = |al, ar| roe_mean(ql[0], al, qr[0], ar);
            let mean = std::array::from_fn(|k| average(velocity(ql)[k], velocity(qr)[k]));
            let pressure = (GAMMA - 1.0) / GAMMA * (average(enthalpy(ql), enthalpy(qr)) - 0.5 * squared(mean));
            gas_in_space(1.0, mean, pressure)
        },
    }
}

fn euler_hllc_in_space() -> Case<EulerHllc<3>, 5, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = euler_in_space();
    let solver = EulerHllc::<3> { gamma: GAMMA };
    let name = "euler_hllc in space";
    Case { name, solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

fn euler_strong_shocks_in_space() -> Case<EulerStrongShocks<3>, 5, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = euler_in_space();
    let solver = EulerStrongShocks { gamma: GAMMA };
    let name = "euler_strong_shocks in space";
    Case { name, solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

/// The gas of [`euler_in_space`], with concentrations between 0 and 1.
fn euler_tracer_in_space() -> Case<EulerTracer<3>, 6, 0> {
    let solver = EulerTracer::<3> { gamma: GAMMA };
    Case {
        name: "euler_tracer in space",
        solver,
        exchanged: solver,
        state: |random| {
            let [density, mx, my, mz, energy] = (euler_in_space().state)(random);
            [density, mx, my, mz, energy, density * random.between(0.0, 1.0)]
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, mz, energy, tracer]| [density, my, mx, mz, energy, tracer],
        exchange_aux: same,
        average: |ql, qr| {
            let gas = |q: [f64; 6]| [q[0], q[1], q[2], q[3], q[4]];
            let [density, mx, my, mz, energy] = (euler_in_space().average)(gas(ql), gas(qr));
            [density, mx, my, mz, energy, density * roe_mean(ql[0], ql[5] / ql[0], qr[0], qr[5] / qr[0])]
        },
    }
}
