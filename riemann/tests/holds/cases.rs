//! Every built-in solver with its admissible states.

#[path = "cases_in_space.rs"]
pub mod in_space;
#[path = "cases_rare.rs"]
pub mod rare;

use crate::random::Random;
use riemann::prelude::*;
use riemann::solvers::{
    Acoustics, AcousticsVariable, Advection, AdvectionEdge, AdvectionMapped, AdvectionReaction, Burgers, Elasticity,
    ElasticityVariable, Euler, EulerHllc, EulerHlle, EulerStrongShocks, EulerTracer, PSystem, PSystemVariable,
    ShallowWater, ShallowWaterBathymetry, ShallowWaterHlle, Traffic,
};

/// A solver with functions that make states for it.
pub struct Case<S, const M: usize, const A: usize> {
    pub name: &'static str,
    pub solver: S,
    /// The solver of the problem with x and y exchanged.
    pub exchanged: S,
    /// A random admissible state.
    pub state: fn(&mut Random) -> [f64; M],
    /// Random admissible aux values of a cell.
    pub aux: fn(&mut Random) -> [f64; A],
    /// Exchange x and y in a state and in aux values.
    pub exchange_state: fn([f64; M]) -> [f64; M],
    pub exchange_aux: fn([f64; A]) -> [f64; A],
    /// The state about which the solver linearises the face between two states.
    pub average: fn([f64; M], [f64; M]) -> [f64; M],
}

/// A property of any solver.
pub trait Property {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>);
}

/// Checks a property of every built-in solver.
pub fn for_every_solver(property: &impl Property) {
    property.check(&acoustics());
    property.check(&acoustics_variable());
    property.check(&advection());
    property.check(&advection_edge());
    property.check(&burgers());
    property.check(&euler());
    property.check(&shallow_water());
    property.check(&advection_mapped());
    property.check(&advection_reaction());
    property.check(&elasticity());
    property.check(&euler_hllc());
    property.check(&euler_strong_shocks());
    property.check(&euler_tracer());
    property.check(&p_system());
    property.check(&shallow_water_bathymetry());
    property.check(&traffic());
    property.check(&euler_hlle());
    property.check(&shallow_water_hlle());
    property.check(&p_system_variable());
    property.check(&elasticity_variable());
    rare::for_every_rare_solver(property);
}

fn same<T>(x: T) -> T {
    x
}

fn mean<const M: usize>(ql: [f64; M], qr: [f64; M]) -> [f64; M] {
    std::array::from_fn(|m| 0.5 * (ql[m] + qr[m]))
}

/// Roe's average of two states per √weight: `(√wl al + √wr ar)/(√wl + √wr)`.
fn roe_mean(wl: f64, al: f64, wr: f64, ar: f64) -> f64 {
    (wl.sqrt() * al + wr.sqrt() * ar) / (wl.sqrt() + wr.sqrt())
}

