//! Statements that are not in the language.

use riemann::prelude::*;

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct Wrong;

#[riemann::kernels]
impl Wrong {
    fn early(&self, x: Real) -> Real {
        if x > 0.0 {
            return x;
        }
        0.0
    }
    fn endless(&self, x: Real) -> Real {
        let mut y = x;
        while y > 1.0 {
            y *= 0.5;
        }
        y
    }
    fn until(&self, x: Real, n: usize) -> Real {
        let mut y = x;
        for _ in 0..n {
            y *= 0.5;
        }
        y
    }
    fn constant(&self, x: Real) -> Real {
        let y = x;
        y += 1.0;
        y
    }
    fn lanes_part(&self, x: Real) -> Real {
        let mut k = 0;
        if x > 0.0 {
            k = 1;
        }
        k as Real
    }
    fn side_effect(&self, x: Real) -> Real {
        let mut y = x;
        let z = if x > 0.0 {
            y = 1.0;
            y
        } else {
            x
        };
        y + z
    }
    fn no_value(&self, x: Real) -> Real {
        let _y = x;
    }
    fn printed(&self, x: Real) -> Real {
        println!("{x:?}");
        x
    }
    fn normal(&self, ql: State, qr: State) -> Normal {
        Normal { waves: [ql], speeds: [0.0], amdq: ql, apdq: qr }
    }
}

fn main() {}
