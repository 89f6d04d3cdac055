"""Which solver a Riemann solver of Clawpack becomes."""

import re
from pathlib import Path

import amrclaw
import numpy as np
import pytest
from amrclaw._amrclaw import built_in_solvers
from amrclaw.clawpack import load_setrun
from amrclaw.clawpack._riemann import RIEMANN_SOLVERS
from clawpack_examples import simple_setrun, write_makefile


@pytest.fixture
def load(tmp_path):
    """Loads settings with a Riemann solver named in the `Makefile`, if one is given, and changes of `clawdata`."""

    def load(num_dim, *sources, solver=None, more=(), **claw):
        if sources:
            write_makefile(tmp_path, *sources)
        waves = claw.get("num_waves", 1)
        claw.setdefault("limiter", ["mc"] * waves)
        (tmp_path / "setrun.py").write_text(simple_setrun(num_dim, more=more, **claw))
        return load_setrun(tmp_path / "setrun.py", solver)

    return load


def test_every_riemann_solver_of_clawpack_is_known(clawpack_source):
    """The table has Clawpack's files and no others, with the numbers that their heads give."""
    files = {path.stem: path for path in (clawpack_source / "riemann" / "src").glob("rp*.f*") if re.match(r"rpn?[123]_", path.name)}
    assert set(files) - {"rp1_ptwise", "rpn2_ptwise"} == set(RIEMANN_SOLVERS)
    # Heads that are wrong by their own code.
    wrong = {"rpn2_euler_5wave", "rpn2_acoustics_ptwise", "rp1_nonlinear_elasticity_fwave"}
    for name, row in RIEMANN_SOLVERS.items():
        head = files[name].read_text(errors="replace")
        told = [re.search(rf"^[!c]\s*#?\s*{word}:\s*(\d+)", head, re.M | re.I) for word in ("equations", "waves", "aux fields")]
        if row.numbers and name not in wrong and all(told[:2]):
            told_numbers = tuple(int(found[1]) for found in told if found)
            assert row.numbers[: len(told_numbers)] == told_numbers, name


def test_counterparts_are_those_of_the_catalogue():
    """Each built-in solver named in the table exists in that dimension, with the equations and a limiter for each of its waves."""
    built_in = {(solver.name, solver.dimension): solver for solver in built_in_solvers()}
    for name, row in RIEMANN_SOLVERS.items():
        for ours in filter(None, (row.ours, row.mapped)):
            solver = built_in[ours, row.num_dim]
            equations, waves, *aux = row.numbers
            assert equations == len(solver.equations) and (row.mapped == ours or row.other_aux or aux == [len(solver.aux)] * bool(solver.aux)), name
            assert (row.fwaves == solver.fwaves) != row.other_waves and len(row.limiters) in (0, solver.waves), name
            assert row.limiters or waves == solver.waves, name
            assert row.ones or all(parameter in solver.parameters or parameter == "umax" for parameter in row.parameters), name


@pytest.mark.parametrize("name", RIEMANN_SOLVERS)
def test_each_becomes_a_case_or_is_refused(load, name):
    """With Clawpack's numbers the case is valid, with one limiter a wave, or the program refuses it and says why."""
    row = RIEMANN_SOLVERS[name]
    equations, waves, aux = (*(row.numbers or (1, 1)), 0)[:3]
    imported = load(row.num_dim, name, num_eqn=equations, num_waves=waves, num_aux=aux, use_fwaves=row.fwaves, bc_lower=[1] * row.num_dim, bc_upper=[1] * row.num_dim)
    imported.case["solver"].update({wanted[7:].split(":")[0]: 1.5 for wanted in imported.wanted if wanted.startswith("solver.")})
    if row.ours is None:
        assert imported.case["solver"] == {"name": name} and imported.wanted[0].startswith(f"solver: {name}")
        with pytest.raises(amrclaw.InputError, match=f'there is no built-in solver "{name}".*(?s:.*)load_setrun'):
            amrclaw.load_case(imported)
        return
    assert imported.case["solver"]["name"] == row.ours and f"for {name} in the Makefile" in imported.report()
    (solver,) = [solver for solver in built_in_solvers() if (solver.name, solver.dimension) == (row.ours, row.num_dim)]
    assert imported.case["scheme"]["limiter"] == ["mc"] * solver.waves
    assert imported.remarks == ([f"{name}: {row.about}"] if row.about else [])
    assert amrclaw.load_case(imported).equations == solver.equations


