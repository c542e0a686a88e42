"""The task for inspect_ai: it asks like the bot, and its scores are the oracle's regrets."""

from __future__ import annotations

import gc
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentText, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, system_message

import lastnim
from lastnim.envs.inspect_ai import last_nim
from lastnim.llm import ask_take

# The library itself causes warnings, also when its objects are collected.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _collect() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    gc.collect()


def scripted_model(script: Callable[[list[ChatMessage]], ModelOutput | str]) -> Model:
    """Returns the library's mock model, with the replies of a script."""

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        reply = script(messages)
        output = ModelOutput.from_content("mockllm/model", reply) if isinstance(reply, str) else reply
        # Without a usage the model would download a tokenizer.
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def evaluate(
    folder: Path, script: Callable[[list[ChatMessage]], ModelOutput | str], *, solver: Any = None, **settings: Any
) -> EvalLog:
    """Evaluates a scripted model on the task."""
    (log,) = eval(last_nim(**settings), model=scripted_model(script), solver=solver, log_dir=str(folder), display="none")
    return log


def samples_of(log: EvalLog) -> list[EvalSample]:
    """Returns the samples of a successful evaluation."""
    assert log.status == "success", log.error
    assert log.samples
    return log.samples


def score_of(sample: EvalSample) -> Any:
    """Returns the score of a sample."""
    assert sample.scores
    return sample.scores["regret"]


def regret_by_oracle(sample: EvalSample, take: int) -> int:
    """Returns the regret of a take by `lastnim.explain`."""
    game = sample.metadata["game"]
    rows = [row["offsets"] for row in game["alliance_matrix"]["rows"]]
    solved = lastnim.explain(piles=game["piles"], matrix=rows, first=game["first"], ending=game["ending"])
    for option in solved.options:
        if option.takes is not None and option.takes.lo <= take <= option.takes.hi:
            return int(option.regret or 0)
    raise AssertionError(f"no option has the take {take}")


def metrics_of(log: EvalLog) -> dict[str, float]:
    """Returns the metrics of an evaluation by name."""
    assert log.results
    (scores,) = log.results.scores
    return {name: metric.value for name, metric in scores.metrics.items()}


def test_scores_are_the_exact_regrets(tmp_path: Path) -> None:
    log = evaluate(tmp_path, lambda _: '{"why": "one", "take": 1}', positions=30, seed=3, seats=[3, 4])
    samples = samples_of(log)
    regrets = [score_of(sample).value for sample in samples]
    assert regrets == [regret_by_oracle(sample, 1) for sample in samples]
    assert len(regrets) == 30 and len(set(regrets)) > 1
    assert all((score_of(sample).answer, score_of(sample).explanation) == ("1", "one") for sample in samples)
    expected = {"mean": statistics.mean(regrets), "stderr": statistics.stdev(regrets) / len(regrets) ** 0.5}
    assert metrics_of(log) == pytest.approx(expected)


def test_the_prompts_are_those_of_the_bot(tmp_path: Path) -> None:
    prompts: list[str] = []

    def script(messages: list[ChatMessage]) -> str:
        prompts.extend(message.text for message in messages)
        return '{"take": 1}'

    (sample,) = samples_of(evaluate(tmp_path, script, positions=1, seed=3, blind=True, think="before", scoring="win"))
    (prompt,) = prompts
    assert prompt == sample.input
    assert "First think step by step" in prompt and "The rows do not change the points." in prompt and "oracle" not in prompt
    template = tmp_path / "short.md"
    template.write_text("{% if question == 'take' %}Take from {{ piles | join(' ') }}{% else %}A row{% endif %}")
    (sample,) = samples_of(evaluate(tmp_path, script, positions=1, seed=3, template=str(template)))
    assert re.fullmatch(r"Take from [\d ]+", str(sample.input))


