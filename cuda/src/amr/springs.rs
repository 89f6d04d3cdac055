//! Arguments of the kernels of springs, which solve for where the nodes of a mesh go.

use crate::abi::Pointer;
use crate::device_struct;

/// Threads of the block that adds up what warps have noted. The order of the sum depends on it: the host's is that of 32 · 32 lanes.
pub const SPRINGS_THREADS: u32 = 1024;

device_struct! {
    /// How far a solution by conjugate gradients has come.
    pub struct SpringsState {
        /// Forces that are left, by the preconditioner's measure, squared.
        pub left: f64,
        /// The same with which the iteration ends.
        pub enough: f64,
        /// The step along the direction, or the share of the last direction in the next one.
        pub factor: f64,
        /// Forces that may be left, of those at rest.
        pub tolerance: f64,
        /// Iterations.
        pub iterations: u32,
        /// The iteration has ended: kernels do nothing.
        pub is_done: u32,
    }
}

device_struct! {
    /// What the kernels of springs take. Arrays over nodes are `[node, axis]`.
    pub struct SpringsArgs {
        /// Where each slice of 32 nodes begins in the tables of entries, and where the last one ends: entry k of node n is
        /// `slices[n / 32] + n % 32 + 32 k`.
        pub slices: Pointer<u32>,
        /// Of each entry the node that acts; all bits set behind a node's last one.
        pub columns: Pointer<u32>,
        /// Of each entry the block of the matrix: `[slice, k, axis, axis, node of the slice]`.
        pub blocks: Pointer<f64>,
        /// Of each node the inverse of its own block: `[slice, axis, axis, node of the slice]`.
        pub inverses: Pointer<f64>,
        /// What forces are of: displacements at the begin, then the direction.
        pub from: Pointer<f64>,
        /// Displacements.
        pub displaced: Pointer<f64>,
        /// The direction.
        pub along: Pointer<f64>,
        /// The forces of `from`.
        pub forces: Pointer<f64>,
        /// Less the forces of the displacements.
        pub residual: Pointer<f64>,
        /// These, preconditioned.
        pub ahead: Pointer<f64>,
        /// Of each 32 nodes the sum that the last kernel has noted.
        pub parts: Pointer<f64>,
        /// How far the solution has come.
        pub state: Pointer<SpringsState>,
        /// Number of nodes.
        pub num_nodes: u32,
        /// Number of `parts`.
        pub num_parts: u32,
        /// The sum is that of the direction with its forces: it gives the step.
        pub is_along: u32,
    }
}
