//! The matrices that make an adjoint solution of one of the equations themselves, found by steps of their solver.

use crate::mesh::Geometry;
use crate::physics::{CellRow, Problem, Reversal, StateFunction};
use riemann::axis::Axis;
use riemann::frame::geometry;
use riemann::group::GroupKind;
use riemann::limiter::Limiter;
use riemann::patch::{KeptFaces, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, Strides, TileArgs};

type Matrix = Vec<Vec<f64>>;

/// Largest difference, relative to the largest, of matrices that are the same for all states of linear equations.
const ROUND_OFF: f64 = 1e-9;

/// A step of a derivative at a state at rest, relative to the state.
const SMALL_STEP: f64 = 1e-5;
/// The largest wave of the adjoint problem, relative to the state at rest.
const SMALL_WAVE: f64 = 1e-6;

/// The matrices that make the adjoint solution in the cells of a level.
pub(super) struct Media {
    /// One for each medium; none where nothing runs, as on dry land.
    matrices: Vec<Option<Matrix>>,
    /// Of each cell, its medium.
    of_cells: Vec<u32>,
    /// `[cell, component]`: the state at rest; empty where the equations are linear.
    rest: Vec<f64>,
}

impl Media {
    /// The matrix of a cell, and the state at rest.
    pub fn at(&self, cell: usize, num_eqn: usize) -> (Option<&Matrix>, &[f64]) {
        let rest = self.rest.get(cell * num_eqn..(cell + 1) * num_eqn).unwrap_or(&[]);
        (self.matrices[self.of_cells[cell] as usize].as_ref(), rest)
    }

    /// What waves whose largest component is `most` are multiplied with, so that they are small on the state at rest.
    pub fn amplitude(&self, most: f64) -> f64 {
        let deepest = self.rest.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        if deepest == 0.0 || most == 0.0 { 1.0 } else { SMALL_WAVE * deepest / most }
    }

    /// Derives them from the Riemann problems of the problem's solver, of equations that are linear or taken so about a state at rest; else says
    /// why there are none.
    pub fn new<const D: usize>(
        problem: &Problem<D>,
        solver: &dyn PatchSolver<f64>,
        about: Option<&dyn StateFunction<D>>,
    ) -> Result<Media, String> {
        let probe = Probe::<D>::new(solver);
        let mut is_odd = vec![false; probe.num_eqn];
        for group in solver.groups().iter().filter(|group| group.kind != GroupKind::Tensor) {
            group.components(D).for_each(|m| is_odd[m] = true);
        }
        if problem.aux.as_ref().is_some_and(|aux| aux.depends_on_time()) {
            return Err("its auxiliary values depend on time".to_owned());
        }
        let (domain, num_aux, num_eqn) = (&problem.domain, probe.num_aux, probe.num_eqn);
        let geometry = Geometry::new(domain.lower, domain.upper, domain.cells);
        let len = domain.cells[0] as usize;
        let (mut aux, zeros, mut rest) = (vec![0.0; num_aux * len], vec![0.0; num_eqn * len], vec![0.0; num_eqn * len]);
        let (mut last, mut reversal): (Option<Place>, Option<Reversal>) = (None, None);
        let mut media = Media { matrices: Vec::new(), of_cells: Vec::new(), rest: Vec::new() };
        for first in domain.coarsest().rows() {
            let row = CellRow { geometry, first, len, time: 0.0 };
            problem.aux.iter().for_each(|function| function.fill_row(&row, &mut aux));
            about.iter().for_each(|function| function.fill_row(&row, &zeros, &aux, &mut rest));
            for i in 0..len {
                let column = |values: &[f64], count: usize| (0..count).map(|k| values[k * len + i]).collect::<Vec<_>>();
                let here = Place { aux: column(&aux, num_aux - probe.of_frames), rest: column(&rest, num_eqn) };
                media.rest.extend(about.iter().flat_map(|_| &here.rest));
                if last.as_ref() != Some(&here) {
                    let matrices = if about.is_some() { probe.linearised(&here) } else { Some(probe.linear(&here)?) };
                    if let (Some(last), Some(matrices)) = (&last, &matrices) {
                        probe.check_still(last, &here, about.map(|_| matrices))?;
                    }
                    let found = matrices.and_then(|matrices| {
                        reversal = reversal.take().or_else(|| Reversal::new(&matrices, &is_odd));
                        reversal.as_ref().and_then(|reversal| reversal.at(&matrices))
                    });
                    if found.is_none() && about.is_none() {
                        return Err(ONE_WAY.to_owned());
                    }
                    media.matrices.push(found);
                    last = Some(here);
                }
                media.of_cells.push(media.matrices.len() as u32 - 1);
            }
        }
        if media.matrices.iter().any(Option::is_some) {
            return Ok(media);
        }
        let nothing = about.is_some() && media.rest.iter().all(|value| *value == 0.0);
        Err(if nothing { "the state at rest under `about` is 0 everywhere" } else { ONE_WAY }.to_owned())
    }
}

