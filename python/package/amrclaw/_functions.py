"""Adapters from users' Python functions of cells to the solver's.

The solver passes a box of cells and expects a flat array `[value, z, y, x]`, x fastest; users' functions take and return
arrays `[x, y, z]`, one per value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _lattice
from ._errors import InputError

AXES = "xyz"


def centres(axes: Sequence[_lattice.Axis], size: Sequence[int]) -> list[np.ndarray]:
    """Coordinates of the cells' centres, each with the shape of the box."""
    return list(np.meshgrid(*map(_lattice.centres, axes, size), indexing="ij"))


class Cells:
    """The box of cells that a function is called for: `x`, `y`, `z`, `t`, `dx`, and the state `q[equation]`.

    `cells["pressure"]` is the equation's quantity or auxiliary value of that name. All arrays have axes x, y, z.
    """

    def __init__(
        self,
        place: tuple[Sequence[_lattice.Axis], Sequence[int], float],
        names: tuple[Sequence[str], Sequence[str]],
        ghosted: np.ndarray,
        aux: np.ndarray,
        num_ghost: int,
        side: Optional[str] = None,
        positions: Sequence[np.ndarray] = (),
    ):
        axes, size, time = place
        self.t = time
        self.dx = tuple(dx for _, _, _, dx, _ in axes)
        self.shape = tuple(size)
        self.equations, self.aux_names = names
        self.side = side
        """For boundary functions, the side, such as `x_lower`: the cells are beyond it, and the state is that of their mirror images. At a mesh from
        a file the side's name: a row of all its faces, with the states inside it in the faces' frames, x outwards."""
        self.ghosted = _grid(ghosted, len(self.equations), [n + 2 * num_ghost for n in size])
        """The state with one more cell on every side; for boundary functions without."""
        inner = tuple(slice(num_ghost, num_ghost + n) for n in size)
        self.q = self.ghosted[(slice(None), *inner)]
        self.aux = _grid(aux, len(self.aux_names), size)
        self._num_ghost = num_ghost
        self._axes = axes
        for axis, values in zip(AXES, positions or centres(axes, size)):
            setattr(self, axis, values)

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray

    def edges(self, axis: str) -> np.ndarray:
        """Coordinates of the cells' sides along an axis, one more than cells."""
        along = self._along(axis)
        return _lattice.edges(self._axes[along], self.shape[along])

    def lower(self, axis: str) -> np.ndarray:
        """The lower side of each cell along an axis, with the shape of the box."""
        return self._of_cells(axis, self.edges(axis)[:-1])

    def upper(self, axis: str) -> np.ndarray:
        """The upper side of each cell along an axis, with the shape of the box."""
        return self._of_cells(axis, self.edges(axis)[1:])

    def _along(self, axis: str) -> int:
        if axis not in tuple(AXES[: len(self._axes)]):
            raise InputError(f"there is no axis {axis!r}; there are {', '.join(AXES[: len(self._axes)]) or 'none'}")
        return AXES.index(axis)

    def _of_cells(self, axis: str, values: np.ndarray) -> np.ndarray:
        along = self._along(axis)
        row = values.reshape([-1 if d == along else 1 for d in range(len(self.shape))])
        return np.broadcast_to(row, self.shape)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.equations:
            return self.q[list(self.equations).index(name)]
        if name in self.aux_names:
            return self.aux[list(self.aux_names).index(name)]
        raise KeyError(f"{name!r} is none of {', '.join([*self.equations, *self.aux_names])}")

    def difference(self, name: str, axis: str) -> np.ndarray:
        """The difference between each cell's two neighbours along an axis, `q[i + 1] - q[i - 1]`."""
        if self._num_ghost == 0:
            raise InputError("difference: only flag functions get the state of neighbours")
        if name not in self.equations:
            raise InputError(f"difference: there is no equation {name!r}; there are {', '.join(self.equations)}")
        values, along = self.ghosted[list(self.equations).index(name)], self._along(axis)

        def shifted(by: int) -> np.ndarray:
            return values[tuple(slice(1 + by * (d == along), 1 + by * (d == along) + n) for d, n in enumerate(self.shape))]

        return shifted(1) - shifted(-1)


def _grid(flat: np.ndarray, count: int, size: Sequence[int]) -> np.ndarray:
    """An array `[value, x, y, z]` of the solver's numbers, without a copy."""
    grid = flat.reshape((count, *reversed(list(size))))
    return grid.transpose(0, *range(grid.ndim - 1, 0, -1))


def _flat(values: Any, names: Sequence[str], shape: tuple[int, ...], what: str) -> np.ndarray:
    """A function's result, one value per name, as the solver's flat array. A number stands for a uniform array."""
    if isinstance(values, Mapping):
        missing = [name for name in names if name not in values]
        unknown = [name for name in values if name not in names]
        if missing or unknown:
            raise InputError(f"{what} must return {', '.join(names)}, but returned {', '.join(map(str, values))}")
        values = [values[name] for name in names]
    returned = _miscounted(values, len(names))
    if returned is not None:
        count, listed = "1 value" if len(names) == 1 else f"{len(names)} values", ", ".join(names)
        raise InputError(
            f"{what} must return {count} ({listed}), but returned {returned}; return a list of arrays or numbers, one for each: [{listed}]"
        )
    out = np.empty((len(names), *shape[::-1]))
    for target, item, name in zip(out, values, names):
        target[...] = _numbers(item, shape, f"{what}: {name}").T
    return out.ravel()


