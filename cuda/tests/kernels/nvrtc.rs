//! Every kernel compiles for every built-in solver that has a CUDA text, in both precisions, for the supported
//! architectures. Kernels whose code is not examined are compiled with little optimisation. Needs no GPU, but NVRTC, which
//! `cargo xtask cuda` installs before it runs this.

use super::fault::Fault;
use super::support::elementary;
use super::support::level::{FULLEST, fewer_options, fullest, option_table};
use super::support::solvers::{all, all_in};
use cuda::amr::{CaseFunction, CellLimiter, CellShape, Group, Shape, UpdateOptions, mapped_cells};
use cuda::cache;
use cuda::compile::{Source, Target};
use cuda::nvrtc::Nvrtc;
use riemann::device_source::DeviceSource;
use riemann::limiter::Limiter;
use riemann::real::Precision;
use riemann::solver::{Described, Solver};
use std::collections::BTreeSet;

/// The oldest supported architecture, and that of the machines used for benchmarks. One solver and precision suffice to find what the
/// older one lacks: only `OF_BOTH` is compiled for it.
const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];
const OF_BOTH: (&str, Precision) = ("acoustics", Precision::F64);

/// The architectures for which a solver's text is compiled.
fn architectures(solver: &str, precision: Precision) -> &'static [&'static str] {
    if (solver, precision) == OF_BOTH { &ARCHITECTURES } else { &ARCHITECTURES[1..] }
}

/// `f64`, and `f32` too if `in_both`.
fn precisions(in_both: bool) -> impl Iterator<Item = Precision> {
    [Precision::F64].into_iter().chain(in_both.then_some(Precision::F32))
}

/// Registers, bytes of stack and bytes spilt, from the assembler's lines in the log.
fn resources(log: &str) -> String {
    let lines = log.lines().filter(|line| line.contains("registers") || line.contains("spill"));
    lines.map(|line| line.trim_start_matches("ptxas info    :").trim()).collect::<Vec<_>>().join("; ")
}

#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_compiles_for_every_solver() {
    let nvrtc = Nvrtc::get().unwrap_or_else(|error| panic!("{error}"));
    println!("NVRTC {:?} at {}", nvrtc.version(), nvrtc.path().display());
    let solvers = all();
    assert!(!solvers.is_empty());
    for solver in &solvers {
        for precision in [Precision::F64, Precision::F32] {
            // Options differ little for the compiler: each is compiled once, the fullest for all architectures and in both precisions.
            for (options, _) in &fewer_options(solver) {
                let fullest =
                    options.capacity.is_none() && options.order == 2 && options.limiters[0] == Limiter::VanLeer;
                if precision == Precision::F32 && !fullest {
                    continue;
                }
                for &architecture in
                    architectures(solver.name, precision).iter().rev().take(if fullest { 2 } else { 1 })
                {
                    let target = Target { precision, fused: true, solver: Some(solver.source.clone()) };
                    let source = options.source(&solver.source, precision);
                    let compile = if fullest { Source::compile } else { Source::compile_quickly };
                    let compiled = compile(&source, &target, architecture).unwrap_or_else(|error| panic!("{error}"));
                    assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}: no machine code", solver.name);
                    if fullest {
                        let found = resources(&compiled.log);
                        println!("{} {} {architecture}: {found}", solver.name, precision.name());
                    }
                }
            }
        }
    }
}

/// The update compiles for the solver that provokes a fault in a kernel, whose text is written by hand.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_of_the_fault_compiles() {
    let source = Fault::from_parameters(&[1.0]).device_source().expect("it has a text");
    let options = UpdateOptions {
        order: 2,
        transverse: 0,
        double_transverse: false,
        limiters: vec![Limiter::Mc],
        capacity: None,
        sweep: [true, false, false],
        keeps_faces: true,
    };
    let target = Target { precision: Precision::F64, fused: true, solver: Some(source.clone()) };
    let compiled = options.source(&source, Precision::F64).compile(&target, "sm_90");
    compiled.unwrap_or_else(|error| panic!("{error}"));
}

/// In three dimensions, for one architecture: the fullest update of all axes at once, and of one axis; in `f32` for one solver only. All
/// keep faces: updates that do not differ by a few lines. All axes at once take minutes to compile for solvers with many waves, which are
/// compiled only where they run.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_update_in_space_compiles() {
    for solver in all_in(3) {
        for precision in precisions(solver.name == OF_BOTH.0) {
            let at_once = (solver.source.waves <= 2).then_some([true; 3]);
            for sweep in at_once.into_iter().chain([[false, false, true]]) {
                let options = fullest(&solver, sweep, Limiter::VanLeer);
                let target = Target { precision, fused: true, solver: Some(solver.source.clone()) };
                let source = options.source(&solver.source, precision);
                let compiled = source.compile(&target, "sm_90").unwrap_or_else(|error| panic!("{error}"));
                assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}: no machine code", solver.name);
                println!("{} {} {sweep:?}: {}", solver.name, precision.name(), resources(&compiled.log));
            }
        }
    }
}

