"""Hyperbolic PDEs on block-structured adaptive meshes.

`run` takes a case to its end, `Simulation` takes it step by step, `load` reads what a run has written; `amrclaw.plot`
draws, `amrclaw.clawpack` takes over the settings of AMRClaw.
"""

from ._amrclaw import VERSION as __version__
from ._amrclaw import Case
from ._case import load_case
from ._errors import Error, InputError, Interrupted, RunError
from ._frame import Frame, Level, Patch
from ._functions import Cells
from ._run import Run, load, run
from ._simulation import Simulation

__all__ = [
    "Case",
    "Cells",
    "Error",
    "Frame",
    "InputError",
    "Interrupted",
    "Level",
    "Patch",
    "Run",
    "RunError",
    "Simulation",
    "__version__",
    "load",
    "load_case",
    "run",
]
