"""Runs and their results: frames, totals, samples, gauges; interruption."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import amrclaw
import numpy as np
import pytest
from amrclaw._sample import finest_levels

CASE = """
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[mesh]
lower = [-1.0, 0.0]
upper = [1.0, 1.5]
cells = [26, 15]
[levels]
max = 3
ratio = [2, 4]
[regrid]
interval = 2
buffer = 2
[regrid.flag]
tolerance = 0.05
[time]
end = 0.1
[initial]
pressure = "exp(-40 * (x^2 + (y - 0.7)^2))"
u = 0
v = "0.1 * x"
[output]
count = 2
png = false
[[gauge]]
name = "middle"
position = [0.01, 0.7]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "pulse.toml").write_text(CASE)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    return amrclaw.run(folder / "pulse.toml", output=folder / "out", threads=2, progress=False)


def test_a_run_returns_what_it_wrote(run, folder):
    """A run has its frames in order with their times, and its record; loading the folder gives the same."""
    assert [frame.time for frame in run] == [0.0, 0.05, 0.1]
    assert [frame.number for frame in run.frames] == [0, 1, 2]
    assert run.record["status"] == "done" and run.record["threads"] == 2
    again = amrclaw.load(folder / "out")
    assert len(again) == 3 and again[-1].time == run[2].time and [f.number for f in again[1:]] == [1, 2]
    assert "3 frames, done" in repr(again) and "pressure, u, v on 3 levels" in repr(again[0])


def test_a_frame_is_what_the_simulation_was(run, folder):
    """A frame that is read has the bits of a simulation advanced to the same time by the same steps."""
    sim = amrclaw.Simulation(folder / "pulse.toml")
    sim.advance_to(0.05)
    sim.advance_to(0.1)
    for read, live in zip(run[-1].patches(), sim.patches(), strict=True):
        assert (read.level, read.lo, read.hi, read.dx) == (live.level, live.lo, live.hi, live.dx)
        np.testing.assert_array_equal(read.q, live.q)


def test_patches_know_their_place(run):
    """Initial values are those of the formula at the patches' coordinates, with `exp` to round-off."""
    for patch in run[0].patches():
        x, y = np.meshgrid(patch.x, patch.y, indexing="ij")
        assert patch.q.shape == (3, *patch.shape) and patch.edges(0)[[0, -1]] == pytest.approx([patch.lower[0], patch.upper[0]])
        uncovered = ~patch.covered
        expected = np.exp(-40 * (x**2 + (y - 0.7) ** 2))
        np.testing.assert_allclose(patch["pressure"][uncovered], expected[uncovered], rtol=1e-12)
        # Linear in x: averages of fine cells are exact, too.
        np.testing.assert_allclose(patch["v"], 0.1 * x, atol=1e-15)


def test_derived_fields_know_the_names_of_the_case(folder):
    """Formulas over frames know the names and functions of `[define]`: a quarter to the bit, `exp` to round-off."""
    bump = "exp(-40 * (x^2 + (y - 0.7)^2))"
    case = CASE.replace(f'"{bump}"', '"scaled(bump)"') + f'[define]\nbump = "{bump}"\n"scaled(a)" = "a / 4"\n'
    (folder / "defined.toml").write_text(case)
    frame = amrclaw.run(folder / "defined.toml", output=folder / "defined", progress=False)[-1]
    for patch, found in zip(frame.patches(), frame.derive("scaled(v)", "bump").patches(), strict=True):
        x, y = np.meshgrid(patch.x, patch.y, indexing="ij")
        np.testing.assert_array_equal(found["scaled(v)"], patch["v"] / 4)
        np.testing.assert_allclose(found["bump"], np.exp(-40 * (x**2 + (y - 0.7) ** 2)), rtol=1e-12)
    with pytest.raises(amrclaw.InputError, match="`scaled` takes one argument"):
        frame.derive("scaled(u, v)")


def test_totals_agree_with_the_record(run):
    """The total over uncovered cells is the one that the program computed."""
    for frame, key in ((run[0], "totals_initial"), (run[-1], "totals_final")):
        for name, total in run.record[key].items():
            assert frame.total(name) == pytest.approx(total, rel=1e-12, abs=1e-14)


