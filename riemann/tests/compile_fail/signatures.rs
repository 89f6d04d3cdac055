//! Functions that the program would call otherwise.

mod parameter {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, q_left: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: qr, apdq: qr }
        }
    }
}

mod kind {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: Real, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: qr, apdq: qr }
        }
    }
}

mod missing {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn twice(x: Real) -> Real {
            2.0 * x
        }
    }
}

fn main() {}
