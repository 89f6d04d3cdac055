//! A solution by cells, independent of its patches, and the measures that compare two solutions.

use crate::npz::Npz;
use amrclaw::frames::frame::Frame;
use amrclaw::index::{CellBox, CellIndex};

/// The cells of one level.
struct LevelCells<const D: usize> {
    /// A box that holds all of the level's patches.
    bounds: CellBox<D>,
    /// Whether a patch covers the cell; shape `[z, y, x]` of `bounds`, as many axes as there are.
    covered: Vec<bool>,
    /// Shape `[equation, z, y, x]` of `bounds`; zero where no patch is.
    q: Vec<f64>,
}

impl<const D: usize> LevelCells<D> {
    /// Position of a cell in the arrays; `None` if no patch covers it.
    fn position(&self, cell: CellIndex<D>) -> Option<usize> {
        offset(&self.bounds, cell).filter(|&k| self.covered[k])
    }

    /// The covered cells and their positions.
    fn cells(&self) -> impl Iterator<Item = (usize, CellIndex<D>)> {
        self.bounds.cells().enumerate().filter(|&(k, _)| self.covered[k])
    }
}

/// Position of a cell in an array of shape `[z, y, x]` over a box; `None` outside.
fn offset<const D: usize>(bounds: &CellBox<D>, cell: CellIndex<D>) -> Option<usize> {
    let place = |at: usize, d: usize| at * bounds.size()[d] as usize + (cell[d] - bounds.lo[d]) as usize;
    bounds.contains(cell).then(|| (0..D).rev().fold(0, place))
}

/// One patch: its level from 0, its cells, and its values with shape `[equation, z, y, x]`.
struct Patch<const D: usize> {
    level: usize,
    cells: CellBox<D>,
    q: Vec<f64>,
}

/// The solution at one time.
pub struct Field<const D: usize> {
    pub time: f64,
    num_equations: usize,
    levels: Vec<LevelCells<D>>,
    /// Level and cells of each patch that is not of the coarsest level.
    fine_patches: Vec<(usize, CellBox<D>)>,
}

/// Where two fields differ most.
#[derive(Debug)]
pub struct Difference<const D: usize> {
    pub size: f64,
    /// Counted from 1, as users see it.
    #[expect(dead_code, reason = "read through Debug")]
    pub level: usize,
    #[expect(dead_code, reason = "read through Debug")]
    pub cell: CellIndex<D>,
    #[expect(dead_code, reason = "read through Debug")]
    pub equation: usize,
}

impl<const D: usize> Field<D> {
    fn new(time: f64, num_equations: usize, patches: &[Patch<D>]) -> Self {
        let num_levels = patches.iter().map(|p| p.level + 1).max().unwrap_or(0);
        let mut levels = Vec::new();
        for level in 0..num_levels {
            let patches = || patches.iter().filter(|p| p.level == level);
            let bounds = patches().fold(CellBox::EMPTY, |hull, p| hull.hull(&p.cells));
            let volume = bounds.volume();
            let (mut covered, mut q) = (vec![false; volume], vec![0.0; volume * num_equations]);
            for patch in patches() {
                for (k, cell) in patch.cells.cells().enumerate() {
                    let at = offset(&bounds, cell).expect("the hull holds every patch");
                    assert!(!covered[at], "level {}: two patches cover cell {cell:?}", level + 1);
                    covered[at] = true;
                    for m in 0..num_equations {
                        q[m * volume + at] = patch.q[m * patch.cells.volume() + k];
                    }
                }
            }
            levels.push(LevelCells { bounds, covered, q });
        }
        let fine_patches = patches.iter().filter(|p| p.level > 0).map(|p| (p.level, p.cells)).collect();
        Field { time, num_equations, levels, fine_patches }
    }

    /// Reads the reference frame `NAME.npz`.
    pub fn reference(name: &str) -> Self {
        let mut file = Npz::open(if D == 3 { "reference3d" } else { "reference" }, name);
        let (level, q) = (file.array("level"), file.array("q"));
        let (lower, size) = file.boxes::<D>();
        let mut start = 0;
        let patch = |k: usize| {
            let lo: [i32; D] = lower[k];
            let cells = CellBox::new(lo, std::array::from_fn(|d| lo[d] + size[k][d]));
            let range = start..start + cells.volume();
            start = range.end;
            let q = (0..q.shape[0]).flat_map(|m| &q.row(m)[range.clone()]).copied().collect();
            Patch { level: level.values[k] as usize - 1, cells, q }
        };
        let patches: Vec<Patch<D>> = (0..level.values.len()).map(patch).collect();
        Field::new(file.array("t").values[0], q.shape[0], &patches)
    }

