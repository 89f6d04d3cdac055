//! What must come out to the bit, or to round-off, whatever the mesh does: constant states stay, threads do not matter, symmetric
//! data stay symmetric.

mod common;

use amrclaw::io::frame::Frame;
use common::{bits, start, start_on, take_steps};

/// Three levels on patches that stay where they are; sides as given.
fn forced_levels(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.7]
cells = [21, 17]
[mesh.boundary]
x = ["{boundary}", "{boundary}"]
y = ["{boundary}", "{boundary}"]
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 3
buffer = 0
max_patch_size = 12
[regrid.flag]
criterion = "difference"
tolerance = 1e9
[[regrid.region]]
levels = [2, 3]
lower = [0.2, 0.1]
upper = [0.8, 0.7]
[[regrid.region]]
levels = [3, 3]
lower = [0.31, 0.22]
upper = [0.64, 0.51]
[scheme]
split = "{split}"
[time]
end = 10.0
dt_initial = 0.001
"#
    )
}

/// Every built-in solver with a state that no arithmetic treats kindly: tenths are not binary fractions.
const CONSTANT_STATES: [(&str, &[f64]); 15] = [
    (
        "[solver]\nname = \"acoustics\"\ndensity = 1.3\nbulk = 3.7\n[initial]\npressure = \"1.1\"\nu = \"0.3\"\nv = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"acoustics_variable\"\n[aux]\nimpedance = \"1.7\"\nsound_speed = \"0.9\"\n\
         [initial]\npressure = \"1.1\"\nu = \"0.3\"\nv = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    ("[solver]\nname = \"advection\"\nu = 0.7\nv = -0.3\n[initial]\nq = \"1.1\"\n", &[1.1]),
    // Free of divergence, edge by edge.
    (
        "[solver]\nname = \"advection_edge\"\n[aux]\nu_edge = \"0.7\"\nv_edge = \"-0.3\"\n[initial]\nq = \"1.1\"\n",
        &[1.1],
    ),
    ("[solver]\nname = \"burgers\"\n[initial]\nq = \"1.1\"\n", &[1.1]),
    (
        "[solver]\nname = \"euler\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n",
        &[1.1, 0.3, -0.7, 2.7],
    ),
    (
        "[solver]\nname = \"shallow_water\"\ngravity = 9.81\n[initial]\ndepth = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"advection_mapped\"\n[aux]\nu_edge = \"0.7\"\nv_edge = \"-0.3\"\ncapacity = \"1.0\"\n\
         [initial]\nq = \"1.1\"\n",
        &[1.1],
    ),
    ("[solver]\nname = \"advection_reaction\"\nu = 0.7\nv = -0.3\nrate = 1.0\n[initial]\nq = \"1.1\"\n", &[1.1]),
    (
        "[solver]\nname = \"elasticity\"\ndensity = 1.3\nlambda = 2.0\nmu = 0.9\n[initial]\nstress_xx = \"1.1\"\n\
         stress_yy = \"0.3\"\nstress_xy = \"-0.7\"\nu = \"0.13\"\nv = \"-0.61\"\n",
        &[1.1, 0.3, -0.7, 0.13, -0.61],
    ),
    (
        "[solver]\nname = \"euler_hllc\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n",
        &[1.1, 0.3, -0.7, 2.7],
    ),
    (
        "[solver]\nname = \"euler_tracer\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n\
         tracer = \"0.5\"\n",
        &[1.1, 0.3, -0.7, 2.7, 0.5],
    ),
    (
        "[solver]\nname = \"p_system\"\ndensity = 1.3\nmodulus = 2.7\nnonlinearity = 0.5\n[initial]\nstrain = \"0.13\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[0.13, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"shallow_water_bathymetry\"\n[aux]\nbottom = \"-0.5\"\n[initial]\ndepth = \"1.1\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    ("[solver]\nname = \"traffic\"\n[initial]\ndensity = \"0.3\"\n", &[0.3]),
];

