"""What the `Makefile` of a Clawpack application says: the package, and the files that are compiled."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Optional

# Clawpack's routines that users replace by their own, with what the case has instead.
_REPLACED = (
    (r"b4step[123]", "what it does before each step, such as aux that change with time, is not known; aux can be formulas or functions of t"),
    (r"flag2refine[123]|flagregions[123]", "its criterion is not known; write regrid.flag.expression, or give a function as flag"),
    (r"(inline)?limiter|philim", "its limiter is not known; those of the case are Clawpack's"),
    (r"(step|flux)[123](ds|x|y)?|stepgrid", "the method itself is changed, which is not known here"),
)


@dataclass
class Makefile:
    """The package and the sources that a `Makefile` names."""

    package: Optional[str] = None
    riemann: list[str] = field(default_factory=list)
    """Names of Riemann solvers, without repetition."""
    own: list[str] = field(default_factory=list)
    """Paths of sources in the folder itself."""

    def remarks(self) -> list[str]:
        """On routines of Clawpack that the user has replaced."""
        stems = {os.path.splitext(os.path.basename(path))[0]: path for path in self.own}
        return [f"{path}: {what}" for stem, path in stems.items() for pattern, what in _REPLACED if re.fullmatch(pattern, stem)]


def read_makefile(folder: str) -> Makefile:
    """The `Makefile` of a folder; empty if there is none."""
    path = os.path.join(folder, "Makefile")
    if not os.path.isfile(path):
        return Makefile()
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = "".join(line.split("#")[0].rstrip() + "\n" for line in file).replace("\\\n", " ").splitlines()
    found = Makefile()
    for line in lines:
        name, sign, value = line.partition("=")
        name = name.strip().rstrip("?:+ ")
        if not sign or name.startswith("EXCLUDE_"):
            continue
        if name == "CLAW_PKG":
            found.package = value.strip()
        sources = re.findall(r"[^\s]+\.[fF](?:90|95)?\b", value)
        # Files without a variable in their path are the user's.
        found.own.extend(source for source in sources if "$" not in source)
        found.riemann.extend(re.findall(r"\brpn?[123]\w*(?=\.[fF])", value))
    found.riemann = list(dict.fromkeys(name for name in found.riemann if not _is_harness(name, found.riemann)))
    return found


def _is_harness(name: str, among: list[str]) -> bool:
    """Whether a file only calls the pointwise solver that is named beside it."""
    return name.endswith("_ptwise") and name.count("_") == 1 and any(other != name for other in among)