def test_to_uniform(run):
    """For each level the grid covers the domain: cells of the level unchanged, coarser ones repeated, finer ones averaged with the same total."""
    frame = run[-1]
    for level, cells in ((1, (26, 15)), (2, (52, 30)), (3, (208, 120))):
        grid = frame.to_uniform(level, "pressure")
        assert grid.shape == cells and np.isfinite(grid).all()
        volume = 2.0 * 1.5 / grid.size
        assert grid.sum() * volume == pytest.approx(frame.total("pressure"), rel=1e-12)
        np.testing.assert_array_equal(frame.to_uniform(level)[0], grid)
    fine = frame.to_uniform(3, "v")
    for patch in frame.patches(3):
        place = tuple(map(slice, patch.lo, patch.hi))
        np.testing.assert_array_equal(fine[place], patch["v"])
    with pytest.raises(amrclaw.InputError, match="there is no level 4"):
        frame.to_uniform(4)


def test_sample(run):
    """Linear functions are reproduced away from the sides, on levels and between them. Points outside are an error, or NaN if requested;
    the method nearest gives a cell's value."""
    frame = run[0]
    points = np.random.default_rng(1).uniform((-0.9, 0.1), (0.9, 1.4), (200, 2))
    finest = finest_levels(frame, points)
    assert set(finest) == {1, 2, 3}
    found = frame.sample(points, "v")
    # Next to coarser cells their value is used for missing fine ones: an error of up to half a coarse cell.
    np.testing.assert_allclose(found, 0.1 * points[:, 0], atol=0.1 * 0.5 * frame.levels[0].dx[0])
    alone = (finest == 1) | (finest == 3)
    assert np.median(abs(found - 0.1 * points[:, 0])[alone]) < 1e-15
    nearest = frame.sample(points, "v", method="nearest")
    dx = np.array([frame.levels[l - 1].dx[0] for l in finest])
    assert (abs(nearest - 0.1 * points[:, 0]) <= 0.1 * 0.5 * dx + 1e-15).all()
    found = frame.sample([[0.0, 0.5], [5.0, 0.5]], outside="nan")
    assert found.shape == (3, 2) and np.isnan(found[:, 1]).all() and not np.isnan(found[:, 0]).any()
    with pytest.raises(amrclaw.InputError, match=r"1 of 2 points lie outside the domain, the first at \(5, 0.5\)"):
        frame.sample([[0.0, 0.5], [5.0, 0.5]])
    with pytest.raises(amrclaw.InputError, match="points must have 2 coordinates"):
        frame.sample([1.0, 2.0, 3.0])


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_cells_are_found_by_their_centres(frames, dimension):
    """At the centre of a cell the method nearest gives its value, or that of a finer cell exactly where it is covered."""
    folders = [path.parent for path in Path(frames).rglob("frame_0000.vtkhdf")]
    frame = next(f for f in (amrclaw.load(path)[0] for path in folders) if f.dimension == dimension)
    assert any(patch.covered.any() for patch in frame.patches())
    for patch in frame.patches():
        points = np.stack(np.meshgrid(*map(patch.centres, range(dimension)), indexing="ij"), -1).reshape(-1, dimension)
        finest = finest_levels(frame, points).reshape(patch.shape)
        np.testing.assert_array_equal(finest > patch.level, patch.covered)
        nearest = frame.sample(points, "pressure", "nearest").reshape(patch.shape)
        np.testing.assert_array_equal(nearest[~patch.covered], patch["pressure"][~patch.covered])


def test_gauges(run):
    """A gauge's series begins with the start and has every equation."""
    assert run.gauges == ("middle",)
    series = run.gauge("middle")
    assert list(series) == ["level", "t", "pressure", "u", "v"]
    assert series["t"][0] == 0.0 and (np.diff(series["t"]) > 0).all() and series["level"].max() == 3
    with pytest.raises(amrclaw.InputError, match="there is no gauge 'left'; there are middle"):
        run.gauge("left")


def test_changes_of_keys(folder):
    """Dotted keys, nested keys, numpy arrays and formulas are accepted; the last value of a key overrides earlier ones and the file."""
    case = amrclaw.load_case(
        folder / "pulse.toml",
        {"mesh.cells": np.array([10, 12]), "mesh": {"boundary": {"x": "wall"}}, "initial.pressure": "1 + x", "time.end": 0.3},
    )
    assert case.cells == [10, 12] and case.boundary[0] == ["wall", "wall"] and case.end == 0.3
    assert case.dimension == 2 and case.equations == ["pressure", "u", "v"] and case.file.endswith("pulse.toml")
    sim = amrclaw.Simulation(case, set={"levels.max": 1})
    assert sim.case.end == 0.3 and len(sim.levels) == 1
    np.testing.assert_allclose(sim.patches(1)[0]["pressure"][:, 0], 1 + sim.patches(1)[0].x, rtol=1e-15)


