"""Python functions in place of entries of a case, for runs and simulations alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _amrclaw, _functions
from ._errors import InputError

CellsFunction = Callable[["_functions.Cells"], Any]
Boundary = Union[CellsFunction, Mapping[str, CellsFunction]]


@dataclass
class UserFunctions:
    """The functions that a caller gives; `None` where the case is to have its own."""

    initial: Optional[Callable[..., Any]] = None
    aux: Optional[Callable[..., Any]] = None
    boundary: Optional[Boundary] = None
    flag: Optional[CellsFunction] = None
    source: Optional[CellsFunction] = None

    def changes(self) -> list[str]:
        """Changes of a case that make room for the functions."""
        places = {"initial": 'initial="user"', "aux": 'aux="user"', "flag": 'regrid.flag={ criterion = "user" }', "source": 'source="user"'}
        given = [what for what in places if getattr(self, what) is not None]
        for what in given:
            _functions.check(what, getattr(self, what))
        return [places[what] for what in given]

    def applied_to(self, case: _amrclaw.Case) -> _amrclaw.Case:
        """The case with the sides that have functions, checked."""
        if isinstance(self.boundary, Mapping):
            case = case.with_overrides(_sides_of_functions(case, self.boundary))
        if self.boundary is not None:
            _check_sides(case, self.boundary)
        return case

    def adapted(self, case: _amrclaw.Case) -> dict[str, Any]:
        """The functions as the solver calls them."""
        equations, aux = tuple(case.equations), tuple(case.aux)
        timed = self.aux is not None and _functions.takes_time(self.aux, case.dimension)
        return {
            "initial": None if self.initial is None else _functions.of_position(self.initial, equations, "initial", False),
            "aux": None if self.aux is None else _functions.of_position(self.aux, aux, "aux", timed),
            "aux_depends_on_time": timed,
            "boundary": None if self.boundary is None else _functions.ghosts(self.boundary, equations),
            "flag": None if self.flag is None else _functions.flags(self.flag, equations, aux),
            "source": None if self.source is None else _functions.rates(self.source, equations, aux),
        }


def _sides_of_functions(case: _amrclaw.Case, boundary: Mapping[str, Any]) -> list[str]:
    """Changes of the case that set the sides with functions to "user"."""
    sides = _sides(case)
    for name in boundary:
        if name not in sides:
            raise InputError(f"boundary: there is no side {name!r}; sides are {', '.join(sides)}")
        sides[name] = "user"
    if case.mesh_sides:
        return [f'mesh.boundary.{name}="user"' for name in boundary]
    axes = "xyz"[: len(case.boundary)]
    return [f'mesh.boundary.{axis}=["{sides[axis + "_lower"]}", "{sides[axis + "_upper"]}"]' for axis in axes]


def _check_sides(case: _amrclaw.Case, boundary: Boundary) -> None:
    """Refuses functions that no side would call, and sides without a function."""
    sides = [name for name, word in _sides(case).items() if word == "user"]
    if not isinstance(boundary, Mapping):
        _functions.check("boundary", boundary)
        if not sides:
            raise InputError(
                'boundary: no side of the domain is "user" in the case, so the function would never be called; write '
                'boundary={"x_lower": function} with the sides that it is for, or set={"mesh.boundary.x": "user"}'
            )
        return
    for name, function in boundary.items():
        _functions.check(f"boundary: {name}", function)
    missing = [name for name in sides if name not in boundary]
    if missing:
        raise InputError(
            f'boundary: there is no function for {", ".join(missing)}, "user" in the case; add one to the dictionary, or change the side in the case'
        )


def _sides(case: _amrclaw.Case) -> dict[str, str]:
    """Boundary conditions by the sides' names."""
    of_axes = {f"{axis}_{side}": word for axis, words in zip("xyz", case.boundary) for side, word in zip(("lower", "upper"), words)}
    return dict(case.mesh_sides) or of_axes
