//! A solver for tests: advection at a constant velocity, which can panic on purpose.

use riemann::prelude::*;

/// Advection; `trap` chooses the function that panics.
#[derive(Clone)]
pub struct Decay {
    u: f64,
    trap: f64,
}

impl Described for Decay {
    const NAME: &'static str = "decay";
    const TITLE: &'static str = "Advection with a trap";
    const PARAMETERS: &'static [ParameterInfo] = &[
        ParameterInfo { name: "u", about: "velocity along x", default: None, check: ParameterCheck::Positive },
        ParameterInfo { name: "trap", about: "where to panic", default: Some(0.0), check: ParameterCheck::Any },
    ];

    fn from_parameters(values: &[f64]) -> Self {
        assert!(values[1] != 1.0, "trapped at the start");
        Decay { u: values[0], trap: values[1] }
    }
}

impl Solver<1, 1, 1> for Decay {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 1] = ["v"];
    const AUX_FACE: [Option<Axis>; 1] = [Some(Axis::Y)];
    const HAS_INITIAL: bool = true;
    const HAS_AUX: bool = true;
    const HAS_BOUNDARY: bool = true;
    const HAS_FLAG: bool = true;

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], _l: [V; 1], r: [V; 1]) -> Normal<V, 1, 1> {
        assert!(self.trap != 3.0, "trapped at a face");
        while self.trap == 5.0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let speed = if axis == Axis::X { V::constant(self.u) } else { r[0] };
        let wave = qr[0] - ql[0];
        let parts = [speed.min(V::zero()) * wave, speed.max(V::zero()) * wave];
        Normal { waves: [[wave]], speeds: [speed], amdq: [parts[0]], apdq: [parts[1]] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _across: Axis,
        _side: Side,
        _ql: [V; 1],
        _qr: [V; 1],
        _mean: [V; 1],
        aux: &TransverseAux<V, 1>,
        asdq: [V; 1],
    ) -> Transverse<V, 1> {
        let [below, above] = match axis {
            Axis::X => [aux.here[0], aux.above[0]],
            _ => [V::constant(self.u); 2],
        };
        Transverse { bmasdq: [below.min(V::zero()) * asdq[0]], bpasdq: [above.max(V::zero()) * asdq[0]] }
    }

    fn initial(&self, cell: &Cell, aux: [f64; 1]) -> [f64; 1] {
        assert!(self.trap != 2.0, "trapped in the initial data");
        match self.trap {
            6.0 => std::process::exit(0),
            7.0 => std::process::abort(),
            9.0 => drop(std::thread::spawn(|| -> () { std::process::exit(0) }).join()),
            // SAFETY: it is not safe, on purpose.
            8.0 => unsafe {
                std::ptr::null::<u8>().read_volatile();
            },
            _ => {}
        }
        [if (cell.centre[0] - 0.5).abs() < 0.2 { aux[0] } else { 0.0 }]
    }

    fn aux_values(&self, _cell: &Cell) -> [f64; 1] {
        [0.5]
    }

    fn boundary<V: Real>(&self, _axis: Axis, _side: Side, x: [V; 3], _t: V, _mirror: [V; 1]) -> [V; 1] {
        [x[1]]
    }

    fn flag<V: Real>(
        &self,
        x: [V; 3],
        _t: V,
        _q: [V; 1],
        _aux: [V; 1],
        _below: [[V; 1]; 3],
        _above: [[V; 1]; 3],
    ) -> V::Mask {
        x[0].lt(V::constant(0.25))
    }
}
