//! Source terms: in a level's cells, and in the coarse cells beside it that the conservation fix reads.

use super::advance::{Array, Step};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{axes, bytes_of, bytes_of_mut, periodic_bits, pointer};
use crate::exec::{ExecError, StepReport};
use crate::index::Level;
use crate::plan::LevelPlans;
use cuda::abi::Pointer;
use cuda::amr::kernels::{SOURCE, SOURCE_CELLS, SOURCE_FUNCTION, SOURCE_FUNCTION_CELLS};
use cuda::amr::tuning::patch_blocks;
use cuda::amr::{Launcher, SourceArgs, SourceCellsArgs};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::time::Instant;

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// True if kernels compute all source terms that there are.
    fn computes_sources(&self) -> bool {
        self.functions.source.is_some() || self.problem.source.is_none()
    }

    /// Advances the coarse cells beside a level by the sources, from time `t` and for a duration.
    pub(super) fn advance_source_cells(
        &self,
        level: Level,
        plans: &LevelPlans<D>,
        t: f64,
        dt: f64,
    ) -> Result<(), ExecError> {
        let Some(coarse) = level.coarser().filter(|_| self.applies_sources() && plans.has_faces()) else {
            return Ok(());
        };
        let (store, coarse) = (&self.levels[level.index()], &self.levels[coarse.index()]);
        let (Some(tables), Some(register)) = (&store.tables, &store.register) else {
            unreachable!("tables and registers are made with the plans");
        };
        if !self.computes_sources() {
            return self.advance_source_cells_on_host(level, plans, (t, dt));
        }
        let runs = tables.runs.fine;
        let args = SourceCellsArgs {
            table: runs.runs::<N>(&tables.memory),
            cells: register.source_cells(),
            level: coarse.geometry.in_space().into(),
            t,
            dt,
            num_slots: tables.faces.coarse as u32,
            has_centres: u32::from(self.functions.centres.is_some()),
        };
        for (kernel, acts) in
            [(SOURCE_CELLS, self.solver.has_source()), (SOURCE_FUNCTION_CELLS, self.functions.source.is_some())]
        {
            if acts {
                // SAFETY: the register is that of the runs, and each slot has one lane.
                unsafe { self.machine.run(&kernel, D, runs.num_chunks as usize, &args)? };
            }
        }
        Ok(())
    }

    fn advance_source_cells_on_host(
        &self,
        level: Level,
        plans: &LevelPlans<D>,
        when: (f64, f64),
    ) -> Result<(), ExecError> {
        let (store, plan) = (&self.levels[level.index()], plans.reflux().expect("asked for where there are faces"));
        let register = store.register.as_ref().expect("made with the plans");
        self.make_host_copies(level);
        let mut cells = vec![R::default(); register.num_source_cells::<R>() + PACK_OVERRUN];
        let values = cells.len() - PACK_OVERRUN;
        self.machine.download(&register.memory, register.starts[2], bytes_of_mut(&mut cells[..values]))?;
        self.host.lock().advance_source_cells_of_copy(level, plan, &mut cells, when);
        Ok(self.machine.upload(bytes_of(&cells[..values]), &register.memory, register.starts[2])?)
    }

    /// True if steps apply source terms.
    pub(super) fn applies_sources(&self) -> bool {
        self.problem.applies_sources(self.solver.has_source())
    }

    /// Integrates a source term by a kernel.
    fn run_source(
        &self,
        kernel: &Launcher<SourceArgs>,
        step: Step,
        [from, to]: [Array; 2],
        ghosts: bool,
        t: f64,
        dt: f64,
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let patches = store.mesh.patches().len();
        let blocks_per_patch = patch_blocks(patches, store.layout.num_cells_with_ghosts());
        let args = SourceArgs {
            patches: store.patches(),
            from: self.address(l, from),
            to: self.address(l, to),
            aux: store.aux_address(),
            centres: store.centres.as_ref().map_or(Pointer::NULL, |centres| pointer::<_, N>(centres, 0)),
            reports: step.reports,
            level: self.lattice(step.level)?,
            t,
            dt,
            ghosts: u32::from(ghosts),
            blocks_per_patch,
            domain: axes(store.mesh.domain().hi, 1),
            periodic: periodic_bits(&store.mesh),
            users: self.sides.users(),
            padding: 0,
        };
        // SAFETY: arrays and patches are those of the level; each cell has one thread.
        unsafe { self.machine.run(kernel, D, patches * blocks_per_patch as usize, &args)? };
        Ok(())
    }

    /// Integrates the source terms over `dt` from time `t`, from the first array to the second, in ghost cells too if
    /// `ghosts` gives their plans. Returns what the host finds.
    pub(super) fn apply_source(
        &mut self,
        step: Step,
        [from, to]: [Array; 2],
        ghosts: Option<&LevelPlans<D>>,
        t: f64,
        dt: f64,
    ) -> Result<StepReport, ExecError> {
        let level = step.level;
        let l = level.index();
        let (is_function, own) = (self.functions.source.is_some(), self.solver.has_source());
        // Without any source, the values must still be copied to where the next part of the step reads them.
        let in_place = matches!((from, to), (Array::Next, Array::Next));
        if self.computes_sources() && (is_function || own || in_place) {
            let mut input = from;
            if own {
                self.make_centres(level)?;
                self.run_source(&SOURCE, step, [input, to], ghosts.is_some(), t, dt)?;
                input = to;
            }
            if is_function {
                self.run_source(&SOURCE_FUNCTION, step, [input, to], ghosts.is_some(), t, dt)?;
            }
            if let Some(plans) = ghosts {
                self.fill_outside(level, plans, to, from)?;
            }
            return Ok(StepReport::NONE);
        }
        let start = Instant::now();
        self.fetch_array(level, from)?;
        let mut host = self.host.lock();
        let found = host.apply_source_to_copy(level, ghosts.map(|plans| plans.ghost()), t, dt);
        self.machine.upload(bytes_of(host.q_of_copy(level)), self.array(l, to), 0)?;
        host.host_works.note("source", self.levels[l].mesh.num_cells(), start);
        Ok(found)
    }
}
