"""Simulations controlled from Python: views of values, functions in Python, errors."""

import gc

import amrclaw
import numpy as np
import pytest

PULSE = {
    "solver": {"name": "acoustics", "density": 1.0, "bulk": 4.0},
    "mesh": {"lower": [-1.0, 0.0], "upper": [1.0, 1.5], "cells": [31, 23], "boundary": {"x": "wall", "y": "periodic"}},
    "levels": {"max": 2, "ratio": [2]},
    "regrid": {"interval": 2, "max_patch_size": 16, "flag": {"criterion": "difference", "tolerance": 0.05}},
    "time": {"end": 0.2, "dt_initial": 1e-3},
    "initial": {"pressure": "exp(-40 * (x^2 + (y - 0.6)^2))", "u": 0, "v": 0},
    "output": {"format": []},
}


def test_steps_and_times():
    """Steps advance the time; `advance_to` reaches its time exactly; the end is that of the case."""
    sim = amrclaw.Simulation(PULSE, threads=2)
    assert sim.time == 0.0 and sim.end == 0.2 and sim.threads == 2
    assert sim.step() == sim.time == 1e-3
    sim.advance_to(0.05)
    assert sim.time == 0.05
    sim.step(limit=0.0500001)
    assert sim.time == 0.0500001
    assert sim.steps[0] > 3 and sim.steps[1] > sim.steps[0]
    assert 0 < sim.courant_max <= 1.0 and sum(sim.cells_advanced) > 31 * 23


def test_arrays_are_views_of_the_solvers_memory():
    """Two requests between steps give the same memory, equal to a snapshot; strides include ghost cells; arrays are read-only."""
    sim = amrclaw.Simulation(PULSE)
    sim.advance_to(0.05)
    patches, again = sim.patches(2), sim._native_patches(2)
    assert len(patches) > 1
    for patch, other, snapshot in zip(patches, again, sim.frame().patches(2)):
        assert patch.q.ctypes.data == other[2].ctypes.data
        assert patch.q.strides[2] > patch.q.shape[1] * 8
        assert (patch.lo, patch.hi) == (snapshot.lo, snapshot.hi)
        np.testing.assert_array_equal(patch.q, snapshot.q)
        with pytest.raises(ValueError, match="read-only"):
            patch.q[0, 0, 0] = 1.0
        with pytest.raises(ValueError):
            patch.q.setflags(write=True)


def test_arrays_of_auxiliary_values_are_not_written():
    """Values that change with time are renewed beside an array that shows the former ones."""
    aux = {"impedance": "1 + 0.5 * sin(10 * t)", "sound_speed": "1"}
    case = {**PULSE, "solver": {"name": "acoustics_variable"}, "aux": aux}
    sim = amrclaw.Simulation(case)
    sim.step()
    array = sim.patches()[0].aux
    before = array.copy()
    renewed = sim.frame().patches(1)[0].aux
    sim.totals()
    np.testing.assert_array_equal(array, before)
    assert not np.array_equal(array, renewed)


def test_arrays_outlive_steps_and_the_simulation():
    """An array keeps its values, whatever happens to the simulation, whose results do not depend on arrays being kept."""
    watched, alone = amrclaw.Simulation(PULSE), amrclaw.Simulation(PULSE)
    kept, copies = [], []
    for _ in range(25):
        watched.step()
        alone.step()
        for patch in watched.patches():
            kept.append(patch.q)
            copies.append(patch.q.copy())
    for a, b in zip(watched.frame().patches(), alone.frame().patches(), strict=True):
        np.testing.assert_array_equal(a.q, b.q)
    del watched, patch
    gc.collect()
    assert all((a == b).all() for a, b in zip(kept, copies))
    assert any((a != b).any() for a, b in zip(kept, kept[1:]) if a.shape == b.shape)


