"""Which of Clawpack's packages settings are for."""

from __future__ import annotations

import re

from .._errors import InputError

# GeoClaw's groups of settings, each with what it is for.
_GEOCLAW = {
    **{"geo_data": "wet and dry shores, friction and the Coriolis force", "refinement_data": "refinement by waves and depths"},
    **{"topo_data": "topography files", "dtopo_data": "moving topography", "qinit_data": "initial values from files"},
    **{"fgmax_data": "fixed grids of maxima", "fgout_data": "fixed grids of output", "fixed_grid_data": "fixed grids"},
    **{"surge_data": "storms", "friction_data": "friction by regions", "multilayer_data": "several layers", "bouss_data": "Boussinesq terms"},
    **{"grid_data": "grids of unequal cells"},
}


def check_package(package: str, path: str = "", source: str = "") -> str:
    """The package, `classic` or `amrclaw`, by any of its names.

    `source` is the text of the settings, whose GeoClaw groups the message lists.
    """
    names = {"classic": "classic", "classicclaw": "classic", "amrclaw": "amrclaw", "amr": "amrclaw"}
    name = str(package).lower()
    if name in names:
        return names[name]
    place = f"{path}: " if path else ""
    if name == "geoclaw":
        code = re.sub(r"#.*", "", source)
        used = [what for group, what in _GEOCLAW.items() if re.search(rf"\b{group}\b", code)] or list(_GEOCLAW.values())
        raise InputError(f"{place}the settings are for geoclaw, of which this package lacks {', '.join(used)}; those for classic and amrclaw can be read")
    raise InputError(f"{place}the settings are for {package}; those for classic and amrclaw can be read")
