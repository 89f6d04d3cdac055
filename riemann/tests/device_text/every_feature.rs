//! A solver without physical meaning that uses all of the solver language.

use crate::cases::Case;
use riemann::prelude::*;

#[riemann::solver(equations = ["a", vector("b", "c")], aux = ["d", "f"], waves = 2)]
pub struct EveryFeature {
    /// a number
    #[parameter(positive, default = 2.5)]
    pub strength: Real,
    /// another, with a name that C++ has taken
    pub default_value: Real,
}

#[riemann::kernels]
impl EveryFeature {
    const FIRST: usize = 0;
    const LAST: usize = M - 1;
    const SMALL: Real = 1.0 / 3.0 - 0.1;

    const TABLE: [Real; 4] = [0.5, -1.0, SMALL, 2.0];

    type Pair = (Real, Real);

    /// Comparisons, logical operators, nested branches that assign, a loop that contains a branch.
    fn branches(&self, x: Real, y: Real) -> [Real; 4] {
        let mut a = [x, y, 0.0, SMALL];
        let mut both = x < y && y > 0.0;
        if x <= y || x == SMALL {
            a[FIRST] = y / (x.abs() + 1.0);
            if y >= 0.25 {
                a[1] -= x;
                both = !both;
            } else if y < -0.25 {
                a[1] *= x;
            } else {
                let a_2 = x + 1.0;
                a[1] += a_2;
            }
        } else {
            a[2] = self.strength;
        }
        if rarely(x > 0.9 && y > 0.0) {
            a[1] = x / (y + 1.0);
            if rarely(y > 0.9) {
                a[FIRST] -= y;
            }
        } else {
            a[FIRST] += 0.125;
        }
        for k in 1..3 {
            if both && a[k] != x {
                a[k] /= 3.0;
            }
            if k == 2 {
                a[k] = a[k] + (k as Real) * 0.5;
            }
        }
        a
    }

    /// Values of branches: numbers, arrays, tuples, truth values.
    fn choices(&self, x: Real, axis: Axis) -> (Pair, [Real; 2], bool) {
        let pair = if x > 0.5 {
            let x = x * x;
            (x, -x)
        } else {
            (self.default_value, 1e-3)
        };
        let array = if x < 0.0 { [x, pair.0] } else { [pair.1; 2] };
        let truth = if axis == Axis::X { x > 0.0 } else { axis.index() == 1 };
        let chosen = if x.gt(0.1) { truth } else { false };
        let chosen = if rarely(x > 0.75 || x < -0.75) { !chosen } else { chosen };
        (pair, array, chosen)
    }

    /// Shadowed names, blocks with values, `match`, methods.
    fn names(x: Real, axis: Axis, side: Side) -> Real {
        let y = x;
        let y = y * 2.0;
        let y = {
            let y = y + 1.0;
            y.powi(3)
        };
        let sign = match side {
            Side::Lower => -1.0,
            Side::Upper => 1.0,
        };
        let mut z = y.max(x).min(1e3) * sign;
        match axis {
            Axis::X => z = z.abs().sqrt(),
            Axis::Y => {
                z += 1.0;
            }
            _ => {}
        }
        let [u, _] = [z, y];
        u
    }

    /// Elementary functions, of arguments in their domains.
    fn functions(x: Real, y: Real) -> [Real; 4] {
        let size = x.abs().min(1.0);
        let circular = x.sin() + x.cos() * x.tan() + size.asin() - size.acos() + x.atan() / y.atan2(x);
        let hyperbolic = x.sinh() + x.cosh() * x.tanh() + x.exp() - (size + 1.0).ln();
        let inverse =
            x.asinh() + (size + 1.0).acosh() * (0.5 * x / (size + 1.0)).atanh() + x.exp_m1() - size.ln_1p() * x.cbrt();
        [
            circular,
            hyperbolic + inverse,
            (size + 0.5).powf(y) - x.hypot(y),
            x.floor() + 3.0 * y.ceil() + x % (size + 0.25),
        ]
    }

