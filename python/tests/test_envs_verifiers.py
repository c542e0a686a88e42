"""The environment for verifiers: it asks like the bot, and its rewards agree with the oracle."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from games_in_json import THREE_ROWS, game_of
from lastnim_verifiers import LastNimHarness, LastNimHarnessConfig, LastNimTaskset, LastNimTasksetConfig
from lastnim_verifiers.harness import complete
from lastnim_verifiers.task import AnyTrace
from openai import AsyncOpenAI
from pydantic import ValidationError
from scripted_endpoint import Messages, Reply, ScriptedEndpoint
from verifiers_runs import has_won, play_tasks

from lastnim._lastnim import parse_position
from lastnim.llm import EndpointError, ModelMatch

SOURCE = Path(os.environ["LASTNIM_SOURCE"])


def counters_of(messages: Messages) -> int:
    """Returns the counters in the last nonempty pile."""
    (counters,) = re.findall(r"whole number from 1 to (\d+)\.", messages[0]["content"])
    return int(counters)


def all_of(counters: int) -> str:
    """Takes the whole pile."""
    return json.dumps({"why": "all", "win_probability": 0.25, "take": counters})


def test_a_match_is_played_to_its_end_and_rewarded_by_regret() -> None:
    settings = {"positions": 6, "seed": 3, "seats": [3], "opponents": ["greedy", "timid"]}
    traces, calls = play_tasks(lambda messages: all_of(counters_of(messages)), settings)
    assert len(traces) == 6 and all(trace.ok for trace in traces)
    assert sum(len(trace.info["answers"]) for trace in traces) == len(calls) > 6
    seen: set[float] = set()
    for trace in traces:
        data: Any = trace.task.data
        match = ModelMatch(data.game, data.opponents, seed=data.seed)
        regrets: list[int] = []
        for answer in trace.info["answers"]:
            question = match.next_question()
            assert question is not None
            assert (question.ply, question.identity) == (answer["ply"], (answer["position"], "train"))
            regrets.append(question.regret(answer["take"]))
            assert (answer["regret"], answer["why"], answer["failures"]) == (regrets[-1], "all", [])
            assert answer["win_probability"] == 0.25
            match.play(answer["take"])
        assert trace.reward == pytest.approx(-sum(regrets) / len(regrets) / 2)
        assert -1 <= trace.reward <= 0
        assert trace.metrics == {
            "questions": len(regrets),
            "answered": 1.0,
            "accuracy": pytest.approx(regrets.count(0) / len(regrets)),
            "regret_of_answers": pytest.approx(sum(regrets) / len(regrets)),
            "parsable_replies": 1.0,
            "legal_replies": 1.0,
            "ended": float(match.next_question() is None),
        }
        # A match that ends before a benchmark position has no winner.
        assert has_won(trace) == (match.winner == match.seat)
        assert trace.task.data.prompt == trace.nodes[0].message.content
        seen.add(trace.reward)
    assert len(seen) > 1


def test_three_unusable_replies_end_the_match() -> None:
    def script(messages: Messages) -> Reply:
        if len(messages) == 1:
            return "I take them all"
        if "no JSON object" in messages[2]["content"]:
            return '{"take": 1000}'
        return {"message": {"content": '{"ta'}, "finish_reason": "length"}

    (trace,), calls = play_tasks(script, {"positions": 1})
    assert [len(call) for call in calls] == [1, 3, 3]
    assert calls[1][1]["content"] == "I take them all"
    assert calls[2][1]["content"] == '{"take": 1000}'
    (answer,) = trace.info["answers"]
    assert answer["take"] is None and answer["failures"] == ["unparsable", "illegal", "truncated"]
    assert trace.reward == -1.0
    assert trace.metrics["parsable_replies"] == pytest.approx(1 / 3)
    assert (trace.metrics["answered"], trace.metrics["legal_replies"], trace.metrics["accuracy"]) == (0, 0, 0)


def test_a_usable_reply_after_an_unusable_one_counts() -> None:
    def script(messages: Messages) -> str:
        return '{"take": 0}' if len(messages) == 1 else '{"take": 1}'

    (trace,), calls = play_tasks(script, {"positions": 1, "max_questions": 1})
    assert [len(call) for call in calls] == [1, 3]
    assert trace.metrics["questions"] == 1 and trace.metrics["legal_replies"] == 0.5
    assert trace.metrics["parsable_replies"] == 1.0


@pytest.mark.parametrize(("reply", "words"), [(400, "400"), ([], "")])
def test_a_failing_endpoint_is_an_error_without_reward(reply: Reply, words: str) -> None:
    (trace,), _ = play_tasks(lambda _: reply, {"positions": 1})
    assert not trace.ok and words in str(trace.errors[-1].message)
    assert all(reward is None for reward in trace.rewards.values())


@pytest.mark.parametrize("choices", [[], [{"index": 0, "finish_reason": "stop"}], [{"index": 0, "message": None}]])
def test_a_completion_without_a_message_is_an_endpoint_error(choices: list[Any]) -> None:
    async def ask(base_url: str) -> None:
        async with AsyncOpenAI(base_url=base_url, api_key="none") as client:
            await complete(client, "scripted", [("user", "How many?")])

    with ScriptedEndpoint(lambda _: choices) as endpoint:
        with pytest.raises(EndpointError, match=r"^the reply has no choices\[0\]\.message$"):
            asyncio.run(ask(endpoint.base_url))
    assert len(endpoint.calls) == 1


def test_a_limit_of_the_run_ends_the_match() -> None:
    settings = {"positions": 3, "seats": [2], "draw_piles": (5, 5), "opponents": ["timid"]}
    traces, calls = play_tasks(lambda _: '{"take": 1}', settings, {"max_turns": 1})
    assert len(calls) == 3 and all(trace.ok for trace in traces)
    # A match may have reached a benchmark position.
    assert "max_turns" in {trace.stop_condition for trace in traces} <= {"max_turns", "agent_completed"}
    for trace in traces:
        (answer,) = trace.info["answers"]
        assert (answer["take"], trace.metrics["questions"], trace.metrics["answered"]) == (1, 1, 1)
    (trace,), calls = play_tasks(lambda _: "I take 2", {"positions": 1}, {"max_turns": 2})
    assert (len(calls), trace.stop_condition, trace.reward) == (2, "max_turns", -1.0)


def test_a_system_prompt_precedes_the_question(tmp_path: Path) -> None:
    system = tmp_path / "system.md"
    system.write_text("Think first.")
    _, calls = play_tasks(lambda _: '{"take": 1}', {"positions": 1, "max_questions": 1, "system_prompt": system})
    assert [message["role"] for message in calls[0]] == ["system", "user"]
    assert calls[0][0]["content"] == "Think first."


def test_a_custom_template_is_used(tmp_path: Path) -> None:
    template = tmp_path / "short.md"
    template.write_text("{% if question == 'take' %}Piles {{ piles | join(' ') }}{% else %}A row{% endif %}; {{ time_left | int }} s.")
    _, calls = play_tasks(
        lambda _: '{"take": 1}', {"positions": 1, "max_questions": 1, "template": template, "time_left": 9.5}
    )
    assert re.fullmatch(r"Piles [\d ]+; 9 s\.", calls[0][0]["content"])


def tasks_of(**settings: Any) -> list[vf.Task[Any, Any, Any]]:
    """Returns the tasks of a taskset."""
    return list(LastNimTaskset(LastNimTasksetConfig(id="lastnim-verifiers", **settings)))


def test_training_and_benchmarks_never_overlap() -> None:
    # Few kinds of positions, so that the sets would overlap if they could, also during play.
    small = {"seats": [2, 3], "draw_piles": (1, 3), "draw_counters": (1, 4), "opponents": ["random"]}
    traces, _ = play_tasks(lambda _: '{"take": 1}', {"positions": 80, "seed": 1, **small})
    trained = {answer["position"] for trace in traces for answer in trace.info["answers"]}
    kept = {task.data.id for task in tasks_of(split="benchmark", positions=30, seed=2, **small)}
    assert len(trained) > 80 and len(kept) == 30
    assert not trained & kept
    # Some matches ended before a benchmark position.
    assert any(ends_at_benchmark(trace) for trace in traces)


def ends_at_benchmark(trace: AnyTrace) -> bool:
    """Returns whether the next question of a match would be about a benchmark position."""
    data: Any = trace.task.data
    match = ModelMatch(data.game, data.opponents, seed=data.seed)
    for answer in trace.info["answers"]:
        assert match.next_question() is not None
        match.play(answer["take"])
    question = match.next_question()
    assert question is None or (question.identity or ("", ""))[1] == "benchmark"
    return question is not None


def write_dataset(path: Path, *words: str) -> Path:
    """Writes a file of `lastnim oracle dataset`."""
    command = [sys.executable, "-m", "lastnim", "oracle", "dataset", "--output", str(path), *words]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return path


def test_the_positions_of_a_seed_are_those_of_the_dataset(tmp_path: Path) -> None:
    flags = ("--positions", "20", "--seed", "5", "--max-optimal-share", "0.5")
    lines = [json.loads(line) for line in write_dataset(tmp_path / "train.jsonl", *flags).read_text().splitlines()]
    drawn = tasks_of(positions=20, seed=5, max_optimal_share=0.5)
    read = tasks_of(file=tmp_path / "train.jsonl")
    for tasks in (drawn, read):
        assert [(task.data.id, task.data.game) for task in tasks] == [(line["id"], line["game"]) for line in lines]


def test_benchmark_positions_need_their_split(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "benchmark.jsonl", "--positions", "3", "--split", "benchmark")
    with pytest.raises(ValueError, match=r'benchmark.jsonl, line 1: .* is in the set "benchmark", but split is "train"'):
        tasks_of(file=path)
    assert len(tasks_of(file=path, split="benchmark")) == 3
    # The set in the line is ignored.
    path.write_text(path.read_text().replace('"benchmark"', '"train"'))
    with pytest.raises(ValueError, match="line 1"):
        tasks_of(file=path)
    train = write_dataset(tmp_path / "train.jsonl", "--positions", "1")
    with pytest.raises(ValueError, match='is in the set "train"'):
        tasks_of(file=train, split="benchmark")


@pytest.mark.parametrize("line", ["{}", "nonsense", "[]", '{"game": {"piles": [0]}}', '{"game": 3}'])
def test_a_line_without_a_position_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match="train.jsonl, line 2: not a position"):
        tasks_of(file=path)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponents": ["gready"]}, 'house bot "gready"'),
        ({"seats": [1]}, "seats: 1 seat"),
        ({"seats": []}, "seats: empty"),
        ({"draw_piles": (3, 2)}, "3"),
        ({"max_optimal_share": 0.0}, "max_optimal_share: 0: expected a number above 0"),
        ({"seats": [2], "draw_piles": (1, 1), "positions": 1_000}, "positions: 1000 requested, but 200000 draws gave only"),
    ],
)
def test_mistakes_in_positions_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        tasks_of(**settings)


@pytest.mark.parametrize("settings", [{"split": "test"}, {"answers": 0}, {"opponents": []}, {"positions": 0}, {"piles": [3]}])
def test_wrong_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LastNimTasksetConfig(id="lastnim-verifiers", **settings)


def test_position_ids_are_those_of_the_dataset() -> None:
    game = game_of([1, 2, 2], THREE_ROWS, 1)
    split = "train" if int("83e4d56037163584", 16) % 10 else "benchmark"
    assert parse_position(json.dumps(game)) == ("83e4d5603716358481b2543e1c1a215a", split, json.dumps(game, separators=(",", ":")))


def test_missing_keys_of_a_line_have_defaults(tmp_path: Path) -> None:
    # Seat 0 is to move, and the seat to move wins at the end.
    game = {"piles": [4, 3, 0], "alliance_matrix": {"rows": [{"offsets": [0, 1]}, {"offsets": [0, 1]}]}}
    whole = game_of([4, 3], [[0, 1], [0, 1]])
    identity, split, _ = parse_position(json.dumps(whole))
    path = tmp_path / "positions.jsonl"
    path.write_text(json.dumps({"game": game}) + "\n")
    (task,) = tasks_of(file=path, split=split)
    assert (task.data.id, task.data.game) == (identity, whole)


def test_a_remote_runtime_is_refused() -> None:
    harness = LastNimHarness(LastNimHarnessConfig.model_validate({"id": "lastnim-verifiers"}))
    elsewhere: Any = SimpleNamespace(type="docker")
    with pytest.raises(vf.HarnessError, match="runtime docker: .* set the agent's runtime.type to subprocess"):
        asyncio.run(harness.setup(elsewhere))


def test_the_documented_example_runs() -> None:
    page = (SOURCE / "docs" / "how-to" / "train-a-learner.md").read_text()
    (example,) = [block.split("```")[0] for block in page.split("```python\n")[1:] if "verifiers" in block.split("```")[0]]
    with ScriptedEndpoint(lambda _: '{"take": 1}') as endpoint:
        environment = os.environ | {"ENDPOINT": endpoint.base_url, "ENDPOINT_KEY": "none"}
        ran = subprocess.run(
            [sys.executable, "-c", example], env=environment, capture_output=True, text=True, timeout=120, check=True
        )
    assert len(ran.stdout.splitlines()) == 3 and "accuracy" in ran.stdout
    assert endpoint.calls
