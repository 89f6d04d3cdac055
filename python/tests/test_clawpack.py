"""Conversion of Clawpack's settings to cases, tested with AMRClaw's own two-dimensional examples."""

import os
import sys
from pathlib import Path

import amrclaw
import numpy as np
import pytest
from amrclaw.clawpack import load_setrun
from clawpack_examples import DIFFERENCES, RIEMANN, settings, simple_setrun, write_data_files, write_makefile, write_setrun

SOLVERS = {
    "acoustics_2d_radial": ("acoustics", {"density": 1.0, "bulk": 4.0}),
    "acoustics_2d_adjoint": ("acoustics", {"density": 1.0, "bulk": 4.0}),
    "advection_2d_annulus": ("advection_mapped", {}),
    "advection_2d_flagregions": ("advection", {"u": 0.5, "v": 1.0}),
    "advection_2d_inflow": ("advection", {"u": 1.0, "v": 0.5}),
    "advection_2d_square": ("advection", {"u": 0.5, "v": 1.0}),
    "advection_2d_swirl": ("advection_edge", {}),
    "burgers_2d_square": ("burgers", {}),
    "euler_2d_quadrants": ("euler", {"gamma": 1.4}),
}
# For each example the settings that a case cannot express; a remark names each.
TRIANGLE = "1 ixy\n1 method\n0.7 ds\n2 nrules\n0.1 0.2 0.8\n0.8 0.8 0.8\n"
REMARKS = {
    "acoustics_2d_adjoint": ["adjointdata.use_adjoint"],
    "advection_2d_swirl": ["clawdata.num_aux"],
}


@pytest.fixture
def load(tmp_path):
    """Loads an example's settings, with changes by group, from its `setrun.py` and a `Makefile` with its Riemann solver, or another one."""

    def load(name="acoustics_2d_radial", solver=None, riemann=None, **changes):
        given = settings(name)
        write_makefile(tmp_path, riemann or RIEMANN[name])
        for group, values in changes.items():
            given[group] = {**given[group], **values} if isinstance(values, dict) else values
        write_setrun(tmp_path / "setrun.py", given)
        (tmp_path / "triangle.data").write_text(TRIANGLE)
        return load_setrun(tmp_path / "setrun.py", solver)

    return load


@pytest.mark.parametrize("name", DIFFERENCES)
def test_examples_of_amrclaw(load, name):
    """Solver, parameters and remarks are those expected; the case is valid and keeps grid, levels, scheme and times."""
    imported, given = load(name), settings(name)
    case, claw, amr = imported.case, given["clawdata"], given["amrdata"]
    solver, parameters = SOLVERS[name]
    assert case["solver"] == {"name": solver, **parameters}
    assert [remark.split(":")[0].split(" =")[0] for remark in imported.remarks] == REMARKS.get(name, [])
    assert (case["mesh"]["lower"], case["mesh"]["upper"]) == (claw["lower"], claw["upper"])
    finest = amr["amr_levels_max"]
    assert case["levels"]["max"] == finest and case["levels"]["ratio"] == amr["refinement_ratios_x"][: finest - 1]
    assert case["regrid"]["flag"] == {"criterion": "difference", "tolerance": amr["flag2refine_tol"]}
    assert case["regrid"]["buffer"] == amr["regrid_buffer_width"] and case["regrid"]["max_patch_size"] == 60 - 2 * claw["num_ghost"]
    assert case["time"]["end"] == claw["tfinal"] and case["output"]["count"] == claw["num_output_times"]
    assert len(case["gauge"]) == len(given["gauges"]) and case["gauge"][0]["name"] == str(given["gauges"][0][0])
    checked = amrclaw.load_case(imported)
    assert checked.cells == claw["num_cells"] and checked.end == claw["tfinal"]
    assert imported.report().startswith(imported.to_toml()[2:].split("\n")[0])


