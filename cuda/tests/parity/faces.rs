//! Riemann problems and transverse splittings of all solvers on random admissible states.

use super::support::solvers::{Random, TestSolver, all_in};
use super::{Machine, check};
use cuda::abi::{DeviceStruct, Plain, Pointer, Real};
use cuda::compile::{Source, Target};
use cuda::{DeviceBuffer, Grid};
use riemann::axis::{Axis, Side};
use riemann::faces::FaceSolver;
use riemann::real::Precision;
use riemann::real::Scalar;

/// Faces on which each solver is compared along each axis, `TURN` at a time.
const FACES: usize = 1_000_000;
/// Faces of one launch.
const TURN: usize = 250_000;
/// Kinds of results, each compared relative to its own largest value.
const KINDS: [&str; 4] = ["waves", "speeds", "fluctuations", "transverse"];

cuda::device_struct! {
    /// Argument of the kernel below. Arrays are `[component, face]`.
    pub struct FacesArgs {
        /// States on both sides of the faces: left, then right.
        pub states: Pointer<Real>,
        /// Auxiliary values: left and right of the normal problem; below, here and above of the transverse one.
        pub aux: Pointer<Real>,
        /// Waves, speeds, both fluctuations, and both transverse parts of each fluctuation.
        pub results: Pointer<Real>,
        /// Number of faces.
        pub len: u64,
    }
}

const TEXT: &str = r#"
extern "C" __global__ void faces(const FacesArgs args)
{
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= args.len) return;
    const Solver solver{SOLVER_PARAMETERS};
    State q[2];
    Aux aux[5];
    for (int n = 0; n < 2 * M; n++) q[n / M][n % M] = args.states[n * args.len + i];
    for (int n = 0; n < 5 * A; n++) aux[n / (A > 0 ? A : 1)][n % (A > 0 ? A : 1)] = args.aux[n * args.len + i];
    const Normal face = solver.normal(AXIS, q[0], q[1], aux[0], aux[1]);
    const TransverseAux around{aux[2], aux[3], aux[4]};
    const State mean = solver.mean_state(q[0], q[1]);
    const Axis across = AXIS == X ? Y : X;
    const Transverse lower = solver.transverse(AXIS, across, Lower, q[0], q[1], mean, around, face.amdq);
    const Transverse upper = solver.transverse(AXIS, across, Upper, q[0], q[1], mean, around, face.apdq);
    Real* result = args.results + i;
    for (int n = 0; n < W * M; n++, result += args.len) *result = face.waves[n / M][n % M];
    for (int w = 0; w < W; w++, result += args.len) *result = face.speeds[w];
    const State rest[6] = {face.amdq, face.apdq, lower.bmasdq, lower.bpasdq, upper.bmasdq, upper.bpasdq};
    for (int n = 0; n < 6 * M; n++, result += args.len) *result = rest[n / M][n % M];
}
"#;

/// Random faces of a solver, and the CPU's results for them.
struct Faces<R> {
    states: Vec<R>,
    aux: Vec<R>,
    results: Vec<R>,
}

/// Results of one face, in the kernel's order.
fn solve<R: Scalar>(solver: &dyn FaceSolver<R>, axis: Axis, q: [&[R]; 2], aux: &[&[R]; 5]) -> Vec<R> {
    let face = solver.normal(axis, q, [aux[0], aux[1]]);
    let around = [aux[2], aux[3], aux[4]];
    let across = axis.transverse_2d();
    let lower = solver.transverse(axis, across, Side::Lower, q, around, &face.amdq);
    let upper = solver.transverse(axis, across, Side::Upper, q, around, &face.apdq);
    let rest = [&face.speeds, &face.amdq, &face.apdq, &lower[0], &lower[1], &upper[0], &upper[1]];
    face.waves.iter().chain(rest).flatten().copied().collect()
}

/// Numbers of each kind of results of one face.
fn counts(solver: &TestSolver) -> [usize; 4] {
    let (m, w) = (solver.source.equations, solver.source.waves);
    [w * m, w, 2 * m, 4 * m]
}

