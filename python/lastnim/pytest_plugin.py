"""A pytest fixture that runs a server in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .testing import TestServer

__all__ = ["lastnim_server"]


@pytest.fixture
def lastnim_server() -> Iterator[TestServer]:
    """A server on a free port of 127.0.0.1 with the house bots oracle and greedy, for one test."""
    with TestServer(house=["oracle", "greedy"]) as server:
        yield server
