"""The Riemann solvers of Clawpack 5 by the names of their files, each with the built-in solver of the same equations, if there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

# What parameters are called in `setrun.py`, where that is not their name.
_ALIASES: dict[str, tuple[str, ...]] = {
    **{"density": ("rho", "density"), "bulk": ("bulk", "K"), "gravity": ("grav", "g", "gravity"), "modulus": ("E", "modulus")},
    **{"heat": ("qheat", "heat")},
    **{"u": ("u", "ubar"), "v": ("v", "vbar"), "w": ("w", "wbar"), "lambda": ("lambda", "lamda", "lam")},
}


def given(user: Mapping[str, Any], parameter: str, aliases: Sequence[str] = ()) -> Optional[Any]:
    """The value of a solver's parameter in the settings, if it is there."""
    return next((user[alias] for alias in aliases or _ALIASES.get(parameter, (parameter,)) if alias in user), None)


@dataclass(frozen=True)
class RiemannSolver:
    """Clawpack's files of one Riemann solver, in one number of dimensions."""

    files: str
    ours: Optional[str]
    """The built-in solver of the same equations."""
    numbers: tuple[int, ...] = ()
    """Equations, waves and, if there are any, auxiliary values; empty if they do not tell the solver."""
    parameters: tuple[str, ...] = ()
    about: str = ""
    """Its equations, if there is no built-in solver; else how the two differ."""
    fwaves: bool = False
    limiters: tuple[int, ...] = ()
    """For each wave of the built-in solver, the one here with its limiter, if the waves are not the same."""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of parameters of the built-in solver in `setrun.py`, where unusual."""
    mapped: Optional[str] = None
    """The built-in solver in place of `ours` if there is a capacity function."""
    other_waves: bool = False
    """One of the two has f-waves, the other has not."""
    only_split: bool = False
    """The built-in solver has no transverse waves: its sweeps are split."""
    ones: bool = False
    """The built-in solver has ones for the parameters."""
    initial: str = ""
    """How initial values differ."""
    other_aux: bool = False
    """Its auxiliary values are others than those of the built-in solver, which has the capacity among them."""

    @property
    def num_dim(self) -> int:
        return int(re.findall(r"[123]", self.files)[0])

    def fits(self, claw: Mapping[str, Any], num_aux: int) -> bool:
        """Whether settings can be for it; they may have more auxiliary values."""
        equations, waves, aux = (*self.numbers, 0)[:3] if self.numbers else (0, 0, 0)
        same = (claw["num_eqn"], claw["num_waves"], bool(claw["use_fwaves"])) == (equations, waves, self.fwaves)
        return self.num_dim == claw["num_dim"] and same and num_aux >= aux

    def has_numbers_of(self, claw: Mapping[str, Any], num_aux: int) -> bool:
        """Whether settings are for its numbers alone, but for a capacity function."""
        return self.fits(claw, num_aux) and num_aux - bool(claw["capa_index"]) <= sum(self.numbers[2:])

    def explains(self, user: Mapping[str, Any]) -> int:
        """How many of the settings it has a use for."""
        return sum(self.numbers[2:]) + sum(given(user, name) is not None for name in self.parameters)


_BOTTOM = "shallow_water_bathymetry solves the same equations by another solver, with `dry_depth` for dry"
_DENSITY = "aux 1 is the density; here it is the impedance, density times sound speed"
_ADJOINT = "adjoint acoustics: acoustics_adjoint does so, with impedance and sound speed in aux"
_LAYERS = "shallow water in layers with shores and wind: shallow_water_layers has two layers that are everywhere, depths in place of masses, and no wind"
_FRACTION = "q(5) is the fraction of tracer, here tracer / density: euler_tracer carries the tracer's density, which frames, gauges and flags have"
_FUEL = "q(4) tells what has burnt, whose heat the pressure has; here fuel is what has not, per volume, and its heat is part of the energy"
_VECTORS = "aux are other vectors here, which the case of examples/shallow_sphere gives"
_LAWS = "aux 2 and 3 are coefA, coefB; here the modulus and the law, 2 (exponential) where coefA is above zero, else 1 (linear)"

_ROWS = (
    RiemannSolver("rp1_acoustics rp1_acoustics_ptwise", "acoustics", (2, 2), ("density", "bulk")),
    RiemannSolver("rpn2_acoustics rpn2_acoustics_ptwise", "acoustics", (3, 2), ("density", "bulk")),
    RiemannSolver("rp1_acoustics_variable rp1_acoustics_variable_ptwise", "acoustics_variable", (2, 2, 2)),
    RiemannSolver("rpn2_vc_acoustics", "acoustics_variable", (3, 2, 2), (), _DENSITY),
    RiemannSolver("rpn3_vc_acoustics", "acoustics_variable", (4, 2, 2)),
    RiemannSolver("rp1_acoustics_adjoint", None, (2, 2), ("density", "bulk"), _ADJOINT, fwaves=True),
    RiemannSolver("rpn2_acoustics_adjoint", None, (3, 2), ("density", "bulk"), _ADJOINT, fwaves=True),
    RiemannSolver("rp1_acoustics_variable_adjoint", "acoustics_adjoint", (2, 2, 2), fwaves=True),
    RiemannSolver("rpn2_vc_acoustics_adjoint", "acoustics_adjoint", (3, 2, 2), (), _DENSITY, True),
    RiemannSolver("rpn2_acoustics_mapped", None, (3, 2, 9), (), "acoustics with the mapping in aux, while acoustics_variable has mesh.mapping"),
    RiemannSolver("rp1_advection rp1_advection_ptwise", "advection", (1, 1), ("u",)),
    RiemannSolver("rpn2_advection rpn2_advection_ptwise", "advection", (1, 1), ("u", "v")),
    RiemannSolver("rp1_advection_adjoint", None, about="advection backwards in time: advection with the other sign of u"),
    RiemannSolver("rp1_advection_color", "colour", (1, 1, 1)),
    RiemannSolver("rpn2_vc_advection rpn2_vc_advection_ptwise", "advection_edge", (1, 1, 2), mapped="advection_mapped"),
    RiemannSolver("rpn3_vc_advection", "advection_edge", (1, 1, 3)),
    RiemannSolver("rp1_burgers rp1_burgers_ptwise", "burgers", (1, 1)),
    RiemannSolver("rpn2_burgers", "burgers", (1, 1)),
    RiemannSolver("rpn3_burgers", "burgers", (1, 1), ("u", "v", "w"), ones=True),
    RiemannSolver("rp1_cubic", "cubic", (1, 1)),
    RiemannSolver("rpn2_kpp", "kpp", (1, 1)),
    RiemannSolver("rp1_traffic", "traffic", (1, 1), ("umax",), aliases={"u": ("umax",)}),
    RiemannSolver("rp1_traffic_vc", None, (1, 1, 1), (), "traffic with a speed limit in each cell: traffic_variable does so by f-waves, as use_fwaves should say"),
    RiemannSolver("rp1_traffic_vc_fwave", "traffic_variable", (1, 1, 1), fwaves=True),
    RiemannSolver("rp1_traffic_vc_tracer", None, (2, 2, 1), (), "the same with a tracer: traffic_variable_tracer does so by f-waves, as use_fwaves should say"),
    RiemannSolver("rp1_euler_with_efix", "euler", (3, 3), ("gamma",)),
    RiemannSolver("rpn2_euler_4wave", "euler", (4, 4), ("gamma",)),
    RiemannSolver("rpn3_euler", "euler", (5, 3), ("gamma",)),
    RiemannSolver("rp1_euler_hlle", "euler_hlle", (3, 2), ("gamma",)),
    RiemannSolver("rpn2_euler_hlle", "euler_hlle", (4, 2), ("gamma",)),
    RiemannSolver("rpn2_euler_5wave", "euler_tracer", (5, 5), ("gamma",), _FRACTION, initial="tracer is density times q(5)"),
    RiemannSolver("rpn2_euler_hlle_with_walls", "euler_walls_hlle", (4, 2, 1), ("gamma",), "the sweeps are split, since euler_walls_hlle has no transverse waves", only_split=True),
    RiemannSolver("rpn2_euler_mapgrid", None, about="the Euler equations with the mapping in aux, while euler has mesh.mapping"),
    RiemannSolver("rpn3_euler_mapgrid", None, about="the Euler equations with gravity, with the mapping in aux"),
    RiemannSolver("rp1_reactive_euler_with_efix", "euler_reactive", (4, 3), ("gamma", "heat"), _FUEL, limiters=(0, 1, 2, 1), initial="fuel is a mass per volume"),
    RiemannSolver("rp1_mhd_roe", "mhd", (8, 7), ("gamma",), "mhd solves the same equations by f-waves", other_waves=True),
    RiemannSolver("rp1_shallow_roe_with_efix", "shallow_water", (2, 2), ("gravity",)),
    RiemannSolver("rpn2_shallow_roe_with_efix", "shallow_water", (3, 3), ("gravity",)),
    RiemannSolver("rp1_shallow_hlle", "shallow_water_hlle", (2, 2), ("gravity",)),
    RiemannSolver("rpn2_shallow_hlle", "shallow_water_hlle", (3, 2), ("gravity",)),
    RiemannSolver("rp1_shallow_roe_tracer", "shallow_water_tracer", (3, 3), ("gravity",), limiters=(0, 2, 1)),
    RiemannSolver("rp1_shallow_bathymetry_fwave rp1_sw_aug", "shallow_water_bathymetry", (2, 2, 1), ("gravity",), _BOTTOM, True),
    RiemannSolver("rpn2_shallow_bathymetry_fwave rpn2_sw_aug", "shallow_water_bathymetry", (3, 3, 1), ("gravity",), _BOTTOM, True),
    RiemannSolver("rpn2_geoclaw rpn2_geoclaw_vec", None, about="shallow water with wet and dry shores"),
    RiemannSolver("rpn2_geoclaw_adjoint rpn2_geoclaw_adjoint_qwave", None, about="adjoint shallow water"),
    RiemannSolver("rp1_layered_shallow_water", None, about=_LAYERS),
    RiemannSolver("rpn2_layered_shallow_water", None, about=_LAYERS),
    RiemannSolver("rpn2_shallow_sphere", "shallow_water_whole_sphere", (4, 3, 16), ("gravity",), _VECTORS, other_aux=True),
    RiemannSolver("rp1_nonlinear_elasticity_fwave", "p_system_variable", (2, 2, 3), (), _LAWS, True),
    RiemannSolver("rpn2_psystem", "p_system_variable", (3, 2, 3), (), "", True),
    RiemannSolver("rp1_psystem_fwave", "p_system_gas", (2, 2, 1), ("gamma",), "", True),
    RiemannSolver("rpn2_vc_elasticity", "elasticity_variable", (5, 4, 5)),
)
RIEMANN_SOLVERS = {name: row for row in _ROWS for name in row.files.split()}


def fitting(claw: Mapping[str, Any], user: Mapping[str, Any], num_aux: int) -> Iterator[RiemannSolver]:
    """The Riemann solvers that settings with these numbers can be for, of those that have a use for most of the settings."""
    fit = [row for row in _ROWS if row.numbers and row.fits(claw, num_aux)]
    most = max((row.explains(user) for row in fit), default=0)
    best = [row for row in fit if row.explains(user) == most]
    # HLLE solves the equations of a Roe solver, which more settings are for.
    return iter([row for row in best if not (row.ours or "").endswith("_hlle")] or best)
