"""Hyperbolic PDEs on block-structured adaptive meshes.

`run` runs a case to its end, `Simulation` advances it step by step, `load` reads the files of a run, `Mesh` writes meshes for cases; `amrclaw.plot` draws,
`amrclaw.clawpack` converts the settings of AMRClaw.
"""

from importlib import import_module
from typing import Any

from . import clawpack
from ._amrclaw import VERSION as __version__
from ._amrclaw import Case
from ._case import load_case
from ._errors import Error, InputError, Interrupted, RunError
from ._frame import Frame, Level, Patch
from ._functions import Cells
from ._mesh import Mesh
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
    "Mesh",
    "Patch",
    "Run",
    "RunError",
    "Simulation",
    "__version__",
    "clawpack",
    "load",
    "load_case",
    "run",
]


def __getattr__(name: str) -> Any:
    # Matplotlib is imported only when pictures are drawn, since it is optional.
    if name == "plot":
        return import_module("amrclaw.plot")
    raise AttributeError(f"module 'amrclaw' has no attribute {name!r}")
