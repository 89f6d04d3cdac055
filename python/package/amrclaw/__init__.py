"""Hyperbolic PDEs on block-structured adaptive meshes.

`run` runs a case to its end, `Simulation` advances it step by step, `load` reads the files of a run, `Mesh` writes meshes for cases; `amrclaw.plot` draws,
`amrclaw.clawpack` converts the settings of AMRClaw.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._amrclaw import VERSION as __version__

if TYPE_CHECKING:
    from . import clawpack, plot
    from ._amrclaw import Case
    from ._case import load_case
    from ._errors import Error, InputError, Interrupted, RunError
    from ._frame import Frame, Level, Patch
    from ._functions import Cells
    from ._mesh import Mesh
    from ._run import Run, load, run
    from ._simulation import Simulation

# Where each name is, so that a module is imported when one of its names is first used: the command needs none of them.
_PLACES = {
    "_amrclaw": ["Case"],
    "_case": ["load_case"],
    "_errors": ["Error", "InputError", "Interrupted", "RunError"],
    "_frame": ["Frame", "Level", "Patch"],
    "_functions": ["Cells"],
    "_mesh": ["Mesh"],
    "_run": ["Run", "load", "run"],
    "_simulation": ["Simulation"],
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

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
    if name in ("clawpack", "plot"):
        return import_module(f"amrclaw.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'amrclaw' has no attribute {name!r}")
    value = getattr(import_module(f"amrclaw.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "plot"]
