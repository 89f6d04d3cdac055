"""Values of a solution at points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._errors import InputError

if TYPE_CHECKING:
    from ._frame import Level, Snapshot


def sample(snapshot: Snapshot, points: Any, field: Optional[str], method: str, outside: str) -> np.ndarray:
    """See `Snapshot.sample`."""
    points = np.atleast_2d(np.asarray(points, dtype=float))
    if points.ndim != 2 or points.shape[1] != snapshot.dimension:
        raise InputError(f"points must have {snapshot.dimension} coordinates each, but their shape is {points.shape}")
    if method not in ("linear", "nearest"):
        raise InputError(f'method: "{method}" is not known; write "linear" or "nearest"')
    if outside not in ("raise", "nan"):
        raise InputError(f'outside: "{outside}" is not known; write "raise" or "nan"')
    names = snapshot.equations if field is None else (field,)
    if snapshot.on_mesh:
        return _sample_mesh(snapshot, points, names, (method, outside))[0 if field is not None else slice(None)]
    out = np.full((len(names), len(points)), np.nan)
    inside = ((points >= snapshot.lower) & (points <= snapshot.upper)).all(axis=1)
    if outside == "raise" and not inside.all():
        first = ", ".join(f"{x:g}" for x in points[~inside][0])
        low, high = (", ".join(f"{x:g}" for x in corner) for corner in (snapshot.lower, snapshot.upper))
        raise InputError(
            f"{np.count_nonzero(~inside)} of {len(points)} points lie outside the domain, the first at ({first}); the domain "
            f'goes from ({low}) to ({high}); outside="nan" gives NaN there'
        )
    # Points outside are moved to some point inside, so that their cell index is valid; their level is not used.
    points = np.where(inside[:, None], points, snapshot.lower)
    at_level = finest_levels(snapshot, points)
    for level in snapshot.levels:
        chosen = np.flatnonzero(inside & (at_level == level.number))
        if len(chosen):
            out[:, chosen] = _sample_level(snapshot, level, points[chosen], names, method)
    return out if field is None else out[0]


def _sample_mesh(snapshot: Snapshot, points: np.ndarray, names: Sequence[str], how: tuple[str, str]) -> np.ndarray:
    """Values at points of a mesh from a file."""
    method, outside = how
    first_aux = len(snapshot.equations)
    numbers = [number + (first_aux if kind == "aux" else 0) for kind, number in map(snapshot.field_index, names)]
    values = snapshot.frame()._native.at_points(points, method == "linear")
    missed = np.isnan(values).all(axis=0)
    if outside == "raise" and missed.any():
        first = ", ".join(f"{x:g}" for x in points[missed][0])
        raise InputError(
            f"{np.count_nonzero(missed)} of {len(points)} points lie in no cell of the mesh, the first at ({first}); outside=\"nan\" gives NaN there"
        )
    return np.asarray(values[numbers])


def finest_levels(snapshot: Snapshot, points: np.ndarray) -> np.ndarray:
    """Number of the finest level at each point."""
    finest = np.zeros(len(points), dtype=int)
    for level in snapshot.levels:
        finest[level._index.containing(_cells_at(snapshot, level, points)) >= 0] = level.number
    return finest


def _sample_level(snapshot: Snapshot, level: Level, points: np.ndarray, names: Sequence[str], method: str) -> np.ndarray:
    if method == "nearest":
        return _cell_values(snapshot, level, _cells_at(snapshot, level, points), names)
    position = (points - snapshot.lower) / level.dx - 0.5
    first = np.floor(position).astype(int)
    share = position - first
    total = np.zeros((len(names), len(points)))
    for corner in np.ndindex(*(2,) * snapshot.dimension):
        cells = np.clip(first + corner, 0, np.array(level.cells) - 1).astype(np.int32)
        weight = np.where(np.array(corner) == 1, share, 1.0 - share).prod(axis=1)
        total += weight * _cell_values(snapshot, level, cells, names)
    return total


def _cell_values(snapshot: Snapshot, level: Level, cells: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Values of cells of a level; where the level has no cells, those of the coarser cells that contain them."""
    out = np.full((len(names), len(cells)), np.nan)
    left = np.arange(len(cells))
    for number in range(level.number, 0, -1):
        each = snapshot.levels[number - 1]
        containing = each._index.containing(cells)
        for k, here in _groups(containing):
            patch = each.patches[k]
            index = tuple((cells[here] - np.array(patch.lo, dtype=np.int32)).T)
            for target, name in zip(out, names):
                target[left[here]] = patch[name][index]
        left, cells = left[containing < 0], cells[containing < 0]
        if number > 1:
            cells = cells // np.array(snapshot.ratios[number - 2], dtype=np.int32)
    return out


def _groups(numbers: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each number that is not negative, and where it stands."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for here in np.split(order, starts)[1:]:
        yield int(numbers[here[0]]), here


def _cells_at(snapshot: Snapshot, level: Level, points: np.ndarray) -> np.ndarray:
    cells = np.floor((points - snapshot.lower) / level.dx)
    return np.clip(cells, 0, np.array(level.cells) - 1).astype(np.int32)
