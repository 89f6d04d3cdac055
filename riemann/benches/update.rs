//! Speed of the two-dimensional update alone: square patches, one thread.
//!
//! `cargo bench -p riemann --bench update --no-default-features`; with arguments, only the equations, vectors, precisions and cells named,
//! for instance `-- acoustics avx512 f64 256`. Without arguments, acoustics on patches of all sizes and the other equations on the largest.
//! The rate is that of the median update.

use riemann::limiter::Limiter;
use riemann::patch::{
    Isa, KeptFaces, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TILE_COLUMNS, TILE_ROWS, TileArgs,
};
use riemann::real::Scalar;
use riemann::solver::Solver;
use riemann::solvers::{Acoustics, Elasticity, Euler, EulerHllc, ShallowWater, ShallowWaterBathymetry};
use std::time::Instant;

const GHOST: usize = 2;
/// Approximate number of cell updates in a measurement.
const UPDATES: usize = 20_000_000;
/// Cells along a patch's sides.
const SIZES: [usize; 5] = [256, 64, 32, 20, 12];

/// Median of the cell updates per second on a patch of `cells` × `cells` with states around `mean`.
fn measure<R: Scalar>(solver: &dyn PatchSolver<R>, mean: &[f64], cells: usize) -> f64 {
    let row = cells + 2 * GHOST;
    let component = row * row;
    let start = PACK_OVERRUN + GHOST * row + GHOST;
    let value = |k: usize| {
        let noise = ((k * 7919) % 1000) as f64 * 1e-4;
        R::from_f64(mean[(k.saturating_sub(PACK_OVERRUN) / component).min(mean.len() - 1)] + noise)
    };
    let mut q: Vec<R> = (0..mean.len() * component + 2 * PACK_OVERRUN).map(value).collect();
    let mut q_next = q.clone();
    let aux = vec![R::default(); component + 2 * PACK_OVERRUN];
    let limiters = [Limiter::VanLeer; MAX_WAVES];
    let scheme = Scheme { order: 2, transverse: 2, limiters, double_transverse: true, capacity: -1, sharing_faces: 0 };
    let mut scratch = vec![R::default(); solver.scratch_len()];
    let mut seconds = Vec::new();
    for _ in 0..UPDATES.div_ceil(cells * cells).max(25) {
        let clock = Instant::now();
        for j in (0..cells).step_by(TILE_ROWS) {
            for i in (0..cells).step_by(TILE_COLUMNS) {
                let hi = [(i + TILE_COLUMNS).min(cells), (j + TILE_ROWS).min(cells)];
                let args = TileArgs {
                    q: q[start..].as_ptr(),
                    q_next: q_next[start..].as_mut_ptr(),
                    aux: aux[start..].as_ptr(),
                    strides: Strides { row, slab: component, component },
                    lo: [i as i32, j as i32, 0],
                    hi: [hi[0] as i32, hi[1] as i32, 1],
                    sweep: [true, true, false],
                    dt: 0.02,
                    dx: [1.0; 3],
                    free: 0.0,
                    scheme: &scheme,
                    kept_faces: KeptFaces::NONE,
                    kept_values: std::ptr::NonNull::dangling().as_ptr(),
                    kept_stride: 0,
                };
                // SAFETY: the patch has two ghost cells on each side and the overrun at both ends; no solver has more than one
                // auxiliary value.
                let report = unsafe { solver.update_tile(&args, &mut scratch) };
                assert!(report.admissible);
            }
        }
        seconds.push(clock.elapsed().as_secs_f64());
        std::mem::swap(&mut q, &mut q_next);
    }
    seconds.sort_by(f64::total_cmp);
    (cells * cells) as f64 / seconds[seconds.len() / 2]
}

/// The equations, vectors, precisions and sizes named in the arguments.
struct Wanted(Vec<String>);

impl Wanted {
    /// Whether `word` is named, or no argument of its kind.
    fn has(&self, kind: &[&str], word: &str) -> bool {
        !self.0.iter().any(|w| kind.contains(&w.as_str())) || self.0.iter().any(|w| w == word)
    }

    fn report<S, const M: usize, const W: usize, const A: usize>(&self, name: &str, solver: &S, mean: [f64; M])
    where
        S: Solver<M, W, A>,
    {
        const EQUATIONS: [&str; 6] =
            ["acoustics", "elasticity", "euler", "euler_hllc", "shallow_water", "shallow_water_bathymetry"];
        let sizes = SIZES.map(|cells| cells.to_string());
        let sizes = sizes.each_ref().map(String::as_str);
        for &isa in Isa::available() {
            for precision in ["f64", "f32"] {
                for (cells, size) in SIZES.into_iter().zip(sizes) {
                    let named = self.0.iter().any(|w| w == size);
                    if !self.has(&EQUATIONS, name)
                        || !self.has(&["portable", "avx2", "avx512"], isa.name())
                        || !self.has(&["f64", "f32"], precision)
                        || !self.has(&sizes, size)
                        || (name != "acoustics" && cells != SIZES[0] && !named)
                    {
                        continue;
                    }
                    let kernels = Kernels::with_isa(solver.clone(), isa);
                    let rate = match precision {
                        "f64" => measure::<f64>(&kernels, &mean, cells),
                        _ => measure::<f32>(&kernels, &mean, cells),
                    };
                    println!("{name:24} {:9} {precision} {size:>4}² {:6.1}e6 cell updates/s", isa.name(), rate * 1e-6);
                }
            }
        }
    }
}

fn main() {
    let wanted = Wanted(std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect());
    wanted.report("acoustics", &Acoustics::<2> { density: 1.0, bulk: 4.0 }, [1.0, 0.0, 0.0]);
    let solid = Elasticity::<2> { density: 1.0, lambda: 2.0, mu: 1.0 };
    wanted.report("elasticity", &solid, [0.1, 0.1, 0.0, 0.0, 0.0]);
    wanted.report("euler", &Euler::<2> { gamma: 1.4 }, [1.0, 0.1, 0.2, 2.5]);
    wanted.report("euler_hllc", &EulerHllc::<2> { gamma: 1.4 }, [1.0, 0.1, 0.2, 2.5]);
    wanted.report("shallow_water", &ShallowWater::<2> { gravity: 1.0 }, [1.0, 0.1, 0.2]);
    wanted.report("shallow_water_bathymetry", &ShallowWaterBathymetry::<2>::with_gravity(1.0), [1.0, 0.1, 0.2]);
}
