"""A real server in this process, for tests of bots. With pytest the fixture `lastnim_server` is available."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from ._json import message_from_json
from ._lastnim import Server, record_of_message
from .messages import Standing
from .oracle import Ending
from .records import Record, record_from_json
from .standings import Standings

__all__ = ["TestServer"]

# Clocks that never run out in tests.
PATIENT_CLOCK = {
    "initial_ms": 600_000,
    "increment_ms": 0,
    "lag_quota_ms": 100,
    "lag_total_ms": 10_000,
    "declaration_ms": 600_000,
}


class TestServer:
    """A server on a free port of 127.0.0.1 with the given house bots, which keeps its data in memory.

    It runs until it is stopped, or to the end of a `with` statement.
    """

    # pytest must not collect this class.
    __test__ = False

    def __init__(self, house: Iterable[str] = ()) -> None:
        self._server = Server(list(house))

    @property
    def address(self) -> str:
        """Its address, as host:port."""
        return self._server.address

    @property
    def admin_token(self) -> str:
        """The token of its admin."""
        return self._server.admin_token

    def add_bot(self, name: str) -> str:
        """Registers a bot, and returns its token."""
        token: str = self.call("RegisterBot", {"name": name})["token"]
        return token

    def create_tournament(
        self,
        *,
        piles: Sequence[int] | Sequence[Sequence[int]] = (3, 4, 5),
        seats: int = 2,
        start_when: int = 2,
        title: str = "test",
        ending: Ending = "to_move_wins",
        **settings: Any,
    ) -> str:
        """Creates a tournament that starts when `start_when` bots have joined, and returns its id.

        It is a round robin on one or several positions, with clocks that never run out; `settings` are other keys of the message
        TournamentSettings.
        """
        positions = [piles] if all(isinstance(counters, int) for counters in piles) else piles
        request = {
            "title": title,
            "seats": seats,
            "positions": [{"counters": [*counters]} for counters in positions if not isinstance(counters, int)],
            "ending": ending,
            "alliance": "declared",
            "clock": PATIENT_CLOCK,
            "start_when": start_when,
            **settings,
        }
        tournament: str = self.call("CreateTournament", {"settings": request})["tournament"]["id"]
        return tournament

    def standings(self, tournament: str) -> Standings:
        """Returns the standings of a tournament, leader first."""
        answer = self.call("GetStandings", {"tournament_id": tournament})
        return Standings(message_from_json(Standing, line) for line in answer["standings"])

    def record(self, match_id: str) -> Record:
        """Returns the record of a match, signed once it is over."""
        answer = self.call("GetRecord", {"match_id": match_id})
        return record_from_json(record_of_message(json.dumps(answer["record"])))

    def public_key(self) -> str:
        """Returns the public key of the server, as `lastnim record key` prints it."""
        key: str = self.call("GetPublicKey", {})["public_key"]
        return key

    def call(self, method: str, request: dict[str, Any], token: str | None = None) -> Any:
        """Calls a method of the bot, match or tournament service, as the admin unless a token is given; request and reply are the JSON of
        their messages. RuntimeError has the server's reason for a refusal."""
        return json.loads(self._server.call(method, json.dumps(request), token or self.admin_token))

    def stop(self) -> None:
        """Stops it."""
        self._server.stop()

    def __enter__(self) -> TestServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
