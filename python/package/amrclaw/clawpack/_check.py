"""Checks Clawpack's settings before they are converted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from .._errors import InputError
from ._settings import (
    BOUNDARY_WORDS,
    DOUBLE_TRANSVERSE,
    FOLDED,
    FORMAT_WORDS,
    LIMITER_WORDS,
    SPLIT_WORDS,
    TRANSVERSE_WORDS,
    Settings,
    is_number,
    number_of,
)

_CLAW_NUMBERS = (
    *("num_eqn", "num_waves", "num_aux", "num_ghost", "capa_index", "order", "t0", "dt_initial", "dt_max"),
    *("cfl_desired", "cfl_max", "steps_max", "output_style", "checkpt_style"),
)
_AMR_NUMBERS = ("amr_levels_max", "max1d", "regrid_interval", "regrid_buffer_width", "clustering_cutoff")
# Names before Clawpack 5.
_VERSION_4 = {"mx", "my", "mz", "xlower", "xupper", "meqn", "mwaves", "mthlim", "mbc", "outstyle", "nout", "mthbc_xlower"}
# Numbers that each style of output needs.
_STYLE_NUMBERS = {1: ("tfinal", "num_output_times"), 2: (), 3: ("output_step_interval", "total_steps")}


def check(settings: Settings, name: str) -> None:
    """Refuses settings without meaning, all at once."""
    old = sorted(_VERSION_4 & set(settings.claw))
    if old:
        raise InputError(f"{name}: {', '.join(old)} are settings of Clawpack 4; rename them as in Clawpack 5, which its clawutil/conversion does")
    # Other checks need these numbers.
    for checks in ((_numbers,), (_lists, _words, _rows)):
        mistakes = [mistake for each in checks for mistake in each(settings)]
        if mistakes:
            raise InputError("\n".join(f"{name}: {mistake}" for mistake in mistakes))


def _numbers(settings: Settings) -> Iterator[str]:
    claw = settings.claw
    style = claw["output_style"]
    if style not in _STYLE_NUMBERS:
        yield f"clawdata.output_style = {style!r}: must be 1 (number of frames), 2 (times) or 3 (steps)"
    groups = [("clawdata", claw, (*_CLAW_NUMBERS, *_STYLE_NUMBERS.get(style, ())))]
    if settings.amr is not None:
        criteria = [name for name in ("flag2refine", "flag_richardson") if settings.amr[name]]
        groups.append(("amrdata", settings.amr, (*_AMR_NUMBERS, *(f"{name}_tol" for name in criteria))))
    for group, values, names in groups:
        for name in names:
            if not is_number(values[name]):
                yield f"{group}.{name} = {values[name]!r}: must be a number"


def _lists(settings: Settings) -> Iterator[str]:
    claw, amr, num_dim = settings.claw, settings.amr, settings.num_dim
    for name in ("lower", "upper", "num_cells"):
        yield from _list(f"clawdata.{name}", claw[name], num_dim, "one for each axis")
    for name in ("bc_lower", "bc_upper"):
        if num_dim > 1 or isinstance(claw[name], (list, tuple)):
            yield from _list(f"clawdata.{name}", claw[name], num_dim, "one for each axis", of_words=True)
    yield from _list("clawdata.limiter", claw["limiter"], 1, "one for each wave", of_words=True)
    if claw["output_style"] == 2:
        yield from _list("clawdata.output_times", claw["output_times"], 1, "the times of frames")
    if amr is None:
        return
    finer = abs(int(amr["amr_levels_max"])) - 1
    axes = "xyz"[:num_dim] + ("" if amr["variable_dt_refinement_ratios"] else "t")
    for axis in axes if finer > 0 else "":
        name = f"refinement_ratios_{axis}"
        yield from _list(f"amrdata.{name}", amr[name], finer, f"one for each of {finer + 1} levels but the coarsest")


def _list(name: str, value: Any, count: int, what: str, of_words: bool = False) -> Iterator[str]:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        yield f"{name} = {value!r}: must be a list, {what}"
    elif len(value) < count:
        entries = "1 entry" if len(value) == 1 else f"{len(value)} entries"
        yield f"{name} = {list(value)}: has {entries}, but must have {count}, {what}"
    elif not of_words and not all(map(is_number, value)):
        yield f"{name} = {list(value)}: must be numbers"


def _words(settings: Settings) -> Iterator[str]:
    claw = settings.claw
    single: list[tuple[str, dict[str, int], tuple[int, ...]]] = [
        ("transverse_waves", TRANSVERSE_WORDS, DOUBLE_TRANSVERSE),
        ("dimensional_split", SPLIT_WORDS, ()),
        ("source_split", SPLIT_WORDS, ()),
        ("output_format", FORMAT_WORDS, ()),
    ]
    given = [(f"clawdata.{name}", claw[name], words, more) for name, words, more in single]
    lists: list[tuple[str, dict[str, int], tuple[int, ...]]] = [
        ("bc_lower", BOUNDARY_WORDS, FOLDED),
        ("bc_upper", BOUNDARY_WORDS, FOLDED),
        ("limiter", LIMITER_WORDS, ()),
    ]
    for name, words, more in lists:
        values = claw[name] if isinstance(claw[name], (list, tuple)) else [claw[name]]
        given.extend((f"clawdata.{name}[{i}]", value, words, more) for i, value in enumerate(values))
    for setting, value, words, more in given:
        mistake = _unknown(value, words, setting, more)
        if mistake is not None:
            yield mistake


def _unknown(value: Any, words: dict[str, int], setting: str, more: tuple[int, ...]) -> Optional[str]:
    try:
        number_of(value, words, setting, more)
    except InputError as error:
        return str(error)
    return None


def _rows(settings: Settings) -> Iterator[str]:
    num_dim = settings.num_dim
    for what, rows, columns in (
        ("gauge", settings.gauges, ["number", *"xyz"[:num_dim], "t1", "t2"]),
        ("region", settings.regions, ["minlevel", "maxlevel", "t1", "t2", *(f"{axis}{n}" for axis in "xyz"[:num_dim] for n in "12")]),
    ):
        for row in rows:
            if len(row) != len(columns) or not all(map(is_number, row)):
                yield f"{what} {row}: must be [{', '.join(columns)}]"
