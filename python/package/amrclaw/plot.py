"""Pictures with matplotlib, one call each. A solution is a frame, a simulation, or a run, whose last frame is drawn.

    amrclaw.plot.pcolor(run, "pressure")
    amrclaw.plot.contour(run[3], "pressure", levels=10)
    amrclaw.plot.section(run, (0, 0), (1, 1), "pressure")
    amrclaw.plot.gauge(run, "1", "pressure")
    amrclaw.plot.animate(run, "pressure.gif", "pressure")

Every function that draws one picture takes axes to draw on, and returns them; `ax.figure.savefig("picture.png")` saves it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _lattice
from ._errors import InputError
from ._frame import Frame, Snapshot
from ._run import Run

try:
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.patches import Polygon, Rectangle
except ImportError as error:
    raise ImportError("pictures need matplotlib: pip install matplotlib") from error

from ._film import film_ending, self_contained

Solution = Union[Snapshot, Run]
LEVEL_COLOURS = ["0.15", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown"]
"""Colours of the outlines of patches, coarsest level first; used in turn."""
MAX_CELLS = 4_000_000
"""Most cells of the grid on which contours are computed."""


def pcolor(
    solution: Solution,
    field: Optional[str] = None,
    *,
    ax: Optional[Axes] = None,
    outlines: bool = True,
    outline_level: Union[int, Sequence[int], None] = None,
    colorbar: bool = True,
    limits: Optional[tuple[float, float]] = None,
    log: bool = False,
    zoom: Optional[Sequence[float]] = None,
    slice: Optional[tuple[str, float]] = None,
    cmap: Optional[str] = None,
) -> Axes:
    """Draws a field as colours, cell by cell, with the outlines of the patches; on a mapped mesh, or one from a file in the plane,
    at the cells' physical positions. In one dimension, draws a graph.

    `field` is an equation, a quantity of the solver or a formula (see `Frame.derive`); the default is the pressure or, without
    one, the first equation. `limits` are the values at the ends of the colour scale; `log` makes the scale logarithmic. `zoom` is the part
    to show, `(x0, x1, y0, y1)`. `outline_level` draws only the outlines of one level, or of several. `slice`, such as `("z", 0.25)`,
    cuts a plane out of three dimensions (by default the middle one along z), or a line out of two.
    """
    frame, field = _frame_and_field(solution, field)
    frame, axes, where = _cut(frame, slice)
    if zoom is not None:
        _check_zoom(zoom, frame, axes)
    ax = _axes(ax)
    if frame.dimension == 1:
        _graph(frame, field, ax, limits)
        if log:
            ax.set_yscale("log")
        ax.set_xlabel(axes[0])
    else:
        low, high, default = _colours(frame, field, limits, log)
        norm = LogNorm(low, high) if log else Normalize(low, high)
        mesh = None
        for patch in frame.patches():
            values = np.ma.masked_less_equal(patch[field].T, 0.0) if log else patch[field].T
            if (cells := frame.mesh) is not None:
                outlines = False
                polygons = PolyCollection(cells.outlines(), array=values.ravel(), norm=norm, cmap=cmap or default)
                mesh = ax.add_collection(polygons)
            elif frame.mapped:
                x, y = np.moveaxis(patch.corners(), -1, 0)
                mesh = ax.pcolormesh(x.T, y.T, values, norm=norm, cmap=cmap or default)
            else:
                mesh = ax.pcolormesh(patch.edges(0), patch.edges(1), values, norm=norm, cmap=cmap or default)
        if colorbar and mesh is not None:
            ax.figure.colorbar(mesh, ax=ax, label=field)
        if outlines or outline_level is not None:
            draw_outlines(frame, ax=ax, level=outline_level)
        _frame_axes(frame, ax, axes)
    if zoom is not None:
        ax.set_xlim(zoom[0], zoom[1])
    if zoom is not None and len(zoom) == 4:
        ax.set_ylim(zoom[2], zoom[3])
    ax.set_title(f"{field}, {where}t = {frame.time:.4g}")
    return ax


def slices(
    solution: Solution,
    field: Optional[str] = None,
    at: Optional[Sequence[tuple[str, float]]] = None,
    **options: Any,
) -> list[Axes]:
    """Draws cuts of a solution in three dimensions side by side, by default the three planes through its middle; `options`
    are those of `pcolor`. All cuts have the same colour scale."""
    frame, field = _frame_and_field(solution, field)
    if frame.dimension != 3:
        raise InputError(f"the solution has {frame.dimension} dimensions; this picture needs three")
    middle = [(axis, 0.5 * (low + high)) for axis, low, high in zip("xyz", frame.lower, frame.upper)]
    places = list(at) if at is not None else middle[::-1]
    log = bool(options.get("log", False))
    limits = options.pop("limits", None) or _colours(frame, field, None, log)[:2]
    figure, axes = plt.subplots(1, len(places), figsize=(5.5 * len(places), 4.5), squeeze=False, layout="constrained")
    figure.set_label(field)
    return [pcolor(frame, field, ax=ax, slice=place, limits=limits, **options) for ax, place in zip(axes[0], places)]


def draw_outlines(
    solution: Solution,
    *,
    ax: Optional[Axes] = None,
    linewidth: float = 0.8,
    level: Union[int, Sequence[int], None] = None,
) -> Axes:
    """Draws the outlines of the patches, coloured by level: of one level, counted from 1, or several; by default of all but the
    coarsest, which covers the domain."""
    frame = _frame_and_field(solution, None)[0]
    ax = _axes(ax)
    asked = [] if level is None else [level] if isinstance(level, int) else list(level)
    for number in asked:
        if not 1 <= number <= len(frame.ratios) + 1:
            raise InputError(f"there is no level {number} to outline: levels are 1 to {len(frame.ratios) + 1}")
    shown = frame.levels[1:] if level is None else [each for each in frame.levels if each.number in asked]
    for each in shown:
        colour = LEVEL_COLOURS[(each.number - 1) % len(LEVEL_COLOURS)]
        for patch in each.patches:
            (x0, y0), (x1, y1) = patch.lower, patch.upper
            outline = Polygon(_around(patch.corners())) if frame.mapped else Rectangle((x0, y0), x1 - x0, y1 - y0)
            outline.set(fill=False, edgecolor=colour, linewidth=linewidth)
            ax.add_patch(outline)
    _frame_axes(frame, ax)
    return ax


def contour(
    solution: Solution,
    field: Optional[str] = None,
    *,
    levels: Union[int, Sequence[float]] = 15,
    ax: Optional[Axes] = None,
    outlines: bool = False,
    **style: Any,
) -> Axes:
    """Draws contour lines. `levels` are their number or their values; `style` is passed to matplotlib's `contour`."""
    frame, field = _frame_and_field(solution, field)
    _demand_two_dimensions(frame)
    ax = _axes(ax)
    number = max(
        (level.number for level in frame.levels if np.prod(level.cells) <= MAX_CELLS), default=frame.levels[0].number
    )
    level = frame.level(number)
    values = frame.to_uniform(number, field)
    x, y = (_lattice.centres(level._axis(d, 0), level.cells[d]) for d in range(2))
    if frame.mapped:
        x, y = np.moveaxis(frame.positions(np.stack(np.meshgrid(x, y), -1)), -1, 0)
    if not {"colors", "cmap"} & set(style):
        style["cmap"] = _colours(frame, field, None)[2]
    lines = ax.contour(x, y, values.T, levels, **style)
    if "colors" not in style and (isinstance(levels, int) or len(levels) > 1):
        ax.figure.colorbar(lines, ax=ax, label=field)
    if outlines:
        draw_outlines(frame, ax=ax)
    _frame_axes(frame, ax)
    ax.set_title(f"{field}, t = {frame.time:.4g}")
    return ax


