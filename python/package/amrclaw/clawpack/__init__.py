"""For Clawpack users: converts settings of AMRClaw and of Clawpack without refinement to a case, without Clawpack.

    settings = amrclaw.clawpack.load_setrun("setrun.py")
    print(settings.report())
    simulation = amrclaw.Simulation(settings, initial=lambda x, y: ...)
"""

from __future__ import annotations

import os
from typing import Optional, Union

from .._errors import InputError
from ._convert import convert
from ._data_files import read_data_files
from ._makefile import read_makefile
from ._result import ClawpackCase
from ._stand_in import run_setrun

__all__ = ["ClawpackCase", "load_setrun"]


def load_setrun(
    path: Union[str, "os.PathLike[str]"], solver: Union[str, "os.PathLike[str]", None] = None
) -> ClawpackCase:
    """The case that Clawpack's settings describe.

    `path` is a `setrun.py`, which is run with stand-ins for the modules of Clawpack that it imports, or a folder with the
    files that it writes (`claw.data`, `amr.data`, ...). `solver` names the built-in solver, or is the path of a solver's file; by
    default it is the one of the same equations as the Riemann solver that the `Makefile` beside the settings names.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: there is no such file or folder")
    of_files = os.path.isdir(path) or path.endswith(".data")
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    makefile = read_makefile(folder)
    settings = read_data_files(folder) if of_files else run_setrun(path, makefile)
    name = os.path.basename(os.path.abspath(folder))
    return convert(settings, name, makefile, folder, os.fspath(solver) if solver is not None else None)
