//! The wave-propagation update of one tile, in two dimensions, in one, or one sweep of a split scheme.
//!
//! Equation: paper eq. 3 (Qin, LeVeque & Motley 2018), LeVeque 2002 §§21–23, doi:10.1017/CBO9780511791253,
//! ```text
//! Q⁺(i,j) = Q − Δt/κΔx (𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) + F̃(i+½) − F̃(i−½)) − Δt/κΔy (ℬ⁺ΔQ(j−½) + ℬ⁻ΔQ(j+½) + G̃(j+½) − G̃(j−½))
//! ```
//! with F̃, G̃ the limited second-order corrections and the transverse parts of the other axis' fluctuations.
//! Map: columns of a tile in packs of lanes, marched up its rows; what one row leaves for the next stays in row buffers.
//! No array of waves is stored, every face is solved once per tile.
//! Bits: each face's arithmetic is the same in every lane width and every tiling, so neither changes the result.

use super::rows::{Carver, ROW, Rows};
use super::{Scheme, TILE_COLUMNS, TILE_GROWTH, TileArgs, TileReport};
use crate::axis::{Axis, Side};
use crate::real::{Mask, Real, Scalar};
use crate::solver::{Solver, TransverseAux};

/// What the update keeps of the faces of one row: x-faces of a row of cells, or the y-faces between two rows.
#[derive(Clone, Copy)]
struct FaceRow<R> {
    /// 𝒜⁻ΔQ and 𝒜⁺ΔQ.
    amdq: Rows<R>,
    apdq: Rows<R>,
    /// Second-order correction.
    correction: Rows<R>,
    /// Transverse parts of the lower-going fluctuation, and of the upper-going one.
    bm_lower: Rows<R>,
    bp_lower: Rows<R>,
    bm_upper: Rows<R>,
    bp_upper: Rows<R>,
}

/// Waves and speeds of one row of faces.
#[derive(Clone, Copy)]
struct WaveRow<R> {
    waves: Rows<R>,
    speeds: Rows<R>,
}

/// All row buffers of a tile while row k is worked on.
struct Buffers<R> {
    x_waves: WaveRow<R>,
    /// Rows k − 1 and k.
    x_faces: [FaceRow<R>; 2],
    /// Faces k − 1, k, k + 1; face k lies between rows k − 1 and k.
    y_waves: [WaveRow<R>; 3],
    y_faces: [FaceRow<R>; 3],
    /// F̃ of row k − 1.
    f: Rows<R>,
    /// G̃ of faces k − 1 and k.
    g: [Rows<R>; 2],
    /// 1/κ of rows k − 1 and k.
    inverse_capacity: [Rows<R>; 2],
}

/// Numbers of scratch memory that a tile needs.
pub(super) const fn scratch_len(m: usize, w: usize) -> usize {
    let (waves, faces) = (w * m + w, 7 * m);
    ROW * (4 * waves + 5 * faces + 3 * m + 2)
}

impl<R: Scalar> Buffers<R> {
    fn new(scratch: &mut [R], m: usize, w: usize) -> Self {
        let mut carver = Carver::new(scratch);
        let mut waves = || WaveRow { waves: carver.rows(w * m), speeds: carver.rows(w) };
        let (x_waves, y_waves) = (waves(), [(); 3].map(|()| waves()));
        let mut faces = || FaceRow {
            amdq: carver.rows(m),
            apdq: carver.rows(m),
            correction: carver.rows(m),
            bm_lower: carver.rows(m),
            bp_lower: carver.rows(m),
            bm_upper: carver.rows(m),
            bp_upper: carver.rows(m),
        };
        let (x_faces, y_faces) = ([(); 2].map(|()| faces()), [(); 3].map(|()| faces()));
        let f = carver.rows(m);
        let g = [(); 2].map(|()| carver.rows(m));
        let inverse_capacity = [(); 2].map(|()| carver.rows(1));
        Buffers { x_waves, x_faces, y_waves, y_faces, f, g, inverse_capacity }
    }

