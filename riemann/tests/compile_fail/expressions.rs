//! Expressions that are not in the language: one error each, in every function.

use riemann::prelude::*;

#[riemann::solver(equations = ["a", vector("b", "c")], waves = 2)]
pub struct Wrong {
    /// a number
    pub rate: Real,
}

#[riemann::kernels]
impl Wrong {
    fn integer_for_real(&self, x: Real) -> Real {
        2 * x
    }
    fn exponential(&self, x: Real) -> Real {
        (self.rate * x).log10()
    }
    fn fused(&self, x: Real) -> Real {
        x.mul_add(x, x)
    }
    fn closure(&self, q: State) -> State {
        q.map(|x| x * x)
    }
    fn reference(&self, q: State) -> Real {
        self.exponential(&q[0])
    }
    fn unknown_parameter(&self) -> Real {
        self.rat
    }
    fn unknown_variable(&self) -> Real {
        rate + 1.0
    }
    fn foreign(&self, x: Real) -> Real {
        f64::max(x, 0.0)
    }
    fn out_of_range(&self, q: State) -> Real {
        q[3]
    }
    fn index_by_value(&self, q: State, k: Real) -> Real {
        q[k as usize]
    }
    fn sum_of_states(&self, q: State, r: State) -> State {
        q + r
    }
    fn mixed_choice(&self, x: Real) -> usize {
        if x > 0.0 { 1 } else { 2 }
    }
    fn not_a_condition(&self, x: Real) -> Real {
        if x { 1.0 } else { 2.0 }
    }
    fn huge(&self) -> Real {
        let numbers = [[0.0; 4096]; 1000];
        numbers[0][0]
    }
    fn normal(&self, ql: State, qr: State) -> Normal {
        Normal { waves: [ql, qr], speeds: [0.0; 3], amdq: ql, apdq: qr }
    }
}

fn main() {}
