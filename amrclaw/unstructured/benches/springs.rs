//! Cost of springs that draw the nodes of a mesh after a profile that pitches: matrix, conjugate gradients, and stabilised
//! biconjugate gradients with the same preconditioner, to 1e-8.
//!
//! `cargo bench -p amrclaw-unstructured --bench springs -- [AROUND [LAYERS]]`

use std::time::Instant;
use unstructured::Mesh;
use unstructured::make::{Naca0012, Of};
use unstructured::motion::TOLERANCE;
use unstructured::motion::springs::{Springs, add};

const ANGLE: f64 = 2.51 * std::f64::consts::PI / 180.0;

fn preconditioned(springs: &Springs, forces: &[f64]) -> Vec<f64> {
    let mut ahead = vec![0.0; forces.len()];
    springs.precondition(forces, &mut ahead);
    ahead
}

/// Van der Vorst 1992, doi:10.1137/0913035, with the preconditioner on the right; counts iterations, each of which needs forces twice.
fn bicgstab(springs: &Springs, displaced: &mut [f64]) -> usize {
    let mut residual = springs.forces(displaced);
    residual.iter_mut().for_each(|force| *force = -*force);
    let shadow = residual.clone();
    let enough = TOLERANCE * springs.product(&residual, &residual).sqrt();
    let (mut rho, mut along) = (springs.product(&shadow, &residual), residual.clone());
    for iteration in 0.. {
        if springs.product(&residual, &residual).sqrt() <= enough {
            return iteration;
        }
        let ahead = preconditioned(springs, &along);
        let forces = springs.forces(&ahead);
        let alpha = rho / springs.product(&shadow, &forces);
        add(&mut residual, -alpha, &forces);
        let second = preconditioned(springs, &residual);
        let turned = springs.forces(&second);
        let omega = springs.product(&turned, &residual) / springs.product(&turned, &turned);
        add(displaced, alpha, &ahead);
        add(displaced, omega, &second);
        add(&mut residual, -omega, &turned);
        let next = springs.product(&shadow, &residual);
        add(&mut along, -omega, &forces);
        let beta = next / rho * alpha / omega;
        along.iter_mut().zip(&residual).for_each(|(along, residual)| *along = residual + beta * *along);
        rho = next;
    }
    unreachable!("the loop ends by returning")
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (around, layers) = (numbers.first().copied().unwrap_or(200), numbers.get(1).copied().unwrap_or(0));
    let of = if layers > 0 { Of::Tetrahedra } else { Of::Triangles };
    let made = Naca0012 { around, layers, of, ..Naca0012::default() }.make().expect("there is such a profile");
    let mesh = Mesh::new(made).expect("it is a mesh");
    let clock = Instant::now();
    let springs = Springs::new(&mesh);
    println!("{} nodes, {} cells: matrix {:.3} s", mesh.points.len(), mesh.num_cells(), clock.elapsed().as_secs_f64());
    // Where the profile's nodes go; in space those of the planes at its ends turn less and less outwards.
    let turned = |angle: f64| -> Vec<f64> {
        let of_node = |node: usize| {
            let [x, y, _] = mesh.points[node];
            let share = (1.0 - ((x - 0.5).hypot(y) - 0.8) / 4.0).clamp(0.0, 1.0);
            let (sin, cos) = (if springs.is_held(node) { share * angle } else { 0.0 }).sin_cos();
            [(x - 0.25) * (cos - 1.0) + y * sin, y * (cos - 1.0) - (x - 0.25) * sin, 0.0]
        };
        (0..mesh.points.len()).flat_map(|node| of_node(node).into_iter().take(mesh.dim)).collect()
    };
    let timed = |name: &str, displaced: &mut [f64], solve: &dyn Fn(&mut [f64]) -> usize| {
        let clock = Instant::now();
        let iterations = solve(displaced);
        let seconds = clock.elapsed().as_secs_f64();
        println!(
            "{name}: {iterations} iterations, {seconds:.3} s, {:.1} ms each",
            1e3 * seconds / iterations.max(1) as f64
        );
    };
    let conjugate = |displaced: &mut [f64]| springs.solve(displaced, TOLERANCE);
    timed("conjugate gradients", &mut turned(ANGLE), &conjugate);
    timed("stabilised biconjugate gradients", &mut turned(ANGLE), &|displaced| bicgstab(&springs, displaced));
}
