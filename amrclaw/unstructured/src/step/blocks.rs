//! Blocks of cells: what enters a block's cells is computed at all of their faces, and added up while it is in the processor's cache. A face
//! between two blocks is solved by both.

use super::chunks::Shared;
use super::reconstruct::Reconstruction;
use super::{Field, MOST_EQUATIONS};
use crate::Mesh;
use crate::threads::parts;
use parking_lot::Mutex;
use rayon::prelude::*;
use riemann::cells::{CellFaces, Keep, turn_of};
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use std::ops::Range;
use std::ptr::NonNull;

/// Cells of a block: what its faces get is 0.4 MB for gas in space.
const CELLS: usize = 2048;

/// Some cells that follow one another, and their faces. Lists over faces hold a pack beyond the last.
pub(super) struct Block {
    pub cells: Range<usize>,
    /// The faces of all cells, as [`Mesh::cell_faces`] lists them, by their numbers in the block.
    entries: Vec<u32>,
    /// The numbers that its faces have in the mesh.
    faces: Vec<u32>,
    /// Where the states on both sides begin at order 1: those of cells and ghost cells.
    cells_at: [Vec<u32>; 2],
    /// At order 2: the states at the face.
    faces_at: [Vec<u32>; 2],
    /// The cells whose auxiliary values belong to them.
    aux_at: [Vec<u32>; 2],
    /// The faces' frames, `[coordinate, face]`.
    turn: Vec<f64>,
    /// Areas.
    size: Vec<f64>,
    /// Their speeds along their normals; empty where none moves.
    moving: Vec<f64>,
}

/// What the faces of a block get, `[component, face]`.
#[derive(Default)]
pub(super) struct Entering {
    to_left: Vec<f64>,
    to_right: Vec<f64>,
    speed: Vec<f64>,
}

/// All blocks, and memory for those that threads work on.
pub(super) struct Blocks {
    pub blocks: Vec<Block>,
    entering: Vec<Mutex<Entering>>,
}

impl Blocks {
    pub fn new(mesh: &Mesh, num_eqn: usize, reconstruction: Option<&Reconstruction>) -> Self {
        let of_cells = |cells| Block::new(mesh, cells, num_eqn as u32, reconstruction);
        let blocks: Vec<_> = parts(mesh.num_cells(), CELLS).map(of_cells).collect();
        let most: usize = blocks.iter().map(Block::face_component).max().unwrap_or(0);
        let memory = || Entering {
            to_left: vec![0.0; num_eqn * most],
            to_right: vec![0.0; num_eqn * most],
            speed: vec![0.0; most],
        };
        let entering = (0..rayon::current_num_threads()).map(|_| Mutex::new(memory())).collect();
        Blocks { blocks, entering }
    }

    /// Memory for what a thread's block gets.
    pub fn with_memory<T>(&self, work: impl FnOnce(&mut Entering) -> T) -> T {
        let own = rayon::current_thread_index().unwrap_or(0) % self.entering.len();
        work(&mut self.entering[own].lock())
    }

    /// What each cell loses in a time by the fluxes of its own states at its faces: `lost`, `[cell, component]`.
    pub fn move_faces(
        &self,
        mesh: &Mesh,
        (solver, aux): (&dyn PatchSolver<f64>, Field<'_>),
        (states, lost): (Shared<'_>, Shared<'_>),
        time: f64,
    ) {
        let num_eqn = solver.equations().len();
        self.blocks.par_iter().for_each(|block| {
            self.with_memory(|entering| {
                let faces = block.list(states.start().cast_const(), aux, entering, true);
                // SAFETY: lists and arrays have as many numbers as the faces and a pack beyond, indices are valid, and the memory is this
                // thread's.
                unsafe { solver.solve_faces(&CellFaces { keep: Keep::Within, ..faces }) };
                block.sums(mesh, entering, num_eqn, |cell, sums, _| {
                    let per_volume = time / mesh.volume[cell];
                    for (m, sum) in sums.iter().enumerate() {
                        // SAFETY: each cell is in one block, which alone writes it.
                        unsafe { lost.set(cell * num_eqn + m, per_volume * sum) };
                    }
                });
            });
        });
    }

    pub fn bytes(&self) -> usize {
        let entering = self.entering.first().map_or(0, |first| {
            let first = first.lock();
            8 * (first.to_left.len() + first.to_right.len() + first.speed.len())
        });
        self.blocks.iter().map(Block::bytes).sum::<usize>() + self.entering.len() * entering
    }
}

/// A list with room for a pack beyond its end.
fn padded(list: impl Iterator<Item = u32>) -> Vec<u32> {
    list.chain([0; PACK_OVERRUN]).collect()
}

impl Block {
    fn new(mesh: &Mesh, cells: Range<usize>, num_eqn: u32, reconstruction: Option<&Reconstruction>) -> Self {
        let rows = &mesh.cell_faces;
        let entries = &rows.items[rows.starts[cells.start] as usize..rows.starts[cells.end] as usize];
        // Faces between cells follow their left cells: those of this block's are known without a search.
        let inner = mesh.periodic.first().map_or(mesh.first_boundary(), |periodic| periodic.faces.start);
        let first = |cell: usize| mesh.faces.left[..inner].partition_point(|&left| (left as usize) < cell) as u32;
        let own = first(cells.start)..first(cells.end);
        let mut others: Vec<u32> = entries.iter().map(|entry| entry / 2).filter(|face| !own.contains(face)).collect();
        others.sort_unstable();
        others.dedup();
        let lower = others.partition_point(|&face| face < own.start);
        let faces: Vec<u32> =
            others[..lower].iter().copied().chain(own.clone()).chain(others[lower..].iter().copied()).collect();
        let number = |face: u32| match own.contains(&face) {
            true => lower as u32 + (face - own.start),
            false => faces.binary_search(&face).expect("listed above") as u32,
        };
        let beside = |side: usize| {
            let of_all = [&mesh.faces.left, &mesh.faces.right][side];
            faces.iter().map(move |&face| of_all[face as usize])
        };
        let within = |(left, right): (u32, u32)| if (right as usize) < mesh.num_cells() { right } else { left };
        let at_face = |side: usize| match reconstruction {
            Some(reconstruction) => {
                padded(faces.iter().map(|&face| (reconstruction.places()[side] as u32 + face) * num_eqn))
            }
            None => Vec::new(),
        };
        let mut block = Block {
            entries: entries.iter().map(|entry| 2 * number(entry / 2) + entry % 2).collect(),
            cells_at: [0, 1].map(|side| padded(beside(side).map(|state| state * num_eqn))),
            faces_at: [at_face(0), at_face(1)],
            aux_at: [padded(beside(0)), padded(beside(0).zip(beside(1)).map(within))],
            turn: Vec::new(),
            size: vec![0.0; faces.len()],
            moving: Vec::new(),
            faces,
            cells,
        };
        block.turn = vec![0.0; 3 * block.face_component()];
        block.place(mesh, &[]);
        block
    }

