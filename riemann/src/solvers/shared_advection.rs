//! What solvers of advection share: at velocities that are parameters, and at velocities on edges.

/// Advection at the velocity `self.u`, `self.v`, in space `self.w` too.
#[riemann::shared]
impl UniformAdvection {
    /// The velocity's component along `axis`.
    fn speed(&self, axis: Axis) -> Real {
        if D > 2 {
            match axis {
                Axis::X => self.u,
                Axis::Y => self.v,
                _ => self.w,
            }
        } else {
            match axis {
                Axis::X => self.u,
                _ => self.v,
            }
        }
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let speed = self.speed(axis);
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [speed], amdq: [speed.min(0.0) * wave], apdq: [speed.max(0.0) * wave] }
    }

    fn transverse(&self, across: Axis, asdq: State) -> Transverse {
        let speed = self.speed(across);
        Transverse { bmasdq: [speed.min(0.0) * asdq[0]], bpasdq: [speed.max(0.0) * asdq[0]] }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        [self.speed(axis) * q[0]]
    }
}

/// Advection by velocities on the lower edges of cells, the first two auxiliary values.
#[riemann::shared]
impl EdgeAdvection {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_r: Aux) -> Normal {
        let speed = aux_r[axis.index()];
        let wave = qr[0] - ql[0];
        Normal { waves: [[wave]], speeds: [speed], amdq: [speed.min(0.0) * wave], apdq: [speed.max(0.0) * wave] }
    }

    fn transverse(&self, across: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let t = across.index();
        Transverse { bmasdq: [aux.here[t].min(0.0) * asdq[0]], bpasdq: [aux.above[t].max(0.0) * asdq[0]] }
    }

    /// Where the velocity is the same on all edges.
    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        [aux[axis.index()] * q[0]]
    }
}
