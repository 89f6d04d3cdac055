//! The fluxes of row j − 1 of plane k − 1 with all that is sent through its faces, and its new states.
//!
//! Sums are in the order of the plane's: a state that is uniform along an axis has the bits of the plane.

use super::Block;
use super::buffers::FIRST;
use crate::axis::Axis;
use crate::patch::KeptFace;
use crate::real::Real;
use crate::solver::Solver;

impl<S, V, const M: usize, const W: usize, const A: usize> Block<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Adds what goes through faces to the component `m` of their corrections. `lower`: what the cells above the faces send down,
    /// `upper`: what those below send up; `kappa`: 1/κ of the cells below and above.
    #[inline(always)]
    fn add_sent(&self, flux: &mut V, from: Axis, kappa: [V; 2], [upper, lower]: [V; 2]) {
        let half = V::constant(0.5) * self.dt_over_dx[from.index()];
        *flux -= half * kappa[1] * lower + half * kappa[0] * upper;
    }

    /// The same of what goes down out of the cells at `place`, and of what went up out of those before them, which what goes up now
    /// replaces at `up_place`.
    #[inline(always)]
    unsafe fn pass_up(&self, flux: &mut [V; M], axes: [Axis; 2], kappa: [V; 2], [place, up_place]: [isize; 2]) {
        let [from, through] = [axes[0].index(), axes[1].index()];
        let (sent, up, live) = (self.keep.sent[from][through], self.keep.up[from][through], self.live[from][through]);
        for m in 0..M {
            if live[m] {
                // SAFETY: the places are those of row and plane.
                unsafe {
                    let before = V::load(up.at(m, up_place));
                    V::load(sent.at(M + m, place)).store(up.at(m, up_place));
                    self.add_sent(&mut flux[m], axes[0], kappa, [before, V::load(sent.at(m, place))]);
                }
            }
        }
    }

    /// The same of what the cells of a row send through the x-faces between them.
    #[inline(always)]
    unsafe fn pass_along(&self, flux: &mut [V; M], from: Axis, kappa: [V; 2], place: isize) {
        let (sent, live) = (self.keep.sent[from.index()][0], self.live[from.index()][0]);
        for m in 0..M {
            if live[m] {
                // SAFETY: the columns left of the row are there.
                let passed = unsafe { [V::load(sent.at(M + m, place - 1)), V::load(sent.at(m, place))] };
                self.add_sent(&mut flux[m], from, kappa, passed);
            }
        }
    }

    /// Faces j along y of plane k − 1, faces k along z of row j − 1, and row j − 1 of plane k − 1, as far as they are the
    /// tile's.
    #[inline(always)]
    pub(super) unsafe fn finish_row(&mut self, j: isize, k: isize) {
        let lo = self.tile.args.lo;
        // SAFETY: all rows and planes hold what is read of them. Rows and planes before the first pass on what goes up out of them.
        unsafe {
            if k > 0 {
                self.pass(
                    #[inline(always)]
                    |block| block.y_fluxes(j, k - 1),
                );
            }
            if j > 0 {
                self.pass(
                    #[inline(always)]
                    |block| block.z_fluxes(j - 1, k),
                );
            }
            if k > 0 && j > 0 {
                self.pass(
                    #[inline(always)]
                    |block| block.x_fluxes(j - 1, k - 1),
                );
            }
            let kept_faces = self.tile.kept_complete_at([lo[2] + k as i32, lo[1] + j as i32], true);
            for kept in kept_faces {
                self.tile.solve_kept(kept);
            }
            self.correct_kept(kept_faces, j);
            if k > 0 && j > 0 {
                self.pass(
                    #[inline(always)]
                    |block| block.write_cells(j - 1, k - 1),
                );
            }
        }
    }

    /// G̃ of the faces `j`, plane `k`. Below them row j − 1 then has its part along y.
    #[inline(always)]
    unsafe fn y_fluxes(&mut self, j: isize, k: isize) {
        let (keep, y) = (self.keep, Axis::Y);
        let (faces, cells) = (keep.in_ring(0, j, k), keep.in_ring(0, (j - 1).max(-2), k));
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, cell) = (keep.in_row(i), self.cell(i, j, k));
            // SAFETY: the caller's promise.
            unsafe {
                let kappa = self.inverse_capacities(y, cell);
                let mut g: [V; M] = keep.corrections[1].load(faces + i);
                if self.transverse {
                    self.pass_up(&mut g, [Axis::X, y], kappa, [place; 2]);
                    self.pass_up(&mut g, [Axis::Z, y], kappa, [place; 2]);
                }
                self.tile.keep_admissible(y, cell, &mut g);
                let below: [V; M] = keep.g.load(place);
                keep.g.store(place, g);
                let mut part: [V; M] = keep.fluctuations[1].load(cells + i);
                for m in 0..M {
                    part[m] += g[m] - below[m];
                }
                keep.partial.store(place, part);
            }
            i += V::LANES as isize;
        }
    }

    /// H̃ of the faces `k`, row `j`; what these and the faces along y take from the states of row `j`, plane k − 1, once there are any.
    #[inline(always)]
    unsafe fn z_fluxes(&mut self, j: isize, k: isize) {
        let (keep, z) = (self.keep, Axis::Z);
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, in_plane, cell) = (keep.in_row(i), keep.in_plane(i, j), self.cell(i, j, k));
            // SAFETY: the caller's promise.
            unsafe {
                let kappa = self.inverse_capacities(z, cell);
                let mut h: [V; M] = keep.faces[2].correction.load(in_plane);
                if self.transverse {
                    self.pass_up(&mut h, [Axis::X, z], kappa, [place, in_plane]);
                    self.pass_up(&mut h, [Axis::Y, z], kappa, [place, in_plane]);
                }
                self.tile.keep_admissible(z, cell, &mut h);
                let below: [V; M] = keep.h.load(in_plane);
                keep.h.store(in_plane, h);
                if k > 0 {
                    let fluctuations: [V; M] = keep.z_fluctuations[0].load(place);
                    let mut part: [V; M] = keep.partial.load(place);
                    let (dtdz, dtdy) = (self.dt_over_dx[2] * kappa[0], self.dt_over_dx[1] * kappa[0]);
                    for m in 0..M {
                        part[m] = dtdz * (fluctuations[m] + (h[m] - below[m])) + dtdy * part[m];
                    }
                    keep.partial.store(place, part);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// F̃ of the faces of row `j`, plane `k`.
    #[inline(always)]
    unsafe fn x_fluxes(&mut self, j: isize, k: isize) {
        let (keep, start) = (self.keep, self.keep.in_ring(0, j, k));
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, cell) = (keep.in_row(i), self.cell(i, j, k));
            // SAFETY: the caller's promise; the columns left of the row are there.
            unsafe {
                let mut f: [V; M] = keep.corrections[0].load(start + i);
                if self.transverse {
                    let kappa = self.inverse_capacities(Axis::X, cell);
                    self.pass_along(&mut f, Axis::Y, kappa, place);
                    self.pass_along(&mut f, Axis::Z, kappa, place);
                }
                self.tile.keep_admissible(Axis::X, cell, &mut f);
                keep.f.store(place, f);
            }
            i += V::LANES as isize;
        }
    }

    /// Adds the part along x to the cells of row `j`, plane `k`, and writes them. In place of the old states go those of plane k − 1,
    /// which nothing reads any more; those of plane `k` wait.
    #[inline(always)]
    unsafe fn write_cells(&mut self, j: isize, k: isize) {
        let (keep, start) = (self.keep, self.keep.in_ring(0, j, k));
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, cell) = (keep.in_row(i), self.cell(i, j, k));
            // SAFETY: the columns right of the row are there; the tile's cells are ours to write.
            unsafe {
                let (mut q, part): ([V; M], [V; M]) = (self.tile.state(cell), keep.partial.load(place));
                let (left, right): ([V; M], [V; M]) = (keep.f.load(place), keep.f.load(place + 1));
                let fluctuations: [V; M] = keep.fluctuations[0].load(start + i);
                let dtdx = self.dt_over_dx[0] * self.tile.inverse_capacity(cell);
                for m in 0..M {
                    q[m] -= part[m] + dtdx * (fluctuations[m] + (right[m] - left[m]));
                }
                if !self.in_place {
                    self.tile.write(i, cell, q, V::constant(1.0), None);
                } else {
                    let waiting = keep.in_plane(i, j);
                    if k > 0 {
                        self.tile.write(
                            i,
                            cell - self.step(Axis::Z),
                            keep.waiting.load(waiting),
                            V::constant(1.0),
                            None,
                        );
                    }
                    keep.waiting.store(waiting, q);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Writes the new states of the last plane, which have waited.
    #[inline(always)]
    pub(super) unsafe fn write_last_plane(&mut self) {
        let [_, rows, planes] = self.size;
        for j in 0..rows {
            self.pass(
                #[inline(always)]
                |block| {
                    let mut i = FIRST;
                    while i <= block.size[0] {
                        let (cell, waiting) = (block.cell(i, j, planes - 1), block.keep.in_plane(i, j));
                        // SAFETY: the tile's cells are ours to write, and nothing is read any more.
                        unsafe { block.tile.write(i, cell, block.keep.waiting.load(waiting), V::constant(1.0), None) };
                        i += V::LANES as isize;
                    }
                },
            );
        }
    }

    /// Adds the corrections of faces that are kept, complete at row `j`.
    #[inline(always)]
    unsafe fn correct_kept(&self, kept_faces: &[KeptFace], j: isize) {
        for kept in kept_faces {
            let i = (kept.cell[0] - self.tile.args.lo[0]) as isize;
            let (corrections, place) = match kept.axis {
                Axis::X => (self.keep.f, self.keep.in_row(i)),
                Axis::Y => (self.keep.g, self.keep.in_row(i)),
                Axis::Z => (self.keep.h, self.keep.in_plane(i, j - 1)),
            };
            // SAFETY: the buffers hold the face.
            unsafe { self.tile.add_to_kept(kept, |m| *corrections.at(m, place)) };
        }
    }
}
