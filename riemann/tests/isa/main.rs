//! The kernels of every vector width give the same bits, and so do all divisions of a patch into tiles, and the update
//! in place.
//!
//! Tested on random states, in every number of dimensions, order, kind of transverse terms, limiter, sweep, with and without a capacity, on
//! odd sizes down to one cell: tilings for every built-in solver, in this processor's widest vectors; widths for some that take every way
//! through the update, since `holds/lanes.rs` compares every solver's faces in every width. Equality is that of bits: all widths do the
//! same operations in the same order.

mod looking;
#[allow(dead_code, reason = "the tests of the solvers' properties use the rest")]
#[path = "../../src/holds/random.rs"]
mod random;
mod sources;

use looking::Looking;
use random::Random;
use riemann::catalogue::{self, SolverInfo};
use riemann::faces::Faces;
use riemann::limiter::Limiter;
use riemann::patch::{
    Isa, KeptFace, Kernels, MAX_WAVES, PACK_OVERRUN, PatchSolver, Scheme, SolverKernels, Strides, TileArgs,
};
use riemann::prelude::*;
use riemann::real::Scalar;
use riemann::solvers::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ghost cells on every side along the patch's axes.
const GHOST: usize = 2;

/// A patch of random states.
struct Patch<R> {
    dim: usize,
    cells: [usize; 3],
    q: Vec<R>,
    aux: Vec<R>,
}

/// The axes that a sweep updates, and the largest size of a tile.
#[derive(Clone, Copy)]
struct Way {
    sweep: [bool; 3],
    tile: [usize; 3],
}

impl<R: Scalar> Patch<R> {
    /// A patch whose cells have random admissible states and auxiliary values.
    fn new(dim: usize, cells: [usize; 3], random: &mut Random, solver: &Admissible) -> Self {
        let mut patch = Patch { dim, cells, q: Vec::new(), aux: Vec::new() };
        let size = patch.size();
        let states: Vec<_> = (0..size).map(|_| solver.state(random)).collect();
        let arena = |count: usize, value: &dyn Fn(usize, usize) -> f64| {
            let mut arena = vec![R::default(); count * size + 2 * PACK_OVERRUN];
            for (k, number) in arena[PACK_OVERRUN..][..count * size].iter_mut().enumerate() {
                *number = R::from_f64(value(k / size, k % size));
            }
            arena
        };
        patch.q = arena(states[0].0.len(), &|m, cell| states[cell].0[m]);
        patch.aux = arena(states[0].1.len(), &|a, cell| states[cell].1[a]);
        patch
    }

    /// Cells along an axis, including ghost cells.
    fn extent(&self, d: usize) -> usize {
        self.cells[d] + if d < self.dim { 2 * GHOST } else { 0 }
    }

    /// Cells of the patch, including ghost cells.
    fn size(&self) -> usize {
        (0..3).map(|d| self.extent(d)).product()
    }

    fn strides(&self) -> Strides {
        let row = self.extent(0);
        Strides { row, slab: row * self.extent(1), component: self.size() }
    }

    /// Offset of the first interior cell.
    fn start(&self) -> usize {
        let strides = self.strides();
        PACK_OVERRUN + [1, strides.row, strides.slab][..self.dim].iter().sum::<usize>() * GHOST
    }

    /// Faces of a tile whose fluxes are kept: the patch's edges and a plane of faces inside it, along each swept axis.
    fn kept_faces(&self, lo: [usize; 3], hi: [usize; 3], sweep: [bool; 3]) -> Vec<KeptFace> {
        let mut kept_faces = Vec::new();
        for axis in Axis::ALL.into_iter().filter(|axis| sweep[axis.index()]) {
            let d = axis.index();
            let count = self.cells[d];
            let end = hi[d] + usize::from(hi[d] == count);
            let planes = [0, count / 2, count].into_iter().enumerate().filter(|(_, face)| (lo[d]..end).contains(face));
            for (plane, face) in planes {
                let across = Axis::ALL
                    .map(|other| if other == axis { face..face + 1 } else { lo[other.index()]..hi[other.index()] });
                for z in across[2].clone() {
                    for y in across[1].clone() {
                        for x in across[0].clone() {
                            let seen_from = if (x + y + z).is_multiple_of(2) { Side::Lower } else { Side::Upper };
                            let place = (z * (self.cells[1] + 1) + y) * (self.cells[0] + 1) + x;
                            let slot = (place * 3 + d) * 3 + plane;
                            let cell = [x as i32, y as i32, z as i32];
                            kept_faces.push(KeptFace { cell, axis, seen_from, slot: slot as u32 });
                        }
                    }
                }
            }
        }
        kept_faces.sort_by_key(|kept| (kept.complete_at(sweep == [true; 3]), kept.axis, kept.cell, kept.slot));
        kept_faces
    }

