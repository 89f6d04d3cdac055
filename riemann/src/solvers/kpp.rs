//! The rotating wave of Kurganov, Petrova and Popov: a scalar equation whose flux is not convex along any axis.
//!
//! PDE: `q_t + (sin q)_x + (cos q)_y = 0`. Variable: `q`.
//!
//! Holds: `wave = qr − ql`; its speed is the secant's, `(f(qr) − f(ql))/(qr − ql)`; `amdq + apdq = f(qr) − f(ql)`; the flux at the face is
//! Godunov's, the least flux between the states where `ql < qr`, else the largest; `bmasdq + bpasdq = B asdq`, B the derivative of the other
//! flux at the mean state.
//!
//! Source: Kurganov, Petrova & Popov, *SIAM J. Sci. Comput.* 29 (2007) 2381–2401, doi:10.1137/040614189, example 5; Godunov's flux:
//! LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, eq. 12.4 (Osher 1984).

use crate::prelude::*;

/// The equation `q_t + (sin q)_x + (cos q)_y = 0`: equation `q`.
#[riemann::solver(
    equations = ["q"],
    waves = 1,
    one_way,
    axes_differ,
    directions,
    title = "The problem of Kurganov, Petrova and Popov: fluxes sin q and cos q"
)]
pub struct Kpp;

#[riemann::kernels]
impl Kpp {
    const PI: Real = 3.141592653589793;

    /// How much later the cosine has its values than the sine: `cos q = sin(q + π/2)`.
    fn phase(axis: Axis) -> Real {
        match axis {
            Axis::X => 0.0,
            _ => 0.5 * PI,
        }
    }

    /// True if there is a number `at + 2πk` between two.
    fn is_between(low: Real, high: Real, at: Real) -> bool {
        let turns = 0.5 / PI;
        ((low - at) * turns).ceil() <= ((high - at) * turns).floor()
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let ([l], [r]) = (ql, qr);
        let phase = Self::phase(axis);
        let (fl, fr) = ((l + phase).sin(), (r + phase).sin());
        let wave = r - l;
        let (low, high) = (l.min(r) + phase, l.max(r) + phase);
        let least = if Self::is_between(low, high, -0.5 * PI) { -1.0 } else { fl.min(fr) };
        let most = if Self::is_between(low, high, 0.5 * PI) { 1.0 } else { fl.max(fr) };
        let middle = if l < r { least } else { most };
        // sin r − sin l = 2 cos((l + r)/2) sin((r − l)/2).
        let half = 0.5 * wave;
        let ratio = if half.abs() < 1e-4 { 1.0 - half * half / 6.0 } else { half.sin() / half };
        let speed = (0.5 * (l + r) + phase).cos() * ratio;
        Normal { waves: [[wave]], speeds: [speed], amdq: [middle - fl], apdq: [fr - middle] }
    }

    fn transverse(&self, across: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let speed = (0.5 * (ql[0] + qr[0]) + Self::phase(across)).cos();
        Transverse { bmasdq: [speed.min(0.0) * asdq[0]], bpasdq: [speed.max(0.0) * asdq[0]] }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        [(q[0] + Self::phase(axis)).sin()]
    }

    fn admissible(&self, unit: State) -> State {
        unit.map(|u| 12.0 * u - 2.0)
    }
}