def test_unusable_replies_are_corrected_and_then_cost_the_maximum(tmp_path: Path) -> None:
    lengths: list[int] = []

    def script(messages: list[ChatMessage]) -> str:
        lengths.append(len(messages))
        if len(messages) == 1:
            return "all of them"
        assert messages[1].text in ("all of them", '{"take": 1000}') and "Your answer cannot be used" in messages[2].text
        return '{"take": 1000}'

    (sample,) = samples_of(evaluate(tmp_path, script, positions=1, seed=3))
    assert lengths == [1, 3, 3]
    score = score_of(sample)
    assert score.value == len(sample.metadata["game"]["alliance_matrix"]["rows"]) - 1
    assert (score.answer, score.metadata) == ("", {"failure": "illegal"}) and "a take of 1000" in score.explanation
    lengths.clear()
    samples_of(evaluate(tmp_path, script, positions=1, seed=3, answers=1))
    assert lengths == [1]


def test_refused_and_truncated_replies_are_not_answers(tmp_path: Path) -> None:
    refusal = ChatMessageAssistant(content=[ContentText(text='{"take": 1}', refusal=True)])
    truncated = ModelOutput.from_content("mockllm/model", '{"take": 1}', stop_reason="max_tokens")
    outputs = iter([ModelOutput.from_message(refusal), truncated])
    samples = [samples_of(evaluate(tmp_path, lambda _: next(outputs), positions=1, answers=1))[0] for _ in range(2)]
    assert [score_of(sample).metadata for sample in samples] == [{"failure": "refused"}, {"failure": "truncated"}]


def test_a_filtered_reply_is_an_error_without_score(tmp_path: Path) -> None:
    output = ModelOutput.from_content("mockllm/model", '{"take": 1}', stop_reason="content_filter")
    log = evaluate(tmp_path, lambda _: output, positions=1)
    assert log.status == "error" and log.error and "filtered" in log.error.message


def test_other_solvers_keep_their_system_message_and_the_score(tmp_path: Path) -> None:
    roles: list[list[str]] = []

    def script(messages: list[ChatMessage]) -> str:
        roles.append([message.role for message in messages])
        return '{"take": 1}' if "{" in messages[-1].text else ""

    (sample,) = samples_of(evaluate(tmp_path, script, solver=[system_message("You are terse."), generate()], positions=1, seed=3))
    assert score_of(sample).value == regret_by_oracle(sample, 1)
    assert roles == [["system", "user"]]


def test_positions_are_those_of_the_dataset(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.jsonl"
    words = ["--positions", "5", "--seed", "4", "--split", "benchmark", "--output", str(path)]
    subprocess.run([sys.executable, "-m", "lastnim", "oracle", "dataset", *words], check=True, capture_output=True, timeout=120)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for task in (last_nim(positions=5, seed=4), last_nim(file=str(path))):
        assert [(sample.id, (sample.metadata or {})["game"]) for sample in task.dataset] == [(line["id"], line["game"]) for line in lines]
        assert [sample.input for sample in task.dataset] == [
            ask_take(line["game"], bots=bots_of(line["game"])).messages[0][1] for line in lines
        ]
    with pytest.raises(ValueError, match='is in the set "benchmark", but split is "train"'):
        last_nim(file=str(path), split="train")


def bots_of(game: dict[str, Any]) -> list[str]:
    """Returns the names in prompts."""
    seats = len(game["alliance_matrix"]["rows"])
    names = {(game["first"] + place) % seats: f"opponent-{place}" if place else "model" for place in range(seats)}
    return [names[seat] for seat in range(seats)]


def test_the_library_finds_the_task_by_its_name(tmp_path: Path) -> None:
    # The arguments are as the library reads `-T seats=2,3` and so on.
    arguments = {"positions": 4, "seats": ["2", "3"], "draw_piles": ["2", "2"]}
    model = scripted_model(lambda _: '{"take": 1}')
    (log,) = eval("lastnim/last_nim", model=model, task_args=arguments, log_dir=str(tmp_path), display="none")
    samples = samples_of(log)
    expected = last_nim(positions=4, seats=[2, 3], draw_piles=(2, 2)).dataset
    assert {sample.id: sample.input for sample in samples} == {sample.id: sample.input for sample in expected}
    assert metrics_of(log).keys() == {"mean", "stderr"}
    with pytest.raises(ValueError, match="expected a minimum and a maximum"):
        last_nim(draw_piles=(1, 2, 3))
