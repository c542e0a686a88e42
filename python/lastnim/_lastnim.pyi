"""The Rust part of the package."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, TypeAlias

from .llm.questions import PromptSettings

__version__: str

GivenPact: TypeAlias = Sequence[tuple[int, Sequence[tuple[int, int]]]]
"""The members of a pact, each with the pairs of seats of which its row ranks the first before the second."""

GivenMessage: TypeAlias = tuple[Sequence[int], str | None, Sequence[int] | None, GivenPact | None, tuple[int, int, int] | None]
"""
A message: the seats that hear it, and its text, the offsets of its claim, the pact that it offers, or the seat, round and
number of the offer that it accepts.
"""

class ModelQuestion:
    """A question to a model, with the messages that `lastnim bot run llm` would send. `lastnim.llm` asks questions."""

    @staticmethod
    def of_take(
        game: str,
        takes: Sequence[int],
        rows_are_assigned: bool,
        bots: Sequence[str],
        prompts: PromptSettings,
        said: Sequence[ModelReply],
    ) -> ModelQuestion:
        """Asks for the take of the seat to move in a game in JSON after `takes`."""
    @staticmethod
    def of_row(game: str, seat: int, bots: Sequence[str], prompts: PromptSettings) -> ModelQuestion:
        """Asks a seat for its row in a game in JSON, whose own rows do not matter."""
    @property
    def asks_for(self) -> Literal["row", "take"]:
        """The kind of the answer."""
    @property
    def messages(self) -> list[tuple[Literal["user", "assistant"], str]]:
        """The messages to the model, in order, each with its role: the prompt and, after an unusable reply, that reply and its mistake."""
    @property
    def seats(self) -> int:
        """The number of seats in the match."""
    @property
    def seat(self) -> int:
        """The model's seat."""
    @property
    def ply(self) -> int | None:
        """The number of the next take, from 0; None for a row."""
    @property
    def identity(self) -> tuple[str, Literal["train", "benchmark"]] | None:
        """The id of the position, and its set in `lastnim oracle dataset`; None for a row, which belongs to no position."""
    def read_reply(self, text: str, refusal: str = "", finish_reason: str | None = None) -> ModelReply:
        """Reads a reply. If it is unusable and the model is at fault, `messages` become those of the next call.

        `refusal` and `finish_reason` are those of a chat completion; without a finish reason the reply counts as complete.
        """
    def regret(self, take: int) -> int:
        """Returns the ranks, 0 to n-1, that a take would cost the seat in its own row. ValueError names an illegal take."""

class ModelReply:
    """A parsed reply: an answer with the model's comments, or why the reply is unusable."""

    @property
    def ply(self) -> int | None:
        """The number of the take in the match, from 0; None for a row."""
    @property
    def take(self) -> int | None:
        """The legal take; None if the question is about a row, or the reply is unusable."""
    @property
    def row(self) -> list[int] | None:
        """The row, as offsets from the model's seat; None if the question is about a take, or the reply is unusable."""
    @property
    def why(self) -> str | None:
        """The model's reason."""
    @property
    def win_probability(self) -> float | None:
        """The model's probability, 0 to 1, that the seat its row prefers most wins."""
    @property
    def wants(self) -> int | None:
        """The seat that the model says it truly wants to win; only with a row."""
    @property
    def plan(self) -> int | None:
        """The seat for whose win the model says it plays from this take on; only with a take."""
    @property
    def failure(self) -> str | None:
        """The class of the failure, such as `unparsable`; None if the reply is usable."""
    @property
    def fault(self) -> str | None:
        """Whose fault it is: `model`, `endpoint` or `settings`; None if the reply is usable."""
    @property
    def detail(self) -> str | None:
        """The failure in words; None if the reply is usable."""

class RecordReader:
    """Reads the records of a file one by one."""

    def __init__(self, path: str | PathLike[str]) -> None: ...
    def next(self) -> str | None:
        """Reads the next record as JSON; None at the end."""

class HousePlayer:
    """A house bot, called directly."""

    def __init__(self, name: str, seed: int) -> None: ...
    def declare(self, game: str) -> list[int]:
        """Returns its row in the first seat of a game in JSON."""

    def play(self, game: str, takes: list[int]) -> int:
        """Returns its take in a game in JSON after `takes`."""

