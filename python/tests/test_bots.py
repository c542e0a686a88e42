"""Bots on a real server in this process."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import lastnim
from lastnim._lastnim import Session
from lastnim.testing import TestServer


class Half(lastnim.Bot):
    """Takes half of a pile, and remembers events."""

    def __init__(self) -> None:
        self.turns: list[lastnim.Turn] = []
        self.ends: list[lastnim.MatchEnd] = []
        self.events: list[object] = []

    def play(self, turn: lastnim.Turn) -> int:
        self.turns.append(turn)
        return -(-turn.counters // 2)

    def ended(self, end: lastnim.MatchEnd) -> None:
        self.ends.append(end)

    def tournament_ended(self, end: lastnim.TournamentEnd) -> None:
        self.events.append(end)

    def connected(self, session: lastnim.Connected) -> None:
        self.events.append(session)


@pytest.fixture
def server() -> Iterator[TestServer]:
    with TestServer(house=["oracle", "greedy"]) as server:
        yield server


def play_against(server: TestServer, tournament: str, rival: lastnim.Bot, name: str = "rival") -> threading.Thread:
    """Plays a tournament with another bot on a thread."""
    token = server.add_bot(name)
    address = server.address
    thread = threading.Thread(target=lambda: lastnim.run(rival, server=address, token=token, tournament=tournament))
    thread.start()
    return thread


def test_a_bot_plays_a_tournament_to_its_end(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = server.create_tournament(piles=[[3, 4, 5], [2**63 - 1, 2]])
    rival = play_against(server, tournament, Half())
    bot = Half()
    monkeypatch.setenv("LASTNIM_SERVER", server.address)
    monkeypatch.setenv("LASTNIM_TOKEN", server.add_bot("half"))
    monkeypatch.setenv("LASTNIM_TOURNAMENT", tournament)
    summary = lastnim.run(bot)
    rival.join()
    assert (summary.matches, summary.forfeits) == (4, 0)
    assert str(summary).startswith("4 matches, ")
    assert len(bot.ends) == 4
    assert sum(end.won for end in bot.ends) == summary.wins
    connected, end = bot.events
    assert isinstance(connected, lastnim.Connected) and connected.bot == "half"
    assert isinstance(end, lastnim.TournamentEnd) and (end.state, end.matches) == ("finished", 4)
    for turn in bot.turns:
        # Piles only shrink, and the position is consistent.
        assert len(turn.piles) == len(turn.match.piles)
        assert all(left <= start for left, start in zip(turn.piles, turn.match.piles, strict=True))
        assert turn.counters == turn.piles[turn.position.pile] > 0
        assert turn.seat == turn.match.seat
        assert turn.position.rows == ((0, 1), (0, 1))
        assert turn.bank_left_ms is not None and 0 < turn.bank_left_ms <= turn.clock.initial_ms
        assert turn.match.origin is not None and turn.match.origin.tournament == tournament
        assert turn.position.after(1).ply == turn.ply + 1
    assert {line.bot for line in server.standings(tournament)} == {"half", "rival"}


def test_a_row_and_a_hash_are_declared(server: TestServer) -> None:
    class Friendly(Half):
        def declare(self, match: lastnim.Match) -> lastnim.Choice[lastnim.Row]:
            return lastnim.Choice(lastnim.favouring_row(1, match.seats), b"r" * 32)

        def play(self, turn: lastnim.Turn) -> int:
            super().play(turn)
            return 1

    tournament = server.create_tournament(piles=[2, 2])
    rival = play_against(server, tournament, Half())
    bot = Friendly()
    lastnim.run(bot, server=server.address, token=server.add_bot("friendly"), tournament=tournament)
    rival.join()
    assert all(turn.rows[turn.seat] == (1, 0) and turn.rows[1 - turn.seat] == (0, 1) for turn in bot.turns)
    record = server.call("GetRecord", {"match_id": bot.ends[0].match.id})["record"]
    assert base64.b64encode(b"r" * 32).decode() in json.dumps(record)


def test_coroutines_think_about_many_matches_at_once(server: TestServer) -> None:
    at_once = most = 0
    together = asyncio.Event()

    class Slow(lastnim.Bot):
        async def play(self, turn: lastnim.Turn) -> int:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            if most >= 4:
                together.set()
            try:
                await asyncio.wait_for(together.wait(), 60)
            finally:
                at_once -= 1
            return 1

    tournament = server.create_tournament(piles=[[n, 2] for n in range(1, 9)], concurrency=16, bot_concurrency=16)
    rival = play_against(server, tournament, Half())
    summary = lastnim.run(Slow(), server=server.address, token=server.add_bot("slow"), tournament=tournament)
    rival.join()
    assert (summary.matches, summary.forfeits) == (16, 0)
    assert most >= 4


def test_the_queue_of_a_busy_bot_is_bounded(server: TestServer) -> None:
    clock = {"initial_ms": 1_000, "increment_ms": 0, "lag_quota_ms": 0, "lag_total_ms": 0, "declaration_ms": 1_000}
    tournament = server.create_tournament(
        piles=[[n, 2] for n in range(1, 17)], concurrency=8, bot_concurrency=8, clock=clock
    )
    server.call("JoinTournament", {"tournament_id": tournament, "bot": "oracle"})
    variables = {
        "LASTNIM_SERVER": server.address,
        "LASTNIM_TOKEN": server.add_bot("busy"),
        "LASTNIM_TOURNAMENT": tournament,
    }
    # It is asked eight questions at once and reads none. All time out.
    session = Session(variables, 8, None, None, "own_turns")
    until = time.monotonic() + 120
    while server.call("GetTournament", {"tournament_id": tournament})["tournament"]["state"] != "finished":
        assert time.monotonic() < until
        time.sleep(0.1)
    kinds: list[str] = []
    while (notice := session.next(0.0)) is not None:
        kinds.append(notice[0])
    session.stop()
    assert 0 < kinds.count("log") <= 1_025
    # The rest are reports, without questions that were withdrawn before they were read.
    assert len(kinds) - kinds.count("log") <= 8 + 1, kinds


def test_an_exception_forfeits_only_its_match(server: TestServer, caplog: pytest.LogCaptureFixture) -> None:
    class Fragile(Half):
        def play(self, turn: lastnim.Turn) -> int:
            if turn.match.piles == (2, 2):
                raise RuntimeError("this pile is too much")
            return super().play(turn)

        def ended(self, end: lastnim.MatchEnd) -> None:
            super().ended(end)
            raise ValueError("nor this end")

    tournament = server.create_tournament(piles=[[2, 2], [3, 4]])
    rival = play_against(server, tournament, Half())
    bot = Fragile()
    with caplog.at_level(logging.INFO, "lastnim"):
        summary = lastnim.run(bot, server=server.address, token=server.add_bot("fragile"), tournament=tournament)
    rival.join()
    assert (summary.matches, summary.forfeits) == (4, 2)
    assert {end.match.piles for end in bot.ends if end.forfeited} == {(2, 2)}
    failures = [record for record in caplog.records if "the seat is resigned" in record.getMessage()]
    lost = {end.match.id for end in bot.ends if end.forfeited}
    assert len(failures) == 2
    assert {record.getMessage().split()[1].rstrip(":") for record in failures} == lost
    assert all(record.exc_info and "too much" in str(record.exc_info[1]) for record in failures)
    assert sum("ended raised an exception" in record.getMessage() for record in caplog.records) == 4


@pytest.mark.parametrize("answer", [0, -5, 2**70])
def test_an_illegal_take_is_refused_and_asked_again(server: TestServer, answer: int) -> None:
    class Wrong(Half):
        refusals: list[lastnim.Refusal]

        def play(self, turn: lastnim.Turn) -> int:
            super().play(turn)
            return answer if len(self.turns) == 1 else 1

        def refused(self, refusal: lastnim.Refusal) -> None:
            self.events.append(refusal)

    tournament = server.create_tournament(piles=[3])
    rival = play_against(server, tournament, Half())
    bot = Wrong()
    summary = lastnim.run(bot, server=server.address, token=server.add_bot("wrong"), tournament=tournament)
    rival.join()
    refusals = [event for event in bot.events if isinstance(event, lastnim.Refusal)]
    assert [(refusal.reason, refusal.strikes) for refusal in refusals] == [("illegal_take", 1)]
    assert (summary.matches, summary.forfeits) == (2, 0)


@pytest.mark.parametrize("answer", [None, "two", 1.0])
def test_an_answer_that_is_not_a_number_resigns(server: TestServer, answer: object, caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(lastnim.Bot):
        def play(self, turn: lastnim.Turn) -> int:
            return answer  # type: ignore[return-value]

    tournament = server.create_tournament(piles=[3])
    rival = play_against(server, tournament, Half())
    summary = lastnim.run(Wrong(), server=server.address, token=server.add_bot("wrong"), tournament=tournament)
    rival.join()
    assert summary.forfeits >= 1
    assert f"play returned {answer!r}" in caplog.text


def test_practice_meets_the_house_bots(lastnim_server: TestServer) -> None:
    token = lastnim_server.add_bot("half")
    summary = lastnim.practice(Half(), server=lastnim_server.address, token=token, rounds=2, piles=[5, 3])
    assert (summary.matches, summary.forfeits) == (12, 0)
    summary = lastnim.practice(Half(), server=lastnim_server.address, token=token, rivals=["oracle"])
    assert summary.matches == 2


def test_practice_asks_for_rows(lastnim_server: TestServer) -> None:
    class Declaring(Half):
        rows = 0

        def declare(self, match: lastnim.Match) -> lastnim.Row:
            self.rows += 1
            return lastnim.standard_row(len(match.bots))

    bot = Declaring()
    summary = lastnim.practice(bot, server=lastnim_server.address, token=lastnim_server.add_bot("half"))
    assert (summary.matches, bot.rows) == (6, 6)
    assert {len(end.match.bots) for end in bot.ends} == {3}


class Cancelled(lastnim.Bot):
    """Its own code is cancelled, as by a library with time limits."""

    async def play(self, turn: lastnim.Turn) -> int:
        raise asyncio.CancelledError("by the bot")


class PlainlyCancelled(lastnim.Bot):
    def play(self, turn: lastnim.Turn) -> int:
        raise asyncio.CancelledError("by the bot")


class SelfCancelled(lastnim.Bot):
    async def play(self, turn: lastnim.Turn) -> int:
        task = asyncio.current_task()
        assert task is not None
        task.cancel("by the bot")
        await asyncio.sleep(3600)
        return 1


@pytest.mark.parametrize("bot", [Cancelled(), PlainlyCancelled(), SelfCancelled()])
def test_a_cancelled_question_resigns_its_match(
    server: TestServer, bot: lastnim.Bot, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "lastnim"):
        summary = lastnim.practice(bot, server=server.address, token=server.add_bot("cancelled"), rivals=["oracle"])
    assert (summary.matches, summary.forfeits) == (2, 2)
    failures = [record for record in caplog.records if "play failed: the seat is resigned" in record.getMessage()]
    assert len(failures) == 2
    assert all(record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError) for record in failures)


def test_a_notebook_is_told_what_to_await() -> None:
    async def in_notebook() -> None:
        with pytest.raises(RuntimeError, match=r"use `await lastnim\.practice_async\(bot\)`"):
            lastnim.practice(Cancelled(), token="t")
        with pytest.raises(RuntimeError, match=r"use `await lastnim\.run_async\(bot\)`"):
            lastnim.run(Cancelled(), token="t")

    asyncio.run(in_notebook())


def test_it_runs_in_a_running_event_loop(lastnim_server: TestServer) -> None:
    async def main() -> lastnim.Summary:
        token = lastnim_server.add_bot("half")
        return await lastnim.practice_async(Half(), server=lastnim_server.address, token=token)

    assert asyncio.run(main()).matches == 6


def test_cancelling_ends_a_run(lastnim_server: TestServer) -> None:
    class Waiting(Half):
        is_there = asyncio.Event()

        def connected(self, session: lastnim.Connected) -> None:
            self.is_there.set()

    async def main() -> None:
        bot = Waiting()
        token = lastnim_server.add_bot("waiting")
        running = asyncio.create_task(lastnim.run_async(bot, server=lastnim_server.address, token=token))
        await bot.is_there.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())


def test_permanent_errors_are_raised() -> None:
    cases = [
        ({"server": "a b", "token": "x"}, "address", "an address is host:port"),
        ({"token": "x\n"}, "token", "the token has invalid characters"),
        ({"server": "127.0.0.1:1", "token": "x", "give_up_after": 0.0}, "gave_up", "Connection refused"),
        ({"token": "x", "version": "a b"}, "version", "a b"),
        ({"token": "x", "ca": "/no/such/file"}, "ca", "/no/such/file"),
    ]
    for options, code, words in cases:
        with pytest.raises(lastnim.LastnimError, match=words) as refused:
            lastnim.run(Half(), **options)  # type: ignore[arg-type]
        assert refused.value.code == code
    with pytest.raises(ValueError, match="concurrency: 0"):
        lastnim.run(Half(), token="x", concurrency=0)


def test_a_missing_token_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LASTNIM_")]:
        monkeypatch.delenv(name)
    with pytest.raises(lastnim.LastnimError, match="neither LASTNIM_TOKEN nor") as refused:
        lastnim.run(Half())
    assert refused.value.code == "no_token"


def test_a_wrong_token_and_tournament_are_refused(server: TestServer) -> None:
    with pytest.raises(lastnim.LastnimError) as refused:
        lastnim.run(Half(), server=server.address, token="lastnim_" + 64 * "0")
    assert refused.value.code == "refused"
    with pytest.raises(lastnim.LastnimError) as refused:
        lastnim.run(
            Half(),
            server=server.address,
            token=server.add_bot("half"),
            tournament="019f0000-0000-7000-8000-000000000000",
        )
    assert (refused.value.code, refused.value.reason) == ("not_joined", "unknown_tournament")


INTERRUPTED = """
import lastnim, sys, time

