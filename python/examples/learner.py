#!/usr/bin/env python3
"""A learner that starts from scratch, compared with the exact oracle while it learns.

    pip install 'lastnim[numpy]'
    python learner.py --plot regret.svg

It plays against itself in 4,096 games at once. It stores the expected reward of every seat for each position and take, and values a
position by the best take of the seat to move: temporal-difference learning for many players. It uses no answers of the oracle. The plot
shows the mean regret of its best takes, in ranks per take; the oracle's own takes have none.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lastnim.envs import VectorGames

SEATS, PILES, LARGEST_PILE = 3, 5, 7
GAMES = 4096
EXPLORATION = 0.3
LEARNING_RATE = 0.5
MEASURED_STEPS = 16

Curve = list[tuple[int, float]]
"""The mean regret, by number of takes learnt from."""


def new_games(seed: int) -> VectorGames:
    """Starts games with standard rows and drawn positions."""
    return VectorGames(GAMES, seed=seed, players=SEATS, pile_count=PILES, largest_pile=LARGEST_PILE)


class Learner:
    """A table of the seats' expected rewards after each take, in playing order from the seat that takes."""

    def __init__(self) -> None:
        self.weights = (LARGEST_PILE + 1) ** np.arange(PILES)
        self.expected = np.zeros(((LARGEST_PILE + 1) ** PILES, LARGEST_PILE + 1, SEATS), dtype=np.float32)

    def positions(self, observations: NDArray[np.int16]) -> NDArray[np.int64]:
        """Numbers the observed positions by their piles; the rest is the same in every game."""
        numbers: NDArray[np.int64] = observations[:, :PILES].astype(np.int64) @ self.weights
        return numbers

    def best_takes(self, games: VectorGames, observations: NDArray[np.int16]) -> NDArray[np.int64]:
        """Returns the takes with the highest expected reward."""
        promised = self.expected[self.positions(observations), :, 0]
        takes: NDArray[np.int64] = np.where(games.action_masks() == 1, promised, -1.0).argmax(axis=1)
        return takes

    def play_step(
        self, games: VectorGames, observations: NDArray[np.int16], random: np.random.Generator
    ) -> NDArray[np.int16]:
        """Makes a take in each game, learns from the result, and returns the next observations."""
        positions, movers = self.positions(observations), games.to_move().astype(np.int64)
        explored = games.draw_takes(int(random.integers(2**63)))
        takes = np.where(random.random(GAMES) < EXPLORATION, explored, self.best_takes(games, observations))
        observations, rewards, terminated = games.step(takes)
        promised = self.expected[self.positions(observations), self.best_takes(games, observations)]
        # The next position lists its seat to move first, and the one that took last.
        promised = np.roll(promised, 1, axis=1)
        final = np.take_along_axis(rewards, (movers[:, None] + np.arange(SEATS)) % SEATS, axis=1)
        target = np.where(terminated[:, None], final, promised)
        self.expected[positions, takes] += LEARNING_RATE * (target - self.expected[positions, takes])
        return observations

    def mean_regret(self, games: VectorGames, seed: int) -> float:
        """Returns the mean regret of its best takes, in positions from random play."""
        observations = games.reset(seed)
        regrets: list[float] = []
        for number in range(MEASURED_STEPS):
            regrets.append(float(games.regrets(self.best_takes(games, observations)).mean()))
            observations = games.step(games.draw_takes(number)).observations
        return sum(regrets) / len(regrets)


def learn(steps: int, measurements: int, seed: int) -> Curve:
    """Trains a learner for `steps` takes in all games, and measures it along the way."""
    learner, random = Learner(), np.random.default_rng(seed)
    games, measured_games = new_games(seed), new_games(seed)
    observations = games.observations()
    curve: Curve = []
    for step in range(steps + 1):
        if step % max(1, steps // measurements) == 0 or step == steps:
            curve.append((step * GAMES, learner.mean_regret(measured_games, seed + 1)))
        observations = learner.play_step(games, observations, random)
    return curve


def plot_svg(curve: Curve) -> str:
    """Draws the curve: takes from left to right, regret from 0 upwards."""
    left, top, width, height = 70, 40, 620, 300
    last, highest = max(curve[-1][0], 1), max(max(regret for _, regret in curve), 1e-9)
    points = " ".join(
        f"{left + width * takes / last:.1f},{top + height * (1 - regret / highest):.1f}" for takes, regret in curve
    )
    bottom, right = top + height, left + width
    labels = [
        f'<text x="{left}" y="24" font-size="16">Mean regret of the learner, in ranks per take</text>',
        f'<text x="{left - 8}" y="{top + 5}" text-anchor="end">{highest:.2f}</text>',
        f'<text x="{left - 8}" y="{bottom + 5}" text-anchor="end">0</text>',
        f'<text x="{right}" y="{bottom - 6}" text-anchor="end">the oracle</text>',
        f'<text x="{left}" y="{bottom + 22}" text-anchor="middle">0</text>',
        f'<text x="{right}" y="{bottom + 22}" text-anchor="end">{last / 1e6:.1f} million takes</text>',
    ]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 380" font-family="sans-serif" font-size="13">',
            '<rect width="720" height="380" fill="white"/>',
            f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="black"/>',
            f'<polyline points="{points}" fill="none" stroke="#1f77b4" stroke-width="2"/>',
            *labels,
            "</svg>\n",
        ]
    )


def main(words: Sequence[str] | None = None) -> Curve:
    """Trains as the command line says, and prints and draws the regret."""
    parser = argparse.ArgumentParser(description="Learns Last Nim by playing against itself, and compares itself with the oracle.")
    parser.add_argument("--steps", type=int, default=3000, help="takes in each of the 4,096 games (default 3000)")
    parser.add_argument("--measurements", type=int, default=40, help="points of the plot (default 40)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of games and exploration (default 1)")
    parser.add_argument("--plot", type=Path, default=Path("regret.svg"), help="the file of the plot (default regret.svg)")
    arguments = parser.parse_args(words)
    begin = time.perf_counter()
    curve = learn(arguments.steps, arguments.measurements, arguments.seed)
    for takes, regret in curve:
        print(f"{takes:>12,} takes: regret {regret:.4f}")
    arguments.plot.write_text(plot_svg(curve))
    print(f"{time.perf_counter() - begin:.0f} s; the plot is in {arguments.plot}")
    return curve


if __name__ == "__main__":
    main()
