//! Unstructured meshes: what files hold ([`Elements`]), cells with their faces and geometry ([`Mesh`]), and steps of a solution on them ([`step`]).
//!
//! Positions have the user's unit of length; in the plane their z is 0, sizes of faces are lengths and volumes are areas.

pub mod adapt;
mod locate;
pub mod make;
pub mod mesh;
pub mod motion;
mod random;
pub mod read;
pub mod step;
mod threads;
pub mod write;

pub use locate::Group;
pub use mesh::{Elements, Mesh, MeshError, Order, Place, Rows, Shape, Sides};