def test_nothing_is_copied_for_arrays_that_are_let_go():
    """The solver reuses its arrays unless a Python array of one is kept; the memory of a kept array is never reused."""
    sim = amrclaw.Simulation(PULSE, set={"levels.max": 1})
    addresses = []
    for _ in range(8):
        sim.step()
        addresses.append(sim.patches(1)[0].q.ctypes.data)
    assert len(set(addresses)) <= 3
    kept = sim.patches(1)[0].q
    for _ in range(8):
        sim.step()
        assert sim.patches(1)[0].q.ctypes.data != kept.ctypes.data


def test_levels_and_patches_know_their_time():
    """A patch of an earlier time keeps its mask of cells covered then; a level of an earlier time whose patches were never read is an error."""
    sim = amrclaw.Simulation(PULSE)
    sim.advance_to(0.02)
    patches, level, frame = sim.patches(1), sim.levels[1], sim.frame()
    sim.advance_to(0.15)
    assert any((p.covered != q.covered).any() for p, q in zip(patches, sim.patches(1)))
    for old, then in zip(patches, frame.patches(1)):
        np.testing.assert_array_equal(old.covered, then.covered)
    with pytest.raises(RuntimeError, match="ask it for its levels anew"):
        level.patches


def test_single_precision():
    """Arrays have the precision of the run."""
    sim = amrclaw.Simulation(PULSE, precision="f32")
    sim.step()
    assert sim.patches(1)[0].q.dtype == np.float32


def test_initial_data_from_a_function():
    """A function of arrays gives the same initial data as the formula in the case, up to the rounding of `exp`."""
    by_formula = amrclaw.Simulation(PULSE).frame()

    def initial(x, y):
        assert x.shape == y.shape and x.ndim == 2
        return np.exp(-40 * (x**2 + (y - 0.6) ** 2)), 0.0, 0.0

    by_function = amrclaw.Simulation(PULSE, initial=initial).frame()
    by_name = amrclaw.Simulation(PULSE, initial=lambda x, y: dict(v=0, u=0, pressure=initial(x, y)[0])).frame()
    for a, b, c in zip(by_formula.patches(), by_function.patches(), by_name.patches(), strict=True):
        np.testing.assert_allclose(b.q, a.q, rtol=1e-13, atol=1e-15)
        np.testing.assert_array_equal(c.q, b.q)


def test_positions_are_the_solvers():
    """Coordinates of boxes and of patches, centres and sides, are those that formulas get, to the bit."""
    names = {"pressure": "x + x_lower", "u": "y", "v": "y_upper"}
    case = {**PULSE, "regrid": {**PULSE["regrid"], "region": [{"levels": [2, 2], "lower": [-0.5, 0.2], "upper": [0.7, 0.9]}]}}
    by_formula = amrclaw.Simulation({**case, "initial": names}).frame()

    def initial(x, y, cells):
        return x + cells.lower("x"), y, cells.upper("y")

    by_function = amrclaw.Simulation(case, initial=initial).frame()
    for a, b in zip(by_formula.patches(2), by_function.patches(2), strict=True):
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a["pressure"], np.broadcast_to((a.x + a.edges(0)[:-1])[:, None], a.shape))
        np.testing.assert_array_equal(a["u"], np.broadcast_to(a.y, a.shape))
        np.testing.assert_array_equal(a["v"], np.broadcast_to(a.edges(1)[1:], a.shape))


def test_functions_of_position_see_their_cells():
    """A parameter `cells` has sizes and sides of cells: cell means of x computed from the sides equal the values at the centres."""
    seen = []

    def initial(x, y, cells):
        seen.append(cells.dx)
        assert cells.edges("x").shape == (x.shape[0] + 1,) and cells.lower("y").shape == x.shape
        assert cells.x is not None and cells.shape == x.shape
        return 0.5 * (cells.upper("x") ** 2 - cells.lower("x") ** 2) / cells.dx[0], cells.upper("y") - cells.lower("y"), 0

    frame = amrclaw.Simulation(PULSE, initial=initial).frame()
    finest = max(patch.level for patch in frame.patches())
    for patch in frame.patches():
        np.testing.assert_allclose(patch["pressure"], np.broadcast_to(patch.x[:, None], patch.shape), atol=1e-14)
        # Under finer cells the width is the mean of their widths.
        if patch.level == finest:
            np.testing.assert_allclose(patch["u"], patch.dx[1], rtol=1e-12)
    assert {round(dx[0], 12) for dx in seen} >= {round(2 / 31, 12)}

    def aux(x, y, t, *, cells):
        return 1.0 + 0 * cells.lower("x"), 2.0 + 0 * t

    case = {**PULSE, "solver": {"name": "acoustics_variable"}}
    sim = amrclaw.Simulation(case, aux=aux)
    assert sim.patches()[0]["sound_speed"][0, 0] == 2.0


