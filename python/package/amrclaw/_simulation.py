"""A simulation under Python's control."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional

from . import _amrclaw
from ._case import CaseLike, changes_of, with_changes
from ._errors import InputError
from ._frame import Frame, Level, PathLike, Snapshot
from ._options import RunOptions
from ._user import Boundary, CellsFunction, UserFunctions
from ._view import simulation_html

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Simulation(Snapshot):
    """A case that is advanced step by step.

    `case`, `set` and `solver` are as for `load_case`, `options` as for `run`. Functions may replace entries of the case:

    * `initial(x, y)` returns the state at the start, one array or number per equation, in their order or by name;
    * `aux(x, y)` returns the auxiliary values, or `aux(x, y, t)` those that change with time;
    * `flag(cells)` returns where to refine;
    * `source(cells)` returns dq/dt, one array or number per equation;
    * `boundary(cells)` returns the state of ghost cells beyond the sides that are "user" in the case; or `boundary` is a
      dictionary of such functions for sides such as "x_lower".

    In one dimension functions of position take only x, in three x, y and z. `cells` is a `Cells`. Functions of position that
    have a parameter `cells`, as in `initial(x, y, cells)`, get one too, for the size and sides of the cells.

    Arrays of patches are views of the solver's own memory. They always show the solution at the time when they were requested:
    the solver copies values only if an array is still in use when the simulation advances.
    """

    def __init__(
        self,
        case: CaseLike,
        *,
        set: Optional[Mapping[str, Any]] = None,
        solver: Optional[PathLike] = None,
        initial: Optional[Callable[..., Any]] = None,
        aux: Optional[Callable[..., Any]] = None,
        boundary: Optional[Boundary] = None,
        flag: Optional[CellsFunction] = None,
        source: Optional[CellsFunction] = None,
        **options: Unpack[RunOptions],
    ):
        functions = UserFunctions(initial=initial, aux=aux, boundary=boundary, flag=flag, source=source)
        self.case = checked = functions.applied_to(with_changes(case, changes_of(set, solver) + functions.changes()))
        self.equations, self.aux = tuple(checked.equations), tuple(checked.aux)
        self._made = os.getpid(), _amrclaw.Simulation(checked, options, functions.adapted(checked))
        self.lower, self.upper = tuple(checked.lower), tuple(checked.upper)
        self.cells, self.ratios = tuple(checked.cells), checked.ratios
        self._levels: Optional[tuple[Level, ...]] = None

    @property
    def _native(self) -> _amrclaw.Simulation:
        process, native = self._made
        if process != os.getpid():
            raise RuntimeError("a process made by fork has no threads of this simulation: make it there, or start the process by multiprocessing's \"spawn\"")
        return native

    @property
    def time(self) -> float:  # type: ignore[override]
        """Time."""
        return self._native.time

    @property
    def end(self) -> float:
        """The case's `time.end`."""
        return self.case.end

    @property
    def dt_next(self) -> float:
        """The step that the next step of the coarsest level will try."""
        return self._native.dt_next

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps taken on each level."""
        return tuple(self._native.steps)

    @property
    def cells_advanced(self) -> tuple[int, ...]:
        """Cell updates on each level."""
        return tuple(self._native.cells_advanced)

    @property
    def courant_max(self) -> float:
        """Largest Courant number so far."""
        return self._native.courant_max

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._native.threads

    @property
    def levels(self) -> tuple[Level, ...]:
        """Levels that have patches now, coarsest first."""
        if self._levels is None:
            self._levels = tuple(Level(self, number + 1) for number in range(self._native.num_levels))
        return self._levels

    def step(self, limit: Optional[float] = None) -> float:
        """Takes one step of the coarsest level, with the steps of finer levels that belong to it; returns the new time.

        A step that would end near the time `limit`, which lies in the future, is adjusted to end at it.
        """
        if limit is not None and not limit > self.time:
            raise InputError(f"step({limit}): the simulation is at t = {self.time:g}, and steps end later; give a later limit")
        self._go_on()
        self._native.step(float("inf") if limit is None else limit)
        return self.time

    def advance_to(self, time: float) -> None:
        """Takes steps up to a time, which must not lie in the past."""
        if not math.isfinite(time):
            raise InputError(f"advance_to({time}): this time is never reached; give a finite one, such as sim.end")
        if not time >= self.time:
            raise InputError(f"advance_to({time}): the simulation is at t = {self.time:g} already, and cannot go back")
        self._go_on()
        self._native.advance_to(time)

    def _go_on(self) -> None:
        """Drops the levels, so that their arrays do not force the solver to copy memory."""
        self._levels = None
        self.epoch += 1

    def totals(self) -> dict[str, float]:
        """Integral of each equation's quantity over the domain, from the finest cells at each place, weighted with the capacity."""
        return dict(zip(self.equations, self._native.totals()))

    def frame(self) -> Frame:
        """A copy of the solution as it is now."""
        return Frame(self._native.frame())

    def _native_boxes(self, level: int) -> Any:
        return self._native.boxes(level)

    def _native_patches(self, level: int) -> Any:
        patches = self._native.patches(level)
        return patches if patches is not None else self._native.frame().patches(level)

    def _repr_html_(self) -> str:
        return simulation_html(self)

    def __repr__(self) -> str:
        return f"<Simulation at t = {self.time:g}, step {self.steps[0]}, {len(self.levels)} levels>"