    /// Row k becomes row k − 1.
    #[inline(always)]
    fn rotate(&mut self) {
        self.x_faces.swap(0, 1);
        self.y_waves.rotate_left(1);
        self.y_faces.rotate_left(1);
        self.g.swap(0, 1);
        self.inverse_capacity.swap(0, 1);
    }
}

/// Reads `N` components of column `i`.
#[inline(always)]
unsafe fn load<V: Real, const N: usize>(rows: Rows<V::Scalar>, i: isize) -> [V; N] {
    let mut values = [V::zero(); N];
    for (m, value) in values.iter_mut().enumerate() {
        // SAFETY: the row buffers hold every column that the update works on, and a pack beyond.
        *value = unsafe { V::load(rows.at(m, i)) };
    }
    values
}

/// Writes `N` components of column `i`.
#[inline(always)]
unsafe fn store<V: Real, const N: usize>(rows: Rows<V::Scalar>, i: isize, values: [V; N]) {
    for (m, value) in values.into_iter().enumerate() {
        // SAFETY: as for `load`.
        unsafe { value.store(rows.at(m, i)) };
    }
}

/// A tile being updated.
struct Marcher<'a, S, V: Real, const M: usize, const W: usize, const A: usize> {
    solver: &'a S,
    args: &'a TileArgs<'a, V::Scalar>,
    rows: Buffers<V::Scalar>,
    /// Number of columns.
    columns: isize,
    /// Δt/Δx and Δt/Δy.
    dt_over_dx: [V; 2],
    courant: V::Scalar,
    /// Zero while all new values are finite, then NaN.
    finite: V,
    next_tap: usize,
}

/// Updates one tile.
///
/// # Safety
/// The pointers of `args` must reach the tile's cells and two more on every side along the swept axes, and
/// [`super::PACK_OVERRUN`] numbers past either end, with the strides given; nobody else may write the tile's cells of
/// `q_next` or the slots of its taps meanwhile. `V`'s instructions must exist on this processor.
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
    let columns = (args.hi[0] - args.lo[0]) as isize;
    assert!(columns as usize <= TILE_COLUMNS + TILE_GROWTH, "a tile of {columns} columns");
    if args.scheme.order < 2 || args.scheme.transverse == 0 || !(args.sweep[0] && args.sweep[1]) {
        // Corrections, transverse parts and sweeps that are left out are read as zeros.
        scratch.fill(V::Scalar::default());
    }
    let mut tile = Marcher::<S, V, M, W, A> {
        solver,
        args,
        rows: Buffers::new(scratch, M, W),
        columns,
        dt_over_dx: [V::constant(args.dt / args.dx[0]), V::constant(args.dt / args.dx[1])],
        courant: V::Scalar::default(),
        finite: V::zero(),
        next_tap: 0,
    };
    // SAFETY: the caller's promise covers every row and column touched.
    unsafe { tile.march() };
    let finite = !(!tile.finite.le(V::zero())).any();
    TileReport { courant: tile.courant.to_f64(), finite }
}

