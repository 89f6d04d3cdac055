"""Users' functions in place of formulas: what they return and call wrongly is refused with what to write."""

import os
import threading

import amrclaw
import numpy as np
import pytest

from test_simulation import PULSE

SCALAR = {"solver": {"name": "burgers"}, "mesh": {"cells": [6, 8]}, "time": {"end": 0.1}, "initial": {"q": "x"}}


def test_flags_must_be_given():
    """A flag function that returns nothing, NaN or words is refused by its name: NaN would count as true in every cell."""

    def refine(cells):
        abs(cells.difference("pressure", "x")) > 0.1

    def undefined(cells):
        return np.where(cells.x > 0, np.nan, 0.0)

    with pytest.raises(amrclaw.InputError, match=r"flag \(refine\) returned nothing; return an array of shape .* true where to refine"):
        amrclaw.Simulation(PULSE, flag=refine)
    with pytest.raises(amrclaw.InputError, match=r"flag \(undefined\) returned NaN in \d+ of \d+ cells; return an array"):
        amrclaw.Simulation(PULSE, flag=undefined)
    with pytest.raises(amrclaw.InputError, match="flag: flags is a str, not a number"):
        amrclaw.Simulation(PULSE, flag=lambda cells: "everywhere")


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        (lambda x, y: x + 10 * y, r"1 value \(q\), but returned an array of shape \(6, 8\); return a list .* one for each: \[q\]"),
        (lambda x, y: 3.0, "returned a single float; return a list"),
        (lambda x, y: None, "returned nothing; return a list"),
        (lambda x, y: (x, y), "returned 2; return a list"),
        (lambda x, y: [None], "initial: q is None, not a number"),
        (lambda x, y: [x + 1j], "initial: q has complex values; return real numbers"),
        (lambda x, y: [np.ma.masked_greater(x, 0.5)], "initial: q has masked values"),
        (lambda x, y: [x[:-1]], r"initial: q has shape \(5, 8\), .* that of the cells, \(6, 8\)"),
    ],
)
def test_one_equation_is_a_list_of_one_array(initial, message):
    """What is not a list of one array, or of one number, is refused; the message shows the list."""
    with pytest.raises(amrclaw.InputError, match=message):
        amrclaw.Simulation(SCALAR, initial=initial)
    sim = amrclaw.Simulation(SCALAR, initial=lambda x, y: [x + 10 * y])
    assert sim.patches(1)[0]["q"].shape == (6, 8)


@pytest.mark.parametrize(
    ("field", "axis", "message"),
    [
        ("foo", "x", "no equation 'foo'; there are pressure, u, v"),
        ("u", "q", "no axis 'q'; there are x, y"),
        ("u", "xy", "no axis 'xy'; there are x, y"),
        ("u", "", "no axis ''; there are x, y"),
    ],
)
def test_differences_of_unknown_fields(field, axis, message):
    """Unknown equations and axes are input errors that list the known ones."""
    with pytest.raises(amrclaw.InputError, match=message):
        amrclaw.Simulation(PULSE, flag=lambda cells: cells.difference(field, axis) > 1)


def test_boundary_functions_have_sides():
    """A function that no side would call is refused, as are a side without a function, and what is no function."""

    def mirror(cells):
        return cells.q

    with pytest.raises(amrclaw.InputError, match=r'no side .* is "user" in the case.*boundary=\{"x_lower": function\}'):
        amrclaw.Simulation(PULSE, boundary=mirror)
    with pytest.raises(amrclaw.InputError, match='there is no function for x_upper, "user" in the case'):
        amrclaw.Simulation(PULSE, set={"mesh.boundary.x": "user"}, boundary={"x_lower": mirror})
    for functions in ({"boundary": {"x_lower": 3}}, {"boundary": 3}, {"flag": 3}, {"initial": "exp(-x^2)"}):
        with pytest.raises(amrclaw.InputError, match="must be a function, but is"):
            amrclaw.Simulation(PULSE, **functions)
        with pytest.raises(amrclaw.InputError, match="must be a function, but is"):
            amrclaw.run(PULSE, **functions)


REFINED = {**PULSE, "levels": {"max": 2}, "regrid": {"interval": 2}, "time": {"end": 0.05}, "output": {"png": False}}


def functions():
    """One of each, with a state that they share."""
    return {
        "initial": lambda x, y: (np.exp(-40 * ((x - 0.5) ** 2 + (y - 0.4) ** 2)), 0.0, 0.1),
        "flag": lambda cells: abs(cells.difference("pressure", "x")) > 0.05,
        "boundary": {"x_lower": lambda cells: [cells["pressure"], np.sin(30 * cells.t) - cells["u"], cells["v"]]},
        "source": lambda cells: {"pressure": -3 * cells["pressure"], "u": cells.x * cells["u"], "v": 0},
    }


