"""Pages and pictures of runs in notebooks."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from math import prod
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _amrclaw

if TYPE_CHECKING:
    from ._frame import Frame, PathLike
    from ._run import Run
    from ._simulation import Simulation

#: Cells of a case whose initial state is drawn unasked.
_QUICK = 100_000

Fields = Union[str, Sequence[str]]


class View:
    """A page that holds its data: a notebook shows it, `save` writes it as a file for any browser."""

    def __init__(self, dirs: Sequence[str], fields: Fields, budget: float, height: int):
        names = [fields] if isinstance(fields, str) else list(fields)
        self.html, self.left_out = _amrclaw.saved_page(list(dirs), names, int(1e6 * budget))
        """The page, and what of the data it lacks to be small enough, or `None`."""
        self.height = height

    def save(self, file: PathLike) -> None:
        """Writes the page."""
        with open(os.fspath(file), "w", encoding="utf-8") as page:
            page.write(self.html)

    def _repr_html_(self) -> str:
        # Within the notebook's own page: no port, so that it works wherever the notebook is seen.
        style = f'style="width: 100%; height: {self.height}px; border: 0"'
        return f'<iframe sandbox="allow-scripts allow-downloads" {style} srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<View of {len(self.html) / 1e6:.1f} MB>"


def frame_html(frame: Frame) -> str:
    """A frame in a notebook."""
    rows = {"time": f"{frame.time:g}", "fields": ", ".join(frame.fields), **_mesh(frame)}
    return _html(f"Frame {frame.number}", rows, frame)


def simulation_html(sim: Simulation) -> str:
    """A simulation in a notebook."""
    frame = sim.frame()
    rows = {"time": f"{sim.time:g} of {sim.end:g}", "steps": ", ".join(map(str, sim.steps)), **_mesh(frame)}
    return _html("Simulation", rows, frame)


def run_html(run: Run) -> str:
    """A run in a notebook."""
    record = run.record
    rows = {"case": record.get("case", ""), "status": record.get("status", "no record"), "error": record.get("error", "")}
    rows |= {"frames": str(len(run)), "gauges": ", ".join(run.gauges)}
    last = run[-1] if len(run) else None
    return _html(f"Run in {run.dir}", {**rows, **(_mesh(last) if last else {})}, last)


def case_html(case: _amrclaw.Case) -> str:
    """A case in a notebook; its initial state on the coarsest level, if that is quickly made."""
    from ._simulation import Simulation

    frame = None
    if prod(case.cells) <= _QUICK:
        try:
            frame = Simulation(case, set={"levels.max": 1}, device="cpu").frame()
        except Exception:  # What is wrong a run says: here the picture is left out.
            pass
    rows = {
        "fields": ", ".join(case.equations),
        "domain": _domain(case.lower, case.upper),
        "cells": " × ".join(map(str, case.cells)),
        "refinement": ", ".join(" × ".join(map(str, ratio)) for ratio in case.ratios),
        "boundary": ", ".join(" ".join(sides) for sides in case.boundary),
        "end": f"{case.end:g}",
    }
    return _html(f"Case {case.file}", rows, frame)


def _mesh(frame: Frame) -> dict[str, str]:
    boxes = [frame._native_boxes(level + 1) for level in range(len(frame.levels))]
    cells = [sum(prod(b - a for a, b in zip(lo, hi)) for lo, hi in level) for level in boxes]
    levels = "; ".join(f"{len(level)} patch{'es' * (len(level) > 1)}, {n:,} cells" for level, n in zip(boxes, cells))
    return {"domain": _domain(frame.lower, frame.upper), "levels": levels}


def _domain(lower: Sequence[float], upper: Sequence[float]) -> str:
    return " × ".join(f"[{a:g}, {b:g}]" for a, b in zip(lower, upper))


def _html(title: str, rows: Mapping[str, str], frame: Optional[Any]) -> str:
    cells = (f'<tr><th style="text-align: left">{escape(k)}</th><td style="text-align: left">{escape(v)}</td></tr>' for k, v in rows.items() if v)
    text = f"<b>{escape(title)}</b><table>{''.join(cells)}</table>"
    if frame is None:
        return text
    picture = b64encode(frame._native.picture(240)).decode()
    return f'<div style="display: flex; gap: 1em"><div>{text}</div><img alt="{escape(frame.fields[0])}" src="data:image/png;base64,{picture}"></div>'
