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
    /// For Venkatakrishnan's limiter: of each cell the least values of it and its neighbours, then the largest, as values are in `from`.
    pub extremes: Option<Shared<'a>>,
    /// Number of cells that have them: what follows lies beyond sides.
    pub num_cells: usize,
}

impl Interpolation<'_> {
    /// Fills the values that cells have at their faces.
    ///
    /// # Safety
    /// Nobody writes the values of cells meanwhile, nor touches those of these cells at their faces; the tables are the mesh's.
    pub unsafe fn fill(&self, cells: Range<usize>) {
        self.work::<false>(cells);
    }

    /// Fills the extremes of cells, which must be known of all neighbours before faces are filled.
    ///
    /// # Safety
    /// Nobody writes the values of cells meanwhile, nor touches the extremes of these cells; the tables are the mesh's.
    pub unsafe fn find_extremes(&self, cells: Range<usize>) {
        self.work::<true>(cells);
    }

    /// With packs that the processor has.
    fn work<const EXTREMES: bool>(&self, cells: Range<usize>) {
        match Isa::detect() {
            // Half of a pack of eight would be empty.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if self.num_eqn > 4 => self.enter::<<f64 as Scalar>::Avx512, EXTREMES>(cells),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx2 => self.enter::<<f64 as Scalar>::Avx2, EXTREMES>(cells),
            _ => self.enter::<<f64 as Scalar>::Portable, EXTREMES>(cells),
        }
    }

    fn enter<V: Double, const EXTREMES: bool>(&self, cells: Range<usize>) {
        V::outlined::<Self, _>(
            #[inline(always)]
            || {
                for cell in cells {
                    let across = &self.across[self.starts[cell] as usize..self.starts[cell + 1] as usize];
                    let mut first = 0;
                    while first < self.num_eqn {
                        // SAFETY: what `fill` and `find_extremes` were promised.
                        unsafe {
                            match EXTREMES {
                                true => self.extremes_of::<V>(cell, across, first),
                                false => self.components::<V>(cell, across, first),
                            }
                        }
                        first += V::LANES;
                    }
                }
            },
        );
    }

    /// Where the least or the largest values of a cell lie.
    #[inline(always)]
    fn extreme(extremes: Shared<'_>, num_eqn: usize, (cell, largest, first): (usize, usize, usize)) -> *mut f64 {
        extremes.at((2 * cell + largest) * num_eqn + first)
    }

    /// Finds those of a pack of components.
    ///
    /// # Safety
    /// As for [`Interpolation::find_extremes`].
    #[inline(always)]
    unsafe fn extremes_of<V: Double>(&self, cell: usize, across: &[Across], first: usize) {
        let Some(extremes) = self.extremes else { return };
        // SAFETY: the caller's promise: a pack is readable everywhere, and no component but the state's is written.
        unsafe {
            let own = V::load(self.from.at(cell * self.num_eqn + first));
            let (mut least, mut largest) = (own, own);
            for face in across {
                let there = V::load(self.from.at(face.neighbour as usize * self.num_eqn + first));
                (least, largest) = (least.min(there), largest.max(there));
            }
            let inside = V::lanes_between(0, V::LANES.min(self.num_eqn - first));
            least.store_where(inside, Self::extreme(extremes, self.num_eqn, (cell, 0, first)));
            largest.store_where(inside, Self::extreme(extremes, self.num_eqn, (cell, 1, first)));
        }
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
            if let Some(extremes) = self.extremes {
                // Those of neighbours too: values of cells that are twice as far as a face are among them.
                for cell in across.iter().map(|face| face.neighbour as usize).filter(|&cell| cell < self.num_cells) {
                    let found = [0, 1].map(|largest| Self::extreme(extremes, self.num_eqn, (cell, largest, first)));
                    below = below.min(V::load(found[0]) - own);
                    above = above.max(V::load(found[1]) - own);
                }
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

    fn both<V: Double>(interpolation: &Interpolation<'_>, cells: usize) {
        interpolation.enter::<V, true>(0..cells);
        interpolation.enter::<V, false>(0..cells);
    }

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
                    let mut extremes = vec![0.0; 2 * num_eqn * cells + PACK_OVERRUN];
                    let has_extremes = limiter == Limiter::Venkatakrishnan;
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
                        extremes: has_extremes.then(|| Shared::new(&mut extremes)),
                        num_cells: cells,
                    };
                    match isa {
                        0 => both::<f64>(&interpolation, cells),
                        #[cfg(target_arch = "x86_64")]
                        1 => both::<<f64 as Scalar>::Avx2>(&interpolation, cells),
                        #[cfg(target_arch = "x86_64")]
                        2 => both::<<f64 as Scalar>::Avx512>(&interpolation, cells),
                        _ => unreachable!("three of them at most"),
                    }
                    to.into_iter().chain(extremes).map(f64::to_bits).collect::<Vec<_>>()
                };
                let scalar = filled(0);
                for isa in 1..Isa::available().len() {
                    assert!(filled(isa) == scalar, "{num_eqn} components, {limiter:?}, {:?}", Isa::available()[isa]);
                }
            }
        }
    }
}
