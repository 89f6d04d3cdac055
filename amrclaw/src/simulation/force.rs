//! Forces: formulas times the outward normal, summed over a side of a mesh from a file.

use super::{RunError, Simulation};
use crate::frames::derived::Formula;
use crate::index::Level;
use unstructured::step::{Field, Surroundings, Variables, at_sides};

/// What is summed, and where.
#[derive(Clone, Debug)]
pub struct Force<const D: usize> {
    /// The side's name.
    pub side: String,
    /// Over the equations and the auxiliary values.
    pub formula: Formula<D>,
}

impl<const D: usize> Simulation<D> {
    /// Σ size · value · normal over the faces of sides, with the states that the scheme has there and the derivatives in the cells within. The host takes them of a copy of all values, so
    /// that they have the same bits on all devices.
    ///
    /// # Errors
    /// Those of the executor.
    ///
    /// # Panics
    /// The mesh is not from a file, or has no such side.
    pub fn forces(&mut self, forces: &[&Force<D>]) -> Result<Vec<[f64; D]>, RunError> {
        if forces.is_empty() {
            return Ok(Vec::new());
        }
        if !self.aux_stays() {
            self.renew_aux()?;
        }
        self.learn_leaves()?;
        let on_mesh = self.problem.on_mesh.as_ref().expect("a mesh from a file");
        let mesh = &*on_mesh.sides.in_time.now();
        let speeds = &on_mesh.sides.in_time.speeds_of_sides();
        let sides = Surroundings { mesh, outside: on_mesh.sides.as_ref(), time: self.time, speeds };
        let variables = on_mesh.variables.as_deref().map(|variables| variables as &dyn Variables);
        let state = self.exec.snapshot(Level::COARSEST);
        let component = mesh.num_cells();
        let [q, aux] = [&state.q[0], &state.aux[0]].map(|values| Field { values, component });
        let of = |force: &&Force<D>| {
            let side = mesh.boundary.number(&force.side).expect("a side of the mesh");
            let fields: Vec<&[f64]> =
                [&state.q[0], &state.aux[0]].into_iter().flat_map(|all| all.chunks_exact(component)).collect();
            let derivatives = force.formula.derivatives_in_cells((mesh, self.time), &fields);
            let mut sum = [0.0; D];
            let faces = mesh.boundary.of_name(side);
            at_sides(
                (&sides, on_mesh.scheme, variables),
                &*self.kernels.double,
                (q, aux),
                faces,
                |number, q_at_face| {
                    let face = mesh.first_boundary() + number;
                    let cell = mesh.faces.left[face] as usize;
                    let known = aux.values.iter().skip(cell).step_by(component).copied();
                    let known = known.chain(derivatives.iter().map(|values| values[cell]));
                    let fields: Vec<f64> = q_at_face.iter().copied().chain(known).collect();
                    let centre = std::array::from_fn(|d| mesh.faces.centre[face][d]);
                    let value = mesh.faces.size[face] * force.formula.at_point(centre, self.time, &fields);
                    (0..D).for_each(|d| sum[d] += value * mesh.faces.normal[face][d]);
                },
            );
            sum
        };
        Ok(forces.iter().map(of).collect())
    }
}