@pytest.mark.parametrize("name", DIFFERENCES)
def test_data_files_say_the_same(tmp_path, load, name):
    """The data files that AMRClaw's `setrun.py` writes give the same case as the script itself."""
    from_setrun = load(name)
    write_data_files(tmp_path, settings(name))
    from_files = load_setrun(tmp_path)
    assert from_files.case == from_setrun.case
    assert (from_files.wanted, from_files.remarks) == (from_setrun.wanted, from_setrun.remarks)
    assert load_setrun(tmp_path / "claw.data").case == from_files.case


FUNCTIONS = {
    "acoustics": dict(initial=lambda x, y: (np.exp(-40 * (x**2 + y**2)), 0, 0)),
    "advection": dict(initial=lambda x, y: ((x > 0.1) & (x < 0.6) & (y > 0.1) & (y < 0.6),)),
    "burgers": dict(initial=lambda x, y: (np.where((x > 0.1) & (x < 0.6), 1.0, 0.1),)),
    "euler": dict(initial=lambda x, y: (np.where(x < 0.5, 1.0, 2.0), 0, 0, np.where(y < 0.5, 1.0, 2.5))),
    "advection_mapped": dict(initial=lambda x, y: (x < 0.5,), aux=lambda x, y: (0.0, np.ones(x.shape), x)),
    "advection_edge": dict(initial=lambda x, y: (x < 0.5,), aux=lambda x, y: (np.sin(y), np.cos(x))),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_examples_run(load, name):
    """With the functions that the conversion asks for, each case takes steps on all its levels."""
    imported = load(name)
    functions = dict(FUNCTIONS[imported.case["solver"]["name"]])
    sides = [wanted.split()[1].rstrip(":") for wanted in imported.wanted if wanted.startswith("boundary")]
    if sides:
        functions["boundary"] = {side: lambda cells: [np.sin(cells.t) * np.ones(cells.shape)] for side in sides}
    sim = amrclaw.Simulation(imported, **functions)
    for _ in range(3):
        sim.step()
    assert len(sim.levels) >= (1 if name == "advection_2d_flagregions" else 2)
    assert all(np.isfinite(patch.q).all() for patch in sim.patches())


def test_folded_sides_stay_folded(load):
    """AMRClaw's sides of a sphere, number 5, are ours by name."""
    imported = load(clawdata=dict(bc_lower=["periodic", 5], bc_upper=["periodic", 5]))
    assert imported.case["mesh"]["boundary"] == {"x": ["periodic", "periodic"], "y": ["folded", "folded"]}


REFERENCE = Path(__file__).resolve().parents[2] / "amrclaw" / "tests" / "data" / "reference"


def test_settings_give_the_numbers_of_amrclaw(load):
    """With the settings of one of AMRClaw's runs, three levels regridded every second step, our run has AMRClaw's patches and values.

    Tolerance: sums are in a different order, a few units of round-off per step and at interfaces, as in `amrclaw/tests/reference`.
    """
    imported = load(clawdata=dict(dt_variable=False, dt_initial=0.016, tfinal=2.0))

    def initial(x, y):
        r = np.sqrt(x * x + y * y)
        return np.where(abs(r - 0.5) <= 0.2, 1 + np.cos(np.pi * (r - 0.5) / 0.2), 0.0), 0.0, 0.0

    sim = amrclaw.Simulation(imported, initial=initial)
    for step in range(41):
        if step > 0:
            sim.step()
        if step not in (0, 1, 40):
            continue
        theirs = np.load(REFERENCE / f"dyn3_{step:04}.npz")
        assert sim.time == pytest.approx(theirs["t"].item(), abs=1e-12)
        ours = {level.number: sim.to_uniform(level.number) for level in sim.levels}
        cells = {number: 0 for number in ours}
        start = 0
        for level, lower, size in zip(theirs["level"], theirs["lower"], theirs["size"]):
            count = int(np.prod(size))
            values = theirs["q"][:, start : start + count].reshape(3, *size[::-1]).transpose(0, 2, 1)
            start, cells[int(level)] = start + count, cells[int(level)] + count
            place = tuple(slice(int(lo), int(lo + n)) for lo, n in zip(lower, size))
            np.testing.assert_allclose(ours[int(level)][(slice(None), *place)], values, atol=1e-12)
        assert cells == {level.number: level.num_cells for level in sim.levels}


def test_output_styles(load):
    """Output by times, by steps and by number of frames, with and without the initial one; no frames at all."""
    listed = load(clawdata=dict(output_style=2, output_times=[0.0, 0.1, 0.3])).case
    assert listed["output"]["times"] == [0.0, 0.1, 0.3] and listed["time"]["end"] == 0.3
    steps = load(clawdata=dict(output_style=3, output_step_interval=2, total_steps=4)).case
    assert steps["output"]["every_steps"] == 2 and steps["time"]["max_steps"] == 4
    late = load(clawdata=dict(output_t0=False, num_output_times=4)).case
    assert late["output"]["times"] == [0.25, 0.5, 0.75, 1.0]
    assert load(clawdata=dict(num_output_times=0)).case["output"]["format"] == []
    assert load(clawdata=dict(output_format="binary64")).case["output"]["format"] == ["vtkhdf", "clawpack-binary"]
    for imported in (listed, steps, late):
        amrclaw.load_case(imported)


def test_schemes_steps_and_checkpoints(load):
    """Words and numeric codes mean the same; fixed steps, sources, splitting and checkpoints are converted."""
    words = load(clawdata=dict(limiter=["mc", "minmod"], transverse_waves="increment", dimensional_split="strang"))
    codes = load(clawdata=dict(limiter=[4, 1], transverse_waves=1, dimensional_split=2))
    assert words.case["scheme"] == codes.case["scheme"]
    assert words.case["scheme"] == {"order": 2, "split": "strang", "limiter": ["mc", "minmod"]}
    fixed = load(clawdata=dict(dt_variable=False, source_split="godunov", checkpt_style=-3, checkpt_interval=5))
    assert fixed.case["time"]["dt"] == 0.01 and "dt_initial" not in fixed.case["time"]
    assert load(clawdata=dict(dt_max=0.005)).case["time"]["dt_max"] == 0.005
    assert fixed.case["scheme"]["source"] == "godunov" and fixed.case["output"]["checkpoint_every_steps"] == 5
    assert "source: the terms that src2 computes" in fixed.wanted


def test_no_source_where_clawpack_has_none(load):
    """With source_split = 0 Clawpack does not call src2: a solver's own source term must not act here either."""
    assert load(solver="advection_reaction").case["scheme"]["source"] == "none"
    assert "source" not in load().case["scheme"]


def test_flagging_and_regions(load):
    """Each criterion alone, both, or only regions; levels of regions are limited to the finest."""
    richardson = dict(flag2refine=False, flag_richardson=True, flag_richardson_tol=1e-3)
    assert load(amrdata=richardson).case["regrid"]["flag"] == {"criterion": "richardson", "tolerance": 1e-3}
    both = load(amrdata=dict(flag_richardson=True))
    assert both.case["regrid"]["flag"]["criterion"] == "difference" and "flag_richardson" in both.remarks[0]
    regions = [[2, 7, 0.0, 0.5, -0.5, 0.5, -0.25, 0.75]]
    alone = load(amrdata=dict(flag2refine=False), regions=regions)
    assert alone.case["regrid"]["region"] == [{"levels": [2, 3], "lower": [-0.5, -0.25], "upper": [0.5, 0.75], "time": [0.0, 0.5]}]
    sim = amrclaw.Simulation(alone, initial=lambda x, y: (0, 0, 0))
    assert len(sim.levels) == 2 and sim.patches(2)[0].lower[0] <= -0.5


def test_ruled_rectangles(load, tmp_path):
    """A region in a file is that file, a mistake in which is reported with its line; one that the script makes is its polygon."""
    imported = load("advection_2d_flagregions")
    assert imported.case["regrid"]["region"][1]["ruled"] == str(tmp_path / "triangle.data")
    (tmp_path / "triangle.data").write_text(TRIANGLE.replace("0.2 0.8", "0.2"))
    with pytest.raises(amrclaw.InputError, match=r"triangle\.data, line 5: needs three numbers"):
        amrclaw.load_case(imported)
    script = tmp_path / "setrun.py"
    made = "    from clawpack.amrclaw import region_tools\n    rr = region_tools.RuledRectangle()\n"
    made += "    rr.ixy, rr.s, rr.lower, rr.upper = 'y', [0.1, 0.5, 0.8], [0.2, 0.3, 0], [0.8, 0.4, 0]\n    rr.write('triangle.data')\n"
    script.write_text(script.read_text().replace("    from clawpack.amrclaw.data import FlagRegion", made + "    from clawpack.amrclaw.data import FlagRegion"))
    polygon = load_setrun(script).case["regrid"]["region"][1]["polygon"]
    assert polygon == [[0.2, 0.1], [0.2, 0.5], [0.3, 0.5], [0.3, 0.8], [0.4, 0.8], [0.4, 0.5], [0.8, 0.5], [0.8, 0.1]]


@pytest.mark.parametrize(
    ("group", "change", "remark"),
    [
        ("clawdata", {"cfl_max": 2.0}, "clawdata.cfl_max = 2: Courant numbers are at most 1"),
        ("clawdata", {"cfl_desired": 1.5}, "clawdata.cfl_desired = 1.5: Courant numbers are at most 1"),
        ("clawdata", {"steps_max": 10}, "clawdata.steps_max = 10"),
        ("clawdata", {"limiter": ["bw", "mc"]}, "clawdata.limiter = 'bw'"),
        ("clawdata", {"use_fwaves": True}, "clawdata.use_fwaves = True"),
        ("clawdata", {"restart": True}, "clawdata.restart"),
        ("clawdata", {"checkpt_style": 1}, "clawdata.checkpt_style = 1"),
        ("clawdata", {"output_format": "binary32"}, "clawdata.output_format"),
        ("clawdata", {"output_q_components": [True, False, True]}, "clawdata.output_q_components"),
        ("clawdata", {"shiny_new_option": 3}, "clawdata.shiny_new_option = 3: not known"),
        ("amrdata", {"variable_dt_refinement_ratios": True}, "amrdata.variable_dt_refinement_ratios"),
        ("amrdata", {"max1d": 61}, "amrdata.max1d = 61: patches have at most 56"),
        ("gauges", [[7, 2.0, 0.0, 0.0, 10.0]], "gauge 7: it lies outside the domain"),
        ("gauges", [[7, 0.5, 0.0, 0.2, 10.0]], "gauge 7: it records the whole run"),
    ],
)
def test_what_cannot_be_honoured_is_said(load, group, change, remark):
    """Each such setting gives one remark that names it, and the case is still valid."""
    imported = load(**{group: change})
    assert [r for r in imported.remarks if r.startswith(remark)] == imported.remarks != []
    assert f"  * {imported.remarks[0]}" in imported.report()
    amrclaw.load_case(imported)


def test_mistakes_are_input_errors(tmp_path, load):
    """Errors name files that are missing, or cannot be run or read, and settings without meaning."""
    with pytest.raises(amrclaw.InputError, match="there is no such file"):
        load_setrun(tmp_path / "setrun.py")
    with pytest.raises(amrclaw.InputError, match="there is no claw.data"):
        load_setrun(tmp_path)
    (tmp_path / "setrun.py").write_text("x = 1 / 0\n")
    with pytest.raises(amrclaw.InputError, match="cannot be run: ZeroDivisionError"):
        load_setrun(tmp_path / "setrun.py")
    (tmp_path / "setrun.py").write_text("")
    with pytest.raises(amrclaw.InputError, match="there is no function 'setrun'"):
        load_setrun(tmp_path / "setrun.py")
    with pytest.raises(amrclaw.InputError, match=r"clawdata.limiter\[0\]: 'best' is not known"):
        load(clawdata=dict(limiter=["best"]))
    write_data_files(tmp_path, settings("acoustics_2d_radial"))
    (tmp_path / "amr.data").write_text("%oops =: max1d\n")
    with pytest.raises(amrclaw.InputError, match="amr.data:1: '%oops' is neither"):
        load_setrun(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amrdata": {"amr_levels_max": 5}}, r"refinement_ratios_y = \[2, 2\]: has 2 entries, but must have 4"),
        ({"clawdata": {"bc_lower": [7, "extrap"]}}, r'bc_lower\[0\]: 7 is not known; Clawpack knows "user" \(0\), "extrap" \(1\)'),
        ({"clawdata": {"dimensional_split": 4}}, "dimensional_split: 4 is not known"),
        ({"clawdata": {"output_format": 9}}, "output_format: 9 is not known"),
        ({"clawdata": {"tfinal": None}}, "clawdata.tfinal = None: must be a number"),
        ({"clawdata": {"output_style": 7}}, "output_style = 7: must be 1"),
        ({"clawdata": {"output_style": 2, "output_times": []}}, r"output_times = \[\]: has 0 entries"),
        ({"gauges": [[1, 0.5]]}, r"gauge \[1, 0.5\]: must be \[number, x, y, t1, t2\]"),
    ],
)
def test_settings_without_meaning_are_input_errors(load, changes, message):
    """Lists that are too short, unknown codes and missing numbers are refused with what to write."""
    with pytest.raises(amrclaw.InputError, match=message):
        load(**changes)


