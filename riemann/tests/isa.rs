//! The kernels of every vector width give the same bits, and so does every way of cutting a patch into tiles, and writing
//! the new state over the old one.
//!
//! Proved on random states, for every built-in solver, order, kind of transverse terms, limiter, sweep, with and without a
//! capacity, on odd sizes down to one cell. Equality is that of bits: all widths do the same operations in the same order.

#[allow(dead_code, reason = "the tests of the solvers' properties use the rest")]
#[path = "holds/cases.rs"]
mod cases;
#[path = "../src/holds/random.rs"]
mod random;

use cases::{Case, Property, for_every_solver};
use random::Random;
use riemann::limiter::Limiter;
use riemann::patch::{Isa, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, SourceRow, Strides, Tap, TileArgs};
use riemann::prelude::*;
use riemann::real::Scalar;

/// Ghost cells on every side.
const GHOST: usize = 2;

/// A patch of random states with its scratch memory.
struct Patch<R> {
    cells: [usize; 2],
    q: Vec<R>,
    aux: Vec<R>,
}

impl<R: Scalar> Patch<R> {
    fn new<S, const M: usize, const A: usize>(case: &Case<S, M, A>, cells: [usize; 2], random: &mut Random) -> Self {
        let size = Self::plane(cells);
        let mut patch = Patch {
            cells,
            q: vec![R::default(); M * size + 2 * PACK_OVERRUN],
            aux: vec![R::default(); A * size + 2 * PACK_OVERRUN],
        };
        for k in 0..size {
            for (m, value) in (case.state)(random).into_iter().enumerate() {
                patch.q[PACK_OVERRUN + m * size + k] = R::from_f64(value);
            }
            for (a, value) in (case.aux)(random).into_iter().enumerate() {
                patch.aux[PACK_OVERRUN + a * size + k] = R::from_f64(value);
            }
        }
        patch
    }

    /// Cells of the patch, ghost cells too.
    fn plane(cells: [usize; 2]) -> usize {
        cells.iter().map(|n| n + 2 * GHOST).product()
    }

    fn strides(&self) -> Strides {
        let component = Self::plane(self.cells);
        Strides { row: self.cells[0] + 2 * GHOST, slab: component, component }
    }

    /// Where the first interior cell lies.
    fn start(&self) -> usize {
        PACK_OVERRUN + GHOST * self.strides().row + GHOST
    }

    /// Faces of a tile whose fluxes are kept: the patch's edges and a line of faces inside it, along each swept axis.
    fn taps(&self, lo: [usize; 2], hi: [usize; 2], sweep: [bool; 2]) -> Vec<Tap> {
        let mut taps = Vec::new();
        for (d, axis) in [Axis::X, Axis::Y].into_iter().enumerate().filter(|&(d, _)| sweep[d]) {
            let [normal, along] = [self.cells[d], self.cells[1 - d]];
            let end = hi[d] + usize::from(hi[d] == normal);
            for (line, face) in
                [0, normal / 2, normal].into_iter().enumerate().filter(|(_, f)| (lo[d]..end).contains(f))
            {
                for k in lo[1 - d]..hi[1 - d] {
                    let mut cell = [k as i32, k as i32, 0];
                    cell[d] = face as i32;
                    let seen_from = if k.is_multiple_of(2) { Side::Lower } else { Side::Upper };
                    let slot = (d * 3 * self.cells[1] + line * along + k) as u32;
                    taps.push(Tap { cell, axis, seen_from, slot });
                }
            }
        }
        taps.sort_by_key(|tap| (tap.complete_at(false), tap.axis, tap.cell, tap.slot));
        taps
    }

    /// Updates the patch tile by tile, tiles of at most `tile` cells along each axis. Returns all bits of the new state, of the
    /// fluxes kept, and the largest Courant number's.
    fn update(&self, solver: &dyn PatchSolver<R>, scheme: &Scheme, sweep: [bool; 2], tile: [usize; 2]) -> Vec<u64> {
        let mut q_next = vec![R::default(); self.q.len()];
        let (q, next) = (self.q[self.start()..].as_ptr(), q_next[self.start()..].as_mut_ptr());
        // SAFETY: the arrays are the patch's.
        let mut bits = unsafe { self.update_between(q, next, solver, scheme, sweep, tile) };
        self.append_interior(&q_next, &mut bits);
        bits
    }

    /// The same in one tile, the new state written over the old one.
    fn update_in_place(&self, solver: &dyn PatchSolver<R>, scheme: &Scheme, sweep: [bool; 2]) -> Vec<u64> {
        let mut q = self.q.clone();
        let start = q[self.start()..].as_mut_ptr();
        // SAFETY: the array is the patch's.
        let mut bits = unsafe { self.update_between(start, start, solver, scheme, sweep, WHOLE) };
        self.append_interior(&q, &mut bits);
        bits
    }

