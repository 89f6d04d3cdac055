"""Settings of AMRClaw's two-dimensional examples, where they differ from those of `acoustics_2d_radial`, and functions that write
them to files: a `setrun.py` as users write it, and the data files that it would write."""

import math

RADIAL = {
    "probdata": {"rho": 1.0, "bulk": 4.0},
    "clawdata": {
        "lower": [-1.0, -1.0],
        "upper": [1.0, 1.0],
        "num_cells": [50, 50],
        "num_eqn": 3,
        "num_waves": 2,
        "num_aux": 0,
        "capa_index": 0,
        "t0": 0.0,
        "output_style": 1,
        "num_output_times": 20,
        "tfinal": 1.0,
        "output_t0": True,
        "output_format": "ascii",
        "output_q_components": "all",
        "output_aux_components": "none",
        "dt_variable": True,
        "dt_initial": 1e-2,
        "dt_max": 1e99,
        "cfl_desired": 0.9,
        "cfl_max": 1.0,
        "steps_max": 50000,
        "order": 2,
        "dimensional_split": "unsplit",
        "transverse_waves": 2,
        "limiter": ["vanleer", "vanleer"],
        "use_fwaves": False,
        "source_split": 0,
        "num_ghost": 2,
        "bc_lower": ["extrap", "extrap"],
        "bc_upper": ["extrap", "extrap"],
        "checkpt_style": 0,
        "verbosity": 0,
    },
    "amrdata": {
        "amr_levels_max": 3,
        "refinement_ratios_x": [2, 2],
        "refinement_ratios_y": [2, 2],
        "refinement_ratios_t": [2, 2],
        "aux_type": [],
        "flag_richardson": False,
        "flag_richardson_tol": 0.001,
        "flag2refine": True,
        "flag2refine_tol": 0.2,
        "regrid_interval": 2,
        "regrid_buffer_width": 2,
        "clustering_cutoff": 0.7,
        "verbosity_regrid": 0,
        "sprint": False,
    },
    "gauges": [[0, 0.0, 0.0, 0.0, 10.0], [1, 0.7, 0.0, 0.0, 10.0], [2, 0.7 / 2**0.5, 0.7 / 2**0.5, 0.0, 10.0]],
}
UNIT = {"lower": [0.0, 0.0], "upper": [1.0, 1.0]}
SCALAR = {"num_eqn": 1, "num_waves": 1, "limiter": ["vanleer"]}
PERIODIC = {"bc_lower": ["periodic", "periodic"], "bc_upper": ["periodic", "periodic"]}
ADVECTION = {
    **SCALAR,
    **UNIT,
    **PERIODIC,
    "dt_initial": 0.016,
    "num_output_times": 10,
    "tfinal": 2.0,
    "transverse_waves": "all",
    "source_split": "none",
    "steps_max": 100000,
}

