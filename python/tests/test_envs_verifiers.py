"""The environment for verifiers: it asks like the bot, and its rewards agree with the oracle."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from openai import AsyncOpenAI
from pydantic import ValidationError
from scripted_endpoint import Messages, Reply, ScriptedEndpoint

import lastnim
from lastnim._lastnim import ModelQuestion, parse_position
from lastnim.envs.verifiers import LastNimHarness, LastNimHarnessConfig, LastNimTaskset, LastNimTasksetConfig, ModelMatch
from lastnim.envs.verifiers.harness import ask_model
from lastnim.envs.verifiers.model_match import AskedTake, PromptSettings
from lastnim.envs.verifiers.task import AnyTrace
from lastnim.testing import TestServer

SOURCE = Path(os.environ["LASTNIM_SOURCE"])
THREE_ROWS = [[0, 2, 1], [0, 1, 2], [0, 2, 1]]

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
    ('{"taken": 2}', "", "stop", (None, None, "unparsable"), 'has "take"'),
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


def game_of(piles: list[int], rows: list[list[int]], first: int = 0) -> dict[str, Any]:
    """Writes a game as JSON."""
    matrix = {"rows": [{"offsets": row} for row in rows]}
    return {"piles": piles, "alliance_matrix": matrix, "first": first, "ending": "to_move_wins"}


def settings_of(said: list[tuple[int, int, str | None, float | None]] | None = None, **changes: Any) -> dict[str, Any]:
    """Returns the settings of prompts, with the model's own takes so far."""
    return {**asdict(PromptSettings(**changes)), "said": said or []}


def question_of(piles: list[int]) -> ModelQuestion:
    """Asks for the first take in a game of three seats."""
    return ModelQuestion(json.dumps(game_of(piles, THREE_ROWS)), [], ["a", "b", "c"], 60.0, settings_of())


@pytest.mark.parametrize(("text", "refusal", "reason", "expected", "words"), HOSTILE_REPLIES)
def test_replies_are_read_as_the_bot_reads_them(
    text: str, refusal: str, reason: str, expected: tuple[Any, ...], words: str
) -> None:
    question = question_of([3, 5])
    prompt = question.messages
    reply = question.read_reply(text, refusal, reason)
    assert (reply.take, reply.why, reply.failure) == expected
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
    question = question_of([3, 5])
    prompt = question.messages
    reply = question.read_reply('{"take": 2}', "", reason)
    assert (reply.take, reply.failure, reply.fault) == (None, failure, "endpoint")
    assert question.messages == prompt


def test_a_model_reads_its_own_words() -> None:
    match = ModelMatch(game_of([3, 5], THREE_ROWS), ["timid", "timid"])
    assert match.next_question() is not None
    match.answer(1, "it is safe", 0.5)
    later = match.next_question()
    assert later is not None
    (_, prompt), = later.messages
    assert "At ply 0 you took 1." in prompt and "Your reason: it is safe" in prompt


def test_a_reply_without_finish_reason_is_complete() -> None:
    assert question_of([3, 5]).read_reply('{"take": 1}', "", None).take == 1


def test_regrets_are_those_of_the_oracle() -> None:
    for piles in ([3, 5], [1, 2, 2], [9, 4, 7]):
        question = question_of(piles)
        solved = lastnim.explain(piles=piles, matrix=THREE_ROWS)
        for option in solved.options:
            assert option.takes is not None
            for take in range(option.takes.lo, option.takes.hi + 1):
                assert question.regret(take) == option.regret
    with pytest.raises(ValueError, match="take"):
        question_of([3, 5]).regret(6)


