//! Inner nodes that follow those of the boundary.

use super::springs::Springs;
use crate::Mesh;
use crate::mesh::geometry::Vector;
use parking_lot::{Mutex, MutexGuard};
use std::sync::OnceLock;

/// Forces that are left, of those where inner nodes do not move.
pub const TOLERANCE: f64 = 1e-8;

/// Displacements that are kept: those around a time, and around the end of a step.
const KEPT: usize = 4;

/// Displaces the free nodes of springs, to [`TOLERANCE`].
pub type Solve<'a> = dyn Fn(&Springs, &mut [f64]) + 'a;

/// Displacements around a time, `[node, axis]`.
pub struct Around<'a> {
    /// The springs.
    pub springs: &'a Springs,
    /// The numbers of the multiples before and behind the time; at a multiple both are its own.
    pub numbers: [f64; 2],
    /// The displacements then.
    pub displaced: [&'a [f64]; 2],
    /// Where the time lies between them.
    pub share: f64,
}

/// Springs that are solved at the multiples of a time. Between two of these inner nodes move on straight lines. So where they are depends on time alone,
/// and a restart needs nothing of it; each solution begins at rest.
#[derive(Debug)]
pub struct Follow {
    every: f64,
    springs: OnceLock<Springs>,
    known: Mutex<Vec<(f64, Vec<f64>)>>,
}

impl Follow {
    /// `every`: the time between two solutions.
    pub fn new(every: f64) -> Self {
        Follow { every, springs: OnceLock::new(), known: Mutex::default() }
    }

    /// Where all nodes are at a time. `given`: where those of the boundary are; what it says of others does not count. Nodes are not finite where the
    /// springs' equations have no solution.
    pub fn points(&self, mesh: &Mesh, time: f64, given: &dyn Fn(f64) -> Vec<Vector>) -> Vec<Vector> {
        let solve = |springs: &Springs, displaced: &mut [f64]| {
            springs.solve(displaced, TOLERANCE);
        };
        let (dim, mut points) = (mesh.dim, given(time));
        self.look(mesh, time, given, &solve, &mut |Around { springs, displaced: [first, second], share, .. }| {
            for node in (0..points.len()).filter(|&node| !springs.is_held(node)) {
                for d in 0..dim {
                    let k = node * dim + d;
                    points[node][d] = mesh.points[node][d] + (first[k] + share * (second[k] - first[k]));
                }
            }
        });
        points
    }

    /// Solves with `solve`, as [`Springs::solve`] does to the bit, what is not known around a time, and passes it to `look`.
    pub fn look(
        &self,
        mesh: &Mesh,
        time: f64,
        given: &dyn Fn(f64) -> Vec<Vector>,
        solve: &Solve<'_>,
        look: &mut dyn FnMut(&Around<'_>),
    ) {
        let known = self.around(mesh, time, given, solve);
        let (numbers, share) = self.multiples(time);
        let at = |number| &known.iter().find(|(at, _)| *at == number).expect("solved above").1[..];
        look(&Around { springs: self.springs(mesh), numbers, displaced: numbers.map(at), share });
    }

    fn springs(&self, mesh: &Mesh) -> &Springs {
        self.springs.get_or_init(|| Springs::new(mesh))
    }

    /// The numbers of the multiples before and behind a time, and where it lies between them; at a multiple both are its own.
    fn multiples(&self, time: f64) -> ([f64; 2], f64) {
        let before = (time / self.every).floor();
        let share = time / self.every - before;
        ([before, if share > 0.0 { before + 1.0 } else { before }], share)
    }

    /// The displacements at the multiples before and behind a time, among others.
    fn around(
        &self,
        mesh: &Mesh,
        time: f64,
        given: &dyn Fn(f64) -> Vec<Vector>,
        solve: &Solve<'_>,
    ) -> MutexGuard<'_, Vec<(f64, Vec<f64>)>> {
        let (dim, springs) = (mesh.dim, self.springs(mesh));
        let mut known = self.known.lock();
        let (needed, _) = self.multiples(time);
        for number in needed {
            if known.iter().all(|(at, _)| *at != number) {
                let there = given(number * self.every);
                let displaced = |k: usize| there[k / dim][k % dim] - mesh.points[k / dim][k % dim];
                let of = |k: usize| if springs.is_held(k / dim) { displaced(k) } else { 0.0 };
                let mut all: Vec<f64> = (0..dim * there.len()).map(of).collect();
                solve(springs, &mut all);
                known.push((number, all));
                let oldest = known.iter().position(|(at, _)| !needed.contains(at)).filter(|_| known.len() > KEPT);
                oldest.map(|oldest| known.remove(oldest));
            }
        }
        known
    }
}
