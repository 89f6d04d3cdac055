"""Frames as PyVista's data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._frame import Frame, Patch

try:
    import pyvista
except ImportError as error:
    raise ImportError("this needs PyVista: pip install pyvista") from error

_SHAPES = {4: 10, 5: 14, 6: 13, 8: 12}
"""VTK's numbers of shapes in space, by the number of points."""
_POLYGON = 7
_HIDDEN_CELL = 32
"""VTK's mark for cells that are not drawn: `vtkDataSetAttributes::HIDDENCELL`."""


def multi_block(frame: Frame, hide_covered: bool) -> Any:
    """See `Frame.to_pyvista`."""
    if frame.on_mesh:
        return pyvista.MultiBlock({"level 1": _cells(frame)})
    whole = pyvista.MultiBlock()
    for level in frame.levels:
        patches = pyvista.MultiBlock()
        for patch in level.patches:
            patches.append(_grid(frame, patch, hide_covered))
        whole.append(patches, f"level {level.number}")
    return whole


def _cells(frame: Frame) -> Any:
    """The cells of a mesh from a file."""
    mesh, (patch,) = frame.mesh, frame.patches()
    assert mesh is not None
    shapes = [_SHAPES[len(row)] if mesh.dimension == 3 else _POLYGON for row in mesh.cells]
    rows = np.concatenate([[len(row), *row] for row in mesh.cells])
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.dimension] = mesh.points
    grid = pyvista.UnstructuredGrid(rows, shapes, points)
    for name in frame.fields:
        grid.cell_data[name] = np.ravel(patch[name])
    return grid


def _grid(frame: Frame, patch: Patch, hide_covered: bool) -> Any:
    """One patch; axes that the frame does not have are one point wide."""
    missing = 3 - frame.dimension
    if frame.mapped:
        shape = (*(n + 1 for n in patch.shape), *(1,) * missing)
        corners = np.moveaxis(patch.corners(), -1, 0).reshape(frame.dimension, *shape)
        grid = pyvista.StructuredGrid(*corners, *(np.zeros(shape),) * missing)
    else:
        grid = pyvista.ImageData(
            dimensions=(*(n + 1 for n in patch.shape), *(1,) * missing),
            spacing=(*patch.dx, *(1.0,) * missing),
            origin=(*patch.lower, *(0.0,) * missing),
        )
    for name in frame.fields:
        # VTK's cells run with x fastest.
        grid.cell_data[name] = np.ravel(patch[name], order="F")
    if hide_covered and patch.covered.any():
        grid.cell_data["vtkGhostType"] = np.where(np.ravel(patch.covered, order="F"), _HIDDEN_CELL, 0).astype(np.uint8)
    return grid
