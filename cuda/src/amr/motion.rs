//! Arguments of the kernels of meshes whose nodes move.

use super::MeshTables;
use crate::abi::{Pointer, Real};
use crate::{device_enum, device_struct};

device_enum! {
    /// What is noted of cells.
    pub enum Wrong {
        /// Folded at the step's end,
        Folded,
        /// or half way.
        FoldedHalfWay,
        /// Its volume does not change by what its faces sweep.
        Open,
        /// Folded at the step's begin.
        FoldedBefore,
        /// Number of kinds.
        Kinds,
    }
}

device_struct! {
    /// Nodes and cells at a time.
    pub struct MotionInstant {
        /// Where nodes are: `[node, axis]`.
        pub points: Pointer<f64>,
        /// Volumes.
        pub volume: Pointer<f64>,
        /// Centroids: `[axis, cell]`.
        pub centroid: Pointer<f64>,
    }
}

device_struct! {
    /// What the kernels `motion_…` take: a mesh, and its geometry half way of a step, which steps read.
    pub struct MotionArgs {
        /// The mesh, whose vectors, sizes and volumes are written.
        pub tables: MeshTables,
        /// The begin of the step; null if only its end is wanted.
        pub before: MotionInstant,
        /// Half way, without nodes.
        pub half_way: MotionInstant,
        /// The end.
        pub after: MotionInstant,
        /// Where nodes were before they moved, of leaves those of their roots: `[node, axis]`.
        pub still_points: Pointer<f64>,
        /// How far springs have displaced nodes before and behind a time, likewise.
        pub displaced: [Pointer<f64>; 2],
        /// Whether a node has been given a place; null without springs.
        pub is_held: Pointer<u8>,
        /// The nodes of roots at a time, likewise.
        pub root_points: Pointer<f64>,
        /// Of each leaf its root.
        pub root: Pointer<u32>,
        /// Its level.
        pub level: Pointer<u32>,
        /// Its place below the root.
        pub place: Pointer<u64>,
        /// Where the nodes of each root begin.
        pub root_starts: Pointer<u32>,
        /// The nodes of roots.
        pub root_nodes: Pointer<u32>,
        /// How shapes are divided: `unstructured::adapt::Tables`.
        pub division: Pointer<u32>,
        /// The volumes of cells then.
        pub still_volume: Pointer<f64>,
        /// What volumes are more than those of faces; null if nothing.
        pub bulge: Pointer<f64>,
        /// Shapes, as `kernels/motion.cuh` packs them.
        pub of_shapes: Pointer<u32>,
        /// Of each cell the number of its shape.
        pub shapes: Pointer<u32>,
        /// Where the nodes of each cell begin.
        pub cell_starts: Pointer<u32>,
        /// The nodes of cells.
        pub cell_nodes: Pointer<u32>,
        /// Where those of each face begin; in the plane each has two.
        pub face_starts: Pointer<u32>,
        /// The nodes of faces.
        pub face_nodes: Pointer<u32>,
        /// Of each pair of periodic sides the face behind the last one.
        pub periodic_ends: Pointer<u32>,
        /// What is added to positions that left cells see there.
        pub shifts: Pointer<f64>,
        /// Of each periodic face where the left cell sees its centroid, less where it is.
        pub seen: Pointer<f64>,
        /// Speeds of faces.
        pub speed: Pointer<Real>,
        /// Centroids of faces: `[face, axis]`.
        pub centre: Pointer<f64>,
        /// Normals, likewise.
        pub normal: Pointer<f64>,
        /// Sizes of faces.
        pub face_size: Pointer<f64>,
        /// The volumes that faces sweep.
        pub swept: Pointer<f64>,
        /// Of boundary faces the normals: `[axis, face]`.
        pub normals: Pointer<f64>,
        /// Where ghost cells are, likewise.
        pub at_ghosts: Pointer<f64>,
        /// Where boundary faces are, likewise.
        pub at_sides: Pointer<f64>,
        /// What is wrong with cells: of each [`Wrong`] the complement of the first cell's number, or 0.
        pub found: Pointer<u32>,
        /// The end's time.
        pub t: f64,
        /// Where it lies between those of `displaced`.
        pub share: f64,
        /// The time step.
        pub dt: f64,
        /// A cell with less than this part of its volume before it moved is folded.
        pub flat: f64,
        /// Volumes change by what faces sweep to this part of them.
        pub open: f64,
        /// Number of nodes, of leaves those of roots.
        pub num_nodes: u32,
        /// The first face between periodic sides.
        pub first_periodic: u32,
        /// The first boundary face.
        pub first_boundary: u32,
        /// Pairs of periodic sides.
        pub num_periodic: u32,
        /// Gradients are those of Green and Gauss.
        pub is_green_gauss: u32,
    }
}

/// Words of a shape.
pub const SHAPE_WORDS: usize = 8;
