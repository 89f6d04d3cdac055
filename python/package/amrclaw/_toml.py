"""Values, changes and whole cases as TOML text."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any

from . import _data

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def value(item: Any) -> str:
    """A value on one line. numpy's numbers and arrays are accepted."""
    if hasattr(item, "tolist"):
        item = item.tolist()
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, numbers.Integral):
        return str(int(item))
    if isinstance(item, numbers.Real):
        return _real(float(item))
    if isinstance(item, str):
        return '"' + "".join(map(_character, item)) + '"'
    if isinstance(item, Mapping):
        return "{ " + ", ".join(f"{key(k)} = {value(v)}" for k, v in item.items()) + " }"
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(map(value, item)) + "]"
    raise TypeError(f"{item!r} of type {type(item).__name__} cannot stand in a case")


def _real(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    return f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c


def key(name: str) -> str:
    """A key, quoted if need be."""
    return name if _BARE.match(name) else value(name)


def overrides(changes: Mapping[str, Any] | None) -> list[str]:
    """Changes as `key=value`. Keys may be dotted, or nested: {"regrid": {"cutoff": 0.9}}."""
    return [f"{path}={value(item)}" for path, item in _leaves(changes or {}, "")]


def _leaves(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, item in table.items():
        item = _data.in_file(f"{prefix}{name}", item)
        if isinstance(item, Mapping):
            yield from _leaves(item, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", item


def dumps(case: Mapping[str, Any]) -> str:
    """A case, nested as its TOML tables are, as text."""
    lines: list[str] = []
    _write_table(case, "", lines)
    return "\n".join(lines).strip("\n") + "\n"


def _is_tables(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and len(item) > 0 and all(isinstance(i, Mapping) for i in item)


def _write_table(table: Mapping[str, Any], path: str, lines: list[str]) -> None:
    table = {k: _data.in_file(f"{path}.{k}", v) for k, v in table.items()}
    inner = {k: v for k, v in table.items() if isinstance(v, Mapping) or _is_tables(v)}
    lines.extend(f"{key(k)} = {value(v)}" for k, v in table.items() if k not in inner)
    for name, item in inner.items():
        below = f"{path}.{key(name)}" if path else key(name)
        for part in [item] if isinstance(item, Mapping) else item:
            lines.extend(["", f"[{below}]" if isinstance(item, Mapping) else f"[[{below}]]"])
            _write_table(part, below, lines)