DIFFERENCES = {
    "acoustics_2d_radial": {},
    "acoustics_2d_adjoint": {
        "clawdata": {
            "lower": [-4.0, -1.0],
            "upper": [8.0, 11.0],
            "num_aux": 1,
            "num_output_times": 28,
            "tfinal": 7.0,
            "output_aux_components": "all",
            "bc_upper": ["wall", "extrap"],
            "bc_lower": ["extrap", "wall"],
        },
        "amrdata": {"flag2refine_tol": 0.04, "aux_type": ["center"]},
        "gauges": [[0, 3.5, 0.5, 0.0, 1e9]],
        "use_adjoint": True,
    },
    "advection_2d_annulus": {
        "probdata": {"A1": 1.0, "beta1": 40.0, "x1": -0.5, "y1": 0.0, "A2": -1.0, "beta2": 40.0, "x2": 0.5, "y2": 0.0},
        "clawdata": {
            **SCALAR,
            "lower": [0.2, 0.0],
            "upper": [1.0, 2.0 * math.pi],
            "num_cells": [20, 120],
            "num_aux": 3,
            "capa_index": 3,
            "num_output_times": 25,
            "tfinal": 2.5,
            "dt_initial": 0.005,
            "bc_lower": ["extrap", "periodic"],
            "bc_upper": ["extrap", "periodic"],
        },
        "amrdata": {"aux_type": ["xleft", "yleft", "capacity"], "flag2refine_tol": 0.02, "regrid_buffer_width": 3},
        "gauges": [[1, 0.5, 0.5 * math.pi, 0.0, 10.0], [2, 0.5, 1.5 * math.pi, 0.0, 10.0]],
    },
    "advection_2d_flagregions": {
        "probdata": {"u": 0.5, "v": 1.0},
        "clawdata": {**ADVECTION, "tfinal": 1.0},
        "amrdata": {"flag2refine_tol": 0.05, "regrid_buffer_width": 3, "clustering_cutoff": 0.9},
        "gauges": [[1, 0.6, 0.4, 0.0, 10.0]],
        "flagregions": [
            {"name": "everywhere", "minlevel": 1, "maxlevel": 1, "t1": 0.0, "t2": 1e9, "box": [0.0, 1.0, 0.0, 1.0]},
            {"name": "triangle", "minlevel": 1, "maxlevel": 3, "t1": 0.0, "t2": 1e9, "file": "triangle.data"},
        ],
    },
    "advection_2d_inflow": {
        "probdata": {"u": 1.0, "v": 0.5},
        "clawdata": {**ADVECTION, "bc_lower": ["user", "user"], "bc_upper": ["extrap", "extrap"]},
        "amrdata": {"flag2refine_tol": 0.05, "regrid_buffer_width": 3},
        "gauges": [[1, 0.6, 0.6, 0.0, 10.0], [2, 0.7, 0.3, 0.0, 10.0]],
    },
    "advection_2d_square": {
        "probdata": {"u": 0.5, "v": 1.0},
        "clawdata": ADVECTION,
        "amrdata": {"memsize": 100000, "max1d": 60, "flag2refine_tol": 0.05, "regrid_buffer_width": 3},
        "gauges": [[1, 0.6, 0.4, 0.0, 10.0]],
    },
    "advection_2d_swirl": {
        "probdata": {"tperiod": 4.0},
        "clawdata": {
            **SCALAR,
            **UNIT,
            "num_cells": [40, 40],
            "num_aux": 3,
            "num_output_times": 16,
            "tfinal": 4.0,
            "output_aux_components": "all",
            "dt_initial": 2e-2,
            "limiter": ["mc"],
            "bc_lower": ["extrap", "periodic"],
            "bc_upper": ["extrap", "periodic"],
        },
        "amrdata": {
            "refinement_ratios_x": [2, 4, 2],
            "refinement_ratios_y": [2, 4, 2],
            "refinement_ratios_t": [2, 4, 2],
            "aux_type": ["xleft", "yleft", "center"],
            "flag2refine_tol": 0.05,
        },
        "gauges": [[1, 0.4, 0.3, 0.0, 10.0], [2, 0.6, 0.3, 0.0, 10.0]],
    },
    "burgers_2d_square": {
        "probdata": {},
        "clawdata": {**ADVECTION, "num_output_times": 25, "tfinal": 2.5, "dt_initial": 0.1},
        "amrdata": {
            "refinement_ratios_x": [2, 2, 2],
            "refinement_ratios_y": [2, 2, 2],
            "refinement_ratios_t": [2, 2, 2],
            "flag2refine_tol": 0.05,
            "regrid_buffer_width": 3,
        },
        "gauges": [[0, 0.7, 0.7, 0.0, 1e9]],
    },
    "euler_2d_quadrants": {
        "probdata": {"gamma": 1.4},
        "clawdata": {
            **UNIT,
            "num_cells": [40, 40],
            "num_eqn": 4,
            "num_waves": 4,
            "num_output_times": 4,
            "tfinal": 0.8,
            "dt_initial": 5e-4,
            "limiter": ["mc"] * 4,
        },
        "amrdata": {
            "refinement_ratios_x": [4, 4],
            "refinement_ratios_y": [4, 4],
            "refinement_ratios_t": [4, 4],
            "flag2refine_tol": 0.05,
            "regrid_buffer_width": 3,
        },
        "gauges": [[1, 0.6, 0.6, 0.0, 1e9], [2, 0.5, 0.5, 0.0, 1e9], [3, 0.4, 0.4, 0.0, 1e9]],
    },
}