class MatchInProcess:
    """A match in this process: its referee, and what each seat knows."""

    next_seat: int | None
    next_action: Literal["talk", "declare", "play"] | None
    rounds_ended: int
    rows: Sequence[Sequence[int]] | None
    def __init__(self, request: str, seed: int, identity: tuple[int, bytes, tuple[bytes, int, int] | None]) -> None:
        """Begins a match from a CreateMatchRequest in JSON. `identity` is its time in microseconds, ten bytes that make its id unique,
        and its tournament, number and group."""

    def match_of(self, seat: int) -> str:
        """Returns what a seat knows as JSON."""

    def round_of(self, seat: int) -> str:
        """Returns the open round of talk as JSON."""

    def talk(self, seat: int, messages: Sequence[GivenMessage]) -> None:
        """Sends messages and ends the talk of a seat in this round."""

    def declare(self, seat: int, offsets: Sequence[int], note_hash: bytes | None) -> None:
        """Declares the row of a seat."""

    def take(self, take: int, note_hash: bytes | None) -> None:
        """Takes counters for the seat to move."""

    def ask_house_bot(self, player: HousePlayer) -> int:
        """Lets a house bot do what the next seat must do. Returns its take; 0 if it does not take counters."""

    def record(self) -> str:
        """Returns the record so far as JSON."""

class Server:
    """A server on a free port of 127.0.0.1 that keeps its data in memory."""

    address: str
    admin_token: str
    def __init__(self, house: Sequence[str]) -> None: ...
    def call(self, method: str, request: str, token: str | None) -> str:
        """Makes a call, with or without a token; request and reply are JSON."""

    def stop(self) -> None:
        """Stops the server."""

class Session:
    """A bot's run, with a queue of questions and reports."""

    def __init__(
        self,
        variables: Mapping[str, str],
        concurrency: int,
        give_up_after: timedelta | None,
        practice: tuple[Sequence[str], Sequence[int], int] | None,
        take_feed: str,
    ) -> None: ...
    def next(self, seconds: float) -> tuple[str, int, str] | None:
        """Waits for the next notice: kind, number and JSON. None after `seconds`."""

    def talk(self, number: int, messages: Sequence[GivenMessage] | None) -> None:
        """Answers a question with messages; None to declare at once."""

    def declare(self, number: int, offsets: Sequence[int], note_hash: bytes | None) -> None:
        """Answers a question with a row."""

    def take(self, number: int, take: int, note_hash: bytes | None) -> None:
        """Answers a question with a take."""

    def mark_handled(self, number: int) -> None:
        """Marks a report as handled."""

    def fail(self, number: int, why: str) -> None:
        """Reports that the bot cannot continue the match of a question."""

    def stop(self) -> None:
        """Ends the run soon."""

class OracleStopped(RuntimeError):
    """A request exceeded a limit on work or memory, which the message names."""

def answer_question(method: str, question: str, max_steps: int) -> str:
    """Answers a request to a method of the oracle's service within `max_steps`. The request and the answer are JSON."""

def draw_positions(
    *,
    positions: int,
    split: str,
    seats: Sequence[int],
    draw_piles: tuple[int, int],
    draw_counters: tuple[int, int],
    ending: str,
    max_optimal_share: float,
    seed: int,
) -> list[tuple[str, str]]:
    """Draws positions like `lastnim oracle dataset`, and returns the id and the JSON of the game of each."""

def parse_position(game: str) -> tuple[str, str, str]:
    """Reads the first position of a game in JSON. Returns its id, its set, and the game as `lastnim oracle dataset` writes it."""

def message_descriptors() -> bytes:
    """Returns the descriptors of all messages: a serialized `google.protobuf.FileDescriptorSet`."""

def solve_positions(piles: Any, matrix: Sequence[Sequence[int]], ending: str, first: Any) -> Any:
    """Returns the winner of each row in an array of 64-bit unsigned integers."""

def record_of_text(text: str) -> str:
    """Converts the text of a record to a record in JSON."""

def record_of_message(message: str) -> str:
    """Converts a record message in JSON to a record in JSON."""

def audit_record_text(text: str) -> str | None:
    """Audits the text of a record, with the result of `lastnim audit match --json`; None without a winner."""

def verify_record_text(text: str, key: str | None, any_layout: bool) -> str:
    """Verifies the text of a record, with the result of `lastnim record verify --json`."""

def run_program(own: Sequence[str], name: str, words: Sequence[str]) -> int:
    """Runs a command line and returns its exit code."""

