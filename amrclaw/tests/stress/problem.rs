//! Random cases: solvers, levels, boundary conditions, meshes, in one, two and three dimensions.

use super::random::Random;
use std::fmt::Write as _;

/// A solver: name, dimensions, parameters, initial data and auxiliary values. `W`, `X` and `Y` are replaced by shapes between −1 and 1.
pub(super) struct Physics {
    pub name: &'static str,
    pub dims: &'static [usize],
    pub parameters: &'static str,
    pub initial: &'static [(&'static str, &'static str)],
    /// What a second and a third dimension add.
    pub across: &'static [(&'static str, &'static str)],
    aux: &'static [(&'static str, &'static str)],
    /// The solver has a velocity, which a wall reverses.
    pub walls: bool,
    /// The total of the first equation changes only through sides.
    pub conserves: bool,
    capacity: bool,
    /// In how many dimensions the solver runs on mapped meshes.
    pub mapped: &'static [usize],
}

pub(super) const PHYSICS: &[Physics] = &[
    Physics {
        name: "acoustics",
        dims: &[1, 2, 3],
        parameters: "density = 1.3\nbulk = 2.1\n",
        initial: &[("pressure", "W"), ("u", "0.5 * X")],
        across: &[("v", "0.5 * Y"), ("w", "0.3 * Y")],
        aux: &[],
        walls: true,
        conserves: true,
        capacity: false,
        mapped: &[2, 3],
    },
    Physics {
        name: "shallow_water",
        dims: &[1, 2],
        parameters: "gravity = 1.0\n",
        initial: &[("depth", "1 + 0.3 * W"), ("x_momentum", "(1 + 0.3 * W) * 0.3 * X")],
        across: &[("y_momentum", "(1 + 0.3 * W) * 0.3 * Y")],
        aux: &[],
        walls: true,
        conserves: true,
        capacity: false,
        mapped: &[2],
    },
    Physics {
        name: "euler",
        dims: &[1, 2],
        parameters: "",
        initial: &[("density", "1 + 0.3 * W"), ("x_momentum", "0.2 * X"), ("energy", "3 + 0.5 * W")],
        across: &[("y_momentum", "0.2 * Y")],
        aux: &[],
        walls: true,
        conserves: true,
        capacity: false,
        mapped: &[2],
    },
    Physics {
        name: "euler_hllc",
        dims: &[2, 3],
        parameters: "",
        initial: &[("density", "1 + 0.3 * W"), ("x_momentum", "0.2 * X"), ("energy", "3 + 0.5 * W")],
        across: &[("y_momentum", "0.2 * Y"), ("z_momentum", "0.1 * X")],
        aux: &[],
        walls: true,
        conserves: true,
        capacity: false,
        mapped: &[2, 3],
    },
    Physics {
        name: "elasticity",
        dims: &[2],
        parameters: "density = 1.2\nlambda = 2.0\nmu = 0.7\n",
        initial: &[("stress_xx", "W"), ("stress_yy", "0.5 * X"), ("stress_xy", "0.5 * Y"), ("u", "0.4 * X")],
        across: &[("v", "0.3 * W")],
        aux: &[],
        walls: true,
        conserves: false,
        capacity: false,
        mapped: &[2],
    },
    Physics {
        name: "burgers",
        dims: &[1, 2, 3],
        parameters: "",
        initial: &[("q", "W + 0.2 * X")],
        across: &[],
        aux: &[],
        walls: false,
        conserves: true,
        capacity: false,
        mapped: &[],
    },
    Physics {
        name: "acoustics_variable",
        dims: &[2],
        parameters: "",
        initial: &[("pressure", "W"), ("u", "0.5 * X"), ("v", "0.5 * Y")],
        across: &[],
        aux: &[("impedance", "1.5 + X"), ("sound_speed", "1 + 0.5 * Y")],
        walls: true,
        conserves: false,
        capacity: false,
        mapped: &[],
    },
    Physics {
        name: "shallow_water_bathymetry",
        dims: &[2],
        parameters: "gravity = 1.0\n",
        initial: &[("depth", "1 + 0.2 * W - 0.2 * X"), ("x_momentum", "0.1 * Y"), ("y_momentum", "0")],
        across: &[],
        aux: &[("bottom", "0.2 * X - 1")],
        walls: true,
        conserves: true,
        capacity: false,
        mapped: &[],
    },
    Physics {
        name: "advection_mapped",
        dims: &[2],
        parameters: "",
        initial: &[("q", "W")],
        across: &[],
        aux: &[("u_edge", "cos(9 * t) * X"), ("v_edge", "Y"), ("capacity", "1.5 + 0.5 * X")],
        walls: false,
        conserves: true,
        capacity: true,
        mapped: &[],
    },
];

