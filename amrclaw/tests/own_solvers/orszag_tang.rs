//! Ideal magnetohydrodynamics in nine equations, one text for one, two and three dimensions: the vortex of Orszag and Tang, shock tubes.

use super::{assert_conserved, begin, case_of, range, run_to};
use amrclaw::frames::derived::derive;
use amrclaw::plugin::{ChosenSolver, check_primitive};
use riemann::holds::{Outcome, Sample, Subject, check};
use riemann::plugin::Instance;
use riemann::prelude::*;

/// Ideal magnetohydrodynamics with a field ψ that transports the divergence of B away and damps it; local Lax–Friedrichs.
///
/// A. Dedner et al., J. Comput. Phys. 175 (2002) 645–673, doi:10.1006/jcph.2001.6961, eqs 24 and 45.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Ideal magnetohydrodynamics, divergence cleaning",
    equations = [
        "density", vector3("x_momentum", "y_momentum", "z_momentum"), "energy", vector3("bx", "by", "bz"), "psi"
    ],
    waves = 2,
    quantities = ["pressure", "beta", "alfven"],
    primitive = ["density", vector3("u", "v", "w"), "gas_pressure", vector3("bx", "by", "bz"), "psi"],
)]
pub struct Plasma<const D: usize> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.6666666666666667)]
    pub gamma: Real,
    /// speed at which divergences leave
    #[parameter(positive, default = 2.5)]
    pub cleaning_speed: Real,
    /// rate at which they decay
    #[parameter(positive, default = 4.0)]
    pub decay: Real,
}

#[riemann::kernels]
impl Plasma {
    fn pressure(&self, q: State) -> Real {
        let kinetic = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
        let magnetic = q[5] * q[5] + q[6] * q[6] + q[7] * q[7];
        (self.gamma - 1.0) * (q[4] - 0.5 * kinetic - 0.5 * magnetic)
    }

    fn flux_along(&self, axis: Axis, q: State) -> State {
        let a = axis.index();
        let r = 1.0 / q[0];
        let (u, b) = (q[1 + a] * r, q[5 + a]);
        let total = self.pressure(q) + 0.5 * (q[5] * q[5] + q[6] * q[6] + q[7] * q[7]);
        let vb = (q[1] * q[5] + q[2] * q[6] + q[3] * q[7]) * r;
        let mut flux = [0.0; M];
        flux[0] = q[1 + a];
        for k in 0..3 {
            flux[1 + k] = q[1 + k] * u - q[5 + k] * b;
            flux[5 + k] = q[5 + k] * u - q[1 + k] * r * b;
        }
        flux[1 + a] += total;
        flux[4] = (q[4] + total) * u - vb * b;
        flux[5 + a] = q[8];
        flux[8] = self.cleaning_speed * self.cleaning_speed * b;
        flux
    }

