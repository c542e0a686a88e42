"""Last Nim under the id by which the library verifiers finds it: `lastnim-verifiers`. See `lastnim.envs.verifiers`."""

from lastnim.envs.verifiers import LastNimEnv, LastNimHarness, LastNimTaskset

__all__ = ["LastNimEnv", "LastNimHarness", "LastNimTaskset"]