/// The solver and dimension of a random case, and whether its mesh is mapped.
pub(super) struct Choice {
    pub physics: &'static Physics,
    pub dim: usize,
    pub mapped: bool,
}

/// A shape between −1 and 1: a wave, a disc, or nothing.
pub(super) fn shape(random: &mut Random, dim: usize) -> String {
    let along = |terms: [String; 3]| terms[..dim].join(" + ");
    let axes = ["x", "y", "z"];
    match random.whole(0, 4) {
        0 | 1 => {
            let terms = axes.map(|axis| format!("{} * {axis}", random.whole(0, 2)));
            format!("sin(2 * pi * ({}) + {})", along(terms), random.number(0.0, 6.0))
        }
        2 | 3 => {
            let terms = axes.map(|axis| format!("({axis} - {})^2", random.number(0.0, 1.0)));
            // No centre of a cell lies at its edge.
            format!("if({} < {} + 1.7e-4, 1, 0)", along(terms), random.number(0.01, 0.1))
        }
        _ => "0".into(),
    }
}

/// Writes the number of cells along each axis, the mapping, and the boundary conditions.
pub(super) fn mesh(choice: &Choice, random: &mut Random, text: &mut String) {
    let dim = choice.dim;
    let size = |random: &mut Random| match random.percent(30) {
        true => random.whole(1, 6),
        false => random.whole(7, [80, 32, 10][dim - 1]),
    };
    let cells: Vec<u64> = (0..dim).map(|_| size(random)).collect();
    let _ = writeln!(text, "[mesh]\ncells = {cells:?}");
    if choice.mapped {
        // Nodes of opposite sides meet, and one pair of sides bends.
        let (stretch, bend) = (random.number(0.0, 0.08), random.number(-0.1, 0.1));
        let along_z = if dim > 2 { "\nz = \"Z + 0.02 * sin(2 * pi * Y)\"" } else { "" };
        let _ = writeln!(
            text,
            "[mesh.mapping]\nx = \"X + {stretch} * sin(2 * pi * X) * cos(2 * pi * Y)\"\n\
             y = \"Y + {bend} * sin(2 * pi * X)\"{along_z}"
        );
    }
    text.push_str("[mesh.boundary]\n");
    for axis in &["x", "y", "z"][..dim] {
        let kinds: &[&str] = if choice.physics.walls { &["extrapolate", "wall", "wall"] } else { &["extrapolate"] };
        let sides = match random.percent(40) {
            true => ["periodic"; 2],
            false => [random.one_of(kinds), random.one_of(kinds)],
        };
        let _ = writeln!(text, "{axis} = {sides:?}");
    }
}

pub(super) fn levels(choice: &Choice, random: &mut Random, levels: u64, text: &mut String) {
    let dim = choice.dim;
    let largest = if dim > 2 { 2 } else { 4 };
    let ratio = |random: &mut Random| match dim > 1 && random.percent(20) {
        true => format!("{:?}", (0..dim).map(|_| random.whole(2, largest)).collect::<Vec<_>>()),
        false => random.one_of(&[2, 2, 3, 4]).min(largest).to_string(),
    };
    let ratios: Vec<String> = (1..levels).map(|_| ratio(random)).collect();
    let _ = writeln!(text, "[levels]\nmax = {levels}\nratio = [{}]", ratios.join(", "));
    if random.percent(20) {
        let times: Vec<u64> = (1..levels).map(|_| random.whole(1, 4)).collect();
        let _ = writeln!(text, "ratio_time = {times:?}");
    }
    let (interval, cutoff) = (random.whole(1, 5), random.one_of(&[0.5, 0.7, 0.9, 1.0]));
    let _ = writeln!(text, "[regrid]\ninterval = {interval}\ncutoff = {cutoff}");
    let _ = writeln!(text, "max_patch_size = {}", random.one_of(&[12, 24, 48, 96]));
    if random.percent(60) {
        let _ = writeln!(text, "buffer = {}", random.one_of(&[0, 0, 0, 1, 2, 5]));
    }
    if random.percent(20) {
        text.push_str("conservation_fix = false\n");
    }
    if random.percent(15) {
        let _ = writeln!(text, "cluster = \"tiles\"\ntile_size = {}", random.one_of(&[2, 5, 8]));
    }
    let (criterion, tolerance) = match random.whole(0, 4) {
        0 if !choice.mapped => ("richardson", random.one_of(&[1e-3, 1e-4])),
        _ => ("difference", random.one_of(&[0.02, 0.05, 0.2])),
    };
    let _ = writeln!(text, "[regrid.flag]\ncriterion = {criterion:?}\ntolerance = {tolerance}");
    if random.percent(15) {
        let corner = |value: f64| vec![value; dim];
        let (lower, upper) = (corner(random.number(0.0, 0.5)), corner(random.number(0.5, 1.0)));
        let finest = random.whole(1, levels);
        let _ = writeln!(text, "[[regrid.region]]\nlevels = [1, {finest}]\nlower = {lower:?}\nupper = {upper:?}");
    }
}

