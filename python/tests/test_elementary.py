"""Errors of the elementary functions against mpmath are within their bounds, at the points that `riemann/tests/elementary` writes:
random ones over all their ranges and around every place where a formula changes, in double and in single precision."""

import os
from pathlib import Path

import pytest
from elementary_reference import BOUNDS, largest_errors

FOLDER = os.environ.get("ELEMENTARY_SAMPLES_DIR")


@pytest.mark.skipif(FOLDER is None, reason="ELEMENTARY_SAMPLES_DIR does not say where the samples are: run cargo xtask python")
@pytest.mark.parametrize("name", BOUNDS)
def test_errors_are_within_their_bounds(name):
    for largest, point in largest_errors(Path(FOLDER) / f"{name}.bin"):
        assert largest <= BOUNDS[name], f"{name}: {largest} units of the last place at {point}"
