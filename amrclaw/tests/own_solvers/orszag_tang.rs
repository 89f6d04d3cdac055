//! Ideal magnetohydrodynamics in nine equations, one text for one, two and three dimensions: the vortex of Orszag and Tang, an Alfvén wave, a
//! shock tube. The built-in solver is used as one of the user's, since builds for tests have no kernels of it.

use super::{assert_conserved, begin, case_of, range, run_to};
use amrclaw::frames::derived::derive;
use amrclaw::plugin::{ChosenSolver, check_primitive};
use riemann::holds::{Outcome, Sample, Subject, check};
use riemann::plugin::{DOUBLE, Instance};
use riemann::prelude::*;
use riemann::solvers::Mhd;

const PLASMA: Mhd = Mhd { gamma: 5.0 / 3.0, cleaning_speed: 2.5 };

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
[source]
psi = "-4 * psi"
"#;

/// Totals of mass, momentum, energy and field are conserved; the density stays positive and of the order of the data (code comparisons have
/// 1.1 to 6 at t = 1), and the pressure positive. ψ, which the divergence generates, stays small.
#[test]
fn nine_equations_stay_admissible() {
    let solver = ChosenSolver::own_in_double(PLASMA);
    assert!(!solver.shape.has_transverse);
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

/// A circularly polarised Alfvén wave across the mesh: an exact solution of any amplitude, which returns after one period. G. Tóth, J. Comput.
/// Phys. 161 (2000) 605–652, doi:10.1006/jcph.2000.6519, §6.3.1.
const POLARISED: &str = r#"
[mesh]
upper = [2.23606797749979, 1.118033988749895]
[mesh.boundary]
x = "periodic"
y = "periodic"
[scheme]
limiter = "none"
[time]
end = 1.0
[define]
phase = "2 * pi * (x + 2 * y) / sqrt(5)"
[initial.primitive]
density = 1
u = "-0.2 / sqrt(5) * sin(phase)"
v = "0.1 / sqrt(5) * sin(phase)"
w = "0.1 * cos(phase)"
pressure = 0.1
bx = "(1 + 0.2 * sin(phase)) / sqrt(5)"
by = "(2 - 0.1 * sin(phase)) / sqrt(5)"
bz = "-0.1 * cos(phase)"
psi = 0
"#;

/// The mean error of the field, whose components in the plane vary along both axes, falls as that of a scheme of second order: the waves hold
/// what divergences, which the sweeps make and unmake, do to the gas.
#[test]
fn alfven_waves_are_of_second_order() {
    let solver = ChosenSolver::own_in_double(Mhd::<2> { gamma: 5.0 / 3.0, cleaning_speed: 1.5 });
    let error = |cells: [usize; 2]| {
        let mut simulation =
            begin::<2>(&solver, POLARISED, &[&format!("mesh.cells={cells:?}")]).unwrap_or_else(|e| panic!("{e}"));
        let mut start = Vec::new();
        super::common::for_each_finest_cell(&simulation.frame(), |_, _, _, q| start.push(q.to_vec()));
        simulation.advance_to(1.0).unwrap_or_else(|e| panic!("{e}"));
        let (mut total, mut start) = (0.0, start.into_iter());
        super::common::for_each_finest_cell(&simulation.frame(), |_, _, _, q| {
            let before = start.next().expect("as many cells");
            total += (5..8).map(|m| (q[m] - before[m]).abs()).sum::<f64>();
        });
        total / (cells[0] * cells[1]) as f64
    };
    let [coarse, fine] = [[24, 12], [48, 24]].map(error);
    assert!(coarse < 0.03 && coarse / fine > 3.5, "{coarse}, {fine}: order {}", (coarse / fine).log2());
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
"#;

/// The final states along a tube of 60 cells in `D` dimensions.
fn tube<const D: usize>(solver: &ChosenSolver) -> Vec<[f64; 8]> {
    let (cells, corner) = ([60, 4, 4], [1.0, 0.2, 0.2]);
    let mesh = format!("[mesh]\ncells = {:?}\nupper = {:?}\n", &cells[..D], &corner[..D]);
    let sides = ["y = \"periodic\"\n", "z = \"periodic\"\n"][..D - 1].concat();
    let split = if D > 1 { "[scheme]\nsplit = \"godunov\"\n" } else { "" };
    let text = format!(
        "{mesh}[mesh.boundary]\nx = \"extrapolate\"\n{sides}{split}{TUBE}{}",
        ["", "psi = 0"][usize::from(D > 1)]
    );
    let mut simulation = begin::<D>(solver, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    simulation.advance_to(0.1).unwrap_or_else(|e| panic!("{e}"));
    let mut states = vec![[0.0; 8]; 60];
    super::common::for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
        states[(x[0] * 60.0) as usize] = q[..8].try_into().expect("eight equations");
    });
    states
}

/// No property of a solver fails.
fn assert_holds<S, const M: usize, const W: usize, const A: usize>(solver: S)
where
    S: Solver<M, W, A> + Described,
{
    let (instance, _) = Instance::own::<_, _, _, _, DOUBLE>(solver);
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
    // Divergences run slower than fast waves: the steps are the same.
    let (gamma, cleaning_speed) = (2.0, 0.5);
    let (line, plane) = (Mhd::<1> { gamma, cleaning_speed }, Mhd::<2> { gamma, cleaning_speed });
    assert_holds(line);
    assert_holds(plane);
    assert_holds(Mhd::<3> { gamma, cleaning_speed });
    let line = tube::<1>(&ChosenSolver::own_in_double(line));
    assert!(line[20][0] > 0.3 && line[35] != line[34], "the tube has waves: {:?}", line[20]);
    assert_eq!(line, tube::<2>(&ChosenSolver::own_in_double(plane)));
}

/// A solver's own quantities are known by name to formulas of fields, with the values of its parameters.
#[test]
fn quantities_are_known() {
    let solver = ChosenSolver::own_in_double(PLASMA);
    let overrides = ["output.field=[{name='b', formula='log(beta) + fastest'}]"];
    let vocabulary = case_of(&solver, CASE, &overrides).vocabulary();
    let frame = begin::<2>(&solver, CASE, &[]).unwrap_or_else(|e| panic!("{e}")).frame();
    let fields = [("p", "pressure"), ("both", "log(beta) + fastest")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let derived = derive(&frame, &fields, &vocabulary).unwrap_or_else(|e| panic!("{e}"));
    let mut expected = Vec::new();
    super::common::for_each_finest_cell(&frame, |_, _, _, q| {
        let kinetic: f64 = q[1..4].iter().map(|m| m * m).sum::<f64>() / q[0];
        let field: f64 = q[5..8].iter().map(|b| b * b).sum();
        let pressure = (q[4] - 0.5 * kinetic - 0.5 * field) * 2.0 / 3.0;
        let fastest = (kinetic / q[0]).sqrt() + ((5.0 / 3.0 * pressure + field) / q[0]).sqrt();
        expected.push([pressure, (pressure / (0.5 * field)).ln() + fastest]);
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
    let solver = ChosenSolver::own_in_double(PLASMA);
    let (head, _) = CASE.split_once("[initial]").expect("a section");
    let text = format!(
        "{head}[initial.primitive]\ndensity = '25 / 9'\nu = '-sin(y)'\nv = 'sin(x)'\nw = 0\npressure = '5 / 3'\n\
         bx = '-sin(y)'\nby = 'sin(2 * x)'\nbz = '0 * u'\npsi = 0\n"
    );
    let start = |text: &str| begin::<2>(&solver, text, &["output.field=[{name='f', formula='pressure + u'}]"]);
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
    let (instance, _) = Instance::own::<_, _, _, _, DOUBLE>(Shares {});
    let finding = check_primitive(instance.info(), &instance.faces(), &[]).expect("it has primitive variables");
    let Outcome::Fails(example) = finding.outcome else { panic!("{:?}", finding.outcome) };
    assert!(example.to_string().contains("conserved(primitive(ql)): ["), "{example}");
}