    /// Largest speed along an axis: that of the fast magnetosonic wave.
    fn fastest(&self, axis: Axis, q: State) -> Real {
        let (a, r) = (axis.index(), 1.0 / q[0]);
        let sound = self.gamma * self.pressure(q).max(0.0) * r;
        let field = (q[5] * q[5] + q[6] * q[6] + q[7] * q[7]) * r;
        let along = q[5 + a] * q[5 + a] * r;
        let sum = sound + field;
        let fast = 0.5 * (sum + (sum * sum - 4.0 * sound * along).max(0.0).sqrt());
        (q[1 + a] * r).abs() + fast.sqrt()
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let fastest = self.fastest(axis, ql).max(self.fastest(axis, qr)).max(self.cleaning_speed);
        let (left, right) = (self.flux_along(axis, ql), self.flux_along(axis, qr));
        let mut waves = [[0.0; M]; W];
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for m in 0..M {
            let middle = 0.5 * (ql[m] + qr[m]) - 0.5 * (right[m] - left[m]) / fastest;
            waves[0][m] = middle - ql[m];
            waves[1][m] = qr[m] - middle;
            amdq[m] = -fastest * waves[0][m];
            apdq[m] = fastest * waves[1][m];
        }
        Normal { waves, speeds: [-fastest, fastest], amdq, apdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        self.flux_along(axis, q)
    }

    /// Pressure, its ratio to the field's, Alfvén's speed.
    fn quantities(&self, q: State) -> [Real; 3] {
        let mut field = 0.0;
        for k in 5..8 {
            field += q[k] * q[k];
        }
        let pressure = self.pressure(q);
        [pressure, pressure / (0.5 * field), (field / q[0]).sqrt()]
    }

    fn primitive(&self, q: State) -> State {
        let mut primitive = q;
        for k in 1..4 {
            primitive[k] = q[k] / q[0];
        }
        primitive[4] = self.pressure(q);
        primitive
    }

    fn conserved(&self, primitive: State) -> State {
        let [density, u, v, w, pressure, bx, by, bz, psi] = primitive;
        let energy = pressure / (self.gamma - 1.0) + 0.5 * density * (u * u + v * v + w * w);
        [density, density * u, density * v, density * w, energy + 0.5 * (bx * bx + by * by + bz * bz), bx, by, bz, psi]
    }

    /// States that a gas can have, for checks.
    fn admissible(&self, unit: State) -> State {
        let mut q = unit.map(|x| 2.0 * x - 1.0);
        q[0] = 0.2 + unit[0];
        q[4] = 0.5
            + unit[4]
            + 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0]
            + 0.5 * (q[5] * q[5] + q[6] * q[6] + q[7] * q[7]);
        q
    }

    /// `ψ_t = −decay ψ` by the trapezoidal rule.
    fn source(&self, dt: Real, q: State) -> State {
        let half = 0.5 * dt * self.decay;
        let mut after = q;
        after[8] = q[8] * (1.0 - half) / (1.0 + half);
        after
    }
}

const PLASMA: Plasma<2> = Plasma { gamma: 5.0 / 3.0, cleaning_speed: 2.5, decay: 4.0 };

/// S. A. Orszag, C.-M. Tang, J. Fluid Mech. 90 (1979) 129–143, doi:10.1017/S002211207900210X; in the units of code comparisons.
const CASE: &str = r#"
[mesh]
upper = [6.283185307179586, 6.283185307179586]
cells = [40, 40]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[levels]
max = 2
[regrid.flag]
tolerance = 1.0
[time]
end = 1.0
[initial]
density = "25 / 9"
x_momentum = "-25 / 9 * sin(y)"
y_momentum = "25 / 9 * sin(x)"
z_momentum = 0
energy = "2.5 + 0.5 * 25 / 9 * (sin(y)^2 + sin(x)^2) + 0.5 * (sin(y)^2 + sin(2 * x)^2)"
bx = "-sin(y)"
by = "sin(2 * x)"
bz = 0
psi = 0
"#;

/// Totals of mass, momentum, energy and field are conserved; the density stays positive and of the order of the data (code comparisons have
/// 1.1 to 6 at t = 1), and the pressure positive. ψ, which the divergence generates, stays small.
#[test]
fn nine_equations_stay_admissible() {
    let solver = ChosenSolver::own(PLASMA);
    assert!(solver.shape.has_source && !solver.shape.has_transverse);
    let (simulation, totals) = run_to(&solver, CASE, 1.0);
    let frame = simulation.frame();
    let [least, largest] = range(&frame, 0);
    assert!(least > 0.8 && largest < 7.0 && largest > 4.0, "density from {least} to {largest}");
    super::common::for_each_finest_cell(&frame, |_, x, _, q| {
        let kinetic: f64 = q[1..4].iter().map(|m| m * m).sum::<f64>() / q[0];
        let pressure = (q[4] - 0.5 * kinetic - 0.5 * q[5..8].iter().map(|b| b * b).sum::<f64>()) * 2.0 / 3.0;
        assert!(pressure > 0.0, "pressure {pressure} at {x:?}");
    });
    let psi = range(&frame, 8);
    assert!(psi[0] > -0.5 && psi[1] < 0.5, "{psi:?}");
    assert_conserved(&simulation, &totals, &[0, 1, 2, 3, 4, 5, 6, 7]);
}

