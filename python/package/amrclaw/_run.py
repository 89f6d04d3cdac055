"""Runs, and the files that they write."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union, overload

import numpy as np

from . import _amrclaw
from ._case import CaseLike, changes_of, default_output, warn, with_changes
from ._errors import InputError
from ._frame import Frame, PathLike
from ._options import RunOptions
from ._progress import Display, Watch
from ._user import Boundary, CellsFunction, UserFunctions
from ._view import Fields, View, run_html

if TYPE_CHECKING:
    from typing_extensions import Unpack

_T = TypeVar("_T")


def run(
    case: CaseLike,
    *,
    set: Optional[Mapping[str, Any]] = None,
    solver: Optional[PathLike] = None,
    output: Optional[PathLike] = None,
    restart: Optional[PathLike] = None,
    overwrite: bool = False,
    progress: Union[bool, Watch] = True,
    comm: Any = None,
    initial: Optional[Callable[..., Any]] = None,
    aux: Optional[Callable[..., Any]] = None,
    boundary: Optional[Boundary] = None,
    flag: Optional[CellsFunction] = None,
    source: Optional[CellsFunction] = None,
    **options: Unpack[RunOptions],
) -> "Run":
    """Runs a case to its end, and returns the `Run` in the folder `output`.

    If `output` holds files of an earlier run, they are replaced with `overwrite`; otherwise the files go to `output_2`, `output_3`, …, and
    a warning says so.

    `case`, `set` and `solver` are as for `load_case`; `restart` is a checkpoint to continue from. `progress` is whether to show
    progress, or a function to call with it. `options` are those of the command line: `device`, `devices`, `threads`, `precision`, `fmad`,
    `device_memory`, `device_times`, `ranks`, `comm_timeout`, `check_solver`. Ctrl-C stops the run after the current step with `Interrupted`, which names
    a checkpoint; so does SIGTERM in a program without a handler of its own. An exception of the function `progress`, or of one in place of an
    entry of the case, stops the run, too, and is raised.

    `initial`, `aux`, `boundary`, `flag` and `source` are functions in place of entries of the case, as for `Simulation`. They are called for the
    patches of all ranks, each process's for its own.

    `comm` is a communicator of mpi4py, such as `MPI.COMM_WORLD`: its processes are the ranks of the run, and all must call `run` with the
    same arguments. Processes started by `mpiexec` must always give one: `MPI.COMM_SELF` for a separate run in each process.
    """

    functions = UserFunctions(initial=initial, aux=aux, boundary=boundary, flag=flag, source=source)

    def prepare() -> tuple[_amrclaw.Case, str]:
        if not isinstance(progress, bool) and not callable(progress):
            raise InputError(f"progress: must be True, False or a function to call after every step, but is {progress!r}")
        checked = functions.applied_to(with_changes(case, changes_of(set, solver) + functions.changes()))
        warn(checked)
        return checked, os.fspath(output) if output is not None else default_output(checked)

    if comm is not None:
        with _alone(comm) as ranks:
            checked, folder = _alike(ranks, prepare)
            is_first = ranks.rank == 0
            written = _start(checked, functions, folder, options, restart, overwrite, progress if is_first else False, ranks)
            return Run(ranks.bcast(written, root=0))
    if _amrclaw.is_one_of_several():
        raise InputError(
            "a launcher has started this program as one of several processes: write comm=MPI.COMM_WORLD, of mpi4py, for one run on all "
            "of them, or comm=MPI.COMM_SELF for a run of each"
        )
    checked, folder = prepare()
    return Run(_start(checked, functions, folder, options, restart, overwrite, progress, None))


@contextmanager
def _alone(comm: Any) -> Iterator[Any]:
    """A duplicate of the communicator, so that the run's messages are separate from others."""
    own = comm.Dup()
    try:
        yield own
    finally:
        own.Free()


def _alike(comm: Any, work: Callable[[], _T]) -> _T:
    """Does work that may fail; if it fails on one process, all processes raise an error."""
    try:
        done, error = work(), None
    except Exception as exception:
        error = exception
    told = comm.allgather(None if error is None else str(error))
    if error is not None:
        raise error
    for rank, text in enumerate(told):
        if text is not None:
            raise InputError(f"rank {rank}: {text}")
    return done