/// The geometry of mapped grids: in two and three dimensions, with the identity as mapping, stored after one of the solver's auxiliary values.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_geometry_compiles() {
    const MAP: &str = "__device__ const int MAP_FINEST[] = {8, 8, 8}, NUM_OWN = 1;
__device__ const double MAP_DX[] = {0.125, 0.125, 0.125}, MAP_LOWER[] = {0.0, 0.0, 0.0}, MAP_UPPER[] = {1.0, 1.0, 1.0};
__device__ const bool MAP_PERIODIC[] = {false, true, false}, MAP_FACES_BEHIND_WALLS = false;
__device__ const int MAP_BEYOND[][2] = {{-2, -2}, {1, 1}, {-2, 0}};
__device__ const double MAP_NO_FACE[3][2][2] = {};
template <class Where> __device__ __forceinline__ void map_position(const Where& at, double* values)
{
    for (int d = 0; d < DIM; d++) values[d] = at.centre(d);
}
__device__ __forceinline__ void own_values(const Point& at, double* values) { values[0] = at.centre(0); }
";
    for dim in [2, 3] {
        let num_values = 1 + (dim + 1) * dim + 1;
        let shape = Shape {
            dim,
            num_ghost: 2,
            equations: 3,
            aux: num_values,
            capacity: -1,
            aux_face: vec![-1; num_values],
            aux_signs: vec![0; num_values],
            sourced: true,
            cells: None,
        };
        let text = format!("{MAP}{}", mapped_cells(dim));
        let function = CaseFunction { text, solves: false, num_values, positive: vec![num_values - 1] };
        for precision in [Precision::F64, Precision::F32] {
            let target = Target { precision, fused: false, solver: None };
            let (source, target) = shape.text_of_case(Group::Evaluate, &function, &target);
            let compiled = source.compile(&target, "sm_90").unwrap_or_else(|error| panic!("{error}"));
            println!("{dim} dimensions, {}: {}", precision.name(), resources(&compiled.log));
        }
    }
}

/// Every group of the registry that calls no solver: it is specialised only by dimension, auxiliary values and capacity. In `f32` only with
/// auxiliary values.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_over_regions_compiles() {
    // Texts that do not depend on the case are compiled once.
    let mut compiled = BTreeSet::new();
    for (dim, aux, capacity) in [(1, 0, -1), (1, 1, 0), (2, 0, -1), (2, 2, 1), (3, 0, -1), (3, 1, 0)] {
        let shape = Shape {
            dim,
            num_ghost: 2,
            equations: 3,
            aux,
            capacity,
            aux_face: vec![-1; aux],
            aux_signs: vec![0; aux],
            sourced: true,
            cells: None,
        };
        for precision in precisions(aux > 0) {
            let target = Target { precision, fused: false, solver: None };
            for group in Group::ALL.into_iter().filter(|&group| !group.solves()) {
                let (source, own_target) = shape.text(group, &target);
                if compiled.insert(source.assemble(&own_target)) {
                    let architectures = architectures(OF_BOTH.0, precision);
                    architectures.iter().for_each(|architecture| compiles(&shape, group, &target, architecture));
                }
            }
        }
    }
}

/// Every group that calls the solver, for every solver in one, two and three dimensions. In `f32` for one solver only, since the tests of the
/// update compile every solver's text in `f32`.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_that_calls_a_solver_compiles() {
    for (dim, solver) in (1..=3).flat_map(|dim| all_in(dim).into_iter().map(move |solver| (dim, solver))) {
        let DeviceSource { equations, aux, has_source, .. } = solver.source;
        let shape = Shape {
            dim,
            num_ghost: 2,
            equations,
            aux,
            capacity: -1,
            aux_face: vec![-1; aux],
            aux_signs: vec![0; aux],
            sourced: true,
            cells: None,
        };
        for precision in precisions(solver.name == OF_BOTH.0) {
            let target = Target { precision, fused: true, solver: Some(solver.source.clone()) };
            let groups = Group::ALL.into_iter().filter(|&group| group.solves());
            for group in groups.filter(|&group| group != Group::Source || has_source) {
                let architectures = architectures(solver.name, precision);
                architectures.iter().for_each(|architecture| compiles(&shape, group, &target, architecture));
            }
        }
    }
}

/// A function of a cell's values that gives the state.
fn identity(name: &str) -> String {
    let head = format!("__device__ void {name}(const Array<double, M>& q, const Array<double, A>&, double* values)");
    head + "\n{\n    for (int m = 0; m < M; m++) values[m] = q[m];\n}\n"
}