class Waiting(lastnim.Bot):
    {play}

    def connected(self, session):
        print("connected", flush=True)

print(lastnim.run(Waiting()), flush=True)
"""
WAYS_TO_WAIT = [
    "def play(self, turn): return 1",
    "async def play(self, turn): return 1",
]


@pytest.mark.parametrize("play", WAYS_TO_WAIT)
def test_an_interrupt_ends_a_run_cleanly(server: TestServer, play: str) -> None:
    environment = os.environ | {"LASTNIM_SERVER": server.address, "LASTNIM_TOKEN": server.add_bot("waiting")}
    bot = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(play=play)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert bot.stdout is not None
    assert bot.stdout.readline() == "connected\n"
    bot.send_signal(signal.SIGINT)
    printed, errors = bot.communicate(timeout=120)
    assert (bot.returncode, errors) == (0, "")
    assert printed.startswith("0 matches, 0 wins")


def test_an_interrupt_stops_a_thinking_bot(server: TestServer) -> None:
    play = 'def play(self, turn): print("thinking", flush=True); time.sleep(600)'
    tournament = server.create_tournament(piles=[3])
    rival = play_against(server, tournament, Half())
    environment = os.environ | {
        "LASTNIM_SERVER": server.address,
        "LASTNIM_TOKEN": server.add_bot("thinker"),
        "LASTNIM_TOURNAMENT": tournament,
    }
    bot = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(play=play)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert bot.stdout is not None
    assert [bot.stdout.readline() for _ in range(2)] == ["connected\n", "thinking\n"]
    bot.send_signal(signal.SIGINT)
    printed, _ = bot.communicate(timeout=120)
    assert bot.returncode == 0 and "0 matches" in printed
    server.call("CancelTournament", {"tournament_id": tournament})
    rival.join()


class Watcher(Half):
    """Takes one counter, and receives all takes."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def take_feed(self) -> lastnim.TakeFeed:
        self.asked += 1
        return "all"

    def play(self, turn: lastnim.Turn) -> int:
        self.turns.append(turn)
        return 1


