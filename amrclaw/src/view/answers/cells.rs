//! Meshes from files: their cells, or the pieces in which a plane meets them, in groups of near ones, within which positions are told finely.

use super::super::ViewError;
use super::cut::told;
use super::tiles::{Form, MOST_BYTES, Tiles, answer};
use crate::frames::frame::{Frame, FrameLevel, PatchSource};
use crate::picture::{Plane, Shown, quadrangle};
use crate::threads::parallel_map;
use unstructured::{Group, Mesh};

/// Bytes of a piece: a value, and the codes of four nodes.
const PIECE: usize = 20;

/// What answers from a mesh need besides it.
pub struct MeshCells {
    pub groups: Vec<Group>,
    /// The sides of a mesh in the plane.
    outline: Vec<[[f64; 2]; 2]>,
}

impl MeshCells {
    pub fn new(mesh: &Mesh) -> Self {
        let point = |node: u32| [0, 1].map(|d| mesh.points[node as usize][d]);
        let faces = if mesh.dim == 2 { mesh.outline(0..mesh.num_cells()) } else { Vec::new() };
        let outline = faces.iter().map(|face| [point(face[0]), point(face[1])]).collect();
        MeshCells { groups: mesh.groups(), outline }
    }
}

/// A field of a mesh, in space on a plane, as pieces of each group, the first group with the mesh's sides.
pub fn encode_cells<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    (mesh, cells): (&Mesh, &MeshCells),
    plane: Option<Plane>,
    form: Form,
) -> Result<Tiles, ViewError> {
    let row = values.patch(0, 0)?;
    let of_group = |n: usize| {
        let of_group = cells.groups[n].cells.iter().map(|&cell| cell as usize);
        let mut shown = Shown::default();
        match plane {
            Some(plane) => plane.cut_cells(mesh, of_group, &row.q, &mut shown),
            None => shown.pieces.extend(of_group.map(|cell| (quadrangle(mesh, cell), row.q[cell]))),
        }
        shown
    };
    let mut all = parallel_map(cells.groups.len(), of_group);
    all.retain(|shown| !shown.pieces.is_empty());
    if PIECE * all.iter().map(|shown| shown.pieces.len()).sum::<usize>() > MOST_BYTES {
        return Err(ViewError::TooMuch("too many cells for a page".to_owned()));
    }
    if let Some(first) = all.first_mut() {
        first.lines = plane.map_or_else(|| cells.outline.clone(), |plane| plane.cut_outline(mesh));
    }
    let patches = all.iter().enumerate().map(|(k, shown)| told((0, k), shown, form)).collect();
    let end = |d: usize, side: usize, further: fn(f64, f64) -> f64| {
        cells.groups.iter().map(|group| group.ends[side][d]).reduce(further).unwrap_or(0.0)
    };
    let (lower, upper) = (std::array::from_fn(|d| end(d, 0, f64::min)), std::array::from_fn(|d| end(d, 1, f64::max)));
    // As if all cells were cubes as large as the smallest.
    let smallest = mesh.volume.iter().copied().fold(f64::INFINITY, f64::min);
    let levels = vec![FrameLevel { dx: [smallest.powf(1.0 / D as f64); D], patches: Vec::new() }];
    let bare =
        Frame { time: frame.time, mesh: frame.mesh.clone(), levels, ..Frame::empty([lower, upper], frame.cells) };
    Ok(answer(&bare, 1, &plane.map_or((0..D).collect(), |plane| plane.others().to_vec()), patches))
}
