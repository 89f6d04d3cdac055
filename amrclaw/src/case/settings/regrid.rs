//! Levels, and when and where to refine.

use super::NamedExpression;
use crate::case::choice::{AdjointOf, ClusterKind, Criterion};
use crate::index::Level;
use std::path::PathBuf;

/// The case file's `[levels]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSettings {
    /// Number of levels; 1 is no refinement.
    pub max: usize,
    /// `ratio[level][axis]`: refinement between a level and the next finer one; `max − 1` entries.
    pub ratio: Vec<Vec<i32>>,
    /// Refinement in time; `max − 1` entries. `None`: the largest space ratio of each level.
    pub ratio_time: Option<Vec<i32>>,
}

/// The case file's `[regrid]`.
#[derive(Clone, Debug)]
pub struct RegridSettings {
    /// Steps of a level between regrids of the finer ones.
    pub interval: u64,
    /// Cells added around flagged cells.
    pub buffer: i32,
    /// How flagged cells are covered with patches.
    pub cluster: ClusterKind,
    /// With [`ClusterKind::BergerRigoutsos`]: least share of flagged cells in a new patch.
    pub cutoff: f64,
    /// With [`ClusterKind::Tiles`]: cells of a tile along each axis, on the flagged level.
    pub tile_size: i32,
    /// Most cells of a patch along any axis.
    pub max_patch_size: i32,
    /// Keep the totals of conserved quantities across level interfaces.
    pub conservation_fix: bool,
    /// Which cells to refine.
    pub flag: FlagSettings,
    /// Boxes in which levels are forced or forbidden.
    pub region: Vec<Region>,
}

/// The case file's `[regrid.flag]`.
#[derive(Clone, Debug)]
pub struct FlagSettings {
    /// How to find the cells to refine.
    pub criterion: Criterion,
    /// Flag above this value of the criterion.
    pub tolerance: f64,
    /// Values of fields by name, in place of `tolerance`.
    pub tolerances: Vec<(NamedExpression, f64)>,
    /// With [`Criterion::Curvature`]: the share of the tolerance above which cells are not joined.
    pub keep: f64,
    /// With [`Criterion::User`]: flag where this is not zero. `None`: the solver's own criterion.
    pub expression: Option<NamedExpression>,
    /// With [`Criterion::Adjoint`]: the adjoint problem.
    pub adjoint: Option<AdjointSettings>,
}

/// The case file's `[regrid.flag.adjoint]`.
#[derive(Clone, Debug)]
pub struct AdjointSettings {
    /// Densities of the functional by equation; equations without one are absent.
    pub functional: Vec<NamedExpression>,
    /// A state at rest, about which the equations are taken as linear; equations without one are zero there.
    pub about: Vec<NamedExpression>,
    /// A case whose solution is the adjoint one, in place of the functional.
    pub case: Option<PathBuf>,
    /// Times at which the functional counts.
    pub window: [f64; 2],
    /// Intervals between the adjoint solution's snapshots.
    pub snapshots: usize,
    /// Cells of its mesh along each axis.
    pub cells: Vec<i32>,
    /// What it is multiplied with.
    pub of: AdjointOf,
}

/// One of the case file's `[[regrid.region]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The coarsest level allowed in the region: it is refined at least up to here.
    pub coarsest: Level,
    /// The finest level allowed in the region.
    pub finest: Level,
    /// Where it is.
    pub place: RegionPlace,
    /// From when to when; all time unless given.
    pub time: [f64; 2],
}

/// Where a region is.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionPlace {
    /// A box in computational coordinates.
    Box {
        /// Lower corner.
        lower: Vec<f64>,
        /// Upper corner.
        upper: Vec<f64>,
    },
    /// A polygon in physical coordinates.
    Polygon {
        /// Corners of closed rings: outlines, and holes in them.
        rings: Vec<Vec<[f64; 2]>>,
        /// In space the axis along which it is extruded.
        along: usize,
        /// From where to where along that axis.
        extent: [f64; 2],
    },
}
