"""The command line in the package."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("amrclaw")


def call(*arguments, **options):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120, **options)


@pytest.mark.skipif(not COMMAND.exists(), reason="the package is not installed from a wheel")
def test_the_command_is_the_program(tmp_path):
    """The command has the program's version, writes a built-in example, runs it, and returns the program's exit codes."""
    import amrclaw

    assert call("--version").stdout.split() == ["amrclaw", amrclaw.__version__]
    assert call("example", "burgers_square", cwd=tmp_path).returncode == 0
    settings = ["--set", "mesh.cells=[10,10]", "--set", "levels.max=1", "--set", "time.end=0.1", "--set", "output.times=[0.1]"]
    done = call("run", "burgers_square/case.toml", *settings, "--output", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert amrclaw.load(tmp_path / "out")[-1].time == pytest.approx(0.1)
    # Runs of a sweep are processes of their own, of this command, whatever the user's folder holds.
    (tmp_path / "numpy.py").write_text("raise RuntimeError")
    swept = call("sweep", "burgers_square/case.toml", *settings, "--vary", "scheme.order=1,2", "--output", "swept", cwd=tmp_path)
    assert swept.returncode == 0, swept.stderr
    refused = call("run", "missing.toml", cwd=tmp_path)
    assert refused.returncode == 2 and "missing.toml" in refused.stderr
