//! What new levels are made of.

use super::LevelState;
use super::report::LevelStates;
use crate::index::Level;
use crate::mesh::{Geometry, LevelMesh, Partition};
use crate::plan::MeshChange;
use std::sync::Arc;

/// A level without values.
#[derive(Clone)]
pub(in crate::exec) struct LevelSpec<const D: usize> {
    pub level: Level,
    pub mesh: Arc<LevelMesh<D>>,
    pub geometry: Geometry<D>,
    /// Owners of the patches, if there are several ranks.
    pub partition: Option<Arc<Partition>>,
    pub time: f64,
}

impl<const D: usize> LevelSpec<D> {
    /// A level of a change's new mesh.
    pub fn of(change: &MeshChange<'_, D>, level: Level, time: f64) -> Self {
        let (hierarchy, plans) = (change.hierarchy(), &change.plans()[level.index()]);
        let (mesh, geometry) = (hierarchy.level(level).clone(), hierarchy.geometry(level));
        LevelSpec { level, mesh, geometry, partition: plans.partition.clone(), time }
    }

    /// The same with the state that a rank is given, whose time it has.
    pub fn given(
        change: &MeshChange<'_, D>,
        level: Level,
        states: &LevelStates<'_, D>,
        rank: usize,
    ) -> (Self, LevelState<D>) {
        let spec = Self::of(change, level, 0.0);
        let state = states(level, &|k| Partition::owns(spec.partition.as_deref(), rank, k));
        (LevelSpec { time: state.time, ..spec }, state)
    }
}
