"""The part of the package that is written in Rust."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any

__version__: str

class RecordReader:
    """Reads the records of a file, one after the other."""

    def __init__(self, path: str | PathLike[str]) -> None: ...
    def next(self) -> str | None:
        """Reads the next record, as JSON; none at the end."""

class HousePlayer:
    """A house bot that is asked directly."""

    def __init__(self, name: str, seed: int) -> None: ...
    def declare(self, game: str) -> list[int]:
        """Returns the row that it declares in the first seat of a game, which is JSON."""

    def play(self, game: str) -> int:
        """Returns the take that it makes at the first position of a game."""

class Server:
    """A server that listens on a free port of 127.0.0.1 and keeps nothing."""

    address: str
    admin_token: str
    def __init__(self, house: Sequence[str]) -> None: ...
    def call(self, method: str, request: str, token: str | None) -> str:
        """Makes a call of a service, with a token or without; the request and its answer are JSON."""

    def stop(self) -> None:
        """Stops the server."""

class Session:
    """A bot's run, which asks and reports through a queue."""

    def __init__(
        self,
        variables: Mapping[str, str],
        concurrency: int,
        give_up_after: timedelta | None,
        practice: tuple[Sequence[str], Sequence[int], int] | None,
    ) -> None: ...
    def next(self, seconds: float) -> tuple[str, int, str] | None:
        """Waits for the next notice: its kind, its number, and its JSON."""

    def declare(self, number: int, offsets: Sequence[int], note_hash: bytes | None) -> None:
        """Answers a question with a row."""

    def take(self, number: int, take: int, note_hash: bytes | None) -> None:
        """Answers a question with a take."""

    def heard(self, number: int) -> None:
        """Says that a report was heard."""

    def fail(self, number: int, why: str) -> None:
        """Says that the bot cannot go on in the match of a question."""

    def stop(self) -> None:
        """Ends the run soon."""

class OracleStopped(RuntimeError):
    """A question took more work or memory than it may: the message says which bound it met."""

def answer_question(method: str, question: str, max_steps: int) -> str:
    """Answers the question of a method of the oracle's service, within so many steps; both are JSON."""

def message_descriptors() -> bytes:
    """Returns the descriptors of all messages: a serialized `google.protobuf.FileDescriptorSet`."""

def solve_positions(piles: Any, matrix: Sequence[Sequence[int]], ending: str, first: Any) -> Any:
    """Returns the winner of each row of an array of 64-bit unsigned integers."""

def record_of_play(
    bots: Sequence[str],
    game: str,
    assigned: bool,
    row_hashes: Sequence[bytes | None],
    takes: Sequence[tuple[int, bytes | None]],
    identity: tuple[int, bytes],
) -> str:
    """Returns the record of a match that was played by the rules, as JSON."""

def record_of_message(message: str) -> str:
    """Makes the JSON of a record of its message, which is JSON."""

def verify_record_text(text: str, key: str | None, any_layout: bool) -> str:
    """Verifies the text of a record, and says what it came to as `lastnim verify --json` does."""

def run_program(own: Sequence[str], name: str, words: Sequence[str]) -> int:
    """Runs the program on the words of a command line, and returns its exit code."""
