"""Progress of a run: one line that changes, on a terminal or in a notebook; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional, Protocol

WIDTH = 30
INTERVAL = 0.1
"""Seconds between two changes."""


class Watch(Protocol):
    """A function that is called after every step."""

    def __call__(
        self, t: float, start: float, end: float, steps: int, dt: float, levels: int, cells: int, seconds: float
    ) -> None: ...


class Display:
    """A bar with figures beside it."""

    def __init__(self) -> None:
        self._handle: Optional[Any] = _notebook_handle()
        self._terminal = self._handle is None and sys.stderr is not None and sys.stderr.isatty()
        self._last = 0.0
        self._length = 0

    def __call__(
        self, t: float, start: float, end: float, steps: int, dt: float, levels: int, cells: int, seconds: float
    ) -> None:
        now = time.monotonic()
        if (now - self._last < INTERVAL and t < end) or not (self._terminal or self._handle):
            return
        self._last = now
        part = (t - start) / (end - start) if end > start else 1.0
        bar = ("█" * round(part * WIDTH)).ljust(WIDTH, "░")
        rate = cells / seconds / 1e6 if seconds > 0 else 0.0
        self._show(f"{bar} {part:4.0%}  t = {t:.4g}, step {steps}, {levels} levels, {rate:.1f} million updates/s")

    def finish(self) -> None:
        """Clears the terminal's line."""
        if self._terminal and self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()

    def _show(self, line: str) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": line}, raw=True)
            return
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)


def _notebook_handle() -> Optional[Any]:
    """A cell's output that can be changed, in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display  # type: ignore[import-not-found]

    return display({"text/plain": ""}, raw=True, display_id=True)