    /// The cells of a frame of our own.
    pub fn ours(frame: &Frame<D>) -> Self {
        let patches = frame
            .levels
            .iter()
            .enumerate()
            .flat_map(|(level, l)| l.patches.iter().map(move |p| Patch { level, cells: p.cells, q: p.q.clone() }));
        Field::new(frame.time, frame.equations.len(), &patches.collect::<Vec<_>>())
    }

    /// Covered cells of each level.
    pub fn cells_per_level(&self) -> Vec<usize> {
        self.levels.iter().map(|l| l.cells().count()).collect()
    }

    /// Panics unless each level covers the same cells in both fields.
    pub fn assert_same_cells(&self, reference: &Self) {
        assert_eq!(self.levels.len(), reference.levels.len(), "number of levels, ours and the reference's");
        for (level, (ours, theirs)) in self.levels.iter().zip(&reference.levels).enumerate() {
            let missing = |a: &LevelCells<D>, b: &LevelCells<D>| -> Vec<_> {
                a.cells().map(|(_, cell)| cell).filter(|&cell| b.position(cell).is_none()).collect()
            };
            let (extra, absent) = (missing(ours, theirs), missing(theirs, ours));
            assert!(
                extra.is_empty() && absent.is_empty(),
                "level {} at t = {}: we cover {} cells that the reference does not (first {:?}) and lack {} (first {:?})",
                level + 1,
                self.time,
                extra.len(),
                extra.first(),
                absent.len(),
                absent.first(),
            );
        }
    }

    /// Level, counted from 0, and cells of each patch that is not of the coarsest level.
    pub fn fine_patches(&self) -> &[(usize, CellBox<D>)] {
        &self.fine_patches
    }

    /// The largest absolute difference over all cells and equations; a NaN counts as infinite.
    pub fn largest_difference(&self, reference: &Self) -> Difference<D> {
        self.largest_difference_where(reference, |_, _| true)
    }

    /// The same over the cells for which `counts` is true, given their level, counted from 0.
    pub fn largest_difference_where(
        &self,
        reference: &Self,
        counts: impl Fn(usize, CellIndex<D>) -> bool,
    ) -> Difference<D> {
        self.assert_same_cells(reference);
        assert_eq!(self.num_equations, reference.num_equations, "number of equations");
        let mut largest = Difference { size: 0.0, level: 1, cell: [0; D], equation: 0 };
        for (level, (ours, theirs)) in self.levels.iter().zip(&reference.levels).enumerate() {
            for (k, cell) in ours.cells().filter(|(_, cell)| counts(level, *cell)) {
                let Some(at) = theirs.position(cell) else { continue };
                for equation in 0..self.num_equations {
                    let (a, b) =
                        (ours.q[equation * ours.covered.len() + k], theirs.q[equation * theirs.covered.len() + at]);
                    let size = if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
                    if size > largest.size {
                        largest = Difference { size, level: level + 1, cell, equation };
                    }
                }
            }
        }
        largest
    }

    /// The composite grid's values of one equation on a uniform grid of the finest level's cells, shape `[z, y, x]`: at each place
    /// the finest patch's value. `ratios` are those between all levels that the case allows, so that fields with different
    /// numbers of levels give arrays of the same length.
    pub fn composite(&self, equation: usize, ratios: &[i32]) -> Vec<f64> {
        let coarsest = self.levels[0].bounds;
        let finest = ratios.iter().product::<i32>();
        let cells = CellBox::new(coarsest.lo.map(|i| i * finest), coarsest.hi.map(|i| i * finest)).cells();
        cells.map(|cell| self.finest_value(equation, cell, ratios)).collect()
    }

    fn finest_value(&self, equation: usize, mut cell: CellIndex<D>, ratios: &[i32]) -> f64 {
        for level in (0..=ratios.len()).rev() {
            if let Some(cells) = self.levels.get(level)
                && let Some(at) = cells.position(cell)
            {
                return cells.q[equation * cells.covered.len() + at];
            }
            if level > 0 {
                cell = cell.map(|i| i.div_euclid(ratios[level - 1]));
            }
        }
        panic!("the coarsest level does not cover cell {cell:?}")
    }
}

/// `Σ|a − b| / Σ|b|`.
pub fn relative_l1(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "composite grids of different size");
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum();
    difference / b.iter().map(|b| b.abs()).sum::<f64>()
}
