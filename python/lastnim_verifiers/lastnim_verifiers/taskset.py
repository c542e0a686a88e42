"""The positions to play, drawn from a seed or read from a file of `lastnim oracle dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim.datasets import Split, draw_positions, read_positions
from lastnim.llm import Memory, PromptSettings, RowMode, Scoring, Thinking
from lastnim.oracle import Ending
from pydantic import Field

from .task import LastNimTask, LastNimTaskData

__all__ = ["LastNimTaskset", "LastNimTasksetConfig"]


class LastNimTasksetConfig(vf.TasksetConfig):
    """The positions to play, and how. The same settings draw the same positions as in `lastnim oracle dataset`."""

    split: Split = "train"
    """The set of the positions. Benchmark positions are used only if this names their set."""
    file: Path | None = None
    """A file of `lastnim oracle dataset` with the positions; without it they are drawn."""
    positions: int = Field(default=1_000, ge=1)
    """The number of positions to draw."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """The seed of the positions and the house bots."""
    seats: list[int] = [2, 3, 4, 5]
    """The numbers of seats, each equally likely, 2 to 32."""
    draw_piles: tuple[int, int] = (1, 5)
    """The minimum and maximum number of piles, 1 to 1,024."""
    draw_counters: tuple[int, int] = (1, 9)
    """The minimum and maximum counters of a pile, 1 to 2^63 - 1."""
    ending: Ending = "to_move_wins"
    """Who wins when no counter is left."""
    max_optimal_share: float = 1.0
    """The maximum share of first takes that are optimal, above 0 and at most 1."""
    opponents: list[str] = Field(default=["oracle"], min_length=1)
    """The house bots, in order after the model, repeated if there are more seats. `oracle` plays optimally; `rival` is a second model."""
    rows: RowMode = "assigned"
    """Whether the rows of the position are assigned, or each seat declares its own, for which models are asked."""
    answers: int = Field(default=3, ge=1, le=10)
    """The maximum answers to a question: after an unusable reply the model is told why."""
    max_questions: int | None = Field(default=None, ge=1)
    """The maximum questions to a seat in a match; unlimited by default."""
    time_left: float = Field(default=600.0, ge=0, le=86_400)
    """The number of seconds for an answer in templates that name it. It is not enforced."""
    template: Path | None = None
    """The file of a template that replaces the built-in one (docs/reference/language-models.md)."""
    prompt_version: int | None = None
    """The version of the built-in template; the latest by default."""
    memory: Memory = "match"
    """Whether prompts repeat the model's own words in the match."""
    blind: bool = False
    """Whether prompts hide the names of the bots."""
    think: Thinking = "none"
    """Whether prompts ask the model to think in plain text before the JSON object."""
    scoring: Scoring = "satisfaction"
    """The scoring that prompts name."""


class LastNimTaskset(vf.Taskset[LastNimTask, LastNimTasksetConfig]):
    """A match for each position."""

    def load(self) -> Iterator[LastNimTask]:
        """Yields the matches, in the order of the draws or of the file."""
        config = self.config
        template = None if config.template is None else config.template.read_text(encoding="utf-8-sig")
        prompts = PromptSettings(
            time_left=config.time_left,
            template=template,
            prompt_version=config.prompt_version,
            memory=config.memory,
            blind=config.blind,
            think=config.think,
            scoring=config.scoring,
        )
        for identity, game in self._positions():
            data = LastNimTaskData.model_validate(
                {
                    "id": identity,
                    "game": game,
                    "split": config.split,
                    "opponents": config.opponents,
                    "rows": config.rows,
                    "seed": config.seed,
                    "answers": config.answers,
                    "max_questions": config.max_questions,
                    "prompts": prompts,
                }
            )
            question = data.begin_match().next_question()
            if question is None:
                raise ValueError(f"position {identity}: there are no counters")
            data = data.model_copy(update={"prompt": question.messages[0][1]})
            yield LastNimTask(data, config.task)

    def _positions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the id and the game of each position."""
        config = self.config
        if config.file is not None:
            yield from read_positions(config.file, config.split)
            return
        yield from draw_positions(
            positions=config.positions,
            split=config.split,
            seats=config.seats,
            draw_piles=config.draw_piles,
            draw_counters=config.draw_counters,
            ending=config.ending,
            max_optimal_share=config.max_optimal_share,
            seed=config.seed,
        )
