"""Settings of Clawpack's other packages and versions, and files that cannot be used."""

import warnings
from pathlib import Path

import amrclaw
import pytest
from amrclaw.clawpack import load_setrun
from clawpack_examples import settings, simple_setrun, write_data_files, write_makefile


@pytest.fixture
def load(tmp_path):
    """Loads a `setrun.py` with this text."""

    def load(text):
        (tmp_path / "setrun.py").write_text(text)
        return load_setrun(tmp_path / "setrun.py")

    return load


def test_what_setrun_returns(load):
    """A `setrun` without a `return` is refused; a KeyError in it is not taken for a missing function."""
    with pytest.raises(amrclaw.InputError, match="returned None; end it with: return rundata"):
        load("def setrun(claw_pkg): pass\n")
    with pytest.raises(amrclaw.InputError, match="cannot be run: KeyError: 'probdata'"):
        load("def setrun(claw_pkg): return {}['probdata']\n")
    with pytest.raises(amrclaw.InputError, match="cannot be run: SystemExit: no data"):
        load("import sys\ndef setrun(claw_pkg): sys.exit('no data')\n")


def test_settings_of_classic_have_one_level(tmp_path, load):
    """They have no settings of refinement: neither from `setrun.py` nor from the file that it writes, which are the same case."""
    write_makefile(tmp_path, "rpn2_acoustics", package="classic")
    text = simple_setrun(2, "classic", num_eqn=3, num_waves=2, num_ghost=2, limiter=["mc", "mc"], dimensional_split="strang", source_split="none")
    imported = load(text)
    assert imported.case["levels"] == {"max": 1} and "regrid" not in imported.case and imported.remarks == []
    assert imported.case["scheme"]["split"] == "strang"
    imported.case["initial"] = {"pressure": "exp(-100 * ((x - 0.5)^2 + (y - 0.5)^2))", "u": 0, "v": 0}
    run = amrclaw.run(imported, output=tmp_path / "out", progress=False)
    assert [len(frame.levels) for frame in run] == [1, 1, 1] and run[-1].time == pytest.approx(0.1)
    write_data_files(tmp_path, settings("acoustics_2d_radial"))
    (tmp_path / "amr.data").unlink()
    assert load_setrun(tmp_path).case["levels"] == {"max": 1}


def test_all_settings_of_clawpack(clawpack_source):
    """Each `setrun.py` of Clawpack's examples becomes a case, valid if its solver is known; of GeoClaw's those in a plane, without layers or storms."""
    known = 0
    for path in sorted(clawpack_source.glob("*/**/setrun*.py")):
        if "template" in path.name or path.name in ("setrun_changes.py", "setrun_case.py"):
            # Texts to fill in, and a function with one more argument.
            continue
        try:
            imported = load_setrun(path)
        except amrclaw.InputError as error:
            # Some also call what has no stand-in.
            assert "geoclaw" in path.parts, f"{path}: {error}"
            continue
        if "geoclaw" in path.parts:
            # Their topography has to be fetched.
            assert imported.case["solver"]["name"] in ("shallow_water_bathymetry", "shallow_water_sphere"), path
            continue
        known += not imported.unknown_solver
        if imported.unknown_solver:
            assert "adjoint" in path.parts, path
            continue
        imported.case["solver"].update({wanted[7:].split(":")[0]: 1.5 for wanted in imported.wanted if wanted.startswith("solver.")})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            amrclaw.load_case(imported)
    assert known == 33


def test_data_objects_of_the_user_and_of_other_versions(load):
    """A user's own group may have the name of one of AMRClaw's; groups and modules without a stand-in are named in the report."""
    more = [
        'own = rundata.new_UserData(name="adjointdata", fname="adjoint.data")',
        'own.add_param("numadjoints", 5, "number of files")',
        "rundata.fgmax_data.fgmax_grids.append(1)",
        "from clawpack.geoclaw import topotools",
        "topotools.read_other('etopo.tt3', topo_type=3)",
        "import clawpack.visclaw.colormaps as colormaps",
        "import clawpack.clawutil as clawutil",
        "from clawpack.geoclaw.data import LAT2METER",
        "assert clawutil.data.ClawData and 111e3 < LAT2METER < 112e3",
        "from clawpack.riemann.shallow_roe_with_efix_1D_constants import depth, num_eqn, num_waves",
        "clawdata.num_eqn, clawdata.num_waves = num_eqn, num_waves",
        "rundata.gaugedata.gtype = 'lagrangian'",
        "rundata.gaugedata.gauges.append([1, 0.5, 0.0, 10.0])",
        "from clawpack.amrclaw.data import AdjointData, FlagRegion, GaugeData",
        "rundata.flagregiondata.flagregions.append(FlagRegion(1, [1, 2, 0, 1, 0.0, 0.5]))",
    ]
    imported = load(simple_setrun(1, more=more, num_eqn=2, num_waves=2, limiter=["mc"] * 2))
    assert [remark.split(":")[0] for remark in imported.remarks] == [
        *("adjointdata", "rundata.fgmax_data", "clawpack.geoclaw.topotools.read_other", "clawpack.riemann.shallow_roe_with_efix_1D_constants.depth"),
        "gaugedata.gtype = 'lagrangian'",
    ]
    assert imported.case["gauge"][0]["position"] == [0.5] and imported.case["regrid"]["region"][0]["levels"] == [1, 2]
    amrclaw.load_case(imported)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (simple_setrun(2, "sharpclaw"), "for sharpclaw; those for classic, amrclaw and geoclaw can be read"),
        ("import pyclaw.data as data\ndef setrun(claw_pkg='amrclaw'): pass\n", "of Clawpack 4"),
        (simple_setrun(1, more=["clawdata.mx = 50"]), "mx are settings of Clawpack 4"),
        (simple_setrun(2, "geoclaw", more=["rundata.multilayer_data.num_layers = 2"]), "several layers are not converted"),
        (simple_setrun(2, more=["import clawpack.pyclaw as p", "p.a.b + 1"]), "here are only stand-ins for clawpack.pyclaw.a: give the folder"),
    ],
)
def test_other_packages_and_versions(load, text, message):
    """They are refused by name, with what is missing."""
    with pytest.raises(amrclaw.InputError, match=message):
        load(text)


