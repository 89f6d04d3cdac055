//! Where the auxiliary values of a problem come from, and which are needed.

use crate::index::Level;
use crate::mesh::LevelMesh;
use crate::physics::{Boundary, Problem};
use crate::plan::AuxOrigins;
use riemann::axis::Axis;

/// Where the auxiliary values of a level come from, ghost cells included. `faces`: for each value the axis whose lower face it lives on.
pub(in crate::exec) fn aux_origins<const D: usize>(
    problem: &Problem<D>,
    faces: &[Option<Axis>],
    mesh: &LevelMesh<D>,
) -> AuxOrigins<D> {
    let beyond = |side: &Boundary<D>| side.beyond_of_aux(problem.aux_outside);
    let sides = problem.boundary.each_ref().map(|sides| sides.each_ref().map(beyond));
    let on_faces = std::array::from_fn(|d| faces.contains(&Some(Axis::ALL[d])));
    AuxOrigins::new(mesh, &sides, on_faces, problem.num_ghost())
}

/// The levels whose auxiliary values filling a level's ghost cells depends on: if the solver `transfers` variables, the next coarser one and the
/// level.
pub(in crate::exec) fn levels_with_aux(level: Level, transfers: bool) -> impl Iterator<Item = Level> {
    level.coarser().filter(|_| transfers).into_iter().flat_map(move |coarser| [coarser, level])
}
