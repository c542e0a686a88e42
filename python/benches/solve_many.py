#!/usr/bin/env python3
"""Compares solve_many with the crate's batch on the same positions, alternately: positions per second, and the ratio.

Needs numpy, cargo, and the package built with `maturin build --release`. Exits with 1 if solve_many has less than 0.8 of the speed.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import lastnim

POSITIONS, SEATS, ROUNDS = 4_000_000, 4, 7
LEAST_SHARE = 0.8


def main() -> None:
    """Measures batches of few and of many piles."""
    crate = Path(__file__).parent.parent
    shares: list[float] = []
    for columns in (3, 8):
        piles = np.random.default_rng(1).integers(1, 10, size=(POSITIONS * 3 // columns, columns), dtype=np.uint64)
        with tempfile.NamedTemporaryFile() as file:
            piles.tofile(file.name)
            command = ["cargo", "bench", "--quiet", "--bench", "rust_batch", "--", file.name, str(columns), str(SEATS)]
            printed = subprocess.run(command, cwd=crate, capture_output=True, text=True, check=True).stdout
        rust = [float(line.split()[0]) for line in printed.splitlines()]
        expected = int(printed.split()[1])
        python: list[float] = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            winners = lastnim.solve_many(piles, players=SEATS)
            python.append(time.perf_counter() - begun)
            if int(winners.sum(dtype=np.uint64)) != expected:
                sys.exit("solve_many and the crate disagree")
        mine, mark = (len(piles) / statistics.median(seconds) for seconds in (python, rust))
        shares.append(mine / mark)
        print(f"{columns} piles: solve_many {mine / 1e6:.1f} million a second, the crate {mark / 1e6:.1f}: {mine / mark:.2f}")
    sys.exit(0 if min(shares) >= LEAST_SHARE else 1)


if __name__ == "__main__":
    main()
