"""For Clawpack users: converts AMRClaw's settings to a case, without Clawpack.

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
from ._result import ClawpackCase
from ._solvers import named_in_makefile
from ._stand_in import run_setrun

__all__ = ["ClawpackCase", "load_setrun"]


def load_setrun(
    path: Union[str, "os.PathLike[str]"], solver: Union[str, "os.PathLike[str]", None] = None
) -> ClawpackCase:
    """The case that AMRClaw's settings describe.

    `path` is a `setrun.py`, which is run with stand-ins for the modules of Clawpack that it imports, or a folder with the
    files that it writes (`claw.data`, `amr.data`, ...). `solver` names the built-in solver, or is the path of a solver's file; by
    default it is found from the `Makefile` beside the settings, or from the settings themselves.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: there is no such file or folder")
    if os.path.isdir(path):
        folder, settings = path, read_data_files(path)
    elif path.endswith(".data"):
        folder = os.path.dirname(path) or "."
        settings = read_data_files(folder)
    else:
        folder, settings = os.path.dirname(path) or ".", run_setrun(path)
    name = os.path.basename(os.path.abspath(folder))
    return convert(settings, name, os.fspath(solver) if solver is not None else named_in_makefile(folder, settings))
