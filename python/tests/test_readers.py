"""Opens our frames with the readers of VTK, yt and PyClaw, and compares boxes and values with those written.

The frames and the formulas for their values are those of `amrclaw/tests/output_formats.rs`. Values are recomputed here
from the cells' centres, so that they agree to round-off only: a few ulp of numbers up to 30.
"""

import json

import numpy as np
import pytest

RTOL, ATOL = 1e-13, 1e-13
DIMENSIONS = [1, 2, 3]
LOWER = np.array([-1.0, 0.5, 2.0])
UPPER = np.array([0.3, 1.13, 2.4])
CELLS = np.array([13, 9, 5])
RATIOS = [1, 2, 4]
# Per level: first cell and one past the last, in the cells of the next coarser level.
COARSE_BOXES = [
    [([0, 0, 0], [6, 9, 5]), ([6, 0, 0], [13, 9, 5])],
    [([3, 2, 1], [8, 5, 3]), ([8, 2, 1], [10, 4, 2])],
    [([8, 5, 3], [13, 8, 5])],
]
FIELDS = ["pressure", "u.x / c", "depth"]


class Patch:
    """One patch as it was written: level (from 0), first cell, cells, and what follows from them."""

    def __init__(self, level, lo, hi, dim):
        self.level, self.dim = level, dim
        self.lo, self.size = np.array(lo[:dim]), np.array(hi[:dim]) - lo[:dim]
        self.dx = (UPPER - LOWER)[:dim] / CELLS[:dim] / np.prod(RATIOS[: level + 1])
        self.lower = LOWER[:dim] + self.lo * self.dx

    def values(self, frame):
        """The fields, each with shape (nx, ny, nz) cut to the dimension."""
        centres = [self.lower[d] + (np.arange(self.size[d]) + 0.5) * self.dx[d] for d in range(self.dim)]
        x, y, z = np.meshgrid(*centres, *[[0.0]] * (3 - self.dim), indexing="ij")
        shift = self.level + 1 + 10 * frame
        fields = [shift + np.sin(3 * x) + y * y - z, -shift * x + 5 * y + 7 * z, x - 2 * y + z / 3]
        return dict(zip(FIELDS, (f.reshape(self.size) for f in fields)))

    def covered(self, patches):
        """True for the cells under a patch of the next finer level."""
        covered = np.zeros(self.size, dtype=bool)
        for fine in (p for p in patches if p.level == self.level + 1):
            ratio = RATIOS[fine.level]
            lo = np.clip(fine.lo // ratio - self.lo, 0, self.size)
            hi = np.clip((fine.lo + fine.size) // ratio - self.lo, 0, self.size)
            covered[tuple(slice(a, b) for a, b in zip(lo, hi))] = True
        return covered


def written_patches(dim):
    return [
        Patch(level, np.array(lo) * RATIOS[level], np.array(hi) * RATIOS[level], dim)
        for level, boxes in enumerate(COARSE_BOXES)
        for lo, hi in boxes
    ]


def time_of(frame):
    return 0.1 * (frame + 1)


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("frame", [0, 1])
def test_vtk_reads_vtkhdf(frames, dim, frame):
    """VTK's own reader returns every patch at its position, and hides exactly the cells under finer ones."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(frames / f"{dim}d" / "vtkhdf" / f"frame_{frame:04}.vtkhdf"))
    reader.Update()
    amr = reader.GetOutputDataObject(0)
    patches = written_patches(dim)
    found = [
        (level, amr.GetDataSetAsImageData(level, i))
        for level in range(amr.GetNumberOfLevels())
        for i in range(amr.GetNumberOfBlocks(level))
    ]
    assert len(found) == len(patches)
    for (level, grid), patch in zip(found, patches):
        assert level == patch.level
        assert_close(grid.GetOrigin()[:dim], patch.lower)
        assert_close(grid.GetSpacing()[:dim], patch.dx)
        # Along missing axes there are two layers of cells, between the same planes on all levels.
        assert grid.GetDimensions() == tuple(patch.size + 1) + (3,) * (3 - dim)
        for d in range(dim, 3):
            assert_close([grid.GetOrigin()[d], grid.GetSpacing()[d]], [found[0][1].GetOrigin()[d], -grid.GetOrigin()[d]])
        cells = grid.GetCellData()
        names = {"pressure": "pressure", "u.x / c": "u_x _ c", "depth": "depth"}
        layers = [cells.GetArray(name) for name in names.values()] + [cells.GetArray("vtkGhostType")]
        # In VTK's arrays x is fastest; the layers along missing axes come last and have equal values.
        layers = [vtk_to_numpy(a).reshape((-1, *patch.size[::-1])) for a in layers]
        for layer in range(2 ** (3 - dim)):
            *fields, ghost = [a[layer].transpose() for a in layers]
            for values, expected in zip(fields, patch.values(frame).values()):
                assert_close(values, expected)
            np.testing.assert_array_equal(ghost, np.where(patch.covered(patches), 8, 0))


def test_vtk_reads_mapped_cells(frames):
    """VTK's own reader returns the finest cells at each place as quadrangles between their mapped corners, with their values."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(frames / "mapped" / "frame_0000.vtkhdf"))
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    points = vtk_to_numpy(grid.GetPoints().GetData())
    corners, values = [], []
    patches = written_patches(2)
    for patch in patches:
        nodes = [patch.lower[d] + np.arange(patch.size[d] + 1) * patch.dx[d] for d in range(2)]
        x, y = np.meshgrid(*nodes, indexing="ij")
        x, y = x + 0.3 * y**2, y - 0.2 * x
        around = [(slice(None, -1), slice(None, -1)), (slice(1, None), slice(None, -1))]
        around += [(slice(1, None), slice(1, None)), (slice(None, -1), slice(1, None))]
        cells = np.stack([np.stack([x[part], y[part]], axis=-1) for part in around], axis=-2)
        seen = ~patch.covered(patches).ravel(order="F")
        # x fastest, as the file has them.
        corners.append(cells.transpose(1, 0, 2, 3).reshape(-1, 4, 2)[seen])
        values.append(patch.values(0)["pressure"].ravel(order="F")[seen])
    corners, values = np.concatenate(corners), np.concatenate(values)
    assert grid.GetNumberOfCells() == len(values)
    found = [[points[grid.GetCell(k).GetPointId(n)][:2] for n in range(4)] for k in range(len(values))]
    np.testing.assert_allclose(found, corners, rtol=1e-13, atol=1e-13)
    assert_close(vtk_to_numpy(grid.GetCellData().GetArray("pressure")), values)


def test_vtk_reads_mapped_cells_in_space(frames):
    """VTK's own reader returns the finest cells at each place as hexahedra between their mapped corners, with their values."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(str(frames / "mapped_in_space" / "frame_0000.vtkhdf"))
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    points = vtk_to_numpy(grid.GetPoints().GetData())
    around = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    corners, values = [], []
    patches = written_patches(3)
    for patch in patches:
        nodes = [patch.lower[d] + np.arange(patch.size[d] + 1) * patch.dx[d] for d in range(3)]
        x, y, z = np.meshgrid(*nodes, indexing="ij")
        position = np.stack([x + 0.3 * y**2, y - 0.2 * x, z + 0.1 * x * y], axis=-1)
        part = [tuple(slice(a, n + a) for a, n in zip(corner, patch.size)) for corner in around]
        cells = np.stack([position[p] for p in part], axis=-2)
        seen = ~patch.covered(patches).ravel(order="F")
        # x fastest, as the file has them.
        corners.append(cells.transpose(2, 1, 0, 3, 4).reshape(-1, 8, 3)[seen])
        values.append(patch.values(0)["pressure"].ravel(order="F")[seen])
    corners, values = np.concatenate(corners), np.concatenate(values)
    assert grid.GetNumberOfCells() == len(values)
    found = [[points[grid.GetCell(k).GetPointId(n)] for n in range(8)] for k in range(len(values))]
    np.testing.assert_allclose(found, corners, rtol=1e-13, atol=1e-13)
    assert_close(vtk_to_numpy(grid.GetCellData().GetArray("pressure")), values)


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_series_lists_frames_with_times(frames, dim):
    """ParaView's series file lists each frame with its time, and the files exist."""
    folder = frames / f"{dim}d" / "vtkhdf"
    series = json.loads((folder / "frames.vtkhdf.series").read_text())
    assert series["file-series-version"] == "1.0"
    assert [entry["time"] for entry in series["files"]] == [time_of(0), time_of(1)]
    assert all((folder / entry["name"]).is_file() for entry in series["files"])


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("frame", [0, 1])
def test_yt_reads_plotfiles(frames, dim, frame):
    """yt finds every patch and value, and takes each point of the domain from the finest level there."""
    import yt

    yt.set_log_level("error")
    ds = yt.load(str(frames / f"{dim}d" / "plotfile" / f"plt{frame:05}"))
    assert_close(float(ds.current_time), time_of(frame))
    assert_close(ds.domain_left_edge.d[:dim], LOWER[:dim])
    assert_close(ds.domain_right_edge.d[:dim], UPPER[:dim])
    np.testing.assert_array_equal(ds.domain_dimensions[:dim], CELLS[:dim])
    patches = written_patches(dim)
    assert len(ds.index.grids) == len(patches)
    for grid, patch in zip(ds.index.grids, patches):
        assert grid.Level == patch.level
        assert_close(grid.LeftEdge.d[:dim], patch.lower)
        np.testing.assert_array_equal(grid.ActiveDimensions[:dim], patch.size)
        for name, expected in patch.values(frame).items():
            assert_close(grid["boxlib", name.replace(" ", "_")].d.reshape(patch.size), expected)
    integral = sum(
        np.prod(patch.dx) * patch.values(frame)["pressure"][~patch.covered(patches)].sum() for patch in patches
    )
    everything = ds.all_data()
    volume = everything["index", "cell_volume"].d
    assert_close(volume.sum(), np.prod((UPPER - LOWER)[:dim]))
    assert_close((volume * everything["boxlib", "pressure"].d).sum(), integral)


@pytest.mark.parametrize("dim", [2, 3])
def test_vtk_reads_plotfiles(frames, dim):
    """The reader behind ParaView's "AMReX/BoxLib Grid" opens the same files. It has no 1D."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOAMR import vtkAMReXGridReader

    reader = vtkAMReXGridReader()
    reader.SetFileName(str(frames / f"{dim}d" / "plotfile" / "plt00001"))
    reader.UpdateInformation()
    reader.SetMaxLevel(2)
    for name in FIELDS:
        reader.SetCellArrayStatus(name.replace(" ", "_"), 1)
    reader.Update()
    amr = reader.GetOutputDataObject(0)
    patches = written_patches(dim)
    found = [
        amr.GetDataSetAsImageData(level, i)
        for level in range(amr.GetNumberOfLevels())
        for i in range(amr.GetNumberOfBlocks(level))
    ]
    assert len(found) == len(patches)
    for grid, patch in zip(found, patches):
        assert_close(grid.GetOrigin()[:dim], patch.lower)
        for name, expected in patch.values(1).items():
            values = vtk_to_numpy(grid.GetCellData().GetArray(name.replace(" ", "_")))
            assert_close(values.reshape(patch.size[::-1]).transpose(), expected)


@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("frame", [0, 1])
@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_pyclaw_reads_clawpack_files(frames, pyclaw, dim, frame, encoding):
    """PyClaw's readers return every patch with q and aux."""
    solution = read_with_pyclaw(pyclaw, frames / f"{dim}d" / f"clawpack-{encoding}", frame, encoding, read_aux=True)
    check_solution(solution, dim, frame, has_aux=True)


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_pyclaw_reads_binary_files_without_aux(frames, pyclaw, dim):
    """Without auxiliary values the binary files have no ghost cells."""
    folder = frames / f"{dim}d" / "clawpack-binary-no-aux"
    solution = read_with_pyclaw(pyclaw, folder, 0, "binary", read_aux=False)
    check_solution(solution, dim, 0, has_aux=False)


def read_with_pyclaw(pyclaw, folder, frame, encoding, read_aux):
    stated = pyclaw.fileio.ascii.read_t(frame, str(folder))[6]
    assert stated == {"ascii": "ascii", "binary": "binary64"}[encoding]
    solution = pyclaw.Solution()
    reader = getattr(pyclaw.fileio, encoding)
    reader.read(solution, frame, path=str(folder), read_aux=read_aux, options={"format": stated})
    return solution


def check_solution(solution, dim, frame, has_aux):
    patches = written_patches(dim)
    assert len(solution.states) == len(patches)
    for number, (state, patch) in enumerate(zip(solution.states, patches), start=1):
        assert state.t == time_of(frame)
        assert state.patch.patch_index == number
        assert state.patch.level == patch.level + 1
        np.testing.assert_array_equal(state.patch.num_cells_global, patch.size)
        assert_close(state.patch.lower_global, patch.lower)
        assert_close(state.patch.delta, patch.dx)
        *q, aux = patch.values(frame).values()
        assert_close(state.q, q)
        if has_aux:
            assert_close(state.aux, [aux])


@pytest.mark.parametrize("dim", [2, 3])
def test_ascii_files_suit_visit(frames, dim):
    """VisIt computes the positions of values in the file: the header's labels, lengths of lines and separators of two blanks must be exact.

    VisIt has no Python package to test with; this follows the arithmetic of its reader, avtClawFileFormat.
    """
    folder = frames / f"{dim}d" / "clawpack-ascii"
    assert "TIME_FILES_SCANF=fort.t%04d\n" in (folder / "fort.claw").read_text()
    text = (folder / "fort.q0001").read_text()
    position = 0
    last_label = {2: "dy\n\n", 3: "dz\n\n"}[dim]
    for number, patch in enumerate(written_patches(dim), start=1):
        header_end = text.index(last_label, position) + len(last_label)
        labels = [line.split()[1] for line in text[position:header_end].splitlines() if line.strip()]
        axes = "xyz"[:dim]
        expected = ["grid_number", "AMR_level", *(f"m{a}" for a in axes), *(f"{a}low" for a in axes)]
        assert labels == [*expected, *(f"d{a}" for a in axes)]
        assert int(text[position:].split()[0]) == number
        line = text.index("\n", header_end) + 1 - header_end
        row = patch.size[0] * line + 3
        size = patch.size[1] * row if dim == 2 else patch.size[2] * (patch.size[1] * row + 3)
        expected = patch.values(1)["u.x / c"].ravel(order="F")
        starts = header_end + np.arange(len(expected)) * line
        cells = np.arange(len(expected))
        starts += 3 * (cells // patch.size[0])
        if dim == 3:
            starts += 3 * (cells // (patch.size[0] * patch.size[1]))
        # The numbers of a column, including the sign, start at the same offset in each line.
        found = [float(text[start + 29 : start + line]) for start in starts]
        assert all(text[start + 28] == " " and text[start + 29] in "-0" for start in starts)
        assert_close(found, expected)
        position = header_end + size
    assert position == len(text)
