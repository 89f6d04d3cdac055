//! Unstructured meshes: what files hold ([`Elements`]), and cells with their faces and geometry ([`Mesh`]).
//!
//! Nothing here knows a solver or a step. Positions have the user's unit of length; in the plane their z is 0, sizes of faces are lengths
//! and volumes are areas.

pub mod make;
pub mod mesh;
mod order;
pub mod read;
mod threads;
pub mod write;

pub use mesh::{Elements, Mesh, MeshError, Place, Rows, Shape, Sides};
pub use order::Order;
