//! The matrices that make an adjoint solution of one of the equations themselves, found by steps of their solver.

use crate::mesh::Geometry;
use crate::physics::{CellRow, Problem, Reversal};
use riemann::axis::Axis;
use riemann::frame::geometry;
use riemann::group::GroupKind;
use riemann::limiter::Limiter;
use riemann::patch::{MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TileArgs};

type Matrix = Vec<Vec<f64>>;

/// Largest difference, relative to the largest, of matrices that are the same for all states of linear equations.
const ROUND_OFF: f64 = 1e-9;

/// The matrices that make the adjoint solution in the cells of a level.
pub(super) struct Media {
    /// One for each medium.
    matrices: Vec<Matrix>,
    /// Of each cell, its medium; empty if there is one for all.
    of_cells: Vec<u32>,
}

impl Media {
    pub fn at(&self, cell: usize) -> &Matrix {
        &self.matrices[self.of_cells.get(cell).map_or(0, |medium| *medium as usize)]
    }

    /// Derives them from the Riemann problems of the problem's solver; else says why there are none.
    pub fn new<const D: usize>(problem: &Problem<D>, solver: &dyn PatchSolver<f64>) -> Result<Media, String> {
        let probe = Probe::<D>::new(solver);
        let mut is_odd = vec![false; probe.num_eqn];
        for group in solver.groups().iter().filter(|group| group.kind != GroupKind::Tensor) {
            group.components(D).for_each(|m| is_odd[m] = true);
        }
        let one_way = || "its equations are not the same when time runs backwards".to_owned();
        let Some(function) = &problem.aux else {
            let matrices = probe.linear(&[])?;
            let reversal = Reversal::new(&matrices, &is_odd).ok_or_else(one_way)?;
            return Ok(Media { matrices: vec![reversal.at(&matrices).ok_or_else(one_way)?], of_cells: Vec::new() });
        };
        if function.depends_on_time() {
            return Err("its auxiliary values depend on time".to_owned());
        }
        let (domain, num_aux) = (&problem.domain, probe.num_aux);
        let geometry = Geometry::new(domain.lower, domain.upper, domain.cells);
        let len = domain.cells[0] as usize;
        let (mut aux, mut last, mut reversal) = (vec![0.0; num_aux * len], Vec::new(), None);
        let mut media = Media { matrices: Vec::new(), of_cells: Vec::new() };
        for first in domain.coarsest().rows() {
            function.fill_row(&CellRow { geometry, first, len, time: 0.0 }, &mut aux);
            for i in 0..len {
                let here: Vec<f64> = (0..num_aux - probe.of_frames).map(|k| aux[k * len + i]).collect();
                if here != last || media.matrices.is_empty() {
                    let matrices = probe.linear(&here)?;
                    probe.check_still(&last, &here)?;
                    let reversal = reversal.get_or_insert_with(|| Reversal::new(&matrices, &is_odd));
                    let found = reversal.as_ref().and_then(|reversal| reversal.at(&matrices));
                    media.matrices.push(found.ok_or_else(one_way)?);
                    last = here;
                }
                media.of_cells.push(media.matrices.len() as u32 - 1);
            }
        }
        Ok(media)
    }
}

/// Steps of a solver on five cells along each axis, which tell its matrices.
struct Probe<'a, const D: usize> {
    solver: &'a dyn PatchSolver<f64>,
    num_eqn: usize,
    num_aux: usize,
    /// Auxiliary values that are the geometry of mapped cells.
    of_frames: usize,
}

impl<'a, const D: usize> Probe<'a, D> {
    fn new(solver: &'a dyn PatchSolver<f64>) -> Self {
        let of_mapped = if D > 1 { geometry(D) } else { &[] };
        let names: Vec<&str> = of_mapped.iter().map(|(name, _)| *name).collect();
        let of_frames = if D > 1 && solver.aux().ends_with(&names) { names.len() } else { 0 };
        Probe { solver, num_eqn: solver.equations().len(), num_aux: solver.aux().len(), of_frames }
    }

