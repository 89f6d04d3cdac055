//! The wave-propagation update of one tile in three dimensions, all axes at once.
//!
//! Equation: Langseth & LeVeque 2000, doi:10.1006/jcph.2000.6606; docs/method.md §2.6 has it term by term. With 𝒞, H̃ along z,
//! ```text
//! Q⁺ = Q − Δt/κΔx (𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) + F̃(i+½) − F̃(i−½)) − the same along y with ℬ, G̃ − the same along z with 𝒞, H̃
//! ```
//!
//! Map     columns of a tile in aligned packs of lanes, its rows one after another, its planes marched along z
//! Faces   each is solved once and limited when its upper neighbour is known: `faces.rs`
//! Cells   each splits what its two faces along an axis send into it along the two other axes: `transverse.rs`
//! Flux    row j − 1 of plane k − 1 is finished when row j of plane k has been split: `finish.rs`
//! Place   what one row or plane leaves for the next is in buffers that stay in the second-level cache: `buffers.rs`
//! In place new states of a plane wait in a buffer until the next plane, which reads the old ones, is done
//! Bytes   100 numbers a cell of the plane, for acoustics half of them used: what a solver leaves zero is not kept: `live.rs`
//! Loops   each loop over a row is compiled by itself, axes and sides known: `Block::pass`
//! Bits    each face's and each cell's arithmetic is the same in every lane width and every tiling

mod buffers;
mod faces;
mod finish;
mod live;
mod transverse;

pub(super) use buffers::scratch_len;

use super::tile::Tile;
use super::{SPACE_TILE, TileArgs, TileReport};
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;
use buffers::Buffers;
use live::Live;

/// A tile being updated. Columns, rows and planes are counted from its first cell; face i, j or k lies below the cell of
/// the same number.
struct Block<'a, S, V: Real, const M: usize, const W: usize, const A: usize> {
    tile: Tile<'a, S, V, M, W, A>,
    keep: Buffers<V::Scalar>,
    /// Number of columns, rows and planes.
    size: [isize; 3],
    /// Δt/Δx along each axis.
    dt_over_dx: [V; 3],
    /// Compute transverse waves; split them once more.
    transverse: bool,
    double: bool,
    /// New states take the place of the old ones.
    in_place: bool,
    /// Components of what fluctuations along the first axis send along the second.
    live: [[Live<M>; 3]; 3],
}

/// Updates one tile.
///
/// # Safety
/// As for [`super::update::update_tile`].
#[inline(always)]
pub(super) unsafe fn update_in_space<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    scratch: &mut [V::Scalar],
) -> TileReport
where
    S: Solver<M, W, A>,
    V: Real,
{
    let tile = Tile::new(solver, args);
    let size: [isize; 3] = std::array::from_fn(|d| (args.hi[d] - args.lo[d]) as isize);
    let [columns, rows] = [size[0] as usize, size[1] as usize];
    assert!(columns <= SPACE_TILE[0] && rows <= SPACE_TILE[1], "a tile of {columns} columns and {rows} rows");
    let dt_over_dx = Axis::ALL.map(|axis| tile.dt_over_dx(axis));
    let transverse = args.scheme.transverse > 0;
    let keep = Buffers::new(scratch, [columns, rows], M, W);
    let double = transverse && args.scheme.double_transverse;
    let mut live = [[[false; M]; 3]; 3];
    for (axis, along) in Axis::ALL.into_iter().flat_map(|axis| axis.transverse(3).map(move |along| (axis, along))) {
        live[axis.index()][along.index()] = live::live(solver, axis, along);
    }
    let in_place = args.q == args.q_next.cast_const();
    let mut block = Block::<S, V, M, W, A> { tile, keep, size, dt_over_dx, transverse, double, in_place, live };
    // SAFETY: the caller's promise covers every cell touched.
    unsafe { block.march() };
    block.tile.report()
}

impl<S, V, const M: usize, const W: usize, const A: usize> Block<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    #[inline(always)]
    unsafe fn march(&mut self) {
        let [_, rows, planes] = self.size;
        // SAFETY: two ghost cells around the tile are readable.
        unsafe {
            for k in -2..=planes {
                for j in -2..=rows {
                    self.work_on_row(j, k);
                    self.keep.next_row();
                }
            }
            if self.in_place {
                self.write_last_plane();
            }
        }
    }

    /// Row `j` of plane `k`: solves, limits and splits, then finishes row j − 1 of plane k − 1. In the row and the plane before the
    /// first only the faces above them are solved. Each loop over the row is a separate function: a single one would take long to
    /// compile and run out of registers.
    #[inline(always)]
    unsafe fn work_on_row(&mut self, j: isize, k: isize) {
        let [_, rows, planes] = self.size;
        let (inside_row, inside_plane) = (0 <= j && j < rows, 0 <= k && k < planes);
        // SAFETY: likewise.
        unsafe {
            let first = j < -1 || k < -1;
            // Rows and planes around the tile are processed only for what they send into it.
            if !first && (self.transverse || inside_row && inside_plane) {
                let inside = inside_row && inside_plane;
                self.pass(
                    #[inline(always)]
                    |block| block.solve_x(j, k, inside),
                );
                self.pass(
                    #[inline(always)]
                    |block| block.correct_x(j, k),
                );
                self.pass(
                    #[inline(always)]
                    |block| block.enter_x(j, k),
                );
                if self.transverse {
                    self.send_from::<0>([j, k]);
                }
            }
            if k >= -1 && (self.transverse || inside_plane) {
                self.pass(
                    #[inline(always)]
                    |block| block.march_faces(Axis::Y, [j, k], inside_plane),
                );
                if self.transverse && j > 0 {
                    self.send_from::<1>([j - 1, k]);
                }
            }
            if j >= -1 && (self.transverse || inside_row) {
                self.pass(
                    #[inline(always)]
                    |block| block.march_faces(Axis::Z, [j, k], inside_row),
                );
                if self.transverse && k > 0 {
                    self.send_from::<2>([j, k - 1]);
                }
            }
            if !first {
                self.finish_row(j, k);
            }
        }
    }

    /// Runs a loop over a row as a separate function, on a copy: see [`Tile::apart`].
    #[inline(always)]
    fn pass(&mut self, run: impl FnOnce(&mut Block<'_, S, V, M, W, A>)) {
        [self.tile.courant, self.tile.fault] = self.tile.apart(
            #[inline(always)]
            |tile| {
                let mut copy = Block { tile, ..*self };
                run(&mut copy);
                copy.tile
            },
        );
    }

    /// Offset of the cell in column `i`, row `j`, plane `k` from the patch's first cell.
    #[inline(always)]
    fn cell(&self, i: isize, j: isize, k: isize) -> isize {
        let (lo, strides) = (self.tile.args.lo, &self.tile.args.strides);
        strides.offset(lo) + i + j * strides.row as isize + k * strides.slab as isize
    }

    /// From a cell to its upper neighbour along `axis`.
    #[inline(always)]
    fn step(&self, axis: Axis) -> isize {
        self.tile.args.strides.along(axis) as isize
    }
}
