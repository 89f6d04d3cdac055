"""Arrays in place of a case's formulas: kept in files, which the case then names."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ._amrclaw import cache_folder

_VALUES = re.compile(r"(initial(\.primitive)?|aux|mesh\.boundary\.\w+)\.\w+(\.file)?\Z")

# Files of arrays are called so; an error of a run that lacks one says where it came from.
_OURS = "from_python_"
# Kept are files used within 30 days, together at most 8 GiB, but whatever is younger than an hour, and what this process has given.
_MAX_AGE, _MAX_BYTES, _IN_USE = 30 * 86400, 8 << 30, 3600
_mine: set[Path] = set()


def in_file(key: str, item: Any) -> Any:
    """What stands in a case for an array of values; anything else as it is."""
    if not (isinstance(item, np.ndarray) and _VALUES.match(key.lstrip("."))):
        return item
    file = _kept(np.ascontiguousarray(item))
    return file if key.endswith(".file") else {"file": file}


def _kept(values: np.ndarray) -> str:
    """The path of a file with these values, called by their digest: equal arrays are kept once, and a run can be restarted."""
    digest = hashlib.sha256(f"{values.dtype.str}{values.shape}".encode() + values.tobytes()).hexdigest()
    folder = Path(cache_folder()) / "data"
    file = folder / f"{_OURS}{digest[:32]}.npy"
    _mine.add(file)
    try:
        os.utime(file)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unused(folder, values.nbytes)
        # Another process may write the same.
        with tempfile.NamedTemporaryFile(dir=folder, prefix=_OURS, delete=False) as new:
            np.save(new, values)
        os.replace(new.name, file)
    return str(file)


def _remove_unused(folder: Path, needed: int) -> None:
    """Removes what nobody has read or given for a long time, and the longest unused of what is too much together, but not what other programs
    have just given."""
    found = []
    for file in folder.glob(f"{_OURS}*"):
        try:
            state = file.stat()
        except FileNotFoundError:
            continue
        found.append((max(state.st_atime, state.st_mtime), state.st_size, file))
    now = time.time()
    total = needed + sum(size for _, size, _ in found)
    for used, size, file in sorted(found):
        too_old = now - used > _MAX_AGE
        if file not in _mine and (too_old or (total > _MAX_BYTES and now - used > _IN_USE)):
            file.unlink(missing_ok=True)
            total -= size
