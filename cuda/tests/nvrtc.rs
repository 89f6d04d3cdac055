//! Every kernel compiles for every built-in solver that has a text, in both precisions, for the architectures that are
//! supported. What is not looked at further is hardly optimised. Needs NVRTC but no GPU: `cargo xtask cuda` installs it and runs this.

#[path = "../../xtask/src/fault/fault.rs"]
mod fault;
mod support;

use cuda::amr::{CaseFunction, Group, Shape, UpdateOptions, mapped_cells};
use cuda::cache;
use cuda::compile::{Precision, Source, Target};
use cuda::nvrtc::Nvrtc;
use riemann::device_source::DeviceSource;
use riemann::limiter::Limiter;
use riemann::solver::{Described, Solver};
use std::collections::BTreeSet;
use support::level::{FULLEST, fewer_options, fullest, option_table};
use support::solvers::{all, all_in};

/// The oldest architecture that is supported, and that of the machines on which figures are taken. What the older one lacks shows in any
/// solver's text, and in either precision: it compiles those of `OF_BOTH` alone.
const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];
const OF_BOTH: (&str, Precision) = ("acoustics", Precision::Double);

/// Those for a solver's text.
fn architectures(solver: &str, precision: Precision) -> &'static [&'static str] {
    if (solver, precision) == OF_BOTH { &ARCHITECTURES } else { &ARCHITECTURES[1..] }
}

/// `f64`, and where asked for `f32` too.
fn precisions(in_both: bool) -> impl Iterator<Item = Precision> {
    [Precision::Double].into_iter().chain(in_both.then_some(Precision::Single))
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
        for precision in [Precision::Double, Precision::Single] {
            // Options differ little in what they can do to the compiler: all of them once, the fullest everywhere.
            for (options, _) in &fewer_options(solver) {
                let fullest =
                    options.capacity.is_none() && options.order == 2 && options.limiters[0] == Limiter::VanLeer;
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
                        println!("{} {} {architecture}: {found}", solver.name, precision.cuda());
                    }
                }
            }
        }
    }
}

/// So does that of the solver that shows what a kernel's fault does, whose text is written by hand.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_of_the_fault_compiles() {
    let source = fault::Fault::from_parameters(&[1.0]).device_source().expect("it has a text");
    let options = UpdateOptions {
        order: 2,
        transverse: 0,
        double_transverse: false,
        limiters: vec![Limiter::Mc],
        capacity: None,
        sweep: [true, false, false],
        keeps_faces: true,
    };
    let target = Target { precision: Precision::Double, fused: true, solver: Some(source.clone()) };
    let compiled = options.source(&source, Precision::Double).compile(&target, "sm_90");
    compiled.unwrap_or_else(|error| panic!("{error}"));
}

/// In space: one architecture, the update that uses most of all axes at once, and of one axis, in `f32` for one solver alone. They keep
/// faces: what does not, differs by a few lines. All axes at once take minutes to compile for solvers of many waves: those are compiled
/// where they run.
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
                println!("{} {} {sweep:?}: {}", solver.name, precision.cuda(), resources(&compiled.log));
            }
        }
    }
}

/// The geometry of mapped grids: in both dimensions, with a mapping that is the identity, behind a value of the solver's own.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_geometry_compiles() {
    const MAP: &str = "__device__ const int MAP_FINEST[] = {8, 8, 8}, NUM_OWN = 1;
__device__ const double MAP_DX[] = {0.125, 0.125, 0.125}, MAP_LOWER[] = {0.0, 0.0, 0.0}, MAP_UPPER[] = {1.0, 1.0, 1.0};
__device__ const bool MAP_PERIODIC[] = {false, true, false}, MAP_FACES_BEHIND_WALLS = false;
__device__ const int MAP_BEYOND[][2] = {{BEYOND_Wall, BEYOND_Wall}, {BEYOND_Periodic, BEYOND_Periodic}, {BEYOND_Wall, BEYOND_Nearest}};
__device__ __forceinline__ void map_position(const Point& at, double* values)
{
    for (int d = 0; d < DIM; d++) values[d] = at.centre(d);
}
__device__ __forceinline__ void own_values(const Point& at, double* values) { values[0] = at.centre(0); }
";
    for dim in [2, 3] {
        let num_values = 1 + (dim + 1) * dim + 1;
        let shape =
            Shape { dim, num_ghost: 2, equations: 3, aux: num_values, capacity: -1, aux_face: vec![-1; num_values] };
        let text = format!("{MAP}{}", mapped_cells(dim).concat());
        let function = CaseFunction { text, solves: false, num_values, positive: num_values as i32 - 1 };
        for precision in [Precision::Double, Precision::Single] {
            let target = Target { precision, fused: false, solver: None };
            let (source, target) = shape.text_of_case(Group::Evaluate, &function, &target);
            let compiled = source.compile(&target, "sm_90").unwrap_or_else(|error| panic!("{error}"));
            println!("{dim} dimensions, {}: {}", precision.cuda(), resources(&compiled.log));
        }
    }
}