def test_time_does_not_go_back():
    """A time in the past, infinity and NaN are refused; the present time is allowed."""
    sim = amrclaw.Simulation(PULSE)
    sim.advance_to(0.01)
    sim.advance_to(0.01)
    for time in (-1, 0.0):
        with pytest.raises(amrclaw.InputError, match="cannot go back"):
            sim.advance_to(time)
    for time in (float("inf"), float("-inf"), float("nan")):
        with pytest.raises(amrclaw.InputError, match="this time is never reached; give a finite one"):
            sim.advance_to(time)
    for limit in (0.0, sim.time, float("nan")):
        with pytest.raises(amrclaw.InputError, match="steps end later; give a later limit"):
            sim.step(limit)
    assert sim.step(sim.time + 1e-6) == pytest.approx(0.01 + 1e-6)


def test_aux_from_a_function():
    """Auxiliary values follow the cells' positions, on every level."""
    case = {**PULSE, "solver": {"name": "acoustics_variable"}, "initial": {"pressure": "exp(-40 * x^2)", "u": 0, "v": 0}}
    sim = amrclaw.Simulation(case, aux=lambda x, y: (2.0 + x, 1.0 + 0.5 * y))
    sim.step()
    for patch in sim.patches():
        np.testing.assert_allclose(patch["impedance"], np.broadcast_to(2.0 + patch.x[:, None], patch.shape), rtol=1e-13)
        np.testing.assert_allclose(patch["sound_speed"], np.broadcast_to(1.0 + 0.5 * patch.y, patch.shape), rtol=1e-13)


def test_aux_that_changes_with_time():
    """A function with a further argument gets the time: the middle of the last step; for frames the frame's time."""
    case = {**PULSE, "solver": {"name": "advection_edge"}, "initial": {"q": "x"}, "levels": {"max": 1}}
    case["mesh"] = {**PULSE["mesh"], "boundary": {"y": "periodic"}}
    sim = amrclaw.Simulation(case, aux=lambda x, y, t: (1.0 + t, 0.0))
    before = sim.step()
    after = sim.step()
    np.testing.assert_allclose(sim.patches(1)[0]["u_edge"], 1.0 + 0.5 * (before + after), rtol=1e-15)
    np.testing.assert_allclose(sim.frame().patches(1)[0]["u_edge"], 1.0 + sim.time, rtol=1e-15)
    steady = amrclaw.Simulation(case, aux=lambda x, y, scale=2.0: (scale, 0.0))
    assert (steady.patches(1)[0]["u_edge"] == 2.0).all()


def test_flags_from_a_function():
    """A function that flags the cells of the built-in criterion, from arrays with neighbours, gives the same patches after every step."""

    def flag(cells):
        wanted = np.zeros(cells.shape, dtype=bool)
        for name in cells.equations:
            for axis in "xy":
                wanted |= abs(cells.difference(name, axis)) > 0.05
        assert cells["pressure"].shape == cells.x.shape == cells.shape
        return wanted

    own, built_in = amrclaw.Simulation(PULSE, flag=flag), amrclaw.Simulation(PULSE)
    for _ in range(12):
        own.step()
        built_in.step()
    assert [(p.level, p.lo, p.hi) for p in own.patches()] == [(p.level, p.lo, p.hi) for p in built_in.patches()]
    for a, b in zip(own.patches(), built_in.patches()):
        np.testing.assert_array_equal(a.q, b.q)


