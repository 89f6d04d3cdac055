//! All solvers that have a text for devices, with random admissible states.

use riemann::catalogue::{self, SolverVisitor};
use riemann::device_source::DeviceSource;
use riemann::patch::SolverKernels;
use riemann::solver::Solver;
use std::collections::BTreeMap;

type Admissible = dyn Fn(&mut Random) -> (Vec<f64>, Vec<f64>) + Send + Sync;

/// A built-in solver and its text.
pub struct TestSolver {
    pub name: &'static str,
    pub kernels: SolverKernels,
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
        let source = solver.device_source().or_else(|| by_hand(self.0))?;
        let kernels = SolverKernels::new(solver.clone());
        let admissible = Box::new(move |random: &mut Random| {
            let state = solver.admissible(std::array::from_fn(|_| random.unit()));
            let aux = solver.admissible_aux(std::array::from_fn(|_| random.unit()));
            (state.to_vec(), aux.to_vec())
        });
        Some(TestSolver { name: self.0, kernels, source, admissible })
    }
}

/// Every built-in solver that has a text.
pub fn all() -> Vec<TestSolver> {
    let solvers = catalogue::all().iter().filter(|info| info.dim == 2);
    let build = |info: &'static catalogue::SolverInfo| {
        let parameters: BTreeMap<String, f64> =
            info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.25))).collect();
        catalogue::build(info.name, &parameters, Describe(info.name)).expect("the parameters are possible")
    };
    solvers.filter_map(build).collect()
}

fn by_hand(name: &str) -> Option<DeviceSource> {
    let source = |body: &str, parameters: &[(&'static str, f64)], [equations, waves, aux]: [usize; 3]| DeviceSource {
        body: body.into(),
        parameters: parameters.to_vec(),
        equations,
        waves,
        aux,
        fwaves: false,
        has_source: false,
        has_boundary: false,
        has_flag: false,
    };
    match name {
        "acoustics" => Some(source(ACOUSTICS, &[("density", 1.25), ("bulk", 1.25)], [3, 2, 0])),
        "advection_edge" => Some(source(ADVECTION_EDGE, &[], [1, 1, 2])),
        _ => None,
    }
}

const ACOUSTICS: &str = r"    Real density; Real bulk;
    __device__ __forceinline__ Real sound_speed() const { return real_sqrt(bulk / density); }
    __device__ __forceinline__ Real impedance() const { return density * sound_speed(); }
    __device__ __forceinline__ Array<Real, 2> strengths(Real pressure, Real velocity) const {
        const Real half_admittance = Real(0.5) / impedance();
        const Real scaled = impedance() * velocity;
        Array<Real, 2> s; s[0] = (scaled - pressure) * half_admittance; s[1] = (scaled + pressure) * half_admittance; return s;
    }
    __device__ __forceinline__ Normal normal(Axis axis, State ql, State qr, Aux, Aux) const {
        const int n = axis == X ? 1 : 2;
        const Real c = sound_speed(), z = impedance();
        const Array<Real, 2> s = strengths(qr[0] - ql[0], qr[n] - ql[n]);
        Normal r;
        for (int m = 0; m < 3; m++) { r.waves[0][m] = r.waves[1][m] = r.amdq[m] = r.apdq[m] = Real(0.0); }
        r.waves[0][0] = -s[0] * z; r.waves[0][n] = s[0];
        r.waves[1][0] = s[1] * z; r.waves[1][n] = s[1];
        r.amdq[0] = -c * r.waves[0][0]; r.amdq[n] = -c * s[0];
        r.apdq[0] = c * r.waves[1][0]; r.apdq[n] = c * s[1];
        r.speeds[0] = -c; r.speeds[1] = c;
        return r;
    }
    __device__ __forceinline__ Transverse transverse(Axis axis, Side, State, State, TransverseAux, State asdq) const {
        const int t = axis == X ? 2 : 1;
        const Real c = sound_speed(), z = impedance();
        const Array<Real, 2> s = strengths(asdq[0], asdq[t]);
        const Real down = c * s[0], up = c * s[1];
        Transverse r;
        for (int m = 0; m < 3; m++) r.bmasdq[m] = r.bpasdq[m] = Real(0.0);
        r.bmasdq[0] = down * z; r.bmasdq[t] = -down;
        r.bpasdq[0] = up * z; r.bpasdq[t] = up;
        return r;
    }
";
const ADVECTION_EDGE: &str = r"
    __device__ __forceinline__ Normal normal(Axis axis, State ql, State qr, Aux, Aux aux_r) const {
        const Real speed = aux_r[axis];
        const Real wave = qr[0] - ql[0];
        Normal r;
        r.waves[0][0] = wave; r.speeds[0] = speed;
        r.amdq[0] = real_min(speed, Real(0.0)) * wave; r.apdq[0] = real_max(speed, Real(0.0)) * wave;
        return r;
    }
    __device__ __forceinline__ Transverse transverse(Axis axis, Side, State, State, TransverseAux aux, State asdq) const {
        const int t = axis == X ? 1 : 0;
        Transverse r;
        r.bmasdq[0] = real_min(aux.here[t], Real(0.0)) * asdq[0]; r.bpasdq[0] = real_max(aux.above[t], Real(0.0)) * asdq[0];
        return r;
    }
";
