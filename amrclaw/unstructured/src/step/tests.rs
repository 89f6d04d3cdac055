use super::*;
use crate::make::{Block, Of};
use riemann::catalogue::{self, SolverInfo};
use riemann::faces::Faces;
use riemann::group::Wall;
use std::collections::BTreeMap;

/// A mesh, a solver and states of its cells.
pub(crate) struct Trial {
    pub mesh: Arc<Mesh>,
    pub solver: Arc<dyn PatchSolver<f64>>,
    pub num_aux: usize,
    pub q: Vec<f64>,
    pub aux: Vec<f64>,
}

/// What lies beyond all sides.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Beyond {
    Same,
    Wall,
}

pub(crate) struct Sides<'a>(pub &'a Trial, pub Beyond);

impl Outside for Sides<'_> {
    fn fill(&self, face: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]) {
        let Trial { solver, .. } = self.0;
        if self.1 == Beyond::Same {
            return outside.copy_from_slice(inside);
        }
        let boost = Boost::of(face.mesh.dim, solver.equations(), solver.groups());
        mirror(face, (solver.groups(), boost.as_ref()), Wall::Slip, inside, outside);
    }
}

pub(crate) fn block(cells: &[usize], of: Of, shake: f64) -> Arc<Mesh> {
    let block = Block { shake, ..Block::new(cells, of) };
    Arc::new(Mesh::new(block.make().expect("there is such a block")).expect("it is a mesh"))
}

pub(crate) fn parameters(info: &SolverInfo) -> BTreeMap<String, f64> {
    info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.5))).collect()
}

impl Trial {
    /// With states made of what `unit` says of cell and value; `None` if the solver is not offered, or this build has no kernels of it.
    pub fn new(mesh: &Arc<Mesh>, info: &SolverInfo, unit: impl Fn(usize, usize) -> f64) -> Option<(Trial, Faces)> {
        let kernels = catalogue::kernels(info.name, info.dim, &parameters(info)).expect("they are right")?;
        let solver = kernels.double;
        if !solver.solves_faces() {
            return None;
        }
        let faces = catalogue::faces(info.name, info.dim, &parameters(info)).expect("they are right")?;
        let (cells, num_eqn, num_aux) = (mesh.num_cells(), info.equations.len(), info.aux.len());
        let (mut q, mut aux) = (vec![0.0; num_eqn * cells + PACK_OVERRUN], vec![0.0; num_aux * cells + PACK_OVERRUN]);
        for cell in 0..cells {
            let numbers = |count: usize, first: usize| (0..count).map(|k| unit(cell, first + k)).collect::<Vec<_>>();
            let states = faces.double.admissible(&numbers(num_eqn, 0));
            let values = faces.double.admissible_aux(&numbers(num_aux, num_eqn));
            (0..num_eqn).for_each(|m| q[m * cells + cell] = states[m]);
            (0..num_aux).for_each(|a| aux[a * cells + cell] = values[a]);
        }
        Some((Trial { mesh: mesh.clone(), solver, num_aux, q, aux }, faces))
    }

    fn stepped(&self, scheme: Scheme, beyond: Beyond, dt: f64) -> (Vec<f64>, Outcome) {
        self.stepped_with(None, scheme, beyond, dt)
    }

    fn stepped_with(
        &self,
        variables: Option<Arc<dyn Variables>>,
        scheme: Scheme,
        beyond: Beyond,
        dt: f64,
    ) -> (Vec<f64>, Outcome) {
        let num_eqn = self.solver.equations().len();
        let mut stepper = Stepper::interpolating(self.mesh.clone(), scheme, num_eqn, variables);
        let component = self.mesh.num_cells();
        let aux = Field { values: if self.num_aux == 0 { &[] } else { &self.aux }, component };
        let (q, mut new) = (Field { values: &self.q, component }, self.q.clone());
        let sides = Sides(self, beyond);
        let outcome = stepper.step((self.solver.as_ref(), &sides), (q, aux), (0.0, dt), &mut new, false);
        let outcome = outcome.expect("nothing moves");
        (new, outcome)
    }
}

pub(crate) const FIRST: Scheme = Scheme {
    order: 1,
    time: TimeStep::Euler,
    gradient: Gradient::LeastSquares,
    limiter: Limiter::None,
    is_local: false,
    solved_by: SolvedBy::Cells,
};