/// M. Brio, C. C. Wu, J. Comput. Phys. 75 (1988) 400–422, doi:10.1016/0021-9991(88)90120-9, with motion and field out of the plane too.
const TUBE: &str = r#"
[time]
end = 0.1
[initial]
density = "if(x < 0.5, 1, 0.125)"
x_momentum = 0
y_momentum = "if(x < 0.5, 0.3, 0)"
z_momentum = "if(x < 0.5, 0, 0.1)"
energy = "if(x < 0.5, 2.5, 0.5) + 2"
bx = 0.75
by = "if(x < 0.5, 1, -1)"
bz = "if(x < 0.5, 0.2, 0.4)"
psi = 0
"#;

/// The final states along a tube of 60 cells in `D` dimensions.
fn tube<const D: usize>(solver: &ChosenSolver) -> Vec<[f64; 9]> {
    let (cells, corner) = ([60, 4, 4], [1.0, 0.2, 0.2]);
    let mesh = format!("[mesh]\ncells = {:?}\nupper = {:?}\n", &cells[..D], &corner[..D]);
    let sides = ["y = \"periodic\"\n", "z = \"periodic\"\n"][..D - 1].concat();
    let split = if D > 1 { "[scheme]\nsplit = \"godunov\"\n" } else { "" };
    let text = format!("{mesh}[mesh.boundary]\nx = \"extrapolate\"\n{sides}{split}{TUBE}");
    let mut simulation = begin::<D>(solver, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    simulation.advance_to(0.1).unwrap_or_else(|e| panic!("{e}"));
    let mut states = vec![[0.0; 9]; 60];
    super::common::for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        states[(x[0] * 60.0) as usize] = q.try_into().expect("nine equations");
    });
    states
}

/// No property of a solver fails.
fn assert_holds<S, const M: usize, const W: usize, const A: usize>(solver: S)
where
    S: Solver<M, W, A> + Described,
{
    let (instance, _) = Instance::own(solver);
    let faces = instance.faces();
    let subject = Subject { info: instance.info(), faces: &faces, sample: Sample::FULL };
    let inverse = check_primitive(instance.info(), &faces, instance.values());
    assert!(inverse.is_some());
    for finding in check(&subject).into_iter().chain(inverse) {
        assert!(!matches!(finding.outcome, Outcome::Fails(_)), "{} in {}D", finding.property, S::DIM);
    }
}

/// One text has all properties in one, two and three dimensions, in mirrors and with axes exchanged too, and the same tube has the same
/// states, to the bit: sweeps along y and z change nothing that does not depend on them.
#[test]
fn one_text_serves_all_dimensions() {
    let (gamma, cleaning_speed, decay) = (2.0, 2.5, 4.0);
    let (line, plane) = (Plasma::<1> { gamma, cleaning_speed, decay }, Plasma::<2> { gamma, cleaning_speed, decay });
    assert_holds(line);
    assert_holds(plane);
    assert_holds(Plasma::<3> { gamma, cleaning_speed, decay });
    let line = tube::<1>(&ChosenSolver::own(line));
    assert!(line[20][0] > 0.3 && line[35] != line[34], "the tube has waves: {:?}", line[20]);
    assert_eq!(line, tube::<2>(&ChosenSolver::own(plane)));
}

