//! Which quantities of a solver's states must be positive, and their values.

use riemann::axis::Axis;
use riemann::catalogue;
use riemann::lattice::Lattice;
use riemann::patch::{PatchSolver, SourceRow};
use std::collections::BTreeMap;
use std::sync::Arc;

fn kernels(name: &str, dim: usize) -> Arc<dyn PatchSolver<f64>> {
    let kernels = catalogue::kernels(name, dim, &parameters(name, dim)).unwrap_or_else(|e| panic!("{e}"));
    kernels.expect("tests have all kernels").double
}

/// The value 1 for every parameter that has no default.
fn parameters(name: &str, dim: usize) -> BTreeMap<String, f64> {
    let info = catalogue::find(name, dim).expect("listed");
    info.parameters.iter().filter(|p| p.default.is_none()).map(|p| (p.name.to_owned(), 1.0)).collect()
}

fn quantities(solver: &dyn PatchSolver<f64>, q: &[f64], aux: &[f64]) -> Vec<f64> {
    let mut values = vec![f64::NAN; solver.positive().len() + solver.nonnegative().len()];
    solver.quantities(q, aux, &mut values);
    values
}

/// The first inadmissible state of `cells`; `data`: checked as initial data.
fn first_inadmissible(solver: &dyn PatchSolver<f64>, cells: &[&[f64]], data: bool) -> Option<usize> {
    let mut by_component: Vec<f64> = (0..cells[0].len()).flat_map(|m| cells.iter().map(move |cell| cell[m])).collect();
    let q = by_component.as_mut_ptr();
    let (len, aux) = (cells.len(), std::ptr::null());
    let row = SourceRow {
        q,
        aux,
        len,
        component: len,
        lattice: Lattice::point([0.0; 3], [1.0; 3]),
        first: [0; 3],
        t: 0.0,
        dt: 0.0,
    };
    // SAFETY: the row holds all components of its cells, and the solver has no aux.
    unsafe { solver.first_inadmissible(&row, data) }
}

/// Random numbers between 0 and 1.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The states that `admissible` makes of random numbers are admissible, for every solver.
#[test]
fn states_to_try_are_admissible() {
    let mut checked = 0;
    for info in catalogue::all().iter().filter(|info| !info.on_demand) {
        let ones = parameters(info.name, info.dim);
        // Solvers that few cases use have no kernels in quick builds.
        let Some(kernels) = catalogue::kernels(info.name, info.dim, &ones).expect("valid") else { continue };
        let solver = kernels.double;
        let faces = catalogue::faces(info.name, info.dim, &parameters(info.name, info.dim)).expect("valid");
        let faces = faces.expect("tests have those of all").double;
        assert_eq!((solver.positive(), solver.nonnegative()), (info.positive, info.nonnegative), "{}", info.name);
        let mut random = Random(1);
        let mut unit = |len: usize| -> Vec<f64> { (0..len).map(|_| random.unit()).collect() };
        for _ in 0..500 {
            let q = faces.admissible(&unit(info.equations.len()));
            let aux = faces.admissible_aux(&unit(info.aux.len()));
            let values = quantities(solver.as_ref(), &q, &aux);
            let (positive, nonnegative) = values.split_at(info.positive.len());
            assert!(positive.iter().all(|v| *v > 0.0), "{}: {values:?} of {q:?}", info.name);
            assert!(nonnegative.iter().all(|v| *v >= 0.0), "{}: {values:?} of {q:?}", info.name);
        }
        checked += usize::from(!info.positive.is_empty());
    }
    assert!(checked >= 6, "{checked} solvers say what must be positive");
}

