"""The README's bot passes the conformance checks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["LASTNIM_SOURCE"])


def test_the_bot_of_the_readme_passes(tmp_path: Path) -> None:
    bot = (SOURCE / "README.md").read_text().split("```python\n")[1].split("```")[0]
    (tmp_path / "bot.py").write_text(bot)
    suite = [sys.executable, "-m", "lastnim", "check", "conformance", "--patience", "1m", "--json", "--"]
    ran = subprocess.run(
        [*suite, sys.executable, "bot.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    found = json.loads(ran.stdout)
    failed = [check for check in found["checks"] if check["result"] != "passed"]
    assert (ran.returncode, failed) == (0, [])
    assert found["passed"] >= 30
