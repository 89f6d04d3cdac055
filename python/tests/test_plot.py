"""Pictures: they show the solution, and each takes one line of code."""

import re
import subprocess
import sys

import amrclaw
import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from amrclaw import _film, plot  # noqa: E402

CASE = {
    "solver": {"name": "acoustics", "density": 1.0, "bulk": 4.0},
    "mesh": {"lower": [-1.0, 0.0], "upper": [1.0, 1.5], "cells": [16, 12]},
    "levels": {"max": 2, "ratio": [2]},
    "regrid": {"interval": 2, "flag": {"criterion": "difference", "tolerance": 0.1}},
    "time": {"end": 0.1},
    "initial": {"pressure": "x", "u": "1 + exp(-40 * (x^2 + (y - 0.6)^2))", "v": 0},
    "output": {"count": 3, "png": False},
    "gauge": [{"name": "a", "position": [0.1, 0.5]}],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return amrclaw.run(CASE, output=tmp_path_factory.mktemp("plot"), progress=False)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plot.plt.close("all")


def test_pcolor_draws_every_patch_and_its_outline(run):
    """One mesh per patch with its values on its cells; one outline per refined patch; the domain fills the axes."""
    frame = run[0]
    ax = plot.pcolor(frame, "pressure")
    meshes = [c for c in ax.collections if hasattr(c, "get_coordinates")]
    assert len(meshes) == len(frame.patches())
    for mesh, patch in zip(meshes, frame.patches()):
        np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(patch.shape[::-1]), patch["pressure"].T)
        np.testing.assert_allclose(mesh.get_coordinates()[0, 0], patch.lower)
        np.testing.assert_allclose(mesh.get_coordinates()[-1, -1], patch.upper)
    assert [(r.get_x(), r.get_y()) for r in ax.patches] == [patch.lower for patch in frame.patches(2)]
    assert ax.get_xlim() == (-1.0, 1.0) and ax.get_ylim() == (0.0, 1.5) and ax.get_title() == "pressure, t = 0"
    ax.figure.canvas.draw()


def test_colours_fit_the_values(run):
    """Limits of the colours are symmetric for values of both signs, else the range of the values; given limits are kept."""
    mesh = plot.pcolor(run[0], "pressure").collections[0]
    assert mesh.get_clim()[0] == -mesh.get_clim()[1] and mesh.get_cmap().name == "RdBu_r"
    mesh = plot.pcolor(run[0], "u").collections[0]
    assert mesh.get_clim()[0] == min(p["u"].min() for p in run[0].patches()) and mesh.get_cmap().name == "viridis"
    assert plot.pcolor(run[0], "u", limits=(0.0, 5.0)).collections[0].get_clim() == (0.0, 5.0)


def test_defaults(run):
    """The defaults are a run's last frame and the first field; a simulation is drawn in its present state."""
    assert plot.pcolor(run).get_title() == "pressure, t = 0.1"
    sim = amrclaw.Simulation(CASE)
    sim.step()
    assert plot.pcolor(sim, outlines=False, colorbar=False).get_title().startswith("pressure, t = ")


def test_contours_lie_where_the_value_is(run):
    """Pressure is x at the start, so its contour at 0.25 is the line x = 0.25, to rounding."""
    ax = plot.contour(run[0], "pressure", levels=[0.25], outlines=True)
    (path,) = (p for c in ax.collections if hasattr(c, "get_paths") for p in c.get_paths()[:1] if len(p.vertices) > 2)
    np.testing.assert_allclose(path.vertices[:, 0], 0.25, atol=1e-12)


def test_sections_follow_the_line(run):
    """Along the oblique line from (-0.5, 0.3) to (0.5, 1.3), x is the fraction of the distance minus a half."""
    ax = plot.section(run[0], (-0.5, 0.3), (0.5, 1.3), "pressure", num=11)
    distance, values = ax.lines[0].get_data()
    assert distance[-1] == pytest.approx(2**0.5)
    # Next to coarser cells their value is used for missing fine ones: an error of up to half a coarse cell.
    np.testing.assert_allclose(values, distance / 2**0.5 - 0.5, atol=0.5 * run[0].levels[0].dx[0])


def test_gauges_are_graphs(run):
    """The graph shows the series in the file."""
    t, values = plot.gauge(run, "a", "u").lines[0].get_data()
    np.testing.assert_array_equal(values, run.gauge("a")["u"])
    with pytest.raises(amrclaw.InputError, match="has no field 'w'"):
        plot.gauge(run, "a", "w")


@pytest.mark.parametrize("ending", ["gif", "html"])
def test_films(run, tmp_path, ending):
    """Every frame is in the film."""
    path = tmp_path / f"film.{ending}"
    plot.animate(run, path, "u", fps=5, dpi=40)
    if ending == "gif":
        from PIL import Image

        assert Image.open(path).n_frames == len(run) == 4
    else:
        page = path.read_text(encoding="utf-8")
        assert page.count("data:image/png;base64") == 4
        # The page loads no other files, and every button has its symbol.
        assert not re.search(r"<link|(src|href)=.https?:", page) and 'class="fa' not in page
        assert len(re.findall(r"<button.*?>\s*(−|\|◀|‹|◀|‖|▶|›|▶\||\+)\s*</button>", page, re.DOTALL)) == 9


