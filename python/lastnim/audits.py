"""Audits of many records, as a whole or in parts."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ._own_command import OWN_COMMAND
from .records import parquet_texts

__all__ = ["audit_records", "merge_parts", "write_part"]

SOME_REFUSED = 3
"""The exit code if a record was refused."""


def audit_records(
    files: Iterable[str | os.PathLike[str]],
    *,
    bot: str | None = None,
    tournament: str | None = None,
    key: str | None = None,
    unsigned: bool = False,
    seed: int = 1,
    puzzles: int = 10,
) -> dict[str, Any]:
    """Audits every bot of the records in the files, or one bot, and returns the JSON of `lastnim audit field` or `lastnim audit bot`.

    A file has records as JSON or, if its name ends in `.parquet`, those of `write_parquet`. A folder stands for its JSON files. `key`,
    `unsigned` and `tournament` decide which records count; `result["records"]` says how many do not.
    ValueError has the program's reason for a refusal.
    """
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "part"
        write_part(files, part, bot=bot, tournament=tournament, key=key, unsigned=unsigned, seed=seed, puzzles=puzzles)
        return merge_parts([part], bot=bot)


def write_part(
    files: Iterable[str | os.PathLike[str]],
    part: str | os.PathLike[str],
    *,
    bot: str | None = None,
    tournament: str | None = None,
    key: str | None = None,
    unsigned: bool = False,
    seed: int = 1,
    puzzles: int = 10,
) -> None:
    """Writes the audit of some records to the file `part`, for `merge_parts`. The arguments are those of `audit_records`."""
    named = [os.fspath(file) for file in files]
    if not named:
        raise ValueError("files: no file: expected at least one")
    tables = [file for file in named if file.endswith(".parquet")]
    inputs = [*(file for file in named if file not in tables), *(["-"] if tables else [])]
    flags = ["--partial", os.fspath(part), "--seed", str(seed), "--puzzles", str(puzzles)]
    flags += [] if tournament is None else ["--tournament", tournament]
    flags += [] if key is None else ["--key", key]
    flags += ["--unsigned"] if unsigned else []
    _run_audit(bot, [*flags, "--", *inputs], (text for table in tables for text in parquet_texts(table)))


def merge_parts(parts: Sequence[str | os.PathLike[str]], *, bot: str | None = None) -> dict[str, Any]:
    """Returns the audit of all records of these parts, which is the same in any order; no record may be in two parts.

    `bot` must be the one that the parts were written for.
    """
    if not parts:
        raise ValueError("parts: no part: expected at least one")
    report: dict[str, Any] = json.loads(_run_audit(bot, ["--merge", *(os.fspath(part) for part in parts)], ()))
    return report


def _run_audit(bot: str | None, flags: list[str], lines: Iterable[str]) -> str:
    """Runs `lastnim audit` with these lines as its input, and returns its output."""
    words = [*OWN_COMMAND, "audit", *(["field"] if bot is None else ["bot", bot]), "--json", *flags]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8") as program:
            assert program.stdin is not None and program.stdout is not None
            # The program closes its input early if it refuses its flags.
            with suppress(BrokenPipeError), program.stdin as given:
                given.writelines(lines)
            output = program.stdout.read()
        errors.seek(0)
        if program.returncode not in (0, SOME_REFUSED) or ("--merge" in flags and not output):
            raise ValueError(_reason(errors.read()))
    return output


def _reason(errors: str) -> str:
    """Returns the program's messages, of which the last one is JSON."""
    *others, last = errors.splitlines() or ["no message"]
    message: str = json.loads(last)["error"]["message"] if last.startswith("{") else last
    return "; ".join([*others, message])