@pytest.mark.parametrize("options", [{}, {"ranks": 2}], ids=["one rank", "two ranks"])
def test_runs_take_the_functions_of_simulations(tmp_path, options):
    """A run with functions ends with the values of a simulation with them, to the bit, on two levels and on any number of ranks."""
    run = amrclaw.run(REFINED, output=tmp_path, progress=False, **functions(), **options)
    sim = amrclaw.Simulation(REFINED, **functions())
    sim.advance_to(0.05)
    assert len(run[-1].levels) == len(sim.levels) == 2 and run[-1].time == sim.time
    for level in (1, 2):
        np.testing.assert_array_equal(run[-1].to_uniform(level), sim.to_uniform(level))


@pytest.mark.parametrize("splitting", ["godunov", "strang"])
def test_source_functions_are_source_formulas(splitting):
    """A function and the same formula give the same bits, with either splitting, on two levels, with auxiliary values."""
    case = {**REFINED, "solver": {"name": "acoustics_variable"}, "scheme": {"source": splitting}}
    case["aux"] = {"impedance": "1 + x", "sound_speed": 1}
    changes = {"initial": {"pressure": "exp(-40 * ((x - 0.5)^2 + (y - 0.4)^2))", "u": 0, "v": 0}, "regrid.flag.tolerance": 0.05}
    by_formula = amrclaw.Simulation(case, set={**changes, "source.pressure": "-impedance * pressure", "source.u": "t * pressure"})

    def source(cells):
        return [-cells["impedance"] * cells["pressure"], cells.t * cells["pressure"], 0.0]

    by_function = amrclaw.Simulation(case, set=changes, source=source)
    for sim in (by_formula, by_function):
        sim.advance_to(0.05)
    for level in (1, 2):
        np.testing.assert_array_equal(by_formula.to_uniform(level), by_function.to_uniform(level))
    assert by_function.totals()["u"] != amrclaw.Simulation(case, set={**changes, "scheme.source": "none"}).totals()["u"]


def test_an_exception_in_a_function_ends_the_run(tmp_path):
    """It is raised by the run, within the step, and the run's folder has a checkpoint of the state before."""

    def late(cells):
        if cells.t > 0.02:
            raise ZeroDivisionError("in the source")
        return [0 * cells["pressure"], 0, 0]

    given = {**functions(), "source": late}
    with pytest.raises(ZeroDivisionError, match="in the source"):
        amrclaw.run(REFINED, output=tmp_path / "out", progress=False, **given)
    (checkpoint,) = (tmp_path / "out").glob("checkpoint*")
    run = amrclaw.run(REFINED, output=tmp_path / "out", progress=False, restart=checkpoint, **functions())
    assert run[-1].time == pytest.approx(0.05)


def test_a_source_of_the_user_needs_a_function(tmp_path):
    """`source = "user"` without a function is refused, and so are other words, and a function that returns too little."""
    case = {**PULSE, "source": "user"}
    with pytest.raises(amrclaw.InputError, match="source: the solver `acoustics` provides no source terms"):
        amrclaw.run(case, output=tmp_path, progress=False)
    with pytest.raises(amrclaw.InputError, match='write "user", or a table'):
        amrclaw.load_case({**PULSE, "source": "mine"})
    with pytest.raises(amrclaw.InputError, match='is "none", but the case has'):
        amrclaw.load_case({**case, "scheme": {"source": "none"}})
    with pytest.raises(amrclaw.InputError, match=r"source must return 3 values \(pressure, u, v\), but returned 1"):
        amrclaw.Simulation(PULSE, source=lambda cells: [cells["u"]]).step()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_no_threads_of_the_simulation():
    """There a simulation of before is refused, which would wait for its threads for ever; one of its own is not."""
    sim = amrclaw.Simulation(SCALAR, threads=2)
    child = os.fork()
    if child == 0:
        try:
            amrclaw.Simulation(SCALAR, threads=2).step()
            sim.step()
        except RuntimeError as error:
            os._exit(7 if "process made by fork" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    sim.step()


def test_a_simulation_cannot_be_used_within_its_step():
    """A boundary function that asks the simulation, and a second thread that steps it, get an error that says what to do instead."""
    running, started, released = [], threading.Event(), threading.Event()

    def ask(cells):
        for sim, call in running:
            call(sim)
        return cells.q

    def wait(sim):
        started.set()
        released.wait(timeout=60)

    def begin(call):
        # Boundary functions are called at the start, too, when there is nothing to ask yet.
        running.clear()
        sim = amrclaw.Simulation(PULSE, boundary={"x_lower": ask})
        running.append((sim, call))
        return sim

    message = r"in use by another call: (.|\n)*`cells.t`(.|\n)*threading.Lock"
    for call in (lambda sim: sim.totals(), lambda sim: sim.time, lambda sim: sim.step(), lambda sim: sim.patches(1)):
        with pytest.raises(amrclaw.RunError, match=message):
            begin(call).step()
    sim = begin(wait)
    other = threading.Thread(target=sim.step)
    other.start()
    assert started.wait(timeout=60)
    with pytest.raises(amrclaw.RunError, match=message):
        sim.step()
    released.set()
    other.join()
    assert sim.steps[0] == 1
