"""The environment for verifiers with two models and with declared rows, and its distribution."""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import tomllib
from lastnim_verifiers.task import AnyTrace
from scripted_endpoint import Messages, Reply
from verifiers.v1.cli.init import scaffold  # pyright: ignore[reportMissingTypeStubs]
from verifiers.v1.configs.cli.init import InitConfig  # pyright: ignore[reportMissingTypeStubs]
from verifiers_runs import has_won, play_episodes, play_tasks

import lastnim
from lastnim.llm import ModelMatch

SOURCE = Path(os.environ["LASTNIM_SOURCE"])
# Matches of these settings never meet a benchmark position.
TWO_MODELS = {"positions": 4, "seed": 5, "seats": [3], "draw_piles": (2, 2), "draw_counters": (2, 4), "opponents": ["rival", "timid"]}


def answer_question(messages: Messages) -> str:
    """Answers like a model that declares for the last seat and takes 1."""
    prompt = messages[0]["content"]
    if "which row do you declare?" in prompt:
        (last,) = re.findall(r"each number from 0 to (\d+)", prompt)
        return json.dumps({"row": list(range(int(last), -1, -1)), "wants": 0, "why": "a plan"})
    return '{"take": 1}'


def replay(traces: list[AnyTrace]) -> ModelMatch:
    """Plays the answers of all traces of a match again, and checks what the traces say about them."""
    data: Any = traces[0].task.data
    match = ModelMatch(data.game, data.opponents, seed=data.seed, rows=data.rows)
    answers = {answer["seat"]: iter(trace.info["answers"]) for trace in traces for answer in trace.info["answers"][:1]}
    while (question := match.next_question()) is not None:
        answer = next(answers[question.seat], None)
        if answer is None:
            break
        assert (question.asks_for, question.ply) == (answer["asks_for"], answer["ply"])
        if question.asks_for == "take":
            assert answer["regret"] == question.regret(answer["take"])
        said = {"row": seats_of(answer), "wants": answer["wants"]} if answer["row"] else {"take": answer["take"]}
        match.answer(question, question.read_reply(json.dumps(said)))
    assert all(next(rest, None) is None for rest in answers.values())
    return match


def seats_of(answer: dict[str, Any]) -> list[int]:
    """Returns a row as seats."""
    return [(answer["seat"] + offset) % len(answer["row"]) for offset in answer["row"]]


def mean_regret(trace: AnyTrace) -> float:
    """Returns the mean regret of the takes in a trace."""
    regrets: list[int] = [answer["regret"] for answer in trace.info["answers"] if answer["asks_for"] == "take"]
    return sum(regrets) / len(regrets)


def test_two_models_play_each_other() -> None:
    episodes, requests = play_episodes(answer_question, TWO_MODELS, rival={"model": "other"})
    assert {request["model"] for request in requests} == {"scripted", "other"}
    assert len(episodes) == 4
    for episode in episodes:
        assert episode.ok
        learner, rival = sorted(episode.traces, key=lambda trace: str(trace.agent.name))
        assert (learner.agent.name, rival.agent.name) == ("agent", "rival")
        # The takes of another model are not for training.
        assert (learner.agent.trainable, rival.agent.trainable) == (True, False)
        data: Any = learner.task.data
        seats = [{answer["seat"] for answer in trace.info["answers"]} for trace in (learner, rival)]
        assert seats == [{data.game["first"]}, {(data.game["first"] + 1) % 3}]
        match = replay([learner, rival])
        for trace in (learner, rival):
            assert trace.reward == pytest.approx(-mean_regret(trace) / 2)
            (seat,) = {answer["seat"] for answer in trace.info["answers"]}
            assert has_won(trace) == (match.winner == seat)
            assert trace.metrics["ended"] == float(match.winner is not None)
    assert any(trace.metrics["ended"] for episode in episodes for trace in episode.traces)


def test_a_model_that_plays_itself_trains_both_seats() -> None:
    (episode, *_), requests = play_episodes(answer_question, TWO_MODELS | {"positions": 1})
    assert {request["model"] for request in requests} == {"scripted"}
    assert all(trace.agent.trainable for trace in episode.traces) and len(episode.traces) == 2


def test_each_question_to_two_models_is_a_separate_conversation() -> None:
    def script(messages: Messages) -> str:
        return answer_question(messages) if len(messages) > 1 else "I do not know"

    _, requests = play_episodes(script, TWO_MODELS | {"positions": 1})
    assert {len(request["messages"]) for request in requests} == {1, 3}
    for request in requests:
        assert request["messages"][0]["content"].startswith("You play a match of Last Nim.")
        assert [message["role"] for message in request["messages"]] in (["user"], ["user", "assistant", "user"])


