"""From AMRClaw's settings to pictures: what `setaux`, `b4step2` and `qinit` do there are formulas here."""

import sys
from pathlib import Path

import amrclaw
from amrclaw import clawpack, plot

# Velocities normal to the left and lower sides of cells: differences of the stream function along them.
SIDES = {
    "u_edge": "cos(2*pi*t/{T}) * (1 - cos(2*pi*x_lower)) * (cos(2*pi*y_lower) - cos(2*pi*y_upper)) / (4*pi*dy)",
    "v_edge": "cos(2*pi*t/{T}) * (1 - cos(2*pi*y_lower)) * (cos(2*pi*x_upper) - cos(2*pi*x_lower)) / (4*pi*dx)",
}


def main(folder="output/clawpack_swirl"):
    settings = clawpack.load_setrun(Path(__file__).with_name("setrun.py"))
    print(settings.report())
    settings.case["aux"] = {name: formula.format(T=4.0) for name, formula in SIDES.items()}
    settings.case["initial"] = {"q": "if(x < 0.5, 1, 0)"}
    run = amrclaw.run(settings, output=folder)
    plot.pcolor(run[1], "q", limits=(0.0, 1.0)).figure.savefig(f"{folder}/tracer.png", dpi=150)
    return run


if __name__ == "__main__":
    main(*sys.argv[1:])
