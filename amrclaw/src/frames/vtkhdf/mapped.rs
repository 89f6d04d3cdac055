//! The cells of a mapped mesh as VTK's unstructured grid: the finest cell at each place, as a quadrangle or hexahedron.

use crate::frames::frame::{FieldIndex, Frame, FramePatch};
use crate::frames::sparse::{DataSetWriter, SparseFile, reserve};
use crate::mesh::Mapping;
use hdf5::{GroupBuilder, make_f64_type, make_i64_type, make_u8_type};
use std::io;

/// VTK's numbers for quadrangles, `VTK_QUAD`, and for hexahedra, `VTK_HEXAHEDRON`.
const QUADRANGLE: u8 = 9;
const HEXAHEDRON: u8 = 12;

/// Number of corners of a cell, and VTK's cell type.
const fn kind(dim: usize) -> (usize, u8) {
    if dim == 3 { (8, HEXAHEDRON) } else { (4, QUADRANGLE) }
}

/// Writes the numbers of points and cells, and reserves space for points, cells and the values of each field, in the data set that `names`
/// gives it. Points on a side that two patches share are stored once for each patch.
pub fn build<const D: usize>(root: &mut GroupBuilder, frame: &Frame<D>, names: &[String]) {
    let (mut points, mut cells) = (0, 0);
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for patch in &level.patches {
            points += patch.cells.size().iter().map(|&n| n as usize + 1).product::<usize>();
            cells += covering.of(&patch.cells).iter().filter(|covered| !**covered).count();
        }
    }
    let corners = kind(D).0 * cells;
    for (what, count) in [("Points", points), ("Cells", cells), ("ConnectivityIds", corners)] {
        root.create_dataset(&format!("NumberOf{what}")).with_i64_data(&[count as i64]);
    }
    reserve(root.create_dataset("Points"), make_f64_type(), 3 * points).with_shape(&[points as u64, 3]);
    reserve(root.create_dataset("Connectivity"), make_i64_type(), corners);
    // Each cell's end in the list of corners, after a leading zero.
    reserve(root.create_dataset("Offsets"), make_i64_type(), cells + 1);
    reserve(root.create_dataset("Types"), make_u8_type(), cells);
    let mut data = root.create_group("CellData");
    for name in names {
        reserve(data.create_dataset(name), make_f64_type(), cells);
    }
    root.add_group(data.finish());
}

/// Writes points, cells and values patch by patch into the reserved space. Points are numbered over the whole frame.
pub struct Cells<'a, const D: usize> {
    mapping: Mapping<D>,
    points: DataSetWriter<'a>,
    connectivity: DataSetWriter<'a>,
    offsets: DataSetWriter<'a>,
    kinds: DataSetWriter<'a>,
    values: Vec<DataSetWriter<'a>>,
    num_points: i64,
    num_cells: i64,
}

impl<'a, const D: usize> Cells<'a, D> {
    /// For a file with the space that [`build`] reserved.
    pub fn new(file: &SparseFile<'a>, mapping: Mapping<D>, names: &[String]) -> io::Result<Self> {
        let place = |name: &str| file.filler(&format!("VTKHDF/{name}"));
        let mut offsets = place("Offsets")?;
        offsets.put(&[0], i64::to_le_bytes)?;
        Ok(Cells {
            mapping,
            points: place("Points")?,
            connectivity: place("Connectivity")?,
            offsets,
            kinds: place("Types")?,
            values: names.iter().map(|name| place(&format!("CellData/{name}"))).collect::<io::Result<_>>()?,
            num_points: 0,
            num_cells: 0,
        })
    }

    /// Writes the next patch, with cell size `dx`; `covered` marks the cells beneath finer patches.
    pub fn put(
        &mut self,
        patch: &FramePatch<D>,
        dx: [f64; D],
        covered: &[bool],
        fields: &[FieldIndex],
    ) -> io::Result<()> {
        for corner in self.mapping.corners(&patch.cells, dx) {
            let coordinate = |d: usize| corner.get(d).copied().unwrap_or(0.0);
            self.points.put(&[0, 1, 2].map(coordinate), f64::to_le_bytes)?;
        }
        let size = patch.cells.size().map(|n| n as usize);
        let (next_row, next_plane) = (size[0] + 1, (size[0] + 1) * (size[1] + 1));
        let visible: Vec<usize> = (0..covered.len()).filter(|&k| !covered[k]).collect();
        let (corners, kind) = kind(D);
        self.kinds.put(&vec![kind; visible.len()], u8::to_le_bytes)?;
        for (&k, cell) in visible.iter().zip(self.num_cells + 1..) {
            let (column, row, plane) = (k % size[0], k / size[0] % size[1], k / (size[0] * size[1]));
            let corner = column + row * next_row + plane * next_plane;
            let around = [corner, corner + 1, corner + next_row + 1, corner + next_row];
            for plane in 0..D - 1 {
                let node = |n: usize| self.num_points + (n + plane * next_plane) as i64;
                self.connectivity.put(&around.map(node), i64::to_le_bytes)?;
            }
            self.offsets.put(&[corners as i64 * cell], i64::to_le_bytes)?;
        }
        for (filler, &field) in self.values.iter_mut().zip(fields) {
            let of_patch = patch.values(field);
            let seen: Vec<f64> = visible.iter().map(|&k| of_patch[k]).collect();
            filler.put(&seen, f64::to_le_bytes)?;
        }
        self.num_points += size.iter().map(|&n| n as i64 + 1).product::<i64>();
        self.num_cells += visible.len() as i64;
        Ok(())
    }

    /// Writes what is still buffered.
    pub fn finish(self) -> io::Result<()> {
        let all = [self.points, self.connectivity, self.offsets, self.kinds].into_iter().chain(self.values);
        all.into_iter().try_for_each(|filler| filler.finish().map(drop))
    }
}
