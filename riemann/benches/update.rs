//! Speed of the update kernel alone: acoustics on square patches, one thread.
//!
//! `cargo bench -p riemann --bench update`; with arguments, only the vectors, precision and cells named, for instance
//! `-- avx512 f64 256`.

use riemann::limiter::Limiter;
use riemann::patch::{
    Isa, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TILE_COLUMNS, TILE_ROWS, TileArgs,
};
use riemann::real::Scalar;
use riemann::solvers::Acoustics;
use std::time::Instant;

const GHOST: usize = 2;
/// Cell updates of a measurement, about.
const UPDATES: usize = 20_000_000;

/// Median cell updates a second on patches of `cells` × `cells`.
fn measure<R: Scalar>(isa: Isa, cells: usize) -> f64 {
    let solver = Kernels::with_isa(Acoustics::<2> { density: 1.0, bulk: 4.0 }, isa);
    let row = cells + 2 * GHOST;
    let component = row * row;
    let start = PACK_OVERRUN + GHOST * row + GHOST;
    let mut q: Vec<R> =
        (0..3 * component + 2 * PACK_OVERRUN).map(|k| R::from_f64(((k * 7919) % 1000) as f64 * 1e-3)).collect();
    let mut q_next = q.clone();
    let scheme = Scheme {
        order: 2,
        transverse: 2,
        limiters: [Limiter::VanLeer; MAX_WAVES],
        double_transverse: true,
        capacity: -1,
    };
    let mut scratch = vec![R::default(); PatchSolver::<R>::scratch_len(&solver)];
    let mut seconds = Vec::new();
    for _ in 0..UPDATES.div_ceil(cells * cells).max(25) {
        let clock = Instant::now();
        for j in (0..cells).step_by(TILE_ROWS) {
            for i in (0..cells).step_by(TILE_COLUMNS) {
                let hi = [(i + TILE_COLUMNS).min(cells), (j + TILE_ROWS).min(cells)];
                let args = TileArgs {
                    q: q[start..].as_ptr(),
                    q_next: q_next[start..].as_mut_ptr(),
                    aux: std::ptr::NonNull::dangling().as_ptr(),
                    strides: Strides { row, slab: component, component },
                    lo: [i as i32, j as i32, 0],
                    hi: [hi[0] as i32, hi[1] as i32, 1],
                    sweep: [true, true, false],
                    dt: 0.2,
                    dx: [1.0; 3],
                    scheme: &scheme,
                    kept_faces: &[],
                    kept_values: std::ptr::NonNull::dangling().as_ptr(),
                    kept_stride: 0,
                };
                // SAFETY: the patch has two ghost cells on each side and the overrun at both ends.
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

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let asked = |kind: &[&str], word: &str| {
        let named = wanted.iter().any(|w| kind.contains(&w.as_str()));
        !named || wanted.iter().any(|w| w == word)
    };
    for &isa in Isa::available() {
        for precision in ["f64", "f32"] {
            for cells in [256_usize, 64, 32, 20, 12] {
                let text = cells.to_string();
                if !asked(&["portable", "avx2", "avx512"], isa.name())
                    || !asked(&["f64", "f32"], precision)
                    || !asked(&["256", "64", "32", "20", "12"], &text)
                {
                    continue;
                }
                let rate = if precision == "f64" { measure::<f64>(isa, cells) } else { measure::<f32>(isa, cells) };
                println!("{:9} {precision} {text:>4}² {:6.1}e6 cell updates/s", isa.name(), rate * 1e-6);
            }
        }
    }
}