    fn append_interior(&self, q: &[R], bits: &mut Vec<u64>) {
        let strides = self.strides();
        for m in 0..q.len() / strides.component {
            for j in 0..self.cells[1] {
                let row = &q[self.start() + m * strides.component + j * strides.row..][..self.cells[0]];
                bits.extend(row.iter().map(|v| v.to_f64().to_bits()));
            }
        }
    }

    /// Bits of the Courant number and of the fluxes kept.
    unsafe fn update_between(
        &self,
        q: *const R,
        q_next: *mut R,
        solver: &dyn PatchSolver<R>,
        scheme: &Scheme,
        sweep: [bool; 2],
        tile: [usize; 2],
    ) -> Vec<u64> {
        let num_eqn = solver.equations().len();
        // What an earlier tile leaves in the scratch memory must not matter.
        let mut scratch = vec![R::from_f64(f64::NAN); solver.scratch_len()];
        let slots = 3 * (self.cells[0] + self.cells[1]);
        let mut kept = vec![R::default(); num_eqn * slots];
        let mut courant: f64 = 0.0;
        for j in (0..self.cells[1]).step_by(tile[1]) {
            for i in (0..self.cells[0]).step_by(tile[0]) {
                let hi = [(i + tile[0]).min(self.cells[0]), (j + tile[1]).min(self.cells[1])];
                let taps = self.taps([i, j], hi, sweep);
                let args = TileArgs {
                    q,
                    q_next,
                    aux: if self.aux.len() > 2 * PACK_OVERRUN {
                        self.aux[self.start()..].as_ptr()
                    } else {
                        std::ptr::NonNull::dangling().as_ptr()
                    },
                    strides: self.strides(),
                    lo: [i as i32, j as i32, 0],
                    hi: [hi[0] as i32, hi[1] as i32, 1],
                    sweep: [sweep[0], sweep[1], false],
                    dt: 0.013,
                    dx: [0.3, 0.7, 1.0],
                    scheme,
                    taps: &taps,
                    tap_values: kept.as_mut_ptr(),
                    tap_stride: slots,
                };
                // SAFETY: the patch has two ghost cells on every side and the overrun at both ends of its arrays; every
                // tap has a slot of its own.
                let report = unsafe { solver.update_tile(&args, &mut scratch) };
                assert!(report.admissible, "the state is no longer finite");
                courant = courant.max(report.courant);
            }
        }
        let mut bits = vec![courant.to_bits()];
        bits.extend(kept.iter().map(|v| v.to_f64().to_bits()));
        bits
    }
}

/// Schemes that differ in every way that the update knows. `num_aux`: whether there can be a capacity.
fn schemes(num_aux: usize) -> Vec<Scheme> {
    let mut schemes = Vec::new();
    let capacities: &[i32] = if num_aux > 0 { &[-1, 0] } else { &[-1] };
    for &capacity in capacities {
        for transverse in 0..=2 {
            schemes.push(Scheme {
                order: 1,
                transverse,
                limiters: [Limiter::default(); MAX_WAVES],
                double_transverse: true,
                capacity,
            });
            for limiter in Limiter::ALL {
                schemes.push(Scheme {
                    order: 2,
                    transverse,
                    limiters: [limiter; MAX_WAVES],
                    double_transverse: true,
                    capacity,
                });
            }
        }
        // Another limiter for each wave.
        let limiters = std::array::from_fn(|w| Limiter::ALL[w % Limiter::ALL.len()]);
        schemes.push(Scheme { order: 2, transverse: 2, limiters, double_transverse: true, capacity });
    }
    schemes
}

const SWEEPS: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];
/// Odd, prime to every number of lanes, and down to one cell.
const SIZES: [[usize; 2]; 5] = [[1, 1], [1, 5], [7, 1], [13, 9], [37, 5]];
/// As large as any of the sizes.
const WHOLE: [usize; 2] = [64, 64];