class GameSource:
    """Where an environment gets its games: piles, rows, first seat and ending."""

    def __init__(
        self,
        *,
        players: int,
        piles: Sequence[int] | None,
        pile_count: int,
        largest_pile: int,
        rows: str | Sequence[Sequence[int]],
        first: int,
        ending: str,
    ) -> None: ...
    @property
    def players(self) -> int:
        """The number of seats."""
    @property
    def pile_count(self) -> int:
        """The number of piles at the start."""
    @property
    def largest_pile(self) -> int:
        """The maximum number of counters in a pile at the start of a game."""
    @property
    def first(self) -> int:
        """The seat that moves first."""
    @property
    def declares_rows(self) -> bool:
        """Whether seats declare their rows."""
    @property
    def action_count(self) -> int:
        """The number of actions."""
    @property
    def observation_length(self) -> int:
        """The length of an observation."""
    @property
    def observation_low(self) -> list[int]:
        """The minimum of each number in an observation."""
    @property
    def observation_high(self) -> list[int]:
        """The maximum of each number in an observation."""
    def draw_game(self, seed: int, declared: Sequence[Sequence[int] | None] | None = None) -> GameInProgress:
        """Draws a game, with rows declared in advance by seat, if any."""
    def replay_game(
        self, seed: int, declared: Sequence[Sequence[int] | None], actions: Sequence[int]
    ) -> GameInProgress:
        """Draws a game and repeats its actions so far."""

class GameInProgress:
    """A game played action by action: first the rows, if the seats declare them, then takes."""

    @property
    def to_move(self) -> int:
        """The seat to take, or to declare its next offset."""
    @property
    def is_declaring(self) -> bool:
        """Whether rows are being declared."""
    @property
    def is_over(self) -> bool:
        """Whether no counter is left."""
    @property
    def winner(self) -> int | None:
        """The winner; None until the game is over."""
    @property
    def piles(self) -> list[int]:
        """The current piles; empty ones are 0."""
    @property
    def rows(self) -> list[list[int]] | None:
        """The row of each seat; None while rows are being declared."""
    def allows(self, action: int) -> bool:
        """Returns whether an action is legal."""
    def legal_actions(self) -> list[int]:
        """Returns the legal actions in ascending order; empty when the game is over."""
    def act(self, action: int) -> None:
        """Takes counters or declares an offset."""
    def rewards(self) -> list[float]:
        """Returns the reward of each seat, 0 to 1; 0 until the game is over."""
    def observation(self, observer: int) -> Any:
        """Returns a seat's observation as 16-bit integers."""
    def action_mask(self, seat: int) -> Any:
        """Returns 1 for each legal action of the seat and 0 for others, as 8-bit integers."""
    def predicted_winner(self) -> int:
        """Returns the winner under optimal play from here on."""
    def optimal_takes(self) -> list[tuple[int, int]]:
        """Returns the optimal takes of the seat to move as at most two ranges, both ends included."""
    def regret(self, take: int) -> int:
        """Returns the ranks, 0 to n-1, that a take would cost the seat to move in its own row."""
    def house_take(self, bot: str, seed: int) -> int:
        """Returns the take of a house bot in the seat to move."""

class VectorGames:
    """Many games of one source, stepped at once."""

    def __init__(self, source: GameSource, count: int, seed: int) -> None: ...
    def reset(self, seed: int | None = None) -> Any:
        """Restarts every game and returns the observations."""
    def observations(self) -> Any:
        """Returns the observation of the seat to move in each game."""
    def step(self, takes: Any) -> tuple[Any, Any, Any]:
        """Makes a take in each game, and returns the observations, the rewards, and which games have ended."""
    def to_move(self) -> Any:
        """Returns the seat to move in each game."""
    def counters(self) -> Any:
        """Returns the counters in the last nonempty pile of each game."""
    def action_masks(self) -> Any:
        """Returns 1 for each legal action of each game, and 0 for others."""
    def draw_takes(self, seed: int) -> Any:
        """Draws a random legal take for each game."""
    def predicted_winners(self) -> Any:
        """Returns the winner of each game under optimal play."""
    def optimal_takes(self) -> Any:
        """Returns the optimal takes of each game: four numbers for two ranges."""
    def regrets(self, takes: Any) -> Any:
        """Returns the ranks that a take would cost the seat to move in each game."""

def house_row(bot: str, players: int) -> list[int]:
    """Returns the row that a house bot declares with this number of seats."""
