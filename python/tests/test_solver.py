"""Solvers from files, compiled at their first use."""

import os
import time
from pathlib import Path

import amrclaw
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DECAY = REPOSITORY / "amrclaw" / "tests" / "cli" / "decay.rs"
CASE = {
    "initial": "user",
    "aux": "user",
    "solver": {"u": 1.0},
    "mesh": {"cells": [12, 10], "boundary": {"x": ["user", "extrapolate"]}},
    "levels": {"max": 2},
    "regrid": {"flag": {"criterion": "user"}},
    "time": {"end": 0.1},
    "output": {"png": False},
}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A folder of its own for what is compiled, unless one is given to all tests: there the sources of `riemann` are compiled already."""
    with pytest.MonkeyPatch.context() as patch:
        if "AMRCLAW_CACHE" not in os.environ:
            patch.setenv("AMRCLAW_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def test_solvers_from_files(tmp_path, capsys):
    """A file is compiled once, with a message; its functions, such as initial data, are used; a run and single steps give the same bits."""
    own = tmp_path / "decay.rs"
    own.write_text(f"{DECAY.read_text()}\n// New in {tmp_path}, at {time.time()}.\n")
    run = amrclaw.run(CASE, solver=own, output=tmp_path, progress=False)
    assert "decay.rs, which takes some seconds" in capsys.readouterr().err
    sim = amrclaw.Simulation({**CASE, "solver": {"u": 1.0, "path": str(own)}})
    sim.advance_to(0.1)
    assert capsys.readouterr().err == ""
    assert run.record["status"] == "done" and run[-1].equations == sim.equations
    assert all((a.q == b.q).all() for a, b in zip(run[-1].patches(), sim.patches(), strict=True))


def test_mistakes_in_files_are_input_errors(tmp_path):
    """The compiler's message has the line; a missing file is named."""
    wrong = tmp_path / "wrong.rs"
    wrong.write_text(DECAY.read_text() + "\nfn broken() -> i32 { missing }\n")
    with pytest.raises(amrclaw.InputError, match=r"cannot find value `missing`(.|\n)*wrong\.rs:\d+"):
        amrclaw.load_case(CASE, solver=wrong)
    with pytest.raises(amrclaw.InputError, match="nowhere.rs"):
        amrclaw.load_case(CASE, solver=tmp_path / "nowhere.rs")
