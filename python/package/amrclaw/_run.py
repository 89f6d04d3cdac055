"""Runs, and the files that they write."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union, overload

import numpy as np

from . import _amrclaw
from ._case import CaseLike, default_output, load_case
from ._errors import InputError
from ._frame import Frame, PathLike
from ._options import RunOptions
from ._progress import Display, Watch

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
    **options: Unpack[RunOptions],
) -> "Run":
    """Runs a case to its end, and returns the `Run` in the folder `output`.

    If `output` holds files of an earlier run, they are replaced with `overwrite`; otherwise the files go to `output_2`, `output_3`, …, and
    a warning says so.

    `case`, `set` and `solver` are as for `load_case`; `restart` is a checkpoint to continue from. `progress` is whether to show
    progress, or a function to call with it. `options` are those of the command line: `device`, `devices`, `threads`, `precision`, `fmad`,
    `device_memory`, `device_times`, `ranks`, `comm_timeout`. Ctrl-C stops the run after the current step with `Interrupted`, which names
    a checkpoint.

    `comm` is a communicator of mpi4py, such as `MPI.COMM_WORLD`: its processes are the ranks of the run, and all must call `run` with the
    same arguments. Processes started by `mpiexec` must always give one: `MPI.COMM_SELF` for a separate run in each process.
    """
    if comm is not None:
        with _alone(comm) as ranks:
            checked, folder = _alike(ranks, lambda: _prepare(case, set, solver, output))
            is_first = ranks.rank == 0
            written = _start(checked, folder, options, restart, overwrite, progress if is_first else False, ranks)
            return Run(ranks.bcast(written, root=0))
    if _amrclaw.is_one_of_several():
        raise InputError(
            "a launcher has started this program as one of several processes: write comm=MPI.COMM_WORLD, of mpi4py, for one run on all "
            "of them, or comm=MPI.COMM_SELF for a run of each"
        )
    checked, folder = _prepare(case, set, solver, output)
    return Run(_start(checked, folder, options, restart, overwrite, progress, None))


def _prepare(case: CaseLike, set: Any, solver: Any, output: Optional[PathLike]) -> tuple[_amrclaw.Case, str]:
    checked = load_case(case, set, solver)
    return checked, os.fspath(output) if output is not None else default_output(checked)


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
        _, written = _amrclaw.run(
            checked,
            folder,
            options,
            restart=None if restart is None else os.fspath(restart),
            overwrite=overwrite,
            watch=display or (progress if callable(progress) else None),
            comm=comm,
        )
    finally:
        if display is not None:
            display.finish()
    return os.fspath(written)


def load(dir: PathLike) -> "Run":
    """The run whose files are in a folder: frames in the format `vtkhdf`, record and gauges.

    A folder without frames is an error; `Run(dir)` reads the record and the gauges of a run that wrote none.
    """
    found = Run(os.fspath(dir))
    if not len(found):
        help = "Run(dir) reads record and gauges" if found.record else "nor has it a run.json: it is no run's folder"
        raise InputError(f"{found.dir}: there are no frames in the format vtkhdf; {help}")
    return found


class Run(Sequence[Frame]):
    """The frames of a run, in order, each read when it is accessed; `record` is the run's `run.json`."""

    def __init__(self, dir: str):
        self.dir = dir
        self._files = _amrclaw.list_frames(dir)
        try:
            with open(os.path.join(dir, "run.json"), encoding="utf-8") as file:
                self.record: dict[str, Any] = json.load(file)
        except FileNotFoundError:
            self.record = {}

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
        columns = lines[0].strip().split(",")
        values = np.array([[float(v) for v in line.split(",")] for line in lines[1:]]).reshape(-1, len(columns))
        series = dict(zip(columns, values.T))
        series["level"] = series["level"].astype(int)
        return series

    def __repr__(self) -> str:
        return f"<Run in {self.dir}: {len(self)} frames, {self.record.get('status', 'no record')}>"
