"""Where the cells of a level lie: the solver's formula, with the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

Axis = tuple[float, float, float, float, int]
"""Cells along an axis: the domain's lower and upper side, the number of cells between them, their size; the index of the first cell.
A point is a domain without extent."""


def centres(axis: Axis, count: int) -> np.ndarray:
    """Coordinates of the centres of `count` cells."""
    lower, upper, cells, _, first = axis
    return _position(lower, upper, cells, 2 * (first + np.arange(count)) + 1)


def edges(axis: Axis, count: int) -> np.ndarray:
    """Coordinates of the sides of `count` cells, one more than cells."""
    lower, upper, cells, dx, first = axis
    if lower == upper:
        return lower + (np.arange(count + 1) - 0.5) * dx
    return _position(lower, upper, cells, 2 * (first + np.arange(count + 1)))


def demand(axis: int, dim: int) -> int:
    """The axis, if a mesh in so many dimensions has it."""
    if axis < dim:
        return axis
    axes = " and ".join(f"`{name}`" for name in "xyz"[:dim])
    raise AttributeError(f"a patch in {dim}D has no `{'xyz'[axis]}`: write {axes}")


def _position(lower: float, upper: float, cells: float, halves: Any) -> np.ndarray:
    """The sides' weighted mean: `halves` half cells above the lower one."""
    both = 2 * cells
    mean = (lower * (both - halves) + upper * halves) / both
    return np.where(halves == 0, lower, np.where(halves == both, upper, mean))
