"""Last Nim for verifiers: a language model plays a seat, and each answer's reward is its exact regret.

The model gets the prompts of `lastnim bot run llm`, with the same template, parser and error messages. `LastNimTaskset` has the positions,
`LastNimHarness` plays matches against house bots, and `LastNimEnv` also matches of two models. The library finds all three by the id
`lastnim-verifiers`. See docs/reference/environments.md for every setting, reward and metric.
"""

from __future__ import annotations

from .environment import LastNimEnv, LastNimEnvConfig
from .harness import LastNimHarness, LastNimHarnessConfig
from .task import LastNimTask, LastNimTaskData
from .taskset import LastNimTaskset, LastNimTasksetConfig

__all__ = [
    "LastNimEnv",
    "LastNimEnvConfig",
    "LastNimHarness",
    "LastNimHarnessConfig",
    "LastNimTask",
    "LastNimTaskData",
    "LastNimTaskset",
    "LastNimTasksetConfig",
]
