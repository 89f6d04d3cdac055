"""The built-in solver for the Riemann solver of the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from .._amrclaw import BuiltInSolver, built_in_solvers
from .._errors import InputError
from ._geoclaw import PLANE, SPHERE, on_sphere
from ._makefile import Makefile
from ._riemann import RIEMANN_SOLVERS, RiemannSolver, fitting, given
from ._settings import Settings, is_number


@dataclass
class Chosen:
    """A solver, with the reason why it was chosen."""

    name: str
    """That of a built-in solver, the path of a file, or the name of a Riemann solver for which there is none."""
    reason: str
    built_in: Optional[BuiltInSolver] = None
    riemann: Optional[RiemannSolver] = None
    """Clawpack's, if it is known."""
    unknown: str = ""
    """If there is no solver, what to do."""
    remarks: list[str] = field(default_factory=list)

    @property
    def is_file(self) -> bool:
        return self.built_in is None and not self.unknown

    @property
    def other_aux(self) -> bool:
        """As of its `RiemannSolver`, whether Clawpack's is known or not."""
        return any(row.other_aux and row.ours == self.name for row in RIEMANN_SOLVERS.values())


def choose(settings: Settings, makefile: Makefile, folder: str, solver: Optional[str]) -> Chosen:
    """The solver that the caller names, or the one of the same equations as the Riemann solver that the `Makefile` names; if there is none, the
    one of the only equations that the settings' numbers can be for. Nothing is chosen where they leave a doubt."""
    if settings.geo is not None and solver is None:
        water = SPHERE if on_sphere(settings.geo) else PLANE
        return Chosen(water, "for GeoClaw's equations", _built_in(water, settings.num_dim))
    name, several = _named_riemann(makefile)
    riemann = RIEMANN_SOLVERS.get(name) if name else None
    if riemann is not None and riemann.num_dim != settings.num_dim:
        riemann = None
    if solver is not None:
        return _named(solver, riemann, settings.num_dim)
    if several:
        return _none("unknown", f"the Makefile names several Riemann solvers, {several}")
    if name is None:
        return _inferred(settings)
    beside = next((path for path in makefile.own if os.path.splitext(os.path.basename(path))[0] == name), None)
    is_own = beside is not None and os.path.isfile(os.path.join(folder, beside))
    if riemann is not None and is_own and not riemann.has_numbers_of(settings.claw, _num_aux(settings)):
        return _none(name, f"{beside} is not Clawpack's Riemann solver of that name, whose numbers of equations, waves and aux are {riemann.numbers}")
    chosen = _counterpart(name, riemann, settings)
    if riemann is not None and is_own:
        chosen.remarks.append(f"{beside}: it is taken for Clawpack's Riemann solver of that name; what it changes is not known")
    return chosen


def _named_riemann(makefile: Makefile) -> tuple[Optional[str], str]:
    if len(makefile.riemann) > 1:
        return None, ", ".join(makefile.riemann)
    return (makefile.riemann[0] if makefile.riemann else None), ""


def _built_in(name: str, num_dim: int) -> Optional[BuiltInSolver]:
    return next((s for s in built_in_solvers() if (s.name, s.dimension) == (name, num_dim)), None)


def _named(solver: str, riemann: Optional[RiemannSolver], num_dim: int) -> Chosen:
    # Names of built-in solvers have no dots.
    if os.path.splitext(solver)[1]:
        return Chosen(solver, "as asked for", riemann=riemann)
    built_in = _built_in(solver, num_dim)
    if built_in is None:
        known = ", ".join(s.name for s in built_in_solvers() if s.dimension == num_dim)
        raise InputError(
            f"solver: there is no built-in solver {solver!r} in {num_dim}D; there are {known}; or give the path of a solver's file, \"my_solver.rs\""
        )
    return Chosen(solver, "as asked for", built_in, riemann)


def _counterpart(name: str, riemann: Optional[RiemannSolver], settings: Settings) -> Chosen:
    """The built-in solver for Clawpack's of that name."""
    if riemann is None:
        reason = f"{name}, which the Makefile names, is not a Riemann solver of Clawpack 5 in {settings.num_dim}D"
        return _none(name, reason)
    if riemann.ours is None:
        return _none(name, f"{name}, which the Makefile names, solves {riemann.about}")
    if riemann.ones and any(given(settings.user, parameter) not in (None, 1) for parameter in riemann.parameters):
        return _none(name, f"{name} has coefficients {', '.join(riemann.parameters)}, which are 1 in {riemann.ours}; stretch the axes instead")
    ours = riemann.mapped if riemann.mapped and settings.claw["capa_index"] else riemann.ours
    chosen = Chosen(ours, f"for {name} in the Makefile", _built_in(ours, settings.num_dim), riemann)
    if riemann.about:
        chosen.remarks.append(f"{name}: {riemann.about}")
    return chosen


def _num_aux(settings: Settings) -> int:
    """Auxiliary values, without that of flagging by an adjoint solution."""
    return int(settings.claw["num_aux"]) - bool(settings.use_adjoint)


def _inferred(settings: Settings) -> Chosen:
    claw, num_aux = settings.claw, _num_aux(settings)
    fit = list(fitting(claw, settings.user, num_aux))
    numbers = f"{claw['num_eqn']} equations, {claw['num_waves']} waves and {num_aux} auxiliary values in {settings.num_dim}D"
    names = ", ".join(file for row in fit for file in row.files.split()[:1])
    if len({row.ours for row in fit}) != 1 or fit[0].ours is None:
        which = f"these fit {numbers}: {names}" if fit else f"none of Clawpack's has {numbers}"
        return _none("unknown", f"no Makefile beside the settings names a Riemann solver, and {which}")
    chosen = _counterpart(names.split(", ")[0], fit[0], settings)
    chosen.reason = f"which fits {numbers}; no Makefile names the Riemann solver"
    return chosen


def _none(name: str, reason: str) -> Chosen:
    unknown = f"{reason}; name the built-in solver of the same equations, if there is one, or a solver's file: load_setrun(path, solver=...)"
    return Chosen(name, "which is not a solver of this package", unknown=unknown)


def parameters(chosen: Chosen, user: Mapping[str, Any]) -> tuple[dict[str, float], list[str]]:
    """The solver's parameters that the settings contain, and the names of the missing ones."""
    if chosen.built_in is None:
        return {}, []
    aliases: dict[str, Any] = {}
    for riemann in RIEMANN_SOLVERS.values():
        if (riemann.ours, riemann.num_dim) == (chosen.name, chosen.built_in.dimension):
            aliases.update(riemann.aliases)
    values = {name: given(user, name, aliases.get(name, ())) for name in chosen.built_in.parameters}
    found = {name: float(value) for name, value in values.items() if value is not None and is_number(value)}
    if chosen.name == "acoustics" and not found and {"cc", "zz"} <= set(user):
        # Sound speed and impedance are equivalent to them.
        found = {"density": user["zz"] / user["cc"], "bulk": user["zz"] * user["cc"]}
    return found, [name for name in values if name not in found]
