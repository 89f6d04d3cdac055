"""The build: the command line first, which the package brings along, then all else by maturin.

Both are made by one cargo in one folder, so that the library is compiled once for the two.
"""

import os
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401 - the hooks of PEP 517 and 660 that need nothing more
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
# A source distribution has this file beside the workspace's, the repository in a folder of it.
ROOT = HERE if (HERE / "Cargo.lock").exists() else HERE.parent
PLACE = HERE / "package" / "amrclaw" / "_bin"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _build_program():
    """Compiles the command line and puts it into the package."""
    name = "amrclaw.exe" if os.name == "nt" else "amrclaw"
    # The features of both packages, so that what they share is the same.
    packages = ["--package", "amrclaw", "--package", "amrclaw-python", "--bin", "amrclaw"]
    subprocess.run(["cargo", "build", "--release", *packages], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    PLACE.mkdir(exist_ok=True)
    shutil.copy2(target / "release" / name, PLACE / name)
