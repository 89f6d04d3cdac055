//! Richardson's estimate of the error of a step.
//!
//! Two steps of Δt on the level and one of 2 Δt on the level coarsened by two start from the same state. For a method of
//! order p their difference, divided by `2^{p+1} − 2`, estimates the error of the single step: Berger & Oliger 1984
//! (doi:10.1016/0021-9991(84)90073-1), Berger & Colella 1989 (doi:10.1016/0021-9991(89)90035-1).

use super::CpuExecutor;
use super::fill::fill_patch;
use super::flag::pack_bits;
use super::tiles::{largest_tile, pieces};
use crate::exec::ExecError;
use crate::fields::{LevelLayout, PatchLayout};
use crate::index::{CellBox, Level, Ratio};
use crate::mesh::{LevelMesh, TagSet};
use crate::physics::{CellRow, Criterion};
use riemann::patch::{KeptFaces, TileArgs};
use riemann::real::Scalar;

/// A patch of its own, outside any level: cells with two ghost cells around.
struct Block<const D: usize, R> {
    layout: LevelLayout<D>,
    q: Vec<R>,
    aux: Vec<R>,
}

impl<const D: usize, R: Scalar> Block<D, R> {
    fn new(cells: CellBox<D>, num_ghost: i32, num_eqn: usize, num_aux: usize) -> Self {
        let mesh = LevelMesh::new(cells, [false; D], vec![cells]);
        let layout = LevelLayout::new(&mesh, num_ghost);
        let (q, aux) = (vec![R::default(); layout.len(num_eqn)], vec![R::default(); layout.len(num_aux)]);
        Block { layout, q, aux }
    }

    fn patch(&self) -> &PatchLayout<D> {
        &self.layout.patches[0]
    }
}

/// Capacities of a patch's cells: its auxiliary values, how many a cell has, and which of them it is.
type Capacities<'a, R> = (&'a [R], usize, usize);

