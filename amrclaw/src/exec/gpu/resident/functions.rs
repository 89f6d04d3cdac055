//! Initial data and auxiliary values that kernels compute.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::{
    EVALUATE_AUX, EVALUATE_CENTRES, EVALUATE_INITIAL, EvaluatePlace, FunctionTables, bytes_of_mut, pointer,
};
use crate::exec::step::{LevelSpec, aux_origins};
use crate::fields::PatchLayout;
use crate::index::Level;
use crate::mesh::{Image, LevelMesh};
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::Lattice;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Fills a level's auxiliary values for a time by kernels. False if some are invalid: the host then computes them and reports
    /// where.
    pub(super) fn evaluate_aux(&mut self, level: Level, time: f64) -> Result<bool, ExecError> {
        let checks = !self.problem.positive_aux.is_empty();
        if checks {
            self.machine.zero(&self.small.refused, 0, size_of::<u32>())?;
        }
        let tables = match self.levels[level.index()].aux_tables.take() {
            Some(tables) => tables,
            None => {
                let store = &self.levels[level.index()];
                let origins = aux_origins(&self.problem, &self.facts.aux_face, &store.mesh);
                let all = 0..store.layout.patches.len();
                FunctionTables::of_aux(&store.layout, &[all], (&origins, &self.facts.aux_face), &self.machine)?
            }
        };
        let aux = self.levels[level.index()].aux_address();
        self.evaluate(level, EVALUATE_AUX, &tables, aux, time)?;
        self.levels[level.index()].aux_tables = Some(tables);
        Ok(!(checks && self.is_refused()?))
    }

    /// Physical positions of a mapped level's cells, which its solver's own source is told; made once, of a mesh that moves whenever they are asked for.
    pub(super) fn make_centres(&mut self, level: Level) -> Result<(), CudaError> {
        let store = &self.levels[level.index()];
        let moves = self.problem.on_mesh.as_ref().is_some_and(|on_mesh| on_mesh.sides.in_time.moves());
        if self.functions.centres.is_none() || (store.centres.is_some() && !moves) {
            return Ok(());
        }
        let all = 0..store.layout.patches.len();
        // Ghost cells beyond periodic sides have the positions of the cells that they are images of, others their own.
        let (domain, periodic) = (store.mesh.domain(), store.mesh.periodic());
        let whole = LevelMesh::new(domain, periodic, vec![domain]);
        let cells = |patch: &PatchLayout<D>| {
            let all = patch.with_ghosts();
            let with_outside = |image: Image<D>| {
                let mut part = image.part;
                for d in (0..D).filter(|&d| !periodic[d]) {
                    (part.lo[d], part.hi[d]) = (all.lo[d], all.hi[d]);
                }
                (part, image.shift.by)
            };
            whole.images(&all).into_iter().map(with_outside).collect()
        };
        let tables = FunctionTables::of_cells(&store.layout, &[all], cells, &self.machine)?;
        let centres = self.machine.allocate(store.layout.len(D) * self.sizes.number)?;
        self.evaluate(level, EVALUATE_CENTRES, &tables, pointer::<_, N>(&centres, 0), 0.0)?;
        self.levels[level.index()].centres = Some(centres);
        Ok(())
    }

    /// Makes a level with initial data by kernels. False if some values are invalid: the host then computes them and reports where.
    pub(super) fn evaluate_initial(&mut self, spec: LevelSpec<D>) -> Result<bool, ExecError> {
        let (level, time) = (spec.level, spec.time);
        self.begin_level(spec)?;
        self.machine.zero(&self.small.refused, 0, size_of::<u32>())?;
        self.fill_aux(level, time)?;
        let store = &self.levels[level.index()];
        let all = 0..store.layout.patches.len();
        let tables =
            FunctionTables::of_cells(&store.layout, &[all], |patch| vec![(patch.cells, [0; D])], &self.machine)?;
        self.evaluate(level, EVALUATE_INITIAL, &tables, store.q_address(), time)?;
        Ok(!self.is_refused()?)
    }

    fn evaluate(
        &self,
        level: Level,
        kernel: &'static str,
        tables: &FunctionTables<N::Memory>,
        out: Pointer<Real>,
        t: f64,
    ) -> Result<(), CudaError> {
        let store = &self.levels[level.index()];
        let (patches, aux) = (store.patches(), store.aux_address());
        let refused = pointer::<_, N>(&self.small.refused, 0);
        let place = EvaluatePlace { patches, out, aux, refused, level: self.lattice(level)?, t };
        // SAFETY: the tables are the level's; its array has room for the values.
        unsafe { tables.evaluate((&self.machine, kernel, D), 0, place) }
    }

    /// Where the cells of a level lie.
    pub(super) fn lattice(&self, level: Level) -> Result<Lattice, CudaError> {
        let lattice = Lattice::from(self.levels[level.index()].geometry.in_space());
        let Some((mesh, on_mesh)) = self.on_mesh.as_ref().zip(self.problem.on_mesh.as_ref()) else {
            return Ok(lattice);
        };
        Ok(Lattice { centroids: mesh.centroids::<D>(&self.machine, &on_mesh.sides.in_time)?, ..lattice })
    }

    fn is_refused(&self) -> Result<bool, CudaError> {
        let mut word = [0_u32];
        self.machine.download(&self.small.refused, 0, bytes_of_mut(&mut word))?;
        Ok(word[0] != 0)
    }
}