    /// What a step along `axis`, as long as the cells are wide, takes from the cell in the middle. `state`, `aux`: of cell −2 … 2 along the
    /// axis.
    fn lost(&self, axis: usize, state: impl Fn(i32) -> Vec<f64>, aux: impl Fn(i32) -> Vec<f64>) -> Vec<f64> {
        let (cells, pad) = (5_usize.pow(D as u32), PACK_OVERRUN);
        let middle = pad + cells / 2;
        let filled = |count: usize, values: &dyn Fn(i32) -> Vec<f64>| {
            let mut all = vec![0.0; count * cells + 2 * pad];
            for cell in 0..cells {
                let along = cell / 5_usize.pow(axis as u32) % 5;
                for (k, value) in values(along as i32 - 2).into_iter().enumerate() {
                    all[pad + k * cells + cell] = value;
                }
            }
            all
        };
        let straight = |i: i32| [aux(i), self.straight()].concat();
        let (q, aux) = (filled(self.num_eqn, &state), filled(self.num_aux.max(1), &straight));
        let mut q_next = q.clone();
        let scheme = Scheme {
            order: 1,
            transverse: 0,
            double_transverse: false,
            limiters: [Limiter::default(); MAX_WAVES],
            capacity: -1,
            sharing_faces: 0,
        };
        let args = TileArgs {
            q: q[middle..].as_ptr(),
            q_next: q_next[middle..].as_mut_ptr(),
            aux: aux[middle..].as_ptr(),
            strides: Strides { row: 5, slab: 25, component: cells },
            lo: [0; 3],
            hi: [1; 3],
            sweep: std::array::from_fn(|d| d == axis),
            dt: 1.0,
            dx: [1.0; 3],
            scheme: &scheme,
            kept_faces: &[],
            kept_values: std::ptr::NonNull::dangling().as_ptr(),
            kept_stride: 0,
        };
        let mut scratch = vec![0.0; self.solver.scratch_len()];
        // SAFETY: there are two cells more on every side, and the overrun before and after the arrays.
        unsafe { self.solver.update_tile(&args, &mut scratch) };
        (0..self.num_eqn).map(|m| q[middle + m * cells] - q_next[middle + m * cells]).collect()
    }

    /// Faces of mapped cells that are straight.
    fn straight(&self) -> Vec<f64> {
        let value = |(name, axis): &(&str, Option<Axis>)| {
            let normal = axis.is_some_and(|axis| name.ends_with(["x", "y", "z"][axis.index()]));
            let is_component = name.contains("_n") || name.contains("_h");
            f64::from(u8::from(normal || !is_component))
        };
        if self.of_frames == 0 { Vec::new() } else { geometry(D).iter().map(value).collect() }
    }

    /// The matrices A_d where the auxiliary values are these, of a linear solver.
    fn linear(&self, aux: &[f64]) -> Result<Vec<Matrix>, String> {
        let column = |axis: usize, m: usize, base: f64, slope: f64| {
            let state = |i: i32| {
                let value = |k: usize| base * (1.0 + k as f64) + if k == m { slope * f64::from(i) } else { 0.0 };
                (0..self.num_eqn).map(value).collect()
            };
            self.lost(axis, state, |_| aux.to_vec()).into_iter().map(move |lost| lost / slope).collect::<Vec<f64>>()
        };
        let of = |base: f64, slope: f64| -> Vec<Matrix> {
            let matrix = |axis: usize| {
                let columns: Vec<_> = (0..self.num_eqn).map(|m| column(axis, m, base, slope)).collect();
                (0..self.num_eqn).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
            };
            (0..D).map(matrix).collect()
        };
        let (matrices, others) = (of(0.0, 1.0), of(0.5, -0.25));
        let rows = || matrices.iter().zip(&others).flat_map(|(a, b)| a.iter().zip(b));
        // Round-off of a row is that of its largest products.
        let same = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let most = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            a.iter().zip(b).all(|(x, y)| (x - y).abs() <= ROUND_OFF * most)
        };
        if rows().all(same) { Ok(matrices) } else { Err("its equations are not linear".to_owned()) }
    }

    /// Refuses equations in which a constant state does not stay between media: their matrices stand within the derivative.
    fn check_still(&self, one: &[f64], other: &[f64]) -> Result<(), String> {
        let moves = |axis: usize| {
            let aux = |i: i32| if i < 0 { one.to_vec() } else { other.to_vec() };
            self.lost(axis, |_| vec![1.0; self.num_eqn], aux).iter().any(|lost| *lost != 0.0)
        };
        if one.is_empty() || !(0..D).any(moves) {
            return Ok(());
        }
        Err("a constant state does not stay where the medium changes".to_owned())
    }
}