_GEOCLAW = """
geo = rundata.geo_data
geo.gravity, geo.sea_level, geo.dry_tolerance, geo.coriolis_forcing = 9.81, 0.50000001, 1e-2, False
geo.manning_coefficient, geo.friction_depth = [0.02, 0.03], 20.0
rundata.refinement_data.wave_tolerance = 0.02
rundata.refinement_data.speed_tolerance = [1.0, 2.0]
rundata.topo_data.topofiles.append([2, "topo.tt2"])
rundata.topo_data.topofiles.append([-2, 1, 3, 0.0, 1e10, "topo.tt2"])
rundata.dtopo_data.dtopofiles.append([1, "quake.tt1"])
rundata.dtopo_data.dt_max_dtopo = 0.2
rundata.fgmax_data.num_fgmax_val = 2
from clawpack.geoclaw import fgmax_tools
for style, settings in ((2, {"dx": 0.25, "x1": 0.0, "x2": 0.99, "y1": 0.25, "y2": 0.5}), (1, {"npts": 3, "x1": 0.1, "x2": 0.9, "y1": 0.2, "y2": 0.5}), (0, {"X": [0.5], "Y": [0.25]})):
    fg = fgmax_tools.FGmaxGrid()
    fg.point_style, fg.arrival_tol = style, 0.05
    vars(fg).update(settings)
    rundata.fgmax_data.fgmax_grids.append(fg)
fg.tstart_max, fg.tend_max = 0.25, 0.5
from clawpack.geoclaw import fgout_tools
fgout = fgout_tools.FGoutGrid()
fgout.tstart, fgout.tend, fgout.nout, fgout.nx, fgout.ny = 0.05, 0.1, 3, 4, 2
fgout.x1, fgout.x2, fgout.y1, fgout.y2 = 0.0, 0.8, 0.2, 0.6
rundata.fgout_data.fgout_grids.append(fgout)
rundata.surge_data.storm_file = "storm"
"""


def _topography(folder):
    heights = "\n".join(" ".join(str(0.5 * i - 2) for i in range(9)) for _ in range(9))
    Path(folder / "topo.tt2").write_text("9 mx\n9 my\n-2 xlower\n-2 ylower\n0.5 cellsize\n-9999 nodata_value\n" + heights)


