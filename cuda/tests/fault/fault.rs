//! Burgers' equation along a line, with CUDA C++ that breaks off where a shock has formed.
//!
//! Tests how a run handles a fault in a kernel. On the processor the solver works normally, so that a run that lost its device can
//! continue there.
//!
//! PDE: `q_t + (q²/2)_x = 0`. Parameter `limit`: the largest jump between cells that the device code tolerates.

use riemann::device_source::DeviceSource;
use riemann::parameters::{ParameterCheck, ParameterInfo};
use riemann::prelude::*;
use riemann::solver::{Described, Normal, Solver, Transverse, TransverseAux};

/// The solver.
#[derive(Clone)]
pub struct Fault {
    limit: f64,
}

impl Described for Fault {
    const NAME: &'static str = "fault";
    const TITLE: &'static str = "Burgers' equation whose kernels break off at shocks";
    const PARAMETERS: &'static [ParameterInfo] = &[ParameterInfo {
        name: "limit",
        about: "the largest jump that the device's text stands",
        default: None,
        check: ParameterCheck::Positive,
    }];

    fn from_parameters(values: &[f64]) -> Self {
        Fault { limit: values[0] }
    }
}

impl Solver<1, 1, 0> for Fault {
    const DIM: usize = 1;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];

    #[inline(always)]
    fn normal<V: Real>(&self, _: Axis, ql: [V; 1], qr: [V; 1], _: [V; 0], _: [V; 0]) -> Normal<V, 1, 1> {
        let jump = qr[0] - ql[0];
        let speed = V::constant(0.5) * (ql[0] + qr[0]);
        let (down, up) = (speed.min(V::zero()) * jump, speed.max(V::zero()) * jump);
        Normal { waves: [[jump]], speeds: [speed], amdq: [down], apdq: [up] }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        _: Axis,
        _: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 0>,
        _: [V; 1],
    ) -> Transverse<V, 1> {
        Transverse { bmasdq: [V::zero()], bpasdq: [V::zero()] }
    }

    fn device_source(&self) -> Option<DeviceSource> {
        let body = "
            Real limit;
            static constexpr bool SPLITS_SUMS = false, SETTLES = false, FALLS_BACK = false;
            static constexpr unsigned long long KEPT = 0;
            __device__ __forceinline__ Normal normal(Axis, State ql, State qr, Aux, Aux) const {
                const Real jump = qr[0] - ql[0], speed = Real(0.5) * (ql[0] + qr[0]);
                if (real_abs(jump) > limit) asm volatile(\"trap;\");
                Normal face;
                face.waves[0][0] = jump;
                face.speeds[0] = speed;
                face.amdq[0] = real_min(speed, Real(0)) * jump;
                face.apdq[0] = real_max(speed, Real(0)) * jump;
                return face;
            }
            __device__ __forceinline__ State mean_state(State ql, State) const { return ql; }
            __device__ __forceinline__ Transverse transverse(
                Axis, Axis, Side, State, State, State, TransverseAux, State) const {
                return Transverse();
            }";
        Some(DeviceSource {
            body: body.to_owned(),
            parameters: vec![("limit", self.limit)],
            reduced: Vec::new(),
            equations: 1,
            waves: 1,
            aux: 0,
            fwaves: false,
            has_source: false,
            has_boundary: false,
            has_flag: false,
            has_positive: false,
            has_admissible: false,
            has_transfer: false,
            looks_beside: false,
        })
    }
}
