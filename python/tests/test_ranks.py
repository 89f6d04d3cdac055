"""Runs on several ranks: threads of one process, and processes that mpi4py joins."""

import json
import os
import subprocess
import sys
from pathlib import Path

import amrclaw
import numpy as np
import pytest

from test_run import CASE

MPIEXEC = Path(sys.prefix) / "bin" / "mpiexec"

# The program of each process: a run on all processes, a run of its own, and an error on one process only.
PROGRAM = """
import sys
from pathlib import Path
import amrclaw
from mpi4py import MPI

comm = MPI.COMM_WORLD
run = amrclaw.run("pulse.toml", output="together", threads=1, progress=False, comm=comm)
assert len(run) == 3 and len(run.record["ranks"]) == comm.size, run.record["ranks"]
again = amrclaw.run("pulse.toml", output="together", threads=1, progress=False, comm=comm)
assert Path(again.dir) == Path("together_2").resolve(), again.dir
alone = amrclaw.run("pulse.toml", output=f"alone{comm.rank}", progress=False, comm=MPI.COMM_SELF)
assert not alone.record.get("ranks")
try:
    amrclaw.run("pulse.toml" if comm.rank == 0 else "none.toml", output="never", comm=comm)
except amrclaw.InputError as error:
    assert "none.toml" in str(error) and (comm.rank == 1 or str(error).startswith("rank 1: ")), error
else:
    sys.exit("a case that is not there has been run")
try:
    amrclaw.run("pulse.toml", output="never")
except amrclaw.InputError as error:
    assert "comm=MPI.COMM_WORLD" in str(error), error
else:
    sys.exit("a run that is not told what it runs in has been run")
Path(f"well{comm.rank}").touch()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "pulse.toml").write_text(CASE)
    amrclaw.run(folder / "pulse.toml", output=folder / "one", threads=2, progress=False)
    return folder


def assert_same(one, other):
    """The same bits in all frames and gauges."""
    first, second = amrclaw.load(one), amrclaw.load(other)
    assert len(first) == len(second) == 3
    for a, b in zip(first, second):
        patches = [(p.q, r.q) for level, same in zip(a.levels, b.levels) for p, r in zip(level.patches, same.patches)]
        assert patches and all(np.array_equal(p, r) for p, r in patches)
    assert (Path(one) / "gauge_middle.csv").read_bytes() == (Path(other) / "gauge_middle.csv").read_bytes()


def test_threads_are_ranks(folder):
    """With the option `ranks` the files have the same bits, and the record lists the ranks."""
    run = amrclaw.run(folder / "pulse.toml", output=folder / "threads", ranks=2, threads=2, progress=False)
    assert len(run.record["ranks"]) == 2
    assert_same(folder / "one", folder / "threads")


def test_processes_are_ranks(folder):
    """With a communicator of mpi4py the processes are the ranks of one run; without one, a run under `mpiexec` is refused."""
    command = [str(MPIEXEC), "-n", "2", sys.executable, "-c", PROGRAM]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert outcome.returncode == 0 and (folder / "well0").exists() and (folder / "well1").exists(), outcome
    for other in ["together", "together_2", "alone0", "alone1"]:
        assert_same(folder / "one", folder / other)
    assert not (folder / "never").exists()
    assert "ranks" in json.loads((folder / "together" / "run.json").read_text())


def test_processes_of_another_launcher_are_refused(folder):
    """If mpi4py's library does not find the other processes of a launcher, the run is refused: each process would run the case alone."""
    program = 'import amrclaw; from mpi4py import MPI; amrclaw.run("pulse.toml", output="alone", comm=MPI.COMM_WORLD)'
    launched = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
    command = [sys.executable, "-c", program]
    outcome = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, **launched}
    )
    assert outcome.returncode == 1 and "has started 2 processes, but mpi4py's library finds 1" in outcome.stderr, outcome
    assert not (folder / "alone").exists()


def test_an_exception_of_the_first_rank_stops_all(folder):
    """An exception raised by `progress` on the first process is raised there, and ends the run on all processes, with a checkpoint."""
    program = """
from pathlib import Path
import amrclaw
from mpi4py import MPI

def watch(*args):
    raise KeyError("enough")

try:
    amrclaw.run("pulse.toml", output="stopped", threads=1, progress=watch, comm=MPI.COMM_WORLD)
except (KeyError, amrclaw.Interrupted) as error:
    Path(f"raised{MPI.COMM_WORLD.rank}").write_text(type(error).__name__)
"""
    command = [str(MPIEXEC), "-n", "2", sys.executable, "-c", program]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert [(folder / f"raised{rank}").read_text() for rank in range(2)] == ["KeyError", "Interrupted"], outcome
    assert list((folder / "stopped").glob("checkpoint_*.h5"))
