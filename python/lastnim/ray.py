"""Bots, self-play and audits on a Ray cluster. Needs `pip install lastnim[ray]` on every node."""

from __future__ import annotations

import asyncio
import importlib
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from os import PathLike, fspath
from pathlib import Path
from random import Random
from typing import Any

from .audits import merge_parts, write_part
from .bot import Bot
from .notices import Summary
from .oracle import Ending
from .playing import play_match
from .records import ParquetFile, Records, parquet_table
from .running import run_async

try:
    ray: Any = importlib.import_module("ray")
except ModuleNotFoundError as error:
    raise ImportError("lastnim.ray needs the package ray: pip install 'lastnim[ray]'") from error

__all__ = ["audit", "play", "run_bots"]

logger = logging.getLogger("lastnim.ray")

GROUPS_PER_TASK = 50
"""The number of groups that a task plays. It does not depend on the number of workers, and neither do the row groups of the file."""
PROGRESS_S = 10.0
"""The time between two messages about the progress of bots, in seconds."""
MAX_RETRIES = 10
"""How often a part of an audit or of self-play is started again when its node dies."""


def audit(
    files: Sequence[str | PathLike[str]],
    *,
    parts: int | None = None,
    bot: str | None = None,
    tournament: str | None = None,
    key: str | None = None,
    unsigned: bool = False,
    seed: int = 1,
    puzzles: int = 10,
) -> dict[str, Any]:
    """Audits records like `lastnim.audit_records`, in parts on the cluster's nodes, with the same result.

    Every node must be able to read the files. There is a part for each CPU of the cluster, or `parts` parts, and at most one for each file.
    """
    named = [fspath(file) for file in files]
    if not named:
        raise ValueError("files: no file: expected at least one")
    count = min(len(named), _cpus() if parts is None else parts)
    if count < 1:
        raise ValueError(f"parts: {parts}: expected at least 1")
    settings = {"bot": bot, "tournament": tournament, "key": key, "unsigned": unsigned, "seed": seed, "puzzles": puzzles}
    task = ray.remote(max_retries=MAX_RETRIES)(_audit_part)
    states = [task.remote(named[number::count], settings) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        written: list[Path] = []
        for number, state in enumerate(states):
            written.append(Path(folder) / str(number))
            written[-1].write_bytes(ray.get(state))
        return merge_parts(written, bot=bot)


def _audit_part(files: list[str], settings: dict[str, Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "part"
        write_part(files, part, **settings)
        return part.read_bytes()


def play(
    bots: Mapping[str, str | Callable[[], Bot]],
    positions: Sequence[Sequence[int]],
    groups: int,
    seed: int,
    path: str | PathLike[str],
    *,
    seats: int | None = None,
    ending: Ending = "to_move_wins",
    workers: int | None = None,
) -> int:
    """Lets bots play against each other without a server, writes the records to a Parquet file, and returns the number of matches.

    `bots` has a house bot, such as `oracle`, or a function that creates a bot for each name. For every group, a position and the bots of its
    `seats` seats (all bots by default) are drawn, and a match is played in each rotation of the seats. The file is that of
    `lastnim.write_parquet`, with labels in the column `takes`. It depends on `seed` alone, not on the number of workers, if bots choose only by
    their turn: each task creates them again.

    `workers` is the number of tasks at once, by default the cluster's CPUs.
    """
    count = len(bots) if seats is None else seats
    if not 2 <= count <= min(len(bots), 32):
        raise ValueError(f"seats: {count}: expected 2 to {min(len(bots), 32)}, for {len(bots)} bots")
    if not positions:
        raise ValueError("positions: no position: expected at least one")
    if groups < 1:
        raise ValueError(f"groups: {groups}: expected at least 1")
    if workers is not None and workers < 1:
        raise ValueError(f"workers: {workers}: expected at least 1")
    task = ray.remote(max_retries=MAX_RETRIES)(_play_groups)
    shared = ray.put((dict(bots), [tuple(piles) for piles in positions], count, ending, seed))
    firsts = iter(range(0, groups, GROUPS_PER_TASK))
    # One more task than workers, so that none waits while a table is written.
    limit = (_cpus() if workers is None else workers) + 1
    running: list[Any] = []
    with ParquetFile(path) as file:
        while True:
            while len(running) < limit and (first := next(firsts, None)) is not None:
                running.append(task.remote(shared, first, min(first + GROUPS_PER_TASK, groups)))
            if not running:
                return groups * count
            file.write(ray.get(running.pop(0)))


def _play_groups(shared: tuple[dict[str, Any], list[tuple[int, ...]], int, Ending, int], first: int, end: int) -> Any:
    """Plays the groups from `first` to before `end`, and returns their matches as a table."""
    makers, positions, seats, ending, seed = shared
    players = {name: maker if isinstance(maker, str) else maker() for name, maker in makers.items()}
    return parquet_table(Records(_matches(players, positions, seats, ending, seed, range(first, end))))


def _matches(
    players: dict[str, str | Bot], positions: list[tuple[int, ...]], seats: int, ending: Ending, seed: int, groups: range
) -> Iterator[Any]:
    tournament = _digest(16, seed, "tournament")
    for group in groups:
        draw = Random(f"{seed} {group}")
        names = draw.sample(sorted(players), seats)
        piles = draw.choice(positions)
        for rotation in range(seats):
            seated = names[rotation:] + names[:rotation]
            number = group * seats + rotation
            # The house bots draw their takes with this seed; a millisecond lies between two matches, so that their ids are in order.
            match_seed = int.from_bytes(_digest(4, seed, number), "big")
            identity = (1_000 * number, _digest(10, seed, number), (tournament, number, group))
            yield play_match([players[name] for name in seated], seated, piles, ending, match_seed, identity)


def _digest(size: int, seed: int, purpose: int | str) -> bytes:
    return blake2b(f"{seed} {purpose}".encode(), digest_size=size).digest()


def run_bots(
    factory: Callable[[int], Bot],
    tokens: Sequence[str],
    *,
    server: str | None = None,
    tournament: str | None = None,
    ca: str | None = None,
    bots_per_actor: int = 50,
    resources: Mapping[str, Any] | None = None,
) -> list[Summary]:
    """Runs a bot for each token until its tournament has ended, in actors of the cluster, and returns the summaries in the same order.

    `factory(number)` creates the bot of `tokens[number]` in its actor, where `bots_per_actor` bots share an event loop. `resources` are the
    options of an actor, such as `{"num_cpus": 0.5}`. When a node dies, its actors start again elsewhere, and the bots go on with their open
    matches; summaries count only the matches since then. Logs of the actors appear here.

    LastnimError reports a permanent error of a bot, and ends the others.
    """
    if bots_per_actor < 1:
        raise ValueError(f"bots_per_actor: {bots_per_actor}: expected at least 1")
    host = ray.remote(max_restarts=-1, max_task_retries=-1)(BotHost).options(**(resources or {}))
    numbers = [range(len(tokens))[first : first + bots_per_actor] for first in range(0, len(tokens), bots_per_actor)]
    actors = [host.remote() for _ in numbers]
    hosted = [
        actor.run.remote(factory, {number: tokens[number] for number in part}, server, tournament, ca)
        for actor, part in zip(actors, numbers, strict=True)
    ]
    try:
        running = list(hosted)
        while running:
            ended, running = ray.wait(running, timeout=PROGRESS_S)
            # Raises the error of an actor at once.
            ray.get(ended)
            logger.info("%d of %d actors have finished", len(hosted) - len(running), len(hosted))
        return [summary for summaries in ray.get(hosted) for summary in summaries]
    finally:
        for actor in actors:
            ray.kill(actor)


class BotHost:
    """An actor that hosts bots."""

    def __init__(self) -> None:
        logging.basicConfig(level=logging.INFO)

    async def run(
        self, factory: Callable[[int], Bot], tokens: dict[int, str], server: str | None, tournament: str | None, ca: str | None
    ) -> list[Summary]:
        """Runs the bots with these numbers until their tournament has ended."""
        runs = (
            run_async(factory(number), server=server, token=token, tournament=tournament, ca=ca) for number, token in tokens.items()
        )
        return await asyncio.gather(*runs)


def _cpus() -> int:
    """Returns the number of CPUs of the cluster; connects to it, or starts one, if that has not happened yet."""
    if not ray.is_initialized():
        ray.init()
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
