"""The built-in solvers that correspond to Clawpack's, and their parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ._settings import Settings


@dataclass(frozen=True)
class Solver:
    """A built-in solver as a Clawpack user knows it."""

    name: str
    sources: tuple[str, ...]
    """Names of Clawpack's files."""
    parameters: Mapping[str, tuple[str, ...]]
    """Its parameters, each with its names in `setrun.py`."""
    num_waves: int
    """Waves in two dimensions."""
    aux_in_2d: int
    """Auxiliary values in two dimensions."""
    fwaves: bool = False
    capacity: Optional[str] = None
    """The last auxiliary value, if it is a capacity function."""
    has_source: bool = False
    """It has a source term of its own, which acts unless the case says otherwise."""
    more_per_axis: tuple[int, int] = (0, 0)
    """Numbers of waves and of auxiliary values that each further axis adds."""

    def waves(self, num_dim: int) -> int:
        """Number of waves."""
        return self.num_waves + (num_dim - 2) * self.more_per_axis[0]

    def num_aux(self, num_dim: int) -> int:
        """Number of auxiliary values."""
        return self.aux_in_2d + (num_dim - 2) * self.more_per_axis[1]

    def parameters_in(self, num_dim: int) -> dict[str, tuple[str, ...]]:
        """Its parameters, without the velocities of missing axes."""
        beyond = {"v": 2, "w": 3}
        return {name: aliases for name, aliases in self.parameters.items() if beyond.get(name, 1) <= num_dim}


_GRAVITY = {"gravity": ("grav", "g", "gravity")}
_GAMMA = {"gamma": ("gamma",)}
_VELOCITY = {"u": ("u", "ubar"), "v": ("v", "vbar"), "w": ("w", "wbar")}

# If several solvers have the same Clawpack file, the first is chosen unless `_variant` selects another.
SOLVERS = (
    Solver("acoustics", ("rpn2_acoustics", "rp1_acoustics"), {"density": ("rho", "density"), "bulk": ("bulk", "K")}, 2, 0),
    Solver("acoustics_variable", ("rpn2_vc_acoustics", "rpn2_acoustics_variable", "rp1_acoustics_variable", "rpn3_vc_acoustics"), {}, 2, 2),
    Solver("advection", ("rpn2_advection", "rp1_advection"), _VELOCITY, 1, 0),
    Solver("advection_edge", ("rpn2_vc_advection", "rpn2_advection_edge", "rpn2cons_edgevel", "rpn3_vc_advection"), {}, 1, 2, more_per_axis=(0, 1)),
    Solver("advection_mapped", ("rpn2_vc_advection",), {}, 1, 3, capacity="capacity"),
    Solver("advection_reaction", (), {**_VELOCITY, "rate": ("rate",)}, 1, 0, has_source=True),
    Solver("burgers", ("rpn2_burgers", "rp1_burgers", "rpn3_burgers"), {}, 1, 0),
    Solver(
        "elasticity",
        ("rpn2_elasticity", "rpn2_vc_elasticity"),
        {"density": ("rho", "density"), "lambda": ("lambda", "lamda", "lam"), "mu": ("mu",)},
        4,
        0,
    ),
    Solver("euler", ("rpn2_euler_4wave", "rpn2_euler", "rp1_euler_with_efix", "rp1_euler"), _GAMMA, 4, 0, more_per_axis=(1, 0)),
    Solver("euler_hllc", ("rpn2_euler_hllc", "rpn2_euler_hlle", "rp1_euler_hllc", "rp1_euler_hlle", "rpn3_euler"), _GAMMA, 3, 0),
    Solver("euler_tracer", ("rpn2_euler_5wave",), _GAMMA, 5, 0),
    Solver(
        "p_system",
        ("rpn2_psystem",),
        {"density": ("rho", "density"), "modulus": ("E", "modulus"), "nonlinearity": ("nonlinearity",)},
        2,
        0,
        fwaves=True,
    ),
    Solver("shallow_water", ("rpn2_shallow_roe_with_efix", "rpn2_sw", "rpn2_shallow", "rp1_shallow_roe_with_efix"), _GRAVITY, 3, 0, more_per_axis=(1, 0)),
    Solver(
        "shallow_water_bathymetry",
        ("rpn2_shallow_bathymetry_fwave", "rpn2_sw_aug", "rpn2_geoclaw"),
        _GRAVITY,
        3,
        1,
        fwaves=True,
    ),
    Solver("traffic", ("rp1_traffic",), {"u": ("umax", "u"), "v": ("vmax", "v")}, 1, 0),
)


