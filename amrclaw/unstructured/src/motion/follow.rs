//! Inner nodes that follow those of the boundary.

use super::springs::Springs;
use crate::Mesh;
use crate::mesh::geometry::Vector;
use parking_lot::Mutex;
use std::sync::OnceLock;

/// Forces that are left, of those where inner nodes do not move.
const TOLERANCE: f64 = 1e-8;

/// Displacements that are kept: those around a time, and around the end of a step.
const KEPT: usize = 4;

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
        let (dim, springs) = (mesh.dim, self.springs.get_or_init(|| Springs::new(mesh)));
        let before = (time / self.every).floor();
        let share = time / self.every - before;
        let mut known = self.known.lock();
        for number in [before, before + 1.0] {
            if known.iter().all(|(at, _)| *at != number) {
                let there = given(number * self.every);
                let displaced = |k: usize| there[k / dim][k % dim] - mesh.points[k / dim][k % dim];
                let of = |k: usize| if springs.is_held(k / dim) { displaced(k) } else { 0.0 };
                let mut all: Vec<f64> = (0..dim * there.len()).map(of).collect();
                springs.solve(&mut all, TOLERANCE);
                known.push((number, all));
                let surplus = known.len().saturating_sub(KEPT);
                known.drain(..surplus);
            }
        }
        let at = |number: f64| &known.iter().find(|(at, _)| *at == number).expect("found above").1;
        let (first, second) = (at(before), at(before + 1.0));
        let mut points = given(time);
        for node in (0..points.len()).filter(|&node| !springs.is_held(node)) {
            for d in 0..dim {
                let k = node * dim + d;
                points[node][d] = mesh.points[node][d] + (first[k] + share * (second[k] - first[k]));
            }
        }
        points
    }
}
