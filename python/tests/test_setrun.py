"""Files of AMRClaw's settings that cannot be used."""

import amrclaw
import pytest
from amrclaw.clawpack import load_setrun


def test_what_setrun_returns(tmp_path):
    """A `setrun` without a `return` is refused; a KeyError in it is not taken for a missing function."""
    path = tmp_path / "setrun.py"
    path.write_text("def setrun(claw_pkg): pass\n")
    with pytest.raises(amrclaw.InputError, match="returned None; end it with: return rundata"):
        load_setrun(path)
    path.write_text("def setrun(claw_pkg): return {}['probdata']\n")
    with pytest.raises(amrclaw.InputError, match="cannot be run: KeyError: 'probdata'"):
        load_setrun(path)