def _miscounted(values: Any, count: int) -> Optional[str]:
    """What a function returned, if it is not so many values."""
    if values is None:
        return "nothing"
    if not hasattr(values, "__len__") or (isinstance(values, np.ndarray) and values.ndim == 0):
        return f"a single {type(values).__name__}"
    if len(values) == count:
        return None
    return f"an array of shape {values.shape}" if isinstance(values, np.ndarray) else str(len(values))


def _numbers(item: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Numbers as an array with the shape of the box. NumPy's conversion would drop imaginary parts and masks."""
    dropped = "complex" if np.iscomplexobj(item) else "masked" if np.ma.is_masked(item) else ""
    if dropped:
        raise InputError(f"{what} has {dropped} values; return real numbers everywhere")
    try:
        array = np.asarray(item, dtype=float)
    except (TypeError, ValueError):
        array = None
    if item is None or array is None:
        kind = "None" if item is None else f"a {type(item).__name__}"
        raise InputError(f"{what} is {kind}, not a number or an array of numbers of shape {shape}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise InputError(f"{what} has shape {array.shape}, which cannot be broadcast to that of the cells, {shape}") from None


def _named(what: str, function: Callable[..., Any]) -> str:
    """What a function is given for, with its own name if it has one."""
    name = getattr(function, "__name__", "<lambda>")
    return what if name in ("<lambda>", what) else f"{what} ({name})"


def check(what: str, function: Any) -> None:
    """Refuses what cannot be called."""
    if not callable(function):
        raise InputError(f"{what}: must be a function, but is {function!r}; formulas belong in the case")


def of_position(function: Callable[..., Any], names: Sequence[str], what: str, timed: bool) -> Callable[..., np.ndarray]:
    """Adapts a function for initial or auxiliary data: `function(x, y)`, or `function(x, y, t)` if `timed`; with `cells` if it
    has such a parameter."""
    wants_cells = _wants_cells(function)

    def ask(axes: Sequence[_lattice.Axis], size: Sequence[int], time: float) -> np.ndarray:
        place = (axes, size, time)
        more = {"cells": Cells(place, ((), ()), np.empty(0), np.empty(0), num_ghost=0)} if wants_cells else {}
        values = function(*centres(axes, size), *([time] if timed else []), **more)
        return _flat(values, names, tuple(size), _named(what, function))

    return ask


def _wants_cells(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter `cells`."""
    try:
        parameter = inspect.signature(function).parameters.get("cells")
        # A variadic parameter may also be called `cells`; it takes coordinates.
        return parameter is not None and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    except (TypeError, ValueError):
        return False


def takes_time(function: Callable[..., Any], dimension: int) -> bool:
    """Whether a function of position also takes the time: it has one more argument than there are axes."""
    more = {"cells": None} if _wants_cells(function) else {}
    try:
        inspect.signature(function).bind(*range(dimension + 1), **more)
    except (TypeError, ValueError):
        return False
    try:
        inspect.signature(function).bind(*range(dimension), **more)
    except TypeError:
        return True
    return False


def flags(function: Callable[[Cells], Any], equations: Sequence[str], aux: Sequence[str]) -> Callable[..., np.ndarray]:
    """Adapts a refinement criterion: `function(cells)` is true, or not 0, where to refine."""
    what = _named("flag", function)

    def ask(axes: Any, size: Any, time: float, state: np.ndarray, aux_values: np.ndarray) -> np.ndarray:
        cells = Cells((axes, size, time), (equations, aux), state, aux_values, num_ghost=1)
        found = function(cells)
        wanted = f"return an array of shape {cells.shape}, like cells.x, that is true where to refine"
        if found is None:
            raise InputError(f"{what} returned nothing; {wanted}")
        values = _flat([found], ["flags"], cells.shape, what)
        if np.isnan(values).any():
            raise InputError(f"{what} returned NaN in {np.count_nonzero(np.isnan(values))} of {values.size} cells; {wanted}")
        return values

    return ask


def rates(function: Callable[[Cells], Any], equations: Sequence[str], aux: Sequence[str]) -> Callable[..., np.ndarray]:
    """Adapts a source term: `function(cells)` is dq/dt."""
    what = _named("source", function)

    def ask(axes: Any, size: Any, time: float, state: np.ndarray, aux_values: np.ndarray) -> np.ndarray:
        cells = Cells((axes, size, time), (equations, aux), state, aux_values, num_ghost=0)
        return _flat(function(cells), equations, cells.shape, what)

    return ask


def ghosts(functions: Callable[[Cells], Any] | Mapping[str, Any], equations: Sequence[str]) -> Callable[..., np.ndarray]:
    """Adapts boundary functions: `function(cells)` is the state of ghost cells beyond the side `cells.side`."""

    def ask(axes: Any, size: Any, time: float, mirror: np.ndarray, side: str, positions: Any = ()) -> np.ndarray:
        cells = Cells((axes, size, time), (equations, []), mirror, np.empty(0), num_ghost=0, side=side, positions=positions)
        function = functions[side] if isinstance(functions, Mapping) else functions
        return _flat(function(cells), equations, tuple(size), _named(f"the boundary {side}", function))

    return ask