class AsyncWatcher(Watcher):
    """The same in an event loop."""

    async def play(self, turn: lastnim.Turn) -> int:  # type: ignore[override]
        self.turns.append(turn)
        return 1


def assert_sees_all(turns: list[lastnim.Turn], records: dict[str, lastnim.Record]) -> None:
    """Asserts that each turn shows all takes before it with their positions."""
    assert len(turns) > len(records)
    for turn in turns:
        record = records[turn.match.id]
        assert [seen.ply for seen in turn.seen_takes] == list(range(turn.ply))
        assert tuple(seen.take for seen in turn.seen_takes) == record.takes[: turn.ply]
        assert {seen.mover for seen in turn.seen_takes} <= {"bot"}
        before = lastnim.Position(turn.match.piles, turn.match.first, turn.rows, turn.match.ending)
        for seen in turn.seen_takes:
            assert seen.before == before
            before = before.after(seen.take)
        assert (before.piles, before.seat) == (turn.piles, turn.seat)


@pytest.mark.parametrize("watcher", [Watcher(), AsyncWatcher()])
def test_the_feed_all_shows_all_takes(server: TestServer, tmp_path: Path, watcher: Watcher) -> None:
    tournament = server.create_tournament(piles=[[3, 4, 5], [2**63 - 1, 2]], seats=3, start_when=3)
    rivals = [Half(), Half()]
    threads = [play_against(server, tournament, rival, f"rival-{number}") for number, rival in enumerate(rivals)]
    lastnim.run(
        watcher, server=server.address, token=server.add_bot("watcher"), tournament=tournament, session_log=tmp_path
    )
    for thread in threads:
        thread.join()
    assert watcher.asked == 1
    assert_sees_all(watcher.turns, {end.match.id: server.record(end.match.id) for end in watcher.ends})
    assert all(turn.seen_takes == () for rival in rivals for turn in rival.turns)
    words = [sys.executable, "-m", "lastnim", "audit", "history", str(tmp_path), "--server", server.address, "--json"]
    checked = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (checked.returncode, json.loads(checked.stdout)["contradictions"]) == (0, [])


