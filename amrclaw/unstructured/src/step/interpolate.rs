//! Values at the faces of cells by their limited gradients, some components side by side. All widths give the same bits.

use super::chunks::Shared;
use super::{Limiter, MOST_EQUATIONS};
use crate::mesh::Across;
use riemann::cells::CellSums;
use riemann::elementary::Double;
use riemann::patch::{Isa, PACK_OVERRUN};
use riemann::real::Scalar;
use std::ops::Range;

/// One number for each component, and a pack beyond.
pub(super) const NUMBERS: usize = MOST_EQUATIONS + PACK_OVERRUN;

/// What is interpolated, and where to.
pub(super) struct Interpolation<'a> {
    pub dim: usize,
    pub limiter: Limiter,
    pub num_eqn: usize,
    /// Of each cell its first entry in `across`, and the end of all.
    pub starts: &'a [u32],
    pub across: &'a [Across],
    /// Of each component ε² of Venkatakrishnan's limiter.
    pub smooth: [f64; NUMBERS],
    /// Values of cells and what is behind their faces, `[state, component]`; a pack is readable beyond the last.
    pub from: Shared<'a>,
    /// Values at faces, likewise.
    pub to: Shared<'a>,
    /// Where those on the left and on the right of faces begin.
    pub places: [usize; 2],
}

impl Interpolation<'_> {
    /// Fills the values that cells have at their faces.
    ///
    /// # Safety
    /// Nobody writes the values of cells meanwhile, nor touches those of these cells at their faces; the tables are the mesh's.
    pub unsafe fn fill(&self, cells: Range<usize>) {
        match Isa::detect() {
            // Half of a pack of eight would be empty.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if self.num_eqn > 4 => self.enter::<<f64 as Scalar>::Avx512>(cells),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx2 => self.enter::<<f64 as Scalar>::Avx2>(cells),
            _ => self.enter::<<f64 as Scalar>::Portable>(cells),
        }
    }

    /// With packs that the processor has.
    fn enter<V: Double>(&self, cells: Range<usize>) {
        V::outlined::<Self, _>(
            #[inline(always)]
            || {
                for cell in cells {
                    let across = &self.across[self.starts[cell] as usize..self.starts[cell + 1] as usize];
                    let mut first = 0;
                    while first < self.num_eqn {
                        // SAFETY: what `fill` was promised.
                        unsafe { self.components::<V>(cell, across, first) };
                        first += V::LANES;
                    }
                }
            },
        );
    }

    /// Fills a pack of components of one cell.
    ///
    /// # Safety
    /// As for [`Interpolation::fill`].
    #[inline(always)]
    unsafe fn components<V: Double>(&self, cell: usize, across: &[Across], first: usize) {
        // SAFETY: the caller's promise: a pack is readable everywhere, and no component but the state's is written.
        unsafe {
            let own = V::load(self.from.at(cell * self.num_eqn + first));
            let (mut gradient, mut below, mut above) = ([V::zero(); 3], V::zero(), V::zero());
            for face in across {
                let difference = V::load(self.from.at(face.neighbour as usize * self.num_eqn + first)) - own;
                for d in 0..self.dim {
                    gradient[d] += V::splat(face.weight[d]) * difference;
                }
                (below, above) = (below.min(difference), above.max(difference));
            }
            let mut factor = V::splat(1.0);
            let smooth = V::load(self.smooth.as_ptr().add(first));
            for face in across {
                let change = CellSums::change(gradient, splat(face.to_face));
                factor = match self.limiter {
                    Limiter::None => break,
                    Limiter::BarthJespersen => CellSums::barth_jespersen(factor, change, below, above),
                    Limiter::Venkatakrishnan => CellSums::venkatakrishnan(factor, change, below, above, smooth),
                };
            }
            let inside = V::lanes_between(0, V::LANES.min(self.num_eqn - first));
            for face in across {
                let change = CellSums::change(gradient, splat(face.to_face));
                let place = self.places[(face.entry % 2) as usize] + (face.entry / 2) as usize;
                let place = self.to.at(place * self.num_eqn + first);
                CellSums::at_face(own, factor, change).store_where(inside, place);
            }
        }
    }
}

#[inline(always)]
fn splat<V: Double>([x, y, z]: [f64; 3]) -> [V; 3] {
    [V::splat(x), V::splat(y), V::splat(z)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::Of;
    use crate::step::tests::block;
    use crate::step::{Gradient, stencil};

    /// Values of 1 to 9 components in cells of all shapes, and in what lies beyond them, are interpolated with the same bits in packs of all widths, by every
    /// limiter; nothing else is written.
    #[test]
    fn packs_of_all_widths_have_the_same_bits() {
        let mesh = block(&[3, 4, 3], Of::Mixed, 0.3);
        let (cells, behind) = (mesh.num_cells(), mesh.num_cells() + mesh.boundary.len());
        let across = stencil(&mesh, Gradient::LeastSquares);
        for num_eqn in 1..=9 {
            for limiter in [Limiter::None, Limiter::BarthJespersen, Limiter::Venkatakrishnan] {
                let mut from: Vec<f64> =
                    (0..num_eqn * behind + PACK_OVERRUN).map(|k| ((k * k + 3 * k) % 101) as f64 / 7.0).collect();
                let smooth = std::array::from_fn(|m| 0.01 * m as f64);
                let mut filled = |isa: usize| {
                    let mut to = vec![-1.0; 2 * num_eqn * mesh.num_faces()];
                    let interpolation = Interpolation {
                        dim: 3,
                        limiter,
                        num_eqn,
                        starts: &mesh.cell_faces.starts,
                        across: &across,
                        smooth,
                        from: Shared::new(&mut from),
                        to: Shared::new(&mut to),
                        places: [0, mesh.num_faces()],
                    };
                    match isa {
                        0 => interpolation.enter::<f64>(0..cells),
                        #[cfg(target_arch = "x86_64")]
                        1 => interpolation.enter::<<f64 as Scalar>::Avx2>(0..cells),
                        #[cfg(target_arch = "x86_64")]
                        2 => interpolation.enter::<<f64 as Scalar>::Avx512>(0..cells),
                        _ => unreachable!("three of them at most"),
                    }
                    to.into_iter().map(f64::to_bits).collect::<Vec<_>>()
                };
                let scalar = filled(0);
                for isa in 1..Isa::available().len() {
                    assert!(filled(isa) == scalar, "{num_eqn} components, {limiter:?}, {:?}", Isa::available()[isa]);
                }
            }
        }
    }
}
