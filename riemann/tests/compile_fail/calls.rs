//! Functions that never end: they call themselves, each other in a ring, or constants and types stand for themselves.

mod itself {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;

    #[riemann::kernels]
    impl Wrong {
        fn factorial(x: Real) -> Real {
            if x > 1.0 { x * Self::factorial(x - 1.0) } else { 1.0 }
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            let speed = Self::factorial(ql[0]);
            Normal { waves: [qr], speeds: [speed], amdq: ql, apdq: qr }
        }
    }
}

mod ring {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;

    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [self.first(ql[0])], amdq: ql, apdq: qr }
        }
        fn first(&self, x: Real) -> Real {
            self.second(x)
        }
        fn second(&self, x: Real) -> Real {
            let flux = self.flux([x]);
            flux[0]
        }
        fn flux(&self, q: State) -> State {
            [self.first(q[0])]
        }
    }
}

mod constants {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;

    #[riemann::kernels]
    impl Wrong {
        const HERE: Real = THERE + 1.0;
        const THERE: Real = HERE - 1.0;
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [HERE], amdq: ql, apdq: qr }
        }
    }
}

mod types {
    use riemann::prelude::*;

    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;

    #[riemann::kernels]
    impl Wrong {
        type Pair = [Other; 2];
        type Other = (Real, Pair);
        fn helper(pair: Pair) -> Pair {
            pair
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

fn main() {}
