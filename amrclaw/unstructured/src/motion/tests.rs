use super::*;
use crate::make::{Block, Of};
use crate::step::tests::{Beyond, FIRST, Sides, Trial, second, shaken};
use crate::step::{Field, Gradient, Limiter, Scheme, Stepper, TimeStep};
use riemann::catalogue;

/// All nodes swing, the mesh's sides too; cells are deformed by up to a third.
fn swinging(mesh: &Arc<Mesh>, by: f64) -> Arc<MeshInTime> {
    let (points, dim) = (mesh.points.clone(), mesh.dim);
    let nodes = move |time: f64| {
        let at = |p: &Vector| {
            let phase = |d: usize| 3.0 * p[(d + 1) % dim] + 2.0 * p[d] + d as f64;
            [0, 1, 2].map(|d| if d < dim { p[d] + by * (phase(d) + 9.0 * time).sin() } else { 0.0 })
        };
        points.iter().map(at).collect()
    };
    Arc::new(MeshInTime::new(mesh.clone(), Some((Arc::new(nodes), 1e-6))))
}

/// The states after some steps of `dt` from time 0.
fn moved(
    trial: &Trial,
    in_time: &Arc<MeshInTime>,
    scheme: Scheme,
    beyond: Beyond,
    (steps, dt): (usize, f64),
) -> Vec<f64> {
    let component = trial.mesh.num_cells();
    let aux = Field { values: if trial.num_aux == 0 { &[] } else { &trial.aux }, component };
    let mut stepper = Stepper::new(trial.mesh.clone(), scheme, trial.solver.equations().len()).moving(in_time);
    let (mut q, mut new) = (trial.q.clone(), trial.q.clone());
    for step in 0..steps {
        let parts = (trial.solver.as_ref(), &Sides(trial, beyond) as _);
        let times = (dt * step as f64, dt);
        let outcome = stepper.step(parts, (Field { values: &q, component }, aux), times, &mut new, false);
        let outcome = outcome.expect("no cell is folded");
        assert!(outcome.admissible && outcome.courant < 1.0, "{outcome:?}");
        std::mem::swap(&mut q, &mut new);
    }
    q
}

const STEPS: [TimeStep; 3] = [TimeStep::Rk2, TimeStep::Rk3, TimeStep::Rk3LowStorage];

/// Uniform states stay to the last bit while meshes of all shapes of cells move, at both orders and with all stages: every solver whose waves
/// decompose the jump.
#[test]
fn uniform_states_stay_on_meshes_that_move() {
    let mut seen = 0;
    for mesh in shaken() {
        let in_time = swinging(&mesh, 0.02);
        for info in catalogue::all().iter().filter(|info| info.dim == mesh.dim && !info.fwaves) {
            let Some((trial, _)) = Trial::new(&mesh, info, |_, k| 0.3 + 0.07 * k as f64) else { continue };
            seen += 1;
            let of = |time| Scheme { time, ..second(Limiter::Venkatakrishnan, Gradient::LeastSquares) };
            for scheme in [FIRST].into_iter().chain(STEPS.map(of)) {
                let new = moved(&trial, &in_time, scheme, Beyond::Same, (3, 1e-3));
                assert_eq!(new, trial.q, "{} in {}D, {scheme:?}", info.name, info.dim);
            }
        }
    }
    assert!(seen > 10, "{seen} solvers and meshes");
}