def test_limiters_go_with_their_waves(load):
    """That of the contact is that of the tracer too, which has a wave of its own here; where numbers differ otherwise, the case has them all."""
    three = load(1, "rp1_reactive_euler_with_efix", num_eqn=4, num_waves=3, limiter=["minmod", "superbee", "mc"])
    assert three.case["scheme"]["limiter"] == ["minmod", "superbee", "mc", "superbee"]
    assert any("has 4 waves, not 3, limited by ['minmod', 'superbee', 'mc', 'superbee']" in remark for remark in three.remarks)
    other = load(2, "rpn2_euler_4wave", solver="euler_hllc", num_eqn=4, num_waves=4, limiter=["mc"] * 4)
    assert other.case["scheme"]["limiter"] == ["mc"] * 3
    amrclaw.load_case(other)
    (remark,) = load(3, "rpn3_euler", num_eqn=5, num_waves=5).remarks
    assert remark == "clawdata.num_waves = 5: the Riemann solver has 3"


def test_numbers_that_the_solver_does_not_have_are_said(load):
    """Equations, auxiliary values and f-waves that are not the solver's each give a remark."""
    imported = load(2, "rpn2_acoustics", num_eqn=4, num_waves=2, num_aux=1, use_fwaves=True)
    starts = ["clawdata.num_eqn = 4: the solver acoustics has the equations pressure, u, v", "clawdata.num_aux = 1", "clawdata.use_fwaves = True"]
    assert [remark[: len(start)] for remark, start in zip(imported.remarks, starts)] == starts and len(imported.remarks) == 3


def test_a_fraction_becomes_a_density(load):
    """Clawpack's q(5) keeps its values where gas is compressed. So does tracer / density from the density times q(5), which the report asks for."""
    imported = load(2, "rpn2_euler_5wave", num_eqn=5, num_waves=5)
    assert imported.wanted == ["initial: the state at the start that qinit computes; tracer is density times q(5)"]
    assert imported.remarks[0].startswith("rpn2_euler_5wave: q(5) is the fraction of tracer, here tracer / density")
    imported.case.update(levels={"max": 1})
    imported.case["mesh"].update(lower=[0, 0], upper=[2, 0.02], cells=[100, 2], boundary={"x": "extrapolate", "y": "periodic"})

    def initial(x, y):
        shocked, density = x < 0.2, np.where(x < 0.2, 2.8181818, 1.0)
        fraction = np.where((x > 0.5) & (x < 1), 1.0, 0.0)
        return density, np.where(shocked, 4.5272, 0.0), 0.0, np.where(shocked, 16.1364, 2.5), density * fraction

    sim = amrclaw.Simulation(imported, initial=initial)
    sim.advance_to(0.3)
    fraction = sim.to_uniform(1)[4] / sim.to_uniform(1)[0]
    # Limited waves overshoot by some percent; the tracer's density is 2.8.
    assert 0.9 < fraction.max() < 1.05 and sim.to_uniform(1)[4].max() > 2.5


def test_coefficients_of_burgers_equation(load):
    """Those of Clawpack in 3D are ones here: others are refused."""
    ones = [f'probdata.add_param("{name}", 1.0)' for name in "uvw"]
    assert load(3, "rpn3_burgers", more=ones).case["solver"] == {"name": "burgers"}
    scaled = load(3, "rpn3_burgers", more=[*ones, 'probdata.add_param("v", 2.0)'])
    assert scaled.case["solver"] == {"name": "rpn3_burgers"} and "coefficients" in scaled.wanted[0]


