//! All solvers that have a text for devices, with random admissible states.

use riemann::catalogue::{self, SolverVisitor};
use riemann::device_source::DeviceSource;
use riemann::faces::Faces;
use riemann::patch::SolverKernels;
use riemann::solver::Solver;
use std::collections::BTreeMap;

type Admissible = dyn Fn(&mut Random) -> (Vec<f64>, Vec<f64>) + Send + Sync;

/// A built-in solver and its text.
pub struct TestSolver {
    pub name: &'static str,
    pub kernels: SolverKernels,
    /// One face at a time.
    pub faces: Faces,
    pub source: DeviceSource,
    /// A state and auxiliary values made of numbers between 0 and 1.
    admissible: Box<Admissible>,
}

/// A generator of numbers that are the same on every machine: xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }
}

impl TestSolver {
    pub fn state(&self, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        (self.admissible)(random)
    }
}

struct Describe(&'static str);

impl SolverVisitor for Describe {
    type Output = Option<TestSolver>;

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output {
        let source = solver.device_source()?;
        let (kernels, faces) = (SolverKernels::new(solver.clone()), Faces::new(solver.clone()));
        let admissible = Box::new(move |random: &mut Random| {
            let state = solver.admissible(std::array::from_fn(|_| random.unit()));
            let aux = solver.admissible_aux(std::array::from_fn(|_| random.unit()));
            (state.to_vec(), aux.to_vec())
        });
        Some(TestSolver { name: self.0, kernels, faces, source, admissible })
    }
}

/// Every built-in solver in two dimensions that has a text.
pub fn all() -> Vec<TestSolver> {
    all_in(2)
}

/// Every built-in solver in `dim` dimensions that has a text.
pub fn all_in(dim: usize) -> Vec<TestSolver> {
    let solvers = catalogue::all().iter().filter(|info| info.dim == dim);
    let build = |info: &'static catalogue::SolverInfo| {
        let parameters: BTreeMap<String, f64> =
            info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.25))).collect();
        catalogue::build(info.name, info.dim, &parameters, Describe(info.name)).expect("the parameters are possible")
    };
    solvers.filter_map(build).collect()
}
