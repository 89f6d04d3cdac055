//! Quantities derived from a solver's own, such as velocity and Mach number.
//!
//! A quantity is a formula over the solver's equations, auxiliary values and parameters, and over quantities that stand
//! before it. `dx(f)`, `dy(f)`, `dz(f)` are derivatives, `grad(f)` is the magnitude of the gradient.

/// A quantity by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// Its formula.
    pub formula: &'static str,
}

const fn quantity(name: &'static str, formula: &'static str) -> Quantity {
    Quantity { name, formula }
}

/// Velocities from momenta, by dimension.
const VELOCITY_OF_GAS: [&[Quantity]; 3] = [
    &[quantity("u", "x_momentum / density"), quantity("speed", "abs(u)")],
    &[
        quantity("u", "x_momentum / density"),
        quantity("v", "y_momentum / density"),
        quantity("speed", "sqrt(u^2 + v^2)"),
        quantity("vorticity", "dx(v) - dy(u)"),
    ],
    &[
        quantity("u", "x_momentum / density"),
        quantity("v", "y_momentum / density"),
        quantity("w", "z_momentum / density"),
        quantity("speed", "sqrt(u^2 + v^2 + w^2)"),
        quantity("vorticity", "sqrt((dy(w) - dz(v))^2 + (dz(u) - dx(w))^2 + (dx(v) - dy(u))^2)"),
    ],
];

/// Euler's equations: a polytropic gas.
const GAS: &[Quantity] = &[
    quantity("pressure", "(gamma - 1) * (energy - 0.5 * density * speed^2)"),
    quantity("sound_speed", "sqrt(gamma * pressure / density)"),
    quantity("mach", "speed / sound_speed"),
    quantity("entropy", "pressure / density^gamma"),
    quantity("schlieren", "grad(density)"),
];

/// The shallow water equations.
const WATER: [&[Quantity]; 2] = [
    &[
        quantity("u", "if(depth > 0, x_momentum / depth, 0)"),
        quantity("speed", "abs(u)"),
        quantity("froude", "if(depth > 0, speed / sqrt(gravity * depth), 0)"),
    ],
    &[
        quantity("u", "if(depth > 0, x_momentum / depth, 0)"),
        quantity("v", "if(depth > 0, y_momentum / depth, 0)"),
        quantity("speed", "sqrt(u^2 + v^2)"),
        quantity("froude", "if(depth > 0, speed / sqrt(gravity * depth), 0)"),
        quantity("vorticity", "dx(v) - dy(u)"),
    ],
];

/// The same with momentum in space.
const WATER_IN_SPACE: &[Quantity] = &[
    quantity("speed", "sqrt(x_momentum^2 + y_momentum^2 + z_momentum^2) / depth"),
    quantity("froude", "speed / sqrt(gravity * depth)"),
];

/// The shallow water equations over topography.
const SURFACE: &[Quantity] = &[quantity("surface", "depth + bottom")];

/// Linear waves with velocities among their unknowns.
const VELOCITY: [&[Quantity]; 3] = [
    &[quantity("speed", "abs(u)")],
    &[quantity("speed", "sqrt(u^2 + v^2)"), quantity("vorticity", "dx(v) - dy(u)")],
    &[
        quantity("speed", "sqrt(u^2 + v^2 + w^2)"),
        quantity("vorticity", "sqrt((dy(w) - dz(v))^2 + (dz(u) - dx(w))^2 + (dx(v) - dy(u))^2)"),
    ],
];

/// Primitive variables of a solver, and its equations' quantities as formulas over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitives {
    /// The variables.
    pub variables: &'static [&'static str],
    /// One formula for each equation.
    pub conserved: &'static [&'static str],
}

const fn primitives(variables: &'static [&'static str], conserved: &'static [&'static str]) -> Primitives {
    Primitives { variables, conserved }
}

/// Primitive variables of a gas, by dimension.
const PRIMITIVES_OF_GAS: [Primitives; 3] = [
    primitives(
        &["density", "u", "pressure"],
        &["density", "density * u", "pressure / (gamma - 1) + 0.5 * density * u^2"],
    ),
    primitives(
        &["density", "u", "v", "pressure"],
        &["density", "density * u", "density * v", "pressure / (gamma - 1) + 0.5 * density * (u^2 + v^2)"],
    ),
    primitives(
        &["density", "u", "v", "w", "pressure"],
        &[
            "density",
            "density * u",
            "density * v",
            "density * w",
            "pressure / (gamma - 1) + 0.5 * density * (u^2 + v^2 + w^2)",
        ],
    ),
];

/// Primitive variables of a gas with a tracer, by dimension.
const PRIMITIVES_OF_TRACER: [Primitives; 3] = [
    primitives(
        &["density", "u", "pressure", "concentration"],
        &["density", "density * u", "pressure / (gamma - 1) + 0.5 * density * u^2", "density * concentration"],
    ),
    primitives(
        &["density", "u", "v", "pressure", "concentration"],
        &[
            "density",
            "density * u",
            "density * v",
            "pressure / (gamma - 1) + 0.5 * density * (u^2 + v^2)",
            "density * concentration",
        ],
    ),
    primitives(
        &["density", "u", "v", "w", "pressure", "concentration"],
        &[
            "density",
            "density * u",
            "density * v",
            "density * w",
            "pressure / (gamma - 1) + 0.5 * density * (u^2 + v^2 + w^2)",
            "density * concentration",
        ],
    ),
];

/// Primitive variables of water, by dimension.
const PRIMITIVES_OF_WATER: [Primitives; 2] = [
    primitives(&["depth", "u"], &["depth", "depth * u"]),
    primitives(&["depth", "u", "v"], &["depth", "depth * u", "depth * v"]),
];

/// The primitive variables of a built-in solver in `dim` dimensions, if it has others than its equations' quantities.
pub fn primitive_variables(solver: &str, dim: usize) -> Option<Primitives> {
    let of: &[Primitives] = match solver {
        "euler" | "euler_hllc" | "euler_hlle" | "euler_strong_shocks" => &PRIMITIVES_OF_GAS,
        "euler_tracer" => &PRIMITIVES_OF_TRACER,
        "shallow_water" | "shallow_water_bathymetry" | "shallow_water_hlle" => &PRIMITIVES_OF_WATER,
        _ => &[],
    };
    of.get(dim.wrapping_sub(1)).copied()
}

/// The quantities of a built-in solver in `dim` dimensions; none for other names.
pub fn quantities(solver: &str, dim: usize) -> Vec<Quantity> {
    let of = |tables: &[&[Quantity]]| tables.get(dim.wrapping_sub(1)).map_or(Vec::new(), |table| table.to_vec());
    match solver {
        "euler" | "euler_hllc" | "euler_hlle" | "euler_strong_shocks" | "euler_tracer" => {
            [&of(&VELOCITY_OF_GAS)[..], GAS].concat()
        }
        "shallow_water" | "shallow_water_hlle" => of(&WATER),
        "shallow_water_bathymetry" => [&of(&WATER)[..], SURFACE].concat(),
        // Derivatives there are by degrees.
        "shallow_water_sphere" => {
            of(&WATER).into_iter().filter(|q| q.name != "vorticity").chain(SURFACE.to_vec()).collect()
        }
        "shallow_water_whole_sphere" => WATER_IN_SPACE.to_vec(),
        "acoustics" | "acoustics_variable" | "elasticity" => of(&VELOCITY),
        _ => Vec::new(),
    }
}