    /// Updates the patch tile by tile. Returns all bits of the new state, of the fluxes kept, and the largest Courant number's.
    fn update(&self, solver: &dyn PatchSolver<R>, scheme: &Scheme, way: Way) -> Vec<u64> {
        let mut q_next = vec![R::default(); self.q.len()];
        let (q, next) = (self.q[self.start()..].as_ptr(), q_next[self.start()..].as_mut_ptr());
        // SAFETY: the arrays are the patch's.
        let mut bits = unsafe { self.update_between(q, next, solver, scheme, way) };
        self.append_interior(&q_next, &mut bits);
        bits
    }

    /// Updates the patch in place, in one tile.
    fn update_in_place(&self, solver: &dyn PatchSolver<R>, scheme: &Scheme, sweep: [bool; 3]) -> Vec<u64> {
        let mut q = self.q.clone();
        let start = q[self.start()..].as_mut_ptr();
        // SAFETY: the array is the patch's.
        let mut bits = unsafe { self.update_between(start, start, solver, scheme, Way { sweep, tile: WHOLE }) };
        self.append_interior(&q, &mut bits);
        bits
    }

    fn append_interior(&self, q: &[R], bits: &mut Vec<u64>) {
        let strides = self.strides();
        for m in 0..(q.len() - 2 * PACK_OVERRUN) / strides.component {
            for k in 0..self.cells[2] {
                for j in 0..self.cells[1] {
                    let row = self.start() + m * strides.component + k * strides.slab + j * strides.row;
                    bits.extend(q[row..][..self.cells[0]].iter().map(|v| v.to_f64().to_bits()));
                }
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
        way: Way,
    ) -> Vec<u64> {
        // The result must not depend on what an earlier tile leaves in the scratch memory.
        let mut scratch = vec![R::from_f64(f64::NAN); solver.scratch_len()];
        let slots = 9 * self.cells.iter().map(|n| n + 1).product::<usize>();
        let mut kept = vec![R::default(); solver.equations().len() * slots];
        let mut courant: f64 = 0.0;
        let aux = match self.aux.len() > 2 * PACK_OVERRUN {
            true => self.aux[self.start()..].as_ptr(),
            false => std::ptr::NonNull::dangling().as_ptr(),
        };
        let firsts = |d: usize| (0..self.cells[d]).step_by(way.tile[d]);
        for lo in firsts(2).flat_map(|k| firsts(1).flat_map(move |j| firsts(0).map(move |i| [i, j, k]))) {
            let hi: [usize; 3] = std::array::from_fn(|d| (lo[d] + way.tile[d]).min(self.cells[d]));
            let kept_faces = self.kept_faces(lo, hi, way.sweep);
            let args = TileArgs {
                q,
                q_next,
                aux,
                strides: self.strides(),
                lo: lo.map(|n| n as i32),
                hi: hi.map(|n| n as i32),
                sweep: way.sweep,
                dt: 0.013,
                dx: [0.3, 0.7, 0.5],
                // Many a cell is faster.
                free: 0.5,
                scheme,
                kept_faces: (&kept_faces[..]).into(),
                kept_values: kept.as_mut_ptr(),
                kept_stride: slots,
            };
            // SAFETY: the patch has two ghost cells on every side and the overrun at both ends of its arrays; every
            // kept has a slot of its own.
            let report = unsafe { solver.update_tile(&args, &mut scratch) };
            courant = courant.max(report.courant);
        }
        let mut bits = vec![courant.to_bits()];
        bits.extend(kept.iter().map(|v| v.to_f64().to_bits()));
        bits
    }
}

/// Schemes that cover all options of the update; with a capacity too if `num_aux` is not zero.
fn schemes(dim: usize, num_aux: usize) -> Vec<Scheme> {
    let mut schemes = Vec::new();
    let capacities: &[i32] = if num_aux > 0 { &[-1, 0] } else { &[-1] };
    for &capacity in capacities {
        let of = |order, transverse, limiters| Scheme {
            order,
            transverse,
            limiters,
            double_transverse: true,
            capacity,
            sharing_faces: 0,
        };
        let all = |limiter: Limiter| [limiter; MAX_WAVES];
        for transverse in 0..=2 {
            schemes.push(of(1, transverse, all(Limiter::default())));
            schemes.extend(Limiter::ALL.iter().map(|&limiter| of(2, transverse, all(limiter))));
        }
        // A different limiter for each wave.
        let limiters = std::array::from_fn(|w| Limiter::ALL[w % Limiter::ALL.len()]);
        schemes.push(of(2, 2, limiters));
        schemes.push(Scheme { sharing_faces: 4, ..of(2, 2, limiters) });
        if dim > 2 {
            schemes
                .extend((1..=2).map(|transverse| Scheme { double_transverse: false, ..of(2, transverse, limiters) }));
        }
    }
    schemes
}

/// Sizes: odd, coprime to every number of lanes, and down to one cell.
const SIZES: [&[[usize; 3]]; 3] = [
    &[[1, 1, 1], [5, 1, 1], [37, 1, 1]],
    &[[1, 1, 1], [1, 5, 1], [7, 1, 1], [13, 9, 1], [37, 5, 1]],
    &[[1, 1, 1], [1, 5, 2], [13, 3, 5]],
];
/// A tile that holds each of the sizes whole, and is no larger than the largest tile swept along three axes.
const WHOLE: [usize; 3] = [64, 16, 64];

/// All axes at once, and each by itself.
fn sweeps(dim: usize) -> Vec<[bool; 3]> {
    let mut sweeps = vec![std::array::from_fn(|d| d < dim)];
    if dim > 1 {
        sweeps.extend((0..dim).map(|axis| std::array::from_fn(|d| d == axis)));
    }
    sweeps
}

/// A built-in solver's admissible states.
struct Admissible {
    faces: Faces,
    counts: [usize; 2],
}

impl Admissible {
    fn state(&self, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        let [state, aux] = self.counts.map(|n| (0..n).map(|_| random.between(0.0, 1.0)).collect::<Vec<_>>());
        (self.faces.double.admissible(&state), self.faces.double.admissible_aux(&aux))
    }
}

fn parameters(info: &SolverInfo) -> BTreeMap<String, f64> {
    info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.25))).collect()
}

