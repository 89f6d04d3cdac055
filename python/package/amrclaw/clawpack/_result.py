"""The result of converting Clawpack's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _toml


class ClawpackCase:
    """A case made from Clawpack's settings. `case`, nested like the tables of a case file, may be changed before it is run.

    `remarks` lists the settings that the case ignores or changes; `wanted` lists what Clawpack defines in Fortran and the user must supply.
    Where no solver is known to have the settings' equations, the case has the name of Clawpack's Riemann solver, with which nothing runs.
    """

    def __init__(self, case: dict[str, Any], name: str, reason: str, remarks: Sequence[str], wanted: Sequence[str], unknown: str = ""):
        self.case = case
        self.name = name
        self.reason = reason
        """Why it has this solver."""
        self.remarks = list(remarks)
        self.wanted = list(wanted)
        self.unknown_solver: dict[str, str] = {case["solver"]["name"]: unknown} if unknown else {}
        """The name of a solver that does not exist, and what to do."""

    def to_toml(self) -> str:
        """The text of the case file, which begins with the report."""
        return "".join(f"# {line}\n" for line in self.report().splitlines()) + "\n" + _toml.dumps(self.case)

    def report(self) -> str:
        """What is still wanted, and what is not honoured, in plain lines."""
        solver = self.case["solver"]
        lines = [f"{self.name}: solver {solver.get('name') or solver.get('path')}, {self.reason}"]
        for title, items in (("still wanted", self.wanted), ("not honoured", self.remarks)):
            lines.extend([f"{title}:", *(f"  * {item}" for item in items)] if items else [f"{title}: nothing"])
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ClawpackCase {self.name}: {len(self.wanted)} entries wanted, {len(self.remarks)} not honoured>"
