//! What the conservation fix has left coarse cells to owe, of quantities that are kept from being negative, is paid by the cells beside them.
//!
//! Of split sweeps one gives what another brought: a coarse cell may pass on what came in through a face to a finer patch, and the finer
//! steps bring less, and have not enough to return. The cells beside the coarse one then hold what should not have come.
//! Each gives the same part of all that it holds, so that velocities stay; where several ask one for more than it has, in proportion.
//! Where they have not enough, later sweeps or a return to a yet coarser level having emptied them, those behind them give too.

use super::allowance::Stepped;
use super::faces::ListedFaces;
use crate::fields::Shared;
use crate::index::CellIndex;
use riemann::axis::Side;
use riemann::real::Scalar;

/// How far from a cell others pay for it at most, in cells.
const FARTHEST: i32 = 8;

/// Cells of one coarse patch beside finer ones, after the fix.
pub(super) struct Debts<'a, const D: usize, R: Scalar> {
    pub faces: &'a ListedFaces<D>,
    pub coarse: &'a Stepped<'a, D, R>,
    pub patch: u32,
    /// The register's sums, which are not needed any more: what debtors get, at the first of their faces.
    pub gets: Shared<'a, R>,
    /// Likewise its allowances: the part of others that debtors ask for, plus how far off the last of them lie beyond the first.
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
            let asked = self.ask(all[slots[0] as usize].coarse_cell);
            any |= asked > zero;
            // SAFETY: every slot lies beside one coarse patch, whose task alone writes it.
            unsafe { *self.asks.at(slots[0] as usize) = asked };
        }
        if !any {
            return;
        }
        let asked_at = |slot: u32| Some(slot).zip(self.asked_at(slot));
        let debtors = || cells().filter_map(|slots| asked_at(slots[0]));
        for (slot, (asked, far)) in debtors() {
            let cell = all[slot as usize].coarse_cell;
            for m in 0..self.coarse.num_eqn {
                let given =
                    self.over_lenders(cell, far, |lender| asked / self.wanted(lender).max(one) * self.holds(lender, m));
                // SAFETY: likewise.
                unsafe { *self.gets.at(m * all.len() + slot as usize) = given / self.capacity(cell) };
            }
        }
        for (slot, (_, far)) in debtors() {
            let cell = all[slot as usize].coarse_cell;
            for m in 0..self.coarse.num_eqn {
                // SAFETY: as for slots; each cell belongs to one coarse patch.
                unsafe { *self.value(cell, m) += *self.gets.at(m * all.len() + slot as usize) };
            }
            for lender in places::<D>(far).filter_map(|(d, side, far)| self.lender(cell, d, side, far)) {
                // The first of those who ask takes for all. Who asks lends nothing, though it owes nothing any more.
                let askers = places::<D>(FARTHEST).filter_map(|(d, side, far)| self.asker(lender, d, side, far));
                if self.asks_at(lender).is_some() || askers.map(|(slot, _)| slot).min() != Some(slot) {
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

    /// The part that the debtor whose first face this is asks for of others, and how far off; none if it is no debtor.
    fn asked_at(&self, slot: u32) -> Option<(R, i32)> {
        let (one, mut far) = (R::constant(1.0), 1);
        // SAFETY: as in `settle`.
        let mut asked = unsafe { *self.asks.at(slot as usize) };
        while asked > one {
            (asked, far) = (asked - one, far + 1);
        }
        (asked > R::constant(0.0)).then_some((asked, far))
    }

    /// The first face of a debtor, and what it asks for.
    fn asks_at(&self, cell: CellIndex<D>) -> Option<(u32, (R, i32))> {
        let slot = self.faces.of_cell(self.patch as usize, cell).next()?;
        Some(slot).zip(self.asked_at(slot))
    }

    /// The debtor that lies so far from a lender and asks it: its first face, and the part.
    fn asker(&self, lender: CellIndex<D>, d: usize, side: Side, far: i32) -> Option<(u32, R)> {
        let (slot, (part, reach)) = self.asks_at(self.reached(lender, d, side, far)?)?;
        (far <= reach).then_some((slot, part))
    }

    /// All parts of a lender that are asked for.
    fn wanted(&self, lender: CellIndex<D>) -> R {
        total::<R, D>(FARTHEST, |d, side, far| {
            self.asker(lender, d, side, far).map_or(R::constant(0.0), |(_, part)| part)
        })
    }

    /// The cell so far on a side of one that no finer patch covers, if it is of the patch, and none covers it or what lies between.
    fn reached(&self, mut cell: CellIndex<D>, d: usize, side: Side, far: i32) -> Option<CellIndex<D>> {
        for _ in 0..far {
            if self.faces.cover_beside(self.patch as usize, cell, (d, side)) {
                return None;
            }
            cell[d] += side.sign();
        }
        self.coarse.layout.patches[self.patch as usize].cells.contains(cell).then_some(cell)
    }

    /// The cell that can be reached there, if it owes nothing.
    fn lender(&self, cell: CellIndex<D>, d: usize, side: Side, far: i32) -> Option<CellIndex<D>> {
        // SAFETY: as in `value`.
        let has = |&m: &usize, cell| unsafe { *self.value(cell, m) } >= R::constant(0.0);
        self.reached(cell, d, side, far).filter(|&cell| self.coarse.kept.iter().all(|m| has(m, cell)))
    }

    /// The sum over the lenders so far from a cell.
    fn over_lenders(&self, cell: CellIndex<D>, far: i32, of: impl Fn(CellIndex<D>) -> R) -> R {
        total::<R, D>(far, |d, side, far| self.lender(cell, d, side, far).map_or(R::constant(0.0), &of))
    }

    /// What a cell asks for; nothing if it owes nothing. Others may ask the same cells: so it asks as far off as a quarter of what lies there
    /// is enough.
    fn ask(&self, cell: CellIndex<D>) -> R {
        let (zero, quarter) = (R::constant(0.0), R::constant(0.25));
        // Not lost beside how far.
        let least = R::constant(if R::BYTES == 8 { 1e-15 } else { 1e-6 });
        let mut asked = zero;
        for far in 1..=FARTHEST {
            let part = self.part(cell, far);
            if part > zero {
                asked = if far > 1 { R::from_f64(f64::from(far - 1)) + part.max(least) } else { part };
            }
            if part < quarter && part > zero {
                break;
            }
        }
        asked
    }

    /// The part of what lies so far from it that a cell owes.
    fn part(&self, cell: CellIndex<D>, far: i32) -> R {
        let (zero, one) = (R::constant(0.0), R::constant(1.0));
        self.coarse.kept.iter().fold(zero, |part, &m| {
            let owed = -self.holds(cell, m);
            let held = if owed > zero { self.over_lenders(cell, far, |lender| self.holds(lender, m)) } else { zero };
            if held > zero { part.max((owed / held).min(one)) } else { part }
        })
    }
}

/// The sum over places so far off, in an order in which neither mirrors nor the exchange of two axes change it.
fn total<R: Scalar, const D: usize>(far: i32, of: impl Fn(usize, Side, i32) -> R) -> R {
    let around =
        |far: i32| (0..D).fold(R::constant(0.0), |sum, d| sum + (of(d, Side::Lower, far) + of(d, Side::Upper, far)));
    (1..=far).fold(R::constant(0.0), |sum, far| sum + around(far))
}

/// The places on the sides of a cell, so far off.
fn places<const D: usize>(far: i32) -> impl Iterator<Item = (usize, Side, i32)> {
    (1..=far).flat_map(|far| (0..D).flat_map(move |d| Side::BOTH.map(|side| (d, side, far))))
}
