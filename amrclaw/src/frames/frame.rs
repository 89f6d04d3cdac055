//! A snapshot of the solution on the host, for writers and pictures.

use super::covering::CoveredCells;
use crate::formula::ExpressionMap;
use crate::index::{CellBox, Ratio};
use crate::mesh::{Domain, Geometry, Mapping};
use crate::physics::centroids;
use ndarray::{ArrayViewD, IxDyn};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use unstructured::motion::MeshInTime;

/// The solution at one time, interior cells only.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<const D: usize> {
    /// Number of the frame, from 0.
    pub number: usize,
    /// Time.
    pub time: f64,
    /// Steps taken so far on each level.
    pub steps: Vec<u64>,
    /// Name of each equation's quantity.
    pub equations: Vec<String>,
    /// Name of each auxiliary value; empty if there are none.
    pub aux: Vec<String>,
    /// Lower corner of the domain.
    pub lower: [f64; D],
    /// Upper corner of the domain.
    pub upper: [f64; D],
    /// Cells of the coarsest level along each axis.
    pub cells: [i32; D],
    /// Ratio between each level and the next finer one that the case allows; `max levels − 1` entries.
    pub ratios: Vec<Ratio<D>>,
    /// On a mapped mesh the physical coordinates, as formulas of the computational `X`, `Y` and `Z`; else none.
    pub mapping: Vec<String>,
    /// The mesh from a file, of which the frame's only patch is a row; of one that has been read, what pictures need.
    pub mesh: Option<Arc<unstructured::Mesh>>,
    /// Levels that have patches, coarsest first.
    pub levels: Vec<FrameLevel<D>>,
}

/// Which of a frame's fields: an equation's quantity or an auxiliary value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldIndex {
    /// The quantity of this equation.
    Equation(usize),
    /// This auxiliary value.
    Aux(usize),
}

/// One level of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FrameLevel<const D: usize> {
    /// Cell size.
    pub dx: [f64; D],
    /// The level's patches: disjoint.
    pub patches: Vec<FramePatch<D>>,
}

/// One patch of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FramePatch<const D: usize> {
    /// The patch's cells in its level's index space.
    pub cells: CellBox<D>,
    /// Shape `[equation, z, y, x]`, x fastest, no ghost cells.
    pub q: Vec<f64>,
    /// Shape `[aux, z, y, x]`, x fastest, no ghost cells.
    pub aux: Vec<f64>,
}

/// A source of a frame's values, patch by patch, for writing and drawing: the frame itself, or values that are held elsewhere. All other
/// data are in the frame.
pub trait PatchSource<const D: usize>: Sync {
    /// A patch of a level, with its values.
    ///
    /// # Errors
    /// The values cannot be read.
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>>;
}

impl<const D: usize> PatchSource<D> for Frame<D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        Ok(Cow::Borrowed(&self.levels[level].patches[number]))
    }
}

impl<const D: usize> Frame<D> {
    /// A frame of a domain without fields and levels.
    pub fn empty([lower, upper]: [[f64; D]; 2], cells: [i32; D]) -> Self {
        let (steps, ratios, levels) = (Vec::new(), Vec::new(), Vec::new());
        let (equations, aux, mapping) = (Vec::new(), Vec::new(), Vec::new());
        let (number, time, mesh) = (0, 0.0, None);
        Frame { number, time, steps, equations, aux, lower, upper, cells, ratios, mapping, mesh, levels }
    }

    /// The frame without values.
    pub fn outline(&self) -> Self {
        let bare = |patch: &FramePatch<D>| FramePatch { cells: patch.cells, q: Vec::new(), aux: Vec::new() };
        let level =
            |level: &FrameLevel<D>| FrameLevel { dx: level.dx, patches: level.patches.iter().map(bare).collect() };
        self.with_levels(self.levels.iter().map(level).collect())
    }

    /// The frame with other levels.
    pub(super) fn with_levels(&self, levels: Vec<FrameLevel<D>>) -> Self {
        let Frame { steps, equations, aux, ratios, mapping, mesh, .. } = self;
        Frame {
            levels,
            steps: steps.clone(),
            equations: equations.clone(),
            aux: aux.clone(),
            ratios: ratios.clone(),
            mapping: mapping.clone(),
            mesh: mesh.clone(),
            ..*self
        }
    }

    /// For each patch of each level, the number of cells of the level's patches before it.
    pub(super) fn cells_before(&self) -> Vec<Vec<u64>> {
        let before = |total: &mut u64, patch: &FramePatch<D>| {
            Some(std::mem::replace(total, *total + patch.cells.volume() as u64))
        };
        self.levels.iter().map(|level| level.patches.iter().scan(0, before).collect()).collect()
    }

    /// The frame with its values from `values`.
    ///
    /// # Errors
    /// Values cannot be read.
    pub fn filled(&self, values: &dyn PatchSource<D>) -> io::Result<Self> {
        let mut frame = self.outline();
        for (l, level) in frame.levels.iter_mut().enumerate() {
            for (k, patch) in level.patches.iter_mut().enumerate() {
                *patch = values.patch(l, k)?.into_owned();
            }
        }
        Ok(frame)
    }

    /// Names of all fields, the equations' first, then the auxiliary ones.
    pub fn fields(&self) -> impl Iterator<Item = (&str, FieldIndex)> {
        let equations = self.equations.iter().enumerate().map(|(m, name)| (name.as_str(), FieldIndex::Equation(m)));
        let aux = self.aux.iter().enumerate().map(|(m, name)| (name.as_str(), FieldIndex::Aux(m)));
        equations.chain(aux)
    }