def by_name(name: str) -> Optional[Solver]:
    """The solver of that name, if this module knows it."""
    return next((solver for solver in SOLVERS if solver.name == name), None)


def is_file(name: str) -> bool:
    """Whether a solver's name is the path of a file: names of built-in solvers have no dots."""
    return bool(os.path.splitext(name)[1])


def named_in_makefile(folder: str, settings: Settings) -> Optional[str]:
    """The built-in solver for the Riemann solver that the folder's `Makefile` names, if there is one."""
    path = os.path.join(folder, "Makefile")
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.lstrip().startswith("#")]
    named = re.findall(r"\brpn?[123]\w*", "".join(lines))
    found = (solver.name for solver in SOLVERS for source in named if source in solver.sources)
    return next((_variant(name, settings) for name in found), None)


def _variant(name: str, settings: Settings) -> str:
    """The right one of two solvers with the same Clawpack file: the one for mapped grids if the settings name a capacity."""
    return "advection_mapped" if name == "advection_edge" and settings.claw["capa_index"] else name


def guess(settings: Settings) -> Optional[str]:
    """The built-in solver that fits the settings' numbers of equations and waves and their parameters."""
    claw, user, num_dim = settings.claw, settings.user, settings.num_dim
    equations, waves, num_aux = claw["num_eqn"], claw["num_waves"], claw["num_aux"] - bool(settings.use_adjoint)
    velocities = [["u", "v", "w"][:num_dim], ["ubar", "vbar", "wbar"][:num_dim]]
    if equations == 1:
        if any(set(names) <= set(user) for names in velocities):
            return "advection"
        return _variant("advection_edge", settings) if num_dim > 1 and num_aux >= num_dim else "burgers"
    if equations == num_dim + 1 and waves == 2 and not (num_dim == 1 and {"g", "grav", "gravity"} & set(user)):
        if claw["use_fwaves"] and {"E", "modulus"} & set(user):
            return "p_system"
        return "acoustics_variable" if num_aux >= 2 else "acoustics"
    if equations == num_dim + 1 and waves == num_dim + 1 and num_dim < 3:
        return "shallow_water_bathymetry" if num_dim == 2 and num_aux >= 1 else "shallow_water"
    shapes = {
        1: {(3, 2): "euler_hllc", (3, 3): "euler"},
        2: {(4, 2): "euler_hllc", (4, 3): "euler", (4, 4): "euler", (5, 4): "elasticity", (5, 5): "euler_tracer"},
        3: {(5, 2): "euler_hllc", (5, 3): "euler_hllc", (5, 5): "euler"},
    }
    return shapes[num_dim].get((equations, waves))


def parameters(solver: Solver, user: Mapping[str, Any], num_dim: int) -> tuple[dict[str, float], list[str]]:
    """The solver's parameters that the settings contain, and the names of the missing ones."""
    found = {}
    for name, aliases in solver.parameters_in(num_dim).items():
        given = next((alias for alias in aliases if alias in user), None)
        if given is not None:
            found[name] = float(user[given])
    if solver.name == "acoustics" and not found and {"cc", "zz"} <= set(user):
        # Sound speed and impedance are equivalent to them.
        found = {"density": user["zz"] / user["cc"], "bulk": user["zz"] * user["cc"]}
    return found, [name for name in solver.parameters_in(num_dim) if name not in found]