def test_dictionaries_survive_toml():
    """Strings with quotes, control characters and umlauts, nested tables and lists of tables survive writing and reading TOML."""
    tomllib = pytest.importorskip("tomllib")
    from amrclaw import _toml

    case = {"a": 'say "hi"\n\\ü\x01', "b": {"c d": [1, 2.5, True, float("inf")], "e": {"f": 1e-300}}, "g": [{"h": [1, [2, 3]]}, {"h": []}]}
    assert tomllib.loads(_toml.dumps(case)) == case
    with pytest.raises(TypeError, match="cannot stand in a case"):
        _toml.dumps({"a": object()})


def test_simulations_write_frames_that_can_be_loaded(tmp_path):
    """A frame of a simulation is written with a given number, and reading it gives the same bits."""
    sim = amrclaw.Simulation({**toml(CASE), "levels": {"max": 1}})
    sim.step()
    sim.frame().write(tmp_path, number=7)
    sim.frame().write(tmp_path, "clawpack-ascii", 7)
    assert (tmp_path / "fort.q0007").exists()
    (read,) = amrclaw.load(tmp_path)
    assert read.number == 7 and read.time == sim.time
    np.testing.assert_array_equal(read.patches(1)[0].q, sim.patches(1)[0].q)
    with pytest.raises(amrclaw.InputError, match="format"):
        sim.frame().write(tmp_path, "png")


def toml(text):
    return pytest.importorskip("tomllib").loads(text)


def test_errors_of_files(tmp_path):
    """Missing cases, folders and frames, and damaged records and gauges, are input errors with the path."""
    with pytest.raises(amrclaw.InputError, match="nowhere.toml"):
        amrclaw.run(tmp_path / "nowhere.toml", progress=False)
    with pytest.raises(amrclaw.InputError, match="nowhere"):
        amrclaw.load(tmp_path / "nowhere")
    with pytest.raises(amrclaw.InputError, match="no frames in the format vtkhdf; nor has it a run.json"):
        amrclaw.load(tmp_path)
    (tmp_path / "frame_0000.vtkhdf").write_text("no HDF5")
    with pytest.raises(amrclaw.InputError, match="frame_0000.vtkhdf"):
        amrclaw.load(tmp_path)[0]
    for record in ('{"status": "do', "3"):
        (tmp_path / "run.json").write_text(record)
        with pytest.raises(amrclaw.InputError, match=r"run\.json: .*remove the file to read the frames without it"):
            amrclaw.load(tmp_path)
    (tmp_path / "run.json").unlink()
    (tmp_path / "gauge_a.csv").write_text("")
    with pytest.raises(amrclaw.InputError, match="gauge_a.csv: this is not a complete table"):
        amrclaw.load(tmp_path).gauge("a")


def test_wrong_arguments_are_input_errors(folder):
    """Changes that are no dictionary, cases of a wrong type, and a `progress` that cannot be called are refused before the run."""
    case, out = folder / "pulse.toml", folder / "refused"
    for wrong, message in (({"set": ["time.end"]}, "set: must be a dictionary"), ({"progress": 3}, "progress: must be True, False or a function")):
        with pytest.raises(amrclaw.InputError, match=message):
            amrclaw.run(case, output=out, **wrong)
    with pytest.raises(amrclaw.InputError, match="case: must be the path of a case file, a dictionary or a case, but is 3"):
        amrclaw.run(3, output=out)
    assert not out.exists()


def test_runs_are_read_from_any_folder(run, folder, monkeypatch):
    """A run that was loaded by a relative path is read after the current folder has changed."""
    monkeypatch.chdir(folder)
    loaded = amrclaw.load("out")
    monkeypatch.chdir("/")
    assert loaded.dir == run.dir and loaded[-1].time == run[-1].time and loaded.gauges == ("middle",)
    assert loaded.gauge("middle")["t"][0] == 0.0


def test_runs_are_replaced_only_on_demand(folder):
    """A second run is written to a folder of another name, with a warning; `overwrite` replaces the first. Remarks on a case are warnings too."""
    case, out = folder / "pulse.toml", folder / "twice"
    first = amrclaw.run(case, output=out, progress=False)
    with pytest.warns(UserWarning, match="twice contains files of another run"):
        second = amrclaw.run(case, output=out, progress=False)
    assert (first.dir, second.dir) == (str(out), str(out) + "_2") and len(second) == len(first)
    late = {"output.count": 1, "time.end": 0.05}
    assert len(amrclaw.run(case, set=late, output=out, overwrite=True, progress=False)) == 2
    times = amrclaw.load_case(case, {"output.times": [0.05, 0.1]})
    with pytest.warns(UserWarning, match="output.times: 1 of 2"):
        amrclaw.load_case(times, {"time.end": 0.06})