def section(
    solution: Solution,
    start: Sequence[float],
    end: Sequence[float],
    field: Optional[str] = None,
    *,
    num: int = 500,
    ax: Optional[Axes] = None,
    **style: Any,
) -> Axes:
    """Plots values along the straight line from `start` to `end` over the distance from `start`. On a mapped mesh, or one from a file, the line
    is in physical space, and the plot has gaps where it leaves the domain."""
    frame, field = _frame_and_field(solution, field)
    ax = _axes(ax)
    share = np.linspace(0.0, 1.0, num)[:, None]
    first, last = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    line = first + share * (last - first)
    ends = " to ".join("(" + ", ".join(f"{x:g}" for x in end) + ")" for end in (first, last))
    if frame.on_mesh:
        points = line
    elif frame.mapped:
        points = frame.computational(line)
        if np.isnan(points).all():
            raise InputError(f"the line from {ends} does not meet the domain")
    else:
        # Rounding may put an end that is on the domain's boundary slightly outside.
        points = np.clip(line, frame.lower, frame.upper)
        if not np.allclose(points, line, atol=1e-9 * float(np.ptp([frame.lower, frame.upper]))):
            raise InputError(f"the line from {ends} leaves the domain")
    values = frame.sample(points, field, outside="nan")
    style.setdefault("label", f"t = {frame.time:.4g}")
    ax.plot(share[:, 0] * np.linalg.norm(last - first), values, **style)
    ax.set_xlabel(f"distance from ({', '.join(f'{x:g}' for x in first)})")
    ax.set_ylabel(field)
    return ax