/// In a closed box that breathes and whose inner nodes swing, mass stays, though walls do work on the gas. Volumes change by what faces sweep.
/// Tolerances: round-off of sums over some hundred faces and 40 steps.
#[test]
fn mass_stays_in_a_box_that_breathes() {
    for mesh in shaken() {
        let points = mesh.points.clone();
        let nodes = move |time: f64| {
            let (wide, inner) = (1.0 + 0.1 * (7.0 * time).sin(), 0.05 * (9.0 * time).sin());
            let at = |p: &Vector| {
                [0, 1, 2]
                    .map(|d| wide * (p[d] + inner * p.map(|x| x * (1.0 - x)).iter().sum::<f64>() * p[d] * (1.0 - p[d])))
            };
            points.iter().map(at).collect()
        };
        let in_time = Arc::new(MeshInTime::new(mesh.clone(), Some((Arc::new(nodes), 1e-6))));
        let wave = |cell: usize, k: usize| 0.5 + 0.2 * (mesh.centroid[cell][0] * 7.0 + k as f64).sin();
        let info = catalogue::find("euler_hllc", mesh.dim).expect("it is built in");
        let (trial, _) = Trial::new(&mesh, info, wave).expect("it is offered");
        let total = |q: &[f64], time: f64| {
            in_time.set_time(time);
            let now = in_time.now();
            (0..mesh.num_cells()).map(|cell| now.volume[cell] * q[cell]).sum::<f64>()
        };
        let of = |time| Scheme { time, ..second(Limiter::BarthJespersen, Gradient::LeastSquares) };
        for scheme in [FIRST].into_iter().chain(STEPS.map(of)) {
            let new = moved(&trial, &in_time, scheme, Beyond::Wall, (40, 1e-3));
            let (before, after) = (total(&trial.q, 0.0), total(&new, 0.04));
            assert!((after / before - 1.0).abs() < 1e-13, "{before} {after} {scheme:?}");
        }
        let step = in_time.step((0.0, 0.05), None).expect("no cell is folded").expect("it moves");
        for cell in 0..mesh.num_cells() {
            let swept = |&entry: &u32| {
                let face = entry as usize / 2;
                [1.0, -1.0][entry as usize % 2] * 0.05 * step.speed[face] * step.middle.faces.size[face]
            };
            let swept: f64 = mesh.cell_faces.row(cell).iter().map(swept).sum();
            let gained = step.after.volume[cell] - step.before.volume[cell];
            assert!((gained - swept).abs() < 1e-15, "cell {cell}: {gained} {swept}");
        }
    }
}

/// A piston driven into gas at rest: the shock before it has the speed and the density that Rankine and Hugoniot give. Tolerance: a percent.
#[test]
fn a_piston_drives_a_shock_at_its_speed() {
    let (gamma, speed, end) = (1.4, 1.0, 0.3);
    let block = Block { shake: 0.3, upper: vec![1.0, 0.05], ..Block::new(&[100, 5], Of::Triangles) };
    let mesh = Arc::new(Mesh::new(block.make().expect("there is such a block")).expect("it is a mesh"));
    let points = mesh.points.clone();
    let nodes = move |time: f64| points.iter().map(|p| [p[0] + speed * time * (1.0 - p[0]), p[1], 0.0]).collect();
    let in_time = Arc::new(MeshInTime::new(mesh.clone(), Some((Arc::new(nodes), 1e-6))));
    let info = catalogue::find("euler_hllc", 2).expect("it is built in");
    let (mut trial, _) = Trial::new(&mesh, info, |_, _| 0.5).expect("it is offered");
    let cells = mesh.num_cells();
    // Density γ and pressure 1: the speed of sound is 1.
    for (m, value) in [gamma, 0.0, 0.0, 1.0 / (gamma - 1.0)].into_iter().enumerate() {
        trial.q[m * cells..][..cells].fill(value);
    }
    let scheme = Scheme { time: TimeStep::Rk2, ..second(Limiter::Venkatakrishnan, Gradient::LeastSquares) };
    let q = moved(&trial, &in_time, scheme, Beyond::Wall, (600, end / 600.0));
    let part = 0.25 * (gamma + 1.0) * speed;
    let shock = part + (part * part + 1.0_f64).sqrt();
    let dense = gamma * shock / (shock - speed);
    in_time.set_time(end);
    let now = in_time.now();
    let behind = (0..cells).filter(|&cell| now.centroid[cell][0] < speed * end + 0.7 * (shock - speed) * end);
    let (mass, volume) = behind.fold((0.0, 0.0), |(m, v), cell| (m + now.volume[cell] * q[cell], v + now.volume[cell]));
    // All of the mass more than undisturbed lies between piston and shock.
    let more: f64 = (0..cells).map(|cell| now.volume[cell] * (q[cell] - gamma)).sum::<f64>() / 0.05;
    let found = speed + more / (dense - gamma) / end;
    println!("shock at {found:.4}, exactly {shock:.4}; density {:.4}, exactly {dense:.4}", mass / volume);
    assert!((found / shock - 1.0).abs() < 0.01 && (mass / volume / dense - 1.0).abs() < 0.01);
}

/// A mesh that folds is refused before the step, with cell and time.
#[test]
fn a_mesh_that_folds_is_refused() {
    let [mesh, ..] = shaken();
    let in_time = swinging(&mesh, 2.0);
    let error = in_time.step((0.0, 0.1), None).map(drop).expect_err("it is folded");
    assert!(error.to_string().contains("of the mesh is folded at t = 0"), "{error}");
}
