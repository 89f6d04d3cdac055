"""Converts Clawpack's settings of output: frames, checkpoints, gauges."""

from __future__ import annotations

from typing import Any

from ._settings import FORMAT_WORDS, Settings, number_of

_FORMATS = {1: "clawpack-ascii", 2: "clawpack-binary", 3: "clawpack-binary"}
NEVER = 1e99
"""End time of runs that end after a number of steps."""


class Output:
    """The case's output. Settings that it cannot represent are added to `remarks`."""

    def __init__(self, settings: Settings, end: float, has_aux: bool, uniform: bool, remarks: list[str]):
        self.settings, self.claw = settings, settings.claw
        self.end, self.has_aux, self.remarks = end, has_aux, remarks
        self.uniform = uniform
        """Ratios do not differ between axes."""

    def frames(self) -> dict[str, Any]:
        claw = self.claw
        kind = number_of(claw["output_format"], FORMAT_WORDS, "clawdata.output_format")
        output: dict[str, Any] = {"format": ["vtkhdf", _FORMATS[kind]] if self.uniform else [_FORMATS[kind]]}
        if kind == 2:
            self.remarks.append("clawdata.output_format: values are written with 64 bits")
        output.update(self._times())
        if not _is_all(claw["output_q_components"]):
            self.remarks.append("clawdata.output_q_components: all components are written")
        if self.has_aux and not _is_none(claw["output_aux_components"]):
            output["aux"] = True
        output.update(self._checkpoints())
        return output

    def _times(self) -> dict[str, Any]:
        claw, start, end = self.claw, float(self.claw["t0"]), self.end
        if claw["output_style"] == 2:
            return {"times": [float(t) for t in claw["output_times"]]}
        if claw["output_style"] == 3:
            if not claw["output_t0"]:
                self.remarks.append("clawdata.output_t0 = False: frames by steps begin with the start")
            return {"every_steps": int(claw["output_step_interval"])}
        count = int(claw["num_output_times"])
        if count == 0:
            return {"format": []}
        if claw["output_t0"]:
            return {"count": count}
        return {"times": [start + (end - start) * n / count for n in range(1, count + 1)]}

    def _checkpoints(self) -> dict[str, Any]:
        style = abs(int(self.claw["checkpt_style"]))
        if style == 3:
            return {"checkpoint_every_steps": int(self.claw["checkpt_interval"])}
        if style:
            self.remarks.append(f"clawdata.checkpt_style = {self.claw['checkpt_style']}: checkpoints come by steps (style 3)")
        return {}

    def gauges(self) -> list[dict[str, Any]]:
        claw, gauges = self.claw, []
        for number, *position, first, last in self.settings.gauges:
            inside = all(lo <= x <= hi for lo, x, hi in zip(claw["lower"], position, claw["upper"]))
            if not inside:
                self.remarks.append(f"gauge {number}: it lies outside the domain")
                continue
            if first > claw["t0"] or last < self.end < NEVER:
                self.remarks.append(f"gauge {number}: it records the whole run, not only {first:g} to {last:g}")
            gauges.append({"name": str(number), "position": [float(x) for x in position]})
        return gauges


def _is_all(components: Any) -> bool:
    return components == "all" or (not isinstance(components, str) and all(components))


def _is_none(components: Any) -> bool:
    return components == "none" or (not isinstance(components, str) and not any(components))