RIEMANN = {
    **{name: "rpn2_acoustics" for name in ("acoustics_2d_radial", "acoustics_2d_adjoint")},
    **{name: "rpn2_vc_advection" for name in ("advection_2d_annulus", "advection_2d_swirl")},
    **{name: "rpn2_advection" for name in ("advection_2d_flagregions", "advection_2d_inflow", "advection_2d_square")},
    **{"burgers_2d_square": "rpn2_burgers", "euler_2d_quadrants": "rpn2_euler_4wave"},
}


def write_makefile(folder, *sources, package="amrclaw"):
    """Writes a `Makefile` with these files, of Clawpack's if they are Riemann solvers without a suffix."""
    files = [source if "." in source else f"$(CLAW)/riemann/src/{source}.f90" for source in sources]
    lines = ["# rpn2_kpp.f90 is no longer used", f"CLAW_PKG = {package}   # package", "EXCLUDE_SOURCES = \\", "  rpn2_geoclaw.f \\", ""]
    (folder / "Makefile").write_text("\n".join([*lines, "SOURCES = \\", "  qinit.f90 \\", *(f"  {file} \\" for file in files), "", ""]))


def settings(name):
    """All settings of an example."""
    changes = DIFFERENCES[name]
    merged = {group: {**RADIAL[group], **changes.get(group, {})} for group in ("clawdata", "amrdata")}
    return {
        "probdata": changes.get("probdata", RADIAL["probdata"]),
        "gauges": changes.get("gauges", RADIAL["gauges"]),
        "flagregions": changes.get("flagregions", []),
        "regions": changes.get("regions", []),
        "use_adjoint": changes.get("use_adjoint", False),
        **merged,
    }


def write_setrun(path, given):
    """Writes a `setrun.py` that makes these settings in the ways in which users do: by item, by attribute, by appending."""
    lines = [
        "import os",
        "import numpy as np",
        "def setrun(claw_pkg='amrclaw'):",
        "    from clawpack.clawutil import data",
        "    from clawpack.amrclaw.data import FlagRegion",
        "    rundata = data.ClawRunData(claw_pkg, 2)",
        "    probdata = rundata.new_UserData(name='probdata', fname='setprob.data')",
        "    clawdata, amrdata = rundata.clawdata, rundata.amrdata",
        "    clawdata.num_dim = 2",
    ]
    lines += [f"    probdata.add_param({name!r}, {value!r}, 'a parameter')" for name, value in given["probdata"].items()]
    for name, value in given["clawdata"].items():
        if name in ("lower", "upper", "num_cells", "bc_lower", "bc_upper"):
            lines += [f"    clawdata.{name}[{d}] = {item!r}" for d, item in enumerate(value)]
        else:
            lines.append(f"    clawdata.{name} = {value!r}")
    lines += [f"    amrdata.{name} = {value!r}" for name, value in given["amrdata"].items()]
    lines += [f"    rundata.gaugedata.gauges.append({gauge!r})" for gauge in given["gauges"]]
    lines += [f"    rundata.regiondata.regions.append({region!r})" for region in given["regions"]]
    for region in given["flagregions"]:
        lines.append("    region = FlagRegion(num_dim=2)")
        lines += [f"    region.{key} = {value!r}" for key, value in region.items() if key not in ("box", "file")]
        lines.append(f"    region.spatial_region_type = {1 if 'box' in region else 2}")
        lines.append(f"    region.spatial_region = {region['box']!r}" if "box" in region else f"    region.spatial_region_file = os.path.abspath({region['file']!r})")
        lines.append("    rundata.flagregiondata.flagregions.append(region)")
    if given["use_adjoint"]:
        lines.append("    rundata.adjointdata.use_adjoint = True")
    lines += ["    return rundata", "if __name__ == '__main__':", "    setrun().write()"]
    path.write_text("\n".join(lines) + "\n")


