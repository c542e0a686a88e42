"""Bots, self-play and audits on a Ray cluster of nodes on this machine, some of which are killed."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import lastnim
from lastnim.ray import audit, play, run_bots
from lastnim.testing import TestServer

ray: Any = importlib.import_module("ray")
implementation: Any = importlib.import_module("lastnim.ray")
POSITIONS = [(3, 4, 5), (2, 7), (5, 5, 1, 2)]
PATIENCE_S = 60.0
"""The longest wait for the death of a node that a test has used, in seconds."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    made: Any = importlib.import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def half_bot() -> type[lastnim.Bot]:
    # A class of a function is sent to the nodes with its code, which do not have this file.
    class Half(lastnim.Bot):
        def play(self, turn: lastnim.Turn) -> int:
            return -(-turn.counters // 2)

    return Half


def noting_nodes(task: Callable[..., Any], notes: Path) -> Callable[..., Any]:
    """Returns the task with a first step that creates a file in the folder `notes`, named after the node that runs the task."""
    notes.mkdir()

    # A function of a function is sent to the nodes with its code too.
    def run(*arguments: Any) -> Any:
        (notes / ray.get_runtime_context().get_node_id()).touch()
        return task(*arguments)

    return run


def kill_noted(nodes: list[Any], notes: Path, cluster: Any, is_due: Callable[[], bool] = lambda: True) -> Future[None]:
    """Kills the first of these nodes that is noted, once `is_due` returns True. The result is ready when the node is dead."""
    killed: Future[None] = Future()

    def kill() -> None:
        try:
            while not (found := [node for node in nodes if (notes / node.node_id).exists()] if is_due() else []):
                time.sleep(0.05)
            cluster.remove_node(found[0], allow_graceful=False)
            killed.set_result(None)
        except Exception as error:
            killed.set_exception(error)

    # A test that fails before a node is due does not wait for this thread.
    threading.Thread(target=kill, daemon=True).start()
    return killed


def test_self_play_depends_on_the_seed_alone(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots: dict[str, Any] = {"half": half_bot(), "oracle": "oracle", "random": "random", "greedy": "greedy"}
    one, two, other = (tmp_path / f"{name}.parquet" for name in ("one", "two", "other"))
    assert play(bots, POSITIONS, 120, 7, one, seats=3, workers=1) == 360
    notes = tmp_path / "notes"
    monkeypatch.setattr(implementation, "_play_groups", noting_nodes(implementation._play_groups, notes))
    killed = kill_noted([cluster.add_node(num_cpus=1)], notes, cluster)
    assert play(bots, POSITIONS, 120, 7, two, seats=3) == 360
    killed.result(PATIENCE_S)
    assert one.read_bytes() == two.read_bytes()
    assert play(bots, POSITIONS, 120, 8, other, seats=3) == 360
    assert one.read_bytes() != other.read_bytes()
    records = list(lastnim.read_parquet(one))
    assert {record.setup.piles for record in records} == set(POSITIONS)
    assert {name for record in records for name in record.setup.bots} == set(bots)
    assert [record.match.tournament_number for record in records] == list(range(360))
    report = lastnim.audit_records([one], unsigned=True)
    assert report["matches"] == 360 and report["records"]["missing"] == []
    with pytest.raises(ValueError, match="seats: 5: expected 2 to 4, for 4 bots"):
        play(bots, POSITIONS, 1, 7, one, seats=5)


def test_an_audit_survives_the_death_of_a_node(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[Path] = []
    play({"oracle": "oracle", "greedy": "greedy", "random": "random"}, POSITIONS, 90, 3, tmp_path / "all.parquet")
    records = list(lastnim.read_parquet(tmp_path / "all.parquet"))
    for number in range(6):
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_text("".join(record.text for record in records[number::6]))
    whole = lastnim.audit_records(files, unsigned=True, seed=5)
    notes = tmp_path / "notes"
    monkeypatch.setattr(implementation, "_audit_part", noting_nodes(implementation._audit_part, notes))
    killed = kill_noted([cluster.add_node(num_cpus=1)], notes, cluster)
    assert audit(files, parts=6, unsigned=True, seed=5) == whole
    killed.result(PATIENCE_S)
    assert audit(files, bot="random", unsigned=True) == lastnim.audit_records(files, bot="random", unsigned=True)
    with pytest.raises(ValueError, match="parts: 0: expected at least 1"):
        audit(files, parts=0)


def test_bots_go_on_when_their_node_dies(cluster: Any, tmp_path: Path) -> None:
    class Slow(half_bot()):  # type: ignore[misc]
        async def play(self, turn: lastnim.Turn) -> int:
            import asyncio

            await asyncio.sleep(0.05)
            return turn.counters

    nodes = [cluster.add_node(num_cpus=1, resources={"bots": 4}) for _ in range(2)]
    with TestServer() as server:
        tokens = [server.add_bot(f"bot-{number}") for number in range(4)]
        tournament = server.create_tournament(piles=[(2, 1 + pile) for pile in range(25)], start_when=4, concurrency=4)

        def all_have_played() -> bool:
            return min((standing.matches for standing in server.standings(tournament)), default=0) >= 5

        def new_slow(_number: int) -> lastnim.Bot:
            return Slow()

        notes = tmp_path / "notes"
        new_bot = noting_nodes(new_slow, notes)
        # Bots take some seconds to start, and longer on a busy machine.
        killed = kill_noted(nodes, notes, cluster, all_have_played)
        # Each node has room for all actors, so those of the dead node find a place.
        options = {"num_cpus": 0, "resources": {"bots": 1}, "scheduling_strategy": "SPREAD"}
        summaries = run_bots(
            new_bot, tokens, server=server.address, tournament=tournament, bots_per_actor=1, resources=options
        )
        killed.result(PATIENCE_S)
        standings = server.standings(tournament)
    assert len(summaries) == 4
    matches = {standing.bot: standing.matches for standing in standings}
    assert len(set(matches.values())) == 1, matches
    assert sum(standing.forfeits for standing in standings) == 0
    # The bots of the dead node began again, and count only the matches since then.
    assert any(summary.matches < matches["bot-0"] for summary in summaries)
    for node in nodes:
        if node in cluster.list_all_nodes():
            cluster.remove_node(node)
    with pytest.raises(ValueError, match="bots_per_actor: 0: expected at least 1"):
        run_bots(lambda number: Slow(), tokens, bots_per_actor=0)
