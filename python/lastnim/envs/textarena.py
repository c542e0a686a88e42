"""Last Nim for TextArena: language models play each other, each with the prompts of `lastnim bot run llm`.

Importing this registers the environment `LastNim-v0`, which takes a game in JSON, and needs as many players as the game has seats:

>>> import textarena as ta, lastnim.envs.textarena
>>> env = ta.make("LastNim-v0", game=game)

Each observation is a whole question, which repeats the player's own words in the match; after an unusable reply it says what was wrong. No
player sees the replies of others. The winner's place in a seat's row gives its reward: 1 for the first place to 0 for the last.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..llm import RIVAL, Game, ModelMatch, ModelQuestion, PromptSettings, RowMode

__all__ = ["LastNimEnv"]

# This library has no types.
textarena: Any = import_module("textarena")


class LastNimEnv(textarena.Env):  # type: ignore[misc]
    """A match of Last Nim in which every player is a language model.

    `rows` and `prompts` are those of `ModelMatch`. A player whose replies to a question are unusable `answers` times loses the match: its
    reward is -1, that of the others 0.
    """

    def __init__(self, game: Game, *, rows: RowMode = "assigned", prompts: PromptSettings | None = None, answers: int = 3) -> None:
        self.game, self.prompts, self.answers = game, prompts, answers
        self.rows: RowMode = rows
        self.state: Any = None
        self.reset(len(game["alliance_matrix"]["rows"]))

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Starts the match again. Nothing in it is random. ValueError names a wrong number of players."""
        self.match = ModelMatch(self.game, [RIVAL], rows=self.rows, prompts=self.prompts)
        if num_players != self.match.seats:
            raise ValueError(f"num_players: {num_players}: the game has {self.match.seats} seats: expected {self.match.seats}")
        self.state = textarena.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset()
        self.failures = 0
        self.question: ModelQuestion | None = self.match.next_question()
        self._show_question()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Reads the reply of the current player; after an unusable one it is asked again."""
        question = self.question
        if question is None:
            raise ValueError("the match is over: call reset")
        types = textarena.ObservationType
        self.state.add_observation(from_id=question.seat, to_id=question.seat, message=action, observation_type=types.PLAYER_ACTION)
        reply = question.read_reply(action)
        if reply.failure is None:
            self.match.answer(question, reply)
            self.failures = 0
            self.question = self.match.next_question()
        else:
            self.failures += 1
        if self.failures >= self.answers:
            self.question = None
            self.state.game_info[question.seat]["invalid_move"] = True
            rewards = {seat: -1.0 if seat == question.seat else 0.0 for seat in range(question.seats)}
            self.state.set_game_outcome(rewards, f"Seat {question.seat} gave no usable reply: {reply.detail}")
        elif self.question is None:
            self.state.set_game_outcome(self.match.satisfactions(), f"Seat {self.match.winner} won.")
        else:
            self._show_question()
        done, info = self.state.step(rotate_player=False)
        return bool(done), dict(info)

    def _show_question(self) -> None:
        """Shows the last message of the question to the seat that is asked, which becomes the current player."""
        if self.question is None:
            raise ValueError(f"game {self.game}: there are no counters")
        seat, kind = self.question.seat, textarena.ObservationType.PROMPT
        self.state.manually_set_current_player_id(seat, force=True)
        self.state.add_observation(to_id=seat, message=self.question.messages[-1][1], observation_type=kind)


if "LastNim-v0" not in textarena.envs.registration.ENV_REGISTRY:
    textarena.register("LastNim-v0", LastNimEnv)
