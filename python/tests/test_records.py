"""Records: their content, tables and verification."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lastnim
from lastnim.testing import TestServer

DATA = Path(os.environ["LASTNIM_SOURCE"]) / "tests" / "data"


class Half(lastnim.Bot):
    """Takes half of a pile."""

    ends: list[lastnim.MatchEnd]

    def __init__(self) -> None:
        self.ends = []

    def play(self, turn: lastnim.Turn) -> int:
        return -(-turn.counters // 2)

    def ended(self, end: lastnim.MatchEnd) -> None:
        self.ends.append(end)


@pytest.fixture
def played(lastnim_server: TestServer) -> tuple[TestServer, lastnim.Records]:
    bot = Half()
    lastnim.practice(bot, server=lastnim_server.address, token=lastnim_server.add_bot("half"), piles=[2**62, 3])
    return lastnim_server, lastnim.Records(lastnim_server.record(end.match.id) for end in bot.ends)


def test_records_match_what_happened(played: tuple[TestServer, lastnim.Records], tmp_path: Path) -> None:
    server, records = played
    assert len(records) == 6
    for record in records:
        assert record.setup.piles == (2**62, 3) and "half" in record.setup.bots
        assert sum(record.takes) == 2**62 + 3
        audit = record.audit
        assert audit is not None and audit.winner == record.winner
        assert [ply.regret for ply in audit.plies] == [ply.regret for ply in record.plies]
        assert [seat.won for seat in record.seats].index(True) == record.winner
        verification = record.verify(server.public_key())
        assert (verification.verified, verification.signed_by_key) == (True, True)
    (tmp_path / "all.jsonl").write_text("".join(record.text for record in records))
    for number, record in enumerate(records):
        (tmp_path / f"{number}.json").write_text(record.text)
    assert list(lastnim.read_records(tmp_path / "all.jsonl")) == list(records)
    assert [record.match_id for record in lastnim.read_records(tmp_path)] == [record.match_id for record in [*records, *records]]


def test_tables_have_the_types_of_their_columns(played: tuple[TestServer, lastnim.Records]) -> None:
    _, records = played
    for name, rows in (("matches", records.matches), ("seats", records.seats), ("plies", records.plies)):
        table = records.to_arrow(name)  # type: ignore[arg-type]
        assert table.num_rows == len(rows) > 0
        frames = records.to_pandas(name), records.to_polars(name)  # type: ignore[arg-type]
        for frame in frames:
            assert list(frame.columns) == table.column_names and len(frame) == len(rows)
    plies = records.to_pandas("plies")
    # No integer has become a float or was rounded.
    assert sum(plies["take"].tolist()) == 6 * (2**62 + 3)
    assert records.to_polars("plies")["take"].to_list() == [ply.take for ply in records.plies]
    assert str(records.to_arrow("matches").schema.field("tournament_number").type) == "int64"
    assert records[:0].to_arrow("plies").schema == records.to_arrow("plies").schema
    with pytest.raises(ValueError, match="table 'moves': expected matches, seats, plies"):
        records.to_arrow("moves")  # type: ignore[arg-type]


def test_changed_records_do_not_verify(played: tuple[TestServer, lastnim.Records], tmp_path: Path) -> None:
    _, records = played
    text = records[0].text
    changed = lastnim.verify(text.replace(f'"take":"{records[0].takes[0]}"', '"take":"1"', 1))
    assert not changed.verified and changed.flaw is not None and changed.message
    assert lastnim.verify(text.rstrip("\n")).flaw == "layout"
    assert lastnim.verify(text.rstrip("\n"), any_layout=True).verified
    other = "A" * 43 + "="
    with pytest.raises(ValueError, match="key: "):
        lastnim.verify(text, key=other[:5])
    (tmp_path / "bad.json").write_text("{}\n{}\n")
    with pytest.raises(ValueError, match=r"bad\.json:1: "):
        lastnim.read_records(tmp_path / "bad.json")
    with pytest.raises(OSError, match=r"none\.json"):
        lastnim.read_records(tmp_path / "none.json")


def test_frozen_records_are_read_in_every_form() -> None:
    forms = [DATA / name for name in ("record.json", "record.pretty.json")]
    (first,), *others = [lastnim.read_records(file) for file in forms]
    assert all(list(records) == [first] for records in others)
    for file in forms:
        assert lastnim.verify(file).verified
