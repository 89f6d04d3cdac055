"""GeoClaw's settings as parts of a case."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

from .._errors import InputError
from ._fgmax import monitors
from ._fgout import FgOut
from ._settings import in_formula

PLANE, SPHERE = "shallow_water_bathymetry", "shallow_water_sphere"
EARTH_RADIUS = 6367.5e3
"""GeoClaw's, in metres."""
_RADIANS = "pi / 180"
_GEO: dict[str, Any] = {
    **{"gravity": 9.8, "earth_radius": EARTH_RADIUS, "coordinate_system": 1, "coriolis_forcing": True, "theta_0": 45.0},
    **{"friction_forcing": True, "manning_coefficient": [0.025], "manning_break": [], "friction_depth": 1.0e6},
    **{"dry_tolerance": 1e-3, "sea_level": 0.0, "speed_limit": 50.0},
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "geo_data": _GEO,
    "refinement_data": {"wave_tolerance": 0.1, "speed_tolerance": None},
    "topo_data": {"topo_missing": 99999.0, "test_topography": 0, "override_order": False, "topofiles": []},
    "dtopo_data": {"dtopofiles": [], "dt_max_dtopo": 1e99},
    "qinit_data": {"qinit_type": 0, "qinitfiles": [], "force_dry_list": []},
    "fgmax_data": {"num_fgmax_val": 1, "fgmax_grids": [], "fgmax_files": []},
    "fgout_data": {"fgout_grids": []},
    "friction_data": {"variable_friction": False, "friction_regions": [], "friction_files": []},
}
"""GeoClaw's groups that become parts of a case, with what they hold unless they are changed."""
# Attributes of topography files that a case has nothing for.
_OF_FILES = ("crop_extent", "coarsen", "buffer", "align", "x_shift", "y_shift", "z_shift")


def defaults() -> dict[str, dict[str, Any]]:
    """New groups."""
    return {name: {key: value.copy() if isinstance(value, list) else value for key, value in group.items()} for name, group in DEFAULTS.items()}


def on_sphere(groups: dict[str, dict[str, Any]]) -> bool:
    """Whether coordinates are degrees of longitude and latitude."""
    return int(groups["geo_data"]["coordinate_system"]) == 2


