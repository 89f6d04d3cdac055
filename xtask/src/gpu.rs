//! Tasks for GPUs on machines without one: compiling the kernels, and making a folder to copy to a machine with a GPU.

use crate::process::{ALL_KERNELS, Outcome, cargo, command, output, portable_program, root, run, target_dir};
use std::path::{Path, PathBuf};

/// The folder that `gpu-bundle` makes, in the target folder.
const BUNDLE: &str = "gpu-bundle";

/// The script that runs in it.
const RUN: &str = include_str!("gpu-bundle.sh");
/// Test programs of the bundle, benchmarks among them.
const PROGRAMS: [&str; 8] =
    ["parity", "device", "invariants", "conservation", "physics_features", "retry", "radial", "user_functions"];

/// NVRTC: that of `AMRCLAW_NVRTC`, or from the package index, in a virtual environment of its own; the path of the library.
pub fn nvrtc() -> Outcome<PathBuf> {
    if let Some(path) = std::env::var_os("AMRCLAW_NVRTC") {
        return Ok(path.into());
    }
    let folder = target_dir().join("nvrtc-venv");
    let find = || {
        let listing = output(command("find").arg(&folder).args(["-name", "libnvrtc.so.1*"])).unwrap_or_default();
        listing.lines().next().map(PathBuf::from)
    };
    if let Some(path) = find() {
        return Ok(path);
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    run(command(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nvidia-cuda-nvrtc"];
    output(command(folder.join("bin").join("python")).args(pip))?;
    find().ok_or_else(|| format!("no libnvrtc in {} after installing nvidia-cuda-nvrtc", folder.display()))
}

/// Compiles every kernel by NVRTC.
pub fn compile_kernels() -> Outcome {
    // With the whole workspace, so that the build of the other tests is reused.
    let tests = ["test", "--workspace", "--test", "kernels", "--", "--ignored", "every", "errors"];
    run(cargo(&tests).env("AMRCLAW_NVRTC", nvrtc()?))
}

/// The newest program in the target folder's `deps` whose name starts with `name-`.
fn built(folder: &Path, name: &str) -> Outcome<PathBuf> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let is_it = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.starts_with(&format!("{name}-")) && path.extension().is_none()
    };
    let modified = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    let found = entries.flatten().map(|entry| entry.path()).filter(is_it).max_by_key(modified);
    found.ok_or_else(|| format!("no {name} in {}", folder.display()))
}

/// Copies a file, and creates its folder if necessary.
fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(|e| format!("{}: {e}", to.display()))?;
    std::fs::copy(from, to).map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
}

/// Copies a program without debug information.
fn copy_program(from: &Path, to: &Path) -> Outcome {
    copy(from, to)?;
    run(command("strip").arg(to))
}

/// Copies a folder's case and, as a library, the solver that is named after the folder.
fn copy_case(program: &Path, from: &Path, to: &Path) -> Outcome {
    copy(&from.join("case.toml"), &to.join("case.toml"))?;
    let name = from.file_name().unwrap_or_default();
    let solver = from.join(name).with_extension("rs");
    if solver.exists() {
        copy(&solver, &to.join(name).with_extension("rs"))?;
        let cache = target_dir().join(BUNDLE).join("solver-cache");
        run(command(program).args(["solver", "check"]).arg(&solver).env("AMRCLAW_CACHE", &cache))?;
        let library = output(command("find").arg(cache.join("solvers")).args(["-name", "*.so"]))?;
        let library = library.lines().next().ok_or("the solver's library is not where it is kept")?;
        copy_program(Path::new(library), &to.join(name).with_extension("so"))?;
        std::fs::remove_dir_all(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    }
    Ok(())
}

/// The examples, and a case whose kernels fail.
fn copy_cases(program: &Path, folder: &Path) -> Outcome {
    for example in std::fs::read_dir(root().join("examples")).map_err(|e| format!("examples: {e}"))?.flatten() {
        copy_case(program, &example.path(), &folder.join("cases").join(example.file_name()))?;
    }
    copy_case(program, &root().join("cuda/tests/fault"), &folder.join("fault"))
}

/// Makes a folder of programs, cases and compiled kernels that runs on a machine with a GPU and nothing else.
pub fn bundle() -> Outcome {
    let folder = target_dir().join(BUNDLE);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    let program = portable_program()?;
    copy_program(&program, &folder.join("amrclaw"))?;
    // This program makes the paper's figures there.
    let own = std::env::current_exe().map_err(|e| format!("the path of this program: {e}"))?;
    copy_program(&own, &folder.join("xtask"))?;
    let tests = PROGRAMS.iter().flat_map(|name| ["--test", name]);
    let tests: Vec<&str> = [
        "test",
        "--release",
        "--workspace",
        "--features",
        ALL_KERNELS,
        "--no-run",
        "--bench",
        "update",
        "--bench",
        "link",
        "--bench",
        "loops",
    ]
    .into_iter()
    .chain(tests)
    .collect();
    run(&mut cargo(&tests))?;
    let deps = target_dir().join("release/deps");
    for name in PROGRAMS.into_iter().chain(["update", "link", "loops"]) {
        copy_program(&built(&deps, name)?, &folder.join("tests").join(name))?;
    }
    copy_cases(&program, &folder)?;
    let cache = folder.join("cache");
    for (test, name) in [("kernels", "machine_code_is_kept"), ("device", "kernels_of_runs_compile")] {
        let fill = ["test", "--release", "--workspace", "--features", ALL_KERNELS, "--test", test];
        let fill = fill.into_iter().chain(["--", "--include-ignored", name]).collect::<Vec<_>>();
        run(cargo(&fill).env("AMRCLAW_NVRTC", nvrtc()?).env("AMRCLAW_CACHE", &cache))?;
    }
    let script = folder.join("run.sh");
    std::fs::write(&script, RUN).map_err(failed)?;
    run(command("chmod").arg("+x").arg(&script))?;
    println!("copy {} to a machine with a GPU, and run ./run.sh there", folder.display());
    Ok(())
}
