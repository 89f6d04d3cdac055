"""Levels and patches, of a frame or of a running simulation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, Optional, Union

import numpy as np

from . import _lattice
from ._amrclaw import PatchIndex
from ._errors import InputError
from ._mesh import Mesh
from ._sample import sample
from ._view import Fields, View, frame_html

PathLike = Union[str, "os.PathLike[str]"]
AXES = ("x", "y", "z")


class Patch:
    """A box of cells of one level. Arrays run along x, y, z and are read-only; write to a copy.

    `patch["pressure"]` is a field by name, `patch.q` holds all equations, `patch.aux` the auxiliary values.
    """

    def __init__(
        self,
        level: "Level",
        finer: Optional[PatchIndex],
        lo: Sequence[int],
        hi: Sequence[int],
        q: np.ndarray,
        aux: np.ndarray,
    ):
        self.level = level.number
        """Level, from 1."""
        self.lo, self.hi = tuple(lo), tuple(hi)
        """First cell and the cell past the last, in the level's index space."""
        self.q = q
        self.aux = aux
        self.dx = level.dx
        self._snapshot = level._snapshot
        self._finer = finer

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return self.q.shape[1:]

    @property
    def lower(self) -> tuple[float, ...]:
        """Lower corner. On a mapped mesh it is computational, like `upper`, `centres` and `edges`."""
        return tuple(float(self.edges(axis)[0]) for axis in range(len(self.dx)))

    @property
    def upper(self) -> tuple[float, ...]:
        """Upper corner."""
        return tuple(float(self.edges(axis)[-1]) for axis in range(len(self.dx)))

    def centres(self, axis: int) -> np.ndarray:
        """Coordinates of the cells' centres along an axis; on a mesh from a file of all cells."""
        if self._snapshot.on_mesh:
            return np.array(self._snapshot.frame()._native.centroids[:, axis])
        return _lattice.centres(self._axis(axis), self.hi[axis] - self.lo[axis])

    def edges(self, axis: int) -> np.ndarray:
        """Coordinates of the cells' sides along an axis, one more than cells."""
        return _lattice.edges(self._axis(axis), self.hi[axis] - self.lo[axis])

    def _axis(self, axis: int) -> _lattice.Axis:
        self._snapshot.demand_rows()
        return self._snapshot.levels[self.level - 1]._axis(axis, self.lo[axis])

    def corners(self) -> np.ndarray:
        """Positions of the cells' corners, `[x, y, axis]`, with one more along each axis than cells: physical ones on a mapped
        mesh."""
        return self._snapshot.positions(np.stack(np.meshgrid(*map(self.edges, range(len(self.dx))), indexing="ij"), -1))

    @property
    def volumes(self) -> np.ndarray:
        """Volumes of the cells, areas in the plane: physical ones on a mapped mesh, on a mesh from a file those of its cells."""
        if not self._snapshot.mapped and not self._snapshot.on_mesh:
            return np.full(self.shape, float(np.prod(self.dx)))
        volumes = self._snapshot.frame()._native.volumes(self.level, self.lo, self.hi)
        return volumes.reshape(self.shape, order="F")

    @property
    def x(self) -> np.ndarray:
        """Centres along x."""
        return self.centres(0)

    @property
    def y(self) -> np.ndarray:
        """Centres along y, from two dimensions on."""
        return self.centres(_lattice.demand(1, len(self.dx)))

    @property
    def z(self) -> np.ndarray:
        """Centres along z, in three dimensions."""
        return self.centres(_lattice.demand(2, len(self.dx)))

    def __getitem__(self, name: str) -> np.ndarray:
        kind, index = self._snapshot.field_index(name)
        return (self.q if kind == "q" else self.aux)[index]

    @property
    def covered(self) -> np.ndarray:
        """True for the cells beneath a finer patch."""
        covered = np.zeros(self.shape, dtype=bool)
        if self._finer is None:
            return covered
        ratio = np.array(self._snapshot.ratios[self.level - 1])
        for fine_lo, fine_hi in self._finer.sharing(list(self.lo * ratio), list(self.hi * ratio)):
            lo = np.maximum(-(-np.array(fine_lo) // ratio), self.lo) - self.lo
            hi = np.minimum(np.array(fine_hi) // ratio, self.hi) - self.lo
            if (lo < hi).all():
                covered[tuple(map(slice, lo, hi))] = True
        return covered

    def __repr__(self) -> str:
        return f"<Patch of level {self.level}, cells {list(self.lo)} to {list(self.hi)}>"


class Level:
    """A level: its number, from 1, cell size and patches."""

    def __init__(self, snapshot: "Snapshot", number: int):
        self.number = number
        ratios = np.array(snapshot.ratios[: number - 1], dtype=int).reshape(-1, len(snapshot.cells))
        self.cells = tuple(int(n) for n in snapshot.cells * ratios.prod(axis=0, dtype=int))
        """Cells that would cover the domain."""
        self.dx = tuple((np.array(snapshot.upper) - snapshot.lower) / self.cells)
        self._snapshot = snapshot
        self._epoch = snapshot.epoch

    @cached_property
    def patches(self) -> tuple[Patch, ...]:
        """The level's patches."""
        self._check_epoch()
        finer = self._snapshot.levels[self.number]._index if self.number < len(self._snapshot.levels) else None
        return tuple(Patch(self, finer, *patch) for patch in self._snapshot._native_patches(self.number))

    @cached_property
    def _index(self) -> PatchIndex:
        """Finds patches by their cells."""
        self._check_epoch()
        return PatchIndex(self._snapshot._native_boxes(self.number))

    def _axis(self, axis: int, first: int) -> _lattice.Axis:
        snapshot = self._snapshot
        return snapshot.lower[axis], snapshot.upper[axis], self.cells[axis], self.dx[axis], int(first)

    def _check_epoch(self) -> None:
        if self._epoch != self._snapshot.epoch:
            raise RuntimeError("the simulation has gone on since: ask it for its levels anew")

    @property
    def num_cells(self) -> int:
        """Cells of all patches."""
        return sum(int(np.prod(patch.shape)) for patch in self.patches)

    def __repr__(self) -> str:
        return f"<Level {self.number}: {len(self.patches)} patches, {self.num_cells} cells>"


class Snapshot:
    """The common interface of a frame and a simulation: levels of patches at one time."""

    time: float
    equations: tuple[str, ...]
    aux: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    cells: tuple[int, ...]
    ratios: list[list[int]]
    epoch = 0
    """Changes whenever levels and patches become invalid."""

    @property
    def levels(self) -> tuple[Level, ...]:
        raise NotImplementedError

    def _native_boxes(self, level: int) -> Any:
        raise NotImplementedError

    def _native_patches(self, level: int) -> Any:
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        """Number of space dimensions."""
        return len(self.cells)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of all fields: equations, then auxiliary values."""
        return (*self.equations, *self.aux)

    def field_index(self, name: str) -> tuple[str, int]:
        """Whether a field is an equation's ("q") or auxiliary ("aux"), and which."""
        for kind, names in (("q", self.equations), ("aux", self.aux)):
            if name in names:
                return kind, names.index(name)
        raise InputError(f"there is no field {name!r}; there are {', '.join(self.fields)}")

    def level(self, number: int) -> Level:
        """A level, counted from 1."""
        if not 1 <= number <= len(self.levels):
            raise InputError(f"there is no level {number}: levels are 1 to {len(self.levels)}")
        return self.levels[number - 1]

    def patches(self, level: Optional[int] = None) -> tuple[Patch, ...]:
        """Patches of a level, counted from 1, or of all levels, coarsest first."""
        if level is None:
            return tuple(patch for each in self.levels for patch in each.patches)
        return self.level(level).patches

    def total(self, field: str, capacity: Optional[str] = None) -> float:
        """Integral over the domain, on a mapped mesh the physical one, from the finest cells at each place; weighted with the field
        `capacity` if given."""
        total = 0.0
        for patch in self.frame().patches():
            values = np.where(patch.covered, 0.0, patch[field]).astype(float) * patch.volumes
            if capacity is not None:
                values = values * patch[capacity]
            total += float(values.sum())
        return total

    def to_uniform(self, level: int = 1, field: Optional[str] = None) -> np.ndarray:
        """The solution on the cells of one level over the whole domain: `[x, y]` of one field, else `[equation, x, y]`.

        Where the mesh is finer, a cell gets the mean of the finer cells; where it is coarser, the value of the cell that contains it.
        """
        self.demand_rows()
        if not 1 <= level <= len(self.ratios) + 1:
            raise InputError(f"there is no level {level}: levels are 1 to {len(self.ratios) + 1}")
        whole = Level(self, level)
        names = self.equations if field is None else (field,)
        out = np.full((len(names), *whole.cells), np.nan)
        for patch in (patch for each in self.levels[:level] for patch in each.patches):
            ratio = np.array(whole.cells) // Level(self, patch.level).cells
            place = tuple(slice(lo * r, hi * r) for lo, hi, r in zip(patch.lo, patch.hi, ratio))
            for target, name in zip(out, names):
                values = patch[name]
                for axis, r in enumerate(ratio):
                    values = np.repeat(values, r, axis=axis)
                target[place] = values
        return out if field is None else out[0]

    def sample(
        self, points: Any, field: Optional[str] = None, method: str = "linear", outside: str = "raise"
    ) -> np.ndarray:
        """Values at points, shape `[point]` of one field, else `[equation, point]`.

        `points` has one row per point. `method`: "nearest" is the value of the finest cell at the point, "linear" interpolates
        between centres of cells of that size; in cells of a mesh from a file it takes their gradients. Points `outside` the domain are an
        error ("raise"), or get NaN ("nan").
        """
        return sample(self, points, field, method, outside)

    def frame(self) -> "Frame":
        """The solution as it is now."""
        raise NotImplementedError

    def view(self, fields: Fields = (), *, budget: float = 10.0, height: int = 700) -> View:
        """The solution as it is now as a page in a notebook: see `Run.view`."""
        frame = self.frame()
        names = [fields] if isinstance(fields, str) else list(fields)
        with TemporaryDirectory() as folder:
            # Formulas are computed here: the folder does not tell their names.
            (frame.derive(*names) if names else frame).write(folder)
            return View([folder], names, budget, height)

    @property
    def mapped(self) -> bool:
        """Whether the mesh is mapped. Boxes, centres, edges, samples and slices are then in computational coordinates."""
        return bool(self.frame()._native.mapped)

    @cached_property
    def on_mesh(self) -> bool:
        """Whether the cells are those of a mesh from a file, see `mesh`."""
        return self.frame()._native.mesh is not None

    def demand_rows(self) -> None:
        """Refuses what needs cells in rows, which a mesh from a file does not have."""
        if self.on_mesh:
            instead = "`mesh` has their points, `sample` gives values at points; `amrclaw plot --slice` and `to_pyvista` cut them"
            raise InputError(f"the cells of a mesh from a file are in no rows: {instead}")

    @property
    def mesh(self) -> Optional[Mesh]:
        """The mesh of a case with `mesh.file`, whose cells are a row: cell `i` has value `i` of `frame.patches()[0][field].ravel()`, and
        the volume `i` of `volumes` there. Boundaries have no names. None on patches."""
        arrays = self.frame()._native.mesh
        return Mesh.of_one_list(*arrays) if arrays is not None else None

    def positions(self, points: Any) -> np.ndarray:
        """Physical positions of computational points; the last axis of `points` is that of the coordinates. Without a mapping,
        the points themselves."""
        points = self._coordinates("points", points)
        return self.frame()._native.positions(points.reshape(-1, self.dimension)).reshape(points.shape)

    def computational(self, positions: Any) -> np.ndarray:
        """Computational points at physical positions; the last axis of `positions` is that of the coordinates. NaN outside the mesh.
        Without a mapping, the positions themselves. `frame.sample(frame.computational(positions), outside="nan")` is the solution there."""
        positions = self._coordinates("positions", positions)
        return self.frame()._native.computational(positions.reshape(-1, self.dimension)).reshape(positions.shape)

    def _coordinates(self, name: str, points: Any) -> np.ndarray:
        self.demand_rows()
        points = np.asarray(points, dtype=float)
        if points.ndim == 0 or points.shape[-1] != self.dimension:
            raise InputError(f"the last axis of {name} is that of their {self.dimension} coordinates")
        return points

    def derive(self, *formulas: str, **named: str) -> "Frame":
        """A frame whose fields are computed by formulas: `frame.derive("mach", speed="sqrt(u^2 + v^2)")`.

        Formulas are written as in the case file. They may use the frame's fields, the solver's quantities (`Frame.quantities`)
        and parameters, the case's `[define]`, `dx(f)`, `dy(f)`, `dz(f)`, `grad(f)`. A positional formula also names its field.
        """
        return Frame(self.frame()._native.derive([(text, text) for text in formulas] + list(named.items())))

    def slice(self, axis: str, position: float) -> "Frame":
        """The cells at `position` along an axis, "x", "y" or "z", as a frame of the other axes, which are called x and y there."""
        number = self._axis(axis)
        if not self.lower[number] <= position <= self.upper[number]:
            domain = f"from {self.lower[number]:g} to {self.upper[number]:g}"
            raise InputError(f"{axis} = {position:g} is outside the domain, {domain}")
        return Frame(self.frame()._native.slice(number, position))

    def project(self, axis: str, what: str, field: str) -> "Frame":
        """Projects a field of a solution in three dimensions along an axis, by its "max", "min", "mean" or "integral"."""
        return Frame(self.frame()._native.project(self._axis(axis), what, field))

    def _axis(self, axis: str) -> int:
        if axis not in AXES[: self.dimension]:
            raise InputError(f"there is no axis {axis!r}; there are {', '.join(AXES[: self.dimension])}")
        self.demand_rows()
        return AXES.index(axis)


class Frame(Snapshot):
    """The solution at one time, read from a file or taken from a simulation."""

    def __init__(self, native: Any):
        self._native = native
        self.number: int = native.number
        self.time = native.time
        self.steps: tuple[int, ...] = tuple(native.steps)
        """Steps taken on each level."""
        self.equations, self.aux = tuple(native.equations), tuple(native.aux)
        self.lower, self.upper = tuple(native.lower), tuple(native.upper)
        self.cells = tuple(native.cells)
        self.ratios = native.ratios
        if (mesh := self.mesh) is not None:
            self.lower, self.upper = (tuple(map(float, end(mesh.points, axis=0))) for end in (np.min, np.max))

    def frame(self) -> "Frame":
        """The frame itself."""
        return self

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the solver's quantities that formulas may use, such as the Mach number."""
        return tuple(self._native.quantities)

    @cached_property
    def levels(self) -> tuple[Level, ...]:  # type: ignore[override]
        return tuple(Level(self, number + 1) for number in range(self._native.num_levels))

    def to_pyvista(self, *, hide_covered: bool = True) -> Any:
        """The frame for PyVista (`pip install amrclaw[pyvista]`): a block for each level, in it one for each patch, or the mesh from a file.

        Cells beneath finer patches are hidden, unless `hide_covered` is false.
        """
        from ._pyvista import multi_block

        return multi_block(self, hide_covered)

    def _native_boxes(self, level: int) -> Any:
        return self._native.boxes(level)

    def _repr_html_(self) -> str:
        return frame_html(self)

    def _native_patches(self, level: int) -> Any:
        return self._native.patches(level)

    def write(self, dir: PathLike, format: str = "vtkhdf", number: Optional[int] = None) -> list[str]:
        """Writes the frame in one of the formats of `output.format`; returns the files."""
        files = self._native.write(os.fspath(dir), format, self.number if number is None else number)
        return [os.fspath(file) for file in files]

    def __repr__(self) -> str:
        return f"<Frame {self.number} at t = {self.time:g}: {', '.join(self.fields)} on {len(self.levels)} levels>"
