//! The Euler equations of a polytropic ideal gas, for strong shocks along the mesh.
//!
//! PDE, variables, parameter and waves: those of [`super::Euler`], and its solver, Roe's, but for faces along a shock. There the numerical shock has
//! cells of its own between the states before and behind, and Roe's solver carries a disturbance along the shock from one such cell to the next
//! without damping: the shock decouples from row to row, and carbuncles grow (Quirk 1994, doi:10.1002/fld.1650180603). Here its shear and entropy
//! waves get a viscosity of their own: their absolute speed is at least
//! `min(η, |u| + a)`, η the largest `steepness` beside the face, as in the H-correction (Sanders, Morano & Druguet 1998,
//! doi:10.1006/jcph.1998.6047; Pandolfi & D'Ambrosio 2001, doi:10.1006/jcph.2000.6652). The steepness of a jump is by how much the velocity along it
//! falls, times `|pr − pl|/(pl + pr)`: zero at contacts and shear layers, of third order in smooth flow.
//!
//! Holds: what holds for [`super::Euler`].

use super::{GasAlone, IdealGas, Linearised, RoeGas};
use crate::prelude::*;

/// The Euler equations with a remedy for carbuncles: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas, strong shocks along the mesh",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    waves = [3, 4, 3]
)]
pub struct EulerStrongShocks<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, GasAlone, RoeGas))]
impl EulerStrongShocks {
    fn steepness(&self, axis: Axis, ql: State, qr: State) -> Real {
        let n = axis.index() + 1;
        let (left, right) = (self.gas(ql, 1.0 / ql[DENSITY]), self.gas(qr, 1.0 / qr[DENSITY]));
        let fall = ql[n] * left.0 - qr[n] * right.0;
        fall.max(0.0) * ((right.1 - left.1).abs() / (left.1 + right.1))
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, beside: Real) -> Normal {
        let components = Self::components(axis);
        let (_, _, roe) = self.average(components, ql, qr);
        let strengths = Self::decompose(roe, Self::difference(qr, ql), components);
        let waves = Self::roe_waves(roe, strengths, components);
        let mut leftward = self.roe_shares(roe, components, ql, qr, waves);
        let (u, a) = (roe.0.0, roe.3);
        let size = u.abs().max(beside.min(u.abs() + a));
        leftward[1] = leftward[1].min(0.5 * (u - size));
        Self::roe_solution(roe, strengths, components, waves, leftward)
    }

    fn admissible(&self, unit: State) -> State {
        super::Euler { gamma: self.gamma }.admissible(unit)
    }
}