/// Every group of the registry that calls no solver: dimensions, auxiliary values and capacity are all that it is specialised by. In `f32` with
/// auxiliary values alone.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_over_regions_compiles() {
    // Some texts are the same for all solvers.
    let mut compiled = BTreeSet::new();
    for (dim, aux, capacity) in [(1, 0, -1), (1, 1, 0), (2, 0, -1), (2, 2, 1), (3, 0, -1), (3, 1, 0)] {
        let shape = Shape { dim, num_ghost: 2, equations: 3, aux, capacity, aux_face: vec![-1; aux] };
        for precision in precisions(aux > 0) {
            let target = Target { precision, fused: false, solver: None };
            let groups = Group::ALL.into_iter().filter(|&group| !group.solves());
            for group in groups.filter(|&group| group != Group::Capacity || capacity >= 0) {
                let (source, own_target) = shape.text(group, &target);
                if compiled.insert(source.assemble(&own_target)) {
                    let architectures = architectures(OF_BOTH.0, precision);
                    architectures.iter().for_each(|architecture| compiles(&shape, group, &target, architecture));
                }
            }
        }
    }
}

/// Every group that calls the solver: every solver, in one, two and three dimensions; in `f32` one, since the update compiles every solver's
/// text so.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_kernel_that_calls_a_solver_compiles() {
    for (dim, solver) in (1..=3).flat_map(|dim| all_in(dim).into_iter().map(move |solver| (dim, solver))) {
        let DeviceSource { equations, aux, has_source, .. } = solver.source;
        let shape = Shape { dim, num_ghost: 2, equations, aux, capacity: -1, aux_face: vec![-1; aux] };
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

fn compiles(shape: &Shape, group: Group, target: &Target, architecture: &str) {
    let (source, target) = shape.text(group, target);
    let compiled = source.compile_quickly(&target, architecture).unwrap_or_else(|error| panic!("{error}"));
    assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}: no machine code", source.file);
    // Of each row there is an entry.
    let holds = |name: &str| compiled.cubin.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    group.rows().for_each(|row| assert!(holds(row.name), "{}: no `{}`", source.file, row.name));
}

/// Every elementary function, in both precisions.
#[test]
#[ignore = "needs NVRTC: cargo xtask cuda"]
fn every_elementary_function_compiles() {
    for (precision, fused) in [(Precision::Double, false), (Precision::Double, true), (Precision::Single, true)] {
        let target = Target { precision, fused, solver: None };
        let compiled =
            support::elementary::source().compile(&target, "sm_90").unwrap_or_else(|error| panic!("{error}"));
        assert!(compiled.cubin.starts_with(b"\x7fELF"), "no machine code");
        println!("{}: {}", precision.cuda(), resources(&compiled.log));
    }
}

/// Fills the folder of machine code in `AMRCLAW_CACHE` with the update of the paper's benchmark, to be copied to a machine with
/// no NVRTC or an older one.
#[test]
#[ignore = "needs NVRTC: cargo xtask gpu-bundle"]
fn machine_code_is_kept() {
    let acoustics = all().into_iter().find(|solver| solver.name == "acoustics").expect("it is built in");
    let (options, _) = option_table(&acoustics).swap_remove(FULLEST);
    let kept = cache::kernels();
    for precision in [Precision::Double, Precision::Single] {
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
    let target = Target { precision: Precision::Double, fused: true, solver: None };
    let source = Source { file: "wrong.cu", texts: vec!["void f() { g(); }"], definitions: vec![], defines: vec![] };
    let error = source.compile(&target, "sm_90").map(|_| ()).expect_err("g is undefined").to_string();
    assert!(error.contains("wrong.cu") && error.contains("sm_90") && error.contains("\"g\" is undefined"), "{error}");
}