def test_settings_of_geoclaw(load, tmp_path):
    """They become a complete case: water at rest over topography, flagged by surface and speed. What it has not is named."""
    _topography(tmp_path)
    Path(tmp_path / "quake.tt1").write_text("".join(f"1.0 {x} {y} 0.5\n" for y in (1, 0) for x in (0, 1)))
    imported = load(simple_setrun(2, "geoclaw", more=_GEOCLAW.strip().splitlines(), num_eqn=3, num_waves=3, num_aux=1, limiter=["mc"] * 3, source_split=1))
    case = imported.case
    assert case["solver"] == {"name": "shallow_water_bathymetry", "gravity": 9.81, "dry_depth": 0.01, "speed_limit": 50.0, "manning": 0.02}
    assert case["regrid"]["flag"]["expression"] == "depth > 0.01 && (abs(depth + bottom - 0.50000001) > 0.02 || hypot(x_momentum, y_momentum) > 1 * depth)"
    assert [file.get("scale") for file in case["topography"]] == [-1.0, None]
    assert imported.wanted == [] and case["ground"] == {"sea_level": 0.50000001} and case["scheme"]["source"] == "godunov"
    assert case["bottom_motion"] == [{"file": str(tmp_path / "quake.tt1")}]
    assert [{key: monitor.get(key) for key in ("name", "points", "upper", "positions", "time")} for monitor in case["monitor"][:3]] == [
        {"name": "fgmax_1", "points": [5, 2], "upper": [1.0, 0.5], "positions": None, "time": None},
        {"name": "fgmax_2", "points": [3], "upper": [0.9, 0.5], "positions": None, "time": None},
        {"name": "fgmax_3", "points": None, "upper": None, "positions": [[0.5, 0.25]], "time": [0.25, 0.5]},
    ]
    assert list(case["monitor"][0]["max"]) == ["depth", "speed"]
    assert case["monitor"][0]["first"] == {"arrival": "depth > 0.01 && abs(depth + bottom - 0.50000001) > 0.05"}
    assert case["initial"]["depth"] == "max(0, 0.50000001 - bottom)"
    fgout = case["monitor"][3]
    assert fgout["name"] == "fgout_1" and fgout["points"] == [4, 2] and fgout["time"] == pytest.approx([0.05, 0.1])
    assert fgout["lower"] + fgout["upper"] == pytest.approx([0.1, 0.3, 0.7, 0.5]) and list(fgout["now"]) == ["depth", "x_momentum", "y_momentum", "surface"]
    assert case["output"]["times"] == pytest.approx([0.0, 0.05, 0.075, 0.1])
    names = ["rundata.surge_data", "geo_data.manning_coefficient", "geo_data.friction_depth", "refinement_data.speed_tolerance", "dtopo_data.dt_max_dtopo", "fgmax_data.fgmax_grids", "fgout_data.fgout_grids"]
    assert [remark.split(" = ")[0].split(":")[0] for remark in imported.remarks] == names
    amrclaw.load_case(imported)
    degrees = ["rundata.geo_data.coordinate_system = 2", *_GEOCLAW.strip().splitlines(), "geo.coriolis_forcing = True"]
    degrees += ["from clawpack.geoclaw.data import ForceDry", "dry = ForceDry()", "dry.fname = 'dry.tt3'", "rundata.qinit_data.force_dry_list.append(dry)"]
    sphere = load(simple_setrun(2, "geoclaw", more=degrees, num_eqn=3, num_waves=3, num_aux=3, limiter=["mc"] * 3, source_split=1))
    assert [wanted for wanted in sphere.wanted if "land below the sea in dry.tt3" in wanted]
    assert sphere.case["solver"]["name"] == "shallow_water_sphere" and sphere.case["solver"]["rotation"] == 7.292115e-5
    assert sphere.case["scheme"]["capacity"] == "cosine" and sorted(sphere.case["aux"]) == ["cosine", "x_edge", "y_edge"]
    amrclaw.load_case(sphere)


def test_data_files_of_geoclaw(tmp_path):
    """GeoClaw's files give the same as its `setrun.py`."""
    write_data_files(tmp_path, settings("acoustics_2d_radial"))
    _topography(tmp_path)
    Path(tmp_path / "geoclaw.data").write_text("9.81 =: gravity\n0.5 =: sea_level\nF =: coriolis_forcing\n0.025 =: manning_coefficient\n   =: manning_break\n")
    Path(tmp_path / "topo.data").write_text("99999.0 =: topo_missing\n1 =: ntopofiles\nF =: override_order\n\n'topo.tt2'\n   2   # topo_type\n")
    Path(tmp_path / "dtopo.data").write_text("1 =: mdtopofiles\n\n'quake.tt3'\n  3 # dtopo_type\n0.2 =: dt_max_dtopo\n")
    grids = ("7 # fgno\n0.0\n1e10\n10.0\n1\n0.01\n0\n3 # point_style\n2 3\n0 0\n1 0\n1 1\n0 1\n", "8 # fgno\n0.0\n0.5\n10.0\n1\n0.01\n0\n0\n1 # npts\n0.5 0.25\n")
    Path(tmp_path / "fgmax_grids.data").write_text("5 =: num_fgmax_val\n2 =: num_fgmax_grids\n\n" + "\n".join(grids))
    lattice = "2 3 # nx, ny\n0 0\n1 0.6\n1 4 # q_out_vars\n"
    Path(tmp_path / "fgout_grids.data").write_text("2 =: num_fgout_grids\n\n1 # fgno\n1\n2\n0.1\n0.2\n2\n1\n" + lattice + "\n2 # fgno\n2\n2\n0.1 0.3 # output_times\n2\n1\n" + lattice)
    imported = load_setrun(tmp_path)
    first, second, *lattices = imported.case["monitor"]
    assert lattices[0]["time"] == pytest.approx([0.1, 0.2]) and lattices[1]["time"] == pytest.approx([0.1, 0.3])
    assert lattices[0]["now"] == {"depth": "depth", "surface": "depth + bottom"}
    assert {0.1, 0.2, 0.3} <= set(imported.case["output"]["times"])
    assert first["name"] == "fgmax_7" and first["positions"] == [[0, 0], [1, 0], [0, 0.5], [1, 0.5], [0, 1], [1, 1]]
    assert second["positions"] == [[0.5, 0.25]] and second["time"] == [0.0, 0.5] and list(second["max"])[-1] == "momentum_flux" and "min" in second
    assert imported.case["bottom_motion"] == [{"file": str(tmp_path / "quake.tt3")}]
    assert imported.case["topography"] == [{"file": str(tmp_path / "topo.tt2"), "missing": 99999.0}]
    assert imported.case["ground"] == {"sea_level": 0.5} and imported.case["solver"]["manning"] == 0.025
