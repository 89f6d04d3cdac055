"""Runs a `setrun.py` with stand-ins for the modules of Clawpack that it imports."""

from __future__ import annotations

import contextlib
import copy
import importlib
import math
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from typing import Any, Optional

from .._errors import InputError
from . import _fgmax, _fgout
from ._geoclaw import EARTH_RADIUS, defaults
from ._makefile import Makefile
from ._package import check_package
from ._riemann import RIEMANN_SOLVERS
from ._settings import Settings, amr_defaults, claw_defaults


class Data:
    """A set of attributes. Unlike Clawpack's it accepts any name, so that the report can list unknown ones."""

    def __init__(self, *_: Any, **attributes: Any):
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def add_attribute(self, name: str, value: Any = None, add_to_list: bool = True) -> None:
        setattr(self, name, value)

    def add_attributes(self, names: list[str], value: Any = None) -> None:
        self.__dict__.update(dict.fromkeys(names, value))

    def add_param(self, name: str, value: Any, descr: str = "") -> None:
        setattr(self, name, value)

    def remove_attributes(self, names: Any) -> None:
        for name in [names] if isinstance(names, str) else names:
            delattr(self, name)

    def has_attribute(self, name: str) -> bool:
        return name in vars(self)

    def attributes(self) -> tuple[str, ...]:
        return tuple(vars(self))

    def iteritems(self) -> list[tuple[str, Any]]:
        return list(vars(self).items())

    def read(self, *_: Any, **__: Any) -> None:
        """Nothing is read."""

    def write(self, *_: Any, **__: Any) -> None:
        """Nothing is written."""


class FlagRegion(Data):
    """A region of refinement."""

    def __init__(self, num_dim: int, region: Optional[list[float]] = None):
        names = ["minlevel", "maxlevel", "t1", "t2", "spatial_region_type", "spatial_region", "spatial_region_file"]
        super().__init__(name="", num_dim=num_dim, **dict.fromkeys(names))
        if region is not None:
            self.convert_old_region(region)

    def convert_old_region(self, region: list[float]) -> None:
        self.minlevel, self.maxlevel, self.t1, self.t2 = region[:4]
        self.spatial_region_type, self.spatial_region = 1, region[4:]


class RuledRectangle:
    """A region between lines. Nothing is written: the region is kept, by the path of its file."""

    written: dict[str, RuledRectangle] = {}

    def __init__(self, fname: Optional[str] = None, slu: Any = None, rect: Optional[Sequence[float]] = None):
        self.ixy: Any = None
        self.method, self.ds = 0, -1.0
        self.s: Any = None
        self.lower: Any = None
        self.upper: Any = None
        if fname is not None:
            raise InputError(f"{fname}: a ruled rectangle is not read here; give the file as the region's spatial_region_file")
        if slu is not None:
            self.s, self.lower, self.upper = ([row[k] for row in slu] for k in range(3))
        elif rect is not None:
            x1, x2, y1, y2 = rect
            self.ixy, self.s, self.lower, self.upper = 1, [x1, x2], [y1, y1], [y2, y2]

    def write(self, fname: str, verbose: bool = False) -> None:
        self.written[os.path.abspath(fname)] = self

    def ring(self) -> list[list[float]]:
        """The corners along the lower sides and back along the upper ones."""
        s = [float(x) for x in self.s]
        sides = [[float(x) for x in side] for side in (self.lower, self.upper)]
        if int(self.method) == 0:
            ends = [x for pair in zip(s, s[1:]) for x in pair]
            paths = [list(zip(ends, [x for x in side[: len(s) - 1] for _ in range(2)])) for side in sides]
        else:
            paths = [list(zip(s, side)) for side in sides]
        corners = paths[0] + paths[1][::-1]
        return [[a, b] if self.ixy in (1, "x") else [b, a] for a, b in corners]


class Topography(Data):
    """A file of heights, which is not read here."""

    def __init__(self, path: Optional[str] = None, topo_type: int = 3, **more: Any):
        super().__init__(path=path, topo_type=topo_type, **more)


class Anything:
    """In place of what has no stand-in: it can be used in any way, and has no content. The report names it."""

    _name: str

    def __init__(self, name: str):
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Is forgotten."""

    def __call__(self, *_: Any, **__: Any) -> Anything:
        return self

    def __getitem__(self, _: Any) -> Anything:
        return self

    def __setitem__(self, _: Any, value: Any) -> None:
        """Is forgotten."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return self._name


# AMRClaw's data objects beside those of `claw.data` and `amr.data`.
_GROUPS: dict[str, dict[str, Any]] = {
    "gaugedata": {
        **{"gauges": [], "file_format": "ascii", "display_format": "e15.7", "q_out_fields": "all", "aux_out_fields": "none"},
        **{"min_time_increment": 0.0, "gtype": "stationary"},
    },
    "regiondata": {"regions": [], "num_dim": None},
    "flagregiondata": {"flagregions": [], "num_dim": None},
    "adjointdata": {
        **{"use_adjoint": False, "adjoint_outdir": "", "adjoint_files": [], "numadjoints": 0, "t1": None, "t2": None},
        **{"innerprod_index": None},
    },
}


