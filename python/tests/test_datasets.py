"""The dataset page's examples work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]
import pyarrow.parquet  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

SOURCE = Path(os.environ["LASTNIM_SOURCE"])


def write_train(folder: Path, *words: str) -> list[dict[str, Any]]:
    """Writes the page's file `train.jsonl`, and returns its lines."""
    command = [sys.executable, "-m", "lastnim", "oracle", "dataset", "--output", str(folder / "train.jsonl"), *words]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]


def run_snippet(folder: Path) -> Any:
    """Runs the page's Python in a folder, and returns the table that it writes."""
    page = (SOURCE / "docs" / "reference" / "datasets.md").read_text()
    (snippet,) = [piece.split("```")[0] for piece in page.split("```python\n")[1:]]
    subprocess.run([sys.executable, "-c", snippet], cwd=folder, check=True, capture_output=True, timeout=120)
    library: Any = pyarrow.parquet
    return library.read_table(folder / "train.parquet")


def test_a_dataset_becomes_parquet_without_loss(tmp_path: Path) -> None:
    lines = write_train(tmp_path, "--positions", "2000", "--seed", "7", "--seats", "5,6")
    # pyarrow infers the column types of each MiB separately.
    assert (tmp_path / "train.jsonl").stat().st_size > 2**20
    assert run_snippet(tmp_path).to_pylist() == lines
    assert any(len(line["options"]) > 1 for line in lines)
    assert any(option["better_for"] for line in lines for option in line["options"])


def test_the_largest_piles_stay_exact(tmp_path: Path) -> None:
    counters = f"{2**53 + 1},{2**63 - 1}"
    lines = write_train(tmp_path, "--positions", "50", "--draw-counters", counters, "--draw-piles", "1,2")
    table = run_snippet(tmp_path)
    assert table.to_pylist() == lines
    types: Any = pyarrow
    assert table.schema.field("game").type.field("piles").type == types.list_(types.int64())
    piles = [counters for line in lines for counters in line["game"]["piles"]]
    # A 64-bit float would round most of them.
    assert all(counters > 2**53 for counters in piles) and any(int(float(counters)) != counters for counters in piles)


def test_a_null_stays_a_null(tmp_path: Path) -> None:
    lines = write_train(tmp_path, "--positions", "100", "--seed", "1")
    depths = {line["difficulty"]["plies_to_see"] for line in lines}
    assert None in depths and len(depths) > 2
    assert run_snippet(tmp_path).to_pylist() == lines
    # A file without numbers has a column without a type.
    only = [line for line in lines if line["difficulty"]["plies_to_see"] is None]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in only))
    table = run_snippet(tmp_path)
    assert table.to_pylist() == only
    types: Any = pyarrow
    assert table.schema.field("difficulty").type.field("plies_to_see").type == types.null()
