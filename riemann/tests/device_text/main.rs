//! The CUDA C++ of every solver computes the bits that its Rust computes, in both precisions.
//!
//! The text is compiled for the host, with the few definitions that it needs and without contraction to fused
//! multiply-adds, as device code is where equal bits are required. Equality is exact: both texts are the same
//! IEEE operations in the same order. Tests on devices check what the device compiler makes of the text.

#[allow(dead_code, reason = "the tests of the solvers' properties use the rest")]
#[path = "../holds/cases.rs"]
mod cases;
mod dimensions;
mod every_feature;
#[path = "../../src/holds/random.rs"]
mod random;

use cases::in_space::for_every_solver_in_space;
use cases::{Case, Property, for_every_solver};
use every_feature::EveryFeature;
use random::Random;
use riemann::device_source::DeviceSource;
use riemann::prelude::*;
use riemann::real::Scalar;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Faces per solver.
const FACES: usize = 500;

/// A program that runs the texts of several solvers, with input and expected output of each.
#[derive(Default)]
struct Program {
    text: String,
    calls: String,
    runs: Vec<Run>,
}

/// One solver in one precision.
struct Run {
    name: String,
    input: Vec<u8>,
    expected: Vec<u8>,
    number_bytes: usize,
}

impl Program {
    fn new() -> Self {
        let text = format!("#include \"shim.h\"\n{}", riemann::elementary::device_text());
        Program { text, ..Program::default() }
    }

    /// Adds a solver in precision `R`.
    fn add<S, R, const M: usize, const W: usize, const A: usize>(&mut self, case: &Case<S, M, A>)
    where
        S: Solver<M, W, A>,
        R: Scalar,
    {
        let source = case.solver.device_source().expect("the solver is made by the macro");
        let name = format!("{}_{}", case.name.replace(' ', "_"), R::NAME);
        let real = if R::NAME == "f32" { "float" } else { "double" };
        let flags = [("SOURCE", source.has_source), ("BOUNDARY", source.has_boundary), ("FLAG", source.has_flag)];
        for (flag, set) in flags.into_iter().chain([("BESIDE", source.looks_beside), ("TRANSFER", source.has_transfer)])
        {
            let _ = writeln!(self.text, "#undef HAS_{flag}");
            if set {
                let _ = writeln!(self.text, "#define HAS_{flag}");
            }
        }
        let DeviceSource { body, parameters, .. } = source;
        let values: Vec<_> = parameters.iter().map(|(_, value)| format!("Real({value:?})")).collect();
        let _ = write!(
            self.text,
            "namespace {name} {{\ntypedef {real} Real;\nconst int M = {M}, W = {W}, A = {A}, D = {};\n#include \"solver.h\"\n\
             struct Solver {{\n{body}}};\nconst Solver solver{{{}}};\n#include \"run.h\"\n}}\n",
            S::DIM,
            values.join(", ")
        );
        let mut run = Run { name, input: Vec::new(), expected: Vec::new(), number_bytes: R::BYTES };
        let mut random = Random::new(23);
        for _ in 0..FACES {
            run.face::<S, R, M, W, A>(case, &mut random);
        }
        let (k, name) = (self.runs.len(), &run.name);
        let _ = writeln!(self.calls, "    {name}::run(\"{k}.in\", \"{k}.out\");");
        self.runs.push(run);
    }

    /// Compiles and runs the program in `folder` and compares. `false` if there is no compiler here.
    fn agrees(&self, folder: &Path) -> bool {
        std::fs::create_dir_all(folder).expect("a folder for the test");
        let main = format!("{}int main() {{\n{}}}\n", self.text, self.calls);
        std::fs::write(folder.join("main.cpp"), main).expect("written");
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/device_text");
        let arguments =
            ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"];
        let unused = ["-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-but-set-variable"];
        let mut compile = Command::new("g++");
        compile.args(arguments).args(unused).arg("-I").arg(here).args(["main.cpp", "-o", "main"]).current_dir(folder);
        let Ok(made) = compile.output() else { return false };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        for (k, run) in self.runs.iter().enumerate() {
            std::fs::write(folder.join(format!("{k}.in")), &run.input).expect("written");
        }
        let ran = Command::new(folder.join("main")).current_dir(folder).status().expect("the program starts");
        assert!(ran.success());
        for (k, run) in self.runs.iter().enumerate() {
            run.compare(&std::fs::read(folder.join(format!("{k}.out"))).expect("the program wrote it"));
        }
        true
    }
}