def test_takes_of_a_forfeited_seat_are_the_stewards(server: TestServer) -> None:
    class Failing(lastnim.Bot):
        def play(self, turn: lastnim.Turn) -> int:
            raise RuntimeError("no idea")

    tournament = server.create_tournament(piles=[[3, 4, 5]])
    rival = play_against(server, tournament, Failing())
    watcher = Watcher()
    lastnim.run(watcher, server=server.address, token=server.add_bot("watcher"), tournament=tournament)
    rival.join()
    others = [seen for turn in watcher.turns for seen in turn.seen_takes if seen.before.seat != turn.seat]
    assert others and {seen.mover for seen in others} == {"steward"}


@pytest.mark.parametrize("given", ["some", 7])
def test_an_unknown_feed_is_refused(server: TestServer, given: object) -> None:
    class Odd(Half):
        def take_feed(self) -> lastnim.TakeFeed:
            return given  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    with pytest.raises((ValueError, TypeError), match="all|str"):
        lastnim.run(Odd(), server=server.address, token=server.add_bot("odd"))


def test_session_logs_agree_with_the_records(server: TestServer, tmp_path: Path) -> None:
    tournament = server.create_tournament(piles=[[3, 4, 5]])
    rival = play_against(server, tournament, Half())
    token = server.add_bot("half")
    lastnim.run(Half(), server=server.address, token=token, tournament=tournament, session_log=tmp_path)
    rival.join()
    (log,) = tmp_path.iterdir()
    text = log.read_text()
    assert token not in text
    events = [json.loads(line)["event"] for line in text.splitlines()]
    assert (events[0], events[-2:]) == ("run_began", ["closed", "run_ended"])

    def check() -> tuple[int, list[str]]:
        words = [sys.executable, "-m", "lastnim", "audit", "history", str(tmp_path), "--server", server.address, "--json"]
        checked = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        verdict = json.loads(checked.stdout)
        assert verdict["checked"] == 2
        return checked.returncode, [found["kind"] for found in verdict["contradictions"]]

    assert check() == (0, [])
    log.write_text(text.replace('"winner":0', '"winner":1', 1) if '"winner":0' in text else text.replace('"winner":1', '"winner":0', 1))
    assert check() == (1, ["end"])
    with pytest.raises(lastnim.LastnimError, match="session log"):
        lastnim.run(Half(), server=server.address, token=token, session_log=tmp_path / "no/such/file")
