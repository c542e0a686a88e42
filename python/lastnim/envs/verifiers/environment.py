"""The environment: one model, with a harness in the environment's process."""

from __future__ import annotations

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["LastNimEnv", "LastNimEnvConfig"]


class LastNimEnvConfig(vf.SingleAgentEnvConfig):
    """The library's settings without a sandbox, since the model runs no code."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


# The library finds the settings by the type parameter of `Env`, and its tools need a `SingleAgentEnv`.
class LastNimEnv(vf.SingleAgentEnv, vf.Env[LastNimEnvConfig]):  # pyright: ignore[reportGeneralTypeIssues]
    """A model that plays one match of Last Nim per episode."""