    /// The field of that name, if there is one.
    pub fn field(&self, name: &str) -> Option<FieldIndex> {
        self.fields().find_map(|(n, index)| (n == name).then_some(index))
    }

    /// All cells of a level's index space that lie in the domain.
    pub fn domain(&self, level: usize) -> CellBox<D> {
        self.ratios[..level].iter().fold(CellBox::new([0; D], self.cells), |cells, &r| cells.fine_from_coarse(r))
    }

    /// Lower corner of cell `cell` of `level`.
    pub fn corner(&self, level: usize, cell: [i32; D]) -> [f64; D] {
        self.geometry(level).corner(cell)
    }

    /// Where the cells of a level lie.
    pub fn geometry(&self, level: usize) -> Geometry<D> {
        Geometry::new(self.lower, self.upper, self.domain(level).hi)
    }

    /// The finest cell at a place of computational space: level, patch and cell. A place on a face belongs to the cell above it, one at the
    /// domain's upper end to the last cell.
    pub fn finest_cell(&self, place: [f64; D]) -> Option<(usize, usize, [i32; D])> {
        if !(0..D).all(|d| (self.lower[d]..=self.upper[d]).contains(&place[d])) {
            return None;
        }
        (0..self.levels.len()).rev().find_map(|l| {
            let (held, last) = (self.geometry(l).cell_at(place), self.domain(l).hi);
            let cell: [i32; D] = std::array::from_fn(|d| held[d].min(last[d] - 1));
            let mut patches = self.levels[l].patches.iter();
            patches.position(|patch| patch.cells.contains(cell)).map(|number| (l, number, cell))
        })
    }

    /// The map from computational to physical coordinates, on a mapped mesh.
    ///
    /// # Panics
    /// If the formulas are wrong: readers refuse such frames.
    pub fn mapped(&self) -> Option<Mapping<D>> {
        if let Some(mesh) = &self.mesh {
            return Some(centroids(&Arc::new(MeshInTime::new(mesh.clone(), None))));
        }
        let map = (!self.mapping.is_empty()).then(|| ExpressionMap::read(&self.mapping).expect("checked when read"))?;
        let (lower, upper, cells) = (self.lower, self.upper, self.cells);
        let finest = self.domain(self.ratios.len()).hi;
        Some(Mapping::new(Arc::new(map), Domain { lower, upper, cells, repeats: [false; D].into() }, finest))
    }

    /// True if VTK reads it as boxes of cells.
    pub fn is_of_boxes(&self) -> bool {
        self.mapping.is_empty() && self.mesh.is_none()
    }

    /// Which cells of a level the next finer one covers.
    pub fn covering(&self, level: usize) -> CoveredCells<D> {
        let (finer, ratio) = (self.levels.get(level + 1), self.ratios.get(level));
        let patches = finer.map_or(&[][..], |finer| &finer.patches);
        CoveredCells::new(patches.iter().map(|patch| patch.cells), ratio.copied().unwrap_or(Ratio::uniform(1)))
    }

    /// True if a patch of the next finer level covers `cell` of `level`.
    pub fn is_covered(&self, level: usize, cell: [i32; D]) -> bool {
        let Some(finer) = self.levels.get(level + 1) else { return false };
        let fine = CellBox::cell(cell).fine_from_coarse(self.ratios[level]);
        finer.patches.iter().any(|p| p.cells.contains_box(&fine))
    }
}

impl<const D: usize> FramePatch<D> {
    /// The values of one field, x fastest.
    pub fn values(&self, field: FieldIndex) -> &[f64] {
        let n = self.cells.volume();
        match field {
            FieldIndex::Equation(m) => &self.q[m * n..(m + 1) * n],
            FieldIndex::Aux(m) => &self.aux[m * n..(m + 1) * n],
        }
    }

    /// The solution as an array of shape `[equation, (z,) (y,) x]`.
    ///
    /// ```
    /// use amrclaw::index::CellBox;
    /// use amrclaw::frames::frame::FramePatch;
    ///
    /// // Two equations on 3 × 2 cells.
    /// let q = (0..12).map(f64::from).collect();
    /// let patch = FramePatch { cells: CellBox::new([4, 0], [7, 2]), q, aux: vec![] };
    /// let q = patch.q_view();
    /// assert_eq!(q.shape(), [2, 2, 3]);
    /// assert_eq!(q[[1, 0, 2]], 8.0); // equation 1, y 0, x 2
    /// assert_eq!(q.index_axis(ndarray::Axis(0), 0).sum(), 15.0);
    /// ```
    pub fn q_view(&self) -> ArrayViewD<'_, f64> {
        self.view(&self.q)
    }

    /// The auxiliary values as an array of shape `[aux, (z,) (y,) x]`.
    pub fn aux_view(&self) -> ArrayViewD<'_, f64> {
        self.view(&self.aux)
    }

    fn view<'a>(&self, values: &'a [f64]) -> ArrayViewD<'a, f64> {
        let size = self.cells.size().map(|n| n as usize);
        let components = values.len() / self.cells.volume().max(1);
        let shape: Vec<usize> = std::iter::once(components).chain(size.into_iter().rev()).collect();
        ArrayViewD::from_shape(IxDyn(&shape), values)
            .expect("a patch has a value of each component for each of its cells")
    }

    /// Position of a cell of the patch in [`FramePatch::values`].
    pub fn offset(&self, cell: [i32; D]) -> usize {
        self.cells.number_of(cell)
    }
}
