//! One block for several numbers of dimensions.

use riemann::group::{Group, GroupKind};
use riemann::prelude::*;

#[riemann::solver(dim = [1, 2, 3], equations = ["pressure", vector("u", "v", "w")], waves = D + 1, aux = [faces("a", "b", "d"), "c"])]
pub struct Sound<const D: usize> {
    /// speed of sound
    pub speed: Real,
}

#[riemann::kernels]
impl Sound {
    fn transverse(&self, axis: Axis, across: Axis, asdq: State) -> Transverse {
        let mut bpasdq = [0.0; M];
        bpasdq[0] = asdq[across.index() + 1];
        bpasdq[axis.index() + 1] = self.speed;
        Transverse { bmasdq: [0.0; M], bpasdq }
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (dp, du) = (0.5 * (qr[0] - ql[0]), 0.5 * (qr[n] - ql[n]));
        let mut waves = [[0.0; M]; W];
        let mut speeds = [0.0; W];
        waves[0][0] = dp - du;
        waves[0][n] = du - dp;
        waves[1][0] = dp + du;
        waves[1][n] = dp + du;
        speeds[0] = -self.speed;
        speeds[1] = self.speed;
        // Jumps of the other velocity components have speed zero.
        for k in 1..M {
            if k != n {
                waves[D][k] = qr[k] - ql[k];
            }
        }
        let (mut amdq, mut apdq) = (waves[0], waves[1]);
        for m in 0..M {
            amdq[m] *= -self.speed;
            apdq[m] *= self.speed;
        }
        Normal { waves, speeds, amdq, apdq }
    }
}

/// Counts, names, faces and walls depend on the dimension, and so do the formulas and the texts.
#[test]
fn a_block_serves_several_dimensions() {
    assert_eq!((Sound::<1>::SHAPE, Sound::<2>::SHAPE), ([2, 2, 2], [3, 3, 3]));
    assert_eq!(<Sound<1> as Solver<2, 2, 2>>::EQUATIONS, ["pressure", "u"]);
    assert_eq!(<Sound<2> as Solver<3, 3, 3>>::EQUATIONS, ["pressure", "u", "v"]);
    assert_eq!(<Sound<1> as Solver<2, 2, 2>>::AUX_FACE, [Some(Axis::X), None]);
    assert_eq!(<Sound<2> as Solver<3, 3, 3>>::AUX_FACE, [Some(Axis::X), Some(Axis::Y), None]);
    let vector = [Group { kind: GroupKind::Vector, first: 1 }];
    assert_eq!(
        (<Sound<1> as Solver<2, 2, 2>>::GROUPS, <Sound<3> as Solver<4, 4, 4>>::GROUPS),
        (&vector[..], &vector[..])
    );
    let line = Sound::<1> { speed: 2.0 }.normal(Axis::X, [1.0, 0.0], [3.0, 4.0], [0.0; 2], [0.0; 2]);
    let plane = Sound::<2> { speed: 2.0 }.normal(Axis::Y, [1.0, 7.0, 0.0], [3.0, 8.0, 4.0], [0.0; 3], [0.0; 3]);
    assert_eq!((line.amdq, line.apdq), ([2.0, -2.0], [6.0, 6.0]));
    assert_eq!((plane.amdq, plane.apdq), ([2.0, 0.0, -2.0], [6.0, 0.0, 6.0]));
    assert_eq!(plane.waves[2], [0.0, 1.0, 0.0]);
    assert_eq!(Sound::<3>::SHAPE, [4; 3]);
    assert_eq!(<Sound<3> as Solver<4, 4, 4>>::AUX_FACE, [Some(Axis::X), Some(Axis::Y), Some(Axis::Z), None]);
    let space = Sound::<3> { speed: 2.0 };
    let face = space.normal(Axis::Z, [1.0, 7.0, 5.0, 0.0], [3.0, 8.0, 4.0, 4.0], [0.0; 4], [0.0; 4]);
    assert_eq!((face.amdq, face.waves[3]), ([2.0, 0.0, 0.0, -2.0], [0.0, 1.0, -1.0, 0.0]));
    let aux = TransverseAux { below: [0.0; 4], here: [0.0; 4], above: [0.0; 4] };
    for (across, moved) in [(Axis::X, 7.0), (Axis::Y, 5.0)] {
        let (q, asdq) = ([0.0; 4], [1.0, 7.0, 5.0, 3.0]);
        let split = space.transverse(Axis::Z, across, Side::Upper, q, q, q, &aux, asdq);
        assert_eq!(split.bpasdq, [moved, 0.0, 0.0, 2.0]);
    }
    let text = Sound::<2> { speed: 2.0 }.device_source().expect("made by the macro");
    assert_eq!((text.equations, text.waves, text.aux), (3, 3, 3));
}
