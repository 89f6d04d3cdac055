//! The fluxes of row j − 1 of plane k − 1 with all that is sent through its faces, and its new states.
//!
//! What an earlier axis sends through faces of a later one is scaled as in the plane `g` is from x, what a later one sends
//! through faces of an earlier one as `f` is from y: a state that is uniform along an axis has the bits of the plane.

use super::Block;
use super::buffers::{FIRST, Group};
use crate::axis::Axis;
use crate::patch::Tap;
use crate::real::Real;
use crate::solver::Solver;

impl<S, V, const M: usize, const W: usize, const A: usize> Block<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Takes what goes through faces into their corrections `flux`. `lower`: what the cells above the faces send down,
    /// `upper`: what those below send up; `kappa`: 1/κ of the cells below and above.
    #[inline(always)]
    fn add_sent(&self, flux: &mut [V; M], from: Axis, through: Axis, kappa: [V; 2], [upper, lower]: [[V; M]; 2]) {
        let half = V::constant(0.5) * self.dt_over_dx[from.index()];
        let scales = kappa.map(|kappa| half * kappa);
        for m in 0..M {
            if from < through {
                flux[m] -= scales[1] * lower[m] + scales[0] * upper[m];
            } else {
                flux[m] -= half * (kappa[1] * lower[m] + kappa[0] * upper[m]);
            }
        }
    }

    /// What goes down out of the cells at `place`, and what went up out of those before them, which what goes up now
    /// replaces.
    #[inline(always)]
    unsafe fn pass_up(sent: Group<V::Scalar>, place: isize, up: Group<V::Scalar>, up_place: isize) -> [[V; M]; 2] {
        // SAFETY: the places are those of row and plane.
        unsafe {
            let [lower, now] = sent.load_all::<V, M, 2>(place);
            let before = up.load(up_place);
            up.store(up_place, now);
            [before, lower]
        }
    }

    /// Faces j along y of plane k − 1, faces k along z of row j − 1, and row j − 1 of plane k − 1, as far as they are the
    /// tile's.
    #[inline(always)]
    pub(super) unsafe fn finish_row(&mut self, j: isize, k: isize) {
        let lo = self.tile.args.lo;
        // SAFETY: all rows and planes hold what is read of them.
        unsafe {
            let mut i = FIRST;
            while i <= self.size[0] {
                // Rows and planes before the first pass on what goes up out of them.
                if k > 0 {
                    self.y_flux(i, j, k - 1);
                }
                if j > 0 {
                    self.z_flux(i, j - 1, k);
                }
                if k > 0 && j > 0 {
                    self.x_flux(i, j - 1, k - 1);
                }
                i += V::LANES as isize;
            }
            let taps = self.tile.taps_complete_at([lo[2] + k as i32, lo[1] + j as i32], true);
            self.tile.solve_taps(taps);
            self.correct_taps(taps, j);
            i = FIRST;
            while i <= self.size[0] && k > 0 && j > 0 {
                self.write_cells(i, j - 1, k - 1);
                i += V::LANES as isize;
            }
        }
    }

    /// G̃ of the faces `j`, plane `k`. Below it row j − 1 then has its part along y.
    #[inline(always)]
    unsafe fn y_flux(&mut self, i: isize, j: isize, k: isize) {
        let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
        // SAFETY: the caller's promise.
        unsafe {
            let kappa = self.inverse_capacities(Axis::Y, cell);
            let mut g: [V; M] = self.keep.y_correction.load(place);
            if self.transverse {
                let sent = Self::pass_up(self.keep.sent_xy, place, self.keep.up_xy, place);
                self.add_sent(&mut g, Axis::X, Axis::Y, kappa, sent);
                let sent = Self::pass_up(self.keep.sent_zy, place, self.keep.up_zy, place);
                self.add_sent(&mut g, Axis::Z, Axis::Y, kappa, sent);
            }
            let below: [V; M] = self.keep.g.load(place);
            self.keep.g.store(place, g);
            let mut part: [V; M] = self.keep.y_fluctuations.load(place);
            for m in 0..M {
                part[m] += g[m] - below[m];
            }
            self.keep.partial.store(place, part);
        }
    }

    /// H̃ of the faces `k`, row `j`; the new states of row `j`, plane k − 1 but for the part along x, once there are any.
    #[inline(always)]
    unsafe fn z_flux(&mut self, i: isize, j: isize, k: isize) {
        let (place, in_plane) = (self.keep.in_row(i), self.keep.in_plane(i, j));
        let cell = self.cell(i, j, k);
        // SAFETY: the caller's promise.
        unsafe {
            let kappa = self.inverse_capacities(Axis::Z, cell);
            let mut h: [V; M] = self.keep.faces[2].correction.load(in_plane);
            if self.transverse {
                let sent = Self::pass_up(self.keep.sent_xz, place, self.keep.up_xz, in_plane);
                self.add_sent(&mut h, Axis::X, Axis::Z, kappa, sent);
                let sent = Self::pass_up(self.keep.sent_yz, place, self.keep.up_yz, in_plane);
                self.add_sent(&mut h, Axis::Y, Axis::Z, kappa, sent);
            }
            let below: [V; M] = self.keep.h.load(in_plane);
            self.keep.h.store(in_plane, h);
            if k <= 0 {
                return;
            }
            let mut q = self.tile.state(cell - self.step(Axis::Z));
            let fluctuations: [V; M] = self.keep.z_fluctuations[0].load(place);
            let y_part: [V; M] = self.keep.partial.load(place);
            let (dtdz, dtdy) = (self.dt_over_dx[2] * kappa[0], self.dt_over_dx[1] * kappa[0]);
            for m in 0..M {
                q[m] -= dtdz * (fluctuations[m] + (h[m] - below[m]));
                q[m] -= dtdy * y_part[m];
            }
            self.keep.partial.store(place, q);
        }
    }

    /// F̃ of the faces of row `j`, plane `k`.
    #[inline(always)]
    unsafe fn x_flux(&mut self, i: isize, j: isize, k: isize) {
        let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
        // SAFETY: the caller's promise; the columns left of the row are there.
        unsafe {
            let mut f: [V; M] = self.keep.x_corrections[0].load(place);
            if self.transverse {
                let kappa = self.inverse_capacities(Axis::X, cell);
                for (from, sent) in [(Axis::Y, self.keep.sent_yx), (Axis::Z, self.keep.sent_zx)] {
                    let [lower, _] = sent.load_all::<V, M, 2>(place);
                    let [_, upper] = sent.load_all::<V, M, 2>(place - 1);
                    self.add_sent(&mut f, from, Axis::X, kappa, [upper, lower]);
                }
            }
            self.keep.f.store(place, f);
        }
    }

    /// Adds the part along x to the cells of row `j`, plane `k`, and writes them.
    #[inline(always)]
    unsafe fn write_cells(&mut self, i: isize, j: isize, k: isize) {
        let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
        // SAFETY: the columns right of the row are there; the tile's cells are ours to write.
        unsafe {
            let mut q: [V; M] = self.keep.partial.load(place);
            let (left, right): ([V; M], [V; M]) = (self.keep.f.load(place), self.keep.f.load(place + 1));
            let fluctuations: [V; M] = self.keep.x_fluctuations[0].load(place);
            let dtdx = self.dt_over_dx[0] * self.tile.inverse_capacity(cell);
            for m in 0..M {
                q[m] -= dtdx * (fluctuations[m] + (right[m] - left[m]));
            }
            self.tile.write(i, cell, q);
        }
    }

    /// Adds the corrections of faces that are kept, complete at row `j`.
    #[inline(always)]
    unsafe fn correct_taps(&self, taps: &[Tap], j: isize) {
        for tap in taps {
            let i = (tap.cell[0] - self.tile.args.lo[0]) as isize;
            let (corrections, place) = match tap.axis {
                Axis::X => (self.keep.f, self.keep.in_row(i)),
                Axis::Y => (self.keep.g, self.keep.in_row(i)),
                Axis::Z => (self.keep.h, self.keep.in_plane(i, j - 1)),
            };
            // SAFETY: the buffers hold the face.
            unsafe { self.tile.add_to_tap(tap, |m| *corrections.at(m, place)) };
        }
    }
}