const ONE_WAY: &str = "its equations are not the same when time runs backwards";

/// A cell's own auxiliary values, and its state at rest.
#[derive(PartialEq)]
struct Place {
    aux: Vec<f64>,
    rest: Vec<f64>,
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
            free: 0.0,
            scheme: &scheme,
            kept_faces: KeptFaces::NONE,
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

    /// What steps take from the cell in the middle for each slope of a component on top of a constant state: the matrices A_d, if the solver is
    /// linear there.
    fn slopes(&self, aux: &[f64], base: &[f64], slope: f64) -> Vec<Matrix> {
        let column = |axis: usize, m: usize| {
            let state = |i: i32| {
                let value = |k: usize| base[k] + if k == m { slope * f64::from(i) } else { 0.0 };
                (0..self.num_eqn).map(value).collect()
            };
            self.lost(axis, state, |_| aux.to_vec()).into_iter().map(|lost| lost / slope).collect::<Vec<f64>>()
        };
        let matrix = |axis: usize| {
            let columns: Vec<_> = (0..self.num_eqn).map(|m| column(axis, m)).collect();
            (0..self.num_eqn).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
        };
        (0..D).map(matrix).collect()
    }

    /// The matrices A_d of a linear solver.
    fn linear(&self, place: &Place) -> Result<Vec<Matrix>, String> {
        let some: Vec<f64> = (0..self.num_eqn).map(|k| 0.5 * (1.0 + k as f64)).collect();
        let (matrices, others) =
            (self.slopes(&place.aux, &vec![0.0; self.num_eqn], 1.0), self.slopes(&place.aux, &some, -0.25));
        let rows = || matrices.iter().zip(&others).flat_map(|(a, b)| a.iter().zip(b));
        // Round-off of a row is that of its largest products.
        let same = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let most = largest(a);
            a.iter().zip(b).all(|(x, y)| (x - y).abs() <= ROUND_OFF * most)
        };
        if rows().all(same) {
            Ok(matrices)
        } else {
            Err("its equations are not linear; those of small waves are, `about` a state at rest".to_owned())
        }
    }

    /// The matrices A_d of small waves on a state at rest; `None` where there is nothing.
    fn linearised(&self, place: &Place) -> Option<Vec<Matrix>> {
        let step = SMALL_STEP * largest(&place.rest);
        let of = |step| self.slopes(&place.aux, &place.rest, step);
        let mean = |(a, b): (Vec<f64>, Vec<f64>)| a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        let rows = |(a, b): (Matrix, Matrix)| a.into_iter().zip(b).map(mean).collect();
        (step > 0.0).then(|| of(step).into_iter().zip(of(-step)).map(rows).collect())
    }

    /// Refuses equations in which a constant state, or that at rest, does not stay between media: of linear ones the matrices stand within the
    /// derivative. `matrices`: of small waves.
    fn check_still(&self, one: &Place, other: &Place, matrices: Option<&Vec<Matrix>>) -> Result<(), String> {
        let most =
            matrices.map_or(0.0, |all| ROUND_OFF * all.iter().flatten().map(|row| largest(row)).fold(0.0, f64::max));
        let moves = |axis: usize| {
            let side = |i: i32| if i < 0 { one } else { other };
            let state = |i: i32| if matrices.is_some() { side(i).rest.clone() } else { vec![1.0; self.num_eqn] };
            let lost = self.lost(axis, state, |i| side(i).aux.clone());
            largest(&lost) > most * largest(&other.rest).max(largest(&one.rest))
        };
        if one.aux == other.aux && one.rest == other.rest || !(0..D).any(moves) {
            return Ok(());
        }
        Err("a constant state does not stay where the medium changes".to_owned())
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}
