//! Statements that are not in the language.

use riemann::prelude::*;

#[riemann::solver(equations = ["q"], waves = 1)]
pub struct Wrong;

#[riemann::kernels]
impl Wrong {
    const TABLE: [Real; 2] = [1.0, 2.0];

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
    fn before(&self, x: Real) -> Real {
        let mut y = x;
        for i in 0..3 {
            for _ in 0..i - 1 {
                y *= 0.5;
            }
        }
        y
    }
    fn nothing_to_end(&self, x: Real) -> Real {
        if x > 0.0 {
            break;
        }
        x
    }
    fn with_value(&self, x: Real) -> Real {
        for _ in 0..3 {
            break x;
        }
        x
    }
    fn counted(&self, x: Real) -> Real {
        let mut count = 0;
        for _ in 0..3 {
            if x > 1.0 {
                break;
            }
            count += 1;
        }
        count as Real
    }
    fn ends_from_within(&self, x: Real) -> Real {
        let mut y = x;
        for _ in 0..3 {
            y *= if y > 2.0 {
                if y > 3.0 {
                    break;
                }
                0.5
            } else {
                0.25
            };
        }
        y
    }
    fn no_table(&self, q: State) -> Real {
        q.linear(q[0])
    }
    fn table_of_two(&self, x: Real) -> Real {
        Self::TABLE.linear(x, x)
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