impl Run {
    /// Appends a random face to the input, and the Rust solver's results for it to the expected output.
    fn face<S, R, const M: usize, const W: usize, const A: usize>(&mut self, case: &Case<S, M, A>, random: &mut Random)
    where
        S: Solver<M, W, A>,
        R: Scalar,
    {
        let (solver, from) = (&case.solver, R::from_f64);
        let ql = (case.state)(random).map(from);
        let qr = (case.state)(random).map(from);
        let asdq: [R; M] = std::array::from_fn(|_| from(random.between(-1.0, 1.0)));
        let aux: [[R; A]; 4] = std::array::from_fn(|_| (case.aux)(random).map(from));
        for numbers in [&ql[..], &qr, &asdq, aux.as_flattened()] {
            put(&mut self.input, numbers);
        }
        let [left, below, here, above] = aux;
        let out = &mut self.expected;
        let x = [ql[0], qr[0], R::default()];
        for axis in Axis::ALL.into_iter().take(S::DIM) {
            let face = solver.normal(axis, ql, qr, left, here);
            let steepness = solver.steepness(axis, ql, qr, left, here);
            let beside = solver.normal_beside(axis, ql, qr, left, here, steepness);
            for face in std::iter::once(face).chain(S::LOOKS_BESIDE.then_some(beside)) {
                for numbers in [face.waves.as_flattened(), &face.speeds, &face.amdq, &face.apdq] {
                    put(out, numbers);
                }
            }
            for side in Side::BOTH {
                for across in axis.transverse(S::DIM) {
                    let around = TransverseAux { below, here, above };
                    let split = solver.transverse(axis, across, side, ql, qr, solver.mean_state(ql, qr), &around, asdq);
                    put(out, &split.bmasdq);
                    put(out, &split.bpasdq);
                }
                if S::HAS_BOUNDARY {
                    put(out, &solver.boundary(axis, side, x, qr[0], ql));
                }
            }
        }
        if S::HAS_SOURCE {
            put(out, &solver.source(x, qr[0], from(0.25), ql, here));
        }
        for aux in if S::TRANSFERS { vec![left, here] } else { Vec::new() } {
            let t = solver.to_transfer(ql, left);
            put(out, &t);
            put(out, &solver.from_transfer(t, aux));
            put(out, &solver.transfer_weight(t, aux));
        }
        if S::HAS_FLAG {
            put(out, &[from(if solver.flag(x, qr[0], ql, here, [qr, asdq, ql], [asdq, ql, qr]) { 1.0 } else { 0.0 })]);
        }
    }

    fn compare(&self, found: &[u8]) {
        assert_eq!(found.len(), self.expected.len(), "{}", self.name);
        let numbers = found.chunks_exact(self.number_bytes).zip(self.expected.chunks_exact(self.number_bytes));
        for (k, (found, expected)) in numbers.enumerate() {
            assert!(found == expected, "{}: number {k}: {} in C++, {} in Rust", self.name, show(found), show(expected));
        }
    }
}

fn show(bytes: &[u8]) -> f64 {
    match bytes {
        &[a, b, c, d] => f64::from(f32::from_ne_bytes([a, b, c, d])),
        _ => f64::from_ne_bytes(bytes.try_into().expect("eight bytes")),
    }
}

/// Appends the bytes of numbers.
fn put<R: Scalar>(bytes: &mut Vec<u8>, numbers: &[R]) {
    for number in numbers {
        match R::BYTES {
            4 => bytes.extend((number.to_f64() as f32).to_ne_bytes()),
            _ => bytes.extend(number.to_f64().to_ne_bytes()),
        }
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("device_text").join(name)
}

/// Adds each solver that it visits to the program.
struct Add(RefCell<Program>);

impl Property for Add {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        let mut program = self.0.borrow_mut();
        program.add::<S, f64, M, W, A>(case);
        program.add::<S, f32, M, W, A>(case);
    }
}

#[test]
fn both_texts_of_every_solver_give_the_same_bits() {
    let add = Add(RefCell::new(Program::new()));
    for_every_solver(&add);
    for_every_solver_in_space(&add);
    if !add.0.into_inner().agrees(&folder("solvers")) {
        eprintln!("no g++ here: the texts were not compared");
    }
}

#[test]
fn both_texts_of_every_feature_give_the_same_bits() {
    let mut program = Program::new();
    let case = every_feature::case();
    program.add::<_, f64, 3, 2, 2>(&case);
    program.add::<_, f32, 3, 2, 2>(&case);
    if !program.agrees(&folder("features")) {
        eprintln!("no g++ here: the texts were not compared");
    }
}

/// Each lane of a pack has the bits that it has alone, in whichever round it leaves a loop.
#[test]
fn lanes_leave_loops_alone() {
    fn compare<R: Scalar, V: Real<Scalar = R>>() {
        let mut random = Random::new(31);
        for _ in 0..500 {
            let [x, y] = [1.0, 2.0].map(|size| [R::default(); 16].map(|_| R::from_f64(random.between(-size, size))));
            // SAFETY: a pack has at most 16 lanes.
            let together = unsafe { EveryFeature::rounds::<V>(V::load(x.as_ptr()), V::load(y.as_ptr())) };
            for (k, together) in together.into_iter().enumerate() {
                let mut lanes = [R::default(); 16];
                // SAFETY: as above.
                unsafe { together.store(lanes.as_mut_ptr()) };
                for lane in 0..V::LANES {
                    let alone = EveryFeature::rounds::<R>(x[lane], y[lane])[k];
                    assert_eq!(lanes[lane].to_f64().to_bits(), alone.to_f64().to_bits(), "number {k}, lane {lane}");
                }
            }
        }
    }
    fn all<R: Scalar>() {
        compare::<R, R::Portable>();
        #[cfg(target_arch = "x86_64")]
        if riemann::patch::Isa::available().contains(&riemann::patch::Isa::Avx2) {
            compare::<R, R::Avx2>();
        }
    }
    all::<f64>();
    all::<f32>();
}

/// The comparison can fail: a different parameter gives different bits.
#[test]
#[should_panic(expected = "in C++")]
fn a_difference_is_found() {
    let mut program = Program::new();
    program.add::<_, f64, 3, 2, 0>(&cases::acoustics());
    program.text = program.text.replace("Real(3.7)", "Real(3.7000000000000006)");
    assert!(program.agrees(&folder("difference")), "in C++ nothing was compared: there is no g++ here");
}
