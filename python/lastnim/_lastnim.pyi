"""The part of the package that is written in Rust."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any

__version__: str

class ModelQuestion:
    """The question for a take, with the messages to a model as `lastnim bot llm` writes them."""

    def __init__(
        self, game: str, takes: Sequence[int], bots: Sequence[str], time_left: float, template: str | None = None
    ) -> None: ...
    @property
    def messages(self) -> list[tuple[str, str]]:
        """The messages to the model, in order, each with who says it: `user` or `assistant`."""
    @property
    def seat(self) -> int:
        """The seat to move."""
    @property
    def ply(self) -> int:
        """The number of the take to come, from 0."""
    @property
    def identity(self) -> tuple[str, str]:
        """The id of the position, and the set of `lastnim oracle dataset` that it belongs to."""
    def read_reply(self, text: str, refusal: str, finish_reason: str | None) -> ModelReply:
        """Reads a reply. If it cannot be used, the messages are those of the next call."""
    def regret(self, take: int) -> int:
        """Returns the ranks, 0 to n-1, that the seat to move would lose by a take, in its own row."""

class ModelReply:
    """How a reply was read: a take with what the model says beside it, or why it cannot be used."""

    @property
    def take(self) -> int | None:
        """The take, which the rules allow; none if the reply cannot be used."""
    @property
    def why(self) -> str | None:
        """Why the model takes so."""
    @property
    def win_probability(self) -> float | None:
        """How likely it says the seat wins that its row wants most, 0 to 1."""
    @property
    def failure(self) -> str | None:
        """The class of the failure, such as `unparsable`; none if there is a take."""
    @property
    def detail(self) -> str | None:
        """What happened, in words; none if there is a take."""

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

    def play(self, game: str, takes: list[int]) -> int:
        """Returns the take that it makes in a game, which is JSON, after the takes of all seats so far."""

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
        take_feed: str,
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
    """Draws positions as `lastnim oracle dataset` does, and returns the id and the game, which is JSON, of each."""

def parse_position(game: str) -> tuple[str, str, str]:
    """Reads the position that a game, which is JSON, starts from: its id, the set that it belongs to, and the game as `lastnim oracle dataset`
    writes it."""

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

class GameSource:
    """Where the games of an environment come from: their piles, rows, first seat and ending."""

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
        """How many seats there are."""
    @property
    def pile_count(self) -> int:
        """How many piles a game starts with."""
    @property
    def largest_pile(self) -> int:
        """The counters of the highest pile that a game may start with."""
    @property
    def first(self) -> int:
        """The seat to move first."""
    @property
    def declares_rows(self) -> bool:
        """Whether the seats declare their rows."""
    @property
    def action_count(self) -> int:
        """How many actions there are."""
    @property
    def observation_length(self) -> int:
        """How many numbers an observation has."""
    @property
    def observation_low(self) -> list[int]:
        """The lowest number at each place of an observation."""
    @property
    def observation_high(self) -> list[int]:
        """The highest number at each place of an observation."""
    def draw_game(self, seed: int, declared: Sequence[Sequence[int] | None] | None = None) -> GameInProgress:
        """Draws a game. Where seats declare their rows, those that are known beforehand are given by seat."""
    def replay_game(
        self, seed: int, declared: Sequence[Sequence[int] | None], actions: Sequence[int]
    ) -> GameInProgress:
        """Draws a game, and plays it as far as it was played."""

class GameInProgress:
    """A game that is played action by action: first the rows, if the seats declare them, then takes."""

    @property
    def to_move(self) -> int:
        """The seat to move, or to declare its next offset."""
    @property
    def is_declaring(self) -> bool:
        """Whether rows are being declared."""
    @property
    def is_over(self) -> bool:
        """Whether no counter is left."""
    @property
    def winner(self) -> int | None:
        """The seat that has won; none while the game goes on."""
    @property
    def piles(self) -> list[int]:
        """The piles as they stand, emptied ones as 0."""
    @property
    def rows(self) -> list[list[int]] | None:
        """The row of each seat; none while rows are being declared."""
    def allows(self, action: int) -> bool:
        """Returns whether an action is allowed now."""
    def legal_actions(self) -> list[int]:
        """Returns the actions that are allowed now, in rising order; none when the game is over."""
    def act(self, action: int) -> None:
        """Takes counters, or declares an offset."""
    def rewards(self) -> list[float]:
        """Returns the reward of each seat at the end, 0 to 1; only 0 while the game goes on."""
    def observation(self, observer: int) -> Any:
        """Returns what a seat observes, as 16-bit integers."""
    def action_mask(self, seat: int) -> Any:
        """Returns, by action, 1 if the seat may take it now, and 0 otherwise, as 8-bit integers."""
    def predicted_winner(self) -> int:
        """Returns the seat that wins under optimal play from here on."""
    def optimal_takes(self) -> list[tuple[int, int]]:
        """Returns the optimal takes of the seat to move, as ranges from the first number to the second: at most two."""
    def regret(self, take: int) -> int:
        """Returns the ranks, 0 to n-1, that the seat to move would lose by a take, in its own row."""
    def house_take(self, bot: str, seed: int) -> int:
        """Returns the take of a house bot that sits where the turn is."""

class VectorGames:
    """Many games of one source that are stepped at once."""

    def __init__(self, source: GameSource, count: int, seed: int) -> None: ...
    def reset(self, seed: int | None = None) -> Any:
        """Starts every game anew, and returns the observations."""
    def observations(self) -> Any:
        """Returns what the seat to move of each game observes."""
    def step(self, takes: Any) -> tuple[Any, Any, Any]:
        """Makes a take in each game, and returns the observations, the rewards and which games have ended."""
    def to_move(self) -> Any:
        """Returns the seat to move in each game."""
    def counters(self) -> Any:
        """Returns the counters of the pile in play of each game."""
    def action_masks(self) -> Any:
        """Returns, by game and action, whether it is allowed."""
    def draw_takes(self, seed: int) -> Any:
        """Draws a take for each game."""
    def predicted_winners(self) -> Any:
        """Returns the seat that wins each game under optimal play."""
    def optimal_takes(self) -> Any:
        """Returns the optimal takes of each game: four numbers for two ranges."""
    def regrets(self, takes: Any) -> Any:
        """Returns the ranks that each seat to move would lose by its take."""

def house_row(bot: str, players: int) -> list[int]:
    """Returns the row that a house bot declares at a table of so many seats."""
