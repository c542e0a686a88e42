"""Last Nim as an environment for learners, with the labels of the exact oracle.

- `lastnim.envs.last_nim_v0`: PettingZoo, every seat an agent (the extra `pettingzoo`);
- `lastnim.envs.against_house_bots`: Gymnasium, one seat against house bots (the extra `gymnasium`);
- `lastnim.envs.VectorGames`: thousands of games, stepped at once in Rust (the extra `numpy`);
- `lastnim.envs.open_spiel`: an OpenSpiel game (the extra `openspiel`);
- `lastnim.envs.inspect_ai`: a language model on positions of a dataset, for inspect_ai (the extra `inspect`);
- `lastnim.envs.textarena`: language models play each other, for TextArena (the extra `textarena`).

The separate distribution `lastnim-verifiers` is an environment of verifiers: language models play matches.

See docs/reference/environments.md for actions, observations and rewards. Rules and labels come from the program.
"""

from __future__ import annotations

from .._lastnim import GameInProgress, GameSource
from .games import Episode, RowSource, game_source
from .vector_games import GamesStep, VectorGames

__all__ = ["Episode", "GameInProgress", "GameSource", "GamesStep", "RowSource", "VectorGames", "game_source"]
