//! What the conservation fix has left coarse cells to owe, of quantities that are kept from being negative, is paid by the cells beside them.
//!
//! Of split sweeps one gives what another brought: a coarse cell may pass on what came in through a face to a finer patch, and the finer
//! steps bring less, and have not enough to return. The cells beside the coarse one then hold what should not have come.
//! Each gives the same part of all that it holds, so that velocities stay; where several ask one for more than it has, in proportion.

use super::allowance::Stepped;
use super::faces::ListedFaces;
use crate::fields::Shared;
use crate::index::CellIndex;
use riemann::axis::Side;
use riemann::real::Scalar;

/// Cells of one coarse patch beside finer ones, after the fix.
pub(super) struct Debts<'a, const D: usize, R: Scalar> {
    pub faces: &'a ListedFaces<D>,
    pub coarse: &'a Stepped<'a, D, R>,
    pub patch: u32,
    /// The register's sums, which are not needed any more: what debtors get, at the first of their faces.
    pub gets: Shared<'a, R>,
    /// Likewise its allowances: the part of the cells beside them that debtors ask for.
    pub asks: Shared<'a, R>,
}

impl<const D: usize, R: Scalar> Debts<'_, D, R> {
    /// Settles them.
    pub fn settle(&self) {
        let (zero, one) = (R::constant(0.0), R::constant(1.0));
        let all = self.faces.slots();
        let slots = self.faces.of_coarse_patch(self.patch as usize);
        let cells = || slots.chunk_by(|&a, &b| all[a as usize].coarse_cell == all[b as usize].coarse_cell);
        let mut any = false;
        for slots in cells() {
            let asked = self.part(all[slots[0] as usize].coarse_cell);
            any |= asked > zero;
            // SAFETY: every slot lies beside one coarse patch, whose task alone writes it.
            unsafe { *self.asks.at(slots[0] as usize) = asked };
        }
        if !any {
            return;
        }
        let debtors = || cells().map(|slots| slots[0]).filter(|&slot| self.asked_at(slot) > zero);
        for slot in debtors() {
            let (cell, asked) = (all[slot as usize].coarse_cell, self.asked_at(slot));
            for m in 0..self.coarse.num_eqn {
                let given =
                    self.over_lenders(cell, |lender| asked / self.wanted(lender).max(one) * self.holds(lender, m));
                // SAFETY: likewise.
                unsafe { *self.gets.at(m * all.len() + slot as usize) = given / self.capacity(cell) };
            }
        }
        for slot in debtors() {
            let cell = all[slot as usize].coarse_cell;
            for m in 0..self.coarse.num_eqn {
                // SAFETY: as for slots; each cell belongs to one coarse patch.
                unsafe { *self.value(cell, m) += *self.gets.at(m * all.len() + slot as usize) };
            }
            for lender in sides::<D>().filter_map(|(d, side)| self.lender(cell, d, side)) {
                // The first of those who ask takes for all. Who asks lends nothing, though it owes nothing any more.
                let first = sides::<D>().filter_map(|(d, side)| self.asker(moved(lender, d, side))).min();
                if self.asker(lender).is_some() || first != Some(slot) {
                    continue;
                }
                let part = self.wanted(lender).min(one);
                for m in 0..self.coarse.num_eqn {
                    // SAFETY: likewise.
                    unsafe { *self.value(lender, m) -= part * *self.value(lender, m) };
                }
            }
        }
    }

    /// Equation `m` in a cell.
    fn value(&self, cell: CellIndex<D>, m: usize) -> *mut R {
        // SAFETY: the patch's task alone accesses its cells.
        unsafe { self.coarse.value(self.patch, cell, m) }
    }

    fn capacity(&self, cell: CellIndex<D>) -> R {
        self.coarse.capacity(self.patch, cell)
    }

    /// All of equation `m` in a cell.
    fn holds(&self, cell: CellIndex<D>, m: usize) -> R {
        // SAFETY: as in `value`.
        self.capacity(cell) * unsafe { *self.value(cell, m) }
    }

    /// The faces to finer patches of a cell.
    fn slots_of(&self, cell: CellIndex<D>) -> impl Iterator<Item = u32> {
        let (all, slots) = (self.faces.slots(), self.faces.of_coarse_patch(self.patch as usize));
        let at = slots.partition_point(|&slot| all[slot as usize].coarse_cell < cell);
        slots[at..].iter().copied().take_while(move |&slot| all[slot as usize].coarse_cell == cell)
    }

    fn asked_at(&self, slot: u32) -> R {
        // SAFETY: as in `settle`.
        unsafe { *self.asks.at(slot as usize) }
    }

    /// The first face of a cell if it is one that asks.
    fn asker(&self, cell: CellIndex<D>) -> Option<u32> {
        self.slots_of(cell).next().filter(|&slot| self.asked_at(slot) > R::constant(0.0))
    }

    /// All parts of a lender that are asked for.
    fn wanted(&self, lender: CellIndex<D>) -> R {
        total::<R, D>(|d, side| self.asker(moved(lender, d, side)).map_or(R::constant(0.0), |slot| self.asked_at(slot)))
    }

    /// The cell on a side of one beside finer patches, if it is of the patch, no finer patch covers it, and it owes nothing.
    fn lender(&self, cell: CellIndex<D>, d: usize, side: Side) -> Option<CellIndex<D>> {
        let beside = moved(cell, d, side);
        let mut faces = self.slots_of(cell).map(|slot| &self.faces.slots()[slot as usize]);
        let covered = faces.any(|face| face.axis.index() == d && face.coarse_side != side);
        let is_inside = self.coarse.layout.patches[self.patch as usize].cells.contains(beside);
        // SAFETY: as in `value`.
        let has = || self.coarse.kept.iter().all(|&m| unsafe { *self.value(beside, m) } >= R::constant(0.0));
        (is_inside && !covered && has()).then_some(beside)
    }

    /// The sum over the lenders of a cell.
    fn over_lenders(&self, cell: CellIndex<D>, of: impl Fn(CellIndex<D>) -> R) -> R {
        total::<R, D>(|d, side| self.lender(cell, d, side).map_or(R::constant(0.0), &of))
    }

    /// The part of the cells beside it that a cell asks for.
    fn part(&self, cell: CellIndex<D>) -> R {
        let (zero, one) = (R::constant(0.0), R::constant(1.0));
        self.coarse.kept.iter().fold(zero, |part, &m| {
            let owed = -self.holds(cell, m);
            let held = if owed > zero { self.over_lenders(cell, |lender| self.holds(lender, m)) } else { zero };
            if held > zero { part.max((owed / held).min(one)) } else { part }
        })
    }
}

/// The cell beside one.
fn moved<const D: usize>(mut cell: CellIndex<D>, d: usize, side: Side) -> CellIndex<D> {
    cell[d] += side.sign();
    cell
}

/// The sum over sides, in an order in which neither mirrors nor the exchange of two axes change it.
fn total<R: Scalar, const D: usize>(of: impl Fn(usize, Side) -> R) -> R {
    (0..D).fold(R::constant(0.0), |sum, d| sum + (of(d, Side::Lower) + of(d, Side::Upper)))
}

/// The sides of a cell.
fn sides<const D: usize>() -> impl Iterator<Item = (usize, Side)> {
    (0..D).flat_map(|d| Side::BOTH.map(|side| (d, side)))
}