fn admissible(info: &SolverInfo) -> Admissible {
    let counts = [info.equations.len(), info.aux.len()];
    if info.name == "looking" {
        let faces = if info.dim == 3 { Faces::new(Looking::<3>) } else { Faces::new(Looking::<2>) };
        return Admissible { faces, counts };
    }
    let faces = catalogue::faces(info.name, info.dim, &parameters(info)).expect("the parameters are possible");
    Admissible { faces: faces.expect("tests have those of all"), counts }
}

/// Kernels of a built-in solver; of those that few cases use, quick builds have few.
fn kernels(info: &SolverInfo) -> Option<SolverKernels> {
    catalogue::kernels(info.name, info.dim, &parameters(info)).expect("the parameters are possible")
}

/// What an update is compared in: cells, scheme and sweep.
type Setting<'a> = ([usize; 3], &'a Scheme, [bool; 3]);

/// Calls `check` with random patches in every setting.
fn for_every_setting<R: Scalar>(info: &SolverInfo, check: impl Fn(&Patch<R>, Setting<'_>)) {
    let (mut random, states) = (Random::new(17), admissible(info));
    for &cells in SIZES[info.dim - 1] {
        let patch = Patch::<R>::new(info.dim, cells, &mut random, &states);
        for scheme in schemes(info.dim, info.aux.len()) {
            for sweep in sweeps(info.dim) {
                check(&patch, (cells, &scheme, sweep));
            }
        }
    }
}

fn same_in_every_tiling<R: Scalar>(info: &SolverInfo, solver: &dyn PatchSolver<R>) {
    for_every_setting::<R>(info, |patch, (cells, scheme, sweep)| {
        let what = || format!("{}, {cells:?} cells, {scheme:?}, sweep {sweep:?}", info.name);
        let whole = patch.update(solver, scheme, Way { sweep, tile: WHOLE });
        let tiled = patch.update(solver, scheme, Way { sweep, tile: [5, 3, 2] });
        assert!(tiled == whole, "{}: tiles change the result", what());
        if solver.looks_beside() {
            return;
        }
        let in_place = patch.update_in_place(solver, scheme, sweep);
        assert!(in_place == whole, "{}: writing over the old state changes the result", what());
    });
}

#[test]
fn every_tiling_gives_the_same_bits() {
    for info in catalogue::all() {
        let Some(kernels) = kernels(info) else { continue };
        same_in_every_tiling(info, kernels.double.as_ref());
        if let Some(single) = kernels.single.as_deref() {
            same_in_every_tiling(info, single);
        }
    }
    same_in_every_tiling::<f64>(looking::info::<2, 3>(), &Kernels::new(Looking::<2>));
    same_in_every_tiling::<f64>(looking::info::<3, 4>(), &Kernels::new(Looking::<3>));
}

fn same_in_every_width<S, const M: usize, const W: usize, const A: usize>()
where
    S: Solver<M, W, A> + Described,
{
    same_in_every_width_of::<S, M, W, A>(catalogue::find(S::NAME, S::DIM).expect("it is built in"));
}

fn same_in_every_width_of<S, const M: usize, const W: usize, const A: usize>(info: &SolverInfo)
where
    S: Solver<M, W, A> + Described,
{
    let given = parameters(info);
    let values: Vec<f64> = info.parameters.iter().map(|p| given[p.name]).collect();
    let kernels = |&isa: &Isa| Arc::new(Kernels::with_isa(S::from_parameters(&values), isa));
    let every: Vec<_> = Isa::available().iter().map(kernels).collect();
    compare_widths::<f64>(info, &every.iter().map(|k| k.as_ref() as _).collect::<Vec<_>>());
    compare_widths::<f32>(info, &every.iter().map(|k| k.as_ref() as _).collect::<Vec<_>>());
}

/// Compares the kernels of one solver, narrowest vectors first.
fn compare_widths<R: Scalar>(info: &SolverInfo, kernels: &[&dyn PatchSolver<R>]) {
    for_every_setting::<R>(info, |patch, (cells, scheme, sweep)| {
        let way = Way { sweep, tile: WHOLE };
        let expected = patch.update(kernels[0], scheme, way);
        for (solver, isa) in kernels.iter().zip(Isa::available()).skip(1) {
            let (name, isa) = (info.name, isa.name());
            let found = patch.update(*solver, scheme, way);
            assert!(
                found == expected,
                "{name}, {cells:?} cells, {scheme:?}, sweep {sweep:?}: {isa} is not portable code's"
            );
        }
    });
}

/// With auxiliary values and without, in cells and on faces; with a mean state and without; waves of the flux; faces solved twice; jumps
/// beside faces.
#[test]
fn every_width_gives_the_same_bits() {
    same_in_every_width::<Burgers<1>, _, _, _>();
    same_in_every_width::<Euler<2>, _, _, _>();
    same_in_every_width::<AcousticsVariable<2>, _, _, _>();
    same_in_every_width::<Elasticity<2>, _, _, _>();
    same_in_every_width::<ShallowWaterBathymetry<2>, _, _, _>();
    same_in_every_width::<Acoustics<3>, _, _, _>();
    same_in_every_width::<AdvectionEdge<3>, _, _, _>();
    same_in_every_width_of::<Looking<2>, _, _, _>(looking::info::<2, 3>());
    same_in_every_width_of::<Looking<3>, _, _, _>(looking::info::<3, 4>());
}

/// The update changes nearly all states, with values that depend on the limiter: the comparison is not of constants.
#[test]
fn the_comparison_is_of_something() {
    for (dim, cells) in [(2, [13, 9, 1]), (3, [13, 9, 5])] {
        let info = catalogue::find("euler", dim).expect("it is built in");
        let patch = Patch::<f64>::new(dim, cells, &mut Random::new(3), &admissible(info));
        let bits = |limiter: Limiter| {
            let limiters = [limiter; MAX_WAVES];
            let scheme =
                Scheme { order: 2, transverse: 2, limiters, double_transverse: true, capacity: -1, sharing_faces: 0 };
            let way = Way { sweep: std::array::from_fn(|d| d < dim), tile: WHOLE };
            patch.update(kernels(info).expect("it is built in").double.as_ref(), &scheme, way)
        };
        let (minmod, superbee) = (bits(Limiter::Minmod), bits(Limiter::Superbee));
        assert_eq!(minmod[0], superbee[0], "the Courant number knows no limiter");
        let interior = (dim + 2) * cells.iter().product::<usize>();
        let pairs = || minmod.iter().zip(&superbee).rev().take(interior);
        let different = pairs().filter(|(a, b)| a != b).count();
        assert!(10 * different > 9 * interior, "{different} of {interior} numbers");
        assert!(pairs().all(|(a, _)| f64::from_bits(*a).is_finite()));
    }
}