def test_all_mistakes_are_told_at_once(load):
    """One error lists every wrong setting."""
    with pytest.raises(amrclaw.InputError) as caught:
        load(clawdata=dict(bc_lower=[7, 8], limiter=["best"]), amrdata=dict(amr_levels_max=4))
    assert len(str(caught.value).splitlines()) == 6


def test_arrays_of_numpy_are_lists(tmp_path):
    """Settings may be arrays, and paths may begin with Clawpack's variable, also where Clawpack is not installed."""
    lists = ["import numpy as np", "import os", "assert os.environ['CLAW']", "clawdata.bc_lower = np.array([1, 3])", "clawdata.bc_upper = np.array(['wall', 'extrap'])"]
    lists += ["clawdata.limiter = np.array(['mc', 'minmod'])", "clawdata.num_cells = np.full(2, 8)"]
    (tmp_path / "setrun.py").write_text(simple_setrun(2, more=lists, num_eqn=3, num_waves=2))
    case = load_setrun(tmp_path / "setrun.py").case
    assert case["mesh"]["boundary"] == {"x": ["extrapolate", "wall"], "y": ["wall", "extrapolate"]} and case["mesh"]["cells"] == [8, 8]
    assert case["scheme"]["limiter"] == ["mc", "minmod"] and os.environ.get("CLAW") != "$CLAW"


