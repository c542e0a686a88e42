"""Audits of many records, and records in Parquet files."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import lastnim


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
