//! One missing semicolon is one mistake: the solver that it keeps from being made is not missed once more.

use riemann::prelude::*;

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct Wrong;

#[riemann::kernels]
impl Wrong {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let wave = qr[0] - ql[0]
        Normal { waves: [[wave]], speeds: [0.0], amdq: ql, apdq: qr }
    }
}

riemann::plugin!(Wrong);

fn main() {}
