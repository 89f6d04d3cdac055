//! The cells of a mapped mesh as VTK's unstructured grid: the finest cell at each place, as a quadrangle or hexahedron.

use crate::frames::frame::{FieldIndex, Frame, FramePatch};
use crate::frames::sparse::{DataSetWriter, SparseFile, reserve};
use crate::mesh::Mapping;
use hdf5::{File, Group, GroupBuilder, make_f64_type, make_i64_type, make_u8_type};
use std::io;
use unstructured::mesh::Cells as MeshCells;
use unstructured::{Mesh, Rows, Shape};

/// VTK's numbers for quadrangles, `VTK_QUAD`, and for hexahedra, `VTK_HEXAHEDRON`.
const QUADRANGLE: u8 = 9;
const HEXAHEDRON: u8 = 12;

/// The shapes of cells of meshes from files, in the order of [`Shape::ALL`], with VTK's numbers.
const SHAPES: [(Shape, u8); 6] = [
    (Shape::Triangle, 5),
    (Shape::Quadrilateral, QUADRANGLE),
    (Shape::Tetrahedron, 10),
    (Shape::Hexahedron, HEXAHEDRON),
    (Shape::Prism, 13),
    (Shape::Pyramid, 14),
];

/// Names of the data sets of a mesh's centroids and volumes in the group `/amrclaw`.
const CENTROIDS: &str = "centroids";
const VOLUMES: &str = "volumes";

/// Writes what reading a frame back needs of a mesh besides what VTK needs.
pub fn build_mesh(header: &mut GroupBuilder, mesh: &Mesh) {
    let count = mesh.num_cells() as u64;
    header.create_dataset(CENTROIDS).with_f64_data(mesh.centroid.as_flattened()).with_shape(&[count, 3]);
    header.create_dataset(VOLUMES).with_f64_data(&mesh.volume);
}

/// The points and cells of the mesh of a frame's file, without faces; `None` if the frame is not of one.
///
/// # Errors
/// What is not as it was written.
pub fn read_mesh(file: &File, dim: usize, num_cells: usize) -> Result<Option<Mesh>, String> {
    let header = file.group("amrclaw").map_err(|error| error.to_string())?;
    if !header.datasets().map_err(|error| error.to_string())?.iter().any(|name| name == CENTROIDS) {
        return Ok(None);
    }
    let root = file.group("VTKHDF").map_err(|error| error.to_string())?;
    let numbers = |group: &Group, name: &str| {
        group.dataset(name).and_then(|set| set.read_f64()).map_err(|error| format!("{name}: {error}"))
    };
    let indices = |name: &str, most: usize| {
        let read = root.dataset(name).and_then(|set| set.read_i64()).map_err(|error| format!("{name}: {error}"))?;
        let index = |i: &i64| u32::try_from(*i).ok().filter(|&i| i as usize <= most);
        read.iter().map(index).collect::<Option<Vec<u32>>>().ok_or_else(|| format!("{name}: an index is out of range"))
    };
    let vectors = |values: Vec<f64>| values.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect::<Vec<_>>();
    let (points, centroid) = (vectors(numbers(&root, "Points")?), vectors(numbers(&header, CENTROIDS)?));
    let items = indices("Connectivity", points.len().saturating_sub(1))?;
    let starts = indices("Offsets", items.len())?;
    let kinds = root.dataset("Types").and_then(|set| set.read_u8()).map_err(|error| format!("Types: {error}"))?;
    let shape = |kind: &u8| SHAPES.iter().find(|(_, number)| number == kind).map(|(shape, _)| *shape);
    let shape = kinds.iter().map(shape).collect::<Option<Vec<Shape>>>().ok_or("Types: an unknown shape")?;
    let volume = numbers(&header, VOLUMES)?;
    let cells = MeshCells { shape, nodes: Rows { starts, items }, numbers: Vec::new() };
    let is_whole = [cells.shape.len(), volume.len(), centroid.len()] == [num_cells; 3]
        && cells.nodes.starts.len() == num_cells + 1
        && cells.nodes.starts.windows(2).zip(&cells.shape).all(|(w, shape)| w[0] + shape.num_nodes() as u32 == w[1]);
    if !is_whole {
        return Err(format!("it has not the nodes of {num_cells} cells"));
    }
    let (faces, boundary) = (Default::default(), Default::default());
    let (cell_faces, periodic) = (Rows::default(), Vec::new());
    Ok(Some(Mesh { dim, points, cells, faces, cell_faces, volume, centroid, boundary, periodic, ..Mesh::default() }))
}

/// Number of corners of a cell, and VTK's cell type.
const fn kind(dim: usize) -> (usize, u8) {
    if dim == 3 { (8, HEXAHEDRON) } else { (4, QUADRANGLE) }
}

/// Writes the numbers of points and cells, and reserves space for points, cells and the values of each field, in the data set that `names`
/// gives it. Points on a side that two patches share are stored once for each patch.
pub fn build<const D: usize>(root: &mut GroupBuilder, frame: &Frame<D>, names: &[String]) {
    if let Some(mesh) = &frame.mesh {
        return reserve_cells(root, [mesh.points.len(), mesh.num_cells(), mesh.cells.nodes.items.len()], names);
    }
    let (mut points, mut cells) = (0, 0);
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for patch in &level.patches {
            points += patch.cells.size().iter().map(|&n| n as usize + 1).product::<usize>();
            cells += covering.of(&patch.cells).iter().filter(|covered| !**covered).count();
        }
    }
    reserve_cells(root, [points, cells, kind(D).0 * cells], names);
}

/// Reserves space for so many points, cells and corners of cells.
fn reserve_cells(root: &mut GroupBuilder, [points, cells, corners]: [usize; 3], names: &[String]) {
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

    /// Writes the cells of a mesh and their values, a row.
    pub fn put_mesh(&mut self, mesh: &Mesh, row: &FramePatch<D>, fields: &[FieldIndex]) -> io::Result<()> {
        self.points.put(mesh.points.as_flattened(), f64::to_le_bytes)?;
        let nodes = &mesh.cells.nodes;
        let ids = |list: &[u32]| list.iter().map(|&n| i64::from(n)).collect::<Vec<_>>();
        self.connectivity.put(&ids(&nodes.items), i64::to_le_bytes)?;
        self.offsets.put(&ids(&nodes.starts[1..]), i64::to_le_bytes)?;
        let kinds: Vec<u8> = mesh.cells.shape.iter().map(|&shape| SHAPES[shape as usize].1).collect();
        self.kinds.put(&kinds, u8::to_le_bytes)?;
        for (filler, &field) in self.values.iter_mut().zip(fields) {
            filler.put(row.values(field), f64::to_le_bytes)?;
        }
        Ok(())
    }

    /// Writes what is still buffered.
    pub fn finish(self) -> io::Result<()> {
        let all = [self.points, self.connectivity, self.offsets, self.kinds].into_iter().chain(self.values);
        all.into_iter().try_for_each(|filler| filler.finish().map(drop))
    }
}
