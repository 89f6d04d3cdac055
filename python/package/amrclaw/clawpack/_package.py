"""Which of Clawpack's packages settings are for."""

from __future__ import annotations

from .._errors import InputError


def check_package(package: str, path: str = "") -> str:
    """The package, `classic`, `amrclaw` or `geoclaw`, by any of its names."""
    names = {"classic": "classic", "classicclaw": "classic", "amrclaw": "amrclaw", "amr": "amrclaw", "geoclaw": "geoclaw"}
    name = str(package).lower()
    if name in names:
        return names[name]
    place = f"{path}: " if path else ""
    raise InputError(f"{place}the settings are for {package}; those for classic, amrclaw and geoclaw can be read")