/// Density, and `p = (γ − 1)(E − ρ|u|²/2)`: at ρ = 2, ρu = (2, 4), E = 8 that is 0.4 (8 − 20/4).
#[test]
fn a_gas_has_density_and_pressure() {
    for name in ["euler", "euler_hllc"] {
        let gas = kernels(name, 2);
        assert_eq!(gas.positive(), ["density", "pressure"]);
        let values = quantities(gas.as_ref(), &[2.0, 2.0, 4.0, 8.0], &[]);
        assert_eq!(values[0], 2.0);
        // Two roundings of the reciprocal and the difference.
        assert!((values[1] - 1.2).abs() < 1e-15, "{values:?}");
        let (right, thin) = ([2.0, 2.0, 4.0, 8.0], [-1e-9, 0.0, 0.0, 8.0]);
        let (cold, broken) = ([2.0, 2.0, 4.0, 4.9], [2.0, f64::NAN, 4.0, 8.0]);
        for data in [false, true] {
            assert_eq!(first_inadmissible(gas.as_ref(), &[&right, &right], data), None);
            for wrong in [thin, cold, broken] {
                assert_eq!(first_inadmissible(gas.as_ref(), &[&right, &wrong, &thin], data), Some(1), "{wrong:?}");
            }
        }
    }
}

/// Depths must not be negative in data; steps may leave negative ones, which the formulas treat as dry land.
#[test]
fn what_must_not_be_negative_is_asked_of_data_alone() {
    let water = kernels("shallow_water", 2);
    assert_eq!((water.positive(), water.nonnegative()), (&[][..], &["depth"][..]));
    let (dry, below): (&[f64], &[f64]) = (&[0.0, 0.0, 0.0], &[-1e-3, 0.0, 0.0]);
    assert_eq!(first_inadmissible(water.as_ref(), &[dry, below], true), Some(1));
    assert_eq!(first_inadmissible(water.as_ref(), &[dry, below], false), None);
    let cars = kernels("traffic", 1);
    assert_eq!(first_inadmissible(cars.as_ref(), &[&[0.0], &[1.0], &[1.25]], true), Some(2));
    assert_eq!(quantities(cars.as_ref(), &[1.25], &[]), [1.25, -0.25]);
}

/// Auxiliary values named as positive are checked with the data.
#[test]
fn auxiliary_values_must_be_positive_too() {
    let medium = kernels("acoustics_variable", 2);
    assert_eq!(medium.positive(), ["impedance", "sound_speed"]);
    assert_eq!(quantities(medium.as_ref(), &[0.0; 3], &[2.0, -1.0]), [2.0, -1.0]);
}

/// A step of first order leaves thin states admissible: what a face takes from a cell is less than the cell has where no wave crosses half of
/// it, however much thinner one side is. Steps fall back to that, so nothing is behind it. Round-off may take from a cell what it lets in: a part in
/// 10¹² of the step's change.
#[test]
fn first_order_keeps_thin_states_admissible() {
    for info in catalogue::all().iter().filter(|info| !info.on_demand && info.aux.is_empty()) {
        if info.positive.is_empty() && info.nonnegative.is_empty() {
            continue;
        }
        let ones = parameters(info.name, info.dim);
        let Some(kernels) = catalogue::kernels(info.name, info.dim, &ones).expect("valid") else { continue };
        let faces =
            catalogue::faces(info.name, info.dim, &ones).expect("valid").expect("tests have those of all").double;
        let mut random = Random(7);
        for _ in 0..20_000 {
            let mut state = || {
                let thin = 1e-9_f64.powf(random.unit() * random.unit());
                let unit: Vec<f64> = info.equations.iter().map(|_| random.unit()).collect();
                faces.admissible(&unit).iter().map(|q| thin * q).collect::<Vec<f64>>()
            };
            let (ql, qr) = (state(), state());
            let speeds = [[&ql, &ql], [&ql, &qr], [&qr, &qr]].map(|[l, r]| {
                faces.normal(Axis::X, [l, r], [&[], &[]]).speeds.iter().fold(0.0, |a, s| f64::max(a, s.abs()))
            });
            let ratio = 0.45 / speeds.iter().fold(0.0, |a, &s| f64::max(a, s));
            let face = faces.normal(Axis::X, [&ql, &qr], [&[], &[]]);
            for (q, dq) in [(&ql, &face.amdq), (&qr, &face.apdq)] {
                let new: Vec<f64> = q.iter().zip(dq).map(|(q, dq)| q - ratio * dq).collect();
                let least = -1e-12 * ratio * dq.iter().fold(0.0, |a, dq| f64::max(a, dq.abs()));
                let values = quantities(kernels.double.as_ref(), &new, &[]);
                assert!(values.iter().all(|v| *v >= least), "{}: {values:?} of {ql:?} beside {qr:?}", info.name);
            }
        }
    }
}