def _group(name: str) -> Data:
    return Data(**{key: value.copy() if isinstance(value, list) else value for key, value in _GROUPS[name].items()})


class ClawRunData(Data):
    """All data objects of a run."""

    def __init__(self, pkg: str = "amrclaw", num_dim: int = 2):
        super().__init__(pkg=pkg, num_dim=num_dim, data_list=[], xclawcmd=None)
        self.clawdata = Data(**claw_defaults(num_dim))
        self.amrdata = Data(**amr_defaults(num_dim))
        self._user: dict[str, Data] = {}
        self._missing: dict[str, Anything] = {}
        # A group of the user's with the same name hides one of these, and replaces none.
        self._groups: dict[str, Any] = {name: _group(name) for name in _GROUPS}
        if check_package(pkg) == "geoclaw":
            self._groups.update({name: Data(**group) for name, group in defaults().items()})
        self.__dict__.update(self._groups)

    def __getattr__(self, name: str) -> Any:
        if name == "multilayer_data":
            raise InputError("rundata.multilayer_data: several layers are not converted; write a case for the solver shallow_water_layers")
        if not name.endswith("data"):
            raise AttributeError(f"ClawRunData has no attribute {name!r}")
        return self._missing.setdefault(name, Anything(f"rundata.{name}"))

    def new_UserData(self, name: str, fname: str) -> Data:  # noqa: N802 - Clawpack's name
        data = self._user[name] = Data()
        setattr(self, name, data)
        return data

    def add_data(self, data: Any, name: str, file_name: Optional[str] = None) -> None:
        setattr(self, name, data)
        if name in self._groups:
            self._groups[name] = data
        elif isinstance(data, Data):
            self._user[name] = data

    def replace_data(self, name: str, data: Any) -> None:
        self.add_data(data, name)


def run_setrun(path: str, makefile: Makefile) -> Settings:
    """The settings that a `setrun.py` makes."""
    folder = os.path.dirname(os.path.abspath(path))
    with open(path, encoding="utf-8") as file:
        source = file.read()
    package = makefile.package or _package_in(source)
    check_package(package, path)
    if re.search(r"^\s*(import|from)\s+pyclaw\b", source, re.M):
        raise InputError(f"{path}: these are settings of Clawpack 4; rename them as in Clawpack 5, which its clawutil/conversion does")
    names: dict[str, Any] = {"__name__": "setrun", "__file__": os.path.abspath(path)}
    RuledRectangle.written = {}
    with _stand_ins() as missing, _inside(folder):
        try:
            exec(compile(source, path, "exec"), names)
            if "setrun" not in names:
                raise InputError(f"{path}: there is no function 'setrun'")
            rundata = names["setrun"](package)
        except InputError as error:
            raise error if str(error).startswith(path) else InputError(f"{path}: {error}") from error
        except (Exception, SystemExit) as error:
            unknown = f"; here are only stand-ins for {', '.join(sorted(missing))}: give the folder of the .data files it writes" if missing else ""
            raise InputError(f"{path} cannot be run: {type(error).__name__}: {error}{unknown}") from error
    if not isinstance(rundata, ClawRunData):
        kind = "None" if rundata is None else f"a {type(rundata).__name__}"
        raise InputError(f"{path}: setrun must return the ClawRunData that it makes, but returned {kind}; end it with: return rundata")
    return _settings(rundata, missing)


def _package_in(source: str) -> str:
    """The package that the function `setrun` has by default."""
    found = re.search(r"def\s+setrun\s*\(\s*\w+\s*=\s*(['\"])(\w+)\1", source)
    return found[2] if found else "amrclaw"


def _settings(rundata: ClawRunData, missing: set[str]) -> Settings:
    user = {name: value for data in rundata._user.values() for name, value in vars(data).items()}
    groups = rundata._groups
    remarks = [f"{name}: a group of the user's own; it sets no {name} of AMRClaw" for name in _GROUPS if name in rundata._user]
    remarks += [f"rundata.{name}: it is not converted" for name in rundata._missing]
    remarks += [f"{name}: there is only a stand-in without content" for name in sorted(missing)]
    for name, default in _GROUPS["gaugedata"].items():
        value = getattr(groups["gaugedata"], name, default)
        if name not in ("gauges", "file_format", "display_format") and value != default:
            remarks.append(f"gaugedata.{name} = {value!r}: gauges stand still and record all of q at each step")
    return Settings(
        claw={**claw_defaults(rundata.num_dim), **_plain(rundata.clawdata)},
        amr=None if check_package(rundata.pkg) == "classic" else _plain(rundata.amrdata),
        gauges=[list(gauge) for gauge in getattr(groups["gaugedata"], "gauges", [])],
        regions=[list(region) for region in getattr(groups["regiondata"], "regions", [])],
        flagregions=[_flagregion(vars(region)) for region in getattr(groups["flagregiondata"], "flagregions", [])],
        user=user,
        use_adjoint=bool(getattr(groups["adjointdata"], "use_adjoint", False)),
        geo={name: vars(groups[name]) for name in defaults()} if check_package(rundata.pkg) == "geoclaw" else None,
        remarks=remarks,
    )