    /// Takes the frames and areas of the faces of a mesh; their speeds, where they move.
    pub fn place(&mut self, mesh: &Mesh, speed: &[f64]) {
        let component = self.face_component();
        for (k, face) in self.faces.iter().map(|&face| face as usize).enumerate() {
            let values = turn_of(mesh.dim, mesh.faces.normal[face]);
            (0..3).for_each(|d| self.turn[d * component + k] = values[d]);
            self.size[k] = mesh.faces.size[face];
        }
        if !speed.is_empty() {
            self.moving.resize(component, 0.0);
            self.faces.iter().zip(&mut self.moving).for_each(|(&face, moving)| *moving = speed[face as usize]);
        }
    }

    /// Numbers between components of arrays over the faces.
    fn face_component(&self) -> usize {
        self.faces.len().next_multiple_of(PACK_OVERRUN) + PACK_OVERRUN
    }

    fn bytes(&self) -> usize {
        let numbers = self.entries.len() + self.faces.len() + 4 * self.cells_at[0].len() + 2 * self.faces_at[0].len();
        4 * numbers + 8 * (self.turn.len() + self.size.len() + self.moving.len())
    }

    /// The list that the solver needs; at order 2 with the states at the faces. `q`: the states' address.
    pub fn list(&self, q: *const f64, aux: Field<'_>, entering: &mut Entering, second_order: bool) -> CellFaces<f64> {
        let pair = |lists: &[Vec<u32>; 2]| lists.each_ref().map(|list| list.as_ptr());
        CellFaces {
            first: 0,
            end: self.faces.len(),
            q,
            q_component: 1,
            q_at: pair(if second_order { &self.faces_at } else { &self.cells_at }),
            own_at: if second_order { pair(&self.cells_at) } else { [std::ptr::null(); 2] },
            aux: if aux.values.is_empty() { NonNull::dangling().as_ptr() } else { aux.values.as_ptr() },
            aux_component: aux.component,
            aux_at: pair(&self.aux_at),
            turn: self.turn.as_ptr(),
            moving: if self.moving.is_empty() { std::ptr::null() } else { self.moving.as_ptr() },
            face_component: self.face_component(),
            to_left: entering.to_left.as_mut_ptr(),
            to_right: entering.to_right.as_mut_ptr(),
            speed: entering.speed.as_mut_ptr(),
            keep: Keep::All,
        }
    }

    /// For each cell the sum of what enters it through its faces, and of the sizes times the largest speeds there.
    pub fn sums(&self, mesh: &Mesh, entering: &Entering, num_eqn: usize, mut done: impl FnMut(usize, &[f64], f64)) {
        let starts = &mesh.cell_faces.starts;
        let first = starts[self.cells.start] as usize;
        for cell in self.cells.clone() {
            let entries = &self.entries[starts[cell] as usize - first..starts[cell + 1] as usize - first];
            let (mut sums, mut speeds, mut m) = ([0.0; MOST_EQUATIONS], 0.0, 0);
            while m < num_eqn {
                let some = (num_eqn - m).min(5);
                let add = [Self::add::<1>, Self::add::<2>, Self::add::<3>, Self::add::<4>, Self::add::<5>][some - 1];
                speeds = add(self, entries, entering, (m, &mut sums[m..]));
                m += some;
            }
            done(cell, &sums[..num_eqn], speeds);
        }
    }

    /// The sums of N components from `first` on, which registers hold meanwhile; and that of the speeds.
    fn add<const N: usize>(&self, entries: &[u32], entering: &Entering, (first, sums): (usize, &mut [f64])) -> f64 {
        let (component, mut own, mut speeds) = (self.face_component(), [0.0; N], 0.0);
        for &entry in entries {
            let face = (entry / 2) as usize;
            let into = if entry % 2 == 0 { &entering.to_left } else { &entering.to_right };
            let size = self.size[face];
            speeds += size * entering.speed[face];
            for (m, sum) in own.iter_mut().enumerate() {
                *sum += size * into[(first + m) * component + face];
            }
        }
        sums[..N].copy_from_slice(&own);
        speeds
    }
}
