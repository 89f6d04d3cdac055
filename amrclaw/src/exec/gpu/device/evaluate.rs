//! Cells that functions fill: initial data and auxiliary values, by patches.

use super::{HostTables, Queue, Table, TableBuilder, origin, pointer, region};
use crate::fields::{LevelLayout, PatchLayout};
use crate::index::{CellBox, CellIndex};
use crate::plan::AuxOrigins;
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::{CONTINUE_AUX, EVALUATE};
use cuda::amr::{ContinueArgs, EvaluateArgs, Lattice, Patch};
use riemann::axis::Axis;
use std::ops::Range;

/// Tables of the cells of a level that a function fills, separate for each group of patches.
pub(in crate::exec) struct FunctionTables<M> {
    memory: M,
    groups: Vec<Group>,
}

/// The tables of a group of patches.
struct Group {
    /// The cells at which the function is evaluated.
    asked: Table,
    /// Cells outside the domain that copy the values of others.
    continued: Vec<Continued>,
}

/// Cells outside the domain, and the byte offset of the origins of their values. `face`: for values that live on faces across an axis,
/// else for those that live in cells.
#[derive(Clone, Copy)]
struct Continued {
    table: Table,
    origins: usize,
    face: Option<Axis>,
}

/// Where a function's values are written, and its arguments.
#[derive(Clone, Copy)]
pub(in crate::exec) struct EvaluatePlace {
    /// The level's patches.
    pub patches: Pointer<Patch>,
    /// The array that it fills.
    pub out: Pointer<Real>,
    /// Auxiliary values.
    pub aux: Pointer<Real>,
    /// Set by the kernel if a value is invalid.
    pub refused: Pointer<u32>,
    /// Where the level's cells lie.
    pub level: Lattice,
    /// The time.
    pub t: f64,
}

impl<M> FunctionTables<M> {
    /// Tables of some cells of each patch, in boxes each with the shift from the cells at whose positions the function is evaluated.
    pub fn of_cells<const D: usize, Q: Queue<Memory = M>>(
        layout: &LevelLayout<D>,
        groups: &[Range<usize>],
        cells: impl Fn(&PatchLayout<D>) -> Vec<(CellBox<D>, CellIndex<D>)>,
        queue: &Q,
    ) -> Result<Self, CudaError> {
        let mut builder = TableBuilder::default();
        let made = groups.iter().map(|patches| {
            let here = layout.here().filter(|(k, _)| patches.contains(k));
            let regions = here.flat_map(|(k, patch)| {
                cells(patch).into_iter().map(move |(part, shift)| region(k as u32, k as u32, &part, shift))
            });
            let regions: Vec<_> = regions.collect();
            Group { asked: builder.table(regions.into_iter()), continued: Vec::new() }
        });
        let made = made.collect();
        Self::send(builder, made, queue)
    }

    /// Tables for auxiliary values on the patches' cells, ghost cells included. `faces`: where each value lives.
    pub fn of_aux<const D: usize, Q: Queue<Memory = M>>(
        layout: &LevelLayout<D>,
        groups: &[Range<usize>],
        (origins, faces): (&AuxOrigins<D>, &[Option<Axis>]),
        queue: &Q,
    ) -> Result<Self, CudaError> {
        let mut builder = TableBuilder::default();
        let made = groups.iter().map(|group| {
            let here = || layout.here().filter(|(k, _)| group.contains(k));
            let patches = || here().map(|(k, patch)| (k as u32, patch.with_ghosts()));
            let regions: Vec<_> = patches()
                .flat_map(|(k, cells)| {
                    origins.asked(&cells).into_iter().map(move |image| region(k, k, &image.part, image.shift.by))
                })
                .collect();
            let asked = builder.table(regions.into_iter());
            let mut continued = Vec::new();
            for (_, &face) in faces.iter().enumerate().filter(|(n, face)| !faces[..*n].contains(face)) {
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
            Group { asked, continued }
        });
        let made = made.collect();
        Self::send(builder, made, queue)
    }

    fn send<Q: Queue<Memory = M>>(builder: TableBuilder, mut groups: Vec<Group>, queue: &Q) -> Result<Self, CudaError> {
        let (memory, [place]) = HostTables::send([&builder.done()], queue)?;
        for group in &mut groups {
            group.asked = group.asked.at(place);
            for part in &mut group.continued {
                (part.table, part.origins) = (part.table.at(place), place.of(part.origins));
            }
        }
        Ok(FunctionTables { memory, groups })
    }

    /// Evaluates the function at the cells of a group of patches. `kernel`: its launch name.
    ///
    /// # Safety
    /// The patches are those of the tables' level, and the arrays are theirs.
    pub unsafe fn evaluate<Q: Queue<Memory = M>>(
        &self,
        (queue, kernel, dim): (&Q, &'static str, usize),
        group: usize,
        place: EvaluatePlace,
    ) -> Result<(), CudaError> {
        let Group { asked, continued } = &self.groups[group];
        let args = EvaluateArgs {
            table: asked.regions::<Q>(&self.memory),
            patches: place.patches,
            out: place.out,
            aux: place.aux,
            refused: place.refused,
            level: place.level,
            t: place.t,
        };
        // SAFETY: the regions are cells of the level's patches, each of which has one lane.
        unsafe { queue.launch(kernel, EVALUATE.grid(asked.num_chunks as usize, dim), &args)? };
        for Continued { table, origins, face } in continued {
            let args = ContinueArgs {
                table: table.regions::<Q>(&self.memory),
                origins: pointer::<_, Q>(&self.memory, *origins),
                patches: place.patches,
                aux: place.out,
                face: face.map_or(-1, |axis| axis as i32),
            };
            // SAFETY: the regions are cells of the level's patches, each has one lane, and what it reads none writes.
            unsafe { queue.run(&CONTINUE_AUX, dim, table.num_chunks as usize, &args)? };
        }
        Ok(())
    }
}
