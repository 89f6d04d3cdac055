"""Arrays in place of a case's formulas."""

import os
import time

import amrclaw
import numpy as np
import pytest
from amrclaw import _data, _toml


def test_arrays_stand_where_a_case_takes_files(tmp_path, monkeypatch):
    """Initial data and inflow with times from arrays: cells have the array's values where the mesh is its lattice, and at the end what an inflow
    linear in time has brought in (a wave of speed 1 through half of the domain, exact but for a cell's width). Equal arrays are kept once."""
    monkeypatch.setenv("AMRCLAW_CACHE", str(tmp_path / "cache"))
    values, inflow = np.arange(40.0).reshape(4, 10), np.array([1.0, 3.0])
    case = {
        "solver": {"name": "advection", "u": 1.0, "v": 0.0},
        "mesh": {"cells": [10, 4], "boundary": {"x": ["inflow", "extrapolate"], "x_lower": {"q": "0"}}},
        "time": {"end": 0.5},
        "initial": {"q": values},
        "output": {"png": False},
    }
    first = amrclaw.run(case, output=tmp_path / "array", progress=False)[0]
    # Centres are those of the lattice but for round-off.
    np.testing.assert_allclose(first.patches()[0]["q"], values.T, rtol=1e-14, atol=1e-14)
    case["initial"]["q"] = "0"
    case["mesh"]["boundary"]["x_lower"]["q"] = {"file": np.repeat(inflow, 4).reshape(2, 4), "times": [0, 0.5]}
    last = amrclaw.run(case, set={"mesh.cells": [80, 4]}, output=tmp_path / "inflow", progress=False)[-1]
    # What is at x left the side at t = 0.5 - x.
    patch = last.patches()[0]
    x = patch.x[patch.x < 0.45]
    np.testing.assert_allclose(patch["q"][: len(x), 0], 1.0 + 4.0 * (0.5 - x), atol=4.0 / 80)
    amrclaw.load_case(case, {"initial.q": values.copy()})
    kept = list((tmp_path / "cache" / "data").iterdir())
    assert len(kept) == 2
    # A restart of the command line lacks arrays that are gone; one that gives them again does not.
    text = tmp_path / "inflow.toml"
    text.write_text(_toml.dumps(case))
    for file in kept:
        file.unlink()
    with pytest.raises(amrclaw.InputError, match="run the Python program that gave this array again"):
        amrclaw.load_case(text)
    amrclaw.load_case(case)


def test_arrays_that_nobody_uses_are_removed(tmp_path, monkeypatch):
    """Of the files of arrays that other programs have given those go that were not used for a month, and of too many bytes the longest unused ones, but
    none of the last hour; this program's own stay, and files that are not the package's."""
    monkeypatch.setenv("AMRCLAW_CACHE", str(tmp_path))
    data = tmp_path / "data"

    def give(value):
        return os.path.basename(_data.in_file("initial.q", np.full(100, value))["file"])

    own = give(1.0)
    ages = {own: 1e7, "from_python_a.npy": 31 * 86400, "from_python_b.npy": 9000, "from_python_c.npy": 8000, "from_python_d.npy": 60, "mine.npy": 1e7}
    for name, age in ages.items():
        (data / name).write_bytes(bytes(400))
        os.utime(data / name, (time.time() - age,) * 2)
    kept = {own, give(2.0), *list(ages)[2:]}
    assert {file.name for file in data.iterdir()} == kept
    for most, removed in [(3000, "from_python_b.npy"), (0, "from_python_c.npy")]:
        monkeypatch.setattr(_data, "_MAX_BYTES", most)
        kept = {*kept - {removed}, give(most)}
        assert {file.name for file in data.iterdir()} == kept
