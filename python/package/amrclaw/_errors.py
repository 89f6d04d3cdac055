"""Exceptions. Their texts are those of the command line."""

from __future__ import annotations


class Error(Exception):
    """Base class of the package's errors."""


class InputError(Error, ValueError):
    """The input is wrong; nothing has been begun or written."""


class RunError(Error, RuntimeError):
    """The work was started and failed."""


class Interrupted(KeyboardInterrupt):
    """The run was stopped after a step; it can go on from `checkpoint`."""

    def __init__(self, message: str, checkpoint: str):
        super().__init__(message)
        self.checkpoint = checkpoint
