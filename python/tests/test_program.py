"""The program, run by Python."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import lastnim

MODULE = [sys.executable, "-m", "lastnim"]


def run_program(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MODULE, *words], capture_output=True, text=True, timeout=120, check=False)


def test_the_module_and_the_script_are_the_program() -> None:
    script = Path(sysconfig.get_path("scripts")) / "lastnim"
    for program in (MODULE, [str(script)]):
        printed = subprocess.run([*program, "--version"], capture_output=True, text=True, timeout=60, check=True)
        assert printed.stdout == f"lastnim {lastnim.__version__}\n"


def test_its_output_errors_and_exit_codes_are_those_of_the_program() -> None:
    solved = run_program("oracle", "solve", "--piles", "1,2,2", "--players", "3", "--json")
    assert json.loads(solved.stdout)["winner"] == lastnim.solve(piles=[1, 2, 2], players=3).winner
    refused = run_program("oracle", "solve", "--piles", "1,2,x", "--players", "3")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: ") and refused.stderr.count("\n") == 1


def test_an_interrupt_stops_it() -> None:
    server = subprocess.Popen(
        [*MODULE, "serve", "--listen", "127.0.0.1:0", "--store", "memory", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    assert server.stdout is not None
    assert "listening" in json.loads(server.stdout.readline())
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30)
    assert server.returncode == 0


def test_a_tournament_starts_the_program_again(tmp_path: Path) -> None:
    # A file of the same name next to the bots must not shadow the package.
    (tmp_path / "lastnim.py").write_text("raise SystemExit('not the program')\n")
    (tmp_path / "cup.toml").write_text(
        """
        title = "two of them"
        seats = 2
        seed = 1
        positions = { list = [[3, 4, 5]] }
        clock = "1m"
        declare_within = "1m"

        [[bot]]
        name = "itself"
        command = ["lastnim", "bot", "run", "greedy"]

        [[bot]]
        name = "oracle"
        house = "oracle"
        """
    )
    ran = run_program("tournament", "run", str(tmp_path / "cup.toml"), "--json")
    assert ran.returncode == 0, ran.stderr
    matches = json.loads(ran.stdout)["tournament"]
    assert matches["matches_played"] == 2
    log = (tmp_path / "cup.run" / "itself.log").read_text()
    assert "2 matches" in log