def test_makefiles(tmp_path, load):
    """Comments, excluded files and the caller of pointwise solvers do not count; several solvers, those of another dimension, of the user's own and
    replaced routines are said."""
    assert load(1, "rp1_ptwise", "rp1_acoustics_ptwise", num_eqn=2, num_waves=2).case["solver"]["name"] == "acoustics"
    several = load(1, "rp1_acoustics", "rp1_burgers", num_eqn=2, num_waves=2)
    assert several.case["solver"] == {"name": "unknown"} and "rp1_acoustics, rp1_burgers" in several.wanted[0]
    for name in ("rpn2_acoustics", "rp1_mine"):
        assert f"{name}, which the Makefile names, is not a Riemann solver of Clawpack 5 in 1D" in load(1, name, num_eqn=2, num_waves=2).wanted[0]
    (tmp_path / "rp1_acoustics.f90").write_text("")
    own = load(1, "rp1_acoustics.f90", "b4step1.f90", "limiter.f", num_eqn=2, num_waves=2)
    assert [remark.split(":")[0] for remark in own.remarks] == ["rp1_acoustics.f90", "b4step1.f90", "limiter.f"]
    varying = load(1, "rp1_acoustics.f90", num_eqn=2, num_waves=2, num_aux=2)
    assert varying.case["solver"] == {"name": "rp1_acoustics"} and "is not Clawpack's" in varying.wanted[0]


def test_without_a_makefile_only_one_can_be_meant(load):
    """Numbers and parameters of the settings that fit one built-in solver alone choose it; the report says so."""

    def chosen(num_dim, equations, waves, **changes):
        imported = load(num_dim, num_eqn=equations, num_waves=waves, **changes)
        assert ("no Makefile" in imported.wanted[0]) == (imported.case["solver"] == {"name": "unknown"})
        assert "no Makefile" in imported.report()
        return imported.case["solver"]["name"]

    def user(**values):
        return ["probdata.__dict__.clear()", *(f'probdata.add_param("{name}", {value})' for name, value in values.items())]

    assert chosen(1, 2, 2, more=user(rho=1.0, K=4.0)) == "acoustics"
    assert chosen(1, 2, 2, more=user(grav=1.0)) == "shallow_water"
    assert chosen(1, 2, 2, more=user()) == "unknown"
    assert chosen(2, 3, 2, more=user(grav=1.0)) == "shallow_water_hlle"
    assert chosen(2, 1, 1, num_aux=3, capa_index=3) == "advection_mapped"
    assert chosen(2, 1, 1, num_aux=2) == "advection_edge"
    assert chosen(2, 1, 1, more=user(u=1.0, v=2.0)) == "advection"
    assert chosen(2, 1, 1) == "unknown"
    assert chosen(2, 3, 3, num_aux=1, use_fwaves=True) == "shallow_water_bathymetry"
    assert chosen(2, 3, 3) == "shallow_water"
    assert chosen(2, 4, 4) == "euler"
    assert chosen(2, 5, 5) == "euler_tracer"
    assert chosen(3, 5, 3) == "euler"
    assert chosen(3, 5, 5) == "unknown"
    assert chosen(2, 3, 2, num_aux=3, use_fwaves=True) == "p_system_variable"
    assert chosen(2, 9, 3) == "unknown"


def test_solvers_are_built_in_or_files(load):
    """An unknown name is refused; the path of a solver's file stands in the case."""
    with pytest.raises(amrclaw.InputError, match=r"no built-in solver 'foo' in 2D; there are acoustics, (.*); or give the path"):
        load(2, solver="foo")
    with pytest.raises(amrclaw.InputError, match="no built-in solver 'elasticity' in 1D"):
        load(1, solver="elasticity")
    imported = load(2, solver="mine/kpp.rs", num_aux=2)
    assert imported.case["solver"] == {"path": str(Path("mine/kpp.rs").resolve())} and imported.case["aux"] == "user"
    assert "kpp.rs" in imported.report().splitlines()[0]