def gauge(run: Run, name: str, field: Optional[str] = None, *, ax: Optional[Axes] = None, **style: Any) -> Axes:
    """Plots the time series of a gauge."""
    series = run.gauge(name)
    field = field or next(column for column in series if column not in ("level", "t"))
    if field not in series:
        raise InputError(f"gauge {name!r} has no field {field!r}")
    ax = _axes(ax)
    style.setdefault("label", f"gauge {name}")
    ax.plot(series["t"], series[field], **style)
    ax.set_xlabel("t")
    ax.set_ylabel(field)
    return ax


def animate(
    run: Sequence[Frame],
    path: Union[str, "os.PathLike[str]", None] = None,
    field: Optional[str] = None,
    *,
    draw: Callable[..., Axes] = pcolor,
    fps: int = 10,
    dpi: float = 100,
    **options: Any,
) -> FuncAnimation:
    """Writes all frames of a run as a film. The extension of `path` selects `.mp4` (needs ffmpeg or the package imageio-ffmpeg), `.gif` or `.html`.

    `draw` draws one frame: `pcolor`, or a function like it; `options` are passed to it. All frames have the same colour scale.
    """
    if isinstance(run, Snapshot) or not hasattr(run, "__len__"):
        raise InputError(
            f"animate: needs a run, as amrclaw.run and amrclaw.load return it, or a list of frames, but was given {run!r}; "
            "collect the frames of a simulation in a list with frame()"
        )
    if len(run) == 0:
        raise InputError("there are no frames to animate")
    if not 0 < fps < math.inf:
        raise InputError(f"fps: must be a number of frames per second above 0, but is {fps!r}")
    ending = None if path is None else film_ending(os.fspath(path))
    field = _frame_and_field(run[0], field)[1]
    if draw is pcolor:
        options.setdefault("limits", _limits_of(run, field, bool(options.get("log", False))))
    figure = plt.figure(dpi=dpi)

    def show(number: int) -> list[Any]:
        figure.clear()
        draw(run[number], field, ax=figure.add_subplot(), **options)
        return []

    film = FuncAnimation(figure, show, frames=len(run), init_func=lambda: [], interval=1000 / fps, blit=False)
    if path is not None:
        if ending == ".html":
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'<!DOCTYPE html>\n<meta charset="utf-8">\n{self_contained(film.to_jshtml(fps=fps))}')
        else:
            film.save(os.fspath(path), writer="pillow" if ending == ".gif" else "ffmpeg", fps=fps)
        plt.close(figure)
    return film


def _frame_and_field(solution: Solution, field: Optional[str]) -> tuple[Snapshot, str]:
    """The solution and the field to draw; for a formula, a frame with that as its only field."""
    frame = solution[-1] if isinstance(solution, Run) else solution
    if not isinstance(frame, Frame) and frame.mapped:
        frame = frame.frame()
    if field is None:
        field = "pressure" if "pressure" in frame.fields else frame.fields[0]
    if field in frame.fields:
        return frame, field
    snapshot = frame.frame()
    if field.isidentifier() and field not in snapshot.quantities:
        snapshot.field_index(field)  # says which fields there are
    return snapshot.derive(field), field


def _cut(frame: Snapshot, slice: Optional[tuple[str, float]]) -> tuple[Snapshot, Sequence[str], str]:
    """A frame of at most two dimensions, the names of its axes, and where it was cut."""
    if slice is None and frame.dimension == 3:
        slice = ("z", 0.5 * (frame.lower[2] + frame.upper[2]))
    if slice is None:
        return frame, "xy"[: frame.dimension], ""
    axis, position = slice
    axes = [name for name in "xyz"[: frame.dimension] if name != axis]
    return frame.slice(axis, position), axes, f"{axis} = {position:.4g}, "


