"""Last Nim for verifiers: a language model plays a seat, and every answer is rewarded by its exact regret.

The model is asked as `lastnim bot llm` asks it, by the same template, the same reader of replies and the same words about a reply that
cannot be used. `LastNimTaskset` has the positions, `LastNimHarness` plays the matches, and `LastNimEnv` needs no sandbox for that. The
library finds all three by the id `lastnim-verifiers`. docs/reference/environments.md has every setting, reward and metric.
"""

from __future__ import annotations

from .environment import LastNimEnv, LastNimEnvConfig
from .harness import LastNimHarness, LastNimHarnessConfig
from .model_match import AskedTake, ModelMatch
from .task import LastNimTask, LastNimTaskData
from .taskset import LastNimTaskset, LastNimTasksetConfig

__all__ = [
    "AskedTake",
    "LastNimEnv",
    "LastNimEnvConfig",
    "LastNimHarness",
    "LastNimHarnessConfig",
    "LastNimTask",
    "LastNimTaskData",
    "LastNimTaskset",
    "LastNimTasksetConfig",
    "ModelMatch",
]
