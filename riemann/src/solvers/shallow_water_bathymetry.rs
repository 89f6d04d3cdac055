//! The shallow water equations over a bottom that is not flat, with shores.
//!
//! PDE: those of [`ShallowWater`](super::ShallowWater) with the bottom at height b(x, y): `(hu)_t + … = −g h b_x`,
//! `(hv)_t + … = −g h b_y`. Source: friction `−g n² |u| u / h^{1/3}`, exact for the depth that a step begins with, and in two
//! dimensions the Coriolis force `f (hv, −hu)`, an exact rotation.
//! Variables: depth `h`, momentum `hu`, `hv`. Aux: `bottom`, the height b of the cell's bottom. Parameters: gravity `g`; the depth below
//! which a cell has no velocity, though its water counts; the largest speed; Manning's n; f.
//!
//! The solution of a face is that of `shared_shore`.
//!
//! Holds: `Σ_w wave_w = D` between wet cells; `amdq + apdq = D`; a lake at rest is still, whatever its shores and films; over a flat
//! bottom `amdq + apdq` is that of [`ShallowWater`](super::ShallowWater); dry cells give finite numbers.

use super::Shore;
use crate::prelude::*;

/// The shallow water equations over bathymetry: `depth`, `x_momentum`, `y_momentum`, aux `bottom`.
#[riemann::solver(
    dim = [1, 2],
    title = "Shallow water equations over a bottom given cell by cell, with shores",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    kept_nonnegative = ["depth"],
    aux = ["bottom"],
    waves = D + 1,
    fwaves
)]
pub struct ShallowWaterBathymetry<const D: usize = 2> {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
    /// depth up to which water has no velocity
    #[parameter(positive, default = 1e-4)]
    pub dry_depth: Real,
    /// largest speed of water
    #[parameter(positive, default = 50.0)]
    pub speed_limit: Real,
    /// Manning's coefficient of friction
    #[parameter(default = 0.0)]
    pub manning: Real,
    /// Coriolis parameter f
    #[parameter(dim = 2, default = 0.0)]
    pub coriolis: Real,
}

impl<const D: usize> ShallowWaterBathymetry<D> {
    /// Water without friction, with the default values of the other parameters.
    pub const fn with_gravity(gravity: f64) -> Self {
        ShallowWaterBathymetry { gravity, dry_depth: 1e-4, speed_limit: 50.0, manning: 0.0, coriolis: 0.0 }
    }
}

#[riemann::kernels(with(Shore))]
impl ShallowWaterBathymetry {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        self.shore(axis, ql, qr, aux_l, aux_r)
    }

    fn transverse(
        &self,
        axis: Axis,
        side: Side,
        ql: State,
        qr: State,
        mean: State,
        aux: TransverseAux,
        asdq: State,
    ) -> Transverse {
        let (bmasdq, bpasdq) = self.crossing(axis, side, ql, qr, mean, aux, asdq);
        Transverse { bmasdq, bpasdq }
    }

    fn source(&self, dt: Real, q: State) -> State {
        let mut after = self.rubbed(dt, q);
        if D > 1 {
            if rarely(self.coriolis != 0.0) {
                after = Self::turned(after, self.coriolis * dt);
            }
        }
        after
    }

    fn source_acts(&self) -> bool {
        self.manning != 0.0 || self.coriolis != 0.0
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        self.flux_over_flat(axis, q)
    }
}