/// A constant state stays to the bit: no jump, no wave; and every mean and interpolation of equal numbers is that number.
#[test]
fn constant_states_stay_to_the_bit() {
    let arrangements =
        [("periodic", "[2, 4]", "unsplit"), ("extrapolate", "[4, 2]", "strang"), ("periodic", "[2, 2]", "godunov")];
    for (solver, state) in CONSTANT_STATES {
        for (boundary, ratio, split) in arrangements {
            let mut simulation = start(&format!("{solver}{}", forced_levels(boundary, ratio, split)), &[]);
            assert_eq!(simulation.hierarchy().num_levels(), 3);
            take_steps(&mut simulation, 12);
            for (level, patches) in simulation.frame().levels.iter().map(|l| &l.patches).enumerate() {
                for patch in patches {
                    for (m, values) in patch.q.chunks_exact(patch.cells.volume()).enumerate() {
                        let changed = values.iter().find(|v| v.to_bits() != state[m].to_bits());
                        assert_eq!(changed, None, "{solver}{boundary}, {ratio}, {split}: level {level}, value {m}");
                    }
                }
            }
        }
    }
}

/// Every built-in solver has been thought of above.
#[test]
fn all_solvers_have_a_constant_state() {
    for info in riemann::catalogue::all() {
        let named = format!("name = \"{}\"", info.name);
        assert!(CONSTANT_STATES.iter().any(|(text, _)| text.contains(&named)), "{} is missing", info.name);
    }
}

/// A run with much regridding, small patches and a strong wave.
const MOVING: &str = r#"
[solver]
name = "euler"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.7]
cells = [45, 37]
[mesh.boundary]
x = ["wall", "extrapolate"]
y = ["periodic", "periodic"]
[levels]
max = 3
ratio = [2, 4]
[regrid]
interval = 2
buffer = 1
max_patch_size = 20
[regrid.flag]
criterion = "difference"
tolerance = 0.2
[time]
end = 10.0
dt_initial = 0.001
[initial]
density = "if(hypot(x - 0.3, y - 0.3) < 0.15, 2, 1)"
x_momentum = "0"
y_momentum = "0"
energy = "if(hypot(x - 0.3, y - 0.3) < 0.15, 10, 2.5)"
"#;

/// Same bits on 1, 2 and 7 threads, in every cell of every patch and in the totals.
#[test]
fn threads_do_not_change_bits() {
    for split in ["unsplit", "strang"] {
        let run = |threads| {
            let split = format!("scheme.split=\"{split}\"");
            let mut simulation = start_on(MOVING, &[&split], threads);
            take_steps(&mut simulation, 12);
            assert!(simulation.counts().regrids >= 6);
            assert!(simulation.hierarchy().levels()[2].patches().len() > 10);
            let totals: Vec<u64> = simulation.totals().iter().map(|t| t.to_bits()).collect();
            (bits(&simulation.frame()), totals, simulation.dt_next().to_bits())
        };
        let one = run(1);
        for threads in [2, 7] {
            assert!(run(threads) == one, "{split}: {threads} threads give other bits than one");
        }
    }
}

/// The finest level's domain as one array: each cell has the value of the finest cell over it.
fn composite(frame: &Frame<2>, m: usize) -> (Vec<f64>, usize) {
    let factor: i32 = frame.ratios.iter().map(|r| r.0[0]).product();
    let size = frame.cells.map(|n| (n * factor) as usize);
    let mut values = vec![f64::NAN; size[0] * size[1]];
    let mut scale = factor;
    for (l, level) in frame.levels.iter().enumerate() {
        for patch in &level.patches {
            for (k, cell) in patch.cells.cells().enumerate() {
                let value = patch.q[m * patch.cells.volume() + k];
                for j in cell[1] * scale..(cell[1] + 1) * scale {
                    let row = j as usize * size[0];
                    values[row + (cell[0] * scale) as usize..][..scale as usize].fill(value);
                }
            }
        }
        scale /= frame.ratios.get(l).map_or(1, |r| r.0[0]);
    }
    (values, size[0])
}

