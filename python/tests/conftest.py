"""Sample frames of every format, and the readers of PyClaw without a Fortran compiler."""

import os
import signal
import subprocess
import sys
import tarfile
import types
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

CLAWPACK_VERSION = "5.14.0"

# pip reads a source archive's metadata when it downloads the archive, and Clawpack's build system needs a Fortran
# compiler even for this. This build backend replaces it.
METADATA_ONLY_BACKEND = '''
import pathlib

def prepare_metadata_for_build_wheel(directory, config_settings=None):
    info = pathlib.Path(directory) / "clawpack-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: clawpack\\nVersion: {version}\\n")
    return info.name
'''


@pytest.fixture(scope="session", autouse=True)
def interrupts_are_heard():
    """Restores the handler of SIGINT: shells start background processes with the signal ignored, and Python keeps it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def frames(tmp_path_factory):
    """The folder of the sample frames that `amrclaw/tests/output_formats.rs` writes."""
    written = os.environ.get("AMRCLAW_FRAMES_DIR")
    if written:
        return Path(written)
    folder = tmp_path_factory.mktemp("frames")
    subprocess.run(
        ["cargo", "test", "--quiet", "--package", "amrclaw", "--test", "output_formats", "samples_are_written"],
        cwd=REPOSITORY,
        env={**os.environ, "AMRCLAW_FRAMES_DIR": str(folder)},
        check=True,
    )
    return folder


@pytest.fixture(scope="session")
def clawpack_source(pytestconfig):
    """The folder with Clawpack's sources."""
    return unpacked_clawpack(Path(pytestconfig.cache.mkdir("clawpack")))


@pytest.fixture(scope="session")
def pyclaw(clawpack_source):
    """PyClaw's own geometry, state, solution and readers, unchanged; without its solvers, which need Fortran."""
    clawpack = types.ModuleType("clawpack")
    clawpack.__path__ = []
    package = types.ModuleType("clawpack.pyclaw")
    package.__path__ = [str(clawpack_source / "pyclaw" / "src" / "pyclaw")]
    clawpack.pyclaw = package
    sys.modules.update({"clawpack": clawpack, "clawpack.pyclaw": package})

    from clawpack.pyclaw import geometry, solution, state, util

    package.geometry, package.state, package.solution, package.util = geometry, state, solution, util
    package.Dimension, package.Patch, package.Domain = geometry.Dimension, geometry.Patch, geometry.Domain
    package.State, package.Solution = state.State, solution.Solution
    from clawpack.pyclaw import fileio

    package.fileio = fileio
    return package


def unpacked_clawpack(cache):
    """The unpacked source archive of Clawpack, downloaded once."""
    unpacked = cache / f"clawpack-{CLAWPACK_VERSION}"
    if not unpacked.is_dir():
        # Several processes run tests: each makes its own, and the first gives it the name.
        own = cache / f"partial-{os.getpid()}"
        backend = own / "backend"
        backend.mkdir(parents=True, exist_ok=True)
        (backend / "mesonpy.py").write_text(METADATA_ONLY_BACKEND.format(version=CLAWPACK_VERSION))
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            + ["--no-binary", "clawpack", "--no-build-isolation", "--dest", str(own), f"clawpack=={CLAWPACK_VERSION}"],
            env={**os.environ, "PYTHONPATH": str(backend)},
            check=True,
        )
        with tarfile.open(own / f"clawpack-{CLAWPACK_VERSION}.tar.gz") as archive:
            archive.extractall(own, filter="data")
        try:
            (own / unpacked.name).rename(unpacked)
        except OSError:
            if not unpacked.is_dir():
                raise
    return unpacked
