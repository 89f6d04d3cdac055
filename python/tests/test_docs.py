"""The code and output in the documentation, and the example scripts."""

import contextlib
import io
import re
import runpy
import subprocess
import sys
from pathlib import Path

import amrclaw
import matplotlib
import pytest

matplotlib.use("Agg")

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
FORMATS = (REPOSITORY / "docs" / "file-formats.md").read_text(encoding="utf-8")


def blocks(tag, page=PAGE):
    """The page's code blocks with this tag, each with its line number."""
    for found in re.finditer(rf"^```{tag}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield page[: found.start(1)].count("\n"), found[1]


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    """The blocks run one after another; the printed report of settings is that of the page."""
    folder = tmp_path / "advection"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ((_, case),) = blocks("toml case")
    Path("pulse.toml").write_text(case)
    names, printed = {"__name__": "docs"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for line, code in blocks("python run"):
            exec(compile("\n" * line + code, "docs/python.md", "exec"), names)
    ((_, report),) = blocks("text")
    assert report in printed.getvalue()
    assert "regrid.cutoff: must lie in (0, 1], but is 1.5" in printed.getvalue()
    assert Path("pressure.png").stat().st_size > 0 and Path("pressure.gif").stat().st_size > 0
    assert amrclaw.load_case("square.toml").equations == ["q"]


def test_the_block_for_processes_runs_on_two(tmp_path):
    """The program for `mpiexec` runs as the page says, and its first rank prints the record of both."""
    ((_, case),) = blocks("toml case")
    ((_, program),) = blocks('python file="this.py"')
    (tmp_path / "pulse.toml").write_text(case)
    (tmp_path / "this.py").write_text(program)
    command = [Path(sys.prefix) / "bin" / "mpiexec", "-n", "2", sys.executable, "this.py"]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert outcome.returncode == 0 and outcome.stdout.count("[{") == 1, outcome


def test_no_block_is_left_out():
    """A block of Python without a tag would never be run."""
    assert len(list(blocks("python run"))) + len(list(blocks('python file="this.py"'))) == PAGE.count("```python")


def test_readers_open_files_as_the_page_says(tmp_path, monkeypatch, pyclaw):
    """The code for VTK, yt and PyClaw opens frames of a run, with the same levels, patches and totals as our own reader."""
    case = {
        "solver": {"name": "acoustics", "density": 1.0, "bulk": 4.0},
        "mesh": {"lower": [-1.0, -1.0], "upper": [1.0, 1.0], "cells": [20, 16]},
        "levels": {"max": 2},
        "regrid": {"flag": {"criterion": "difference", "tolerance": 0.1}},
        "time": {"end": 0.1},
        "initial": {"pressure": "exp(-20 * (x^2 + y^2))", "u": 0, "v": 0},
        "output": {"count": 4, "format": ["vtkhdf", "clawpack-ascii", "plotfile"], "png": False},
    }
    frame = amrclaw.run(case, output=tmp_path / "output", progress=False)[4]
    monkeypatch.chdir(tmp_path / "output")
    Path("output").symlink_to(".")
    names = {}
    for line, code in blocks("python", FORMATS):
        exec(compile("\n" * line + code, "docs/file-formats.md", "exec"), names)
    assert names["amr"].GetNumberOfLevels() == len(frame.levels) == 2
    assert names["ds"].index.num_grids == len(names["solution"].states) == len(frame.patches())
    assert list(Path(".").glob("plt00004_Slice_z_pressure.png"))
    totals = [(patch["pressure"].sum(), state.q[0].sum()) for patch, state in zip(frame.patches(), names["solution"].states)]
    for ours, theirs in totals:
        assert ours == pytest.approx(theirs, rel=1e-12)


SCRIPTS = sorted((REPOSITORY / "python" / "examples").glob("**/*.py"))


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.name != "setrun.py"], ids=lambda script: script.stem)
def test_examples_run(tmp_path, script):
    """Each script runs to its end and writes a picture."""
    result = runpy.run_path(str(script))["main"](str(tmp_path))
    pictures = list(tmp_path.glob("*.png"))
    assert any(not picture.name.startswith("frame_") for picture in pictures)
    if script.stem == "swirl":
        # The flow returns the tracer to its start: the total is a half; nothing enters through extrapolating sides, where the velocity is zero.
        assert result[-1].total("q") == pytest.approx(0.5, abs=0.01)
    if script.stem == "loudspeaker":
        # Sound travels at speed 1 from x = 0.
        assert 0.9 <= result.time <= 1.0
