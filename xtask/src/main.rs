//! Project tasks: `cargo xtask help` lists them.

mod bench;
mod checks;
mod docs;
mod elementary;
mod gpu;
mod package;
mod paper;
mod process;
mod python;
mod release;
mod stress;
mod tidy;
mod units;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask TASK

  test                 the checks below and `cuda`, `paper-small`: up to the lints in order, then the others beside the test programs
  fmt                  is the Rust code formatted?
  tidy                 sizes, module dependencies, links, example folders
  clippy               lints, warnings denied
  units                unit and integration tests, several programs at a time
  doctests             examples in doc comments
  doc                  API documentation, warnings denied
  doc-blocks           the documentation's commands and cases, run as a reader would
  package [--install]  what is published can be packed, is small and complete, and uses nothing under other terms; with the
                       option a program is built from the packed files alone, without a network, and used
  python               tests of the Python package, from a wheel, and of the output files with their Python readers, in a
                       virtual environment under target/

  release X.Y.Z        tests, version, changelog, citation, packages, commit and tag; sends nothing anywhere
  wheel [--output DIR] the Python package with the command line in it, for Linux  (default target/wheels-release)
  cuda                 every kernel compiles for every solver by NVRTC, installed in an environment under target/

  elementary [--points N]  the largest errors of the elementary functions beside mpmath's values   (default 100000)
  minimax              the coefficients of the polynomials that these functions are made of

  gpu-bundle           a folder of programs, cases and compiled kernels to copy to a machine with a GPU

  paper [OPTIONS]      figures 8 to 13 of Qin, LeVeque & Motley 2018, by runs, pictures and sweeps of the benchmark
      --cells N        cells of the coarsest level along each axis              (default 1000)
      --end T          end of the runs that are timed                           (default 1.0)
      --devices A,B    devices; those that there are not are left out           (default cpu,cuda,cuda-streamed)
      --threads N      threads                                                  (default: all)
      --repeat N       runs of each setting                                     (default 1)
      --figures A,B    of 8, 9, 10 (for 10 to 12), 13                           (default: all)
      --output DIR     folder                                                   (default target/paper)
      --program FILE   the command line to run                                  (default: a release build)
  paper-small          the same of a small twin

  stress KIND          the command line under attack, by more random cases than the tests have: cases, mutants, restarts, meshes,
                       mirrors, totals, checkpoints, water, devices (on a GPU); what comes out wrong is kept under target/
      --count N        cases                                                    (default 100)
      --seed S         the first one's number                                   (default 1)

  bench [OPTIONS]      the paper's benchmark on a small base mesh, through the command line
      --runs N         measured runs per thread count, after one warm-up        (default 5)
      --threads A,B    thread counts                                            (default 1,2)
      --cells NX,NY    cells of the coarsest level                              (default 250,250)
      --case FILE      case to run                     (default examples/acoustics_radial/case.toml)
      --json FILE      save the record
  scale CHECKPOINT     partitions and exchange plans of a checkpoint's levels, put side by side, for up to 10000 ranks, and the
                       efficiency by a model; `scale --help` lists the options
  bench-compare A B    two saved records side by side; fails if B is slower
      --tolerance X    by more than this fraction                               (default 0.05)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match task {
        "package" if !rest.is_empty() => package::install(rest),
        "stress" => stress::attack(rest),
        "release" => release::run_all(rest),
        "elementary" => elementary::errors(rest),
        "wheel" => python::wheel(rest),
        "bench" => bench::run(rest),
        "gpu-bundle" => gpu::bundle(),
        "paper" => paper::make(rest),
        "minimax" => elementary::minimax(),
        "scale" => bench::scale(rest),
        "bench-compare" => bench::compare(rest),
        "help" | "-h" | "--help" => {
            print!("{HELP}");
            Ok(())
        }
        _ if !rest.is_empty() => Err(format!("`{task}` takes no arguments, but was given {rest:?}")),
        "test" => checks::run_all(),
        _ => checks::run_one(task).unwrap_or_else(|| Err(format!("no task `{task}`\n\n{HELP}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {task}: {message}");
            ExitCode::FAILURE
        }
    }
}
