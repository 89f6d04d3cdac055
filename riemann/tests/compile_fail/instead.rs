//! Whatever is refused, the message says what to write in its place.

use riemann::prelude::*;

#[riemann::solver(equations = ["a", vector("b", "c")], waves = 1)]
pub struct Wrong {
    /// a number
    pub rate: Real,
}

#[riemann::kernels]
impl Wrong {
    fn prints(&self, x: Real) -> Real {
        println!("{x:?}");
        x
    }
    fn asserts(&self, x: Real) -> Real {
        assert!(x > 0.0);
        x
    }
    fn allocates(&self, x: Real) -> Real {
        let all = vec![x; 3];
        all[0]
    }
    fn panics(&self, x: Real) -> Real {
        if x > 0.0 { x } else { unreachable!() }
    }
    fn few(&self, x: Real) -> bool {
        rarely(x > 0.0)
    }
    fn quarter(&self, u: Real) -> Real {
        (1/4)*u
    }
    fn third() -> Real {
        let third = 1 / 3;
        third as Real
    }
    fn nothing() -> usize {
        1 / 0
    }
    fn sum_of_integers(&self, u: Real) -> Real {
        (1 + 2) * u
    }
    fn pi(&self, u: Real) -> Real {
        std::f64::consts::PI * u
    }
    fn epsilon(&self, u: Real) -> Real {
        f64::EPSILON + u
    }
    fn remainder(&self, u: Real) -> Real {
        u.rem_euclid(2.0)
    }
    fn unknown(&self) -> Real {
        gravity
    }
    fn drops(&self, u: Real) -> Real {
        u + 1.0;
        u
    }
    fn unsure(&self, u: Real) -> Real {
        u?
    }
    fn pattern(&self, axis: Axis) -> Real {
        if let Axis::X = axis { 1.0 } else { 0.0 }
    }
    fn too_few(&self, u: Real) -> Real {
        self.quarter()
    }
    fn methods(&self, u: Real) -> bool {
        (u > 0.0).then(u)
    }
    fn start(&self) -> Real {
        self.initial()[0]
    }
    fn normal(&self, ql: State, qr: State) -> Normal {
        Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
    }
}

mod outside {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Outside;

    #[riemann::kernels]
    impl Outside {
        fn helper(pair: Pair) -> Real {
            pair[0]
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

mod axes {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1, axes_differ)]
    pub struct Axes;

    #[riemann::kernels]
    impl Axes {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn exchanged(&self) -> Option<Self> {
            None
        }
    }
}

fn main() {}
