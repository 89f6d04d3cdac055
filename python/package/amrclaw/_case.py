"""Cases from files, dictionaries and settings of other programs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Union

from . import _toml
from ._amrclaw import Case
from ._errors import InputError

CaseLike = Union[str, "os.PathLike[str]", Mapping[str, Any], Case]


def load_case(
    case: CaseLike, set: Mapping[str, Any] | None = None, solver: Union[str, "os.PathLike[str]", None] = None
) -> Case:
    """Loads and checks a case.

    `case` is the path of a case file, a dictionary nested like the tables of one, a `Case`, or any object with a method
    `to_toml`. `set` changes keys of the case: `{"regrid.cutoff": 0.9, "mesh.cells": [100, 100]}`. `solver` is a solver's file that
    replaces the case's solver; it is compiled when it is first used.
    """
    checked = with_changes(case, changes_of(set, solver))
    warn(checked)
    return checked


def warn(case: Case) -> None:
    """Warns of a case's remarks."""
    for remark in case.remarks:
        warnings.warn(remark, stacklevel=4)


def changes_of(set: Mapping[str, Any] | None, solver: Union[str, "os.PathLike[str]", None]) -> list[str]:
    """Changes written `key=value`."""
    if set is not None and not isinstance(set, Mapping):
        raise InputError(f'set: must be a dictionary of keys and values, such as {{"time.end": 0.5}}, but is {set!r}')
    return _toml.overrides(set) + _toml.overrides({"solver.path": os.fspath(solver)} if solver is not None else None)


def with_changes(case: CaseLike, changes: list[str]) -> Case:
    """A checked case with changes written `key=value`."""
    if isinstance(case, Case):
        return case.with_overrides(changes)
    if isinstance(case, Mapping):
        return Case.parse(_toml.dumps(case), "case", changes)
    if hasattr(case, "to_toml"):
        try:
            return Case.parse(case.to_toml(), getattr(case, "name", "case"), changes)
        except InputError as error:
            helps = [text for name, text in getattr(case, "unknown_solver", {}).items() if f'"{name}"' in str(error)]
            if not helps:
                raise
            raise InputError("\n".join([str(error), *helps])) from None
    if not isinstance(case, (str, os.PathLike)):
        raise InputError(f"case: must be the path of a case file, a dictionary or a case, but is {case!r}")
    return Case.load(os.fspath(case), changes)


def default_output(case: Case) -> str:
    """`output/` and the name of the case: that of its folder if the file is called `case.toml`, else its own."""
    stem = os.path.splitext(os.path.basename(case.file))[0]
    if stem == "case" and os.path.exists(case.file):
        stem = os.path.basename(os.path.dirname(os.path.abspath(case.file))) or stem
    return os.path.join("output", stem)
