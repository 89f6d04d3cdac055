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

mod unnamed_quantities {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn quantities(&self, q: State) -> [Real; 1] {
            q
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

mod quantities_without_values {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], quantities = ["double", "half"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn quantities(&self, q: State) -> [Real; 1] {
            [2.0 * q[0]]
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

mod beside_nothing {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State, beside: Real) -> Normal {
            Normal { waves: [qr], speeds: [beside], amdq: ql, apdq: qr }
        }
    }
}

mod steep_for_nothing {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn steepness(&self, ql: State, qr: State) -> Real {
            ql[0] - qr[0]
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

mod steep_again {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1, solve_again)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn steepness(&self, ql: State, qr: State) -> Real {
            ql[0] - qr[0]
        }
        fn normal(&self, ql: State, qr: State, beside: Real) -> Normal {
            Normal { waves: [qr], speeds: [beside], amdq: ql, apdq: qr }
        }
    }
}

mod one_neighbour {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn flag(&self, q: State, below: State) -> bool {
            q[0] > below[0]
        }
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
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

mod space {
    use riemann::prelude::*;
    #[riemann::solver(dim = 3, equations = ["p", vector("u", "v", "w")], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
            let (n, _) = axis.normal_and_transverse();
            Normal { waves: [ql], speeds: [qr[n]], amdq: ql, apdq: qr }
        }
    }
}

mod exchange {
    use riemann::prelude::*;
    #[riemann::solver(dim = 3, equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn exchanged(&self) -> Option<Self> {
            None
        }
    }
}

mod mean {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn transverse(&self, mean: State, asdq: State) -> Transverse {
            Transverse { bmasdq: mean, bpasdq: asdq }
        }
    }
}

mod mapping {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn mapping(&self, x: [Real; 2]) -> [Real; 2] {
            x
        }
    }
}

mod no_formula {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn mapping(&self, x: [Real; 3]) -> [Real; 3] {
            [x[0] % 0.5, x[1], 0.0]
        }
    }
}

mod too_long {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn mapping(&self, x: [Real; 3]) -> [Real; 3] {
            let mut y = x[0];
            for _ in 0..20 {
                y = y * y - y;
            }
            [y, x[1], 0.0]
        }
    }
}

mod too_many_rounds {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn mapping(&self, x: [Real; 3]) -> [Real; 3] {
            let mut last = 0.0;
            for k in 0..100000000 {
                last = k as Real;
            }
            [x[0] + last, x[1], 0.0]
        }
    }
}

mod kept_without_flux {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], kept_nonnegative = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
    }
}

mod transfer_in_part {
    use riemann::prelude::*;
    #[riemann::solver(equations = ["q"], waves = 1)]
    pub struct Wrong;
    #[riemann::kernels]
    impl Wrong {
        fn normal(&self, ql: State, qr: State) -> Normal {
            Normal { waves: [qr], speeds: [0.0], amdq: ql, apdq: qr }
        }
        fn to_transfer(&self, q: State) -> State {
            q
        }
    }
}

fn main() {}