def _check_zoom(zoom: Sequence[float], frame: Snapshot, axes: Sequence[str]) -> None:
    if len(zoom) not in (2, 4) or any(zoom[i] >= zoom[i + 1] for i in range(0, len(zoom), 2)):
        raise InputError(f"zoom: {tuple(zoom)} is no part of the domain; write (x0, x1, y0, y1), the smaller ones first")
    for d, (low, high) in enumerate(zip(*_extent(frame))):
        if 2 * d < len(zoom) and not (zoom[2 * d] < high and zoom[2 * d + 1] > low):
            raise InputError(f"zoom: {tuple(zoom)} is outside the domain along {axes[d]}, from {low:g} to {high:g}")


def _axes(ax: Optional[Axes]) -> Axes:
    return plt.figure().add_subplot() if ax is None else ax


def _demand_two_dimensions(frame: Snapshot) -> None:
    if frame.dimension != 2:
        raise InputError(f"the solution has {frame.dimension} dimensions; this picture needs two")


def _range(frame: Snapshot, field: str, log: bool = False) -> tuple[float, float]:
    values = [np.ravel(patch[field]) for patch in frame.patches()]
    if log:
        values = [positive for positive in (v[v > 0] for v in values) if positive.size]
        if not values:
            raise InputError(f"{field} has no positive value to draw logarithmically")
    return min(float(v.min()) for v in values), max(float(v.max()) for v in values)


def _limits_of(run: Sequence[Frame], field: str, log: bool) -> tuple[float, float]:
    ranges = []
    for frame in run:
        try:
            ranges.append(_range(*_frame_and_field(frame, field), log))
        except InputError:
            if not log:
                raise
    if not ranges:
        raise InputError(f"{field} has no positive value to draw logarithmically")
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (low, high) if log else _balanced(low, high)


def _colours(
    frame: Snapshot, field: str, limits: Optional[tuple[float, float]], log: bool = False
) -> tuple[float, float, str]:
    """Values at the ends of the colour scale, and the colour map: a diverging one if zero is in the middle."""
    found = limits or _range(frame, field, log)
    low, high = found if log or limits else _balanced(*found)
    if log and not 0 < low < high:
        raise InputError(f"limits: there is no logarithm from {low:g} to {high:g}")
    return low, high, "RdBu_r" if low == -high else "viridis"


def _balanced(low: float, high: float) -> tuple[float, float]:
    """Limits symmetric about zero if values have both signs, and neither sign is negligible."""
    largest = max(-low, high)
    return (-largest, largest) if low < 0 < high and min(-low, high) > 0.05 * largest else (low, high)


def _graph(frame: Snapshot, field: str, ax: Axes, limits: Optional[tuple[float, float]]) -> None:
    for patch in frame.patches():
        values = np.where(patch.covered, np.nan, patch[field])
        ax.plot(patch.x, values, ".-", color=LEVEL_COLOURS[(patch.level - 1) % len(LEVEL_COLOURS)], markersize=2)
    ax.set_xlim(frame.lower[0], frame.upper[0])
    if limits is not None:
        ax.set_ylim(*limits)
    ax.set_xlabel("x")
    ax.set_ylabel(field)


def _around(corners: np.ndarray) -> np.ndarray:
    """The corners on the sides of a patch, once around."""
    return np.concatenate([corners[:-1, 0], corners[-1, :-1], corners[:0:-1, -1], corners[0, :0:-1]])


def _extent(frame: Snapshot) -> tuple[Sequence[float], Sequence[float]]:
    """Lower and upper corner of the domain, on a mapped mesh in the plane those of a rectangle about it."""
    if not frame.mapped or frame.dimension == 1 or frame.on_mesh:
        return frame.lower, frame.upper
    sides = np.concatenate([_around(patch.corners()) for patch in frame.patches(1)])
    return sides.min(axis=0), sides.max(axis=0)


def _frame_axes(frame: Snapshot, ax: Axes, axes: Sequence[str] = "xy") -> None:
    (x0, y0), (x1, y1) = _extent(frame)
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.set_aspect("equal")
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])
