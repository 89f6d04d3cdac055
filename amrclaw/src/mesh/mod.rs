//! The mesh: patches, levels, hierarchy, flags. Integers and extents alone; holds no solution value.

mod bins;
mod curve;
mod domain;
mod geometry;
mod hierarchy;
mod level_mesh;
mod mapping;
mod outside;
mod partition;
mod speeds;
mod tag_set;

pub use bins::Bins;
pub use domain::Domain;
pub use geometry::{FARTHEST, Geometry, Surroundings, in_space, linear_weights};
pub use hierarchy::{Hierarchy, MeshEpoch};
pub use level_mesh::{Cover, Image, LevelMesh};
pub use mapping::{BadCell, MapFunction, MappedCell, Mapping, combination, examined};
pub use outside::{AxisEnds, Beyond, Origin, OriginRun};
pub use partition::{Partition, Rank};
pub use speeds::Speeds;
pub use tag_set::{TagSet, buffer};

pub(crate) use level_mesh::for_each_within;
pub(crate) use tag_set::{
    TagCounter, TileCover, Tiling, clear_bits, has_empty_plane, hull_of_bits, jump_and_distance, strongest_bend,
};
