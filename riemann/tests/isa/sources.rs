//! Sources in every vector width.

use crate::random::Random;
use riemann::lattice::Lattice;
use riemann::patch::{Isa, Kernels, PACK_OVERRUN, PatchSolver, SourceRow};
use riemann::prelude::*;

/// A solver with a source term that uses position, time and state: lanes at the end of a row must not be written.
#[derive(Clone)]
struct Decay;

impl Solver<1, 1, 0> for Decay {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 0] = [];
    const HAS_SOURCE: bool = true;

    #[inline(always)]
    fn normal<V: Real>(&self, _: Axis, ql: [V; 1], qr: [V; 1], _: [V; 0], _: [V; 0]) -> Normal<V, 1, 1> {
        let zero = V::zero();
        Normal { waves: [[qr[0] - ql[0]]], speeds: [zero], amdq: [zero], apdq: [zero] }
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

    #[inline(always)]
    fn source<V: Real>(&self, x: [V; 3], t: V, dt: V, q: [V; 1], _: [V; 0]) -> [V; 1] {
        [q[0] - dt * (V::constant(3.0) * x[0] + x[1] + t) * q[0]]
    }
}

/// Sources change exactly the row's cells, with the same bits in every width.
#[test]
fn sources_give_the_same_bits_in_every_width() {
    for len in [1, 3, 4, 5, 8, 11, 17, 31] {
        let mut random = Random::new(5);
        let values: Vec<f64> = (0..len + 2 * PACK_OVERRUN).map(|_| random.between(-1.0, 1.0)).collect();
        for &isa in Isa::available() {
            let solver = Kernels::with_isa(Decay, isa);
            let mut q = values.clone();
            let row = SourceRow {
                q: q[PACK_OVERRUN..].as_mut_ptr(),
                aux: std::ptr::NonNull::dangling().as_ptr(),
                len,
                component: len,
                lattice: Lattice {
                    lower: [0.0; 3],
                    upper: [0.7, 1.0, 0.0],
                    cells: [7.0, 1.0, 1.0],
                    dx: [0.1, 1.0, 0.0],
                },
                first: [2, 0, 0],
                t: 2.0,
                dt: 0.1,
            };
            // SAFETY: the row has the overrun at both ends.
            unsafe { solver.apply_source(&row) };
            for (k, (new, old)) in q.iter().zip(&values).enumerate() {
                let inside = (PACK_OVERRUN..PACK_OVERRUN + len).contains(&k);
                let x = 0.7 * (5.0 + 2.0 * (k as f64 - PACK_OVERRUN as f64)) / 14.0;
                let expected = if inside { old - 0.1 * (3.0 * x + 0.5 + 2.0) * old } else { *old };
                assert_eq!(new.to_bits(), expected.to_bits(), "{}, {len} cells, number {k}", isa.name());
            }
        }
    }
}
