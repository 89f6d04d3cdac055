"""The options of a run, for type checkers only. At run time the native module's table is used."""

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
    check_solver: bool
