"""The command `amrclaw`, also as `python -m amrclaw`."""

import os
import signal
import sys

from ._amrclaw import command


def main() -> int:
    # Ctrl-C ends the program, as it does others.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Runs that it starts find this package, not a file of the user's folder with a name like one of Python's.
    os.environ["PYTHONSAFEPATH"] = "1"
    return command(["amrclaw", *sys.argv[1:]], [sys.executable, "-m", "amrclaw"])


if __name__ == "__main__":
    sys.exit(main())
