"""The paper's benchmark at a small size: run it, draw it, make a film of it."""

import sys
from pathlib import Path

import amrclaw
from amrclaw import plot

CASE = Path(__file__).resolve().parents[2] / "examples" / "acoustics_radial" / "case.toml"
SMALL = {
    "mesh.cells": [80, 80],
    "time.end": 0.3,
    "regrid": {"interval": 2, "buffer": 2, "cutoff": 0.8, "flag": {"tolerance": 0.15}},
    "output.times": [0.0, 0.1, 0.2, 0.3],
}


def main(folder="output/ring"):
    run = amrclaw.run(CASE, set=SMALL, output=folder)
    print(run, "-", run.record["updates_per_second"], "cell updates a second")
    plot.pcolor(run[1], "pressure").figure.savefig(f"{folder}/pressure.png", dpi=150)
    ax = None
    for frame in run:
        ax = plot.section(frame, (0.0, 0.0), (1.0, 0.0), "pressure", ax=ax)
    ax.legend()
    ax.figure.savefig(f"{folder}/radius.png", dpi=150)
    plot.animate(run, f"{folder}/pressure.gif", "pressure", fps=3)


if __name__ == "__main__":
    main(*sys.argv[1:])
