//! Meshes whose nodes move: cells and faces stay what they are, geometry is that of a time.
//!
//! Within a step nodes move along straight lines. A face's *swept volume* is exact for them, so a cell's volume changes by what its faces sweep.

mod follow;
pub mod springs;

pub use follow::{Around, Follow, Solve, TOLERANCE};

use crate::Mesh;
use crate::mesh::geometry::{self, Vector};
use crate::mesh::{MeshError, Place};
use crate::threads;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;

/// Where the nodes of a mesh are at a time.
pub type NodesAt = dyn Fn(f64) -> Vec<Vector> + Send + Sync;

/// Solves, with what it is given, the springs around a time, and passes on what they displace.
pub type SpringsAt = dyn Fn(f64, &Solve<'_>, &mut dyn FnMut(&Around<'_>)) + Send + Sync;

/// A cell with less than this part of the volume that it had before it moved counts as folded: steps become as small.
pub const FLAT: f64 = 1e-6;

/// Volumes must change by what faces sweep, to this part of them; they do where periodic sides move alike.
pub const OPEN: f64 = 1e-9;

/// A mesh that may move, as it is at the time of a solution.
pub struct MeshInTime {
    /// The mesh as it was read, or has been made of leaves since.
    still: RwLock<Arc<Mesh>>,
    /// Where nodes are, and a short time by which speeds are taken.
    nodes: Option<(Arc<NodesAt>, f64)>,
    /// Where nodes follow others: what solves ahead.
    springs: Option<Arc<SpringsAt>>,
    time: Mutex<f64>,
    now: Mutex<(f64, Arc<Mesh>)>,
}

/// Nodes and volumes at a time.
#[derive(Clone)]
pub struct Instant {
    time: f64,
    points: Vec<Vector>,
    /// Of each cell its volume.
    pub volume: Vec<f64>,
}

/// What a step needs of the motion.
pub struct Moved {
    /// At its begin.
    pub before: Instant,
    /// At its end.
    pub after: Instant,
    /// The mesh half way.
    pub middle: Mesh,
    /// Of each face: the volume that it sweeps along its normal, per size and time.
    pub speed: Vec<f64>,
}

impl MeshInTime {
    /// A mesh whose nodes are where `nodes` says; without, one that does not move. With it a time in which nothing changes much.
    pub fn new(mesh: Arc<Mesh>, nodes: Option<(Arc<NodesAt>, f64)>) -> Self {
        let now = Mutex::new((f64::NAN, mesh.clone()));
        MeshInTime { still: RwLock::new(mesh), nodes, springs: None, time: Mutex::new(0.0), now }
    }

    /// The same, whose nodes follow others: `springs` solves what `nodes` asks for around a time.
    pub fn following(self, springs: Option<Arc<SpringsAt>>) -> Self {
        MeshInTime { springs, ..self }
    }

    /// Whether nodes follow others by springs.
    pub fn follows(&self) -> bool {
        self.springs.is_some()
    }

    /// Solves the springs around a time with `solve`, before nodes are asked for, and passes what they displace to `look`.
    pub fn solve_ahead(&self, time: f64, solve: &Solve<'_>, look: &mut dyn FnMut(&Around<'_>)) {
        self.springs.iter().for_each(|springs| springs(time, solve, look));
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.nodes.is_some()
    }

    /// The mesh before it moves.
    pub fn still(&self) -> Arc<Mesh> {
        self.still.read().clone()
    }

    /// Puts another mesh in its place; it does not move.
    pub fn replace(&self, mesh: Arc<Mesh>) {
        assert!(!self.moves(), "what nodes do is known of one mesh");
        *self.still.write() = mesh;
    }

    /// Sets the time of the solution.
    pub fn set_time(&self, time: f64) {
        *self.time.lock() = time;
    }

    /// The time of the solution.
    pub fn time(&self) -> f64 {
        *self.time.lock()
    }

    /// The mesh at the time of the solution.
    pub fn now(&self) -> Arc<Mesh> {
        let Some((nodes, _)) = &self.nodes else { return self.still() };
        let (time, mut now) = (*self.time.lock(), self.now.lock());
        if now.0 != time {
            let mesh = Arc::make_mut(&mut now.1);
            mesh.move_to(&self.still(), nodes(time));
            now.0 = time;
        }
        now.1.clone()
    }

    /// Where nodes are at a time.
    pub fn points(&self, time: f64) -> Vec<Vector> {
        self.nodes.as_ref().map_or_else(|| self.still().points.clone(), |(nodes, _)| nodes(time))
    }

    /// The first cell that is folded or has no finite nodes at a time.
    ///
    /// # Errors
    /// Names it.
    pub fn check(&self, time: f64) -> Result<(), MeshError> {
        self.nodes.as_ref().map_or(Ok(()), |(nodes, _)| self.still().instant(time, nodes(time)).map(drop))
    }

    /// The speeds of the boundary's faces along their normals at the time of the solution; none where nothing moves.
    pub fn speeds_of_sides(&self) -> Vec<f64> {
        let Some((_, moment)) = self.nodes else { return Vec::new() };
        let around = self.step((*self.time.lock() - moment, 2.0 * moment), None);
        around.ok().flatten().map_or(Vec::new(), |moved| moved.speed[self.still().first_boundary()..].to_vec())
    }

    /// The motion in a step; `known`: that of the step before.
    ///
    /// # Errors
    /// A cell would be folded.
    pub fn step(&self, (time, dt): (f64, f64), known: Option<Moved>) -> Result<Option<Moved>, MeshError> {
        let Some((nodes, _)) = &self.nodes else { return Ok(None) };
        let mesh = &*self.still();
        let (mut ends, middle) = known.map_or((None, None), |m| (Some([m.before, m.after]), Some(m.middle)));
        let mut find = |time: f64| match ends.iter_mut().flatten().find(|end| end.time == time) {
            Some(end) => Ok(end.clone()),
            None => mesh.instant(time, nodes(time)),
        };
        let (before, after) = (find(time)?, find(time + dt)?);
        let half = |node: usize| [0, 1, 2].map(|d| 0.5 * (before.points[node][d] + after.points[node][d]));
        let mut middle = middle.unwrap_or_else(|| mesh.clone());
        middle.move_to(mesh, threads::table(before.points.len(), &half));
        let all = [&before.points[..], &middle.points, &after.points];
        let swept = |face: usize| geometry::swept(all, mesh.faces.nodes.row(face));
        let swept = threads::table(mesh.num_faces(), &swept);
        let moved = Moved {
            speed: threads::table(swept.len(), &|face| swept[face] / (middle.faces.size[face] * dt)),
            before,
            after,
            middle,
        };
        moved.check(time + dt, &swept).map(|()| Some(moved))
    }
}