def _plain(data: Data) -> dict[str, Any]:
    """Settings, with lists in place of NumPy's arrays."""
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in vars(data).items()}


def _flagregion(region: dict[str, Any]) -> dict[str, Any]:
    """A region, with the corners of a ruled rectangle that the script has made."""
    made = RuledRectangle.written.get(os.path.abspath(str(region.get("spatial_region_file"))))
    return {**region, "ring": made.ring()} if made is not None else region


def _maker(group: str) -> Callable[..., Data]:
    return lambda *_, **__: _group(group)


_CONTENTS: dict[str, dict[str, Any]] = {
    "clawpack.clawutil.data": {"ClawRunData": ClawRunData, "ClawData": Data, "UserData": Data},
    # Its name in Clawpack 5.0.
    "clawpack.clawutil.clawdata": {"ClawRunData": ClawRunData, "ClawData": Data, "UserData": Data},
    "clawpack.amrclaw.data": {
        **{"FlagRegion": FlagRegion, "GaugeData": _maker("gaugedata"), "RegionData": _maker("regiondata")},
        **{"FlagRegionData": _maker("flagregiondata"), "AdjointData": _maker("adjointdata")},
    },
    "clawpack.amrclaw.region_tools": {"RuledRectangle": RuledRectangle},
    "clawpack.geoclaw.data": {
        **{"Rearth": EARTH_RADIUS, "DEG2RAD": math.pi / 180, "RAD2DEG": 180 / math.pi, "LAT2METER": EARTH_RADIUS * math.pi / 180},
        "ForceDry": Data,
    },
    "clawpack.geoclaw.topotools": {"Topography": Topography},
    "clawpack.geoclaw.fgmax_tools": {"FGmaxGrid": lambda: Data(**_fgmax.GRID)},
    "clawpack.geoclaw.fgout_tools": {"FGoutGrid": lambda *_, **__: Data(**copy.deepcopy(_fgout.GRID))},
}


def _constants(name: str) -> dict[str, int]:
    """The numbers of a Riemann solver, such as `clawpack.riemann.acoustics_1D_constants`."""
    found = re.fullmatch(r"clawpack\.riemann\.(\w+)_([123])D_constants", name)
    solver = RIEMANN_SOLVERS.get(f"rp{'n' * (found[2] != '1')}{found[2]}_{found[1]}") if found else None
    return dict(zip(("num_eqn", "num_waves", "num_aux"), (*solver.numbers, 0))) if solver is not None else {}


class _Finder:
    """Finds a stand-in for every module of Clawpack, and notes what is used of those without content."""

    def __init__(self) -> None:
        self.missing: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "clawpack" else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary one."""

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        vars(module).update(_CONTENTS.get(name, {}))
        vars(module).update(_constants(name))
        vars(module)["__getattr__"] = lambda attribute: self._anything(f"{name}.{attribute}")

    def _anything(self, name: str) -> Any:
        # The import system asks for these.
        if name.rpartition(".")[2].startswith("__"):
            raise AttributeError(name)
        if any(f"{known}.".startswith(f"{name}.") for known in _CONTENTS):
            return importlib.import_module(name)
        self.missing.add(name)
        return Anything(name)


@contextlib.contextmanager
def _stand_ins() -> Iterator[set[str]]:
    """Temporarily replaces Clawpack's modules by the stand-ins, whether Clawpack is installed or not; yields what has no content."""
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "clawpack"}
    for name in before:
        del sys.modules[name]
    finder = _Finder()
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    try:
        yield finder.missing
    finally:
        sys.meta_path.remove(finder)  # type: ignore[arg-type]
        for name in [name for name in sys.modules if name.split(".")[0] == "clawpack"]:
            del sys.modules[name]
        sys.modules.update(before)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Changes to a folder temporarily, as `make` does, and lets its modules be imported. Scripts build paths from the variable `CLAW`."""
    before, without = os.getcwd(), "CLAW" not in os.environ
    os.chdir(folder)
    sys.path.insert(0, folder)
    os.environ.setdefault("CLAW", "$CLAW")
    try:
        yield
    finally:
        if without:
            del os.environ["CLAW"]
        sys.path.remove(folder)
        os.chdir(before)
