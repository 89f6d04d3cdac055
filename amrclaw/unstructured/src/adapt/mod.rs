//! Meshes whose cells are divided and joined again: quadrilaterals and triangles in four, hexahedra in eight.
//!
//! Leaves stand in one list, in the order of the mesh's cells and then from father to sons; a new list is made of the old one by a scan. Which
//! leaf lies behind a side is found from the leaf's place in its tree. Both are integers in a fixed order. A cell beside finer ones has more
//! faces, which the solution's steps do not notice.

mod build;
mod criteria;
mod descent;
mod division;
mod forest;
mod links;
mod renew;
mod tables;
mod transfer;

pub use criteria::{curvature, differences, differences_of_families};
pub use descent::{Curve, NowAt};
pub use division::MOST_SONS;
pub use forest::{Forest, Leaves, MOST_LEVELS};
pub use links::{Link, Links};
pub use renew::{Before, Renewed};
pub use tables::{Tables, division_words, points_of};
pub use transfer::{of_families, transfer};

#[cfg(test)]
pub(crate) mod tests;
