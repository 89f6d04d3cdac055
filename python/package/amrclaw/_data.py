"""Arrays in place of a case's formulas: kept in files, which the case then names."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ._amrclaw import cache_folder

_VALUES = re.compile(r"(initial(\.primitive)?|aux|mesh\.boundary\.\w+)\.\w+(\.file)?\Z")


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
    file = folder / f"{digest[:32]}.npy"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Another process may write the same.
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as new:
            np.save(new, values)
        os.replace(new.name, file)
    return str(file)