def test_stand_ins_leave_nothing_behind(load):
    """Reading settings leaves Clawpack's modules as they were, whether imported or not."""
    before = {name for name in sys.modules if name.startswith("clawpack.") or name == "clawpack"}
    path = list(sys.path)
    load()
    assert {name for name in sys.modules if name.startswith("clawpack.") or name == "clawpack"} == before
    assert sys.path == path


def test_settings_in_one_dimension_run(tmp_path):
    """A 1D `setrun.py` becomes a case that runs: acoustics, by two equations and two waves."""
    (tmp_path / "setrun.py").write_text(simple_setrun(1, num_eqn=2, num_waves=2, limiter=["mc", "mc"]))
    imported = load_setrun(tmp_path / "setrun.py")
    assert imported.case["solver"] == {"name": "acoustics", "density": 1.0, "bulk": 4.0} and imported.remarks == []
    imported.case["initial"] = {"pressure": "exp(-100 * (x - 0.5)^2)", "u": 0}
    run = amrclaw.run(imported, output=tmp_path / "out", progress=False)
    assert run[-1].dimension == 1 and run[-1].time == pytest.approx(0.1)


@pytest.mark.parametrize(("waves", "transverse"), [(10, 1), (20, 2)])
def test_transverse_waves_that_are_not_split_again(tmp_path, waves, transverse):
    """Clawpack's codes 10 and 20 mean transverse waves without double transverse ones."""
    (tmp_path / "setrun.py").write_text(simple_setrun(3, num_eqn=4, num_waves=2, limiter=["mc"] * 2, transverse_waves=waves))
    scheme = load_setrun(tmp_path / "setrun.py").case["scheme"]
    assert (scheme["transverse"], scheme["double_transverse"]) == (transverse, False)
