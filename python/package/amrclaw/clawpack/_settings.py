"""Clawpack's settings from any source, and their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

from .._errors import InputError

# Words for settings that are numbers in Clawpack's files.
BOUNDARY_WORDS = {"user": 0, "extrap": 1, "periodic": 2, "wall": 3}
# Sides of a sphere that meet themselves, as AMRClaw has them.
FOLDED = (5,)
LIMITER_WORDS = {"none": 0, "minmod": 1, "superbee": 2, "vanleer": 3, "mc": 4, "bw": 5}
TRANSVERSE_WORDS = {"none": 0, "increment": 1, "all": 2}
DOUBLE_TRANSVERSE = (10, 11, 20, 21, 22)
"""Further numbers of transverse waves, in three dimensions."""
SPLIT_WORDS = {"unsplit": 0, "none": 0, "godunov": 1, "strang": 2}
FORMAT_WORDS = {"ascii": 1, "binary32": 2, "binary64": 3, "binary": 3}


@dataclass
class Settings:
    """Settings by the names of Clawpack's data objects and files."""

    claw: dict[str, Any]
    amr: Optional[dict[str, Any]]
    """AMRClaw's; `None` for Clawpack without refinement, the package classic."""
    gauges: list[list[float]] = field(default_factory=list)
    """Each `[number, x, (y, (z,)) t1, t2]`."""
    regions: list[list[float]] = field(default_factory=list)
    """Each `[minlevel, maxlevel, t1, t2, x1, x2, (y1, y2, (z1, z2))]`."""
    flagregions: list[dict[str, Any]] = field(default_factory=list)
    user: dict[str, Any] = field(default_factory=dict)
    """The problem's own parameters, of `setprob.data`."""
    use_adjoint: bool = False
    geo: Optional[dict[str, dict[str, Any]]] = None
    """GeoClaw's groups; `None` for other packages."""
    remarks: list[str] = field(default_factory=list)
    """On what could not be read."""

    @property
    def num_dim(self) -> int:
        return int(self.claw["num_dim"])


def claw_defaults(num_dim: int) -> dict[str, Any]:
    """Settings of `claw.data`."""
    return {
        "num_dim": num_dim,
        "lower": [0.0] * num_dim,
        "upper": [1.0] * num_dim,
        "num_cells": [100] * num_dim,
        "num_eqn": 1,
        "num_waves": 1,
        "num_aux": 0,
        "t0": 0.0,
        "output_style": 1,
        "num_output_times": None,
        "tfinal": None,
        "output_t0": True,
        "output_times": [],
        "output_step_interval": None,
        "total_steps": None,
        "output_format": 1,
        "output_q_components": "all",
        "output_aux_components": "none",
        "output_aux_onlyonce": True,
        "dt_initial": 1e-5,
        "dt_max": 1e99,
        "dt_variable": True,
        "cfl_desired": 0.9,
        "cfl_max": 1.0,
        "steps_max": 50000,
        "order": 2,
        "transverse_waves": {1: 0, 2: 2, 3: 22}[num_dim],
        "dimensional_split": 0,
        "source_split": 0,
        "capa_index": 0,
        "use_fwaves": False,
        "limiter": [4],
        "num_ghost": 2,
        "bc_lower": [0] * num_dim,
        "bc_upper": [0] * num_dim,
        "restart": False,
        "restart_file": "",
        "checkpt_style": 0,
        "checkpt_interval": 1000,
        "checkpt_time_interval": 1000.0,
        "checkpt_times": [1000.0],
        "verbosity": 0,
        "verbosity_regrid": 0,
    }


def amr_defaults(num_dim: int) -> dict[str, Any]:
    """Settings of `amr.data`."""
    ratios = {f"refinement_ratios_{axis}": [1] for axis in ["x", "y", "z"][:num_dim]}
    return {
        "memsize": None,
        "max1d": {1: 500, 2: 60, 3: 32}[num_dim],
        "amr_levels_max": 1,
        **ratios,
        "variable_dt_refinement_ratios": False,
        "refinement_ratios_t": [1],
        "aux_type": [],
        "flag_richardson": False,
        "flag_richardson_tol": -1.0,
        "flag2refine": True,
        "flag2refine_tol": 0.05,
        "regrid_interval": 2,
        "regrid_buffer_width": 3,
        "clustering_cutoff": 0.7,
        "verbosity_regrid": 3,
        **{f"{letter}print": False for letter in "degnprstu"},
        "edebug": False,
    }


def is_number(value: Any) -> bool:
    """Whether a setting is a number."""
    if isinstance(value, str):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def in_formula(value: Any) -> str:
    """A number for a formula, with all its digits."""
    short = f"{float(value):g}"
    return short if float(short) == float(value) else repr(float(value))


def number_of(value: Any, words: dict[str, int], setting: str, more: tuple[int, ...] = ()) -> int:
    """A setting that is a number or a word; `more` are numbers without a word."""
    try:
        number = words.get(value.lower()) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        number = None
    if number is None or number not in (*words.values(), *more):
        known = [*(f'"{word}" ({code})' for word, code in words.items()), *map(str, more)]
        raise InputError(f"{setting}: {value!r} is not known; Clawpack knows {', '.join(known)}")
    return number