def test_models_are_asked_for_rows() -> None:
    settings = TWO_MODELS | {"rows": "declared", "positions": 6}
    episodes, _ = play_episodes(answer_question, settings)
    for episode in episodes:
        assert episode.ok
        replay(list(episode.traces))
        for trace in episode.traces:
            row, *takes = trace.info["answers"]
            assert (row["asks_for"], row["ply"], row["position"], row["wants"], row["why"], row["regret"]) == ("row", None, None, 0, "a plan", 0)
            assert seats_of(row) == [2, 1, 0]
            assert all(take["asks_for"] == "take" for take in takes)
            assert trace.metrics["questions"] == 1 + len(takes)
            # A row costs nothing, also if the match ends before the first take.
            assert trace.reward == pytest.approx(-mean_regret(trace) / 2 if takes else 0)
    assert any(len(trace.info["answers"]) > 1 for episode in episodes for trace in episode.traces)


def test_rows_against_house_bots() -> None:
    traces, calls = play_tasks(answer_question, {"positions": 2, "rows": "declared", "opponents": ["greedy"]})
    assert all(trace.ok and trace.info["answers"][0]["asks_for"] == "row" for trace in traces)
    for trace in traces:
        assert [{"role": "user", "content": trace.task.data.prompt}] in calls
        replay([trace])


def test_wins_can_be_rewarded() -> None:
    weights = {"rewards": {"won": {"weight": 1.0}, "minus_regret": {"weight": 0.0}}}
    (episode, *_), _ = play_episodes(answer_question, TWO_MODELS | {"rows": "declared", "task": weights})
    match = replay(list(episode.traces))
    for trace in episode.traces:
        (seat,) = {answer["seat"] for answer in trace.info["answers"]}
        assert trace.reward == float(match.winner == seat)


def test_a_row_without_an_answer_costs_the_maximum() -> None:
    (trace,), calls = play_tasks(lambda _: '{"row": [7]}', {"positions": 1, "rows": "declared"})
    (asked,) = trace.info["answers"]
    assert (asked["row"], asked["failures"], len(calls)) == (None, ["illegal"] * 3, 3)
    assert trace.reward == -1.0 and trace.metrics["answered"] == 0


def test_a_limit_of_one_model_ends_the_match_for_both() -> None:
    (episode,), requests = play_episodes(answer_question, TWO_MODELS | {"positions": 1}, rival={"max_turns": 1, "model": "other"})
    learner, rival = sorted(episode.traces, key=lambda trace: str(trace.agent.name))
    assert episode.ok and rival.stop_condition == "max_turns"
    assert [len(trace.info["answers"]) for trace in (learner, rival)] == [2, 1]
    assert [request["model"] for request in requests] == ["scripted", "other", "scripted"]
    assert learner.metrics["ended"] == 0


@pytest.mark.parametrize(("bad", "words"), [(400, "400"), ([], "")])
def test_an_endpoint_that_fails_one_model_fails_the_episode(bad: Reply, words: str) -> None:
    def script(messages: Messages) -> Reply:
        return bad if "You are seat 1" in messages[0]["content"] else answer_question(messages)

    episodes, _ = play_episodes(script, TWO_MODELS | {"opponents": ["rival"]})
    failed = [trace for episode in episodes for trace in episode.traces if trace.errors]
    assert failed and all(words in str(trace.errors[-1].message) for trace in failed)
    assert not any(episode.ok or episode.errors for episode in episodes)


def test_only_this_environment_plays_with_a_second_model() -> None:
    (episode,), requests = play_episodes(answer_question, TWO_MODELS | {"positions": 1}, id="best-of-n", n=1, agent={"runtime": {"type": "subprocess"}})
    (trace,) = episode.traces
    assert not requests and "opponents: rival: only the environment lastnim-verifiers" in str(trace.errors[-1].message)


def test_the_distribution_is_made_like_the_scaffold_of_the_library(tmp_path: Path) -> None:
    own = SOURCE / "python" / "lastnim_verifiers"
    made = scaffold(InitConfig(name="lastnim-verifiers", path=str(tmp_path), add_tool=False, add_harness=True))
    for path in made.rglob("*"):
        assert (own / path.relative_to(made)).exists(), path
    ours, theirs = (tomllib.loads((folder / "pyproject.toml").read_text()) for folder in (own, made))
    for table in ("build-system", "tool"):
        assert ours[table] == theirs[table]
    assert ours["project"].keys() >= theirs["project"].keys()
    assert ours["project"]["requires-python"] == theirs["project"]["requires-python"]
    headings = [re.findall(r"^#+ .*$", (folder / "README.md").read_text(), re.MULTILINE) for folder in (own, made)]
    assert headings[0] == headings[1]
    assert version("lastnim-verifiers") == lastnim.__version__