pub(crate) fn second(limiter: Limiter, gradient: Gradient) -> Scheme {
    Scheme { order: 2, time: TimeStep::Rk3, gradient, limiter, ..FIRST }
}

/// All shapes of cells, shaken.
pub(crate) fn shaken() -> [Arc<Mesh>; 3] {
    [block(&[5, 4], Of::Triangles, 0.4), block(&[4, 5], Of::Mixed, 0.4), block(&[4, 3, 3], Of::Mixed, 0.3)]
}

/// Density, velocity and pressure of a gas, γ = 1.4.
struct OfGas;

impl OfGas {
    /// What momenta have in place of velocities, and the kinetic energy.
    fn in_rows(len: usize, from: &[f64], to: &mut [f64], is_state: bool) {
        let last = from.len() / len - 1;
        for k in 0..len {
            let at = |m: usize| m * len + k;
            let density = from[at(0)];
            let factor = if is_state { 1.0 / density } else { density };
            let squares: f64 = (1..last).map(|m| from[at(m)] * from[at(m)]).sum();
            let kinetic = 0.5 * squares * factor;
            to[at(0)] = density;
            (1..last).for_each(|m| to[at(m)] = from[at(m)] * factor);
            to[at(last)] = if is_state { 0.4 * (from[at(last)] - kinetic) } else { from[at(last)] / 0.4 + kinetic };
        }
    }
}

impl Variables for OfGas {
    fn of_states(&self, len: usize, states: &[f64], _aux: &[f64], variables: &mut [f64]) {
        OfGas::in_rows(len, states, variables, true);
    }

    fn to_states(&self, len: usize, variables: &[f64], _aux: &[f64], states: &mut [f64]) {
        OfGas::in_rows(len, variables, states, false);
    }
}

/// With primitive variables at faces uniform gas stays to the last bit on shaken cells; and gas of one pressure that flows along squares, at speeds and
/// densities that change across them, stays up to round-off: at no face there is another pressure. Momenta and energies at faces would give one.
#[test]
fn primitive_variables_keep_the_pressure_at_faces() {
    let gas = |info: &'static SolverInfo, mesh: &Arc<Mesh>, state: &dyn Fn(f64) -> [f64; 3]| {
        let (mut trial, _) = Trial::new(mesh, info, |_, _| 0.5).expect("it is offered");
        let cells = mesh.num_cells();
        for cell in 0..cells {
            let [density, u, pressure] = state(mesh.centroid[cell][1]);
            let mut variables = vec![0.0; mesh.dim + 2];
            (variables[0], variables[1], variables[mesh.dim + 1]) = (density, u, pressure);
            let mut found = variables.clone();
            OfGas.to_states(1, &variables, &[], &mut found);
            (0..found.len()).for_each(|m| trial.q[m * cells + cell] = found[m]);
        }
        trial
    };
    let scheme = second(Limiter::Venkatakrishnan, Gradient::LeastSquares);
    for mesh in shaken() {
        let info = catalogue::find("euler_hllc", mesh.dim).expect("it is built in");
        let trial = gas(info, &mesh, &|_| [1.3, 0.7, 0.9]);
        let (new, _) = trial.stepped_with(Some(Arc::new(OfGas)), scheme, Beyond::Same, 1e-3);
        assert_eq!(new, trial.q, "{}D", mesh.dim);
    }
    let mesh = block(&[6, 9], Of::Quadrilaterals, 0.0);
    let info = catalogue::find("euler_hllc", 2).expect("it is built in");
    let trial = gas(info, &mesh, &|y| [1.0 + 0.5 * (5.0 * y).sin(), 2.0 * (3.0 * y).cos(), 1.0]);
    let change = |variables: Option<Arc<dyn Variables>>| {
        let (new, _) = trial.stepped_with(variables, scheme, Beyond::Same, 1e-2);
        new.iter().zip(&trial.q).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
    };
    let (primitive, conserved) = (change(Some(Arc::new(OfGas))), change(None));
    assert!(primitive < 1e-14 && conserved > 1e-4, "{primitive:e} {conserved:e}");
}

