"""A loudspeaker in a wall, under Python's control: ghost cells, flags and the end of the run are Python functions."""

import sys

import amrclaw
import numpy as np
from amrclaw import plot

CASE = {
    "solver": {"name": "acoustics", "density": 1.0, "bulk": 1.0},
    "mesh": {"lower": [0.0, -0.5], "upper": [1.0, 0.5], "cells": [40, 40]},
    "levels": {"max": 3},
    "regrid": {"interval": 2},
    "time": {"end": 1.0},
    "initial": {"pressure": 0, "u": 0, "v": 0},
}


def loudspeaker(cells):
    """The wall moves where |y| < 0.1: the mean of a ghost cell's velocity and its mirror image's is the wall's."""
    wall = np.where(abs(cells.y) < 0.1, np.sin(30.0 * cells.t), 0.0)
    return {"pressure": cells["pressure"], "u": 2.0 * wall - cells["u"], "v": cells["v"]}


def loud(cells):
    """Refine where pressure changes by more than 0.1 from neighbour to neighbour along any axis."""
    return (abs(cells.difference("pressure", "x")) > 0.1) | (abs(cells.difference("pressure", "y")) > 0.1)


def main(folder="output/loudspeaker"):
    sim = amrclaw.Simulation(CASE, boundary={"x_lower": loudspeaker}, flag=loud)
    number = 0
    # Until sound reaches the far side.
    while sim.sample([[0.95, 0.0]], "pressure")[0] < 0.01 and sim.time < sim.end:
        sim.advance_to(sim.time + 0.1)
        sim.frame().write(folder, number=number)
        number += 1
    print(f"sound reached the far side by t = {sim.time:.1f}")
    plot.pcolor(sim, "pressure").figure.savefig(f"{folder}/pressure.png", dpi=150)
    return sim


if __name__ == "__main__":
    main(*sys.argv[1:])
