//! Ghost cells outside the domain, where user functions or walls of mapped grids compute some.

use super::advance::Array;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::cpu::failure::Searched;
use crate::exec::gpu::device::{axes, periodic_bits, pointer};
use crate::index::Level;
use crate::plan::LevelPlans;
use cuda::abi::Pointer;
use cuda::amr::kernels::{BOUNDARY_FUNCTION, FILL_OUTSIDE};
use cuda::amr::{BoundaryArgs, FillOutsideArgs, LevelView};
use std::time::Instant;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Fills an array's ghost cells outside the domain from the patches' own cells, at the level's time, after sources have made it of another,
    /// `before`.
    pub(super) fn fill_outside(
        &mut self,
        level: Level,
        plans: &LevelPlans<D>,
        array: Array,
        before: Array,
    ) -> Result<(), ExecError> {
        let l = level.index();
        if self.sides.ask() {
            return self.fill_by_axes(level, plans, array, Some(before));
        }
        let store = &self.levels[l];
        let args = FillOutsideArgs {
            view: LevelView::of_state(store.patches(), self.address(l, array)),
            signs: pointer::<_, N>(&self.small.signs, 0),
            domain: axes(store.mesh.domain().hi, 1),
            periodic: periodic_bits(&store.mesh),
            beyond: self.sides.rules(),
        };
        if store.mesh.periodic() != [true; D] {
            // SAFETY: the array is the level's; each ghost cell has one thread, which reads a cell inside the domain of the same patch.
            unsafe { self.machine.run(&FILL_OUTSIDE, D, store.mesh.patches().len(), &args)? };
        }
        Ok(())
    }

    /// Fills an array's ghost cells outside the domain, axis by axis. `before`: the array that sources have made it of.
    pub(super) fn fill_by_axes(
        &mut self,
        level: Level,
        plans: &LevelPlans<D>,
        array: Array,
        before: Option<Array>,
    ) -> Result<(), ExecError> {
        if plans.ghost().boundaries.all().is_empty() {
            return Ok(());
        }
        if self.functions.boundary.is_none() {
            return self.fill_boundaries_on_host(level, plans, array, before);
        }
        let q = self.address(level.index(), array);
        let before = before.map_or(Pointer::NULL, |before| self.address(level.index(), before));
        let store = &self.levels[level.index()];
        let tables = store.tables.as_ref().expect("made with the plans");
        for (axis, side) in tables.fill.by_axis.iter().enumerate().take(D) {
            let table = side.table;
            let args = BoundaryArgs {
                table: table.regions::<N>(&tables.memory),
                origins: side.origins::<N>(&tables.memory),
                before,
                view: LevelView { q, ..store.view() },
                signs: pointer::<_, N>(&self.small.signs, 0),
                refused: self.reports.refused(),
                domain: store.geometry.in_space().into(),
                t: store.states.time,
                axis: axis as i32,
                functions: self.sides.functions[axis],
                level: level.index() as u32,
                checked: self.sides.checked[axis],
            };
            // SAFETY: the regions are ghost cells of the level's patches, each of which has one lane; they read cells of the same patch
            // that this launch does not write.
            unsafe { self.machine.run(&BOUNDARY_FUNCTION, D, table.num_chunks as usize, &args)? };
        }
        Ok(())
    }

    /// Fills them on the host.
    fn fill_boundaries_on_host(
        &mut self,
        level: Level,
        plans: &LevelPlans<D>,
        array: Array,
        before: Option<Array>,
    ) -> Result<(), ExecError> {
        let start = Instant::now();
        let before = before.map(|before| {
            self.fetch_array(level, before)?;
            Ok::<_, ExecError>(self.host.lock().q_of_copy(level).to_vec())
        });
        self.fetch_array(level, array)?;
        self.host.lock().fill_outside_of_copy(level, plans.ghost(), before.transpose()?)?;
        let store = &self.levels[level.index()];
        let (q, mut host) = (self.array(level.index(), array), self.host.lock());
        self.machine.upload(host.q_of_copy(level), q, 0)?;
        host.works().note("boundaries", store.mesh.num_cells(), start);
        Ok(())
    }

    /// Fails if functions of the case have filled ghost cells with values that are not finite or not allowed, or the conservation fix has made
    /// such, up to the last mark.
    pub(super) fn check_refused(&mut self) -> Result<(), ExecError> {
        let Some((level, patch)) = self.reports.take_refused() else { return Ok(()) };
        let Some(store) = self.levels.get(level.index()).filter(|store| patch < store.mesh.patches().len()) else {
            // A regrid has replaced it since.
            return Err(ExecError::LostWithinStep { level, patch, time: f64::NAN });
        };
        let time = store.states.time;
        let found = match self.failure_before(level, patch)? {
            None => self.failure_in((level, patch), store.q(), Searched::interior(), time)?,
            found => found,
        };
        Err(found.unwrap_or(ExecError::LostWithinStep { level, patch, time }))
    }
}
