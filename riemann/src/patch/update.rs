//! The wave-propagation update of one tile: in one and two dimensions, and one sweep of a split scheme in three. That of
//! three axes at once is in `space`.
//!
//! Equation: paper eq. 3 (Qin, LeVeque & Motley 2018), LeVeque 2002 §§21–23, doi:10.1017/CBO9780511791253,
//! ```text
//! Q⁺(i,j) = Q − Δt/κΔx (𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) + F̃(i+½) − F̃(i−½)) − Δt/κΔy (ℬ⁺ΔQ(j−½) + ℬ⁻ΔQ(j+½) + G̃(j+½) − G̃(j−½))
//! ```
//! with F̃, G̃ the limited second-order corrections and the transverse parts of the other axis' fluctuations.
//!
//! Map     columns of a tile in aligned packs of lanes, marched up its rows
//! x       neighbours are lanes of the packs before and after, in registers: `x_faces.rs`
//! y       neighbours are rows before, in row buffers: `y_faces.rs`
//! z       in a sweep along it as y: the tile is then cut into planes of x and z, whose rows follow one another along z
//! Bytes   q read once from memory and written once; for acoustics 26 loads and 26 stores a pack from and to row buffers
//! Bits    each face's arithmetic is the same in every lane width and every tiling, so neither changes the result
//! Place   row k − 1 is written when all that reads it is done, so the new state may take the old one's place

use super::rows::{Buffers, FIRST};
use super::tile::Tile;
use super::{KeptFace, TILE_COLUMNS, TILE_GROWTH, TileArgs, TileReport};
use crate::axis::{Axis, Side};
use crate::lanes::prefetch;
use crate::real::Real;
use crate::solver::Solver;

/// Rows between the one worked on and the one asked for in advance.
const PREFETCH_ROWS: isize = 4;

/// A tile being updated row by row. Its rows lie along x and follow one another along axis `N`: 1 is y, 2 is z. What is said of y
/// below and in the other files holds for z then.
pub(super) struct Marcher<'a, S, V: Real, const N: usize, const M: usize, const W: usize, const A: usize> {
    pub tile: Tile<'a, S, V, M, W, A>,
    pub rows: Buffers<V::Scalar>,
    /// First cell of the plane of rows that is worked on, in numbers from the patch's first cell.
    pub plane: isize,
    /// Δt/Δx and Δt/Δy.
    pub dt_over_dx: [V; 2],
}

/// Updates one tile.
///
/// # Safety
/// The pointers of `args` must reach the tile's cells and two more on every side along the swept axes, and
/// [`PACK_OVERRUN`] numbers past either end, with the strides given; nobody else may write the tile's cells of
/// `q_next` or the slots of its kept faces meanwhile. `V`'s instructions must exist on this processor.
#[inline(always)]
pub(super) unsafe fn update_tile<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    scratch: &mut [V::Scalar],
) -> TileReport
where
    S: Solver<M, W, A>,
    V: Real,
{
    // Decided at compile time: solvers in fewer dimensions come without the code for z.
    if const { S::DIM > 2 } && args.sweep[2] {
        // SAFETY: the caller's promise.
        return unsafe { march_along::<S, V, 2, M, W, A>(solver, args, scratch) };
    }
    // SAFETY: likewise.
    unsafe { march_along::<S, V, 1, M, W, A>(solver, args, scratch) }
}

/// Updates one tile, its rows taken along axis `N`.
#[inline(always)]
unsafe fn march_along<S, V, const N: usize, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    scratch: &mut [V::Scalar],
) -> TileReport
where
    S: Solver<M, W, A>,
    V: Real,
{
    let tile = Tile::new(solver, args);
    assert!(tile.columns as usize <= TILE_COLUMNS + TILE_GROWTH, "a tile of {} columns", tile.columns);
    if args.scheme.order < 2 || args.scheme.transverse == 0 || !(args.sweep[0] && args.sweep[N]) {
        // Corrections, transverse parts and sweeps that are left out are read as zeros.
        scratch.fill(V::Scalar::default());
    }
    let dt_over_dx = [tile.dt_over_dx(Axis::X), tile.dt_over_dx(Axis::ALL[N])];
    let mut marcher = Marcher::<S, V, N, M, W, A> {
        tile,
        rows: Buffers::new(scratch, M, W, S::KEPT_NONNEGATIVE.len()),
        plane: 0,
        dt_over_dx,
    };
    let across = Axis::ALL[3 - N];
    for plane in args.lo[across.index()]..args.hi[across.index()] {
        marcher.plane = plane as isize * args.strides.along(across) as isize;
        // SAFETY: the caller's promise covers every row and column touched.
        unsafe { marcher.march(plane) };
    }
    marcher.tile.report()
}