/// Mean of `values` over the cells under each cell of `target`, ghost cells included, weighted with the capacity if there is one.
fn coarsen<const D: usize, R: Scalar>(
    target: &mut [R],
    coarse: &PatchLayout<D>,
    (values, components): (&[R], usize),
    fine: &PatchLayout<D>,
    capacities: Option<Capacities<'_, R>>,
) {
    let ratio = Ratio::uniform(2);
    let equal = R::from_f64(1.0 / f64::from(ratio.cells()));
    let capacity = |cell| capacities.map(|(aux, count, of)| aux[fine.offset(count, cell) + of * fine.component()]);
    for cell in coarse.with_ghosts().cells() {
        let under = CellBox::cell(cell).fine_from_coarse(ratio);
        let whole = under.cells().filter_map(capacity).fold(R::default(), |sum, part| sum + part);
        for m in 0..components {
            let mut sum = R::default();
            for cell in under.cells() {
                let value = values[fine.offset(components, cell) + m * fine.component()];
                sum += capacity(cell).map_or(value, |part| part * value);
            }
            let mean = if capacities.is_some() { sum / whole } else { sum * equal };
            target[coarse.offset(components, cell) + m * coarse.component()] = mean;
        }
    }
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn flag_by_richardson(&mut self, level: Level, dt: f64) -> Result<TagSet<D>, ExecError> {
        self.tags_of_patches(level, |patch: &PatchLayout<D>| self.flags_of_patch(level, patch, dt))
    }

    fn flags_of_patch(&self, level: Level, patch: &PatchLayout<D>, dt: f64) -> Vec<u64> {
        let store = &self.levels[level.index()];
        let (num_eqn, num_aux) = (store.num_eqn, self.solver.aux().len());
        let ratio = Ratio::uniform(2);
        let coarse_cells = patch.cells.coarse_from_fine(ratio);
        let even_cells = coarse_cells.fine_from_coarse(ratio);
        let dx = store.geometry.dx_in_space();

        let mut coarse = Block::<D, R>::new(coarse_cells, 2, num_eqn, num_aux);
        let capacity = usize::try_from(self.problem.scheme.capacity).ok();
        let capacities = capacity.map(|capacity| (&*store.aux, num_aux, capacity));
        coarsen(&mut coarse.q, &coarse.layout.patches[0], (store.q(), num_eqn), patch, capacities);
        match self.problem.aux.as_deref().filter(|aux| aux.has_geometry()) {
            None => coarsen(&mut coarse.aux, &coarse.layout.patches[0], (&store.aux, num_aux), patch, None),
            Some(aux) => {
                let geometry = store.geometry.of_pairs();
                fill_patch(&mut coarse.aux, &coarse.layout.patches[0], geometry, store.states.time, aux);
            }
        }
        let mut coarse_next = coarse.q.clone();
        let at = (coarse.patch(), &*coarse.aux);
        self.step_block(at, coarse_cells, &coarse.q, &mut coarse_next, 2.0 * dt, dx.map(|h| 2.0 * h));

        let len = store.layout.len(num_eqn);
        let (mut middle, mut fine_next) = (vec![R::default(); len], vec![R::default(); len]);
        let at = (patch, &*store.aux);
        self.step_block(at, even_cells.grow(2), store.q(), &mut middle, dt, dx);
        self.step_block(at, even_cells, &middle, &mut fine_next, dt, dx);

        let mut averaged = Block::<D, R>::new(coarse_cells, 0, num_eqn, 0);
        coarsen(&mut averaged.q, &averaged.layout.patches[0], (&fine_next, num_eqn), patch, capacities);
        let scale = 1.0 / f64::from((1 << (self.problem.scheme.order + 1)) - 2);
        let mut bits = Vec::new();
        let len = patch.cells.size()[0] as usize;
        let (mut estimates, mut wanted) = (vec![0.0; num_eqn * len], vec![0.0; len]);
        for row in patch.cells.rows() {
            for (n, estimate) in estimates.iter_mut().enumerate() {
                let (m, i) = (n / len, n % len);
                let mut cell: [i32; D] = row.map(|x| x.div_euclid(2));
                cell[0] = (row[0] + i as i32).div_euclid(2);
                let (a, c) = (averaged.patch(), coarse.patch());
                let two = averaged.q[a.offset(num_eqn, cell) + m * a.component()];
                let one = coarse_next[c.offset(num_eqn, cell) + m * c.component()];
                *estimate = (two - one).to_f64() * scale;
            }
            let flags: Vec<bool> = match &self.problem.criterion {
                Criterion::Richardson { of_estimate: Some(function), .. } => {
                    let cells = CellRow { geometry: store.geometry, first: row, len, time: store.states.time };
                    function.fill_row(&cells, &estimates, &[], &mut wanted);
                    wanted.iter().map(|wanted| *wanted != 0.0).collect()
                }
                Criterion::Richardson { tolerance, .. } => {
                    let is_large = |i: usize| (0..num_eqn).any(|m| estimates[m * len + i].abs() >= *tolerance);
                    (0..len).map(is_large).collect()
                }
                _ => unreachable!("the criterion is Richardson's"),
            };
            pack_bits(&flags, &mut bits);
        }
        bits
    }

    /// One unsplit step of some cells of a patch, which has two more cells around them.
    fn step_block(
        &self,
        (patch, aux): (&PatchLayout<D>, &[R]),
        cells: CellBox<D>,
        q: &[R],
        q_next: &mut [R],
        dt: f64,
        dx: [f64; 3],
    ) {
        let (num_eqn, num_aux) = (self.solver.equations().len(), self.solver.aux().len());
        let start = patch.offset(num_eqn, patch.cells.lo);
        let local =
            |i: [i32; D]| -> [i32; 3] { std::array::from_fn(|d| if d < D { i[d] - patch.cells.lo[d] } else { 0 }) };
        let (lo, mut hi) = (local(cells.lo), local(cells.hi));
        (D..3).for_each(|d| hi[d] = 1);
        for (lo, hi) in pieces(lo, hi, largest_tile(D, D > 2, true)) {
            let args = TileArgs {
                q: q[start..].as_ptr(),
                q_next: q_next[start..].as_mut_ptr(),
                aux: if num_aux == 0 {
                    std::ptr::NonNull::dangling().as_ptr()
                } else {
                    aux[patch.offset(num_aux, patch.cells.lo)..].as_ptr()
                },
                strides: patch.strides(),
                lo,
                hi,
                sweep: std::array::from_fn(|d| d < D),
                dt,
                dx,
                free: 0.0,
                scheme: &self.problem.scheme,
                kept_faces: KeptFaces::NONE,
                kept_values: std::ptr::NonNull::dangling().as_ptr(),
                kept_stride: 0,
            };
            // SAFETY: the patch has two cells more on every side than are updated, and arrays have the overrun.
            unsafe { self.solver.update_tile(&args, &mut self.scratch.tiles.mine()) };
        }
    }
}
