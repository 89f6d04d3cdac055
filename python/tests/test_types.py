"""The type stubs match the native module, and programs that use the package pass a type checker."""

import os
import subprocess
import sys

import amrclaw
import pytest
from amrclaw import _amrclaw
from amrclaw._options import RunOptions

SMALL = {"solver": {"name": "burgers"}, "mesh": {"cells": [4, 4]}, "time": {"end": 0.1}, "initial": {"q": "x"}}


@pytest.fixture(name="mypy", scope="module")
def checker(tmp_path_factory):
    """Runs one of mypy's programs, with a cache of the libraries' types that all tests share."""
    pytest.importorskip("mypy")
    environment = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path_factory.mktemp("mypy"))}

    def run(module, *arguments):
        command = [sys.executable, "-m", module, *arguments]
        outcome = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr

    return run


def test_stubs_match_the_native_module(mypy):
    """Every class, function and argument is in the stubs, and nothing else."""
    # Disjoint bases concern subclasses; the classes in the stubs are final.
    mypy("mypy.stubtest", "amrclaw._amrclaw", "--ignore-disjoint-bases")


def test_options_of_a_run_are_those_of_the_program(tmp_path):
    """The options that type checkers see are those of the program's table; unknown names are refused."""
    assert sorted(RunOptions.__annotations__) == sorted(_amrclaw.run_option_names())
    with pytest.raises(TypeError, match='there is no option "thread"; there are device, devices, threads'):
        amrclaw.run(SMALL, output=tmp_path, thread=2)
    with pytest.raises(TypeError, match="threads: needs a whole number"):
        amrclaw.Simulation(SMALL, threads="2")


def test_the_package_is_well_typed(mypy, tmp_path):
    """Type checkers use the package's own types: a correct program passes, a wrong one is refused."""
    program = tmp_path / "program.py"
    program.write_text(
        "import amrclaw\n"
        "run: amrclaw.Run = amrclaw.run('case.toml', set={'mesh.cells': [4, 4]}, threads=2)\n"
        "total: float = run[-1].total('pressure')\n"
        "frames: list[amrclaw.Frame] = run[1:]\n"
        "sim = amrclaw.Simulation({}, initial=lambda x, y: (x, y, 0))\n"
        "shape: tuple[int, ...] = sim.patches(1)[0].q.shape\n"
    )
    mypy("mypy", "-p", "amrclaw")
    mypy("mypy", str(program))
    program.write_text(program.read_text() + "text: str = run[0].time\n")
    with pytest.raises(AssertionError, match="Incompatible types in assignment"):
        mypy("mypy", str(program))
