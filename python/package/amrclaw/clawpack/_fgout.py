"""GeoClaw's `fgout` grids as monitors of a case, whose values at frames are kept."""

from __future__ import annotations

import math
from typing import Any

from .._errors import InputError

GRID: dict[str, Any] = {
    **{"fgno": None, "point_style": 2, "output_style": 1, "tstart": None, "tend": None, "nout": None, "output_times": []},
    **{"nx": None, "ny": None, "x1": None, "x2": None, "y1": None, "y2": None, "q_out_vars": [1, 2, 3, 4]},
}
"""What a grid holds unless it is changed."""
_VALUES = [("depth", "depth"), ("x_momentum", "x_momentum"), ("y_momentum", "y_momentum"), ("surface", "depth + bottom"), ("bottom", "bottom")]


class FgOut:
    """The grids, and the times at which they are written."""

    def __init__(self, data: dict[str, Any]):
        self.grids = [{**GRID, **(grid if isinstance(grid, dict) else vars(grid))} for grid in data["fgout_grids"]]
        self.times = [_times(grid) for grid in self.grids]

    def monitors(self) -> list[dict[str, Any]]:
        """A monitor for each grid: GeoClaw's corners are those of cells, whose middles are the points."""
        return [self._monitor(number, grid, times) for number, (grid, times) in enumerate(zip(self.grids, self.times), start=1)]

    def _monitor(self, number: int, grid: dict[str, Any], times: list[float]) -> dict[str, Any]:
        if grid["point_style"] != 2:
            raise InputError(f"fgout_grids: point_style = {grid['point_style']}; 2, a lattice, can be read")
        counts = [int(grid["nx"]), int(grid["ny"])]
        ends = [[float(grid[f"{axis}{end}"]) for axis in "xy"] for end in (1, 2)]
        half = [(b - a) / (2 * n) for a, b, n in zip(*ends, counts)]
        lower, upper = ([x + sign * h for x, h in zip(corner, half)] for corner, sign in zip(ends, (1, -1)))
        # Frames' times may differ by round-off.
        near = 1e-9 * max(1.0, abs(max(times)))
        values = dict(_VALUES[variable - 1] for variable in grid["q_out_vars"])
        return {"name": f"fgout_{grid['fgno'] or number}", "points": counts, "lower": lower, "upper": upper, "time": [min(times) - near, max(times) + near], "now": values}

    def add_frames(self, output: dict[str, Any], span: tuple[float, float], remarks: list[str]) -> None:
        """Adds the grids' times to those of frames."""
        if not self.grids:
            return
        if "every_steps" in output:
            remarks.append("fgout_data.fgout_grids: values are kept at frames, which come by steps")
            return
        start, end = span
        count = output.pop("count", None)
        frames = output.get("times", []) if count is None else [start + (end - start) * n / count for n in range(count + 1)]
        near = 1e-9 * (end - start)
        wanted = sorted(time for times in self.times for time in times if start <= time <= end)
        new = [time for time, last in zip(wanted, [-math.inf, *wanted]) if time - last > near and all(abs(time - frame) > near for frame in frames)]
        output["times"] = sorted([*frames, *new])
        if new:
            remarks.append("fgout_data.fgout_grids: a frame is written at each of their times")


def _times(grid: dict[str, Any]) -> list[float]:
    if grid["output_style"] == 2:
        return [float(time) for time in grid["output_times"]]
    begin, end, count = float(grid["tstart"]), float(grid["tend"]), int(grid["nout"])
    return [begin + (end - begin) * k / max(count - 1, 1) for k in range(count)]


def read_grids(lines: list[str]) -> list[dict[str, Any]]:
    """The grids in the lines of `fgout_grids.data`, comments left out, after their number."""
    grids, rest = [], (line.split() for line in lines)
    for first in rest:
        grid: dict[str, Any] = {"fgno": int(first[0]), "output_style": int(next(rest)[0]), "nout": int(next(rest)[0])}
        if grid["output_style"] == 2:
            grid["output_times"] = next(rest)
        else:
            grid["tstart"], grid["tend"] = next(rest)[0], next(rest)[0]
        grid["point_style"], _format = int(next(rest)[0]), next(rest)
        grid["nx"], grid["ny"] = next(rest)[:2]
        for corner in (1, 2):
            grid[f"x{corner}"], grid[f"y{corner}"] = next(rest)[:2]
        grid["q_out_vars"] = [int(word) for word in next(rest)]
        grids.append(grid)
    return grids
