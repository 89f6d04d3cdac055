//! Speed of the update in three dimensions alone: 64³ cells in one patch, one thread.
//!
//! `cargo bench -p riemann --bench space --no-default-features`; with arguments, only the vectors and precisions named, for
//! instance `-- avx2 f64`. After one update to warm up, the rate is that of the median sample. The time is the thread's
//! CPU time if the system reports it, so that other programs have no effect. Some systems report it in units of four milliseconds, so that
//! a sample consists of several updates.

use riemann::limiter::Limiter;
use riemann::patch::{
    Isa, KeptFaces, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, SPACE_TILE, Scheme, Strides, TILE_PLANES, TileArgs,
};
use riemann::real::Scalar;
use riemann::solver::Solver;
use riemann::solvers::{Acoustics, EulerHllc};
use std::sync::OnceLock;
use std::time::Instant;

const GHOST: usize = 2;
const CELLS: usize = 64;
/// Number of samples, and of updates in each.
const SAMPLES: usize = 5;
const UPDATES: usize = 5;

/// A patch of states around `mean`.
struct Patch<R> {
    q: [Vec<R>; 2],
    row: usize,
    scratch: Vec<R>,
}

impl<R: Scalar> Patch<R> {
    fn new(solver: &dyn PatchSolver<R>, mean: &[f64]) -> Self {
        let row = CELLS + 2 * GHOST;
        let component = row * row * row;
        let value = |k: usize| {
            let noise = ((k * 7919) % 1000) as f64 * 1e-4;
            R::from_f64(mean[(k.saturating_sub(PACK_OVERRUN) / component).min(mean.len() - 1)] + noise)
        };
        let q: Vec<R> = (0..mean.len() * component + 2 * PACK_OVERRUN).map(value).collect();
        Patch { q: [q.clone(), q], row, scratch: vec![R::default(); solver.scratch_len()] }
    }

    /// One sweep along the given axes, in tiles of at most `tile` cells.
    fn sweep(&mut self, solver: &dyn PatchSolver<R>, sweep: [bool; 3], tile: [usize; 3]) {
        let (row, slab) = (self.row, self.row * self.row);
        let start = PACK_OVERRUN + GHOST * (slab + row + 1);
        let limiters = [Limiter::VanLeer; MAX_WAVES];
        let scheme =
            Scheme { order: 2, transverse: 2, double_transverse: true, limiters, capacity: -1, sharing_faces: 0 };
        let firsts = |d: usize| (0..CELLS).step_by(tile[d]);
        let tiles = firsts(2).flat_map(|k| firsts(1).flat_map(move |j| firsts(0).map(move |i| [i, j, k])));
        let [q, q_next] = &mut self.q;
        for lo in tiles {
            let args = TileArgs {
                q: q[start..].as_ptr(),
                q_next: q_next[start..].as_mut_ptr(),
                aux: std::ptr::NonNull::dangling().as_ptr(),
                strides: Strides { row, slab, component: slab * row },
                lo: lo.map(|n| n as i32),
                hi: std::array::from_fn(|d| (lo[d] + tile[d]).min(CELLS) as i32),
                sweep,
                dt: 0.1,
                dx: [1.0; 3],
                free: 0.0,
                scheme: &scheme,
                kept_faces: KeptFaces::NONE,
                kept_values: std::ptr::NonNull::dangling().as_ptr(),
                kept_stride: 0,
            };
            // SAFETY: the patch has two ghost cells on each side and the overrun at both ends.
            let report = unsafe { solver.update_tile(&args, &mut self.scratch) };
            assert!(report.admissible);
        }
        self.q.swap(0, 1);
    }
}

/// This thread's CPU time in seconds if Linux reports it; else seconds since the first call.
fn seconds() -> f64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| FIRST.get_or_init(Instant::now).elapsed().as_secs_f64(), |n| n * 1e-9)
}

/// Median of the cell updates per second.
fn measure<R: Scalar>(solver: &dyn PatchSolver<R>, mean: &[f64], split: bool) -> f64 {
    let mut patch = Patch::new(solver, mean);
    let mut update = || {
        if split {
            let tile = [CELLS, CELLS, TILE_PLANES];
            for axis in 0..3 {
                patch.sweep(solver, std::array::from_fn(|d| d == axis), tile);
            }
        } else {
            patch.sweep(solver, [true; 3], [SPACE_TILE[0], SPACE_TILE[1], CELLS]);
        }
    };
    update();
    let mut times: Vec<_> = (0..SAMPLES)
        .map(|_| {
            let start = seconds();
            (0..UPDATES).for_each(|_| update());
            seconds() - start
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (UPDATES * CELLS.pow(3)) as f64 / times[times.len() / 2]
}

fn report<S, const M: usize, const W: usize>(name: &str, wanted: &[String], solver: &S, mean: &[f64], split: bool)
where
    S: Solver<M, W, 0>,
{
    let asked = |kind: &[&str], word: &str| {
        !wanted.iter().any(|w| kind.contains(&w.as_str())) || wanted.iter().any(|w| w == word)
    };
    for &isa in Isa::available() {
        for precision in ["f64", "f32"] {
            if asked(&["portable", "avx2", "avx512"], isa.name()) && asked(&["f64", "f32"], precision) {
                let kernels = Kernels::with_isa(solver.clone(), isa);
                let rate = match precision {
                    "f64" => measure::<f64>(&kernels, mean, split),
                    _ => measure::<f32>(&kernels, mean, split),
                };
                println!("{name:18} {:9} {precision} {:6.2}e6 cell updates/s", isa.name(), rate * 1e-6);
            }
        }
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let acoustics = Acoustics::<3> { density: 1.0, bulk: 4.0 };
    report("acoustics unsplit", &wanted, &acoustics, &[1.0, 0.0, 0.0, 0.0], false);
    report("acoustics split", &wanted, &acoustics, &[1.0, 0.0, 0.0, 0.0], true);
    let gas = EulerHllc::<3> { gamma: 1.4 };
    report("euler_hllc unsplit", &wanted, &gas, &[1.0, 0.1, 0.2, -0.1, 2.5], false);
    report("euler_hllc split", &wanted, &gas, &[1.0, 0.1, 0.2, -0.1, 2.5], true);
}