/// Largest difference between a frame and itself mirrored in x, mirrored in y and with x and y exchanged.
/// `vector`: positions of a vector's two components; all other quantities are scalars.
fn asymmetry(frame: &Frame<2>, vector: [usize; 2]) -> f64 {
    let fields: Vec<_> = (0..frame.equations.len()).map(|m| composite(frame, m).0).collect();
    let n = composite(frame, 0).1;
    let mut worst: f64 = 0.0;
    for (m, field) in fields.iter().enumerate() {
        let component = vector.iter().position(|&v| v == m);
        let sign = |axis| if component == Some(axis) { -1.0 } else { 1.0 };
        let exchanged = component.map_or(m, |c| vector[1 - c]);
        for j in 0..n {
            for i in 0..n {
                let here = field[j * n + i];
                let images = [
                    sign(0) * field[j * n + n - 1 - i],
                    sign(1) * field[(n - 1 - j) * n + i],
                    fields[exchanged][i * n + j],
                ];
                worst = images.iter().fold(worst, |w, image| w.max((here - image).abs()));
            }
        }
    }
    worst
}

/// A ring of sound, or of gas under pressure, about the centre of a square. The patches are forced, by regions with that symmetry:
/// clustering cuts boxes at the first best place it finds, and its patches have no symmetry, nor would the solution have it but to the
/// order of the error at the patches' edges.
fn ring(solver: &str, split: &str) -> String {
    format!(
        r#"
{solver}
[mesh]
lower = [-1.0, -1.0]
upper = [1.0, 1.0]
cells = [26, 26]
[mesh.boundary]
x = ["wall", "wall"]
y = ["wall", "wall"]
[levels]
max = 3
ratio = [2, 4]
[regrid]
interval = 4
buffer = 0
max_patch_size = 512
[regrid.flag]
criterion = "difference"
tolerance = 1e9
[[regrid.region]]
levels = [2, 3]
lower = [-0.7, -0.7]
upper = [0.7, 0.7]
[[regrid.region]]
levels = [3, 3]
lower = [-0.35, -0.35]
upper = [0.35, 0.35]
[scheme]
split = "{split}"
limiter = "mc"
[time]
end = 10.0
dt_initial = 0.001
"#
    )
}

/// Round-off in the order of sums, of numbers of order one, over some hundred steps of the finest level.
const SYMMETRIC: f64 = 1e-13;

#[test]
fn symmetric_sound_stays_symmetric() {
    let solver = r#"
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[initial]
pressure = "if(abs(r - 0.5) <= 0.2, 1 + cos(pi * (r - 0.5) / 0.2), 0)"
u = "0"
v = "0"
"#;
    let mut simulation = start(&ring(solver, "unsplit"), &[]);
    assert_eq!(simulation.hierarchy().num_levels(), 3);
    take_steps(&mut simulation, 20);
    let frame = simulation.frame();
    let found = asymmetry(&frame, [1, 2]);
    assert!(found <= SYMMETRIC, "asymmetry {found:e}");
    // A shift by one cell is seen.
    let mut shifted = frame;
    shifted.levels.truncate(1);
    shifted.ratios.clear();
    let cells = shifted.levels[0].patches[0].q.len();
    shifted.levels[0].patches[0].q.rotate_right(1);
    assert!(asymmetry(&shifted, [1, 2]) > 1e-3, "{cells} cells");
}

#[test]
fn symmetric_gas_stays_symmetric() {
    let solver = r#"
[solver]
name = "euler"
[initial]
density = "1 + exp(-20 * r^2)"
x_momentum = "0"
y_momentum = "0"
energy = "2.5 + 4 * exp(-20 * r^2)"
"#;
    let mut simulation = start(&ring(solver, "unsplit"), &[]);
    take_steps(&mut simulation, 20);
    let found = asymmetry(&simulation.frame(), [1, 2]);
    // Quotients and square roots lose a digit.
    assert!(found <= 10.0 * SYMMETRIC, "asymmetry {found:e}");
}