@pytest.mark.parametrize(
    ("bots", "time_left", "changes", "words"),
    [
        (["a", "b"], 1.0, {}, "bots: 2 names: expected 3, one per seat"),
        (["a", "b", "?"], 1.0, {}, "bot"),
        (["a", "b", "c"], -1.0, {}, "time_left: -1"),
        (["a", "b", "c"], 1.0, {"template": "{{ nothing }}"}, "undefined value"),
        (["a", "b", "c"], 1.0, {"prompt_version": 3}, "prompt_version: 3: expected 1 to 2"),
        (["a", "b", "c"], 1.0, {"prompt_version": 1, "template": "x"}, "prompt_version: 1"),
        (["a", "b", "c"], 1.0, {"scoring": "wins"}, 'scoring: "wins": expected win or satisfaction'),
        (["a", "b", "c"], 1.0, {"think": "after"}, 'think: "after": expected none or before'),
    ],
)
def test_mistakes_in_questions_are_named(
    bots: list[str], time_left: float, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        ModelQuestion(json.dumps(game_of([3, 5], THREE_ROWS)), [], bots, time_left, settings_of(**changes))


class Half(lastnim.Bot):
    """Takes half of the pile."""

    def play(self, turn: lastnim.Turn) -> int:
        return (turn.counters + 1) // 2


def test_prompts_are_those_that_the_bot_sends(lastnim_server: TestServer, tmp_path: Path) -> None:
    def script(messages: Messages) -> str:
        return "I take 99" if len(messages) == 1 else '{"take": 1}'

    tournament = lastnim_server.create_tournament(seats=3, start_at=3, piles=[[3, 4, 5]], alliance="random")
    address = lastnim_server.address

    def play(name: str) -> threading.Thread:
        token = lastnim_server.add_bot(name)
        thread = threading.Thread(target=lambda: lastnim.run(Half(), server=address, token=token, tournament=tournament))
        thread.start()
        return thread

    rivals = [play("half"), play("other-half")]
    with ScriptedEndpoint(script) as endpoint:
        command = [sys.executable, "-m", "lastnim", "bot", "run", "llm", "--model", "scripted", "--base-url", endpoint.base_url]
        environment = os.environ | {
            "LASTNIM_SERVER": address,
            "LASTNIM_TOKEN": lastnim_server.add_bot("model"),
            "LASTNIM_TOURNAMENT": tournament,
        }
        subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=120, capture_output=True)
    for rival in rivals:
        rival.join()
    matches = lastnim_server.call("ListMatches", {"tournament_id": tournament})["matches"]
    records = [lastnim_server.record(match["id"]) for match in matches]
    compared = 0
    for call in endpoint.calls:
        assert any(messages_as_rendered(record, call) == call for record in records), call
        compared += 1
    assert compared >= 12
    assert any(len(call) == 3 for call in endpoint.calls)


def messages_as_rendered(record: lastnim.Record, call: Messages) -> Messages | None:
    """Returns Python's messages for the question of a call if it is of this match; None otherwise."""
    prompt = call[0]["content"]
    (ply,) = re.findall(r"This is ply (\d+)\.", prompt)
    if int(ply) > len(record.takes):
        return None
    assert record.rows is not None
    setup = record.setup
    game = game_of(list(setup.piles), [list(row) for row in record.rows], setup.first)
    seats = len(setup.bots)
    own = (setup.first + int(ply)) % seats
    said: list[tuple[int, int, str | None, float | None]] = [(at, record.takes[at], None, None) for at in range(int(ply)) if (setup.first + at) % seats == own]
    takes = record.takes[: int(ply)]
    question = ModelQuestion(json.dumps(game), takes, setup.bots, 60.0, settings_of(said))
    if len(call) > 1:
        question.read_reply(call[1]["content"], "", "stop")
    return [{"role": role, "content": text} for role, text in question.messages]


def play_tasks(
    script: Callable[[Messages], Reply], settings: dict[str, Any], agent: dict[str, Any] | None = None
) -> tuple[list[AnyTrace], list[Messages]]:
    """Plays a match for each position with a scripted model, and returns the traces and the calls."""
    with ScriptedEndpoint(script) as endpoint:
        config = {"taskset": {"id": "lastnim-verifiers", **settings}, "agent": agent or {}}
        # The library is only partly typed.
        library: Any = vf
        env = library.load_environment(library.resolve_env_config(config))
        client = vf.EvalClientConfig(base_url=endpoint.base_url, api_key_var="SCRIPTED_KEY")

        async def play() -> list[AnyTrace]:
            traces: list[AnyTrace] = []
            async with env.serving():
                for task in env.taskset:
                    (slot,) = env.slots(task)
                    episode = await env.run_slot(slot, vf.ModelContext(model="scripted", client=client))
                    traces += episode.traces
            return traces

        return asyncio.run(play()), endpoint.calls


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("SCRIPTED_KEY", "none")


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
        }
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
    take = AskedTake(0, "some position", 2)

    async def ask(base_url: str) -> None:
        async with AsyncOpenAI(base_url=base_url, api_key="none") as client:
            await ask_model(client, "scripted", [], question_of([3, 5]), take, 3)

    with ScriptedEndpoint(lambda _: choices) as endpoint:
        with pytest.raises(vf.HarnessError, match=r"^ply 0: the reply has no choices\[0\]\.message$"):
            asyncio.run(ask(endpoint.base_url))
    assert (len(endpoint.calls), take.failures) == (1, []), "this is not the model's fault"


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
    assert question is None or question.identity[1] == "benchmark"
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
