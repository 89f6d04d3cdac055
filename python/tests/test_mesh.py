"""Meshes of cells of any shape, written from arrays and read from frames."""

import amrclaw
import matplotlib
import numpy as np
import pytest
from amrclaw import plot

matplotlib.use("Agg")


@pytest.mark.parametrize("axes", [2, 3])
def test_a_mesh_of_arrays_is_that_of_its_frames(axes, tmp_path):
    """A mesh is written for a case, whose frames have its cells and points again, of several shapes, in orders of their own: each cell with the same
    points, its volume and its value. What cannot be a mesh is refused."""
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]]
    if axes == 2:
        points, cells = square, [[0, 1, 2], [0, 2, 3], [1, 4, 5, 2]]
        walls, volumes = [[0, 1], [1, 4], [4, 5], [5, 2], [2, 3]], [0.5, 0.5, 1.0]
    else:
        points = [[*point, height] for height in (0, 1) for point in square]
        cells = [[0, 1, 2, 6, 7, 8], [0, 2, 3, 6, 8, 9], [1, 4, 5, 2, 7, 10, 11, 8]]
        ends = [[0, 1, 2], [0, 2, 3], [1, 4, 5, 2]]
        walls = [[0, 1, 7, 6], [1, 4, 10, 7], [4, 5, 11, 10], [5, 2, 8, 11], [2, 3, 9, 8]]
        walls, volumes = [*walls, *ends, *([i + 6 for i in end] for end in ends)], [0.5, 0.5, 1.0]
    left = [[3, 0]] if axes == 2 else [[3, 0, 6, 9]]
    mesh = amrclaw.Mesh(np.array(points), cells, {"walls": walls, "left": left})
    mesh.write(tmp_path / "cells.msh")
    case = {
        "solver": {"name": "acoustics", "density": 1, "bulk": 1},
        "mesh": {"file": str(tmp_path / "cells.msh"), "boundary": {"walls": "wall", "left": "extrapolate"}},
        "initial": {"pressure": "1 + x", **{name: "0" for name in "uvw"[:axes]}},
        "scheme": {"order": 1},
        "time": {"end": 0.01},
        "output": {"png": False, "times": [0]},
    }
    run = amrclaw.run(case, output=tmp_path / "out", progress=False)
    frame = run.frames[0]
    positions = np.array(points, dtype=float)

    def corners(all_points, row):
        return frozenset(map(tuple, all_points[row]))

    found = {corners(frame.mesh.points, row): i for i, row in enumerate(frame.mesh.cells)}
    places = [found[corners(positions, row)] for row in cells]
    assert frame.mesh.dimension == axes
    assert set(map(tuple, frame.mesh.points)) == set(map(tuple, positions))
    (patch,) = frame.patches()
    np.testing.assert_allclose(patch.volumes.ravel()[places], volumes, rtol=1e-15)
    centres = [np.mean([points[i][0] for i in row]) for row in cells]
    np.testing.assert_allclose(patch["pressure"].ravel()[places], np.add(centres, 1), rtol=1e-14)
    assert frame.total("pressure") == pytest.approx(1 * 2 + 0.5 * (1 / 3 + 2 / 3) + 1.5)
    # What needs rows of cells is refused; where there are outlines, points are found, also on the sides of the domain.
    for rows in (lambda: patch.edges(0), lambda: frame.to_uniform(), lambda: frame.slice("x", 0.5), lambda: frame.positions([[0.0] * axes])):
        with pytest.raises(amrclaw.InputError, match="are in no rows"):
            rows()
    assert (frame.lower, frame.upper) == ((0.0,) * axes, (2.0, 1.0, 1.0)[:axes])
    check_samples(frame, np.array([(0.6, 0.3, 0.5), (0.3, 0.6, 0.2), (2.0, 0.5, 0.9)])[:, :axes], places)
    if axes == 2:
        drawn = plot.pcolor(frame, "pressure").collections[0]
        np.testing.assert_array_equal(np.sort(drawn.get_array()), np.sort(patch["pressure"].ravel()))
        assert {tuple(corner) for path in drawn.get_paths() for corner in path.vertices} == set(map(tuple, positions))
    for wrong in (lambda: amrclaw.Mesh(points, [[0, 1]]), lambda: amrclaw.Mesh(points, [[0, 1, 2, 99]])):
        with pytest.raises(amrclaw.InputError, match="cells: row 0"):
            wrong()



def test_boundary_functions_at_sides_of_a_mesh(tmp_path):
    """A function at a side of a mesh is told the side's name and gets all its faces at once, in their frames: one that mirrors velocities is the wall, to the bit."""
    points = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]]
    walls = [[0, 1], [1, 4], [4, 5], [5, 2], [2, 3]]
    amrclaw.Mesh(np.array(points), [[0, 1, 2], [0, 2, 3], [1, 4, 5, 2]], {"walls": walls, "left": [[3, 0]]}).write(tmp_path / "cells.msh")
    case = {
        "solver": {"name": "acoustics", "density": 1, "bulk": 1},
        "mesh": {"file": str(tmp_path / "cells.msh"), "boundary": {"walls": "wall", "left": "extrapolate"}},
        "initial": {"pressure": "1 + x", "u": "0.3 + y", "v": "0.1 - x"},
        "time": {"end": 0.2, "dt": 0.02},
    }
    seen = []

    def mirror(cells):
        seen.append((cells.side, cells.x.shape, cells.y.shape, cells.q.shape))
        return [cells["pressure"], -cells["u"], cells["v"]]

    wall, own = amrclaw.Simulation(case), amrclaw.Simulation(case, boundary={"walls": mirror})
    wall.advance_to(0.2)
    own.advance_to(0.2)
    assert wall.steps == own.steps
    for name in ("pressure", "u", "v"):
        np.testing.assert_array_equal(*(sim.patches()[0][name] for sim in (wall, own)))
    assert set(seen) == {("walls", (5,), (5,), (3, 5))}
    with pytest.raises(amrclaw.InputError, match="no side 'x_upper'; sides are walls, left"):
        amrclaw.Simulation(case, boundary={"x_upper": mirror})
    with pytest.raises(amrclaw.InputError, match="there is no axis 'x'; there are none"):
        amrclaw.Simulation(case, boundary={"walls": lambda cells: cells.edges("x")}).step()


def check_samples(frame, points, places):
    """Values are those of the cells that hold points, on the sides of the domain too. Linear data are exact by gradients, to the 1e-8 that stands for
    neighbours across cells in a row."""
    (patch,) = frame.patches()
    np.testing.assert_allclose(patch["pressure"].ravel(), 1 + patch.x, rtol=1e-14)
    nearest = frame.sample(points, "pressure", method="nearest")
    np.testing.assert_array_equal(nearest, patch["pressure"].ravel()[places])
    np.testing.assert_allclose(frame.sample(points)[0], 1 + points[:, 0], rtol=1e-6)
    slopes = frame.derive("dx(pressure)", "dy(pressure)").sample(points)
    np.testing.assert_allclose(slopes, [[1] * 3, [0] * 3], atol=1e-6)
    outside = [points[0], points[0] + 2]
    with pytest.raises(amrclaw.InputError, match="1 of 2 points lie in no cell of the mesh"):
        frame.sample(outside)
    assert np.isnan(frame.sample(outside, outside="nan")[:, 1]).all()
