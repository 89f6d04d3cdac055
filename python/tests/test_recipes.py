"""Frames in other programs: the recipes of docs/how-to.md, and PyVista's data in all dimensions."""

import re
from pathlib import Path

import amrclaw
import numpy as np
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to.md").read_text(encoding="utf-8")


def recipe(title):
    """The code below a heading."""
    below = PAGE.split(f"### In {title}\n")[1]
    return re.search(r"```python\n(.*?)```", below, re.DOTALL)[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the output of the page's commands."""
    case = re.search(r'```toml file="ring.toml"\n(.*?)```', PAGE, re.DOTALL)[1]
    (tmp_path / "ring.toml").write_text(case)
    monkeypatch.chdir(tmp_path)
    amrclaw.run("ring.toml", set={"time.end": 0.05}, output="ring", progress=False)
    formats = {"time.end": 0.05, "output.format": ["vtkhdf", "plotfile"]}
    amrclaw.run("ring.toml", set=formats, output="formats", progress=False)
    return tmp_path


def test_yt(folder):
    """The code for yt writes a picture."""
    pytest.importorskip("yt")
    exec(compile(recipe("yt"), "docs/how-to.md", "exec"), {})
    assert (folder / "slice.png").stat().st_size > 0


def test_pyvista(folder):
    """The code for PyVista runs, without the lines that open a window; its blocks are levels of patches with their values."""
    pytest.importorskip("pyvista")
    code = "\n".join(line for line in recipe("PyVista").splitlines() if ".plot(" not in line)
    names = {}
    exec(compile(code, "docs/how-to.md", "exec"), names)
    frame, blocks = amrclaw.load("ring")[-1], names["blocks"]
    assert [len(level) for level in blocks] == [len(level.patches) for level in frame.levels]
    for level, shown in zip(frame.levels, blocks):
        for patch, grid in zip(level.patches, shown):
            np.testing.assert_allclose(grid.bounds[:4], np.ravel(list(zip(patch.lower, patch.upper))))
            values = np.asarray(grid.cell_data["pressure"]).reshape(patch.shape, order="F")
            np.testing.assert_array_equal(values, patch["pressure"])
    hidden = np.asarray(blocks[0][0].cell_data["vtkGhostType"]).reshape(frame.patches(1)[0].shape, order="F") > 0
    np.testing.assert_array_equal(hidden, frame.patches(1)[0].covered)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_pyvista_in_all_dimensions(frames, dimension):
    """For the sample frames the integral over cells that are not hidden is that of the frame."""
    pytest.importorskip("pyvista")
    folders = [path.parent for path in Path(frames).rglob("frame_0000.vtkhdf")]
    frame = next(f for f in (amrclaw.load(path)[0] for path in folders) if f.dimension == dimension)
    total = 0.0
    for level, shown in zip(frame.levels, frame.to_pyvista()):
        for patch, grid in zip(level.patches, shown):
            hidden = np.asarray(grid.cell_data["vtkGhostType"]) > 0 if "vtkGhostType" in grid.cell_data else False
            values = np.where(hidden, 0.0, grid.cell_data["pressure"])
            total += float((values * patch.volumes.ravel(order="F")).sum())
    assert total == pytest.approx(frame.total("pressure"), rel=1e-12)
