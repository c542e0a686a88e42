"""Matches in this process."""

from __future__ import annotations

import asyncio
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

import lastnim
from lastnim.messages import OfferId, Pact, PactMember, PactRelation, Standing
from lastnim.testing import TestServer


class Half(lastnim.Bot):
    """Takes half of a pile, and remembers its turns."""

    def __init__(self) -> None:
        self.turns: list[lastnim.Turn] = []
        self.ends: list[lastnim.MatchEnd] = []

    def play(self, turn: lastnim.Turn) -> int:
        self.turns.append(turn)
        return -(-turn.counters // 2)

    def ended(self, end: lastnim.MatchEnd) -> None:
        self.ends.append(end)


def test_a_match_is_played_and_recorded() -> None:
    bot = Half()
    record = lastnim.play(bots=[bot, "oracle", "greedy"], piles=[3, 4, 5])
    assert record.setup.bots == ("half", "oracle", "greedy")
    assert sum(record.takes) == 12
    assert record.takes[0] == 3
    assert [turn.ply for turn in bot.turns] == [ply.ply for ply in record.plies if ply.seat == 0]
    audit = record.audit
    assert audit is not None and audit.winner == record.winner
    (end,) = bot.ends
    assert end.reason == "finished" and end.won == (record.winner == 0)
    assert end.figures is not None and end.figures.takes == len(bot.turns)
    # The record is intact but unsigned.
    assert record.verify().flaw == "unsigned"
    # The oracle never errs.
    assert audit.seats[1].regret == 0


def test_house_bots_see_the_takes_so_far() -> None:
    record = lastnim.play(bots=[Half(), "mirror"], piles=[3, 20])
    assert tuple(record.takes) == (10, 10, 2, 1)
    with pytest.raises(ValueError, match="PLIES \"9\": expected a whole number from 1 to 8"):
        lastnim.play(bots=["oracle", "minimax-9"], piles=[3])


def test_rows_are_declared_or_assigned() -> None:
    class Friendly(Half):
        def declare(self, match: lastnim.Match) -> list[int]:
            assert (match.seat, match.seats) == (1, 3)
            return [1, 0, 2]

    record = lastnim.play(bots=["timid", Friendly(), "timid"], piles=[2, 2], first=2)
    assert record.rows == ((0, 1, 2), (1, 0, 2), (0, 1, 2))
    assert record.setup.bots == ("timid", "friendly", "timid-2")
    assert record.setup.assigned is None and record.plies[0].seat == 2
    rows = [[1, 0], [0, 1]]
    given = lastnim.play(bots=["timid", "random"], piles=[5], matrix=rows, seed=3, ending="last_mover_wins")
    assert given.setup.assigned == given.rows == ((1, 0), (0, 1))
    again = lastnim.play(bots=["timid", "random"], piles=[5], matrix=rows, seed=3, ending="last_mover_wins")
    assert given.takes == again.takes


def test_coroutines_play() -> None:
    class Slow(Half):
        async def play(self, turn: lastnim.Turn) -> int:  # type: ignore[override]
            await asyncio.sleep(0)
            return 1

    assert lastnim.play(bots=[Slow(), "oracle"], piles=[4]).match.plies > 0

    async def main() -> lastnim.Record:
        return await lastnim.play_async(bots=[Slow(), Half()], piles=[4])

    assert asyncio.run(main()).takes[0] == 1


def test_the_feed_all_shows_all_takes() -> None:
    class One(Half):
        def play(self, turn: lastnim.Turn) -> int:
            self.turns.append(turn)
            return 1

    class Watcher(One):
        def take_feed(self) -> lastnim.TakeFeed:
            return "all"

    watcher = Watcher()
    record = lastnim.play(bots=["oracle", watcher, "greedy"], piles=[900, 600, 600], matrix=[[0, 1, 2]] * 3)
    for turn in watcher.turns:
        assert tuple(seen.take for seen in turn.seen_takes) == record.takes[: turn.ply]
        assert all(seen.before.ply == seen.ply and seen.mover == "bot" for seen in turn.seen_takes)
    watcher, other = Watcher(), One()
    long = lastnim.play(bots=[watcher, other], piles=[1_100])
    assert [seen.ply for seen in watcher.turns[-1].seen_takes] == list(range(long.match.plies - 2 - 1_024, long.match.plies - 2))
    assert all(turn.seen_takes == () for turn in other.turns)


def test_mistakes_of_bots_are_raised() -> None:
    class Wrong(Half):
        answer: object = 9

        def play(self, turn: lastnim.Turn) -> int:
            return self.answer  # type: ignore[return-value]

    with pytest.raises(ValueError, match="wrong, ply 0: a take of 9 from pile 1, which has 2 left: take 1 to 2"):
        lastnim.play(bots=[Wrong(), "oracle"], piles=[3, 2])
    bot = Wrong()
    bot.answer = None
    with pytest.raises(TypeError, match="play returned None"):
        lastnim.play(bots=[bot, "oracle"], piles=[3])

    class Unfair(Half):
        def declare(self, match: lastnim.Match) -> list[int]:
            return [0, 0]

    with pytest.raises(ValueError, match=r"unfair declared \(0, 0\)"):
        lastnim.play(bots=[Unfair(), "oracle"], piles=[3])
    with pytest.raises(ValueError, match='house bot "orakle"'):
        lastnim.play(bots=["orakle", "oracle"], piles=[3])
    with pytest.raises(ValueError, match="bots: 1 bots"):
        lastnim.play(bots=["oracle"], piles=[3])
    with pytest.raises(ValueError, match="0 piles"):
        lastnim.play(bots=["oracle", "greedy"], piles=[])


class Ally(Half):
    """Greets, offers `second` a pact, and accepts the offers that it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.heard_rounds: list[int] = []

    async def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message] | None:
        assert round.match.dealt_row is not None and round.time_left_ms == 60_000
        if round.match.seat == 0 and round.round == 0:
            members = tuple(PactMember(seat, (PactRelation(1, 0),)) for seat in (0, 1))
            return [lastnim.Message("hello"), lastnim.Message(offer=Pact(members))]
        return [lastnim.Message(accept=said.offer_id) for said in round.match.messages if said.offer and said.seat != round.match.seat]

    def heard(self, match: lastnim.Match, round: int) -> None:
        self.heard_rounds.append(len(match.messages))


TALK: dict[str, object] = {"rounds": 2, "pacts": True, "privacy": "published"}


def test_bots_talk_and_sign_pacts() -> None:
    bots = [Ally(), Ally(), Ally()]
    record = lastnim.play(bots, piles=[3, 4], deal="self_first", talk=TALK)
    # The third seat is no member of the pact.
    assert [bot.heard_rounds for bot in bots] == [[2, 3], [2, 3], [1, 1]]
    assert record.verify().flaw == "unsigned"
    audit = record.audit
    assert audit is not None and audit.talk is not None and audit.dealt is not None and audit.dealt.rows is not None
    assert all(row[0] == 0 for row in audit.dealt.rows) and record.rows == audit.dealt.rows
    assert len(audit.talk.pacts) == 1
    assert [turn.match.messages[0].text for turn in bots[2].turns] == ["hello"] * len(bots[2].turns)

    class Mute(Half):
        def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
            return [lastnim.Message("")]

    with pytest.raises(ValueError, match="mute, round 0 of talk: a text of 0 characters: expected 1 to 500"):
        lastnim.play([Mute(), "oracle", "greedy"], piles=[3], talk=TALK)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (lastnim.Message("x", to=[-1]), "seat -1: expected 0 to 31"),
        (lastnim.Message("x", to=[2**70]), f"seat {2**70}: expected 0 to 31"),
        (lastnim.Message(claim=[-1, 0, 1]), "each of 0 to n-1 must appear once"),
        (lastnim.Message(accept=OfferId(0, -1, 0)), "round -1: expected 0 to 4294967295"),
        (lastnim.Message(offer=Pact((PactMember(-1, ()),))), "seat -1: expected 0 to 31"),
        (lastnim.Message("x", to=[3]), "seat 3"),
    ],
)
def test_a_message_with_an_impossible_number_is_a_value_error(message: lastnim.Message, why: str) -> None:
    class Wrong(Half):
        def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
            return [message]

    with pytest.raises(ValueError, match=f"wrong, round 0 of talk: .*{re.escape(why)}"):
        lastnim.play([Wrong(), "oracle", "greedy"], piles=[3], talk=TALK)


def test_numbers_of_numpy_are_plain_numbers() -> None:
    numpy: Any = pytest.importorskip("numpy")
    rows = [[0, 1, 2], [1, 0, 2]]
    plain = lastnim.play(["random", "greedy", "liar"], [3, 4], deal=rows, talk={"rounds": 1}, first=1, seed=7)
    talk = {"rounds": numpy.int64(1)}
    given = lastnim.play(
        ["random", "greedy", "liar"],
        numpy.array([3, 4]),
        deal=numpy.array(rows),
        talk=talk,
        first=numpy.int64(1),
        seed=numpy.uint64(7),
    )
    assert (given.takes, given.rows, given.setup.piles) == (plain.takes, plain.rows, plain.setup.piles)
    matrix = numpy.array([[0, 1], [1, 0]])
    assert lastnim.play(["oracle", "greedy"], [3], matrix=matrix).rows == ((0, 1), (1, 0))


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_has_64_bits(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seed: {seed}: expected 0 to 18446744073709551615"):
        lastnim.play([Half(), Half()], piles=[3], seed=seed)
    assert lastnim.play(["random", "random"], piles=[3], seed=2**64 - 1).match.plies > 0


def test_house_bots_talk_alike_for_the_same_seed() -> None:
    def talked(seed: int) -> Any:
        rows = [[0, 1, 2, 3], [0, 2, 3, 1], [2, 0, 1, 3]]
        record = lastnim.play(["keeper", "breaker", "naive", "liar"], piles=[2, 3, 3], deal=rows, talk=TALK, seed=seed)
        assert record.audit is not None and record.audit.dealt is not None
        return record.takes, record.rows, record.audit.dealt, record.audit.talk

    assert talked(5) == talked(5)
    assert len({str(talked(seed)) for seed in range(6)}) > 1


def test_mistakes_in_the_settings_of_talk_are_named() -> None:
    def refused(**settings: Any) -> str:
        with pytest.raises(ValueError) as error:
            lastnim.play(["oracle", "greedy", "liar"], piles=[3], **settings)
        return str(error.value)

    assert "talk.rounds: rounds is 9: expected a whole number from 1 to 4" in refused(talk={"rounds": 9})
    assert "loudness" in refused(talk={"loudness": 9})
    assert "nobody declares" in refused(talk=TALK, matrix=[[0, 1, 2]] * 3)
    assert "expected only one of these" in refused(deal="all", matrix=[[0, 1, 2]] * 3)
    assert "most" in refused(deal="most")
    assert "deal_rows[1]" in refused(deal=[[0, 1, 2], [0, 1]])


def test_positions_look_ahead() -> None:
    position = lastnim.Position.of([3, 4], players=3, seat=1)
    assert (position.pile, position.counters, position.seats) == (1, 4, 3)
    after = position.after(4).after(3)
    assert (after.piles, after.seat, after.ply, after.is_over) == ((0, 0), 0, 2, True)
    assert position.solve() == lastnim.solve(piles=[3, 4], players=3, first=1)
    with pytest.raises(ValueError, match="no counter is left"):
        after.after(1)
    with pytest.raises(ValueError, match="seat 3"):
        lastnim.Position.of([3, 4], players=3, seat=3)


def test_notebook_drawings(lastnim_server: TestServer) -> None:
    for piles in ([3, 4], [2**63 - 1, 13], [1] * 40):
        drawing = ET.fromstring(lastnim.Position.of(piles, players=3)._repr_html_())  # pyright: ignore[reportPrivateUsage]
        assert drawing.tag.endswith("svg")
        assert "seat 0 of 3 to move" in "".join(drawing.itertext())
    record = lastnim.play(bots=["greedy", "oracle"], piles=[3, 4])
    page = ET.fromstring(f"<div>{record._repr_html_()}</div>")  # pyright: ignore[reportPrivateUsage]
    assert len(page.findall(".//tbody/tr")) == len(record.takes)
    tournament = lastnim_server.create_tournament()
    standings = lastnim_server.standings(tournament)
    line = Standing.__dataclass_fields__
    assert "place" in line
    assert ET.fromstring(standings._repr_html_()).tag == "table"  # pyright: ignore[reportPrivateUsage]