/// A solver's own quantities are known by name to formulas of fields, with the values of its parameters.
#[test]
fn quantities_are_known() {
    let solver = ChosenSolver::own(PLASMA);
    let overrides = ["output.field=[{name='b', formula='log(beta) + alfven'}]"];
    let vocabulary = case_of(&solver, CASE, &overrides).vocabulary();
    let frame = begin::<2>(&solver, CASE, &[]).unwrap_or_else(|e| panic!("{e}")).frame();
    let fields = [("p", "pressure"), ("both", "log(beta) + alfven")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let derived = derive(&frame, &fields, &vocabulary).unwrap_or_else(|e| panic!("{e}"));
    let mut expected = Vec::new();
    super::common::for_each_finest_cell(&frame, |_, _, _, q| {
        let kinetic: f64 = q[1..4].iter().map(|m| m * m).sum::<f64>() / q[0];
        let field: f64 = q[5..8].iter().map(|b| b * b).sum();
        let pressure = (q[4] - 0.5 * kinetic - 0.5 * field) * 2.0 / 3.0;
        expected.push([pressure, (pressure / (0.5 * field)).ln() + (field / q[0]).sqrt()]);
    });
    let mut expected = expected.into_iter();
    super::common::for_each_finest_cell(&derived, |_, x, _, found| {
        for (a, b) in expected.next().expect("as many cells").iter().zip(found) {
            // Sums of numbers up to ten in another order.
            assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "{a} and {b} at {x:?}");
        }
    });
}

/// Initial data in the solver's primitive variables are those in its equations' quantities, with the values of its parameters; the variables
/// are known by name to formulas.
#[test]
fn initial_data_may_be_primitive() {
    let solver = ChosenSolver::own(PLASMA);
    let (head, _) = CASE.split_once("[initial]").expect("a section");
    let text = format!(
        "{head}[initial.primitive]\ndensity = '25 / 9'\nu = '-sin(y)'\nv = 'sin(x)'\nw = 0\ngas_pressure = '5 / 3'\n\
         bx = '-sin(y)'\nby = 'sin(2 * x)'\nbz = '0 * u'\npsi = 0\n"
    );
    let start = |text: &str| begin::<2>(&solver, text, &["output.field=[{name='f', formula='gas_pressure + u'}]"]);
    let [primitive, conserved] =
        [text.as_str(), CASE].map(|text| start(text).unwrap_or_else(|e| panic!("{e}")).frame());
    let mut expected = Vec::new();
    super::common::for_each_finest_cell(&conserved, |_, _, _, q| expected.push(q.to_vec()));
    let mut expected = expected.into_iter();
    super::common::for_each_finest_cell(&primitive, |_, x, _, found| {
        for (a, b) in expected.next().expect("as many cells").iter().zip(found) {
            // Sums of numbers up to ten in another order.
            assert!((a - b).abs() < 1e-13, "{a} and {b} at {x:?}");
        }
    });
}

/// Advection of a mass and of a share of it, whose `conserved` is not the inverse of `primitive`.
#[riemann::solver(dim = 1, title = "Advection", equations = ["mass", "part"], waves = 1, primitive = ["mass", "share"])]
pub struct Shares {}

#[riemann::kernels]
impl Shares {
    fn normal(&self, ql: State, qr: State) -> Normal {
        let jump = [qr[0] - ql[0], qr[1] - ql[1]];
        Normal { waves: [jump], speeds: [1.0], amdq: [0.0, 0.0], apdq: jump }
    }

    fn primitive(&self, q: State) -> State {
        [q[0], q[1] / q[0]]
    }

    fn conserved(&self, primitive: State) -> State {
        [primitive[0], primitive[1] * (primitive[0] + 1e-9)]
    }
}

/// Formulas that are not the inverse of each other are found, however little they differ.
#[test]
fn a_wrong_inverse_is_found() {
    let (instance, _) = Instance::own(Shares {});
    let finding = check_primitive(instance.info(), &instance.faces(), &[]).expect("it has primitive variables");
    let Outcome::Fails(example) = finding.outcome else { panic!("{:?}", finding.outcome) };
    assert!(example.to_string().contains("conserved(primitive(ql)): ["), "{example}");
}
