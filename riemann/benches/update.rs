//! Speed of the update kernel alone: one 256 × 256 patch of acoustics, one thread.
//!
//! `cargo bench -p riemann --bench update`

use riemann::limiter::Limiter;
use riemann::patch::{
    Isa, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TILE_COLUMNS, TILE_ROWS, TileArgs,
};
use riemann::real::Scalar;
use riemann::solvers::Acoustics;
use std::time::Instant;

const CELLS: usize = 256;
const GHOST: usize = 2;

fn measure<R: Scalar>(isa: Isa) -> f64 {
    let solver = Kernels::with_isa(Acoustics { density: 1.0, bulk: 4.0 }, isa);
    let row = CELLS + 2 * GHOST;
    let component = row * row;
    let start = PACK_OVERRUN + GHOST * row + GHOST;
    let mut q: Vec<R> =
        (0..3 * component + 2 * PACK_OVERRUN).map(|k| R::from_f64(((k * 7919) % 1000) as f64 * 1e-3)).collect();
    let mut q_next = q.clone();
    let scheme = Scheme { order: 2, transverse: 2, limiters: [Limiter::VanLeer; MAX_WAVES], capacity: -1 };
    let mut scratch = vec![R::default(); PatchSolver::<R>::scratch_len(&solver)];
    let mut seconds = Vec::new();
    for _ in 0..25 {
        let clock = Instant::now();
        for j in (0..CELLS).step_by(TILE_ROWS) {
            for i in (0..CELLS).step_by(TILE_COLUMNS) {
                let hi = [(i + TILE_COLUMNS).min(CELLS), (j + TILE_ROWS).min(CELLS)];
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
                    taps: &[],
                    tap_values: std::ptr::NonNull::dangling().as_ptr(),
                    tap_stride: 0,
                };
                // SAFETY: the patch has two ghost cells on each side and the overrun at both ends.
                let report = unsafe { solver.update_tile(&args, &mut scratch) };
                assert!(report.finite);
            }
        }
        seconds.push(clock.elapsed().as_secs_f64());
        std::mem::swap(&mut q, &mut q_next);
    }
    seconds.sort_by(f64::total_cmp);
    (CELLS * CELLS) as f64 / seconds[seconds.len() / 2]
}

fn main() {
    for &isa in Isa::available() {
        println!(
            "{:9} f64 {:6.1}e6   f32 {:6.1}e6 cell updates/s",
            isa.name(),
            measure::<f64>(isa) * 1e-6,
            measure::<f32>(isa) * 1e-6
        );
    }
}
