//! What concerns GPUs on machines that have none: compiling the kernels, and making a folder to copy to one that has.

use crate::process::{Outcome, build_program, cargo, command, output, root, run, target_dir};
use std::path::{Path, PathBuf};

/// The folder that `gpu-bundle` makes, in the target folder.
const BUNDLE: &str = "gpu-bundle";

const RUN: &str = r#"#!/bin/sh
# Checks and times amrclaw on this machine's GPU. Needs a driver; kernels come compiled, NVRTC is asked for what is missing.
set -e
cd "$(dirname "$0")"
export AMRCLAW_CACHE="$PWD/cache"
./amrclaw info
./parity --ignored --nocapture --test-threads=1
./update
for device in cpu cuda cuda-streamed; do
    ./amrclaw run cases/acoustics_radial/case.toml --set mesh.cells=[100,100] --set output.png=false \
        --fmad off --device $device --output "results/$device" --quiet
done
for device in cuda cuda-streamed; do
    for file in results/cpu/frame*.vtkhdf; do
        cmp "$file" "results/$device/$(basename "$file")"
    done
done
./amrclaw run cases/acoustics_radial/case.toml --set output.png=false --device cuda --output results/benchmark --quiet
grep -E 'wall_seconds|updates_per_second' results/benchmark/run.json
"#;

/// NVRTC from the package index, in a virtual environment of its own; the path of the library.
fn nvrtc() -> Outcome<PathBuf> {
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
    let tests = ["test", "-p", "cuda", "--test", "nvrtc", "--", "--ignored", "every", "errors"];
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

/// Copies a program without what only debuggers read.
fn copy_program(from: &Path, to: &Path) -> Outcome {
    std::fs::copy(from, to).map_err(|e| format!("{}: {e}", from.display()))?;
    run(command("strip").arg(to))
}

/// Makes a folder of programs, cases and compiled kernels that runs on a machine with a GPU and nothing else.
pub fn bundle() -> Outcome {
    let folder = target_dir().join(BUNDLE);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder.join("cases/acoustics_radial")).map_err(failed)?;
    copy_program(&build_program("release", "release")?, &folder.join("amrclaw"))?;
    run(&mut cargo(&["test", "--release", "-p", "cuda", "--test", "parity", "--bench", "update", "--no-run"]))?;
    let deps = target_dir().join("release/deps");
    copy_program(&built(&deps, "parity")?, &folder.join("parity"))?;
    copy_program(&built(&deps, "update")?, &folder.join("update"))?;
    let case = root().join("examples/acoustics_radial/case.toml");
    std::fs::copy(case, folder.join("cases/acoustics_radial/case.toml")).map_err(failed)?;
    let fill = ["test", "--release", "-p", "cuda", "--test", "nvrtc", "--", "--ignored", "machine_code"];
    run(cargo(&fill).env("AMRCLAW_NVRTC", nvrtc()?).env("AMRCLAW_CACHE", folder.join("cache")))?;
    let script = folder.join("run.sh");
    std::fs::write(&script, RUN).map_err(failed)?;
    run(command("chmod").arg("+x").arg(&script))?;
    println!("copy {} to a machine with a GPU, and run ./run.sh there", folder.display());
    Ok(())
}
