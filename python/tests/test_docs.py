"""What the documentation shows works: its code, its texts, and the example scripts."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import amrclaw
import matplotlib
import pytest

matplotlib.use("Agg")

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")


def blocks(tag):
    """The page's blocks with a tag, each with the number of its first line."""
    for found in re.finditer(rf"^```{tag}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        yield PAGE[: found.start(1)].count("\n"), found[1]


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    """Every block runs after the ones before; the report of settings is the one shown."""
    folder = tmp_path / "advection"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ((_, case),) = blocks("toml case")
    Path("pulse.toml").write_text(case)
    names, printed = {"__name__": "docs"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for line, code in blocks("python run"):
            exec(compile("\n" * line + code, "docs/python.md", "exec"), names)
    ((_, report),) = blocks("text")
    assert report in printed.getvalue()
    assert "regrid.cutoff: must lie in (0, 1], but is 1.5" in printed.getvalue()
    assert Path("pressure.png").stat().st_size > 0 and Path("pressure.gif").stat().st_size > 0
    assert amrclaw.load_case("square.toml").equations == ["q"]


def test_no_block_is_left_out():
    """A block of Python without the tag would never be run."""
    assert len(list(blocks("python run"))) == PAGE.count("```python")


SCRIPTS = sorted((REPOSITORY / "python" / "examples").glob("**/*.py"))


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.name != "setrun.py"], ids=lambda script: script.stem)
def test_examples_run(tmp_path, script):
    """Each script comes to its end and leaves a picture."""
    result = runpy.run_path(str(script))["main"](str(tmp_path))
    pictures = list(tmp_path.glob("*.png"))
    assert any(not picture.name.startswith("frame_") for picture in pictures)
    if script.stem == "swirl":
        # The flow brings the tracer back: the total at rest is a half; extrapolating sides add nothing to standing cells.
        assert result[-1].total("q") == pytest.approx(0.5, abs=0.01)
    if script.stem == "loudspeaker":
        # Sound travels at speed 1 from x = 0.
        assert 0.9 <= result.time <= 1.0