/// Writes a `[scheme]` that is stable in this dimension. On mapped meshes sweeps are unsplit, since opposite faces of a cell differ.
pub(super) fn scheme(choice: &Choice, random: &mut Random, text: &mut String) {
    let splits =
        if choice.dim > 1 && !choice.mapped { &["unsplit", "unsplit", "godunov", "strang"][..] } else { &["unsplit"] };
    let split = random.one_of(splits);
    let limiter = random.one_of(&["none", "minmod", "superbee", "mc", "van_leer"]);
    let (order, transverse) = (random.whole(1, 2), random.whole(1, 2));
    let _ = writeln!(text, "[scheme]\norder = {order}\nsplit = {split:?}\nlimiter = {limiter:?}");
    if choice.dim > 1 && split == "unsplit" {
        let least = if choice.dim > 2 { order } else { 1 };
        let _ = writeln!(text, "transverse = {}", transverse.max(least));
    }
    if choice.physics.capacity {
        text.push_str("capacity = \"capacity\"\n");
    }
}

/// Writes initial data and auxiliary values, made of shapes.
pub(super) fn values(choice: &Choice, random: &mut Random, text: &mut String) {
    let Choice { physics, dim, .. } = *choice;
    let shapes = [shape(random, dim), shape(random, dim), shape(random, dim)];
    let fill = |formula: &str| {
        ["W", "X", "Y"]
            .iter()
            .zip(&shapes)
            .fold(formula.to_owned(), |filled, (letter, shape)| filled.replace(letter, &format!("({shape})")))
    };
    text.push_str("[initial]\n");
    let across = &physics.across[..(dim - 1).min(physics.across.len())];
    for (name, formula) in physics.initial.iter().chain(across) {
        let _ = writeln!(text, "{name} = {:?}", fill(formula));
    }
    if !physics.aux.is_empty() {
        text.push_str("[aux]\n");
    }
    for (name, formula) in physics.aux {
        let _ = writeln!(text, "{name} = {:?}", fill(formula));
    }
}

/// A random case, and its number of steps.
pub fn case(random: &mut Random) -> (String, u64) {
    let physics = &PHYSICS[random.whole(0, PHYSICS.len() as u64 - 1) as usize];
    let dim = random.one_of(physics.dims);
    let choice = Choice { physics, dim, mapped: physics.mapped.contains(&dim) && random.percent(30) };
    let mut text = format!("[solver]\nname = {:?}\n{}", physics.name, physics.parameters);
    mesh(&choice, random, &mut text);
    let num_levels = random.one_of(&[1, 2, 3, 3, 4]).min(if dim > 2 { 3 } else { 4 });
    if num_levels > 1 {
        levels(&choice, random, num_levels, &mut text);
    }
    scheme(&choice, random, &mut text);
    let steps = random.whole(3, 6);
    let _ = writeln!(text, "[time]\nend = 10.0\ndt_initial = {}\ncfl_desired = 0.9", random.one_of(&[1e-3, 1e-2]));
    if random.percent(20) {
        text.push_str("[source]\n");
        let _ = writeln!(text, "{} = \"-0.1 * {}\"", physics.initial[0].0, physics.initial[0].0);
    }
    values(&choice, random, &mut text);
    text.push_str(
        "[output]\nformat = [\"clawpack-ascii\"]\nevery_steps = 1\npng = false\ncheckpoint_every_minutes = 0\n",
    );
    // Inside the domain even if its sides are curved.
    let place: Vec<f64> = (0..dim).map(|_| random.number(0.15, 0.85)).collect();
    let _ = writeln!(text, "[[gauge]]\nname = \"g\"\nposition = {place:?}");
    (text, steps)
}