def test_cells_have_neighbours_along_each_axis():
    """For the state 3x + 5y differences of neighbours are 6 dx along x and 10 dy along y, also between patches, except at the domain's sides."""
    case = {**PULSE, "initial": {"pressure": "3 * x + 5 * y", "u": 0, "v": 0}}
    case["mesh"] = {**PULSE["mesh"], "boundary": {}}
    seen = []

    def flag(cells):
        seen.append((cells.dx, cells.difference("pressure", "x"), cells.difference("pressure", "y")))
        return np.zeros(cells.shape)

    amrclaw.Simulation(case, flag=flag)
    for (dx, dy), along_x, along_y in seen:
        np.testing.assert_allclose(along_x[1:-1], 6 * dx, rtol=1e-12)
        np.testing.assert_allclose(along_y[:, 1:-1], 10 * dy, rtol=1e-12)
    assert sum(along_x.size for _, along_x, _ in seen) == 31 * 23


def test_boundary_from_a_function():
    """A function that reverses the normal velocity gives the bits of a wall; each side can have its own function."""

    def wall(cells):
        assert cells.side == ("x_lower" if cells.x[0, 0] < -1 else "x_upper")
        return {"pressure": cells["pressure"], "u": -cells["u"], "v": cells["v"]}

    for boundary in (wall, {"x_lower": wall, "x_upper": wall}):
        case = {**PULSE, "initial": {"pressure": "exp(-40 * (x + 0.8)^2 - 4 * y)", "u": 0, "v": 0}}
        built_in = amrclaw.Simulation(case)
        # A function may change with time for all that is known: without a given limit its steps would be shorter.
        own = amrclaw.Simulation(case, set={"mesh.boundary.x": "user", "time.dt_max": 1.0}, boundary=boundary)
        for sim in (built_in, own):
            sim.advance_to(0.1)
        for a, b in zip(own.patches(), built_in.patches(), strict=True):
            np.testing.assert_array_equal(a.q, b.q)


def test_one_side_of_ones_own_leaves_the_other():
    """A function given for a side by name is used there, although the case does not say so."""
    sim = amrclaw.Simulation(PULSE, boundary={"x_upper": lambda cells: cells.q * [[[1.0]], [[-1.0]], [[1.0]]]})
    assert sim.case.boundary == [["wall", "user"], ["periodic", "periodic"]]
    sim.advance_to(0.05)


@pytest.mark.parametrize("where", ["initial", "flag", "boundary"])
def test_exceptions_of_functions_come_through(where):
    """Exceptions of functions are raised, and the simulation refuses to go on from an incomplete step."""
    calls = []

    def fail(*cells):
        calls.append(None)
        if where == "initial" or cells[0].t > 0.02:
            raise LookupError("no idea")
        return cells[0].q if where == "boundary" else cells[0].x > 0

    functions = {"boundary": {"x_lower": fail}} if where == "boundary" else {where: fail}
    with pytest.raises(LookupError, match="no idea"):
        sim = amrclaw.Simulation(PULSE, **functions)
        sim.advance_to(0.1)
    if where != "initial":
        with pytest.raises(amrclaw.RunError, match="begin a new simulation"):
            sim.step()
    assert calls


def test_functions_must_return_what_is_asked():
    """Too few values, unknown names and wrong shapes are refused with a message that says what is expected."""
    for initial, message in [
        (lambda x, y: [x], r"initial must return 3 values \(pressure, u, v\), but returned 1"),
        (lambda x, y: {"p": x}, "initial must return pressure, u, v, but returned p"),
        (lambda x, y: (x[:-1], 0, 0), "broadcast"),
    ]:
        with pytest.raises(ValueError, match=message):
            amrclaw.Simulation(PULSE, initial=initial)


def test_totals_are_conserved_and_agree_with_those_of_the_patches():
    """With walls and periodic sides pressure is conserved to round-off; the total over patches is the same."""
    sim = amrclaw.Simulation(PULSE)
    before = sim.totals()["pressure"]
    sim.advance_to(0.1)
    assert sim.totals()["pressure"] == pytest.approx(before, rel=1e-13)
    assert sim.total("pressure") == pytest.approx(before, rel=1e-13)


