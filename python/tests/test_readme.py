"""The READMEs' code works."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import lastnim
from lastnim.testing import TestServer

SOURCE = Path(os.environ["LASTNIM_SOURCE"])


def python_blocks(path: str) -> list[str]:
    """Returns the Python blocks of a page."""
    pieces = (SOURCE / path).read_text().split("```python\n")[1:]
    return [piece.split("```")[0] for piece in pieces]


class One(lastnim.Bot):
    """Takes one counter at a time."""

    def play(self, turn: lastnim.Turn) -> int:
        return 1


def test_the_bot_of_the_readme_plays_a_tournament(lastnim_server: TestServer, tmp_path: Path) -> None:
    (bot,) = python_blocks("README.md")
    assert len([line for line in bot.splitlines() if line]) <= 10
    (tmp_path / "half.py").write_text(bot)
    tournament = lastnim_server.create_tournament(piles=[[3, 4, 5], [2, 7]])
    address, token = lastnim_server.address, lastnim_server.add_bot("one")
    rival = threading.Thread(target=lambda: lastnim.run(One(), server=address, token=token, tournament=tournament))
    rival.start()
    environment = os.environ | {
        "LASTNIM_SERVER": address,
        "LASTNIM_TOKEN": lastnim_server.add_bot("half"),
        "LASTNIM_TOURNAMENT": tournament,
    }
    ran = subprocess.run(
        [sys.executable, "half.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    rival.join()
    assert ran.stdout.startswith("4 matches, ") and " 0 forfeits, " in ran.stdout
    assert ran.stderr == ""


def test_the_code_of_the_package_readme_runs() -> None:
    blocks = python_blocks("python/README.md")
    assert blocks
    for block in blocks:
        subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, timeout=120, check=True)
