"""The program, run by Python."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

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
    server.communicate(timeout=120)
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


class One(lastnim.Bot):
    """Takes one counter."""

    def play(self, turn: lastnim.Turn) -> int:
        return 1


ADMIN = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0"


@contextmanager
def serving(*flags: str) -> Generator[str]:
    """Runs a server with the house bot `oracle` and yields its address."""
    server = subprocess.Popen(
        [*MODULE, "serve", "--store", "memory", "--json", "--house", "oracle", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "LASTNIM_ADMIN_TOKEN": ADMIN},
    )
    try:
        assert server.stdout is not None
        yield str(json.loads(server.stdout.readline())["listening"])
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=120)


def register(server: str, *flags: str) -> str:
    registered = run_program("bot", "register", "one", "--server", server, "--token", ADMIN, *flags)
    assert registered.returncode == 0, registered.stderr
    return registered.stdout.strip()


def test_a_bot_connects_to_a_unix_socket(tmp_path: Path) -> None:
    with serving("--listen", f"unix:{tmp_path}/server.sock") as server:
        assert server == f"unix:{tmp_path}/server.sock"
        summary = lastnim.practice(One(), rivals=["oracle"], piles=[2, 2], server=server, token=register(server))
        assert summary.matches > 0 and summary.forfeits == 0
    with pytest.raises(lastnim.LastnimError, match="may have at most") as refused:
        lastnim.run(One(), server="unix:/" + "x" * 200, token="t")
    assert refused.value.code == "address"


def issue(folder: Path, name: str, authority: str | None) -> None:
    """Writes `NAME.pem` and `NAME.key`: a certificate of the authority, or that of a new authority."""
    (folder / "names").write_text("basicConstraints = CA:FALSE\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
    request = ["openssl", "req", *key, "-subj", f"/CN={name}"]
    if authority is None:
        subprocess.run([*request, "-x509", "-out", f"{name}.pem"], cwd=folder, check=True, capture_output=True)
        return
    subprocess.run([*request, "-out", f"{name}.csr"], cwd=folder, check=True, capture_output=True)
    signing = ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial", "-extfile", "names", "-out", f"{name}.pem"]
    subprocess.run(["openssl", "x509", "-req", "-in", f"{name}.csr", *signing], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_a_bot_shows_its_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    issue(tmp_path, "ca", None)
    for name in ("server", "mine"):
        issue(tmp_path, name, "ca")
    file = {name: str(tmp_path / name) for name in ("ca.pem", "server.pem", "server.key", "mine.pem", "mine.key")}
    tls = ["--tls-cert", file["server.pem"], "--tls-key", file["server.key"], "--client-ca", file["ca.pem"]]
    with serving("--listen", "127.0.0.1:0", *tls) as server:
        monkeypatch.setenv("LASTNIM_CA", file["ca.pem"])
        with pytest.raises(lastnim.LastnimError, match="LASTNIM_CLIENT_CERT") as refused:
            lastnim.run(One(), server=server, token="t")
        assert refused.value.code == "refused"
        monkeypatch.setenv("LASTNIM_CLIENT_CERT", file["mine.pem"])
        with pytest.raises(lastnim.LastnimError, match="LASTNIM_CLIENT_KEY is missing") as half:
            lastnim.run(One(), server=server, token="t")
        assert half.value.code == "client_certificate"
        monkeypatch.setenv("LASTNIM_CLIENT_KEY", file["mine.key"])
        summary = lastnim.practice(One(), rivals=["oracle"], piles=[2, 2], server=server, token=register(server))
        assert summary.matches > 0 and summary.forfeits == 0
