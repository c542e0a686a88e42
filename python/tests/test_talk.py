"""Bots that talk, on a real server in this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest

import lastnim
from lastnim.messages import Pact, PactMember, PactRelation
from lastnim.testing import TestServer


class Ending(lastnim.Bot):
    """Notes the end of its match."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.last: lastnim.MatchEnd | None = None

    def play(self, turn: lastnim.Turn) -> int:
        return 1

    def ended(self, end: lastnim.MatchEnd) -> None:
        self.last = end
        self.end.set()


class Talker(Ending):
    """Greets everyone, and claims a row to `naive`."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[lastnim.TalkRound] = []
        self.reports: list[tuple[int, int]] = []

    def talk(self, round: lastnim.TalkRound) -> Sequence[lastnim.Message] | None:
        self.rounds.append(round)
        if round.round > 0:
            return ()
        naive = round.match.bots.index("naive")
        return [lastnim.Message("hello"), lastnim.Message(""), lastnim.Message(claim=lastnim.favouring_row(2, 3), to=[naive])]

    def heard(self, match: lastnim.Match, round: int) -> None:
        self.reports.append((round, len(match.messages)))


class Naive(Ending):
    """Answers, and declares the row that `talker` has claimed."""

    async def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message] | None:
        talker = round.match.bots.index("talker")
        return [lastnim.Message("thanks", to=(talker,))] if round.match.last_claim(talker) else []

    async def declare(self, match: lastnim.Match) -> lastnim.Row:
        claim = match.last_claim(match.bots.index("talker"))
        assert claim is not None
        return claim


async def play_exhibition(server: TestServer, bots: dict[str, Ending], **settings: Any) -> str:
    """Plays a match between these bots and a house bot, and returns its id."""
    tokens = {name: server.add_bot(name) for name in bots}
    runs = [asyncio.create_task(lastnim.run_async(bot, server=server.address, token=tokens[name])) for name, bot in bots.items()]
    request = {"bots": [*bots, "oracle"], "piles": [3], "alliance": "declared", **settings}
    match_id: str = server.call("CreateMatch", request)["match"]["id"]
    await asyncio.wait_for(asyncio.gather(*(bot.end.wait() for bot in bots.values())), 60)
    for run in runs:
        run.cancel()
    await asyncio.gather(*runs, return_exceptions=True)
    return match_id


def test_bots_talk_and_hear_what_is_addressed_to_them() -> None:
    talker, naive = Talker(), Naive()
    with TestServer(house=["oracle"]) as server:
        talk = {"rounds": 2, "round_ms": 60_000, "text_chars": 100, "privacy": "private"}
        asyncio.run(play_exhibition(server, {"talker": talker, "naive": naive}, talk=talk))
    assert [(round.round, len(round.match.messages)) for round in talker.rounds] == [(0, 0), (1, 2)]
    assert all(0 < round.time_left_ms <= 60_000 for round in talker.rounds)
    assert talker.rounds[0].match.talk == lastnim.messages.Talk(2, 60_000, 100, "private", False)
    assert talker.reports == [(0, 2), (1, 3)]
    assert talker.last is not None and naive.last is not None
    hello, claim, thanks = talker.last.match.messages
    assert (hello.seat, hello.round, hello.number, hello.to, hello.text, hello.claim) == (0, 0, 0, (), "hello", None)
    assert (claim.number, claim.to, claim.text, claim.claim) == (1, (1,), None, (2, 0, 1))
    assert (thanks.seat, thanks.round, thanks.to, thanks.text) == (1, 1, (0,), "thanks")
    assert naive.last.match.messages == (hello, claim, thanks)


class Partner(Ending):
    """Offers a pact to the other bot, and accepts what it is offered."""

    def __init__(self, offers: bool) -> None:
        super().__init__()
        self.offers = offers

    def talk(self, round: lastnim.TalkRound) -> list[lastnim.Message]:
        promise = (PactRelation(2, 0), PactRelation(2, 1))
        pact = Pact((PactMember(0, promise), PactMember(1, ())))
        if round.round == 0:
            return [lastnim.Message(offer=pact)] if self.offers else []
        return [lastnim.Message(accept=said.offer_id) for said in round.match.messages if said.offer and not self.offers]


def test_bots_sign_a_pact() -> None:
    ann, bob = Partner(offers=True), Partner(offers=False)
    with TestServer(house=["oracle"]) as server:
        talk = {"rounds": 2, "privacy": "published", "pacts": True}
        match_id = asyncio.run(play_exhibition(server, {"ann": ann, "bob": bob}, talk=talk))
        record = server.record(match_id)
    assert record is not None and ann.last is not None and bob.last is not None
    offer, acceptance = bob.last.match.messages
    assert offer.offer is not None and offer.to == (1,) and offer.text is None
    assert [(member.seat, len(member.relations)) for member in offer.offer.members] == [(0, 2), (1, 0)]
    assert acceptance.seat == 1 and acceptance.accept == offer.offer_id
    assert [said.accept for said in ann.last.match.messages] == [None, offer.offer_id]
    assert record.audit is not None and record.audit.talk is not None
    (signed,) = record.audit.talk.pacts
    assert signed.offer == offer.offer_id
    assert [(member.seat, member.word) for member in signed.members] == [(0, "broken"), (1, "kept")]


def test_a_naive_bot_declares_what_it_heard() -> None:
    with TestServer(house=["oracle"]) as server:
        match_id = asyncio.run(play_exhibition(server, {"talker": Talker(), "naive": Naive()}, talk={"rounds": 2}))
        events = server.call("GetRecord", {"match_id": match_id})["record"]["events"]
    declared = {event["declared"]["seat"]: event["declared"]["row"] for event in events if event.get("declared")}
    assert declared[1]["offsets"] == [2, 0, 1]


def test_a_bot_without_talk_declares_at_once() -> None:
    silent = Ending()
    with TestServer(house=["oracle"]) as server:
        match_id = asyncio.run(play_exhibition(server, {"silent": silent}, talk={"rounds": 4, "round_ms": 3_600_000}))
        assert server.record(match_id) is not None
    assert silent.last is not None and not silent.last.forfeited and silent.last.match.messages == ()


@pytest.mark.parametrize("wrong", ["hello", [1], [lastnim.Message("hi", to=[7])], [lastnim.Message(claim=(0, 0))]])
def test_an_answer_that_is_not_a_message_resigns(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(Ending):
        def talk(self, round: lastnim.TalkRound) -> Any:
            return wrong

    bot = Wrong()
    with caplog.at_level(logging.ERROR, "lastnim"), TestServer(house=["oracle"]) as server:
        asyncio.run(play_exhibition(server, {"wrong": bot}, talk={"rounds": 1}))
    assert bot.last is not None and bot.last.forfeited
    assert "talk failed: the seat is resigned" in caplog.text


def test_a_message_has_one_content() -> None:
    for wrong in ({}, {"text": "a", "claim": (0, 1)}):
        with pytest.raises(TypeError, match="a text, a claim, an offer and an acceptance"):
            lastnim.Message(**wrong)  # type: ignore[arg-type]