impl<S, V, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    #[inline(always)]
    unsafe fn march(&mut self) {
        let [sweep_x, sweep_y, _] = self.args.sweep;
        let [first, last] = [self.args.lo[1] as isize, self.args.hi[1] as isize];
        let transverse = sweep_x && sweep_y && self.args.scheme.transverse > 0;
        let start = if sweep_y { first - 1 } else { first };
        // SAFETY: rows first − 2 ..= last + 1 are readable where y is swept, first .. last where it is not.
        unsafe {
            self.fill_inverse_capacity();
            if sweep_y {
                self.solve_y(start, 1);
            }
            for k in start..=last {
                self.load_capacity(k, if sweep_y { last } else { last - 1 });
                if sweep_y {
                    self.solve_y(k + 1, 2);
                }
                let inside = first <= k && k < last;
                if sweep_x && (inside || transverse) {
                    self.solve_x(k);
                    self.correct_x(k, transverse);
                    if inside {
                        self.courant_x();
                    }
                }
                if k >= first {
                    if sweep_y {
                        self.correct_y(k, transverse);
                        self.combine_g();
                        self.courant_y();
                    }
                    if k > first {
                        self.finish_row(k - 1);
                    }
                    self.keep_taps(k as i32);
                }
                self.rows.rotate();
            }
        }
    }

    /// State of column `i`, row `k`.
    #[inline(always)]
    unsafe fn state(&self, i: isize, k: isize) -> [V; M] {
        let mut q = [V::zero(); M];
        // SAFETY: the cell is among those that the caller of `update_tile` promised.
        unsafe {
            let cell = self.args.q.offset(self.offset(i, k));
            for (m, value) in q.iter_mut().enumerate() {
                *value = V::load(cell.add(m * self.args.strides.component));
            }
        }
        q
    }

    /// Auxiliary values of column `i`, row `k`.
    #[inline(always)]
    unsafe fn aux(&self, i: isize, k: isize) -> [V; A] {
        let mut aux = [V::zero(); A];
        // SAFETY: as for `state`; nothing is read where `A` is 0.
        unsafe {
            for (m, value) in aux.iter_mut().enumerate() {
                *value = V::load(self.args.aux.offset(self.offset(i, k)).add(m * self.args.strides.component));
            }
        }
        aux
    }

    /// Auxiliary values of a cell and its neighbours along y (`axis` x) or along x (`axis` y).
    #[inline(always)]
    unsafe fn transverse_aux(&self, axis: Axis, i: isize, k: isize) -> TransverseAux<V, A> {
        let (di, dk) = if axis == Axis::X { (0, 1) } else { (1, 0) };
        // SAFETY: one ghost cell beyond the faces' cells is there.
        unsafe {
            TransverseAux { below: self.aux(i - di, k - dk), here: self.aux(i, k), above: self.aux(i + di, k + dk) }
        }
    }

    #[inline(always)]
    fn offset(&self, i: isize, k: isize) -> isize {
        i + self.args.lo[0] as isize + k * self.args.strides.row as isize
    }

    /// Without a capacity function 1/κ is one.
    #[inline(always)]
    unsafe fn fill_inverse_capacity(&mut self) {
        for row in self.rows.inverse_capacity {
            for i in -2..self.columns + 2 + super::PACK_OVERRUN as isize {
                // SAFETY: the columns of a row buffer.
                unsafe { *row.at(0, i) = V::Scalar::constant(1.0) };
            }
        }
    }

    /// 1/κ of row `k`, if there is a capacity function and the row is readable.
    #[inline(always)]
    unsafe fn load_capacity(&mut self, k: isize, last: isize) {
        let Ok(component) = usize::try_from(self.args.scheme.capacity) else { return };
        if k > last {
            return;
        }
        let mut i = -2;
        while i < self.columns + 2 {
            // SAFETY: two ghost columns are readable.
            unsafe {
                let cell = self.args.aux.offset(self.offset(i, k)).add(component * self.args.strides.component);
                (V::constant(1.0) / V::load(cell)).store(self.rows.inverse_capacity[1].at(0, i));
            }
            i += V::LANES as isize;
        }
    }

    /// Riemann problems at the x-faces of row `k`, one face beyond the tile's on each side for the limiter.
    #[inline(always)]
    unsafe fn solve_x(&mut self, k: isize) {
        let mut i = -1;
        while i <= self.columns + 1 {
            // SAFETY: two ghost columns are readable, and a pack beyond the last.
            unsafe {
                let (ql, qr) = (self.state(i - 1, k), self.state(i, k));
                let (aux_l, aux_r) = (self.aux(i - 1, k), self.aux(i, k));
                let face = self.solver.normal(Axis::X, ql, qr, aux_l, aux_r);
                let (waves, rows) = (self.rows.x_waves, self.rows.x_faces[1]);
                store_waves(waves, i, &face.waves, face.speeds);
                store(rows.amdq, i, face.amdq);
                store(rows.apdq, i, face.apdq);
            }
            i += V::LANES as isize;
        }
    }

    /// Riemann problems at y-face `k`, one column beyond the tile's on each side for the transverse parts.
    #[inline(always)]
    unsafe fn solve_y(&mut self, k: isize, slot: usize) {
        let mut i = -1;
        while i <= self.columns {
            // SAFETY: two ghost rows are readable.
            unsafe {
                let (ql, qr) = (self.state(i, k - 1), self.state(i, k));
                let (aux_l, aux_r) = (self.aux(i, k - 1), self.aux(i, k));
                let face = self.solver.normal(Axis::Y, ql, qr, aux_l, aux_r);
                let (waves, rows) = (self.rows.y_waves[slot], self.rows.y_faces[slot]);
                store_waves(waves, i, &face.waves, face.speeds);
                store(rows.amdq, i, face.amdq);
                store(rows.apdq, i, face.apdq);
            }
            i += V::LANES as isize;
        }
    }

    /// Corrections and transverse parts at the tile's x-faces of row `k`.
    #[inline(always)]
    unsafe fn correct_x(&mut self, k: isize, transverse: bool) {
        let rows = self.rows.x_faces[1];
        let kappa = self.rows.inverse_capacity[1];
        let half = V::constant(0.5);
        let mut i = 0;
        while i <= self.columns {
            // SAFETY: faces −1 ..= columns + 1 are solved, and a pack beyond.
            unsafe {
                let mut correction = [V::zero(); M];
                if self.args.scheme.order == 2 {
                    let dtdx = self.dt_over_dx[0] * (half * (V::load(kappa.at(0, i - 1)) + V::load(kappa.at(0, i))));
                    let w = self.rows.x_waves;
                    correction =
                        limited_correction::<S, V, M, W, A>(self.args.scheme, w, [(w, i - 1), (w, i + 1)], i, dtdx);
                    store(rows.correction, i, correction);
                }
                if transverse {
                    let cells = [(i - 1, k), (i, k)];
                    self.split_transversely(Axis::X, rows, i, cells, correction);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Corrections and transverse parts at y-face `k`.
    #[inline(always)]
    unsafe fn correct_y(&mut self, k: isize, transverse: bool) {
        let rows = self.rows.y_faces[1];
        let kappa = self.rows.inverse_capacity;
        let half = V::constant(0.5);
        let mut i = -1;
        while i <= self.columns {
            // SAFETY: columns −1 ..= columns of faces k − 1, k, k + 1 are solved, and a pack beyond.
            unsafe {
                let mut correction = [V::zero(); M];
                if self.args.scheme.order == 2 {
                    let dtdy = self.dt_over_dx[1] * (half * (V::load(kappa[0].at(0, i)) + V::load(kappa[1].at(0, i))));
                    let [before, here, after] = self.rows.y_waves;
                    correction =
                        limited_correction::<S, V, M, W, A>(self.args.scheme, here, [(before, i), (after, i)], i, dtdy);
                    store(rows.correction, i, correction);
                }
                if transverse {
                    let cells = [(i, k - 1), (i, k)];
                    self.split_transversely(Axis::Y, rows, i, cells, correction);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Splits both fluctuations of a face, corrections included where the scheme says so, along the other axis.
    /// `cells`: column and row of the face's lower and upper cell.
    #[inline(always)]
    unsafe fn split_transversely(
        &self,
        axis: Axis,
        rows: FaceRow<V::Scalar>,
        i: isize,
        cells: [(isize, isize); 2],
        correction: [V; M],
    ) {
        // SAFETY: the cells beside a solved face are readable, and so are their neighbours.
        unsafe {
            let (mut lower, mut upper) = (load::<V, M>(rows.amdq, i), load::<V, M>(rows.apdq, i));
            if self.args.scheme.transverse == 2 {
                // Twice, as in Clawpack: the ½ of the correction is also that of the ½ Δt/Δx that scales all parts.
                for m in 0..M {
                    let whole = correction[m] + correction[m];
                    lower[m] += whole;
                    upper[m] -= whole;
                }
            }
            let [(il, kl), (ir, kr)] = cells;
            let (ql, qr) = (self.state(il, kl), self.state(ir, kr));
            let aux = self.transverse_aux(axis, il, kl);
            let parts = self.solver.transverse(axis, Side::Lower, ql, qr, &aux, lower);
            store(rows.bm_lower, i, parts.bmasdq);
            store(rows.bp_lower, i, parts.bpasdq);
            let aux = self.transverse_aux(axis, ir, kr);
            let parts = self.solver.transverse(axis, Side::Upper, ql, qr, &aux, upper);
            store(rows.bm_upper, i, parts.bmasdq);
            store(rows.bp_upper, i, parts.bpasdq);
        }
    }

    /// G̃ of face k: its own correction, what row k sends down and what row k − 1 sends up.
    #[inline(always)]
    unsafe fn combine_g(&mut self) {
        let [below, above] = self.rows.x_faces;
        let [kappa_below, kappa_above] = self.rows.inverse_capacity;
        let half_dtdx = V::constant(0.5) * self.dt_over_dx[0];
        let mut i = 0;
        while i < self.columns {
            // SAFETY: faces 0 ..= columns of both rows are complete, and a pack beyond.
            unsafe {
                let mut g = load::<V, M>(self.rows.y_faces[1].correction, i);
                let down = [load::<V, M>(above.bm_upper, i), load::<V, M>(above.bm_lower, i + 1)];
                let up = [load::<V, M>(below.bp_upper, i), load::<V, M>(below.bp_lower, i + 1)];
                let from_above = half_dtdx * V::load(kappa_above.at(0, i));
                let from_below = half_dtdx * V::load(kappa_below.at(0, i));
                for m in 0..M {
                    g[m] -= from_above * (down[0][m] + down[1][m]) + from_below * (up[0][m] + up[1][m]);
                }
                store(self.rows.g[1], i, g);
            }
            i += V::LANES as isize;
        }
    }

    /// F̃ of row k − 1: its own correction and what columns i and i − 1 send sideways.
    #[inline(always)]
    unsafe fn combine_f(&mut self) {
        let [lower_face, upper_face, _] = self.rows.y_faces;
        let kappa = self.rows.inverse_capacity[0];
        let half_dtdy = V::constant(0.5) * self.dt_over_dx[1];
        let mut i = 0;
        while i <= self.columns {
            // SAFETY: columns −1 ..= columns of both faces are complete, and a pack beyond.
            unsafe {
                let mut f = load::<V, M>(self.rows.x_faces[0].correction, i);
                let left = [load::<V, M>(lower_face.bm_upper, i), load::<V, M>(upper_face.bm_lower, i)];
                let right = [load::<V, M>(lower_face.bp_upper, i - 1), load::<V, M>(upper_face.bp_lower, i - 1)];
                let from_right = half_dtdy * V::load(kappa.at(0, i));
                let from_left = half_dtdy * V::load(kappa.at(0, i - 1));
                for m in 0..M {
                    f[m] -= from_right * (left[0][m] + left[1][m]) + from_left * (right[0][m] + right[1][m]);
                }
                store(self.rows.f, i, f);
            }
            i += V::LANES as isize;
        }
    }

    /// Writes the new values of row `r` = k − 1.
    #[inline(always)]
    unsafe fn finish_row(&mut self, r: isize) {
        // SAFETY: the row's faces are complete; the tile's cells of `q_next` are ours to write.
        unsafe {
            self.combine_f();
            let lanes = V::LANES as isize;
            let out = self.args.q_next.offset(self.offset(0, r));
            let component = self.args.strides.component;
            let mut i = 0;
            while i + lanes <= self.columns {
                let new = self.new_state(i, r);
                for (m, value) in new.into_iter().enumerate() {
                    value.store(out.offset(i).add(m * component));
                }
                i += lanes;
            }
            if i < self.columns {
                let new = self.new_state(i, r);
                let mut pack = [V::Scalar::default(); super::PACK_OVERRUN];
                for (m, value) in new.into_iter().enumerate() {
                    value.store(pack.as_mut_ptr());
                    for (lane, value) in pack.into_iter().take((self.columns - i) as usize).enumerate() {
                        self.finite += V::splat(value - value);
                        *out.offset(i).add(m * component + lane) = value;
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn new_state(&mut self, i: isize, r: isize) -> [V; M] {
        // SAFETY: the row's faces and both its y-faces are complete.
        unsafe {
            let x = self.rows.x_faces[0];
            let [south, north, _] = self.rows.y_faces;
            let mut q = self.state(i, r);
            let (ax_up, ax_down) = (load::<V, M>(x.apdq, i), load::<V, M>(x.amdq, i + 1));
            let (by_up, by_down) = (load::<V, M>(south.apdq, i), load::<V, M>(north.amdq, i));
            let (f_left, f_right) = (load::<V, M>(self.rows.f, i), load::<V, M>(self.rows.f, i + 1));
            let (g_south, g_north) = (load::<V, M>(self.rows.g[0], i), load::<V, M>(self.rows.g[1], i));
            let kappa = V::load(self.rows.inverse_capacity[0].at(0, i));
            let (dtdx, dtdy) = (self.dt_over_dx[0] * kappa, self.dt_over_dx[1] * kappa);
            let whole_pack = i + V::LANES as isize <= self.columns;
            for m in 0..M {
                let x_part = (ax_up[m] + ax_down[m]) + (f_right[m] - f_left[m]);
                let y_part = (by_up[m] + by_down[m]) + (g_north[m] - g_south[m]);
                q[m] = q[m] - dtdx * x_part - dtdy * y_part;
                if whole_pack {
                    self.finite += q[m] - q[m];
                }
            }
            q
        }
    }

    /// Courant number at the x-faces of row k.
    #[inline(always)]
    unsafe fn courant_x(&mut self) {
        let (speeds, kappa) = (self.rows.x_waves.speeds, self.rows.inverse_capacity[1]);
        // SAFETY: faces 0 ..= columns are solved.
        let largest = unsafe { largest_speed::<V, W>(speeds, [kappa, kappa], -1, self.columns + 1) };
        self.courant = self.courant.max(self.dt_over_dx[0].max_lane() * largest);
    }

    /// Courant number at y-face k.
    #[inline(always)]
    unsafe fn courant_y(&mut self) {
        // SAFETY: columns 0 .. columns of face k are solved.
        let largest =
            unsafe { largest_speed::<V, W>(self.rows.y_waves[1].speeds, self.rows.inverse_capacity, 0, self.columns) };
        self.courant = self.courant.max(self.dt_over_dx[1].max_lane() * largest);
    }

    /// Keeps the fluxes of the taps complete once row k − 1 and face k are.
    #[inline(always)]
    unsafe fn keep_taps(&mut self, k: i32) {
        while let Some(tap) = self.args.taps.get(self.next_tap).filter(|tap| tap.complete_at() == k) {
            let i = (tap.cell[0] - self.args.lo[0]) as isize;
            let (flux, rows) = match tap.axis {
                Axis::X => (self.rows.f, self.rows.x_faces[0]),
                _ => (self.rows.g[1], self.rows.y_faces[1]),
            };
            for m in 0..M {
                // SAFETY: the face lies in the tile; the slot is this tap's alone.
                unsafe {
                    let correction = *flux.at(m, i);
                    let seen = match tap.seen_from {
                        Side::Lower => *rows.amdq.at(m, i) + correction,
                        Side::Upper => correction - *rows.apdq.at(m, i),
                    };
                    *self.args.tap_values.add(m * self.args.tap_stride + tap.slot as usize) = seen;
                }
            }
            self.next_tap += 1;
        }
    }
}

#[inline(always)]
unsafe fn store_waves<V: Real, const M: usize, const W: usize>(
    rows: WaveRow<V::Scalar>,
    i: isize,
    waves: &[[V; M]; W],
    speeds: [V; W],
) {
    for (w, wave) in waves.iter().enumerate() {
        for (m, value) in wave.iter().enumerate() {
            // SAFETY: the row buffers hold every column that the update works on.
            unsafe { value.store(rows.waves.at(w * M + m, i)) };
        }
    }
    // SAFETY: likewise.
    unsafe { store(rows.speeds, i, speeds) };
}

/// Second-order correction `½ Σ |s| (1 − |s| Δt/κΔx) φ 𝒲` of face `i`: LeVeque 2002 eqs 6.60 and 23.6; for f-waves
/// (§15.5) `sgn(s)` takes the place of `|s|` in front. `neighbours`: the faces below and above along the axis.
#[inline(always)]
unsafe fn limited_correction<S, V, const M: usize, const W: usize, const A: usize>(
    scheme: &Scheme,
    here: WaveRow<V::Scalar>,
    neighbours: [(WaveRow<V::Scalar>, isize); 2],
    i: isize,
    dtdx: V,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let (zero, half, one) = (V::zero(), V::constant(0.5), V::constant(1.0));
    let [(below, i_below), (above, i_above)] = neighbours;
    let mut correction = [zero; M];
    for w in 0..W {
        let (mut norm, mut dot) = (zero, zero);
        let mut wave = [zero; M];
        // SAFETY: the three faces are solved.
        let speed = unsafe { V::load(here.speeds.at(w, i)) };
        let rightward = speed.gt(zero);
        for m in 0..M {
            // SAFETY: likewise.
            let (mine, lower, upper) = unsafe {
                (
                    V::load(here.waves.at(w * M + m, i)),
                    V::load(below.waves.at(w * M + m, i_below)),
                    V::load(above.waves.at(w * M + m, i_above)),
                )
            };
            norm += mine * mine;
            dot += mine * V::select(rightward, lower, upper);
            wave[m] = mine;
        }
        let size = speed.abs();
        let lead = if S::FWAVES { V::select(rightward, one, V::select(speed.lt(zero), -one, zero)) } else { size };
        let factor = half * lead * (one - size * dtdx) * scheme.limiters[w].phi(dot, norm);
        for m in 0..M {
            correction[m] += factor * wave[m];
        }
    }
    correction
}

/// Largest `|s| / κ` over `count` columns, κ taken from the cell that the wave runs into; `lower`: columns from the
/// face to its lower cell.
#[inline(always)]
unsafe fn largest_speed<V: Real, const W: usize>(
    speeds: Rows<V::Scalar>,
    kappa: [Rows<V::Scalar>; 2],
    lower: isize,
    count: isize,
) -> V::Scalar {
    let mut largest = V::zero();
    let mut rest = V::Scalar::default();
    let lanes = V::LANES as isize;
    for w in 0..W {
        let mut i = 0;
        // SAFETY: the columns are solved.
        unsafe {
            while i + lanes <= count {
                let s = V::load(speeds.at(w, i));
                let (k_lower, k_upper) = (V::load(kappa[0].at(0, i + lower)), V::load(kappa[1].at(0, i)));
                largest = (s * k_upper).max(-s * k_lower).max(largest);
                i += lanes;
            }
            while i < count {
                let s = *speeds.at(w, i);
                rest = (s * *kappa[1].at(0, i)).max(-s * *kappa[0].at(0, i + lower)).max(rest);
                i += 1;
            }
        }
    }
    largest.max_lane().max(rest)
}