def test_totals_of_mapped_meshes_are_physical():
    """A part of a ring has the right area, and a solution on several levels the integral that the program computes."""
    case = {**PULSE, "mesh": {"lower": [1.0, 0.0], "upper": [2.0, 1.5], "cells": [16, 12], "mapping": {"kind": "polar"}}}
    sim = amrclaw.Simulation({**case, "initial": {"pressure": "1 + exp(-40 * ((x - 1)^2 + (y - 0.8)^2))", "u": "0", "v": "0"}})
    assert len(sim.levels) > 1
    area = sum(patch.volumes[~patch.covered].sum() for patch in sim.frame().patches())
    # Between radii 1 and 2 over an angle of 1.5, approximated by cells with straight sides on the finest level allowed.
    assert area == pytest.approx(0.5 * 1.5 * (4 - 1), rel=1e-3)
    sim.advance_to(0.05)
    assert sim.total("pressure") == pytest.approx(sim.totals()["pressure"], rel=1e-13)
    assert sim.frame().total("pressure") == pytest.approx(sim.totals()["pressure"], rel=1e-13)


def test_input_errors_have_the_command_lines_text():
    """Messages name key, line and remedy; the exception is a ValueError too."""
    with pytest.raises(amrclaw.InputError, match=r"regrid\.cutoff: must lie in \(0, 1\], but is 1\.5"):
        amrclaw.Simulation(PULSE, set={"regrid.cutoff": 1.5})
    with pytest.raises(ValueError, match="did you mean"):
        amrclaw.Simulation({**PULSE, "solver": {"name": "acoustic"}})
    with pytest.raises(amrclaw.InputError, match="provides no boundary values"):
        amrclaw.Simulation(PULSE, set={"mesh.boundary.x": "user"})
    sim = amrclaw.Simulation(PULSE)
    with pytest.raises(amrclaw.InputError, match="there is no level 3: levels are 1 to 2"):
        sim.patches(3)
    with pytest.raises(amrclaw.InputError, match="there is no field 'p'; there are pressure, u, v"):
        sim.patches(1)[0]["p"]
    with pytest.raises(amrclaw.InputError, match="there is no side 'left'"):
        amrclaw.Simulation(PULSE, boundary={"left": lambda cells: cells.q})
    for wrong in [{"device": "tpu"}, {"precision": "f16"}, {"threads": 0}]:
        with pytest.raises(amrclaw.InputError, match=next(iter(wrong))):
            amrclaw.Simulation(PULSE, **wrong)


def test_devices():
    """A GPU without fused multiply-adds gives the CPU's bits; without a GPU the message says that there is none."""
    try:
        gpu = amrclaw.Simulation(PULSE, device="cuda", fmad=False)
    except amrclaw.InputError as error:
        assert "GPU" in str(error) or "CUDA" in str(error) or "cuda" in str(error)
        return
    cpu = amrclaw.Simulation(PULSE)
    for sim in (gpu, cpu):
        sim.advance_to(0.05)
    for a, b in zip(gpu.patches(), cpu.patches(), strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_a_run_that_cannot_go_on_says_why():
    """A Courant number above the limit with a fixed step is a RunError with the level and the time."""
    sim = amrclaw.Simulation(PULSE, set={"time.dt": 1.0})
    with pytest.raises(amrclaw.RunError, match=r"Courant number .* on level 1, patch 0, t = 0"):
        sim.step()


def test_patches_have_their_own_axes():
    """On a line there are centres along x alone: other axes are no attributes, and the error says which are."""
    case = {"solver": {"name": "burgers"}, "mesh": {"cells": [8]}, "time": {"end": 1.0}, "initial": {"q": "x"}}
    patch = amrclaw.Simulation(case).patches(1)[0]
    assert patch.x.shape == (8,) and not hasattr(patch, "y")
    with pytest.raises(AttributeError, match="in 1D has no `z`: write `x`"):
        patch.z