fn same_in_every_width<S, R, const M: usize, const W: usize, const A: usize>(case: &Case<S, M, A>)
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    let mut random = Random::new(17);
    let kernels: Vec<Kernels<S, M, W, A>> =
        Isa::available().iter().map(|&isa| Kernels::with_isa(case.solver.clone(), isa)).collect();
    for cells in SIZES {
        let patch = Patch::<R>::new(case, cells, &mut random);
        for scheme in schemes(A) {
            for sweep in SWEEPS {
                let what = || format!("{}, {cells:?} cells, {scheme:?}, sweep {sweep:?}", case.name);
                let expected = patch.update(&kernels[0], &scheme, sweep, WHOLE);
                for (solver, isa) in kernels.iter().zip(Isa::available()).skip(1) {
                    let found = patch.update(solver, &scheme, sweep, WHOLE);
                    assert!(found == expected, "{}: {} differs from portable code", what(), isa.name());
                }
                let widest = kernels.last().expect("portable code is always there");
                let tiled = patch.update(widest, &scheme, sweep, [5, 3]);
                assert!(tiled == expected, "{}: tiles change the result", what());
                let in_place = patch.update_in_place(widest, &scheme, sweep);
                assert!(in_place == expected, "{}: writing over the old state changes the result", what());
            }
        }
    }
}

struct SameBits;

impl Property for SameBits {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        same_in_every_width::<S, f64, M, W, A>(case);
        same_in_every_width::<S, f32, M, W, A>(case);
    }
}

#[test]
fn every_width_and_every_tiling_gives_the_same_bits() {
    for_every_solver(&SameBits);
}

/// The update is seen to change the state, in every component: the comparison is not of zeros.
#[test]
fn the_comparison_is_of_something() {
    let case = cases::euler();
    let patch = Patch::<f64>::new(&case, [13, 9], &mut Random::new(3));
    let bits = |limiter: Limiter| {
        let scheme =
            Scheme { order: 2, transverse: 2, limiters: [limiter; MAX_WAVES], double_transverse: true, capacity: -1 };
        patch.update(&Kernels::new(case.solver), &scheme, [true, true], WHOLE)
    };
    let (minmod, superbee) = (bits(Limiter::Minmod), bits(Limiter::Superbee));
    assert_eq!(minmod[0], superbee[0], "the Courant number knows no limiter");
    let different = minmod[1..].iter().zip(&superbee[1..]).filter(|(a, b)| a != b).count();
    assert!(10 * different > 9 * (minmod.len() - 1), "{different} of {} numbers", minmod.len() - 1);
}

/// A solver with a source term that uses position, time and state: lanes at the end of a row must not be written.
#[derive(Clone)]
struct Decay;

impl Solver<1, 1, 0> for Decay {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];
    const HAS_SOURCE: bool = true;
    const WALL_NORMAL: [Option<usize>; 3] = [None; 3];

    #[inline(always)]
    fn normal<V: Real>(&self, _: Axis, ql: [V; 1], qr: [V; 1], _: [V; 0], _: [V; 0]) -> Normal<V, 1, 1> {
        let zero = V::zero();
        Normal { waves: [[qr[0] - ql[0]]], speeds: [zero], amdq: [zero], apdq: [zero] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        _: Axis,
        _: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 0>,
        _: [V; 1],
    ) -> Transverse<V, 1> {
        Transverse { bmasdq: [V::zero()], bpasdq: [V::zero()] }
    }

    #[inline(always)]
    fn source<V: Real>(&self, x: [V; 3], t: V, dt: V, q: [V; 1], _: [V; 0]) -> [V; 1] {
        [q[0] - dt * (V::constant(3.0) * x[0] + x[1] + t) * q[0]]
    }
}

/// Sources act on the row's cells, all of them and no others, with the same bits in every width.
#[test]
fn sources_give_the_same_bits_in_every_width() {
    for len in [1, 3, 4, 5, 8, 11, 17, 31] {
        let mut random = Random::new(5);
        let values: Vec<f64> = (0..len + 2 * PACK_OVERRUN).map(|_| random.between(-1.0, 1.0)).collect();
        for &isa in Isa::available() {
            let solver = Kernels::with_isa(Decay, isa);
            let mut q = values.clone();
            let row = SourceRow {
                q: q[PACK_OVERRUN..].as_mut_ptr(),
                aux: std::ptr::NonNull::dangling().as_ptr(),
                len,
                component: len,
                centre: [0.25, 0.5, 0.0],
                dx: 0.125,
                t: 2.0,
                dt: 0.1,
            };
            // SAFETY: the row has the overrun at both ends.
            unsafe { solver.apply_source(&row) };
            for (k, (new, old)) in q.iter().zip(&values).enumerate() {
                let inside = (PACK_OVERRUN..PACK_OVERRUN + len).contains(&k);
                let x = 0.25 + 0.125 * (k as f64 - PACK_OVERRUN as f64);
                let expected = if inside { old - 0.1 * (3.0 * x + 0.5 + 2.0) * old } else { *old };
                assert_eq!(new.to_bits(), expected.to_bits(), "{}, {len} cells, number {k}", isa.name());
            }
        }
    }
}