    /// Loops between bounds made of another loop's variable, loops that lanes leave in different rounds, tables.
    pub fn rounds(x: Real, y: Real) -> [Real; 4] {
        let mut triangle = [[0.0; 3]; 3];
        let mut sum = 0.0;
        for i in 0..3 {
            for k in 0..i {
                triangle[i][k] = x * (k as Real) - y;
            }
            for k in i..=i + 1 {
                triangle[i][k % 3] += y;
            }
            let back = 2 - i;
            for k in (back + 1)..3 {
                triangle[back][k] -= 0.5 * x;
            }
            for k in 0..3 {
                sum += triangle[i][k] / ((i + k + 1) as Real);
            }
        }
        // Newton's method for the cube root.
        let (mut root, mut count) = (1.0, 0.0);
        for k in 0..30 {
            let step = (root * root * root - 1.0 - x.abs()) / (3.0 * root * root);
            if step.abs() < 1e-9 || k > 6 && y > 0.9 {
                count += 0.5;
                break;
            }
            root -= step;
            if root > 1.25 {
                if y > 0.5 {
                    break;
                }
                count -= 0.125;
            }
            count += 1.0;
        }
        // A loop that ends inside another one.
        let mut last = 0.0;
        for i in 0..4 {
            for k in 0..=i {
                last += 1.0 / ((k + 1) as Real);
                if last > 2.0 + x {
                    break;
                }
                last += 0.01;
            }
            if last > 4.0 + y {
                break;
            }
        }
        [sum, root, count + last, TABLE.linear(2.0 * x + 1.5) + Self::TABLE.linear(y / 0.0) * 0.5]
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let branches = self.branches(ql[n], qr[t]);
        let ((p, q), array, truth) = self.choices(qr[n], axis);
        let mut waves = [[0.0; M]; W];
        waves[0] = [branches[0], branches[1], branches[2]];
        waves[1][n] = p;
        waves[1][t] = q + aux_r[1];
        waves[1][LAST - 2] = array[0] - array[1];
        let speeds = [if truth { branches[3] } else { aux_l[0] }, Self::names(ql[0], axis, Side::Upper)];
        let mut amdq = ql;
        for m in 0..=LAST {
            amdq[m] = if m == t { waves[0][m] } else { -(waves[1][m] * speeds[0]) };
        }
        let moved = self.difference(axis, ql, qr);
        amdq[0] += moved[n];
        let face = Normal { waves, speeds, amdq, apdq: qr };
        let turned = Normal { waves, speeds: [speeds[1], speeds[0]], apdq: amdq, amdq: qr };
        if ql[0] < qr[0] { face } else { turned }
    }

    fn transverse(&self, axis: Axis, side: Side, aux: TransverseAux, asdq: State) -> Transverse {
        let around = [aux.below[0], aux.here[1], aux.above[0]];
        let mut sum = 0.0;
        for k in 0..3 {
            for m in 0..M {
                sum += around[k] * asdq[m];
            }
        }
        let s = Self::names(sum, axis.transverse_2d(), side.opposite());
        let bmasdq = if side.index() == 0 { asdq } else { [s; M] };
        Transverse { bmasdq, bpasdq: [sum, s, s * sum] }
    }

    /// Functions of the trait may be called too, with the parameters that they have here, wherever in the block they are.
    fn difference(&self, axis: Axis, ql: State, qr: State) -> State {
        let (mut difference, right) = (self.flux(axis, ql), self.flux(axis, qr));
        for m in 0..M {
            difference[m] = right[m] - difference[m];
        }
        difference
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let mut flux = q;
        flux[n] = q[n] * q[n] / (1.0 + q[0].abs());
        flux[t] = q[t] * self.strength;
        flux
    }

    fn source(&self, x: [Real; 3], t: Real, dt: Real, q: State, aux: Aux) -> State {
        let mut new = q;
        new[0] = q[0] + dt * (x[0] * t - aux[1]);
        let functions = Self::functions(q[1], q[2]);
        let rounds = Self::rounds(q[1], q[2]);
        for m in 0..M {
            new[m] += functions[m] * functions[3] + rounds[m] * rounds[3];
        }
        new
    }

    fn boundary(&self, axis: Axis, side: Side, x: [Real; 3], t: Real, mirror: State) -> State {
        let (n, _) = axis.normal_and_transverse();
        let mut ghost = mirror;
        ghost[n] = if side == Side::Lower { -mirror[n] } else { x[axis.index()] + t };
        ghost
    }

    fn flag(&self, q: State, above: [State; 3], below: [State; 3]) -> bool {
        let split = self.transverse(
            Axis::Y,
            Side::Lower,
            TransverseAux { below: [q[0]; A], here: [0.5; A], above: [q[1]; A] },
            q,
        );
        let close = q[0].abs() + split.bpasdq[0] < self.strength / 2.0;
        close || q[1] > q[2] || above[0][1] - 2.0 * q[1] + below[0][1] > 0.5 * (above[1][2] - below[1][2])
    }

    fn initial(&self, cell: &Cell) -> State {
        [cell.centre[0].sin(), Self::SMALL, Self::LAST as f64]
    }
}

pub fn case() -> Case<EveryFeature, 3, 2> {
    let solver = EveryFeature { strength: 1.25, default_value: -0.7 };
    Case {
        name: "every_feature",
        solver,
        exchanged: solver,
        state: |random| [random.between(-2.0, 2.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)],
        aux: |random| [random.between(-2.0, 2.0), random.between(-1.0, 1.0)],
        exchange_state: |q| q,
        exchange_aux: |aux| aux,
        average: |ql, _| ql,
    }
}