pub fn acoustics() -> Case<Acoustics, 3, 0> {
    let solver = Acoustics::<2> { density: 1.3, bulk: 3.7 };
    Case {
        name: "acoustics",
        solver,
        exchanged: solver,
        state: |random| [random.between(-2.0, 2.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
        aux: |_| [],
        exchange_state: |[p, u, v]| [p, v, u],
        exchange_aux: same,
        average: mean,
    }
}

pub fn acoustics_variable() -> Case<AcousticsVariable, 3, 2> {
    let Case { state, exchange_state, average, .. } = acoustics();
    Case {
        name: "acoustics_variable",
        solver: AcousticsVariable,
        exchanged: AcousticsVariable,
        state,
        aux: |random| [random.positive(0.2, 5.0), random.positive(0.2, 5.0)],
        exchange_state,
        exchange_aux: same,
        average,
    }
}

pub fn advection() -> Case<Advection, 1, 0> {
    Case {
        name: "advection",
        solver: Advection::<2> { u: 0.7, v: -0.4, w: 0.0 },
        exchanged: Advection::<2> { u: -0.4, v: 0.7, w: 0.0 },
        state: |random| [random.between(-1.0, 1.0)],
        aux: |_| [],
        exchange_state: same,
        exchange_aux: same,
        average: mean,
    }
}

pub fn advection_edge() -> Case<AdvectionEdge, 1, 2> {
    Case {
        name: "advection_edge",
        solver: AdvectionEdge::<2>,
        exchanged: AdvectionEdge::<2>,
        state: |random| [random.between(-1.0, 1.0)],
        aux: |random| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
        exchange_state: same,
        exchange_aux: |[u, v]| [v, u],
        average: mean,
    }
}

pub fn burgers() -> Case<Burgers, 1, 0> {
    Case {
        name: "burgers",
        solver: Burgers,
        exchanged: Burgers,
        state: |random| [random.between(-1.0, 1.0)],
        aux: |_| [],
        exchange_state: same,
        exchange_aux: same,
        average: mean,
    }
}

/// Ratio of specific heats of the gas in [`euler`].
pub const GAMMA: f64 = 1.4;

/// Conserved quantities of a gas of the given density, velocity and pressure.
pub fn gas([density, u, v, pressure]: [f64; 4]) -> [f64; 4] {
    [density, density * u, density * v, pressure / (GAMMA - 1.0) + 0.5 * density * (u * u + v * v)]
}

/// Densities and pressures within a factor of 25 of each other; Mach numbers up to about 8.
pub fn euler() -> Case<Euler, 4, 0> {
    let solver = Euler::<2> { gamma: GAMMA };
    Case {
        name: "euler",
        solver,
        exchanged: solver,
        state: |random| {
            let (u, v) = (random.between(-3.0, 3.0), random.between(-3.0, 3.0));
            gas([random.positive(0.2, 5.0), u, v, random.positive(0.2, 5.0)])
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, energy]| [density, my, mx, energy],
        exchange_aux: same,
        average: |ql, qr| {
            let enthalpy = |q: [f64; 4]| {
                let kinetic = 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0];
                (q[3] + (GAMMA - 1.0) * (q[3] - kinetic)) / q[0]
            };
            let average = |al, ar| roe_mean(ql[0], al, qr[0], ar);
            let [u, v] = [1, 2].map(|m| average(ql[m] / ql[0], qr[m] / qr[0]));
            // The Jacobian depends on velocity and enthalpy only, so that any density will do.
            let pressure = (GAMMA - 1.0) / GAMMA * (average(enthalpy(ql), enthalpy(qr)) - 0.5 * (u * u + v * v));
            gas([1.0, u, v, pressure])
        },
    }
}

/// Depths within a factor of 25 of each other; Froude numbers up to about 3.
pub fn shallow_water() -> Case<ShallowWater, 3, 0> {
    let solver = ShallowWater::<2> { gravity: 9.81 };
    Case {
        name: "shallow_water",
        solver,
        exchanged: solver,
        state: |random| {
            let depth = random.positive(0.2, 5.0);
            [depth, depth * random.between(-5.0, 5.0), depth * random.between(-5.0, 5.0)]
        },
        aux: |_| [],
        exchange_state: |[depth, mx, my]| [depth, my, mx],
        exchange_aux: same,
        average: |ql, qr| {
            let depth = 0.5 * (ql[0] + qr[0]);
            let [u, v] = [1, 2].map(|m| roe_mean(ql[0], ql[m] / ql[0], qr[0], qr[m] / qr[0]));
            [depth, depth * u, depth * v]
        },
    }
}

pub fn advection_mapped() -> Case<AdvectionMapped, 1, 3> {
    Case {
        name: "advection_mapped",
        solver: AdvectionMapped,
        exchanged: AdvectionMapped,
        state: |random| [random.between(-1.0, 1.0)],
        aux: |random| [random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.positive(0.5, 2.0)],
        exchange_state: same,
        exchange_aux: |[u, v, capacity]| [v, u, capacity],
        average: mean,
    }
}

pub fn advection_reaction() -> Case<AdvectionReaction, 1, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = advection();
    Case {
        name: "advection_reaction",
        solver: AdvectionReaction { u: 0.7, v: -0.4, rate: 1.3 },
        exchanged: AdvectionReaction { u: -0.4, v: 0.7, rate: 1.3 },
        state,
        aux,
        exchange_state,
        exchange_aux,
        average,
    }
}

pub fn elasticity() -> Case<Elasticity, 5, 0> {
    let solver = Elasticity::<2> { density: 1.3, lambda: 2.1, mu: 0.9 };
    Case {
        name: "elasticity",
        solver,
        exchanged: solver,
        state: |random| std::array::from_fn(|_| random.between(-1.0, 1.0)),
        aux: |_| [],
        exchange_state: |[xx, yy, xy, u, v]| [yy, xx, xy, v, u],
        exchange_aux: same,
        average: mean,
    }
}