impl Moved {
    /// Refuses a mesh that is folded half way, and one whose periodic sides do not move alike.
    fn check(&self, time: f64, swept: &[f64]) -> Result<(), MeshError> {
        let (mesh, periodic) = (&self.middle, !self.middle.periodic.is_empty());
        for cell in 0..mesh.num_cells() {
            let [before, after] = [&self.before, &self.after].map(|end| end.volume[cell]);
            if mesh.volume[cell] <= 0.0 {
                return Err(mesh.folded(cell, time));
            }
            let row = mesh.cell_faces.row(cell).iter().filter(|_| periodic);
            let gained: f64 =
                row.map(|&e| if e % 2 == 0 { swept[e as usize / 2] } else { -swept[e as usize / 2] }).sum();
            if periodic && (after - before - gained).abs() > OPEN * before {
                return Err(MeshError::torn(time));
            }
        }
        Ok(())
    }

    /// Volumes of a cell before a stage of a step, a forward step further on, and after the stage: changes are mixed as states are.
    pub(crate) fn volumes(&self, cell: usize, (start, share): (f64, f64), from_before: bool) -> [f64; 2] {
        let (before, gained) = (self.before.volume[cell], self.after.volume[cell] - self.before.volume[cell]);
        match from_before {
            true => [gained, before + share * gained],
            false => [before + (start + 1.0) * gained, before + share * (start + 1.0) * gained],
        }
    }
}

impl MeshError {
    /// The error of a mesh whose volumes do not change by what faces sweep up to a time.
    pub fn torn(time: f64) -> MeshError {
        MeshError::new(Place::None, format!("the mesh's periodic sides do not move alike to t = {time}"))
    }
}

impl Mesh {
    /// The first cell that is folded, if one is.
    pub fn first_folded(&self) -> Option<usize> {
        geometry::first_folded(&self.points, &self.cells.shape, &self.cells.nodes)
    }

    /// The error of a cell that is folded at a time.
    pub fn folded(&self, cell: usize, time: f64) -> MeshError {
        let number = self.cells.numbers.get(cell).map_or(cell, |&number| number as usize);
        MeshError::new(Place::None, format!("cell {number} of the mesh is folded at t = {time}"))
    }

    fn instant(&self, time: f64, points: Vec<Vector>) -> Result<Instant, MeshError> {
        let (shape, nodes) = (&self.cells.shape, &self.cells.nodes);
        let (volume, centroid) = geometry::of_mesh(self, &points);
        let is_fine = |cell: usize| {
            let known = (volume[cell], centroid[cell]);
            volume[cell] >= FLAT * self.volume[cell]
                && geometry::surrounds(&points, (shape[cell], nodes.row(cell)), known)
        };
        match threads::table(volume.len(), &is_fine).iter().position(|&is_fine| !is_fine) {
            Some(cell) => Err(self.folded(cell, time)),
            None => Ok(Instant { time, points, volume }),
        }
    }

    /// Takes the geometry of other nodes. `still`: the same mesh before it moved.
    fn move_to(&mut self, still: &Mesh, points: Vec<Vector>) {
        (self.points, self.stencil) = (points, None);
        (self.volume, self.centroid) = geometry::of_mesh(self, &self.points);
        geometry::of_faces(self);
        for face in still.periodic.iter().flat_map(|periodic| periodic.faces.clone()) {
            self.faces.centre[face] = geometry::plus(self.faces.centre[face], still.seen_from(face));
        }
    }

    /// From where the nodes of a periodic face have its centroid to where the left cell sees it: those of some are the right cell's.
    pub fn seen_from(&self, face: usize) -> Vector {
        let nodes: Vec<Vector> = self.faces.nodes.row(face).iter().map(|&node| self.points[node as usize]).collect();
        geometry::minus(self.faces.centre[face], geometry::of_face(&nodes).1)
    }
}

#[cfg(test)]
mod tests;