def test_films_as_mp4(run, tmp_path, monkeypatch):
    """MP4 is written with all frames if ffmpeg or the package imageio-ffmpeg is installed; else the message says what to install."""
    path = tmp_path / "film.mp4"
    if _film.finds_ffmpeg():
        plot.animate(run, path, "u", fps=5, dpi=40)
        program = plot.plt.rcParams["animation.ffmpeg_path"]
        said = subprocess.run([program, "-i", path, "-f", "null", "-"], capture_output=True, text=True).stderr
        assert re.findall(r"frame= *(\d+)", said)[-1] == "4", said
    monkeypatch.setitem(plot.plt.rcParams, "animation.ffmpeg_path", "no-such-program")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(amrclaw.InputError, match="MP4 needs ffmpeg: pip install imageio-ffmpeg"):
        plot.animate(run, path, "u")


def test_films_of_other_kinds(run, tmp_path):
    """Unknown file extensions are refused; every kind of drawing can be animated."""
    with pytest.raises(amrclaw.InputError, match="films end in"):
        plot.animate(run, tmp_path / "film.avi")
    plot.animate(run, tmp_path / "lines.gif", "pressure", draw=plot.contour, levels=5, dpi=40)


def test_films_need_frames_and_a_rate(run):
    """A single frame, a simulation and an iterator are no films; the rate of frames is positive and finite."""
    for wrong in (run[0], amrclaw.Simulation(CASE), iter(run)):
        with pytest.raises(amrclaw.InputError, match="animate: needs a run, .* or a list of frames"):
            plot.animate(wrong)
    for fps in (0, -1, float("inf"), float("nan")):
        with pytest.raises(amrclaw.InputError, match="fps: must be a number of frames per second above 0"):
            plot.animate(run, fps=fps)


def test_unknown_fields_are_refused(run):
    """The message lists the fields."""
    with pytest.raises(amrclaw.InputError, match="there is no field 'p'; there are pressure, u, v"):
        plot.pcolor(run, "p")


def test_formulas_are_drawn(run):
    """A formula or a quantity of the solver can be drawn in place of a field, of runs, frames and simulations."""
    ax = plot.pcolor(run[0], "sqrt(u^2 + v^2)")
    expected = [np.hypot(patch["u"], patch["v"]) for patch in run[0].patches()]
    for mesh, values in zip((c for c in ax.collections if hasattr(c, "get_coordinates")), expected):
        np.testing.assert_allclose(np.asarray(mesh.get_array()).reshape(values.shape[::-1]), values.T, rtol=1e-15)
    assert "vorticity" in run[0].quantities and plot.pcolor(run, "vorticity").get_title().startswith("vorticity")
    assert plot.pcolor(amrclaw.Simulation(CASE), "dx(pressure)").get_title() == "dx(pressure), t = 0"
    with pytest.raises(amrclaw.InputError, match="did you mean `pressure`"):
        plot.pcolor(run[0], "2 * presure")


def test_parts_and_levels_and_logarithms(run):
    """A zoom sets the limits of the axes, an outline level draws only that level's patches, a logarithmic scale needs positive values."""
    frame = run[0]
    ax = plot.pcolor(frame, "u", zoom=(0.0, 0.5, 0.25, 0.75), outline_level=1)
    assert ax.get_xlim() == (0.0, 0.5) and ax.get_ylim() == (0.25, 0.75)
    assert [(r.get_x(), r.get_y()) for r in ax.patches] == [patch.lower for patch in frame.patches(1)]
    ax = plot.pcolor(frame, "u", outline_level=[1, 2])
    assert [(r.get_x(), r.get_y()) for r in ax.patches] == [patch.lower for n in (1, 2) for patch in frame.patches(n)]
    norm = plot.pcolor(frame, "u", log=True, limits=(0.1, 10.0)).collections[0].norm
    assert isinstance(norm, plot.LogNorm) and (norm.vmin, norm.vmax) == (0.1, 10.0)
    for options, message in [
        (dict(zoom=(1.0, 0.0)), "no part of the domain"),
        (dict(zoom=(5.0, 6.0, 5.0, 6.0)), "outside the domain along x, from -1 to 1"),
        (dict(zoom=(0.0, 1.0, 1.5, 6.0)), "outside the domain along y, from 0 to 1.5"),
        (dict(zoom=(0.0, float("nan"))), "outside the domain along x"),
        (dict(outline_level=5), "levels are 1 to 2"),
        (dict(outline_level=[1, 5]), "levels are 1 to 2"),
        (dict(log=True, limits=(0.0, 1.0)), "no logarithm"),
    ]:
        with pytest.raises(amrclaw.InputError, match=message):
            plot.pcolor(frame, "u", **options)
    with pytest.raises(amrclaw.InputError, match="no positive value"):
        plot.pcolor(frame, "-abs(u)", log=True)


