//! Initial data and auxiliary values that kernels compute.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::device::{
    EVALUATE_AUX, EVALUATE_INITIAL, HostTables, Table, TableBuilder, axes, bytes_of_mut, origin, pointer, region,
};
use crate::exec::step::aux_origins;
use crate::fields::LevelLayout;
use crate::index::Level;
use crate::mesh::{Hierarchy, Partition};
use crate::plan::AuxOrigins;
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::{CONTINUE_AUX, EVALUATE};
use cuda::amr::{ContinueArgs, EvaluateArgs};
use riemann::axis::Axis;
use riemann::real::Scalar;
use std::sync::Arc;

/// Cells of a level that a function fills.
pub(super) struct FunctionTables<M> {
    memory: M,
    /// The cells that it is asked for.
    asked: Table,
    /// Cells outside the domain that have the values of others.
    continued: Vec<Continued>,
}

/// Cells outside the domain, with where each region has its values from, in bytes: of values that live on faces across an axis, or in
/// cells.
#[derive(Clone, Copy)]
struct Continued {
    table: Table,
    origins: usize,
    face: Option<Axis>,
}

impl<M> FunctionTables<M> {
    /// Every patch's own cells.
    fn of_interior<const D: usize, N: Machine<Memory = M>>(
        layout: &LevelLayout<D>,
        machine: &N,
    ) -> Result<Self, CudaError> {
        let mut builder = TableBuilder::default();
        let regions: Vec<_> =
            layout.here().map(|(k, patch)| region(k as u32, k as u32, &patch.cells, [0; D])).collect();
        let asked = builder.table(regions.into_iter());
        Self::send(builder, asked, Vec::new(), machine)
    }

    /// Every patch's cells, ghost cells included, as auxiliary values have them. `faces`: where each value lives.
    fn of_aux<const D: usize, N: Machine<Memory = M>>(
        layout: &LevelLayout<D>,
        origins: &AuxOrigins<D>,
        faces: &[Option<Axis>],
        machine: &N,
    ) -> Result<Self, CudaError> {
        let mut builder = TableBuilder::default();
        let patches = || layout.here().map(|(k, patch)| (k as u32, patch.with_ghosts()));
        let regions: Vec<_> = patches()
            .flat_map(|(k, cells)| {
                origins.asked(&cells).into_iter().map(move |image| region(k, k, &image.part, image.shift))
            })
            .collect();
        let asked = builder.table(regions.into_iter());
        let mut continued = Vec::new();
        for (n, &face) in faces.iter().enumerate().filter(|(n, face)| !faces[..*n].contains(face)) {
            debug_assert!(n < faces.len());
            let parts: Vec<_> = patches()
                .flat_map(|(k, cells)| {
                    let parts = origins.continued(&cells, face.map(Axis::index)).into_iter();
                    parts.map(move |(part, runs)| (region(k, k, &part, [0; D]), origin(&runs)))
                })
                .collect();
            let table = builder.table(parts.iter().map(|(region, _)| *region));
            let origins = builder.append(parts.iter().map(|(_, origin)| *origin));
            continued.push(Continued { table, origins, face });
        }
        Self::send(builder, asked, continued, machine)
    }

    fn send<N: Machine<Memory = M>>(
        builder: TableBuilder,
        asked: Table,
        mut continued: Vec<Continued>,
        machine: &N,
    ) -> Result<Self, CudaError> {
        let (memory, [place]) = HostTables::send([&builder.done()], machine)?;
        for part in &mut continued {
            (part.table, part.origins) = (part.table.at(place), place.of(part.origins));
        }
        Ok(FunctionTables { memory, asked: asked.at(place), continued })
    }
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Fills a level's auxiliary values as they are at a time by the kernels. False if some are not what they must be: the host shall
    /// look.
    pub(super) fn evaluate_aux(&mut self, level: Level, time: f64) -> Result<bool, ExecError> {
        let checks = self.problem.scheme.capacity >= 0;
        if checks {
            self.machine.zero(&self.refused, 0, size_of::<u32>())?;
        }
        let tables = match self.levels[level.index()].aux_tables.take() {
            Some(tables) => tables,
            None => {
                let store = &self.levels[level.index()];
                let origins = aux_origins(&self.problem, &self.aux_faces, &store.mesh);
                FunctionTables::of_aux(&store.layout, &origins, &self.aux_faces, &self.machine)?
            }
        };
        let aux = self.levels[level.index()].aux_address();
        self.evaluate(level, EVALUATE_AUX, &tables, aux, time)?;
        for Continued { table, origins, face } in &tables.continued {
            let args = ContinueArgs {
                regions: table.items::<_, N>(&tables.memory),
                origins: pointer::<_, N>(&tables.memory, *origins),
                chunks: table.chunks::<N>(&tables.memory),
                patches: self.levels[level.index()].patches(),
                aux,
                num_chunks: table.num_chunks,
                chunk_cells: table.chunk_cells,
                face: face.map_or(-1, |axis| axis as i32),
                padding: 0,
            };
            // SAFETY: the regions are cells of the level's patches, each has one lane, and what it reads none writes.
            unsafe { self.machine.run(&CONTINUE_AUX, D, table.num_chunks as usize, &args)? };
        }
        self.levels[level.index()].aux_tables = Some(tables);
        Ok(!(checks && self.is_refused()?))
    }

    /// Gives a level patches and initial data by the kernels. False if some values are not what they must be: the host shall look.
    pub(super) fn evaluate_initial(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        partition: Option<Arc<Partition>>,
        time: f64,
    ) -> Result<bool, ExecError> {
        self.begin_level(hierarchy, level, partition, time)?;
        self.machine.zero(&self.refused, 0, size_of::<u32>())?;
        self.fill_aux(level, time)?;
        let store = &self.levels[level.index()];
        let tables = FunctionTables::of_interior(&store.layout, &self.machine)?;
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
        let (store, table) = (&self.levels[level.index()], &tables.asked);
        let args = EvaluateArgs {
            regions: table.items::<_, N>(&tables.memory),
            chunks: table.chunks::<N>(&tables.memory),
            patches: store.patches(),
            out,
            aux: store.aux_address(),
            refused: pointer::<_, N>(&self.refused, 0),
            lower: axes(store.geometry.lower, 0.0),
            dx: store.geometry.dx_in_space(),
            t,
            num_chunks: table.num_chunks,
            chunk_cells: table.chunk_cells,
        };
        // SAFETY: the regions are cells of the level's patches, each of which has one lane; the array has room for their values.
        unsafe { self.machine.launch(kernel, EVALUATE.grid(table.num_chunks as usize, D), &args) }
    }

    fn is_refused(&self) -> Result<bool, CudaError> {
        let mut word = [0_u32];
        self.machine.download(&self.refused, 0, bytes_of_mut(&mut word))?;
        Ok(word[0] != 0)
    }
}
