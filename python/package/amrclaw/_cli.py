"""The command `amrclaw`: runs the program that the package contains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = Path(__file__).resolve().parent / "_bin" / ("amrclaw.exe" if os.name == "nt" else "amrclaw")


def main() -> int:
    """Replaces this process by the program."""
    if not _PROGRAM.exists():
        print("error: this installation of the package has no program; install it by: pip install ./python", file=sys.stderr)
        return 1
    arguments = [str(_PROGRAM), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(arguments).returncode
    # Installers may remove the execute permission.
    if not os.access(_PROGRAM, os.X_OK):
        _PROGRAM.chmod(0o755)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    sys.exit(main())
