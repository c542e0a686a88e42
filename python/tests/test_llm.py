"""Questions to language models: their prompts, the reader of answers, and matches."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from games_in_json import THREE_ROWS, game_of

import lastnim
from lastnim.llm import (
    AskedQuestion,
    EndpointError,
    ModelMatch,
    ModelQuestion,
    PromptSettings,
    ask_model,
    ask_row,
    ask_take,
)

HOSTILE_REPLIES: list[tuple[str, str, str, tuple[int | None, str | None, str | None], str]] = [
    # Text, refusal and finish reason; take, reason and failure class, with the failure in words.
    ('{"take": 2}', "", "stop", (2, None, None), ""),
    ('first {"take": 1}, no: {"take": 4}', "", "stop", (None, None, "unparsable"), "different answers, 1 and 4"),
    ('so {"why": "{\\"take\\": 3}", "take": 4}', "", "stop", (4, '{"take": 3}', None), ""),
    ("", "", "stop", (None, None, "empty"), "the reply was empty"),
    ('{"take": 2}', "", "length", (None, None, "truncated"), "ran out of tokens"),
    ('{"take": 2}', "", "MAX_TOKENS", (None, None, "truncated"), "MAX_TOKENS"),
    ("", "", "tool_calls", (None, None, "tool_call"), "calls a tool"),
    ("", "I do not play", "stop", (None, None, "refused"), "the model refused: I do not play"),
    ("I take 2", "", "stop", (None, None, "unparsable"), "no JSON object"),
    ('{"take": 2} {}', "", "stop", (2, None, None), ""),
    ('{"Take": "2",}', "", "stop", (2, None, None), ""),
    ('{"answer": {"take": 2.0}}', "", "stop", (2, None, None), ""),
    ('{"taken": 2}', "", "stop", (None, None, "unparsable"), 'has the key "take"'),
    ('<think>{"take": 2}', "", "stop", (None, None, "unparsable"), "ends inside <think>"),
    ('{"take": 2.5}', "", "stop", (None, None, "unparsable"), "expected a whole number"),
    ('{"take": 99999999999999999999}', "", "stop", (None, None, "unparsable"), "expected a whole number"),
    ('{"take": 0}', "", "stop", (None, None, "illegal"), "take 1 to 5"),
    ('{"take": -3}', "", "stop", (None, None, "illegal"), "a take of -3"),
    ('{"take": 6}', "", "stop", (None, None, "illegal"), "a take of 6 from a pile of 5"),
    ("{" * 20_000, "", "stop", (None, None, "unparsable"), "no JSON object"),
    ('{"a":[{' * 5_000, "", "stop", (None, None, "unparsable"), "no JSON object"),
    ("\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "", "stop", (None, None, "unparsable"), "no JSON object"),
]



@pytest.mark.parametrize(("text", "refusal", "reason", "expected", "words"), HOSTILE_REPLIES)
def test_replies_are_read_as_the_bot_reads_them(
    text: str, refusal: str, reason: str, expected: tuple[Any, ...], words: str
) -> None:
    question = ask_take(game_of([3, 5], THREE_ROWS))
    prompt = question.messages
    reply = question.read_reply(text, refusal, reason)
    assert (reply.take, reply.why, reply.failure) == expected
    assert (reply.ply, reply.row, reply.wants) == (0, None, None)
    detail = reply.detail
    assert words in (detail or "")
    if reply.failure is None:
        assert question.messages == prompt
        return
    assert detail is not None
    said, heard = question.messages[1:]
    assert question.messages[0] == prompt[0]
    assert said == ("assistant", text[-4_000:] if text.strip() else "(no answer)")
    example = 'Answer the question again, and end your reply with one JSON object of the form {"take": NUMBER}.'
    assert heard == ("user", f"Your answer cannot be used: {detail}. {example}")


@pytest.mark.parametrize(("reason", "failure"), [("content_filter", "filtered"), ("error", "server_error")])
def test_faults_of_the_endpoint_do_not_change_the_question(reason: str, failure: str) -> None:
    question = ask_take(game_of([3, 5], THREE_ROWS))
    prompt = question.messages
    reply = question.read_reply('{"take": 2}', "", reason)
    assert (reply.take, reply.failure, reply.fault) == (None, failure, "endpoint")
    assert question.messages == prompt


def test_a_model_reads_its_own_words() -> None:
    match = ModelMatch(game_of([3, 5], THREE_ROWS), ["timid", "timid"])
    question = match.next_question()
    assert question is not None
    match.answer(question, question.read_reply('{"why": "it is safe", "win_probability": 0.5, "take": 1}'))
    later = match.next_question()
    assert later is not None
    (_, prompt), = later.messages
    assert "At ply 0 you took 1." in prompt and "Your reason: it is safe" in prompt


def test_a_reply_without_finish_reason_is_complete() -> None:
    assert ask_take(game_of([3, 5], THREE_ROWS)).read_reply('{"take": 1}', "", None).take == 1


def test_regrets_are_those_of_the_oracle() -> None:
    for piles in ([3, 5], [1, 2, 2], [9, 4, 7]):
        question = ask_take(game_of(piles, THREE_ROWS))
        solved = lastnim.explain(piles=piles, matrix=THREE_ROWS)
        for option in solved.options:
            assert option.takes is not None
            for take in range(option.takes.lo, option.takes.hi + 1):
                assert question.regret(take) == option.regret
    with pytest.raises(ValueError, match="take"):
        ask_take(game_of([3, 5], THREE_ROWS)).regret(6)


@pytest.mark.parametrize(
    ("bots", "changes", "words"),
    [
        (["a", "b"], {}, "bots: 2 names: expected 3, one per seat"),
        (["a", "b", "?"], {}, "bot"),
        (None, {"time_left": -1.0}, "time_left: -1"),
        (None, {"template": "{{ nothing }}"}, "undefined value"),
        (None, {"prompt_version": 4}, "prompt_version: 4: expected 1 to 3"),
        (None, {"prompt_version": 1, "template": "x"}, "prompt_version: 1"),
        (None, {"scoring": "wins"}, 'scoring: "wins": expected one of win, satisfaction, none, unknown'),
        (None, {"think": "after"}, 'think: "after": expected none or before'),
        (None, {"memory": "all"}, 'memory: "all": expected none or match'),
    ],
)
def test_mistakes_in_questions_are_named(bots: list[str] | None, changes: dict[str, Any], words: str) -> None:
    game, prompts = game_of([3, 5], THREE_ROWS), PromptSettings(**changes)
    with pytest.raises(ValueError, match=re.escape(words)):
        ask_take(game, bots=bots, prompts=prompts)
    with pytest.raises(ValueError, match=re.escape(words)):
        ask_row(game, 1, bots=bots, prompts=prompts)


@pytest.mark.parametrize(
    ("game", "takes", "words"),
    [
        (game_of([3, 5], THREE_ROWS), [6], "take"),
        (game_of([1], THREE_ROWS), [1], "no counter"),
        (game_of([0], THREE_ROWS), [], "no counter"),
        ({"piles": [3]}, [], "alliance_matrix"),
    ],
)
def test_mistakes_in_games_are_named(game: dict[str, Any], takes: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask_take(game, takes)


def test_a_seat_outside_the_match_is_named() -> None:
    with pytest.raises(ValueError, match="3"):
        ask_row(game_of([3, 5], THREE_ROWS), 3)


def test_rows_are_read_as_offsets() -> None:
    question = ask_row(game_of([3, 5], THREE_ROWS), 2)
    assert (question.asks_for, question.seat, question.seats, question.ply, question.identity) == ("row", 2, 3, None, None)
    assert "You are seat 2" in question.messages[0][1] and "which row do you declare?" in question.messages[0][1]
    reply = question.read_reply('{"row": [1, 2, 0], "wants": 0, "win_probability": 0.25, "why": "a friend"}')
    # Seats 1, 2 and 0, seen from seat 2.
    assert (reply.row, reply.take, reply.wants, reply.why, reply.win_probability) == ([2, 0, 1], None, 0, "a friend", 0.25)
    bad = question.read_reply('{"row": [1, 1, 0]}')
    assert (bad.row, bad.failure, bad.fault) == (None, "illegal", "model") and len(question.messages) == 3
    with pytest.raises(ValueError, match="only takes have regret"):
        question.regret(1)
    # Version 1 of the prompt asks for offsets.
    old = ask_row(game_of([3, 5], THREE_ROWS), 2, prompts=PromptSettings(prompt_version=1))
    assert old.read_reply('{"row": [1, 2, 0]}').row == [1, 2, 0]


def test_memory_follows_the_setting() -> None:
    game = game_of([3, 5], THREE_ROWS)
    said = [ask_take(game).read_reply(text) for text in ('{"take": 1, "why": "it is safe"}', "nothing usable")]
    remembered = ask_take(game, [1, 1, 1], said=said)
    assert "it is safe" in remembered.messages[0][1] and "nothing" not in remembered.messages[0][1]
    forgotten = ask_take(game, [1, 1, 1], said=said, prompts=PromptSettings(memory="none"))
    assert forgotten.messages == ask_take(game, [1, 1, 1]).messages


def answer_of(question: ModelQuestion) -> str:
    """Answers a question: a row in the order of the seats, or a take of 1."""
    return '{"row": [0, 1, 2], "wants": 1}' if question.asks_for == "row" else '{"take": 1}'


def test_models_declare_and_play_against_each_other() -> None:
    match = ModelMatch(game_of([2, 2], THREE_ROWS, first=1), ["rival", "greedy"], rows="declared")
    assert (match.seats, match.seat, match.model_seats, match.winner) == (3, 1, [1, 2], None)
    asked: list[tuple[str, int, int | None]] = []
    while (question := match.next_question()) is not None:
        asked.append((question.asks_for, question.seat, question.ply))
        (_, prompt), = question.messages
        assert "Each seat declares its row before play" in prompt
        if question.asks_for == "take":
            assert "You said that you would truly like seat 1 to win." in prompt
            own = [ply for kind, seat, ply in asked[:-1] if kind == "take" and seat == question.seat]
            assert all(f"At ply {ply} you took 1." in prompt for ply in own)
            # Nobody reads the words of others.
            assert prompt.count("you took") == len(own)
        match.answer(question, question.read_reply(answer_of(question)))
    assert asked[:3] == [("row", 1, None), ("row", 2, None), ("take", 1, 0)]
    assert {seat for _, seat, _ in asked} == {1, 2}
    # The winner is the seat whose turn it is without counters.
    assert match.winner == (1 + len(match.takes)) % 3
    assert sum(match.takes) == 4


def test_a_match_names_mistakes() -> None:
    game = game_of([2, 2], THREE_ROWS)
    with pytest.raises(ValueError, match="opponents: empty"):
        ModelMatch(game, [])
    with pytest.raises(ValueError, match='house bot "gready"'):
        ModelMatch(game, ["gready"])
    with pytest.raises(ValueError, match="rows: 'free': expected assigned or declared"):
        ModelMatch(game, ["oracle"], rows="free")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    match = ModelMatch(game, ["oracle"], rows="declared")
    with pytest.raises(ValueError, match="take 1: not all rows are declared"):
        match.play(1)
    question = match.next_question()
    assert question is not None
    with pytest.raises(ValueError, match="the reply is unusable: the reply was empty"):
        match.answer(question, question.read_reply(""))


def test_a_model_is_asked_again_until_it_answers() -> None:
    calls: list[list[tuple[str, str]]] = []
    replies = ["I take them all", '{"take": 9}', '{"take": 2, "why": "half"}']

    async def call(messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
        calls.append(list(messages))
        return replies[len(calls) - 1], "", None

    question = ask_take(game_of([3, 5], THREE_ROWS))
    asked = AskedQuestion.of(question)
    assert not asked.is_answered and asked.regret == 2
    reply = asyncio.run(ask_model(question, asked, call))
    assert (reply.take, asked.take, asked.why, asked.regret) == (2, 2, "half", question.regret(2))
    assert asked.failures == ["unparsable", "illegal"] and [len(messages) for messages in calls] == [1, 3, 3]
    calls.clear()
    again = ask_take(game_of([3, 5], THREE_ROWS))
    asked = AskedQuestion.of(again)
    assert asyncio.run(ask_model(again, asked, call, answers=2)).failure == "illegal"
    assert not asked.is_answered and asked.regret == 2 and len(calls) == 2


def test_a_fault_of_the_endpoint_is_raised() -> None:
    async def call(messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
        return '{"take": 1}', "", "content_filter"

    question = ask_take(game_of([3, 5], THREE_ROWS))
    asked = AskedQuestion.of(question)
    with pytest.raises(EndpointError, match="^filtered: "):
        asyncio.run(ask_model(question, asked, call))
    assert asked.failures == []