def test_progress_is_told_to_functions(folder):
    """The function `progress` is called for every step, in order, up to the end."""
    told = []
    amrclaw.run(folder / "pulse.toml", output=folder / "told", progress=lambda *where: told.append(where))
    times, steps = [t for t, *_ in told], [n for _, _, _, n, *_ in told]
    assert times == sorted(times) and times[-1] == 0.1 and steps == list(range(1, len(told) + 1))


def test_progress_on_a_terminal(monkeypatch, capsys, folder):
    """On a terminal one line is overwritten again and again, and removed at the end; elsewhere nothing is printed."""
    amrclaw.run(folder / "pulse.toml", output=folder / "terminal")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    amrclaw.run(folder / "pulse.toml", output=folder / "terminal", overwrite=True)
    shown = capsys.readouterr().err
    assert "100%  t = 0.1" in shown and "\n" not in shown and shown.endswith(" \r")


def test_progress_in_a_notebook(monkeypatch, folder):
    """In a notebook one output is updated. The test replaces the notebook's modules by stand-ins."""
    import types

    shown = []
    handle = types.SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))
    notebook = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=None)
    notebook.display = types.ModuleType("IPython.display")
    notebook.display.display = lambda *_, **__: handle
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook.display)
    amrclaw.run(folder / "pulse.toml", output=folder / "notebook")
    assert "100%  t = 0.1" in shown[-1] and "█" in shown[-1]


def test_interrupts_end_the_run_after_a_step(folder):
    """Ctrl-C writes a checkpoint, from which the run goes on to the same bits as if it had not been interrupted."""
    case, far = folder / "pulse.toml", {"time.end": 0.12}
    whole = amrclaw.run(case, set=far, output=folder / "whole", progress=False)

    def interrupt_soon(t, start, end, steps, *_):
        if steps == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        amrclaw.run(case, set=far, output=folder / "cut", progress=interrupt_soon)
    assert isinstance(caught.value, amrclaw.Interrupted) and "interrupted after step" in str(caught.value)
    assert amrclaw.load(folder / "cut").record["status"] == "interrupted"
    resumed = amrclaw.run(case, set=far, output=folder / "cut", restart=caught.value.checkpoint, progress=False)
    for a, b in zip(whole[-1].patches(), resumed[-1].patches(), strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_termination_is_an_interrupt(folder):
    """SIGTERM, as batch systems send it, leaves a checkpoint too; afterwards the signal acts as before. A program's own handler stays."""
    own = []

    def terminate_soon(t, start, end, steps, *_):
        if steps == 3:
            signal.raise_signal(signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with pytest.raises(amrclaw.Interrupted) as caught:
        amrclaw.run(folder / "pulse.toml", output=folder / "ended", progress=terminate_soon)
    assert os.path.exists(caught.value.checkpoint) and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    signal.signal(signal.SIGTERM, lambda *_: own.append(None))
    try:
        amrclaw.run(folder / "pulse.toml", output=folder / "ended", progress=terminate_soon, overwrite=True)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert own == [None]


def test_exceptions_of_progress_are_raised(folder):
    """An exception of the function `progress` ends the run, with a checkpoint that its note names, and is raised as it is."""

    def fail(t, start, end, steps, *_):
        if steps == 3:
            raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea") as caught:
        amrclaw.run(folder / "pulse.toml", output=folder / "failed", progress=fail)
    assert list((folder / "failed").glob("checkpoint_*.h5"))
    if sys.version_info >= (3, 11):
        assert "interrupted after step 3" in caught.value.__notes__[0]


def test_interrupts_end_stepping(folder):
    """A real signal, from another thread, stops `advance_to` long before its time."""
    sim = amrclaw.Simulation(folder / "pulse.toml")
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.advance_to(1e6)
    assert 0 < sim.time < 1e6
    sim.step()


def test_other_threads_of_python_run_meanwhile(folder):
    """The interpreter's lock is released while the solver works: another thread can count."""
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(time.monotonic())
            time.sleep(0.001)

    sim = amrclaw.Simulation(folder / "pulse.toml", set={"mesh.cells": [104, 60]})
    thread = threading.Thread(target=count)
    thread.start()
    before = time.monotonic()
    sim.step()
    after = time.monotonic()
    stop.set()
    thread.join()
    assert sum(before < t < after for t in counted) >= 1