/// Uniform states stay to the last bit, on meshes of all shapes of cells that are not regular, at both orders: between equal states fluctuations
/// are zero, and so are differences. Every solver that is offered, auxiliary values included.
#[test]
fn uniform_states_stay() {
    let mut seen = 0;
    for mesh in shaken() {
        for info in catalogue::all().iter().filter(|info| info.dim == mesh.dim) {
            let Some((trial, _)) = Trial::new(&mesh, info, |_, k| 0.3 + 0.07 * k as f64) else { continue };
            seen += 1;
            for scheme in [FIRST, second(Limiter::Venkatakrishnan, Gradient::LeastSquares)] {
                let (new, outcome) = trial.stepped(scheme, Beyond::Same, 1e-3);
                assert_eq!(new, trial.q, "{} in {}D, order {}", info.name, info.dim, scheme.order);
                assert!(outcome.courant > 0.0 && outcome.admissible, "{}: {outcome:?}", info.name);
            }
        }
    }
    assert!(seen > 12, "{seen} solvers and meshes");
}

/// Within walls totals of conserved quantities stay: what leaves a cell enters its neighbour, and through walls goes pressure alone. Waves of an
/// irregular state; tolerance: round-off of a sum over some hundred faces.
#[test]
fn totals_stay_within_walls() {
    for mesh in shaken() {
        let wave = |cell: usize, k: usize| {
            0.5 + 0.2 * (mesh.centroid[cell][0] * 7.0 + mesh.centroid[cell][1] * 5.0 + k as f64).sin()
        };
        let info = catalogue::find("euler_hllc", mesh.dim).expect("it is built in");
        let (trial, _) = Trial::new(&mesh, info, wave).expect("it is offered");
        for scheme in [FIRST, second(Limiter::BarthJespersen, Gradient::GreenGauss)] {
            let (new, outcome) = trial.stepped(scheme, Beyond::Wall, 1e-3);
            assert!(outcome.admissible && outcome.courant < 1.0, "{outcome:?}");
            let cells = mesh.num_cells();
            for m in [0, mesh.dim + 1] {
                let total = |q: &[f64]| (0..cells).map(|i| mesh.volume[i] * q[m * cells + i]).sum::<f64>();
                let (before, after) = (total(&trial.q), total(&new));
                assert!((after - before).abs() < 1e-14 * before.abs(), "{before} {after} order {}", scheme.order);
                assert_ne!(new[m * cells], trial.q[m * cells]);
            }
        }
    }
}

/// A forward step on squares and cubes is Godunov's unsplit one, `q − Δt/Δx Σ (𝒜⁺ΔQ below + 𝒜⁻ΔQ above)` over the axes, with the solver's own
/// fluctuations along each axis: every solver that is offered. Tolerance: round-off of rotations.
#[test]
fn squares_take_godunovs_step() {
    for (mesh, n) in [(block(&[4, 4], Of::Quadrilaterals, 0.0), 4), (block(&[3, 3, 3], Of::Hexahedra, 0.0), 3)] {
        let at = |cell: usize| [0, 1, 2].map(|d| (mesh.centroid[cell][d] * n as f64) as usize);
        for info in catalogue::all().iter().filter(|info| info.dim == mesh.dim) {
            let chance = |cell: usize, k: usize| {
                let [x, y, z] = at(cell).map(|i| i as f64);
                0.5 + 0.2 * (1.0 + 3.0 * x + 7.0 * y + 5.0 * z + 2.0 * k as f64).sin()
            };
            let Some((trial, faces)) = Trial::new(&mesh, info, chance) else { continue };
            let (new, _) = trial.stepped(FIRST, Beyond::Same, 1e-3);
            let (cells, dt_dx) = (mesh.num_cells(), 1e-3 * n as f64);
            let of = |values: &[f64], count: usize, cell: usize| {
                (0..count).map(|m| values[m * cells + cell]).collect::<Vec<f64>>()
            };
            let (m, a) = (info.equations.len(), info.aux.len());
            let state = |cell: usize| (of(&trial.q, m, cell), of(&trial.aux, a, cell));
            let find = |wanted: [usize; 3]| (0..cells).find(|&cell| at(cell) == wanted).expect("it is there");
            for cell in 0..cells {
                let (mut expected, own) = (state(cell).0, state(cell));
                for axis in 0..mesh.dim {
                    let place = at(cell)[axis];
                    let beside = |to: usize| {
                        let mut wanted = at(cell);
                        wanted[axis] = to;
                        state(find(wanted))
                    };
                    let below = if place > 0 { beside(place - 1) } else { own.clone() };
                    let above = if place + 1 < n { beside(place + 1) } else { own.clone() };
                    let solve = |l: &(Vec<f64>, Vec<f64>), r: &(Vec<f64>, Vec<f64>)| {
                        faces.double.normal(riemann::axis::Axis::ALL[axis], [&l.0, &r.0], [&l.1, &r.1])
                    };
                    let (lower, upper) = (solve(&below, &own), solve(&own, &above));
                    (0..m).for_each(|m| expected[m] -= dt_dx * (lower.apdq[m] + upper.amdq[m]));
                }
                for (m, expected) in expected.into_iter().enumerate() {
                    let found = new[m * cells + cell];
                    let size = expected.abs().max(1.0);
                    assert!((found - expected).abs() < 1e-13 * size, "{} {m}: {found} {expected}", info.name);
                }
            }
        }
    }
}

