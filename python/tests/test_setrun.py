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
    """Each `setrun.py` of Clawpack's examples becomes a case, valid if its solver is known, or is GeoClaw's and says what is missing."""
    known = 0
    for path in sorted(clawpack_source.glob("*/**/setrun*.py")):
        if "template" in path.name or path.name in ("setrun_changes.py", "setrun_case.py"):
            # Texts to fill in, and a function with one more argument.
            continue
        try:
            imported = load_setrun(path)
        except amrclaw.InputError as error:
            assert "the settings are for geoclaw, of which this package lacks wet and dry shores" in str(error), path
            assert "geoclaw" in path.parts
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
        "topotools.Topography().read('etopo.tt3', topo_type=3)",
        "import clawpack.visclaw.colormaps as colormaps",
        "from clawpack.riemann.shallow_roe_with_efix_1D_constants import depth, num_eqn, num_waves",
        "clawdata.num_eqn, clawdata.num_waves = num_eqn, num_waves",
        "rundata.gaugedata.gtype = 'lagrangian'",
        "rundata.gaugedata.gauges.append([1, 0.5, 0.0, 10.0])",
        "from clawpack.amrclaw.data import AdjointData, FlagRegion, GaugeData",
        "rundata.flagregiondata.flagregions.append(FlagRegion(1, [1, 2, 0, 1, 0.0, 0.5]))",
    ]
    imported = load(simple_setrun(1, more=more, num_eqn=2, num_waves=2, limiter=["mc"] * 2))
    assert [remark.split(":")[0] for remark in imported.remarks] == [
        *("adjointdata", "rundata.fgmax_data", "clawpack.geoclaw.topotools", "clawpack.riemann.shallow_roe_with_efix_1D_constants.depth"),
        "gaugedata.gtype = 'lagrangian'",
    ]
    assert imported.case["gauge"][0]["position"] == [0.5] and imported.case["regrid"]["region"][0]["levels"] == [1, 2]
    amrclaw.load_case(imported)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (simple_setrun(2, "geoclaw", more=["rundata.topo_data.topofiles = []"]), "for geoclaw, of which this package lacks topography files; those for classic"),
        (simple_setrun(2, "sharpclaw"), "for sharpclaw; those for classic and amrclaw can be read"),
        ("def setrun(claw_pkg='amrclaw'):\n    from clawpack.clawutil import data\n    return data.ClawRunData('geoclaw', 2)\n", "for geoclaw"),
        ("import pyclaw.data as data\ndef setrun(claw_pkg='amrclaw'): pass\n", "of Clawpack 4"),
        (simple_setrun(1, more=["clawdata.mx = 50"]), "mx are settings of Clawpack 4"),
    ],
)
def test_other_packages_and_versions(load, text, message):
    """They are refused by name, with what is missing."""
    with pytest.raises(amrclaw.InputError, match=message):
        load(text)


def test_data_files_of_geoclaw(tmp_path):
    """They are not taken for AMRClaw's, whose files they contain."""
    write_data_files(tmp_path, settings("acoustics_2d_radial"))
    for name in ("geoclaw.data", "topo.data"):
        Path(tmp_path / name).write_text("")
    with pytest.raises(amrclaw.InputError, match="for geoclaw, .* topography files; those for"):
        load_setrun(tmp_path)