def simple_setrun(num_dim, package="amrclaw", more=(), **claw):
    """The text of a short `setrun.py`, with more lines before its end."""
    lines = [f"clawdata.{name} = {value!r}" for name, value in claw.items()]
    refined = [
        "amrdata = rundata.amrdata",
        "amrdata.amr_levels_max, amrdata.flag2refine_tol = 2, 0.05",
        *(f"amrdata.refinement_ratios_{axis} = [2]" for axis in "xyz"[:num_dim] + "t"),
    ]
    return "\n    ".join(
        [
            f'def setrun(claw_pkg="{package}"):',
            f'assert claw_pkg == "{package}"',
            "from clawpack.clawutil import data",
            f"rundata = data.ClawRunData(claw_pkg, num_dim={num_dim})",
            'probdata = rundata.new_UserData(name="probdata", fname="setprob.data")',
            'probdata.add_param("rho", 1.0)',
            'probdata.add_param("bulk", 4.0)',
            'probdata.add_param("gamma", 1.4)',
            "clawdata = rundata.clawdata",
            f"clawdata.num_cells[:] = {[20, 14, 8][:num_dim]}",
            "clawdata.num_output_times, clawdata.tfinal = 2, 0.1",
            'clawdata.bc_lower[:] = clawdata.bc_upper[:] = ["wall"] * %d' % num_dim,
            *(refined if package != "classic" else []),
            *lines,
            *more,
            "return rundata",
        ]
    )


CODES = {
    "dimensional_split": {"unsplit": 0, "godunov": 1, "strang": 2},
    "source_split": {"none": 0, "godunov": 1, "strang": 2},
    "transverse_waves": {"none": 0, "increment": 1, "all": 2},
    "output_format": {"ascii": 1, "binary32": 2, "binary64": 3},
    "limiter": {"none": 0, "minmod": 1, "superbee": 2, "vanleer": 3, "mc": 4, "bw": 5},
    "bc": {"user": 0, "extrap": 1, "periodic": 2, "wall": 3},
}


def write_data_files(folder, given):
    """Writes the data files that AMRClaw's Fortran reads, with numeric codes in place of words."""

    def text(value):
        if isinstance(value, list):
            return " ".join(map(text, value))
        return ("T" if value else "F") if isinstance(value, bool) else repr(value)

    def file(name, lines):
        (folder / name).write_text("### generated ###\n\n" + "\n".join(lines) + "\n")

    def coded(name, value):
        codes = CODES.get("bc" if name.startswith("bc_") else name, {})
        return [codes.get(v, v) for v in value] if isinstance(value, list) else codes.get(value, value)

    claw = {"num_dim": 2, **{name: coded(name, value) for name, value in given["clawdata"].items()}}
    ones = {"output_q_components": ("iout_q", "num_eqn"), "output_aux_components": ("iout_aux", "num_aux")}
    lines = [f"{text(v).ljust(20)} =: {k.ljust(20)}" for k, v in claw.items() if k not in ones]
    for components, (name, count) in ones.items():
        if claw[count]:
            lines.append(f"{text([int(claw[components] == 'all')] * claw[count])} =: {name}")
    file("claw.data", lines)
    file("amr.data", [f"{text(v).ljust(20)} =: {k}" for k, v in given["amrdata"].items()])
    file("setprob.data", [f"{text(v)} =: {k} # a parameter" for k, v in given["probdata"].items()])
    file("gauges.data", [f"{len(given['gauges'])} =: ngauges", *(" ".join(map(repr, g)) for g in given["gauges"]), "", "# File format", "1 1 1"])
    file("regions.data", [f"{len(given['regions'])} =: num_regions", *(" ".join(map(repr, r)) for r in given["regions"])])
    lines = [f"{len(given['flagregions'])} =: num_flagregions"]
    for region in given["flagregions"]:
        lines += [f"{text(v)} =: {k}" for k, v in region.items() if k not in ("box", "file")]
        lines.append(f"{1 if 'box' in region else 2} =: spatial_region_type")
        lines.append(f"{text(region['box'])} =: spatial_region" if "box" in region else f"'{region['file']}' =: spatial_region_file")
    file("flagregions.data", lines)
    file("adjoint.data", [f"{text(given['use_adjoint'])} =: use_adjoint"])
