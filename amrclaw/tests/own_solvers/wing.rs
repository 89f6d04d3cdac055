//! The scheme of 2011 for gas on tetrahedra, a user's solver with stages in little memory, against a plain program of it.

#[path = "euler_central.rs"]
mod euler_central;

use super::begin;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::Simulation;
use euler_central::EulerCentral;
use std::collections::HashMap;
use unstructured::Elements;
use unstructured::make::{Naca0012, Of};
use unstructured::write::{Format, write};

const GAMMA: f64 = 1.4;
const BETA: f64 = 0.2;
const MACH: f64 = 1.2;

type State = [f64; 5];

/// Density 1.4 and pressure 1: the speed of sound is 1.
const STREAM: State = [1.4, 1.4 * MACH, 0.0, 0.0, 2.5 + 0.7 * MACH * MACH];

/// What lies behind a face of a cell.
#[derive(Clone, Copy, PartialEq)]
enum Behind {
    Cell(usize),
    Wall,
    Far,
}

/// Tetrahedra with their volumes, and their faces by outward areas, from nothing but what a mesher gives.
struct Tetrahedra {
    volumes: Vec<f64>,
    faces: Vec<[(Behind, [f64; 3]); 4]>,
    /// Cells and outward areas on the wing.
    wing: Vec<(usize, [f64; 3])>,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn between(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Tetrahedra {
    fn new(elements: &Elements) -> Self {
        let at = |node: u32| elements.points[node as usize];
        let sorted = |nodes: &[u32]| {
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            nodes
        };
        let cells = elements.nodes.len();
        let sides: HashMap<Vec<u32>, &str> = (0..elements.sides.nodes.len())
            .map(|side| {
                let name = elements.sides.name[side] as usize;
                (sorted(elements.sides.nodes.row(side)), elements.sides.names[name].as_str())
            })
            .collect();
        // The three nodes of the face opposite to each node.
        let face = |cell: usize, k: usize| -> Vec<u32> {
            elements.nodes.row(cell).iter().enumerate().filter(|(i, _)| *i != k).map(|(_, &node)| node).collect()
        };
        let mut owners: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for cell in 0..cells {
            (0..4).for_each(|k| owners.entry(sorted(&face(cell, k))).or_default().push(cell));
        }
        let mut all = Tetrahedra { volumes: Vec::new(), faces: Vec::new(), wing: Vec::new() };
        for cell in 0..cells {
            let row = elements.nodes.row(cell);
            let mut volume = 0.0;
            all.faces.push(std::array::from_fn(|k| {
                let nodes = face(cell, k);
                let [a, b, c] = [at(nodes[0]), at(nodes[1]), at(nodes[2])];
                let area = cross(between(a, b), between(a, c)).map(|s| 0.5 * s);
                let height = dot(area, between(at(row[k]), a));
                let outward = area.map(|s| if height > 0.0 { s } else { -s });
                volume = height.abs() / 3.0;
                let key = sorted(&nodes);
                let behind = match owners[&key].iter().find(|&&other| other != cell) {
                    Some(&other) => Behind::Cell(other),
                    None if sides[&key] == "far" => Behind::Far,
                    None => Behind::Wall,
                };
                if sides.get(&key) == Some(&"wing") {
                    all.wing.push((cell, outward));
                }
                (behind, outward)
            }));
            all.volumes.push(volume);
        }
        all
    }

    /// R of (4), with the sign that damps, and Σ size λ.
    fn residual(&self, cell: usize, q: &[State]) -> (State, f64) {
        let (mut sum, mut speeds) = ([0.0; 5], 0.0);
        let own = q[cell];
        for (behind, area) in self.faces[cell] {
            let size = dot(area, area).sqrt();
            let normal = area.map(|s| s / size);
            let other = match behind {
                Behind::Cell(other) => q[other],
                Behind::Far => STREAM,
                Behind::Wall => {
                    let along = dot([own[1], own[2], own[3]], normal);
                    let mirrored = |k: usize| own[k + 1] - 2.0 * along * normal[k];
                    [own[0], mirrored(0), mirrored(1), mirrored(2), own[4]]
                }
            };
            let lambda = 0.5 * (fastest(own) + fastest(other));
            let (f_own, f_other) = (flux(own, normal), flux(other, normal));
            (0..5).for_each(|m| {
                sum[m] -= size * (0.5 * (f_own[m] + f_other[m]) + BETA * lambda * (own[m] - other[m]));
            });
            speeds += size * lambda;
        }
        (sum, speeds)
    }

    /// Three stages, each from the state before the step; `local`: of cells' own steps, `dt` is their Courant number.
    fn step(&self, q: &mut [State], dt: f64, local: bool) {
        let before = q.to_vec();
        for share in [1.0 / 3.0, 0.5, 1.0] {
            let from = q.to_vec();
            for (cell, state) in q.iter_mut().enumerate() {
                let (residual, speeds) = self.residual(cell, &from);
                let factor = share * if local { 2.0 * dt / speeds } else { dt / self.volumes[cell] };
                *state = std::array::from_fn(|m| before[cell][m] + factor * residual[m]);
            }
        }
    }

    /// The force on the wing.
    fn force(&self, q: &[State]) -> [f64; 3] {
        let mut force = [0.0; 3];
        for (cell, area) in &self.wing {
            (0..3).for_each(|d| force[d] += pressure(q[*cell]) * area[d]);
        }
        force
    }
}

fn pressure(q: State) -> f64 {
    (GAMMA - 1.0) * (q[4] - 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0])
}

fn fastest(q: State) -> f64 {
    (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt() / q[0] + (GAMMA * pressure(q) / q[0]).sqrt()
}

fn flux(q: State, normal: [f64; 3]) -> State {
    let (p, u) = (pressure(q), dot([q[1], q[2], q[3]], normal) / q[0]);
    [q[0] * u, q[1] * u + p * normal[0], q[2] * u + p * normal[1], q[3] * u + p * normal[2], u * (q[4] + p)]
}

/// A hundred steps around a wing at Mach 1.2 and angle 0, of one length and of cells' own, are those of the plain program up to round-off, which shocks
/// do not amplify; and the wing has no lift.
#[test]
fn a_wing_is_as_in_a_plain_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wing.msh");
    let wing = Naca0012 { around: 16, radius: 4.0, layers: 2, span: 0.4, of: Of::Tetrahedra, ..Naca0012::default() };
    let elements = wing.make().expect("there is such a wing");
    write(&path, &elements, Format::Gmsh4 { binary: true }).expect("it is written");
    let plain = Tetrahedra::new(&elements);
    let stream: String = ["density", "x_momentum", "y_momentum", "z_momentum", "energy"]
        .iter()
        .zip(STREAM)
        .map(|(name, value)| format!("{name} = {value:?}\n"))
        .collect();
    let text = format!(
        "[mesh]\nfile = {path:?}\norder = \"file\"\n[mesh.boundary]\nwing = \"wall\"\nsymmetry = \"wall\"\nfar = \"inflow\"\n\
         [mesh.boundary.far_state]\n{stream}[scheme]\norder = 1\ntime = \"rk3_low_storage\"\n\
         [time]\nend = 1000.0\ncfl_desired = 0.8\n[initial]\n{stream}[output]\nformat = []\n"
    );
    let solver = ChosenSolver::own_in_double(EulerCentral::<3> { gamma: GAMMA, beta: BETA });
    for (local, length) in [(false, "time.dt=0.0015"), (true, "scheme.steady=1e-12")] {
        let mut simulation: Simulation<3> = begin(&solver, &text, &[length]).unwrap_or_else(|e| panic!("{e}"));
        let mut q = vec![STREAM; elements.nodes.len()];
        for _ in 0..100 {
            let before = simulation.time();
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
            plain.step(&mut q, if local { simulation.time() - before } else { 0.0015 }, local);
        }
        let frame = simulation.frame();
        let found = &frame.levels[0].patches[0].q;
        let cells = q.len();
        let far = (0..5 * cells).map(|k| (found[k] - q[k % cells][k / cells]).abs()).fold(0.0, f64::max);
        let states: Vec<State> = (0..cells).map(|cell| std::array::from_fn(|m| found[m * cells + cell])).collect();
        let [drag, lift, _] = plain.force(&states);
        println!("{cells} cells, local {local}: {far:.1e}, drag {drag}, lift {lift:.1e} t {}", simulation.time());
        assert!(far < 1e-12 && drag > 0.01 && lift.abs() < 1e-12, "{far} {drag} {lift}");
    }
}
