"""Reads the files that a `setrun.py` writes for Clawpack: lines `value =: name  # description`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from .._errors import InputError
from . import _fgmax, _fgout
from ._geoclaw import defaults
from ._settings import Settings, amr_defaults, claw_defaults

_LISTS = re.compile(r"lower|upper|num_cells|limiter|bc_lower|bc_upper|refinement_ratios_.|output_times|aux_type|checkpt_times|iout_.*")
_TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s,]+")


def read_data_files(folder: str) -> Settings:
    """The settings in a folder's `claw.data` and, where they are, `amr.data`, `gauges.data`, `regions.data`,
    `flagregions.data`, `setprob.data` and `adjoint.data`."""
    if not os.path.isfile(os.path.join(folder, "claw.data")):
        raise InputError(f"{folder}: there is no claw.data")
    claw = _values(os.path.join(folder, "claw.data"))
    if "num_dim" not in claw:
        raise InputError(f"{os.path.join(folder, 'claw.data')}: there is no num_dim")
    num_dim = int(claw["num_dim"])
    # The choice of components to write is a list of ones and zeros.
    for components, flags in (("output_q_components", "iout_q"), ("output_aux_components", "iout_aux")):
        if flags in claw:
            claw[components] = [flag == 1 for flag in claw.pop(flags)]
    amr = os.path.join(folder, "amr.data")
    gauges = _rows(os.path.join(folder, "gauges.data"))
    adjoint = _values(os.path.join(folder, "adjoint.data"))
    return Settings(
        claw={**claw_defaults(num_dim), **claw},
        amr={**amr_defaults(num_dim), **_values(amr)} if os.path.isfile(amr) else None,
        gauges=[[int(row[0]), *row[1:]] for row in gauges],
        regions=[[int(row[0]), int(row[1]), *row[2:]] for row in _rows(os.path.join(folder, "regions.data"))],
        flagregions=_flagregions(os.path.join(folder, "flagregions.data")),
        user=_values(os.path.join(folder, "setprob.data")),
        use_adjoint=bool(adjoint.get("use_adjoint", False)),
        geo=_geoclaw(folder) if os.path.isfile(os.path.join(folder, "geoclaw.data")) else None,
    )


def _geoclaw(folder: str) -> dict[str, dict[str, Any]]:
    """GeoClaw's groups."""
    groups = defaults()
    for name, group in groups.items():
        path = os.path.join(folder, {"geo_data": "geoclaw.data"}.get(name, name[:-5] + ".data"))
        group.update(_values(path))
    for name in ("topo", "dtopo"):
        # A file's path in quotes, and on the next line its type.
        lines = [line for _, line in _lines(os.path.join(folder, f"{name}.data"))]
        pairs = zip(lines, lines[1:])
        groups[f"{name}_data"][f"{name}files"] = [[int(kind.split()[0]), path[1:-1]] for path, kind in pairs if path[0] in "'\""]
    for name, module in (("fgmax", _fgmax), ("fgout", _fgout)):
        path = os.path.join(folder, f"{name}_grids.data")
        groups[f"{name}_data"].update(_values(path))
        groups[f"{name}_data"][f"{name}_grids"] = module.read_grids([line for _, line in _lines(path) if "=:" not in line])
    return groups


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """Non-empty lines without comments, with their numbers; none if there is no such file."""
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            text = line.split("#")[0].strip()
            if text:
                yield number, text


def _pairs(path: str) -> Iterator[tuple[str, Any]]:
    for number, line in _lines(path):
        text, sign, name = line.partition("=:")
        if sign:
            yield name.strip(), _value(text, path, number, as_list=bool(_LISTS.fullmatch(name.strip())))


def _values(path: str) -> dict[str, Any]:
    return dict(_pairs(path))


def _value(text: str, path: str, number: int, as_list: bool) -> Any:
    items = [_item(token, path, number) for token in _TOKEN.findall(text)]
    return items if as_list or len(items) > 1 else (items[0] if items else "")


def _item(token: str, path: str, number: int) -> Any:
    if token[0] in "'\"":
        return token[1:-1]
    if token in ("T", "F", "True", "False"):
        return token[0] == "T"
    # Fortran writes exponents of double precision with a d.
    for convert in (int, float, lambda t: float(re.sub("[dD]", "e", t))):
        try:
            return convert(token)
        except ValueError:
            continue
    if token.isidentifier():
        return token
    raise InputError(f"{path}:{number}: {token!r} is neither a number nor a word")


def _rows(path: str) -> list[list[float]]:
    """The rows of numbers after the line with their count."""
    lines = list(_lines(path))
    if not lines:
        return []
    count = int(lines[0][1].split()[0])
    rows = []
    for number, line in lines[1 : 1 + count]:
        try:
            rows.append([float(token) for token in line.split()])
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from error
    return rows


def _flagregions(path: str) -> list[dict[str, Any]]:
    regions: list[dict[str, Any]] = []
    for name, value in _pairs(path):
        if name == "name":
            regions.append({})
        if regions:
            regions[-1][name] = value
    return regions
