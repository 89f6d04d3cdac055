"""GeoClaw's `fgmax` grids as monitors of a case."""

from __future__ import annotations

import os
from typing import Any

from .._errors import InputError
from ._settings import in_formula

GRID: dict[str, Any] = {
    **{"point_style": None, "tstart_max": 0.0, "tend_max": 1e10, "dt_check": 10.0, "min_level_check": None, "arrival_tol": 1e-2},
    **{"interp_method": 0, "fgno": None, "xy_fname": None, "npts": None, "nx": None, "ny": None, "dx": None, "dy": None},
    **{"n12": None, "n23": None, "X": None, "Y": None},
}
"""What a grid holds unless it is changed."""
_SPEED = "hypot(x_momentum, y_momentum) / max(depth, {dry})"


def monitors(data: dict[str, Any], geo: dict[str, Any], folder: str, remarks: list[str]) -> list[dict[str, Any]]:
    """A monitor for each grid."""
    grids = [{**GRID, **(grid if isinstance(grid, dict) else vars(grid))} for grid in data["fgmax_grids"]]
    if grids:
        remarks.append("fgmax_data.fgmax_grids: dt_check and min_level_check; monitors look after each step, at the finest cells")
    named = [(f"fgmax_{grid['fgno'] or number}", grid) for number, grid in enumerate(grids, start=1)]
    return [{"name": name, **_points(grid, folder), **_time(grid), **_values(int(data["num_fgmax_val"]), grid, geo)} for name, grid in named]


def _values(number: int, grid: dict[str, Any], geo: dict[str, Any]) -> dict[str, Any]:
    """GeoClaw's one, two or five values, and the time of arrival."""
    dry, level, least_height = map(in_formula, (geo["dry_tolerance"], geo["sea_level"], grid["arrival_tol"]))
    speed = _SPEED.format(dry=dry)
    most = {"depth": "depth", "speed": speed, "momentum": "hypot(x_momentum, y_momentum)", "momentum_flux": f"hypot(x_momentum, y_momentum) * {speed}"}
    arrival = f"depth > {dry} && abs(depth + bottom - {level}) > {least_height}"
    least = {"min": {"least_depth": "depth"}} if number == 5 else {}
    return {"max": dict(list(most.items())[: min(number, 4)]), **least, "first": {"arrival": arrival}}


def _time(grid: dict[str, Any]) -> dict[str, Any]:
    begin, end = float(grid["tstart_max"]), float(grid["tend_max"])
    return {} if begin <= 0.0 and end >= 1e9 else {"time": [begin, end]}


def _points(grid: dict[str, Any], folder: str) -> dict[str, Any]:
    """Where it looks."""
    style = grid["point_style"]
    if style == 0:
        return {"positions": _listed(grid, folder)}
    if style in (1, 2):
        ends = [[float(grid[f"{axis}{end}"]) for axis in "xy"] for end in (1, 2)]
        counts = [int(grid["npts"])] if style == 1 else _counts(grid, ends)
        return {"points": counts, "lower": ends[0], "upper": ends[1]}
    if style == 3:
        return {"positions": _quadrilateral(grid)}
    raise InputError(f"fgmax_grids: point_style = {style}; 0 to 3 can be read, points of a mask (4) as a list with point_style 0")


def _counts(grid: dict[str, Any], ends: list[list[float]]) -> list[int]:
    """Numbers of points along the axes. The upper end moves to the last point, as GeoClaw's does."""
    spacing = [grid["dx"], grid["dy"] if grid["dy"] is not None else grid["dx"]]
    counts = []
    for axis, (count, step) in enumerate(zip((grid["nx"], grid["ny"]), spacing)):
        if count is None:
            if step is None:
                raise InputError("fgmax_grids: point_style = 2 needs dx, or nx and ny")
            count = round((ends[1][axis] - ends[0][axis]) / float(step)) + 1
            ends[1][axis] = ends[0][axis] + float(step) * (count - 1)
        counts.append(int(count))
    return counts


def _listed(grid: dict[str, Any], folder: str) -> list[list[float]]:
    """The points in the script, or in a file, whose first line is their number."""
    if grid["xy_fname"] is None:
        return [[float(x), float(y)] for x, y in zip(grid["X"], grid["Y"])]
    path = os.path.join(folder, str(grid["xy_fname"]))
    try:
        with open(path, encoding="utf-8") as file:
            return [[float(word) for word in line.split()[:2]] for line in list(file)[1:] if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"fgmax_grids: {path}: {error}") from error


def _quadrilateral(grid: dict[str, Any]) -> list[list[float]]:
    """Points on lines between the sides from corner 1 to 2 and from 4 to 3."""
    corners = [[float(grid[f"{axis}{corner}"]) for axis in "xy"] for corner in (1, 2, 3, 4)]
    along, across = (int(grid[name]) for name in ("n12", "n23"))

    def between(a: list[float], b: list[float], part: float) -> list[float]:
        return [x + part * (y - x) for x, y in zip(a, b)]

    sides = [[between(corners[a], corners[b], i / max(along - 1, 1)) for i in range(along)] for a, b in ((0, 1), (3, 2))]
    return [between(low, high, j / max(across - 1, 1)) for j in range(across) for low, high in zip(*sides)]


def read_grids(lines: list[str]) -> list[dict[str, Any]]:
    """The grids in the lines of `fgmax_grids.data`, comments left out, after its two settings."""
    grids, rest = [], iter(lines)

    def words() -> list[str]:
        return next(rest).split()

    for first in rest:
        grid: dict[str, Any] = {"fgno": int(first.split()[0])}
        for name, kind in (("tstart_max", float), ("tend_max", float), ("dt_check", float), ("min_level_check", int), ("arrival_tol", float), ("interp_method", int), ("point_style", int)):
            grid[name] = kind(words()[0])
        style = grid["point_style"]
        if style == 4:
            grid["xy_fname"] = next(rest).strip("'\"")
        elif style in (0, 1):
            grid["npts"] = int(words()[0])
        else:
            grid.update(zip(("nx", "ny") if style == 2 else ("n12", "n23"), map(int, words()[:2])))
        if style == 0 and grid["npts"]:
            points = [[float(word) for word in words()[:2]] for _ in range(grid["npts"])]
            grid["X"], grid["Y"] = ([point[axis] for point in points] for axis in (0, 1))
        elif style == 0:
            grid["xy_fname"] = next(rest).strip("'\"")
        for corner in range(1, {1: 3, 2: 3, 3: 5}.get(style, 1)):
            grid[f"x{corner}"], grid[f"y{corner}"] = map(float, words()[:2])
        grids.append(grid)
    return grids
