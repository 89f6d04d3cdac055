//! Plans of new boxes whose items are counted as soon as kernels have made the boxes, while the host fetches these and makes meshes of them.
//!
//! The host does not know the number of boxes yet, so there are places for somewhat more than there were before. Where these do not
//! suffice, or the hierarchy turns out to be another one, plans are counted again when it is known.

use super::cover_tags::NewBoxes;
use super::plans::CountedLevel;
use super::store::DeviceLevel;
use super::{Machine, ResidentExecutor};
use crate::exec::RefineRequest;
use crate::exec::gpu::device::DeviceBoxes;
use crate::index::{CellBox, Level};
use crate::mesh::Hierarchy;
use cuda::CudaError;
use cuda::amr;

/// Least number of places for the patches of a level.
const FEWEST_PLACES: usize = 64;

/// Levels whose plans are being counted, by their number, with their patches as the host has fetched them.
pub(super) struct EarlyCounts<const D: usize, N: Machine> {
    levels: Vec<(usize, Option<CountedLevel<N>>, Vec<CellBox<D>>)>,
}

impl<const D: usize, N: Machine> EarlyCounts<D, N> {
    /// Of all levels from the first on; `None` if there are too few places for the patches of one.
    pub fn new(first: usize, counted: Vec<CountedLevel<N>>, patches: &[Vec<CellBox<D>>]) -> Option<Self> {
        let of_level = |(level, (counted, patches)): (usize, (CountedLevel<N>, &Vec<CellBox<D>>))| {
            (patches.len() <= counted.boxes.num_places()).then(|| (level, Some(counted), patches.clone()))
        };
        let levels: Vec<_> = (first..).zip(counted.into_iter().zip(patches)).map(of_level).collect::<Option<_>>()?;
        (!levels.is_empty()).then_some(EarlyCounts { levels })
    }

    /// True if these are the patches of a hierarchy's finer levels.
    pub fn are_of(&self, hierarchy: &Hierarchy<D>) -> bool {
        let patches = |level: usize| hierarchy.levels().get(level).map_or(&[][..], |mesh| mesh.patches());
        self.levels.iter().all(|(level, _, known)| patches(*level) == &known[..])
    }

    /// Takes out what has been counted of a level.
    pub fn take(&mut self, level: usize) -> Option<CountedLevel<N>> {
        self.levels.iter_mut().find(|(of_level, ..)| *of_level == level)?.1.take()
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Places for the patches of all levels finer than a base level, coarsest first; none if their plans cannot be counted ahead.
    /// `made`: the new boxes, by the level whose tags they cover.
    pub(super) fn places_ahead(
        &self,
        request: &RefineRequest<'_, D>,
        made: &[NewBoxes<N::Memory>],
    ) -> Result<Vec<DeviceBoxes<N::Memory>>, CudaError> {
        let (base, finest) = (request.base.index(), request.finest.index() + 1);
        let patches = |store: &DeviceLevel<D, N>| store.mesh.patches().len();
        if self.levels.len() <= finest
            || self.levels[base..].iter().any(|store| store.boxes.is_none())
            || self.way_of_tables(self.levels.iter().map(patches)).is_err()
        {
            return Ok(Vec::new());
        }
        let places = |l: usize| {
            let before = Self::boxes_of(&self.levels[l]);
            let room = (before.num_places() * 5 / 4).max(FEWEST_PLACES);
            let memory = self.machine.allocate(room * size_of::<amr::CellBox>())?;
            Ok(DeviceBoxes::in_place_of::<N>(before, (memory, room), made[l - 1].state::<N>()))
        };
        (base + 1..=finest).map(places).collect()
    }

    /// Begins to count the plans of levels finer than a base level, whose patches kernels are making.
    pub(super) fn count_ahead(
        &self,
        base: Level,
        places: Vec<DeviceBoxes<N::Memory>>,
    ) -> Result<Vec<CountedLevel<N>>, CudaError> {
        let mut counted: Vec<CountedLevel<N>> = Vec::new();
        for (l, boxes) in (base.index() + 1..).zip(places) {
            let coarser = self.coarser_boxes(l, counted.last().map(|level| &level.boxes));
            counted.push(self.count_level(l, boxes, coarser)?);
        }
        Ok(counted)
    }
}
