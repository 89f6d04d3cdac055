//! Arguments of the kernels that divide and join leaves of trees.

use super::MeshTables;
use crate::abi::{Pointer, Real};
use crate::{device_enum, device_struct};

device_enum! {
    /// Where numbers stand that the host reads.
    pub enum LeafTotal {
        /// Of leaves.
        Leaves,
        /// Of those whose level changes.
        Changes,
        /// Of links.
        Links,
        /// Of widths of slices.
        Widths,
        /// Of the faces of each group, from here on.
        OfGroups,
    }
}

device_struct! {
    /// Leaves and the mesh that they are: `unstructured::adapt`.
    pub struct LeafMesh {
        /// The mesh.
        pub tables: MeshTables,
        /// Of each leaf its root.
        pub root: Pointer<u32>,
        /// Of each leaf its level.
        pub level: Pointer<u32>,
        /// Of each leaf its place below the root.
        pub place: Pointer<u64>,
        /// Where the leaves of each root begin, and where the last ones end.
        pub starts: Pointer<u32>,
        /// Where the links of each leaf begin, and where the last ones end.
        pub link_starts: Pointer<u32>,
        /// Links, as `kernels/leaves.cuh` packs them.
        pub links: Pointer<u64>,
        /// Of each leaf four nodes, in space eight: `[leaf, node, axis]`.
        pub points: Pointer<f64>,
        /// Of each leaf the centroid: `[axis, leaf]`.
        pub centroid: Pointer<f64>,
        /// Of each face the centroid: `[face, axis]`.
        pub centre: Pointer<f64>,
    }
}

device_struct! {
    /// What the kernels `leaves_…` take.
    pub struct LeavesArgs {
        /// The leaves that there are.
        pub before: LeafMesh,
        /// The leaves that are made of them.
        pub now: LeafMesh,
        /// The tables of the forest: `unstructured::adapt::Tables`.
        pub division: Pointer<u32>,
        /// What lies behind the sides of roots.
        pub across: Pointer<u32>,
        /// The shapes of roots.
        pub shapes: Pointer<u32>,
        /// The nodes of roots.
        pub root_points: Pointer<f64>,
        /// The volumes of roots.
        pub root_volume: Pointer<f64>,
        /// The shifts of periodic sides.
        pub shifts: Pointer<f64>,
        /// The criterion's field in leaves.
        pub field: Pointer<Real>,
        /// The same beyond boundary faces.
        pub beyond: Pointer<Real>,
        /// The field of fathers in leaves of complete families, that of leaves elsewhere.
        pub coarse: Pointer<Real>,
        /// The same beyond boundary faces.
        pub beyond_coarse: Pointer<Real>,
        /// Its gradient: `[axis, leaf]`.
        pub slopes: Pointer<f64>,
        /// Flags of leaves.
        pub flags: Pointer<u32>,
        /// The levels that leaves should have; null: those of their flags.
        pub levels: Pointer<u32>,
        /// The same, written.
        pub next: Pointer<u32>,
        /// The levels that they get.
        pub settled: Pointer<u32>,
        /// Of each old leaf the first new one that it becomes.
        pub numbers: Pointer<u32>,
        /// Of each new leaf how many faces of a group leaves before it have: `[group, leaf]`.
        pub counts: Pointer<u32>,
        /// What the host reads, by [`LeafTotal`].
        pub totals: Pointer<u32>,
        /// What blocks tell others of their sums: `[total, block]`.
        pub sums: Pointer<u64>,
        /// Of each new leaf the old one, or the first of its sons.
        pub from: Pointer<u32>,
        /// Of each new leaf its level less that of the old one.
        pub change: Pointer<i32>,
        /// Of each link the entry of its face.
        pub rows: Pointer<u32>,
        /// Of each boundary face its side's rule.
        pub rules: Pointer<u32>,
        /// Its normal.
        pub normals: Pointer<f64>,
        /// Where ghost cells are.
        pub at_ghosts: Pointer<f64>,
        /// Where boundary faces are.
        pub at_sides: Pointer<f64>,
        /// The states of old leaves: `[component, leaf]`.
        pub values: Pointer<Real>,
        /// The states of new ones.
        pub new_values: Pointer<Real>,
        /// The time.
        pub t: f64,
        /// What the field may not exceed in a leaf that stays.
        pub tolerance: f64,
        /// What it may not exceed in one that is joined.
        pub kept: f64,
        /// Number of roots.
        pub num_roots: u32,
        /// The finest level.
        pub finest: u32,
        /// Groups of faces: between leaves, periodic pairs, the boundary's names.
        pub num_groups: u32,
        /// Pairs of periodic sides.
        pub num_periodic: u32,
        /// The first boundary face.
        pub first_boundary: u32,
        /// Which call of the kernel this is.
        pub call: u32,
        /// Number of the launch, which no other has.
        pub launch: u32,
        /// New leaves that there is room for.
        pub room: u32,
    }
}
