//! The check `python`: builds the package's wheel, and runs its tests and those of the output files.

use crate::process::{Outcome, cargo, command, output, root, run, target_dir, tested_program};
use std::path::{Path, PathBuf};

/// Runs pytest on `python/`, with the package installed from a wheel. `AMRCLAW` is the command line that the Rust tests build. Files that Rust
/// tests write: sample frames of every format in `AMRCLAW_FRAMES_DIR`, values of the elementary functions in
/// `ELEMENTARY_SAMPLES_DIR`.
pub fn run_tests() -> Outcome {
    let program = tested_program()?;
    let frames = target_dir().join("python-frames");
    let writer = ["test", "--quiet", "--workspace", "--test", "output_formats"];
    run(cargo(&writer).env("AMRCLAW_FRAMES_DIR", &frames))?;
    let samples = elementary_samples("2000")?;
    let interpreter = virtual_environment()?;
    install_wheel(&interpreter)?;
    let mut pytest = command(interpreter);
    pytest
        .args(["-m", "pytest", "--numprocesses", "2", "python"])
        .env("AMRCLAW", program)
        .env("AMRCLAW_FRAMES_DIR", frames);
    run(pytest.env("ELEMENTARY_SAMPLES_DIR", samples))
}

/// Writes values of each elementary function at so many points, and returns their folder.
pub fn elementary_samples(points: &str) -> Outcome<PathBuf> {
    let folder = target_dir().join("elementary-samples");
    let writer = ["test", "--quiet", "--workspace", "--test", "elementary", "samples_are_written"];
    run(cargo(&writer).env("ELEMENTARY_SAMPLES_DIR", &folder).env("ELEMENTARY_SAMPLES", points))?;
    Ok(folder)
}

/// Builds a wheel for Linux on x86-64, from the release build. It requires at least this machine's
/// version of the C library; maturin writes that into the wheel's name and refuses libraries outside the standard's list.
pub fn wheel(arguments: &[String]) -> Outcome {
    let out = match arguments {
        [] => target_dir().join("wheels-release"),
        [option, out] if option == "--output" => PathBuf::from(out),
        _ => return Err(format!("expected `--output DIR` or nothing, but was given {arguments:?}")),
    };
    let interpreter = virtual_environment()?;
    let mut maturin = command(&interpreter);
    maturin.args(["-m", "maturin", "build", "--release", "--features", "all-kernels", "--auditwheel", "check"]);
    maturin.arg("--manifest-path");
    maturin.arg("python/Cargo.toml").arg("--interpreter").arg(&interpreter).arg("--out").arg(&out);
    run(&mut maturin)
}

/// Builds the package's wheel and installs it.
fn install_wheel(interpreter: &Path) -> Outcome {
    let wheels = target_dir().join("wheels");
    if wheels.is_dir() {
        // Otherwise pip would also find wheels of other versions.
        std::fs::remove_dir_all(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
    }
    let mut maturin = command(interpreter);
    maturin.args(["-m", "maturin", "build", "--quiet", "--profile", "dev", "--manifest-path"]);
    maturin.arg("python/Cargo.toml").arg("--interpreter").arg(interpreter).arg("--out").arg(&wheels);
    // In the profile of the tests, so that their build is reused.
    run(&mut maturin)?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"];
    let mut pip = command(interpreter);
    run(pip.args(install).args(["--force-reinstall", "--find-links"]).arg(&wheels).arg("amrclaw"))
}

/// The interpreter of a virtual environment with `python/requirements-test.txt`, which is created or updated if necessary.
pub fn virtual_environment() -> Outcome<PathBuf> {
    let folder = target_dir().join("python-venv");
    let interpreter = folder.join("bin").join("python");
    let requirements = root().join("python/requirements-test.txt");
    let wanted = std::fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    // The copy is written last, so that an interrupted installation is repeated.
    let installed = folder.join("requirements-installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(interpreter);
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    run(command(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    output(
        command(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(&requirements),
    )?;
    std::fs::write(&installed, wanted).map_err(|e| format!("{}: {e}", installed.display()))?;
    Ok(interpreter)
}