pub fn euler_hllc() -> Case<EulerHllc, 4, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = euler();
    let solver = EulerHllc::<2> { gamma: GAMMA };
    Case { name: "euler_hllc", solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

pub fn euler_strong_shocks() -> Case<EulerStrongShocks, 4, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = euler();
    let solver = EulerStrongShocks { gamma: GAMMA };
    let name = "euler_strong_shocks";
    Case { name, solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

/// The gas of [`euler`], with concentrations between 0 and 1.
pub fn euler_tracer() -> Case<EulerTracer, 5, 0> {
    let solver = EulerTracer::<2> { gamma: GAMMA };
    Case {
        name: "euler_tracer",
        solver,
        exchanged: solver,
        state: |random| {
            let [density, mx, my, energy] = (euler().state)(random);
            [density, mx, my, energy, density * random.between(0.0, 1.0)]
        },
        aux: |_| [],
        exchange_state: |[density, mx, my, energy, tracer]| [density, my, mx, energy, tracer],
        exchange_aux: same,
        average: |ql, qr| {
            let gas = |q: [f64; 5]| [q[0], q[1], q[2], q[3]];
            let [density, mx, my, energy] = (euler().average)(gas(ql), gas(qr));
            [density, mx, my, energy, density * roe_mean(ql[0], ql[4] / ql[0], qr[0], qr[4] / qr[0])]
        },
    }
}

pub fn p_system() -> Case<PSystem, 3, 0> {
    let solver = PSystem::<2> { density: 1.3, modulus: 2.7, nonlinearity: 1.9 };
    Case {
        name: "p_system",
        solver,
        exchanged: solver,
        state: |random| [random.between(-0.1, 0.4), random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
        aux: |_| [],
        exchange_state: |[strain, mx, my]| [strain, my, mx],
        exchange_aux: same,
        average: mean,
    }
}

/// The water of [`shallow_water`] over bottoms between −1 and 0: no dry cells.
pub fn shallow_water_bathymetry() -> Case<ShallowWaterBathymetry<2>, 3, 1> {
    let Case { state, exchange_state, average, .. } = shallow_water();
    let solver =
        ShallowWaterBathymetry::<2> { manning: 0.03, coriolis: 0.2, ..ShallowWaterBathymetry::with_gravity(9.81) };
    Case {
        name: "shallow_water_bathymetry",
        solver,
        exchanged: solver,
        state,
        aux: |random| [random.between(-1.0, 0.0)],
        exchange_state,
        exchange_aux: same,
        average,
    }
}

pub fn traffic() -> Case<Traffic, 1, 0> {
    Case {
        name: "traffic",
        solver: Traffic::<2> { u: 1.1, v: -0.6 },
        exchanged: Traffic::<2> { u: -0.6, v: 1.1 },
        state: |random| [random.between(0.0, 1.0)],
        aux: |_| [],
        exchange_state: same,
        exchange_aux: same,
        average: mean,
    }
}

pub fn euler_hlle() -> Case<EulerHlle, 4, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = euler();
    let solver = EulerHlle::<2> { gamma: GAMMA };
    Case { name: "euler_hlle", solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

pub fn shallow_water_hlle() -> Case<ShallowWaterHlle, 3, 0> {
    let Case { state, aux, exchange_state, exchange_aux, average, .. } = shallow_water();
    let solver = ShallowWaterHlle::<2> { gravity: 9.81 };
    Case { name: "shallow_water_hlle", solver, exchanged: solver, state, aux, exchange_state, exchange_aux, average }
}

/// The strains of [`p_system`], under all three laws.
pub fn p_system_variable() -> Case<PSystemVariable, 3, 3> {
    let Case { state, exchange_state, average, .. } = p_system();
    Case {
        name: "p_system_variable",
        solver: PSystemVariable,
        exchanged: PSystemVariable,
        state,
        aux: |random| [random.positive(0.5, 2.0), random.positive(0.5, 2.0), random.between(1.0, 3.99).floor()],
        exchange_state,
        exchange_aux: same,
        average,
    }
}

pub fn elasticity_variable() -> Case<ElasticityVariable, 5, 5> {
    let Case { state, exchange_state, average, .. } = elasticity();
    Case {
        name: "elasticity_variable",
        solver: ElasticityVariable,
        exchanged: ElasticityVariable,
        state,
        aux: |random| ElasticityVariable.admissible_aux(std::array::from_fn(|_| random.between(0.0, 1.0))),
        exchange_state,
        exchange_aux: same,
        average,
    }
}