def _start(
    checked: _amrclaw.Case,
    functions: UserFunctions,
    folder: str,
    options: RunOptions,
    restart: Optional[PathLike],
    overwrite: bool,
    progress: Union[bool, Watch],
    comm: Any,
) -> str:
    """Runs a case; returns the folder of its files."""
    display = Display() if progress is True else None
    try:
        with _termination_interrupts():
            _, written = _amrclaw.run(
                checked,
                folder,
                options,
                functions.adapted(checked),
                restart=None if restart is None else os.fspath(restart),
                overwrite=overwrite,
                watch=display or (progress if callable(progress) else None),
                comm=comm,
            )
    finally:
        if display is not None:
            display.finish()
    return os.fspath(written)


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """SIGTERM acts as Ctrl-C, unless the program handles it itself. Only the main thread can change handlers."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def load(dir: PathLike) -> "Run":
    """The run whose files are in a folder: frames in the format `vtkhdf`, record and gauges.

    A folder without frames is an error; `Run(dir)` reads the record and the gauges of a run that wrote none.
    """
    found = Run(os.fspath(dir))
    if not len(found):
        help = "Run(dir) reads record and gauges" if found.record else "nor has it a run.json: it is no run's folder"
        raise InputError(f"{found.dir}: there are no frames in the format vtkhdf; {help}")
    return found


def _record(path: str) -> dict[str, Any]:
    """The record of a run; empty if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise InputError(f"{path}: the record of the run is damaged: {error}; remove the file to read the frames without it") from error
    if not isinstance(record, dict):
        raise InputError(f"{path}: this is not the record of a run; remove the file to read the frames without it")
    return record


class Run(Sequence[Frame]):
    """The frames of a run, in order, each read when it is accessed; `record` is the run's `run.json`."""

    def __init__(self, dir: str):
        # Frames and gauges are read later, maybe from another current folder.
        self.dir = os.path.abspath(dir)
        self._files = _amrclaw.list_frames(self.dir)
        self.record = _record(os.path.join(self.dir, "run.json"))

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Frame, list[Frame]]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        if not self._files:
            raise InputError(f"{self.dir}: there are no frames in the format vtkhdf")
        return Frame(_amrclaw.read_frame(self._files[index][1]))

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    @property
    def frames(self) -> "Run":
        """The frames: the run itself."""
        return self

    @property
    def gauges(self) -> tuple[str, ...]:
        """Names of the gauges."""
        names = (name for name in os.listdir(self.dir) if name.startswith("gauge_") and name.endswith(".csv"))
        return tuple(sorted(name[len("gauge_") : -len(".csv")] for name in names))

    def gauge(self, name: str) -> dict[str, np.ndarray]:
        """Time series of a gauge by name: `level`, `t` and each equation's quantity."""
        path = os.path.join(self.dir, f"gauge_{name}.csv")
        if not os.path.exists(path):
            raise InputError(f"{self.dir}: there is no gauge {name!r}; there are {', '.join(self.gauges) or 'none'}")
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        try:
            columns = lines[0].strip().split(",")
            values = np.array([[float(v) for v in line.split(",")] for line in lines[1:]]).reshape(-1, len(columns))
        except (IndexError, ValueError) as error:
            raise InputError(f"{path}: this is not a complete table of a gauge's values; run the case again") from error
        series = dict(zip(columns, values.T))
        series["level"] = series["level"].astype(int)
        return series

    def view(self, fields: Fields = (), *, budget: float = 10.0, height: int = 700) -> View:
        """The run as a page in a notebook: these fields, quantities or formulas (by default all equations), rounded to 16 bits, in at most
        `budget` megabytes: finest levels, then frames are left out where it would be larger (`View.left_out`)."""
        return View([self.dir], fields, budget, height)

    def _repr_html_(self) -> str:
        return run_html(self)

    def __repr__(self) -> str:
        return f"<Run in {self.dir}: {len(self)} frames, {self.record.get('status', 'no record')}>"