def test_lines_out_of_planes(run):
    """A slice of two-dimensional data is one-dimensional: its values are those of the cells at the position."""
    line = run[0].slice("y", 0.6)
    assert line.dimension == 1 and line.lower == (-1.0,)
    np.testing.assert_array_equal(line.sample([[0.03]], "pressure", "nearest"), run[0].sample([[0.03, 0.6]], "pressure", "nearest"))
    assert plot.pcolor(run[0], "u", slice=("y", 0.6)).get_title() == "u, y = 0.6, t = 0"
    with pytest.raises(amrclaw.InputError, match="y = 9 is outside the domain"):
        run[0].slice("y", 9.0)


def test_mapped_cells_are_drawn_where_they_lie():
    """Meshes, outlines and contours have mapped positions, also for simulations and formulas."""
    mapped = {**CASE, "mesh": {"lower": [1.0, 0.0], "upper": [2.0, 1.5], "cells": [16, 12], "mapping": {"kind": "polar"}}}
    mapped["initial"] = {"pressure": "x", "u": "1 + exp(-40 * ((x - 1)^2 + (y - 0.8)^2))", "v": "0"}
    mapped["gauge"] = []
    frame = amrclaw.Simulation(mapped).frame()
    assert frame.mapped and not amrclaw.Simulation(CASE).mapped
    r, angle = np.array([1.25, 1.5]), np.array([0.0, 1.5])
    expected = np.stack([r * np.cos(angle), r * np.sin(angle)], -1)
    np.testing.assert_allclose(frame.positions(np.stack([r, angle], -1)), expected, rtol=1e-15, atol=1e-15)
    assert frame.positions(np.zeros((0, 2))).shape == (0, 2)
    for solution, field in [(frame, "pressure"), (amrclaw.Simulation(mapped), "pressure + 0 * u")]:
        ax = plot.pcolor(solution, field)
        meshes = [c for c in ax.collections if hasattr(c, "get_coordinates")]
        for mesh, patch in zip(meshes, frame.patches()):
            r, angle = np.meshgrid(patch.edges(0), patch.edges(1))
            expected = np.stack([r * np.cos(angle), r * np.sin(angle)], -1)
            np.testing.assert_allclose(mesh.get_coordinates(), expected, rtol=1e-14, atol=1e-14)
        outlines, patches = ax.patches, frame.patches(2)
        assert len(meshes) == len(frame.patches()) and len(outlines) == len(patches) > 0
        for outline, patch in zip(outlines, patches):
            radii = np.hypot(*outline.get_xy().T)
            np.testing.assert_allclose([radii.min(), radii.max()], [patch.lower[0], patch.upper[0]], rtol=1e-14)
        assert ax.get_xlim() == pytest.approx((np.cos(1.5), 2.0)) and ax.get_ylim() == pytest.approx((0.0, 2 * np.sin(1.5)))
        ax.figure.canvas.draw()
    contour = plot.contour(frame, "pressure", levels=[1.25])
    (path,) = (p for c in contour.collections for p in c.get_paths()[:1] if len(p.vertices) > 2)
    # Contours are straight between centres of cells, which lie on arcs.
    np.testing.assert_allclose(path.vertices[:, 0], 1.25, atol=2e-3)


def test_sections_of_a_mapped_mesh_are_physical():
    """A line across a whole ring meets cells on both sides of the hole, also where the ring closes. Its values are those of the function of
    position, except for the error of linear interpolation between centres."""
    ring = {**CASE, "mesh": {"cells": [24, 96], "mapping": {"kind": "annulus", "inner": 0.5, "outer": 1.5}}}
    ring["mesh"]["boundary"] = {"x": "extrapolate", "y": "periodic"}
    ring["initial"] = {"pressure": "x + 2*y", "u": "0", "v": "0"}
    ring["gauge"] = []
    frame = amrclaw.Simulation(ring).frame()
    positions = np.array([[1.0, 0.0], [-0.7, 0.4], [0.1, 0.1], [0.8, -1e-9]])
    points = frame.computational(positions)
    assert np.isnan(points[2]).all()
    np.testing.assert_allclose(frame.positions(points[[0, 1, 3]]), positions[[0, 1, 3]], atol=1e-9)
    ax = plot.section(frame, (-1.4, -0.01), (1.4, -0.01), "pressure", num=281)
    distance, values = ax.lines[0].get_data()
    x = distance - 1.4
    hole = np.abs(x) < 0.49
    assert np.isnan(values[hole]).all() and np.isfinite(values[np.abs(x) > 0.51]).all()
    np.testing.assert_allclose(values[~np.isnan(values)], (x - 0.02)[~np.isnan(values)], atol=0.05)
    with pytest.raises(amrclaw.InputError, match="does not meet the domain"):
        plot.section(frame, (-0.1, 0.0), (0.1, 0.0))
