"""The environment: one model, whose harness runs in the process of the environment."""

from __future__ import annotations

import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["LastNimEnv", "LastNimEnvConfig"]


class LastNimEnvConfig(vf.SingleAgentEnvConfig):
    """The settings of the environment: those of the library, without a sandbox, as no model runs code here."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


# The library finds the settings of an environment by the parameter of `Env`, and its tools want a `SingleAgentEnv`.
class LastNimEnv(vf.SingleAgentEnv, vf.Env[LastNimEnvConfig]):  # pyright: ignore[reportGeneralTypeIssues]
    """A model that plays one match of Last Nim an episode."""
