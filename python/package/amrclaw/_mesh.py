"""Meshes of cells of any shape."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from ._errors import InputError

# Gmsh's numbers of shapes, by dimension and number of nodes.
SHAPES = {2: {3: 2, 4: 3}, 3: {4: 4, 5: 7, 6: 6, 8: 5}}
SIDES = {2: {2: 1}, 3: {3: 2, 4: 3}}

Rows = Union[np.ndarray, Sequence[Sequence[int]]]


class Mesh:
    """Cells of any shape between points, and the names of the boundary.

    `points` has one row per point, of two or three coordinates. `cells` has one row per cell: its points, counted from 0, in VTK's
    order; their number tells the shape, so that rows may have different lengths. `boundaries` has for each name the faces that
    it is of, likewise: two points in the plane, three or four in space.
    """

    def __init__(self, points: Any, cells: Rows, boundaries: Mapping[str, Rows] | None = None):
        self.points = np.asarray(points, dtype=float)
        if self.points.ndim != 2 or self.points.shape[1] not in SHAPES:
            raise InputError(f"points: must have two or three columns, but have the shape {self.points.shape}")
        self.cells = self._rows("cells", cells, SHAPES[self.dimension])
        """The points of each cell."""
        named = (boundaries or {}).items()
        self.boundaries = {name: self._rows(f"boundaries[{name!r}]", rows, SIDES[self.dimension]) for name, rows in named}
        """For each name the points of each face."""
        for name in self.boundaries:
            if not name or '"' in name or not name.isprintable():
                raise InputError(f"boundaries: {name!r} cannot be a name")

    @staticmethod
    def of_one_list(points: np.ndarray, nodes: np.ndarray, starts: np.ndarray) -> Mesh:
        """A mesh of the points of all cells, and where those of each begin and end."""
        lengths = np.diff(starts)
        same = bool((lengths == lengths[0]).all())
        cells: Any = nodes.reshape(-1, lengths[0]) if same else np.split(nodes, starts[1:-1])
        return Mesh(points, cells)

    @property
    def dimension(self) -> int:
        """Number of space dimensions."""
        return int(self.points.shape[1])

    def outlines(self) -> list[np.ndarray]:
        """Of each cell in the plane its corners, once around."""
        if self.dimension != 2:
            raise InputError(f"a mesh in {self.dimension}D: cells have outlines in the plane only; see to_pyvista")
        return [self.points[row] for row in self.cells]

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file in Gmsh's format, for `mesh.file`; what is wrong with the mesh itself is told when a case reads it."""
        dimension = self.dimension
        names = {name: number for number, name in enumerate(self.boundaries, 1)}
        sides = [(SIDES, number, row) for name, number in names.items() for row in self.boundaries[name]]
        elements = [*sides, *((SHAPES, 0, row) for row in self.cells)]
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names) + 1}\n")
            file.writelines(f'{dimension - 1} {number} "{name}"\n' for name, number in names.items())
            file.write(f'{dimension} {len(names) + 1} "cells"\n$EndPhysicalNames\n$Nodes\n{len(self.points)}\n')
            for number, point in enumerate(self.points.tolist(), 1):
                file.write(f"{number} {' '.join(map(repr, (*point, 0.0)[:3]))}\n")
            file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
            for number, (shapes, name, row) in enumerate(elements, 1):
                tag = name or len(names) + 1
                file.write(f"{number} {shapes[dimension][len(row)]} 2 {tag} {tag} {' '.join(str(i + 1) for i in row)}\n")
            file.write("$EndElements\n")

    def _rows(self, what: str, rows: Iterable[Any], shapes: Mapping[int, int]) -> Rows:
        array = rows if isinstance(rows, np.ndarray) else None
        listed = [np.asarray(row) for row in rows]
        for number, row in enumerate(listed):
            if row.ndim != 1 or len(row) not in shapes or row.dtype.kind not in "iu":
                lengths = ", ".join(map(str, shapes))
                raise InputError(f"{what}: row {number} must be {lengths} whole numbers in {self.dimension}D, but is {row}")
            if row.min() < 0 or row.max() >= len(self.points):
                raise InputError(f"{what}: row {number} must lie between 0 and {len(self.points) - 1}, but is {row}")
        return array if array is not None else [row.tolist() for row in listed]

    def __repr__(self) -> str:
        return f"<Mesh of {len(self.cells)} cells, {len(self.points)} points: {', '.join(self.boundaries) or 'no names'}>"
