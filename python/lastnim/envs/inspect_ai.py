"""Last Nim for inspect_ai: a language model is asked for takes, and each sample's score is the exact regret of its take.

The model gets the prompts of `lastnim bot run llm`, with the same template, reader of answers and error messages. After the package is
installed with the extra `inspect`, `inspect eval lastnim/last_nim` finds the task. See docs/reference/environments.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ContentText, ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..datasets import Split, draw_positions, read_positions
from ..llm import AskedQuestion, ModelMatch, ModelQuestion, PromptSettings, Scoring, Thinking, ask_model
from ..oracle import Ending

__all__ = ["ask_for_take", "last_nim", "regret"]

OPTIMAL_PLAYER = ["oracle"]
"""The opponents, which prompts do not name."""


@task
def last_nim(
    split: Split = "benchmark",
    file: str | None = None,
    positions: int = 200,
    seed: int = 0,
    seats: Sequence[int | str] = (2, 3, 4, 5),
    draw_piles: Sequence[int | str] = (1, 5),
    draw_counters: Sequence[int | str] = (1, 9),
    ending: Ending = "to_move_wins",
    max_optimal_share: float = 1.0,
    answers: int = 3,
    template: str | None = None,
    prompt_version: int | None = None,
    blind: bool = False,
    think: Thinking = "none",
    scoring: Scoring = "satisfaction",
) -> Task:
    """A sample for each position of a dataset. The score is the regret of the take in ranks: 0 is optimal.

    The positions are those that `lastnim oracle dataset` draws with the same settings, or those of its `file`. `answers` is the maximum number
    of replies to a question; the other settings are those of prompts.
    """
    prompts = PromptSettings(
        template=None if template is None else Path(template).read_text(encoding="utf-8-sig"),
        prompt_version=prompt_version,
        blind=blind,
        think=think,
        scoring=scoring,
    )
    if file is None:
        found = draw_positions(
            positions=positions,
            split=split,
            # The library's command line gives `3,4` as a list of strings.
            seats=[int(count) for count in seats],
            draw_piles=range_of(draw_piles),
            draw_counters=range_of(draw_counters),
            ending=ending,
            max_optimal_share=max_optimal_share,
            seed=seed,
        )
    else:
        found = read_positions(Path(file), split)
    return Task(
        dataset=MemoryDataset(list(samples_of(found, prompts)), name="last_nim"),
        solver=ask_for_take(prompts, answers),
        scorer=regret(),
    )


def range_of(numbers: Sequence[int | str]) -> tuple[int, int]:
    """Reads a minimum and a maximum."""
    if len(numbers) != 2:
        raise ValueError(f"{numbers}: expected a minimum and a maximum, such as 1,5")
    return int(numbers[0]), int(numbers[1])


def samples_of(positions: Iterator[tuple[str, dict[str, Any]]], prompts: PromptSettings) -> Iterator[Sample]:
    """Yields a sample for each position, with its prompt."""
    for identity, game in positions:
        yield Sample(id=identity, input=question_of(game, prompts).messages[0][1], metadata={"game": game})


def question_of(game: dict[str, Any], prompts: PromptSettings | None = None) -> ModelQuestion:
    """Asks for the first take in a game."""
    question = ModelMatch(game, OPTIMAL_PLAYER, prompts=prompts).next_question()
    if question is None:
        raise ValueError(f"game {game}: there are no counters")
    return question


@solver
def ask_for_take(prompts: PromptSettings | None = None, answers: int = 3) -> Solver:
    """Asks for a take until a reply is usable, at most `answers` times; each unusable reply is followed by its mistake."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state.metadata["game"], prompts)
        system = [message for message in state.messages if message.role == "system"]

        async def call(messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
            nonlocal state
            state.messages = [*system, *(chat_message(role, text) for role, text in messages)]
            state = await generate(state)
            return reply_of(state.output)

        await ask_model(question, AskedQuestion.of(question), call, answers)
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def regret() -> Scorer:
    """Scores the last reply by the ranks, 0 to n-1, that its take costs the seat in its own row; an unusable reply costs n-1."""

    async def score(state: TaskState, target: Target) -> Score:
        question = question_of(state.metadata["game"])
        reply = question.read_reply(*reply_of(state.output))
        if reply.take is None:
            return Score(value=question.seats - 1, answer="", explanation=reply.detail, metadata={"failure": reply.failure})
        return Score(value=question.regret(reply.take), answer=str(reply.take), explanation=reply.why)

    return score


def chat_message(role: str, text: str) -> ChatMessage:
    """Converts a message."""
    return ChatMessageUser(content=text) if role == "user" else ChatMessageAssistant(content=text)


def reply_of(output: ModelOutput) -> tuple[str, str, str | None]:
    """Returns the text, the refusal and the finish reason of a reply."""
    content = output.message.content if output.choices else ""
    parts = [] if isinstance(content, str) else [part for part in content if isinstance(part, ContentText)]
    refusal = "".join(part.text for part in parts if part.refusal)
    return "" if refusal else output.completion, refusal, output.stop_reason