impl<S, V, const N: usize, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, N, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// The axis that rows follow one another along.
    pub(super) const ALONG: Axis = Axis::ALL[N];

    /// Updates the cells of one plane of rows.
    #[inline(always)]
    unsafe fn march(&mut self, plane: i32) {
        let args = self.tile.args;
        // Decided at compile time: where rows lie along z, z alone is swept.
        let sweep_x = const { N == 1 } && args.sweep[0];
        // Solvers in one dimension come without the code for y.
        let sweep_y = const { S::DIM > 1 } && args.sweep[N];
        let [first, last] = [args.lo[N] as isize, args.hi[N] as isize];
        // In three dimensions these are the sweeps of split schemes.
        let transverse = const { S::DIM == 2 } && sweep_x && sweep_y && args.scheme.transverse > 0;
        let start = if sweep_y { first - 1 } else { first };
        // What flows out of the rows around the tile limits corrections too.
        let around = transverse || const { Self::LIMITS_FLUXES } && sweep_y;
        // SAFETY: rows first − 2 ..= last + 1 are readable where y is swept, first .. last where it is not.
        unsafe {
            if const { S::DIM > 1 } && sweep_y {
                self.pass(
                    #[inline(always)]
                    |marcher| marcher.solve_y(start),
                );
            }
            for k in start..=last {
                self.load_capacity(k, if sweep_y { last } else { last - 1 });
                let inside = first <= k && k < last;
                if const { N == 1 } && sweep_x && (inside || around) {
                    self.pass(
                        #[inline(always)]
                        |marcher| marcher.x_row(k, transverse, inside),
                    );
                }
                let kept_faces = self.tile.kept_complete_at([plane, k as i32], false);
                self.keep_faces(kept_faces, sweep_y);
                if const { S::DIM > 1 } && sweep_y {
                    let keep_f = !kept_faces.is_empty();
                    self.pass(
                        #[inline(always)]
                        |marcher| marcher.y_row(k, transverse, keep_f),
                    );
                } else if k > first {
                    self.finish_without_y(k - 1);
                }
                self.correct_kept(kept_faces);
                self.rows.rotate();
            }
        }
    }

    /// Runs a loop over a row as a separate function, on a copy: see [`Tile::apart`].
    #[inline(always)]
    fn pass(&mut self, run: impl FnOnce(&mut Marcher<'_, S, V, N, M, W, A>)) {
        [self.tile.courant, self.tile.fault] = self.tile.apart(
            #[inline(always)]
            |tile| {
                let mut copy = Marcher { tile, ..*self };
                run(&mut copy);
                copy.tile
            },
        );
    }

    /// State of the pack at column `i`, row `k`.
    #[inline(always)]
    pub(super) unsafe fn state(&self, i: isize, k: isize) -> [V; M] {
        // SAFETY: the caller's promise.
        unsafe { self.tile.state(self.offset(i, k)) }
    }

    /// Auxiliary values of the pack at column `i`, row `k`.
    #[inline(always)]
    pub(super) unsafe fn aux(&self, i: isize, k: isize) -> [V; A] {
        // SAFETY: the caller's promise.
        unsafe { self.tile.aux(self.offset(i, k)) }
    }

    /// Keeps the fluctuations of faces: those across the rows as they were solved for the row beneath, others solved again.
    #[inline(always)]
    unsafe fn keep_faces(&self, kept_faces: &[KeptFace], solved: bool) {
        let row = self.rows.y;
        for kept in kept_faces {
            let i = (kept.cell[0] - self.tile.args.lo[0]) as isize;
            // SAFETY: the row buffers hold the face, and no cell beside it has been written.
            unsafe {
                if !S::SOLVE_AGAIN && solved && kept.axis == Self::ALONG {
                    let [lower, upper] = [row.bmdq, row.bpdq].map(|rows| std::array::from_fn(|m| *rows.at(m, i)));
                    self.tile.keep_fluctuations(kept, lower, upper);
                } else {
                    self.tile.solve_kept(kept);
                }
            }
        }
    }

    /// Adds the corrections of faces that are kept.
    #[inline(always)]
    unsafe fn correct_kept(&self, kept_faces: &[KeptFace]) {
        for kept in kept_faces {
            let correction = if kept.axis == Axis::X { self.rows.f } else { self.rows.g };
            let i = (kept.cell[0] - self.tile.args.lo[0]) as isize;
            // SAFETY: the row buffers hold the face.
            unsafe { self.tile.add_to_kept(kept, |m| *correction.at(m, i)) };
        }
    }

    /// Prefetches the states that are read some rows later, and the place that the finished row is written to: rows of large levels
    /// come from memory, and the processor does not look far enough ahead by itself.
    #[inline(always)]
    pub(super) fn prefetch(&self, i: isize, k: isize) {
        let (ahead, component) = (self.offset(i, k + PREFETCH_ROWS), self.tile.args.strides.component);
        for m in 0..M {
            prefetch(self.tile.args.q.wrapping_offset(ahead).wrapping_add(m * component));
        }
        if !std::ptr::eq(self.tile.args.q, self.tile.args.q_next) {
            let out = self.offset(i, k - 1 + PREFETCH_ROWS / 2);
            for m in 0..M {
                prefetch(self.tile.args.q_next.wrapping_offset(out).wrapping_add(m * component));
            }
        }
    }

    /// Splits a face's fluctuations, corrections included where the scheme says so, along the other axis. Returns the parts of the
    /// lower-going one, then of the upper-going one. Arguments: the face's lower and upper cell; the states in them, and their mean.
    #[inline(always)]
    pub(super) unsafe fn split_transversely(
        &self,
        axis: Axis,
        [(il, kl), (ir, kr)]: [(isize, isize); 2],
        [ql, qr, mean]: [[V; M]; 3],
        [mut lower, mut upper]: [[V; M]; 2],
        correction: &[V; M],
    ) -> [[V; M]; 4] {
        if self.tile.args.scheme.transverse == 2 {
            // Twice, as in Clawpack: the ½ of the correction is also that of the ½ Δt/Δx that scales all parts.
            for m in 0..M {
                let whole = correction[m] + correction[m];
                lower[m] += whole;
                upper[m] -= whole;
            }
        }
        let across = axis.transverse_2d();
        let (cell_lower, cell_upper) = (self.offset(il, kl), self.offset(ir, kr));
        // SAFETY: the cells beside a face that is split are readable, and so are their neighbours.
        let (aux_lower, aux_upper) =
            unsafe { (self.tile.transverse_aux(across, cell_lower), self.tile.transverse_aux(across, cell_upper)) };
        let solver = &self.tile.solver;
        let of_lower = solver.transverse(axis, across, Side::Lower, ql, qr, mean, &aux_lower, lower);
        let of_upper = solver.transverse(axis, across, Side::Upper, ql, qr, mean, &aux_upper, upper);
        [of_lower.bmasdq, of_lower.bpasdq, of_upper.bmasdq, of_upper.bpasdq]
    }

    #[inline(always)]
    pub(super) fn offset(&self, i: isize, k: isize) -> isize {
        self.plane + i + self.tile.args.lo[0] as isize + k * self.tile.args.strides.along(Self::ALONG) as isize
    }

    /// 1/κ of the pack at column `i`, of row k − 1 (`row` 0) or k (`row` 1). One without a capacity function.
    #[inline(always)]
    pub(super) unsafe fn inverse_capacity(&self, row: usize, i: isize) -> V {
        if !self.tile.has_capacity() {
            return V::constant(1.0);
        }
        // SAFETY: the row buffers hold the pack.
        unsafe { V::load(self.rows.inverse_capacity[row].at(0, i)) }
    }

    /// Computes 1/κ of row `k`, if there is a capacity function and the row is readable.
    #[inline(always)]
    unsafe fn load_capacity(&mut self, k: isize, last: isize) {
        if !self.tile.has_capacity() || k > last {
            return;
        }
        let component = self.tile.args.scheme.capacity as usize;
        let mut i = FIRST;
        while i < self.tile.columns + 2 {
            // SAFETY: two ghost columns are readable, and a pack beyond.
            unsafe {
                let cell =
                    self.tile.args.aux.offset(self.offset(i, k)).add(component * self.tile.args.strides.component);
                (V::constant(1.0) / V::load(cell)).store(self.rows.inverse_capacity[1].at(0, i));
            }
            i += V::LANES as isize;
        }
    }
}
