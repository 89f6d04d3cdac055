//! Source terms: in a level's cells, and in the coarse cells beside it that the conservation fix reads.

use super::advance::{Array, Step};
use super::on_mesh::{DeviceMesh, fill_beyond};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{axes, periodic_bits, pointer};
use crate::exec::{ExecError, StepReport};
use crate::index::Level;
use crate::physics::SourceSplit;
use crate::plan::LevelPlans;
use cuda::abi::{Plain, Pointer, Real};
use cuda::amr::kernels::{SOURCE, SOURCE_FUNCTION};
use cuda::amr::tuning::{THREADS, patch_blocks};
use cuda::amr::{CellsBeyondArgs, Launcher, RunTable, SourceArgs, SourceCells};
use std::time::Instant;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// True if kernels compute all source terms that there are.
    fn computes_sources(&self) -> bool {
        self.functions.source.is_some() || self.problem.source.is_none()
    }

    /// The coarse cells beside a level in which its sources act.
    fn cells_beside(&self, level: Level, plans: &LevelPlans<D>) -> SourceCells {
        let Some(coarse) = level.coarser().filter(|_| plans.has_faces()) else { return SourceCells::ZERO };
        let (store, coarse) = (&self.levels[level.index()], &self.levels[coarse.index()]);
        let (Some(tables), Some(register)) = (&store.tables, &store.register) else {
            unreachable!("tables and registers are made with the plans");
        };
        SourceCells {
            table: tables.runs.fine.runs::<N>(&tables.memory),
            cells: register.source_cells(),
            level: coarse.geometry.in_space().into(),
            num_slots: tables.faces.coarse as u32,
            has_centres: u32::from(self.functions.centres.is_some()),
            ..SourceCells::ZERO
        }
    }

    /// Lets the first half of Strang's splitting act beyond the sides of a mesh from a file, where functions say what lies there: what it adds, as
    /// `cells_beyond` takes it. `ghosts`: the arguments for ghost cells; `after`: the states that it has made.
    pub(super) fn gain_beyond(
        &self,
        step: Step,
        (mesh, ghosts): (&DeviceMesh<N>, &CellsBeyondArgs),
        after: Pointer<Real>,
    ) -> Result<Pointer<Real>, ExecError> {
        let on_mesh = self.problem.on_mesh.as_ref().expect("a mesh from a file");
        let acts = self.applies_sources() && self.problem.source_split == SourceSplit::Strang;
        if !(acts && on_mesh.sides.has_functions()) {
            return Ok(Pointer::NULL);
        }
        let (l, num_slots) = (step.level.index(), ghosts.num_boundary);
        let (t, dt) = (self.levels[l].states.time, 0.5 * step.dt);
        let numbers = self.sizes.num_eqn * num_slots as usize;
        let bytes = numbers * self.sizes.number;
        let memory = mesh.gained(&self.machine, 2 * bytes)?;
        let gained = pointer::<Real, N>(&memory.0, 0);
        let ghosts = CellsBeyondArgs { t, to_component: u64::from(num_slots), ..*ghosts };
        let inside = self.sizes.first_cell(self.address(l, Array::Present));
        for to in [gained, Pointer::new(gained.address() + bytes as u64)] {
            fill_beyond(&self.machine, D, &CellsBeyondArgs { inside, to, ..ghosts })?;
        }
        if self.computes_sources() {
            let (store, none) = (&self.levels[l], SourceCells::ZERO);
            let centres = store.centres.as_ref().map_or(Pointer::NULL, |centres| pointer::<_, N>(centres, 0));
            let beside = SourceCells {
                table: RunTable { num_chunks: num_slots.div_ceil(32), ..none.table },
                cells: gained,
                places: ghosts.inside_at,
                aux: self.sizes.first_cell(store.aux_address()),
                centres: self.sizes.first_cell(centres),
                level: self.lattice(step.level)?,
                num_slots,
                ..none
            };
            let args = self.source_args(step, [Array::Present; 2], (beside, false), [t, dt])?;
            let args = SourceArgs { num_blocks: 0, ..args };
            for (kernel, acts) in [(SOURCE, self.facts.has_source), (SOURCE_FUNCTION, self.functions.source.is_some())]
            {
                if acts {
                    self.run_source(&kernel, &args)?;
                }
            }
        } else {
            let mut states = vec![0; bytes];
            self.machine.download(&memory.0, 0, &mut states)?;
            let mesh = on_mesh.sides.mesh();
            let cells = &mesh.faces.left[mesh.first_boundary()..];
            self.host.lock().apply_source_in_places(step.level, (cells, &mut states), (t, dt));
            self.machine.upload(&states, &memory.0, 0)?;
        }
        fill_beyond(&self.machine, D, &CellsBeyondArgs { inside: after, gained, finds_gained: 1, ..ghosts })?;
        Ok(gained)
    }

    fn advance_source_cells_on_host(
        &self,
        level: Level,
        plans: &LevelPlans<D>,
        when: (f64, f64),
    ) -> Result<(), ExecError> {
        if level == Level::COARSEST || !plans.has_faces() {
            return Ok(());
        }
        let (store, plan) = (&self.levels[level.index()], plans.reflux().expect("asked for where there are faces"));
        let register = store.register.as_ref().expect("made with the plans");
        self.make_host_copies(level);
        let mut cells = vec![0; register.starts[3] - register.starts[2]];
        self.machine.download(&register.memory, register.starts[2], &mut cells)?;
        self.host.lock().advance_source_cells_of_copy(level, plan, &mut cells, when);
        Ok(self.machine.upload(&cells, &register.memory, register.starts[2])?)
    }

    /// True if steps apply source terms.
    pub(super) fn applies_sources(&self) -> bool {
        self.problem.applies_sources(self.facts.has_source)
    }

    /// The arguments of kernels that integrate a source term over `dt` from time `t`.
    fn source_args(
        &self,
        step: Step,
        [from, to]: [Array; 2],
        (beside, ghosts): (SourceCells, bool),
        [t, dt]: [f64; 2],
    ) -> Result<SourceArgs, ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let patches = store.mesh.patches().len();
        let blocks_per_patch = patch_blocks(patches, store.layout.num_cells_with_ghosts());
        Ok(SourceArgs {
            patches: store.patches(),
            from: self.address(l, from),
            to: self.address(l, to),
            aux: store.aux_address(),
            centres: store.centres.as_ref().map_or(Pointer::NULL, |centres| pointer::<_, N>(centres, 0)),
            reports: step.reports,
            level: self.lattice(step.level)?,
            t,
            dt,
            beside,
            signs: pointer::<_, N>(&self.small.signs, 0),
            beyond: self.sides.rules(),
            mirrors: 0,
            ghosts: u32::from(ghosts),
            blocks_per_patch,
            domain: axes(store.mesh.domain().hi, 1),
            periodic: periodic_bits(&store.mesh),
            users: self.sides.users(),
            num_blocks: patches as u32 * blocks_per_patch,
        })
    }

    fn run_source(&self, kernel: &Launcher<SourceArgs>, args: &SourceArgs) -> Result<(), ExecError> {
        let blocks = args.num_blocks + args.beside.table.num_chunks.div_ceil(THREADS / 32);
        // SAFETY: arrays and patches are those of the level, and cells beside it those of its register; each cell has one thread.
        unsafe { self.machine.run(kernel, D, blocks as usize, args)? };
        Ok(())
    }

    /// Integrates the source terms over `dt` from time `t`, from the first array to the second, and in the coarse cells beside the level; in ghost
    /// cells too if it `reaches_ghosts`. Returns what the host finds.
    pub(super) fn apply_source(
        &mut self,
        step: Step,
        [from, to]: [Array; 2],
        (plans, reaches_ghosts): (&LevelPlans<D>, bool),
        [t, dt]: [f64; 2],
    ) -> Result<StepReport, ExecError> {
        let level = step.level;
        let l = level.index();
        let (is_function, own) = (self.functions.source.is_some(), self.facts.has_source);
        // Without any source, the values must still be copied to where the next part of the step reads them.
        let in_place = matches!((from, to), (Array::Next, Array::Next));
        if self.computes_sources() && (is_function || own || in_place) {
            if own {
                self.make_centres(level)?;
            }
            let args =
                self.source_args(step, [from, to], (self.cells_beside(level, plans), reaches_ghosts), [t, dt])?;
            // One kernel finds what ghost cells mirror as it was before.
            let mirrors = reaches_ghosts && !self.sides.ask() && is_function != own;
            let args = SourceArgs { mirrors: mirrors.into(), ..args };
            if own {
                self.run_source(&SOURCE, &args)?;
            }
            if is_function {
                let input = if own { args.to } else { args.from };
                self.run_source(&SOURCE_FUNCTION, &SourceArgs { from: input, ..args })?;
            }
            if reaches_ghosts && !mirrors {
                self.fill_outside(level, plans, to, from)?;
            }
            return Ok(StepReport::NONE);
        }
        if self.applies_sources() {
            self.advance_source_cells_on_host(level, plans, (t, dt))?;
        }
        let start = Instant::now();
        self.fetch_array(level, from)?;
        let mut host = self.host.lock();
        let found = host.apply_source_to_copy(level, reaches_ghosts.then(|| plans.ghost()), t, dt);
        self.machine.upload(host.q_of_copy(level), self.array(l, to), 0)?;
        host.works().note("source", self.levels[l].mesh.num_cells(), start);
        Ok(found)
    }
}
