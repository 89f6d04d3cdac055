"""Runs a `setrun.py` with stand-ins for the modules of Clawpack that it imports."""

from __future__ import annotations

import contextlib
import os
import sys
import types
from collections.abc import Iterator
from typing import Any, Optional

from .._errors import InputError
from ._settings import Settings, amr_defaults, claw_defaults


class Data:
    """A set of attributes. Unlike Clawpack's it accepts any name, so that the report can list unknown ones."""

    def __init__(self, **attributes: Any):
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def add_attribute(self, name: str, value: Any = None, add_to_list: bool = True) -> None:
        setattr(self, name, value)

    def add_param(self, name: str, value: Any, descr: str = "") -> None:
        setattr(self, name, value)

    def write(self, *_: Any, **__: Any) -> None:
        """Nothing is written."""


class FlagRegion(Data):
    """A region of refinement."""

    def __init__(self, num_dim: int, region: Optional[list[float]] = None):
        names = ["minlevel", "maxlevel", "t1", "t2", "spatial_region_type", "spatial_region", "spatial_region_file"]
        super().__init__(name="", num_dim=num_dim, **dict.fromkeys(names))
        if region is not None:
            self.minlevel, self.maxlevel, self.t1, self.t2 = region[:4]
            self.spatial_region_type, self.spatial_region = 1, region[4:]


class RuledRectangle(Data):
    """A region between two curves, which the report refuses."""

    def __init__(self, *_: Any, **__: Any):
        super().__init__()


class ClawRunData(Data):
    """All data objects of a run."""

    def __init__(self, pkg: str = "amrclaw", num_dim: int = 2):
        if pkg.lower() != "amrclaw":
            raise InputError(f"the settings are for {pkg}; only those for amrclaw can be read")
        super().__init__(pkg=pkg, num_dim=num_dim, data_list=[])
        self.clawdata = Data(**claw_defaults(num_dim))
        self.amrdata = Data(**amr_defaults(num_dim))
        self.gaugedata = Data(gauges=[])
        self.regiondata = Data(regions=[])
        self.flagregiondata = Data(flagregions=[])
        self.adjointdata = Data(use_adjoint=False)
        self._user: list[Data] = []

    def new_UserData(self, name: str, fname: str) -> Data:  # noqa: N802 - Clawpack's name
        data = Data()
        self._user.append(data)
        setattr(self, name, data)
        return data

    def add_data(self, data: Any, name: str, file_name: Optional[str] = None) -> None:
        setattr(self, name, data)

    replace_data = add_data


def run_setrun(path: str) -> Settings:
    """The settings that a `setrun.py` makes."""
    folder = os.path.dirname(os.path.abspath(path))
    with open(path, encoding="utf-8") as file:
        source = file.read()
    names: dict[str, Any] = {"__name__": "setrun", "__file__": os.path.abspath(path)}
    with _stand_ins(), _inside(folder):
        try:
            exec(compile(source, path, "exec"), names)
            if "setrun" not in names:
                raise InputError(f"{path}: there is no function 'setrun'")
            rundata = names["setrun"]("amrclaw")
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    if not isinstance(rundata, ClawRunData):
        kind = "None" if rundata is None else f"a {type(rundata).__name__}"
        raise InputError(f"{path}: setrun must return the ClawRunData that it makes, but returned {kind}; end it with: return rundata")
    return _settings(rundata)


def _settings(rundata: ClawRunData) -> Settings:
    user: dict[str, Any] = {}
    for data in rundata._user:
        user.update(vars(data))
    return Settings(
        claw={**claw_defaults(rundata.num_dim), **vars(rundata.clawdata)},
        amr=vars(rundata.amrdata),
        gauges=[list(gauge) for gauge in rundata.gaugedata.gauges],
        regions=[list(region) for region in rundata.regiondata.regions],
        flagregions=[vars(region) for region in rundata.flagregiondata.flagregions],
        user=user,
        use_adjoint=bool(rundata.adjointdata.use_adjoint),
    )


def _modules() -> dict[str, types.ModuleType]:
    contents: dict[str, dict[str, Any]] = {
        "clawpack": {},
        "clawpack.clawutil": {},
        "clawpack.clawutil.data": {"ClawRunData": ClawRunData, "ClawData": Data},
        "clawpack.amrclaw": {},
        "clawpack.amrclaw.data": {"FlagRegion": FlagRegion},
        "clawpack.amrclaw.region_tools": {"RuledRectangle": RuledRectangle},
    }
    modules = {name: types.ModuleType(name) for name in contents}
    for name, attributes in contents.items():
        vars(modules[name]).update(attributes)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(modules[parent], child, modules[name])
    for name in ("clawpack", "clawpack.clawutil", "clawpack.amrclaw"):
        modules[name].__path__ = []
    return modules


@contextlib.contextmanager
def _stand_ins() -> Iterator[None]:
    """Temporarily replaces Clawpack's modules by the stand-ins, whether Clawpack is installed or not."""
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "clawpack"}
    for name in before:
        del sys.modules[name]
    sys.modules.update(_modules())
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "clawpack"]:
            del sys.modules[name]
        sys.modules.update(before)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Changes to a folder temporarily, as `make` does, and lets its modules be imported."""
    before = os.getcwd()
    os.chdir(folder)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        os.chdir(before)
