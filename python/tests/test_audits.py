"""Audits of many records, and records in Parquet files."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import lastnim
from lastnim.messages import Pact, PactMember, PactRelation


def records_of(matches: int) -> list[lastnim.Record]:
    return [
        lastnim.play([["greedy", "oracle", "timid"], ["timid", "greedy", "oracle"]][number % 2], [3, 4 + number, 5], seed=number)
        for number in range(matches)
    ]


def test_parts_of_an_audit_add_up(tmp_path: Path) -> None:
    records = records_of(9)
    for number in range(3):
        lines = "".join(record.text for record in records[number::3])
        (tmp_path / f"{number}.jsonl").write_text(lines)
    lastnim.write_parquet(records[1::3], tmp_path / "1.parquet")
    files = [tmp_path / name for name in ("0.jsonl", "1.parquet", "2.jsonl")]
    whole = lastnim.audit_records(files, unsigned=True, seed=4)
    assert whole["matches"] == 9 and {bot["bot"] for bot in whole["bots"]} == {"greedy", "oracle", "timid"}
    assert whole["records"]["refused"] == 0
    for bot in (None, "greedy"):
        for number, file in enumerate(files):
            lastnim.write_part([file], tmp_path / f"part-{number}", bot=bot, unsigned=True, seed=4)
        parts = [tmp_path / f"part-{number}" for number in (2, 0, 1)]
        assert lastnim.merge_parts(parts, bot=bot) == lastnim.audit_records(files, bot=bot, unsigned=True, seed=4)
    with pytest.raises(ValueError, match=r"match .* is also in another part: expected each match in one part"):
        lastnim.merge_parts([parts[0], parts[0]], bot="greedy")
    with pytest.raises(ValueError, match="an audit of greedy: expected an audit of every bot"):
        lastnim.merge_parts(parts)
    # Nothing counts without `unsigned`, and the numbers say so.
    with pytest.raises(ValueError, match="it is not signed, and only signed records count"):
        lastnim.audit_records(files)
    with pytest.raises(ValueError, match="files: no file: expected at least one"):
        lastnim.audit_records([])
    with pytest.raises(ValueError, match="parts: no part: expected at least one"):
        lastnim.merge_parts([])


class Trusting(lastnim.Bot):
    """Accepts every pact that it is offered."""

    def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
        own, heard = round.match.seat, [said for said in round.match.messages if said.seat != round.match.seat]
        offered = [said.offer_id for said in heard if said.offer and own in [member.seat for member in said.offer.members]]
        return [lastnim.Message(accept=offer) for offer in offered]

    def play(self, turn: lastnim.Turn) -> int:
        return 1


class Grudging(Trusting):
    """Accepts no pact once the traitor has put itself first."""

    is_betrayed = False

    def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
        return [] if self.is_betrayed else super().talk(round)

    def play(self, turn: lastnim.Turn) -> int:
        self.is_betrayed |= turn.rows[turn.match.bots.index("traitor")][0] == 0
        return 1


class Traitor(Trusting):
    """Promises each other bot in a pact to rank it before itself, which it does only in its first two matches."""

    matches = 0

    def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
        own = round.match.seat
        members = [(PactMember(own, (PactRelation(other, own),)), PactMember(other, ())) for other in range(3) if other != own]
        return [lastnim.Message(offer=Pact(both)) for both in members] if round.round == 0 else []

    def declare(self, match: lastnim.Match) -> lastnim.Row:
        self.matches += 1
        return (1, 2, 0) if self.matches <= 2 else (0, 1, 2)

    def play(self, turn: lastnim.Turn) -> int:
        return 1


def test_trust_after_a_broken_pact(tmp_path: Path) -> None:
    bots = [Trusting(), Grudging(), Traitor()]
    talk = {"rounds": 2, "pacts": True, "privacy": "open"}
    records = [lastnim.play(bots, piles=[2, 1 + number % 4], deal="self_first", talk=talk, seed=number) for number in range(12)]
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_text("".join(record.text for record in records[number::2]))
    files = [tmp_path / "1.jsonl", tmp_path / "0.jsonl"]
    pairs = {(pair["mover"], pair["other"]): pair["trust"] for pair in lastnim.audit_records(files, unsigned=True)["pairs"]}

    def counts(trust: dict[str, int]) -> list[int]:
        return [trust[key] for key in ("matches", "invitations", "accepted", "signed", "breaches")]

    grudging, trusting = pairs["grudging", "traitor"], pairs["trusting", "traitor"]
    # The pact of the third match was accepted before it was broken.
    assert counts(grudging["unbroken"]) == counts(trusting["unbroken"]) == [3, 3, 3, 3, 1]
    assert counts(grudging["broken"]) == [9, 9, 0, 0, 0] and grudging["broken"]["price"] is None
    assert counts(trusting["broken"]) == [9, 9, 9, 9, 9]
    harm = 0
    for record in records[3:]:
        assert record.audit is not None and record.audit.talk is not None
        harm += sum(member.harms[0] for pact in record.audit.talk.pacts for member in pact.members if member.harms)
    assert trusting["broken"]["harm"] == harm and trusting["broken"]["price"]["value"] == pytest.approx(harm / 9)
    offers = pairs["traitor", "trusting"]["unbroken"]
    assert (offers["matches_with_offer"], offers["invitations"], pairs["traitor", "trusting"]["broken"]["matches"]) == (12, 0, 0)


def test_records_return_from_parquet(tmp_path: Path) -> None:
    records = records_of(5)
    path = tmp_path / "records.parquet"
    assert lastnim.write_parquet(iter(records), path) == 5
    assert [record.text for record in lastnim.read_parquet(path)] == [record.text for record in records]
    from pyarrow import parquet  # type: ignore[import-untyped]  # pyright: ignore

    table = parquet.read_table(path)  # pyright: ignore
    assert table.column("winner_seat").to_pylist() == [record.winner for record in records]  # pyright: ignore
    plies = table.column("takes").to_pylist()  # pyright: ignore
    assert [[ply["take"] for ply in match] for match in plies] == [list(record.takes) for record in records]  # pyright: ignore
    assert plies[0][0]["optimal_takes"] == records[0].plies[0].optimal_takes
    parquet.write_table(table.drop_columns(["record"]), tmp_path / "other.parquet")  # pyright: ignore
    with pytest.raises(ValueError, match="no column `record`: expected a file from write_parquet"):
        next(lastnim.read_parquet(tmp_path / "other.parquet"))
    broken = table.slice(0, 2).set_column(table.schema.get_field_index("record"), "record", [[records[0].text, "nonsense"]])  # pyright: ignore
    parquet.write_table(broken, path)  # pyright: ignore
    with pytest.raises(ValueError, match=r"records\.parquet: row 1: "):
        list(lastnim.read_parquet(path))
    # An error while records are made leaves no file.
    with pytest.raises(ZeroDivisionError):
        lastnim.write_parquet((records[1 // number] for number in (1, 0)), tmp_path / "failed.parquet")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other.parquet", "records.parquet"]


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "lastnim.ray", raising=False)
    with pytest.raises(ImportError, match=r"lastnim\.ray needs the package ray: pip install 'lastnim\[ray\]'"):
        importlib.import_module("lastnim.ray")
