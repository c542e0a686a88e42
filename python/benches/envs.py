#!/usr/bin/env python3
"""Measures the takes per second of each environment on one core, for the ratio in docs/reference/environments.md.

    pip install 'lastnim[pettingzoo]'        # a release build
    python benches/envs.py

Takes are drawn uniformly from the legal ones, in games of the same source. Drawing rows is measured separately.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from lastnim.envs import VectorGames, last_nim_v0

GAMES = 4096
ROUNDS = 5
SECONDS = 1.0


def takes_per_second(make_takes: Callable[[], int]) -> float:
    """Returns the best of several rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        begin, takes = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - begin) < SECONDS / ROUNDS:
            takes += make_takes()
        best = max(best, takes / elapsed)
    return best


def pettingzoo_game() -> Callable[[], int]:
    """Plays a game of the PettingZoo environment."""
    env = last_nim_v0.env()
    env.reset(seed=1)
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(number)

    def play() -> int:
        env.reset()
        takes = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated or observation is None:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                takes += 1
        return takes

    return play


def vector_step(games: VectorGames) -> Callable[[], int]:
    """Steps all games once."""
    seeds = iter(range(2**62))

    def step() -> int:
        games.step(games.draw_takes(next(seeds)))
        return games.count

    return step


def vector_labels(games: VectorGames) -> Callable[[], int]:
    """Steps all games once, and computes every label of the takes."""
    seeds = iter(range(2**62))

    def step() -> int:
        takes = games.draw_takes(next(seeds))
        games.predicted_winners()
        games.optimal_takes()
        games.regrets(takes)
        games.step(takes)
        return games.count

    return step


def main() -> None:
    """Prints a line per environment, with its ratio to PettingZoo's."""
    rows = {
        "PettingZoo, last_nim_v0": pettingzoo_game(),
        f"VectorGames, {GAMES} games": vector_step(VectorGames(GAMES)),
        "  with drawn rows": vector_step(VectorGames(GAMES, rows="random")),
        "  with all labels": vector_labels(VectorGames(GAMES)),
        "  with drawn rows and all labels": vector_labels(VectorGames(GAMES, rows="random")),
    }
    first = None
    for name, make_takes in rows.items():
        speed = takes_per_second(make_takes)
        first = first or speed
        print(f"{name:<34}{speed:>14,.0f} takes/s  ratio {speed / first:>8.1f}")


if __name__ == "__main__":
    main()