fn make<R: Scalar>(solver: &TestSolver, evaluate: &dyn FaceSolver<R>, axis: Axis, seed: u64) -> Faces<R> {
    let [m, a] = [solver.source.equations, solver.source.aux];
    let num_results: usize = counts(solver).iter().sum();
    let mut faces = Faces {
        states: vec![R::default(); 2 * m * TURN],
        aux: vec![R::default(); 5 * a * TURN],
        results: vec![R::default(); num_results * TURN],
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let piece = TURN.div_ceil(threads);
    let solved: Vec<_> = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let mut random = Random::new(seed * 1000 + thread as u64);
            let range = (thread * piece).min(TURN)..((thread + 1) * piece).min(TURN);
            let one = |_| {
                let cells: [_; 5] = std::array::from_fn(|_| solver.state(&mut random));
                let numbers = |values: &[f64]| values.iter().map(|&v| R::from_f64(v)).collect::<Vec<R>>();
                let [q, aux] =
                    [cells.each_ref().map(|(q, _)| numbers(q)), cells.each_ref().map(|(_, aux)| numbers(aux))];
                let results = solve(evaluate, axis, [&q[0], &q[1]], &aux.each_ref().map(|aux| &aux[..]));
                [q[..2].concat(), aux.concat(), results]
            };
            range.map(one).collect::<Vec<_>>()
        };
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("solvers do not panic")).collect()
    });
    for (i, numbers) in solved.iter().enumerate() {
        for (all, of_face) in [&mut faces.states, &mut faces.aux, &mut faces.results].into_iter().zip(numbers) {
            of_face.iter().enumerate().for_each(|(n, &value)| all[n * TURN + i] = value);
        }
    }
    faces
}

/// Compares a solver on one axis; returns the largest difference of each kind, relative to the largest number of the kind.
fn same_faces<R: Scalar + Plain>(
    machine: &Machine,
    solver: &TestSolver,
    evaluate: &dyn FaceSolver<R>,
    (axis, fused): (Axis, bool),
) -> [f64; 4] {
    let source = Source {
        file: "faces.cu",
        texts: vec![TEXT.replace("AXIS", ["X", "Y", "Z"][axis.index()]).leak()],
        definitions: vec![<FacesArgs as DeviceStruct>::cuda_text()],
        defines: vec![],
    };
    let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
    let kernel = machine.device.compile(&source, &target).unwrap_or_else(|error| panic!("{error}"));
    let kernel = kernel.kernel("faces").expect("it has this name");
    let mut worst = [0.0f64; 4];
    for turn in 0..FACES / TURN {
        let faces = make(solver, evaluate, axis, 1 + turn as u64);
        let (states, aux) = (machine.send(&faces.states), machine.send(&faces.aux));
        // Results that the kernel does not write stay NaN.
        let results = machine.send(&vec![R::from_f64(f64::NAN); faces.results.len()]);
        let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
        let args =
            FacesArgs { states: address(&states), aux: address(&aux), results: address(&results), len: TURN as u64 };
        // SAFETY: the buffers live until the results are fetched.
        unsafe { kernel.launch(&machine.stream, Grid::over(TURN, 128), &args) }
            .unwrap_or_else(|error| panic!("{error}"));
        let found = machine.fetch(&results, R::default());
        let mut start = 0;
        for (kind, count) in counts(solver).into_iter().enumerate() {
            let range = start * TURN..(start + count) * TURN;
            let what = format!("{}, {}, fused {fused}, {axis:?}, {}", solver.name, R::NAME, KINDS[kind]);
            let face = |number: usize| {
                let state = |n: usize| faces.states[n * TURN + number % TURN];
                format!("states {:?}", (0..2 * solver.source.equations).map(state).collect::<Vec<_>>())
            };
            let difference = check((&what, &face), fused, &found[range.clone()], &faces.results[range]);
            worst[kind] = worst[kind].max(difference);
            start += count;
        }
    }
    worst
}

#[test]
#[ignore = "needs a GPU"]
fn solvers_agree() {
    let machine = Machine::open();
    println!("{FACES} faces along each axis; f64 without fused operations: to the bit; else the largest difference");
    for (dim, solver) in [2, 3].into_iter().flat_map(|dim| all_in(dim).into_iter().map(move |solver| (dim, solver))) {
        let along_all = |run: &dyn Fn(Axis) -> [f64; 4]| {
            let larger = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|kind| a[kind].max(b[kind]));
            Axis::ALL[..dim].iter().map(|&axis| run(axis)).fold([0.0; 4], larger)
        };
        let (double, single) = (&*solver.faces.double, &*solver.faces.single);
        along_all(&|axis| same_faces::<f64>(&machine, &solver, double, (axis, false)));
        let fused = along_all(&|axis| same_faces::<f64>(&machine, &solver, double, (axis, true)));
        let single = along_all(&|axis| same_faces::<f32>(&machine, &solver, single, (axis, true)));
        let text = |worst: [f64; 4]| worst.map(|d| format!("{d:.1e}")).join(" ");
        println!("{:25} in {dim}D  f64 fused {}   f32 fused {}", solver.name, text(fused), text(single));
    }
}