class GeoClaw:
    """What GeoClaw's settings become. `remarks` and `wanted` get what a case does not honour, and what is wanted still."""

    def __init__(self, groups: dict[str, dict[str, Any]], num_dim: int, folder: str, remarks: list[str], wanted: list[str]):
        self.groups, self.folder, self.remarks, self.wanted = groups, folder, remarks, wanted
        self.geo = groups["geo_data"]
        self.fgout = FgOut(groups["fgout_data"])
        if num_dim != 2:
            raise InputError(f"num_dim = {num_dim}: GeoClaw's settings are read in two dimensions")

    def parameters(self) -> dict[str, float]:
        """The solver's."""
        geo = self.geo
        found = {"gravity": float(geo["gravity"]), "dry_depth": float(geo["dry_tolerance"]), "speed_limit": float(geo["speed_limit"])}
        if geo["friction_forcing"]:
            values = _list(geo["manning_coefficient"])
            found["manning"] = float(values[0])
            if len(set(values)) > 1:
                self.remarks.append(f"geo_data.manning_coefficient = {values}: one everywhere, {values[0]}")
            if float(geo["friction_depth"]) < 1e5:
                self.remarks.append(f"geo_data.friction_depth = {geo['friction_depth']}: friction acts at all depths, little where it is deep")
        if self.groups["friction_data"]["variable_friction"]:
            self.remarks.append("friction_data.variable_friction: one coefficient everywhere")
        if on_sphere(self.groups):
            found.update(radius=float(geo["earth_radius"]), rotation=7.292115e-5 if geo["coriolis_forcing"] else 0.0)
        elif geo["coriolis_forcing"]:
            found["coriolis"] = 2.0 * 7.292115e-5 * math.sin(math.radians(float(geo["theta_0"])))
            self.remarks.append(f"geo_data.coriolis_forcing: constant, that of latitude theta_0 = {geo['theta_0']}")
        return found

    def initial(self) -> dict[str, Any]:
        """Water at rest."""
        if int(self.groups["qinit_data"]["qinit_type"]):
            self.wanted.append(f"initial: what qinit_type = {self.groups['qinit_data']['qinit_type']} adds to water at rest")
        for area in self.groups["qinit_data"]["force_dry_list"]:
            self.wanted.append(f"topography: a table of its own for land below the sea in {vars(area).get('fname')}, with its sea_level")
        return {"depth": f"max(0, {in_formula(self.geo['sea_level'])} - bottom)", "x_momentum": 0, "y_momentum": 0}

    def flag(self) -> str:
        """The criterion by surface and speed."""
        data = self.groups["refinement_data"]
        wave = f"abs(depth + bottom - {in_formula(self.geo['sea_level'])}) > {in_formula(data['wave_tolerance'])}"
        speeds = [float(speed) for speed in _list(data["speed_tolerance"]) if speed not in (None, "None", "")]
        if speeds:
            wave = f"({wave} || hypot(x_momentum, y_momentum) > {in_formula(min(speeds))} * depth)"
            if len(set(speeds)) > 1:
                self.remarks.append(f"refinement_data.speed_tolerance = {speeds}: the same on all levels, {min(speeds):g}")
        return f"depth > {in_formula(self.geo['dry_tolerance'])} && {wave}"

    def tables(self) -> dict[str, Any]:
        """`ground`, and what the other groups become."""
        topo = self.groups["topo_data"]
        dtopo = self.groups["dtopo_data"]
        if dtopo["dtopofiles"] and float(dtopo["dt_max_dtopo"]) < 1e9:
            self.remarks.append(f"dtopo_data.dt_max_dtopo = {dtopo['dt_max_dtopo']}: a tenth of the motion; time.dt_max holds for all steps")
        motions = [{"file": os.path.abspath(os.path.join(self.folder, str(list(entry)[-1])))} for entry in dtopo["dtopofiles"]]
        files = [self._file(entry) for entry in topo["topofiles"]]
        if int(topo["test_topography"]) or not files:
            self.wanted.append(f"topography: the heights of test_topography = {topo['test_topography']}, as a `formula`")
        # Of files that are equally fine GeoClaw takes the last, a case the first.
        files = list(reversed(files))
        for number, file in enumerate(files):
            if topo["override_order"]:
                file["priority"] = len(files) - number
            file["missing"] = float(topo["topo_missing"])
        self.remarks.extend(f"fgmax_data.fgmax_files: {file}, a file of versions before 5.7" for file in self.groups["fgmax_data"]["fgmax_files"])
        of_extremes = monitors(self.groups["fgmax_data"], self.geo, self.folder, self.remarks)
        found = {"topography": files, "bottom_motion": motions, "monitor": of_extremes + self.fgout.monitors()}
        return {**self._lengths(), "ground": {"sea_level": float(self.geo["sea_level"])}, **{name: table for name, table in found.items() if table}}

    def _lengths(self) -> dict[str, Any]:
        """On a sphere what the solver has to know of cells in degrees."""
        if not on_sphere(self.groups):
            return {}
        upper, lower = (f"sin(y_{end} * {_RADIANS})" for end in ("upper", "lower"))
        return {"aux": {"x_edge": 1, "y_edge": f"cos(y_lower * {_RADIANS})", "cosine": f"({upper} - {lower}) / (dy * {_RADIANS})"}}

    def _file(self, entry: Any) -> dict[str, Any]:
        """One of `topofiles`: `[type, path]`, that of versions before 5.8, a table or an object."""
        more: dict[str, Any] = {}
        if isinstance(entry, (list, tuple)):
            kind, path = entry[0], entry[1 if len(entry) == 3 else -1]
        else:
            more = entry if isinstance(entry, dict) else vars(entry)
            kind, path = more.get("topo_type", 3), more.get("path", more.get("topo_path"))
        if path is None or not str(kind).lstrip("-").isdigit():
            raise InputError(f"topo_data.topofiles: {entry!r} is neither [topo_type, path] nor a Topography with a path")
        self.remarks.extend(f"topo_data.topofiles: {key} = {more[key]!r} of {path}" for key in _OF_FILES if more.get(key) not in (None, 0, 0.0, 1))
        file: dict[str, Any] = {"file": os.path.abspath(os.path.join(self.folder, str(path)))}
        if int(kind) < 0 or more.get("negate_z"):
            file["scale"] = -1.0
        return file


def _list(value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return list(value)
