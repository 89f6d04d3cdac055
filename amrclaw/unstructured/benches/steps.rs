//! Steps on a wing of tetrahedra, on threads: `cargo bench -p amrclaw-unstructured --bench steps -- [--threads N] [--around N]`.
//!
//! Cell-stages a second of HLLC at order 1 and order 2, and of the scheme of Corrigan, Camelli, Löhner & Wallin 2011, doi:10.1002/fld.2254, with the time of
//! its 2000 iterations on 97,000 cells beside those published with the Rodinia suite: 7.1 s on 8 threads, 87.9 s on one. Cells along Hilbert's curve,
//! and shuffled.

#[path = "../../tests/own_solvers/euler_central.rs"]
mod euler_central;

use euler_central::EulerCentral;
use riemann::catalogue;
use riemann::group::Wall;
use riemann::patch::{Kernels, PACK_OVERRUN, PatchSolver};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use unstructured::make::{Naca0012, Of};
use unstructured::step::{
    BoundaryFace, Field, Gradient, Limiter, Outside, Scheme, SolvedBy, Stepper, TimeStep, mirror,
};
use unstructured::{Mesh, Order};

/// Mach 1.2 along x; density 1.4 and pressure 1: the speed of sound is 1.
const STREAM: [f64; 5] = [1.4, 1.68, 0.0, 0.0, 2.5 + 0.7 * 1.44];

/// The stream beyond the side `far`, walls elsewhere.
struct Sides<'a>(&'a dyn PatchSolver<f64>);

impl Outside for Sides<'_> {
    fn fill(&self, face: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]) {
        let boundary = &face.mesh.boundary;
        let far = boundary.number("far").expect("the wing has it");
        match boundary.of_name(far).contains(&face.number) {
            true => outside.copy_from_slice(&STREAM),
            false => mirror(face, (self.0.groups(), None), Wall::Slip, inside, outside),
        }
    }
}

/// Cell-stages a second, the best of three times 20 steps of each cell's own length.
fn speed(mesh: &Arc<Mesh>, solver: &dyn PatchSolver<f64>, scheme: Scheme) -> f64 {
    let cells = mesh.num_cells();
    let mut stepper = Stepper::new(mesh.clone(), scheme, 5);
    let mut q: Vec<f64> = STREAM.iter().flat_map(|&value| std::iter::repeat_n(value, cells)).collect();
    q.resize(q.len() + PACK_OVERRUN, 0.0);
    let (mut new, sides, aux) = (q.clone(), Sides(solver), Field { values: &[], component: cells });
    let mut take = |steps: usize| {
        for _ in 0..steps {
            let field = Field { values: &q, component: cells };
            // The first steps of a stream that meets the wing at once may need first order.
            let mut step = |first_order| {
                let outcome = stepper.step((solver, &sides), (field, aux), (0.0, 0.4), &mut new, first_order);
                outcome.expect("nothing moves").admissible
            };
            assert!(step(false) || step(true), "{scheme:?}");
            std::mem::swap(&mut q, &mut new);
        }
    };
    take(20);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        take(20);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (20 * scheme.time.stages().len() * cells) as f64 / best
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut around, mut threads) = (88, 1);
    while let Some(argument) = arguments.next() {
        let value: usize = arguments.next().ok_or("an option needs a number")?.parse()?;
        match argument.as_str() {
            "--threads" => threads = value,
            "--around" => around = value,
            other => return Err(format!("{other}: only --threads and --around").into()),
        }
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let wing = Naca0012 { around, layers: 3, span: 0.2, of: Of::Tetrahedra, ..Naca0012::default() };
    let elements = wing.make()?;
    let hllc =
        catalogue::kernels("euler_hllc", 3, &BTreeMap::new())?.ok_or("this build has no kernels for this processor")?;
    let hllc = hllc.double.as_ref();
    let central = Kernels::new(EulerCentral::<3> { gamma: 1.4, beta: 0.2 });
    let first = Scheme {
        order: 1,
        time: TimeStep::Euler,
        gradient: Gradient::LeastSquares,
        limiter: Limiter::BarthJespersen,
        is_local: true,
        solved_by: SolvedBy::Cells,
    };
    for order in [Order::Hilbert, Order::Shuffled] {
        let mesh = Arc::new(Mesh::in_order(elements.clone(), order)?);
        println!("\n{} cells, {order:?}, {threads} threads: cell-stages a second", mesh.num_cells());
        println!("HLLC, order 1                   {:.3e}", speed(&mesh, hllc, first));
        for limiter in [Limiter::BarthJespersen, Limiter::Venkatakrishnan] {
            let scheme = Scheme { order: 2, time: TimeStep::Rk2, limiter, ..first };
            println!("HLLC, order 2, {limiter:16?} {:.3e}", speed(&mesh, hllc, scheme));
        }
        let of_2011 = speed(&mesh, &central, Scheme { time: TimeStep::Rk3LowStorage, ..first });
        let seconds = 3.0 * 2000.0 * 97_000.0 / of_2011;
        println!(
            "2011                            {of_2011:.3e}: {seconds:.1} s for its 97,000 cells and 2000 iterations"
        );
    }
    Ok(())
}
