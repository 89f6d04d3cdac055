"""The options of a run, as type checkers see them. The native module has the table that is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, TypedDict


class RunOptions(TypedDict, total=False):
    """How a case is run: the options of the command line."""

    device: str
    devices: Optional[Sequence[int]]
    threads: Optional[int]
    precision: str
    fmad: bool
    device_memory: Optional[int]
    device_times: bool
    ranks: Optional[int]
    comm_timeout: Optional[int]