/// Water at rest over an uneven bottom stays at rest on triangles: every face is balanced by itself. Tolerance: round-off.
#[test]
fn a_lake_stays_at_rest_on_triangles() {
    let mesh = block(&[6, 5], Of::Triangles, 0.4);
    let info = catalogue::find("shallow_water_bathymetry", 2).expect("it is built in");
    let (mut trial, _) = Trial::new(&mesh, info, |_, _| 0.5).expect("it is offered");
    let cells = mesh.num_cells();
    for cell in 0..cells {
        let bottom = -1.0 + 0.5 * (9.0 * mesh.centroid[cell][0]).sin() * (7.0 * mesh.centroid[cell][1]).cos();
        trial.aux[cell] = bottom;
        (trial.q[cell], trial.q[cells + cell], trial.q[2 * cells + cell]) = (0.2 - bottom, 0.0, 0.0);
    }
    let (new, _) = trial.stepped(FIRST, Beyond::Wall, 1e-2);
    let change = (0..3 * cells).map(|k| (new[k] - trial.q[k]).abs()).fold(0.0, f64::max);
    assert!(change < 1e-14, "{change}");
}

/// The bits do not depend on the number of threads.
#[test]
fn threads_give_the_same_bits() {
    let mesh = block(&[40, 40], Of::Triangles, 0.4);
    let info = catalogue::find("euler_hllc", 2).expect("it is built in");
    let wave = |cell: usize, k: usize| 0.5 + 0.3 * (9.0 * mesh.centroid[cell][k % 2] + k as f64).sin();
    let (trial, _) = Trial::new(&mesh, info, wave).expect("it is offered");
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("there are threads");
        pool.install(|| trial.stepped(second(Limiter::Venkatakrishnan, Gradient::LeastSquares), Beyond::Wall, 1e-3).0)
    };
    assert_eq!(with(1), with(3));
}

/// With local steps every cell changes as by a forward step of the Courant number that is asked for: all components of a cell by one factor more than
/// in a step of one length, and the cell with the largest Courant number there by the least factor. Tolerance: round-off of differences.
#[test]
fn local_steps_have_one_courant_number() {
    let mesh = block(&[7, 6], Of::Triangles, 0.4);
    let info = catalogue::find("euler_hllc", 2).expect("it is built in");
    let wave = |cell: usize, k: usize| 0.5 + 0.3 * (9.0 * mesh.centroid[cell][k % 2] + k as f64).sin();
    let (trial, _) = Trial::new(&mesh, info, wave).expect("it is offered");
    let (all, outcome) = trial.stepped(FIRST, Beyond::Wall, 1e-3);
    let (local, of_local) = trial.stepped(Scheme { is_local: true, ..FIRST }, Beyond::Wall, 0.5);
    assert!((of_local.courant - 0.5).abs() < 1e-15, "{of_local:?}");
    let cells = mesh.num_cells();
    let factors = (0..cells).map(|cell| {
        let factor = |m: usize| {
            let [change, of_all] = [&local, &all].map(|new| new[m * cells + cell] - trial.q[m * cells + cell]);
            change / of_all
        };
        assert!((1..4).all(|m| (factor(m) / factor(0) - 1.0).abs() < 1e-9), "cell {cell}");
        factor(0)
    });
    let least = factors.fold(f64::INFINITY, f64::min);
    assert!((least * outcome.courant / 0.5 - 1.0).abs() < 1e-9, "{least} {outcome:?}");
}
