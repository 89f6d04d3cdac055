//! All solvers that have a CUDA text, with random admissible states.

#[allow(dead_code, reason = "tests of tilings describe it")]
#[path = "../../../riemann/tests/isa/looking.rs"]
mod looking;

use looking::Looking;
use riemann::catalogue;
use riemann::device_source::DeviceSource;
use riemann::faces::Faces;
use riemann::frame::FaceFrame;
use riemann::patch::SolverKernels;
use riemann::solver::Solver;
use std::collections::BTreeMap;

/// A built-in solver and its text.
pub struct TestSolver {
    pub name: &'static str,
    pub kernels: SolverKernels,
    /// One face at a time.
    pub faces: Faces,
    pub source: DeviceSource,
}

/// A random number generator with the same numbers on every machine: xorshift64*.
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
    /// A random admissible state, and auxiliary values.
    pub fn state(&self, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
        self.state_between(random, [0.0, 1.0])
    }

    /// A random admissible state, and auxiliary values, made from numbers between `low` and `high`.
    pub fn state_between(&self, random: &mut Random, [low, high]: [f64; 2]) -> (Vec<f64>, Vec<f64>) {
        let mut units = |count: usize| (0..count).map(|_| low + (high - low) * random.unit()).collect::<Vec<_>>();
        let kernels = &self.kernels.double;
        let (state, aux) = (units(kernels.equations().len()), units(kernels.aux().len()));
        (self.faces.double.admissible(&state), self.faces.double.admissible_aux(&aux))
    }
}

/// Every built-in solver in two dimensions that has a text.
pub fn all() -> Vec<TestSolver> {
    all_in(2)
}

/// Every built-in solver in `dim` dimensions that has a text, and kernels in this build.
pub fn all_in(dim: usize) -> Vec<TestSolver> {
    let solvers = catalogue::all().iter().filter(|info| info.dim == dim && !info.on_demand);
    let build = |info: &'static catalogue::SolverInfo| {
        let parameters: BTreeMap<String, f64> =
            info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.25))).collect();
        let kernels = catalogue::kernels(info.name, info.dim, &parameters).expect("the parameters are possible");
        assert!(kernels.is_some() || info.looks_beside, "tests have all others");
        let kernels = kernels?;
        let faces = catalogue::faces(info.name, info.dim, &parameters).expect("the parameters are possible")?;
        let source = kernels.double.device_source()?;
        Some(TestSolver { name: info.name, kernels, faces, source })
    };
    let looking = match dim {
        2 => {
            vec![
                test_solver("looking", Looking::<2>),
                test_solver::<_, 3, 1, 8>("looking, mapped", FaceFrame::<_, 1>(Looking::<2>)),
            ]
        }
        3 => vec![test_solver("looking", Looking::<3>)],
        _ => Vec::new(),
    };
    solvers.filter_map(build).chain(looking.into_iter().flatten()).collect()
}

/// A solver that is not built in.
fn test_solver<S, const M: usize, const W: usize, const A: usize>(name: &'static str, solver: S) -> Option<TestSolver>
where
    S: Solver<M, W, A>,
{
    let (source, faces) = (solver.device_source()?, Faces::new(solver.clone()));
    Some(TestSolver { name, kernels: SolverKernels::new(solver), faces, source })
}
