//! Arguments of the kernels of a sweep: the update, and the sums of the conservation fix.

use super::axes::axes;
use crate::exec::step::{Sweep, axis_bits};
use crate::index::Ratio;
use cuda::abi::{Pointer, Real};
use cuda::amr::{LevelView, PatchReport, RegisterArgs, RunTable, Tile, TileShape, UpdateArgs};
use riemann::real::Precision;

/// The shape of the tiles of a sweep.
pub(in crate::exec) fn tile_shape(sweep: &Sweep, num_eqn: usize, precision: Precision) -> TileShape {
    TileShape::new(sweep.axes, num_eqn, precision)
}

/// A sweep over patches whose values are on the device.
#[derive(Clone, Copy)]
pub(in crate::exec) struct DeviceSweep<'a> {
    /// All sweeps of the step.
    pub sweeps: &'a [Sweep],
    /// Which of them this is.
    pub number: usize,
    /// Time step of the level.
    pub dt: f64,
    /// As in [`TileArgs`](riemann::patch::TileArgs).
    pub free: f64,
    /// As in [`Scheme`](riemann::patch::Scheme).
    pub sharing_faces: u8,
    /// The level, with the states that the sweep begins with.
    pub view: LevelView,
    /// Second-order corrections at kept faces; null if there are none.
    pub kept: Pointer<Real>,
    /// Number of kept faces: first those to the coarser level, then those to the finer level.
    pub num_kept: usize,
    /// Number of kept faces to the coarser level.
    pub num_fine: usize,
}

/// A map of the faces that an update keeps; null pointers if it keeps none.
#[derive(Clone, Copy)]
pub(in crate::exec) struct FaceMapPlace {
    /// Its bits.
    pub words: Pointer<u32>,
    /// For each word, the number of its first face.
    pub bases: Pointer<u32>,
    /// The slot of each face, by its number.
    pub slots: Pointer<u32>,
}

/// What an update writes, and by which tiles.
#[derive(Clone, Copy)]
pub(in crate::exec) struct UpdatePlace {
    pub tiles: Pointer<Tile>,
    pub num_tiles: u32,
    pub q_next: Pointer<Real>,
    /// One per patch.
    pub reports: Pointer<PatchReport>,
}

/// Runs of faces between two levels, and the register in which the fix's terms at these faces are summed up.
#[derive(Clone, Copy)]
pub(in crate::exec) struct RegisterPlace {
    pub table: RunTable,
    pub sums: Pointer<Real>,
    /// States and auxiliary values of the coarse cells, per sweep.
    pub coarse_cells: Pointer<Real>,
    /// The coarse cells as sources act on them, or null.
    pub source_cells: Pointer<Real>,
    /// Where there are source terms: states at the beginning of the step, or null where the host keeps them.
    pub start: Pointer<Real>,
    /// Likewise physical positions of cells, or null.
    pub centres: Pointer<Real>,
}

impl FaceMapPlace {
    /// Where there is no map.
    pub const NONE: FaceMapPlace = FaceMapPlace { words: Pointer::NULL, bases: Pointer::NULL, slots: Pointer::NULL };
}

impl DeviceSweep<'_> {
    fn sweep(&self) -> &Sweep {
        &self.sweeps[self.number]
    }

    /// Time step of the sweep.
    fn sweep_dt(&self) -> f64 {
        self.dt * self.sweep().fraction
    }

    /// Arguments of the update. `dx`: of the level's cells.
    pub fn update(&self, place: UpdatePlace, map: FaceMapPlace, dx: [f64; 3], num_ghost: i32) -> UpdateArgs {
        UpdateArgs {
            patches: self.view.patches,
            tiles: place.tiles,
            reports: place.reports,
            q: self.view.q,
            q_next: place.q_next,
            aux: self.view.aux,
            kept: self.kept,
            kept_stride: self.num_kept as u64,
            face_words: map.words,
            face_bases: map.bases,
            face_slots: map.slots,
            dt_over_dx: dx.map(|dx| self.sweep_dt() / dx),
            free: self.free,
            num_tiles: place.num_tiles as i32,
            num_ghost,
            sharing_faces: self.sharing_faces.into(),
        }
    }

    /// Arguments of the kernels that sum up the register, of `num_slots` coarse faces between levels of this ratio.
    pub fn register<const D: usize>(&self, place: RegisterPlace, num_slots: usize, ratio: Ratio<D>) -> RegisterArgs {
        let before = self.sweeps[..self.number].iter().fold(0, |before, sweep| before | axis_bits(sweep.axes));
        RegisterArgs {
            table: place.table,
            view: self.view,
            kept: self.kept,
            sums: place.sums,
            coarse_cells: place.coarse_cells,
            source_cells: place.source_cells,
            start: place.start,
            centres: place.centres,
            dt: self.sweep_dt(),
            num_slots: num_slots as u32,
            kept_stride: self.num_kept as u32,
            first_kept: self.num_fine as u32,
            sweep: self.number as u32,
            swept: axis_bits(self.sweep().axes),
            first_sweep: !before,
            ratio: axes(ratio.0, 1),
        }
    }
}
