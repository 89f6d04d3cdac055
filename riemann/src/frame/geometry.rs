//! The geometry of a mapped cell's faces, as auxiliary values.

use super::FaceSums;
use crate::axis::Axis;
use crate::group::Wall;

/// In the plane: unit normal and length of the lower face along x, the same along y, and the cell's area.
const IN_PLANE: [(&str, Option<Axis>); 7] = [
    ("xface_nx", Some(Axis::X)),
    ("xface_ny", Some(Axis::X)),
    ("xface_length", Some(Axis::X)),
    ("yface_nx", Some(Axis::Y)),
    ("yface_ny", Some(Axis::Y)),
    ("yface_length", Some(Axis::Y)),
    ("capacity", None),
];

/// In space: for each axis the vector half way between it and the normal of the lower face along it, and the face's area; then the cell's
/// volume.
const IN_SPACE: [(&str, Option<Axis>); 13] = [
    ("xface_hx", Some(Axis::X)),
    ("xface_hy", Some(Axis::X)),
    ("xface_hz", Some(Axis::X)),
    ("xface_area", Some(Axis::X)),
    ("yface_hx", Some(Axis::Y)),
    ("yface_hy", Some(Axis::Y)),
    ("yface_hz", Some(Axis::Y)),
    ("yface_area", Some(Axis::Y)),
    ("zface_hx", Some(Axis::Z)),
    ("zface_hy", Some(Axis::Z)),
    ("zface_hz", Some(Axis::Z)),
    ("zface_area", Some(Axis::Z)),
    ("capacity", None),
];

/// Auxiliary values of a mapped cell, which follow the solver's own, each with the axis of the faces that it lives on. Lengths, areas and
/// volumes are per unit of the computational coordinates; the last value is the capacity of the scheme. A cell behind a wall has
/// [`no_face`] as normals and zeros as sizes of the faces along the other axes.
///
/// # Panics
/// There are neither two nor three dimensions.
pub const fn geometry(dim: usize) -> &'static [(&'static str, Option<Axis>)] {
    match dim {
        2 => &IN_PLANE,
        3 => &IN_SPACE,
        _ => panic!("mapped grids have two or three dimensions"),
    }
}

/// No direction, and in `f32` too more than nothing.
const NOTHING: f64 = 7.888609052210118e-31;

/// The first two components of what stands in the place of the normal of a face that a cell behind a wall does not have; a third is zero.
#[inline(always)]
pub const fn no_face(wall: Wall) -> [f64; 2] {
    match wall {
        Wall::Slip => [0.0, 0.0],
        Wall::Clamped => [NOTHING, 0.0],
        Wall::Free => [0.0, NOTHING],
    }
}

/// Whether this stands in the place of a normal.
pub fn is_no_face(normal: &[f64]) -> bool {
    normal.iter().all(|x| x.abs() <= NOTHING)
}

/// The unit vector half way between an axis and a unit normal: the frame of a face in space.
pub fn half_way(axis: usize, normal: [f64; 3]) -> [f64; 3] {
    let turned = |by: usize| normal[(axis + by) % 3];
    let half = FaceSums::half_way(turned(0), turned(1), turned(2));
    std::array::from_fn(|d| half[(d + 3 - axis) % 3])
}

/// Names of a mapped cell's values, and the axes of their faces: arrays of the greatest length, of which the first entries are valid.
pub(super) const fn split_geometry(dim: usize) -> ([&'static str; 13], [Option<Axis>; 13]) {
    let (all, mut names, mut faces) = (geometry(dim), [""; 13], [None; 13]);
    let mut n = 0;
    while n < all.len() {
        (names[n], faces[n]) = all[n];
        n += 1;
    }
    (names, faces)
}