/// The kernels of meshes from files, for every solver that is offered there: either loop, and states at faces; for one those of leaves. At order 1,
/// which leaves parts of them out, and in `f32` for one solver only.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_of_meshes_compiles() {
    for (dim, solver) in (2..=3).flat_map(|dim| all_in(dim).into_iter().map(move |solver| (dim, solver))) {
        if !solver.kernels.double.solves_faces() {
            continue;
        }
        let DeviceSource { equations, aux, .. } = solver.source;
        let groups = solver.kernels.double.groups().to_vec();
        let is_first = solver.name == OF_BOTH.0;
        let orders = if is_first { &[1, 2][..] } else { &[2] };
        for (order, precision) in orders.iter().flat_map(|&order| precisions(is_first).map(move |p| (order, p))) {
            let cells = Some(CellShape {
                order,
                limiter: if order == 1 { CellLimiter::BarthJespersen } else { CellLimiter::Venkatakrishnan },
                is_local: order > 1,
                from_before: order > 1,
                predicts: order > 1,
                variables: (order > 1).then(|| ["case_variables", "case_state"].map(identity).concat()),
                moves: order > 1,
                refines: order > 1,
                groups: groups.clone(),
            });
            let (aux_face, aux_signs) = (vec![-1; aux], vec![0; aux]);
            let shape =
                Shape { dim, num_ghost: 0, equations, aux, capacity: -1, aux_face, aux_signs, sourced: false, cells };
            let target = Target { precision, fused: true, solver: Some(solver.source.clone()) };
            let states = (order > 1).then_some(Group::FaceStates);
            let is_refined = order > 1 && solver.name == "euler_hllc" && precision == Precision::F64;
            let others = is_refined.then_some([Group::Leaves, Group::Motion]).into_iter().flatten();
            for group in [Group::CellLoop, Group::FaceLoop].into_iter().chain(states).chain(others) {
                compiles(&shape, group, &target, ARCHITECTURES[1]);
            }
            if is_refined {
                let text = "__device__ __forceinline__ void case_nodes(const Spotted& at, double* values) { values[0] = at.centre(0) + at.t; }";
                let function = CaseFunction { text: text.into(), solves: false, num_values: dim, positive: Vec::new() };
                let (source, target) = shape.text_of_case(Group::MotionNodes, &function, &target);
                source.compile_quickly(&target, ARCHITECTURES[1]).unwrap_or_else(|error| panic!("{error}"));
            }
            let text = "__device__ __forceinline__ void case_beyond(unsigned rule, const Spotted& at, const FaceFrame& frame, const Array<double, 3>& velocity, const State& q, \
                double* values) { const State image = frame.mirror(q, 0); for (int m = 0; m < M; m++) values[m] = image[m] + 0 * at.radius(); } \
                __device__ __forceinline__ bool is_function(unsigned rule) { return rule > 1; }";
            let function =
                CaseFunction { text: text.into(), solves: true, num_values: equations, positive: Vec::new() };
            let (source, target) = shape.text_of_case(Group::CellsBeyond, &function, &target);
            source.compile_quickly(&target, ARCHITECTURES[1]).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

fn compiles(shape: &Shape, group: Group, target: &Target, architecture: &str) {
    let (source, target) = shape.text(group, target);
    let compiled = source.compile_quickly(&target, architecture).unwrap_or_else(|error| panic!("{error}"));
    assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}: no machine code", source.file);
    // Each row of the group has its entry point.
    let holds = |name: &str| compiled.cubin.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    group.rows().for_each(|row| assert!(holds(row.name), "{}: no `{}`", source.file, row.name));
}

/// Every elementary function, in both precisions.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_elementary_function_compiles() {
    for (precision, fused) in [(Precision::F64, false), (Precision::F64, true), (Precision::F32, true)] {
        let target = Target { precision, fused, solver: None };
        let compiled = elementary::source().compile(&target, "sm_90").unwrap_or_else(|error| panic!("{error}"));
        assert!(compiled.cubin.starts_with(b"\x7fELF"), "no machine code");
        println!("{}: {}", precision.name(), resources(&compiled.log));
    }
}

/// Compiles the update of the paper's benchmark into the folder `AMRCLAW_CACHE`, which can be copied to a machine without
/// NVRTC, or with an older one.
#[test]
#[ignore = "needs NVRTC: cargo xtask gpu-bundle"]
fn machine_code_is_kept() {
    let acoustics = all().into_iter().find(|solver| solver.name == "acoustics").expect("it is built in");
    let (options, _) = option_table(&acoustics).swap_remove(FULLEST);
    let kept = cache::kernels();
    for precision in [Precision::F64, Precision::F32] {
        for fused in [true, false] {
            let target = Target { precision, fused, solver: Some(acoustics.source.clone()) };
            for keeps_faces in [true, false] {
                let options = UpdateOptions { keeps_faces, ..options.clone() };
                let source = options.source(&acoustics.source, precision);
                let code =
                    source.machine_code(&target, "sm_90", kept.as_deref()).unwrap_or_else(|error| panic!("{error}"));
                assert!(code.starts_with(b"\x7fELF"), "no machine code");
            }
        }
    }
}

/// A text that does not compile gives the compiler's message with the file's name.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn errors_name_the_kernel() {
    let target = Target { precision: Precision::F64, fused: true, solver: None };
    let source = Source { file: "wrong.cu", texts: vec!["void f() { g(); }"], definitions: vec![], defines: vec![] };
    let error = source.compile(&target, "sm_90").map(|_| ()).expect_err("g is undefined").to_string();
    assert!(error.contains("wrong.cu") && error.contains("sm_90") && error.contains("\"g\" is undefined"), "{error}");
}
