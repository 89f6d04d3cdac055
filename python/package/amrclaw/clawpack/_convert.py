"""Clawpack's settings as a case, with remarks on what the case cannot honour."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, Optional

from .._amrclaw import BuiltInSolver
from ._check import check
from ._geoclaw import PLANE, SPHERE, GeoClaw
from ._makefile import Makefile
from ._output import NEVER, Output
from ._result import ClawpackCase
from ._settings import (
    BOUNDARY_WORDS,
    DOUBLE_TRANSVERSE,
    FOLDED,
    LIMITER_WORDS,
    SPLIT_WORDS,
    TRANSVERSE_WORDS,
    Settings,
    amr_defaults,
    claw_defaults,
    number_of,
)
from ._solvers import Chosen, choose, parameters

_BOUNDARIES = {0: "user", 1: "extrapolate", 2: "periodic", 3: "wall", 5: "folded"}
_LIMITERS = {0: "none", 1: "minmod", 2: "superbee", 3: "van_leer", 4: "mc"}
_SMALLEST_PATCH = 8

# Settings of how AMRClaw uses memory and what it prints, which have no meaning here.
_WITHOUT_EFFECT = {"memsize", "num_ghost", "verbosity", "verbosity_regrid", "edebug", "restart_file"} | {
    f"{letter}print" for letter in "degnprstu"
}


def convert(settings: Settings, name: str, makefile: Makefile, folder: str, solver: Optional[str]) -> ClawpackCase:
    """The case that fits the settings best."""
    check(settings, name)
    chosen = choose(settings, makefile, folder, solver)
    return _Converter(settings, name, chosen, makefile, folder).convert()


class _Converter:
    def __init__(self, settings: Settings, name: str, solver: Chosen, makefile: Makefile, folder: str):
        self.settings, self.name, self.solver, self.folder = settings, name, solver, folder
        self.claw = settings.claw
        self.amr = settings.amr if settings.amr is not None else amr_defaults(settings.num_dim)
        self.num_dim = settings.num_dim
        self.remarks = [*settings.remarks, *solver.remarks, *makefile.remarks()]
        self.wanted = [f"solver: {solver.unknown}"] if solver.unknown else []
        fits = settings.geo is not None and solver.name in (PLANE, SPHERE)
        self.geo = GeoClaw(settings.geo or {}, settings.num_dim, folder, self.remarks, self.wanted) if fits else None
        built_in = solver.built_in
        self.num_aux = len(built_in.aux) if built_in is not None else int(self.claw["num_aux"])
        uniform = all(len(set(ratios)) == 1 for ratios in self._ratios())
        self._output = Output(settings, self._end(), self.num_aux > 0, uniform, self.remarks)

    def convert(self) -> ClawpackCase:
        self._remark_unknown()
        initial = self.solver.riemann.initial if self.solver.riemann is not None else ""
        if self.geo is None:
            self.wanted.append("initial: the state at the start that qinit computes" + (f"; {initial}" if initial else ""))
        # In TOML, keys that are not tables must come first.
        case: dict[str, Any] = {"initial": "user"} if self.geo is None else {}
        if self.num_aux and self.geo is None:
            case["aux"] = "user"
        if self._source_split and self.geo is None:
            case["source"] = "user"
            self.wanted.append(f"source: the terms that src{self.num_dim} computes")
        case.update(solver=self._solver(), mesh=self._mesh(), levels=self._levels())
        if self.settings.amr is not None:
            case["regrid"] = self._regrid()
        case.update(scheme=self._scheme(), time=self._time(), output=self._output.frames())
        if self.geo is not None:
            case.update(initial=self.geo.initial(), **self.geo.tables())
            self.geo.fgout.add_frames(case["output"], (float(self.claw["t0"]), self._end()), self.remarks)
        elif self.num_aux:
            self.wanted.append("aux: the auxiliary values that setaux computes")
        gauges = self._output.gauges()
        if gauges:
            case["gauge"] = gauges
        if self.settings.use_adjoint:
            self.remarks.append("adjointdata.use_adjoint: flagging by an adjoint solution; the case flags by differences: see criterion \"adjoint\"")
        return ClawpackCase(case, self.name, self.solver.reason, self.remarks, self.wanted, self.solver.unknown)

    def _remark_unknown(self) -> None:
        known = set(claw_defaults(self.num_dim)) | set(amr_defaults(self.num_dim)) | _WITHOUT_EFFECT
        for group, values in (("clawdata", self.claw), ("amrdata", self.amr)):
            # The files also contain the lengths of lists.
            unknown = [k for k in values if k not in known and not k.startswith("num_")]
            self.remarks.extend(f"{group}.{k} = {values[k]!r}: not known" for k in unknown)

    def _solver(self) -> dict[str, Any]:
        solver, built_in = self.solver, self.solver.built_in
        if built_in is None:
            if not solver.is_file:
                return {"name": solver.name}
            self.wanted.append(f"solver: the parameters of {solver.name}")
            return {"path": os.path.abspath(solver.name)}
        if self.geo is not None:
            return {"name": solver.name, **self.geo.parameters()}
        self._compare_numbers(built_in)
        found, missing = parameters(solver, self.settings.user)
        self.wanted.extend(f"solver.{parameter}: a parameter of {solver.name}" for parameter in missing)
        return {"name": solver.name, **found}

    def _compare_numbers(self, built_in: BuiltInSolver) -> None:
        """Remarks on numbers that are not those of the solver."""
        claw, riemann = self.claw, self.solver.riemann
        num_waves = riemann.numbers[1] if riemann is not None and riemann.numbers else built_in.waves
        num_aux = claw["num_aux"] - bool(self.settings.use_adjoint)
        expected_aux = riemann.numbers[2] if riemann is not None and self.solver.other_aux else len(built_in.aux)
        fwaves = built_in.fwaves != (riemann is not None and riemann.other_waves)
        for key, given, number, has in (
            ("num_eqn", claw["num_eqn"], len(built_in.equations), f"the equations {', '.join(built_in.equations)}"),
            ("num_aux", num_aux, expected_aux, f"the auxiliary values {', '.join(built_in.aux)}" if built_in.aux else "no auxiliary values"),
            ("use_fwaves", bool(claw["use_fwaves"]), fwaves, "f-waves" if built_in.fwaves else "no f-waves"),
        ):
            if given != number:
                self.remarks.append(f"clawdata.{key} = {claw[key]}: the solver {built_in.name} has {has}")
        if claw["num_waves"] != num_waves:
            self.remarks.append(f"clawdata.num_waves = {claw['num_waves']}: the Riemann solver has {num_waves}")

    def _mesh(self) -> dict[str, Any]:
        claw = self.claw
        routine = f"bc{self.num_dim}" if self.settings.amr is None else f"bc{self.num_dim}amr"
        sides = {}
        for d, axis in enumerate("xyz"[: self.num_dim]):
            pair = []
            for side, key in (("lower", "bc_lower"), ("upper", "bc_upper")):
                values = claw[key] if isinstance(claw[key], (list, tuple)) else [claw[key]]
                pair.append(_BOUNDARIES[number_of(values[d], BOUNDARY_WORDS, f"clawdata.{key}[{d}]", FOLDED)])
                if pair[-1] == "user":
                    self.wanted.append(f"boundary {axis}_{side}: the ghost cells that {routine} fills")
            sides[axis] = pair
        return {
            "lower": [float(x) for x in claw["lower"]],
            "upper": [float(x) for x in claw["upper"]],
            "cells": [int(n) for n in claw["num_cells"]],
            "boundary": sides,
        }

    @property
    def _num_levels(self) -> int:
        return abs(int(self.amr["amr_levels_max"]))

    def _ratios(self) -> list[list[int]]:
        per_axis = [self.amr[f"refinement_ratios_{axis}"] for axis in "xyz"[: self.num_dim]]
        return [[int(ratios[level]) for ratios in per_axis] for level in range(self._num_levels - 1)]

    def _levels(self) -> dict[str, Any]:
        levels: dict[str, Any] = {"max": self._num_levels}
        if self._num_levels > 1:
            ratios = self._ratios()
            levels["ratio"] = [r[0] if len(set(r)) == 1 else r for r in ratios]
            if self.amr["variable_dt_refinement_ratios"]:
                self.remarks.append("amrdata.variable_dt_refinement_ratios: ratios in time follow those in space")
            else:
                levels["ratio_time"] = [int(r) for r in self.amr["refinement_ratios_t"][: self._num_levels - 1]]
        return levels

    def _regrid(self) -> dict[str, Any]:
        amr = self.amr
        regrid: dict[str, Any] = {
            "interval": int(amr["regrid_interval"]),
            "buffer": int(amr["regrid_buffer_width"]),
            "cutoff": float(amr["clustering_cutoff"]),
            "max_patch_size": self._max_patch_size(),
        }
        if self.geo is not None:
            regrid["flag"] = {"criterion": "user", "expression": self.geo.flag() if amr["flag2refine"] else "0"}
        elif amr["flag2refine"]:
            regrid["flag"] = {"criterion": "difference", "tolerance": float(amr["flag2refine_tol"])}
            if amr["flag_richardson"]:
                self.remarks.append("amrdata.flag_richardson: cells are flagged by one criterion, here by flag2refine's")
        elif amr["flag_richardson"]:
            regrid["flag"] = {"criterion": "richardson", "tolerance": float(amr["flag_richardson_tol"])}
        else:
            regrid["flag"] = {"criterion": "user", "expression": "0"}
        regions = self._regions()
        if regions:
            regrid["region"] = regions
        return regrid

    def _max_patch_size(self) -> int:
        """As AMRClaw's, which counts the ghost cells of both sides, but a multiple of every ratio."""
        unit = math.lcm(1, *(n for ratios in self._ratios() for n in ratios))
        wanted = int(self.amr["max1d"]) - 2 * int(self.claw["num_ghost"])
        size = max(wanted // unit, -(-_SMALLEST_PATCH // unit)) * unit
        if size != wanted:
            self.remarks.append(
                f"amrdata.max1d = {self.amr['max1d']}: patches have at most {size} cells along an axis, ghost cells not counted"
            )
        return size

    def _regions(self) -> list[dict[str, Any]]:
        regions = [self._region(r[:2], r[2:4], r[4:]) for r in self.settings.regions]
        for flagregion in self.settings.flagregions:
            levels, times = [flagregion["minlevel"], flagregion["maxlevel"]], [flagregion["t1"], flagregion["t2"]]
            if flagregion["spatial_region_type"] == 1:
                regions.append(self._region(levels, times, flagregion["spatial_region"]))
                continue
            made = flagregion.get("ring")
            # A relative path counts from where AMRClaw reads its files.
            path = os.path.abspath(os.path.join(self.folder, str(flagregion["spatial_region_file"])))
            regions.append({**self._when(levels, times), **({"polygon": made} if made else {"ruled": path})})
        return regions

    def _region(self, levels: Sequence[Any], times: Sequence[Any], sides: Sequence[Any]) -> dict[str, Any]:
        return {
            **self._when(levels, times),
            "lower": [float(x) for x in sides[0 : 2 * self.num_dim : 2]],
            "upper": [float(x) for x in sides[1 : 2 * self.num_dim : 2]],
        }

    def _when(self, levels: Sequence[Any], times: Sequence[Any]) -> dict[str, Any]:
        finest = self._num_levels
        return {"levels": [min(max(int(n), 1), finest) for n in levels], "time": [float(t) for t in times]}

    def _scheme(self) -> dict[str, Any]:
        claw = self.claw
        transverse = number_of(claw["transverse_waves"], TRANSVERSE_WORDS, "clawdata.transverse_waves", DOUBLE_TRANSVERSE)
        split = number_of(claw["dimensional_split"], SPLIT_WORDS, "clawdata.dimensional_split")
        if self.solver.riemann is not None and self.solver.riemann.only_split:
            split = split or 2
        source = self._source_split
        scheme: dict[str, Any] = {
            "order": int(claw["order"]),
            "split": ["unsplit", "godunov", "strang"][split],
            "limiter": self._limiters(),
        }
        # Split sweeps have none.
        if not split:
            scheme["transverse"] = transverse if transverse <= 2 else transverse // 10
        if not split and self.num_dim == 3 and transverse in (10, 20):
            scheme["double_transverse"] = False
        if not split and transverse == 21:
            self.remarks.append("clawdata.transverse_waves = 21: second-order corrections are split doubly too, as with 22")
        if self.solver.is_file or (self.solver.built_in is not None and self.solver.built_in.has_source):
            scheme["source"] = "none"
        if source:
            scheme["source"] = ["none", "godunov", "strang"][source]
        self._capacity(scheme)
        return scheme

    @property
    def _source_split(self) -> int:
        return number_of(self.claw["source_split"], SPLIT_WORDS, "clawdata.source_split")

    def _capacity(self, scheme: dict[str, Any]) -> None:
        index, built_in = int(self.claw["capa_index"]), self.solver.built_in
        aux = built_in.aux if built_in is not None else []
        if self.solver.other_aux or aux[max(index - 1, 0) : index] == ["capacity"]:
            scheme["capacity"] = "capacity"
        elif self.solver.name == SPHERE:
            scheme["capacity"] = "cosine"
        elif index:
            self.remarks.append(f"clawdata.capa_index = {index}: the solver {self.solver.name} has no such capacity function")

    def _limiters(self) -> list[str]:
        names = []
        for value in self.claw["limiter"]:
            number = number_of(value, LIMITER_WORDS, "clawdata.limiter")
            if number not in _LIMITERS:
                self.remarks.append(f"clawdata.limiter = {value!r}: there is none of that kind; mc in its place")
            names.append(_LIMITERS.get(number, "mc"))
        return self._of_each_wave(names)

    def _of_each_wave(self, names: list[str]) -> list[str]:
        """The limiters of Clawpack's waves, for the waves of the solver."""
        solver, built_in = self.solver, self.solver.built_in
        if built_in is None:
            return names
        waves = range(built_in.waves)
        # Clawpack reads as many as there are waves.
        names = names[: int(self.claw["num_waves"])] or names
        alike = solver.riemann.limiters if solver.riemann is not None and solver.riemann.ours == solver.name else ()
        limiters = [names[min(alike[wave] if alike else wave, len(names) - 1)] for wave in waves]
        if len(names) != len(waves) and len(set(names)) > 1:
            self.remarks.append(
                f"clawdata.limiter = {self.claw['limiter']}: the solver {solver.name} has {len(waves)} waves, not {len(names)}, limited by {limiters}"
            )
        return limiters

    def _time(self) -> dict[str, Any]:
        claw = self.claw
        time: dict[str, Any] = {"start": float(claw["t0"]), "end": self._end()}
        if claw["dt_variable"]:
            time["dt_initial"] = float(claw["dt_initial"])
            if claw["dt_max"] < min(1e90, time["end"] - time["start"]):
                time["dt_max"] = float(claw["dt_max"])
                time["dt_initial"] = min(time["dt_initial"], time["dt_max"])
        else:
            time["dt"] = float(claw["dt_initial"])
        # AMRClaw allows Courant numbers above 1, which are never stable.
        for key in ("cfl_desired", "cfl_max"):
            time[key] = min(float(claw[key]), 1.0)
            if claw[key] > 1.0:
                self.remarks.append(f"clawdata.{key} = {claw[key]:g}: Courant numbers are at most 1, which is used")
        # The default, or more, is meant as no limit.
        if claw["steps_max"] < claw_defaults(self.num_dim)["steps_max"]:
            self.remarks.append(f"clawdata.steps_max = {claw['steps_max']}: the number of steps between frames has no limit")
        if claw["output_style"] == 3:
            time["max_steps"] = int(claw["total_steps"])
        if claw["restart"]:
            self.remarks.append("clawdata.restart: AMRClaw's checkpoints cannot be read")
        return time

    def _end(self) -> float:
        claw = self.claw
        style = claw["output_style"]
        if style == 1:
            return float(claw["tfinal"])
        return float(claw["output_times"][-1]) if style == 2 else NEVER
