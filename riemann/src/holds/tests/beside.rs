//! Solvers that look at the jumps beside faces are checked with such jumps.

use super::findings;
use crate::group::Group;
use crate::holds::{Finding, Outcome};
use crate::prelude::*;
use crate::solvers::EulerStrongShocks;

/// A gas that forgets a part of its fluctuations where there is a jump beside the face, or finds that jumps are steeper in a mirror.
#[derive(Clone)]
struct WrongBeside {
    right: EulerStrongShocks,
    forgets: bool,
}

impl Solver<4, 4, 0> for WrongBeside {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 4] = <EulerStrongShocks as Solver<4, 4, 0>>::EQUATIONS;
    const AUX: [&'static str; 0] = [];
    const LOOKS_BESIDE: bool = true;
    const GROUPS: &'static [Group] = <EulerStrongShocks as Solver<4, 4, 0>>::GROUPS;

    fn normal<V: Real>(&self, axis: Axis, ql: [V; 4], qr: [V; 4], l: [V; 0], r: [V; 0]) -> Normal<V, 4, 4> {
        self.right.normal(axis, ql, qr, l, r)
    }

    fn steepness<V: Real>(&self, axis: Axis, ql: [V; 4], qr: [V; 4], l: [V; 0], r: [V; 0]) -> V {
        if self.forgets { self.right.steepness(axis, ql, qr, l, r) } else { qr[axis.index() + 1] }
    }

    fn normal_beside<V: Real>(
        &self,
        axis: Axis,
        ql: [V; 4],
        qr: [V; 4],
        l: [V; 0],
        r: [V; 0],
        beside: V,
    ) -> Normal<V, 4, 4> {
        let mut face = self.right.normal_beside(axis, ql, qr, l, r, beside);
        if self.forgets {
            face.amdq[0] += V::constant(1e-6) * beside;
        }
        face
    }

    fn transverse<V: Real>(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        ql: [V; 4],
        qr: [V; 4],
        mean: [V; 4],
        aux: &TransverseAux<V, 0>,
        asdq: [V; 4],
    ) -> Transverse<V, 4> {
        self.right.transverse(axis, across, side, ql, qr, mean, aux, asdq)
    }

    fn mean_state<V: Real>(&self, ql: [V; 4], qr: [V; 4]) -> [V; 4] {
        self.right.mean_state(ql, qr)
    }

    fn admissible(&self, unit: [f64; 4]) -> [f64; 4] {
        self.right.admissible(unit)
    }
}

/// A solver that looks beside faces is checked where there is something beside them, and so is what it finds steep.
#[test]
fn solvers_are_checked_with_jumps_beside_faces() {
    let right = EulerStrongShocks { gamma: 1.4 };
    for Finding { property, outcome } in findings(right, "euler_strong_shocks") {
        assert_eq!(outcome, Outcome::Holds, "{property}");
    }
    let failing = |forgets| {
        let found = findings(WrongBeside { right, forgets }, "euler_strong_shocks").into_iter();
        let failing = found.filter_map(|finding| match finding.outcome {
            Outcome::Fails(example) => Some((finding.property, example.what)),
            _ => None,
        });
        failing.collect::<Vec<_>>()
    };
    let forgetting = failing(true);
    let (_, what) =
        forgetting.iter().find(|(property, _)| *property == "fluctuations sum to what the waves move").expect("fails");
    assert!(what.contains("where `beside` is"), "{what}");
    let names: Vec<_> = failing(false).iter().map(|(property, _)| *property).collect();
    assert_eq!(names, ["a mirror image gives the mirror image"]);
}
