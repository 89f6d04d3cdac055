//! Functions of the user that are called once for a whole box of cells instead of once per row: for functions whose calls
//! are expensive, such as those of an interpreted language.

use super::CellRow;
use crate::index::{CellBox, CellIndex};
use crate::mesh::Geometry;
use riemann::axis::{Axis, Side};

/// A box of cells of one level.
#[derive(Clone, Copy, Debug)]
pub struct CellBlock<const D: usize> {
    /// Where the level's cells lie.
    pub geometry: Geometry<D>,
    /// The first cell.
    pub first: CellIndex<D>,
    /// Number of cells along each axis.
    pub size: [usize; D],
    /// Time.
    pub time: f64,
}

impl<const D: usize> CellBlock<D> {
    /// Number of cells.
    pub fn num_cells(&self) -> usize {
        self.size.iter().product()
    }

    /// Its rows, in the order of their values.
    pub fn rows(&self) -> impl Iterator<Item = CellRow<D>> + use<D> {
        let &CellBlock { geometry, first, size, time } = self;
        let cells = CellBox::new(first, std::array::from_fn(|d| first[d] + size[d] as i32));
        cells.rows().map(move |first| CellRow { geometry, first, len: size[0], time })
    }
}

impl<const D: usize> From<&CellRow<D>> for CellBlock<D> {
    fn from(row: &CellRow<D>) -> Self {
        let &CellRow { geometry, first, len, time } = row;
        CellBlock { geometry, first, size: std::array::from_fn(|d| if d == 0 { len } else { 1 }), time }
    }
}

/// A [`CellFunction`](super::CellFunction) over boxes.
pub trait CellBlockFunction<const D: usize>: Send + Sync {
    /// Fills `out`, shape `[value, z, y, x]`, x fastest.
    fn fill(&self, block: &CellBlock<D>, out: &mut [f64]);
}

/// A [`StateFunction`](super::StateFunction) over boxes.
pub trait StateBlockFunction<const D: usize>: Send + Sync {
    /// Ghost cells on every side that it reads of the state, and of auxiliary values.
    fn reach(&self) -> [i32; 2] {
        [1, 0]
    }

    /// Fills `out`, shape `[value, z, y, x]`, x fastest. Shapes: `state: [equation, z, y, x]` and `aux: [value, z, y, x]`, with ghost cells as
    /// [`StateBlockFunction::reach`] says.
    fn fill(&self, block: &CellBlock<D>, state: &[f64], aux: &[f64], out: &mut [f64]);
}

/// A [`BoundaryFunction`](super::BoundaryFunction) over boxes.
pub trait BoundaryBlockFunction<const D: usize>: Send + Sync {
    /// Replaces the states of a box of ghost cells beyond a side of the domain. `values`, shape `[equation, z, y, x]`, hold
    /// those of their mirror images in the domain.
    fn fill(&self, block: &CellBlock<D>, axis: Axis, side: Side, values: &mut [f64]);

    /// Replaces the states beyond faces of the side of this name of a mesh from a file. `values`, shape `[equation, face]`, hold those on
    /// the inner sides, in the faces' frames, as at the upper side along x.
    fn fill_side(&self, _name: &str, places: &[[f64; D]], time: f64, values: &mut [f64]) {
        for (k, &place) in places.iter().enumerate() {
            let mut state: Vec<f64> = values.iter().skip(k).step_by(places.len()).copied().collect();
            self.fill(&CellBlock::from(&CellRow::point(place, [0.0; D], time)), Axis::X, Side::Upper, &mut state);
            state.iter().enumerate().for_each(|(m, value)| values[m * places.len() + k] = *value);
        }
    }
}
