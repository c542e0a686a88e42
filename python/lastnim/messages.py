"""The messages of the package lastnim.v1 as frozen dataclasses: their fields are the keys of their JSON.

This file is generated from the protos by `python/generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Ending: TypeAlias = Literal[
    "unspecified", "to_move_wins", "last_mover_wins"
]
"""Who wins when no counter is left."""

TakeSafety: TypeAlias = Literal[
    "unspecified", "safe", "risky", "safe_error", "error"
]
"""
What a take does to the mover's predicted rank and to the rank that it can guarantee itself against all others
together, each held against the best that any take of the position leaves.
"""

TreeForm: TypeAlias = Literal[
    "unspecified", "tree", "graph"
]
"""How all possible play is drawn."""

Minimality: TypeAlias = Literal[
    "unspecified", "proved", "proved_among", "at_least"
]
"""Whether fewer takes contradict each other than those of a contradiction."""

Reading: TypeAlias = Literal[
    "unspecified", "common_knowledge", "declared_believed"
]
"""What the others are taken to know of the row that explains a seat's takes."""

Outcome: TypeAlias = Literal[
    "unspecified", "n", "p", "l", "r"
]
"""Who wins a game of two, whoever starts."""

SequenceLaw: TypeAlias = Literal[
    "unspecified", "identity", "periodic", "not_found", "no_criterion"
]
"""How the Grundy values of a game go on."""

RatingMeasure: TypeAlias = Literal[
    "unspecified", "wins", "satisfaction"
]
"""What a rating is measured by: what the matches of the tournament are scored by."""

RowDefault: TypeAlias = Literal[
    "unspecified", "late", "invalid", "forfeited"
]
"""Why a seat's row is not one that it declared."""

RefusalReason: TypeAlias = Literal[
    "unspecified", "illegal_take", "not_your_turn", "future_ply", "stale", "invalid_row", "already_declared",
    "not_started", "match_ended", "forfeited", "unknown_match", "malformed"
]
"""Why something that a bot sent was refused. Strikes are counted for the reasons that say so."""

ForfeitReason: TypeAlias = Literal[
    "unspecified", "timed_out", "disconnected", "no_show", "strikes", "resigned", "disqualified"
]
"""How a seat was lost."""

EndReason: TypeAlias = Literal[
    "unspecified", "finished", "ply_limit", "all_forfeited", "cancelled"
]
"""How a match came to its end."""


@dataclass(frozen=True, slots=True)
class TakeRange:
    """An inclusive range of takes."""

    lo: int
    """The smallest take, in counters, at least 1. In JavaScript see Game.piles."""
    hi: int
    """The largest take, in counters, at least lo."""


@dataclass(frozen=True, slots=True)
class SolveResponse:
    """The solution of a game."""

    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    value: int
    """The game value: (winner - first) mod n."""
    winner_by_first: tuple[int, ...]
    """By seat: who wins if that seat is first to move."""
    optimal_takes: tuple[TakeRange, ...]
    """All optimal takes, as disjoint ranges in rising order; none if no counter is left."""
    ending: Ending
    """Who wins when no counter is left, as in the game."""


@dataclass(frozen=True, slots=True)
class PlyAudit:
    """One take held against the oracle."""

    ply: int
    """The number of the take, from 0."""
    seat: int
    """The seat that moved, 0..n-1."""
    take: int
    """Counters taken, at least 1. In JavaScript see Game.piles."""
    predicted_before: int
    """The winner under optimal play before the take."""
    predicted_after: int
    """The winner under optimal play after it."""
    regret: int
    """Ranks that the mover lost by it in its own row, 0..n-1; 0 exactly when the take is optimal."""
    optimal_takes: tuple[TakeRange, ...]
    """All optimal takes here, as disjoint ranges in rising order."""
    steward: bool
    """True where the steward moved for a forfeited seat."""
    counters: int
    """Counters that the pile held before the take, at least `take`."""
    guaranteed_before: int | None
    """
    The rank that the mover could guarantee itself before the take, against all others together: a place in its own
    row, 0 (best) to n-1. Absent, as the next two, from a server that does not work it out.
    """
    guaranteed_after: int | None
    """What it could guarantee itself after the take, never better."""
    guaranteed_if_optimal: int | None
    """The best that an optimal take would have left it."""
    safety: TakeSafety
    """
    What the take did to both the predicted and the guaranteed rank of the mover; unspecified where these are absent.
    """


@dataclass(frozen=True, slots=True)
class TakeSafetyCounts:
    """Takes, counted by what they did to the mover's predicted rank and to the rank that it could guarantee itself."""

    risky: int
    """Risky takes: optimal ones that gave up guaranteed rank."""
    needless_risks: int
    """Those of them that were needless: another optimal take would have left a better guaranteed rank."""
    safe_errors: int
    """Safe errors: takes that cost predicted rank and kept the guaranteed one, which was better than the last."""
    hedges: int
    """Those of them that were hedges: no optimal take would have kept the guaranteed rank."""


@dataclass(frozen=True, slots=True)
class SeatAudit:
    """One seat's game in figures."""

    seat: int
    """The seat, 0..n-1."""
    rank_predicted: int
    """The place of the predicted winner in the seat's row, 0 (best) to n-1."""
    rank_actual: int
    """The place of the actual winner in the seat's row, 0 (best) to n-1."""
    satisfaction: float
    """1 - rank_actual / (n - 1), from 0 to 1."""
    regret: int
    """The ranks that the seat's own takes cost it, at least 0."""
    luck: int
    """The ranks that the others' takes gave it; negative where they cost it."""
    accuracy: float | None
    """The share of the seat's own takes that were optimal, from 0 to 1; absent if the seat itself made none."""
    plies: int
    """Takes that the seat itself made: those of the steward do not count."""
    optimal_plies: int
    """How many of these were optimal."""
    rank_guaranteed: int | None
    """
    The rank that the seat could guarantee itself from the first position on, against all others together: 0 (best) to
    n-1, never better than rank_predicted. Absent from a server that does not work it out.
    """
    safety: TakeSafetyCounts | None
    """Which of its own takes were risky, and which errors safe; absent as rank_guaranteed."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One mover's row of the ledger."""

    costs: tuple[int, ...]
    """By seat: ranks that the mover's takes cost that seat; negative where they gave."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A finished game held against optimal play."""

    winner: int
    """The seat that won, 0..n-1."""
    predicted_winner: int
    """The seat that wins from the first position if everybody plays optimally."""
    plies: tuple[PlyAudit, ...]
    """
    Every take in order of play. One is at most 88 bytes, so that the audit of a match of 65,536 plies may be larger
    than the 4 MiB that gRPC clients receive by default: a limit of 6 MiB is enough for any.
    """
    seats: tuple[SeatAudit, ...]
    """Every seat, by seat."""
    ledger: tuple[LedgerRow, ...]
    """
    Row j holds what seat j's takes cost the other seats: entry i is in ranks of seat i, positive where seat i lost by
    it. The column sums are rank_actual - rank_predicted of each seat.
    """
    kingmaking_plies: tuple[int, ...]
    """Plies by which the mover hurt itself and a third seat gained."""
    first_error: int | None
    """The first ply with a regret, if any."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """How far a seat goes up or down its row."""

    seat: int
    """The seat, 0..n-1."""
    ranks: int
    """By how many ranks, 1..n-1."""


@dataclass(frozen=True, slots=True)
class TakeOption:
    """Takes that lead to the same winner."""

    takes: TakeRange | None
    """The takes."""
    winner: int
    """The seat that wins under optimal play after any of them, 0..n-1."""
    regret: int
    """Ranks that they cost the seat to move, in its own row, 0..n-1; 0 exactly if they are optimal."""
    better_for: tuple[RankChange, ...]
    """The seats that are better off than under optimal play, by seat; never the one to move."""
    worse_for: tuple[RankChange, ...]
    """The seats that are worse off than under optimal play, by seat."""
    optimal: bool
    """Whether they are optimal."""


@dataclass(frozen=True, slots=True)
class LinePly:
    """A ply of the line of best play."""

    seat: int
    """The seat that moves, 0..n-1."""
    pile: int
    """The index of the pile in play, from 0."""
    counters: int
    """The counters in it before the take. In JavaScript see Game.piles."""
    take: int
    """Counters taken, at least 1. In JavaScript see Game.piles."""


@dataclass(frozen=True, slots=True)
class ExplainResponse:
    """Why a seat wins under optimal play."""

    winner: int
    """The seat that wins, 0..n-1."""
    options: tuple[TakeOption, ...]
    """
    What the takes lead to: all takes, in rising order, those that lead to the same winner together. None if the game
    is over.
    """
    line: tuple[LinePly, ...]
    """The line of best play: every seat makes the smallest of its optimal takes."""
    line_is_whole: bool
    """Whether the line ends with the last counter; if not, it has as many plies as were asked for."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A state of a game. The piles before the one in play are as they were, those behind it are empty."""

    to_move: int
    """The seat to move, 0..n-1."""
    pile: int
    """The index of the last nonempty pile, from 0."""
    counters: int
    """The counters left in it; 0 only if the game is over. In JavaScript see Game.piles."""
    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    below: str | None
    """
    If the tree was cut here: how many nodes lie below, as a number, or as how large it is about, such as `about 2^400
    (10^120)`.
    """
    below_log2: float | None
    """If the tree was cut here: the binary logarithm of how many nodes lie below."""


@dataclass(frozen=True, slots=True)
class TreeEdge:
    """A take from one state to another."""

    from_: int
    """The index of the node that it was taken at."""
    to: int
    """The index of the node that it leads to."""
    take: int
    """Counters taken, at least 1. In JavaScript see Game.piles."""
    optimal: bool
    """Whether it is an optimal take."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of Last Nim with its preferences, as put to the oracle."""

    piles: tuple[int, ...]
    """
    1 to 1,024 piles of at most 2^63-1 counters each. Only the last nonempty pile is played. Emptied piles may stand
    at the end as 0, nowhere else. A JavaScript number is exact up to 2^53 only: clients written in it read piles,
    counters and takes as Long, BigInt or string (protobuf-js: install `long`; proto-loader: `longs: String`).
    """
    alliance_matrix: tuple[tuple[int, ...], ...] | None
    """The rows of all seats; they say how many seats there are."""
    first: int
    """The seat to move, 0..n-1."""
    ending: Ending
    """Who wins when no counter is left."""


@dataclass(frozen=True, slots=True)
class BuildTreeResponse:
    """All possible play of a game."""

    nodes: tuple[TreeNode, ...]
    """
    The states, the start first; at most 32,768. In a tree they stand in the order in which Algorithm 3.2 of El-Seidy,
    El Kady and Nassr (2019) appends them; in a graph, every take leads to a later one.
    """
    edges: tuple[TreeEdge, ...]
    """
    The takes; at most 32,768. In a tree take k leads to node k + 1; in a graph they are in the order of the nodes
    that they come from. The takes of a node are in rising order.
    """
    game: Game | None
    """The game that was asked about."""
    form: TreeForm
    """How play is drawn; never unspecified."""
    line: tuple[LinePly, ...]
    """The line of best play, as far as it is drawn: every seat makes the smallest of its optimal takes."""
    line_is_whole: bool
    """Whether the line ends with the last counter; if not, the tree was cut there."""


@dataclass(frozen=True, slots=True)
class Coalition:
    """
    Other seats that turn against a seat, and what comes of it: they play for the reverse of its row, everybody knows
    it, and the other seats keep their rows. This is an equilibrium of other preferences, no minimax value, unless all
    others have turned.
    """

    seats: tuple[int, ...]
    """The seats that turn, in rising order."""
    winner: int
    """The winner then, 0..n-1."""
    rank: int
    """The place of that winner in the row of the seat that they turn against."""


@dataclass(frozen=True, slots=True)
class SeatRobustness:
    """What a seat may expect, and what it is sure of. Ranks are places in its own row, 0 (best) to n-1."""

    seat: int
    """The seat, 0..n-1."""
    predicted_rank: int
    """The rank of the winner under optimal play."""
    guaranteed_rank: int
    """
    The rank that the seat can guarantee itself against all others together, a minimax value; never better than
    `predicted_rank`.
    """
    guaranteed_winner: int
    """The winner if all others play against the seat and it defends itself, 0..n-1."""
    price_of_trust: int
    """`guaranteed_rank` less `predicted_rank`."""
    smallest_coalition: Coalition | None
    """
    The fewest other seats that worsen the rank by turning against the seat; absent if none do, and if the search did
    not come to them.
    """
    coalitions_cleared: int
    """No coalition of so many seats or fewer worsens the rank; n-1 if none at all does."""
    search_halted: str
    """Why the search ended before `max_coalition`, in words; empty if it did not."""


@dataclass(frozen=True, slots=True)
class TakeRobustness:
    """Takes that lead to the same winner and leave the mover sure of the same rank."""

    takes: TakeRange | None
    """The takes."""
    winner: int
    """The winner under optimal play after any of them, 0..n-1."""
    rank: int
    """The place of that winner in the mover's row, 0 (best) to n-1."""
    guaranteed_rank: int
    """The rank that the mover is sure of after any of them, against all others together."""
    safety: TakeSafety
    """What they do to both."""


@dataclass(frozen=True, slots=True)
class SeatErrorOutlook:
    """What a seat may expect if takes are errors. Ranks are places in its own row, 0 (best) to n-1."""

    seat: int
    """The seat, 0..n-1."""
    expected_rank_if_all_err: float
    """The expected rank if all seats err."""
    expected_rank_if_others_err: float
    """The expected rank if all others err and the seat does not."""
    kept_if_all_err: float
    """The probability that the rank is no worse than the predicted one, if all seats err."""
    kept_if_others_err: float
    """The same if all others err and the seat does not."""


@dataclass(frozen=True, slots=True)
class ErrorOutlook:
    """
    What becomes of the seats if takes are errors: at each take of a seat that errs, with a probability of `rate` the
    take is drawn from all legal ones; all other takes are drawn from those that are optimal without errors. Each is
    as likely.
    """

    rate: float
    """The probability that a take is an error, 0..1."""
    win_probabilities: tuple[float, ...]
    """By seat: the probability that it wins if all seats err."""
    seats: tuple[SeatErrorOutlook, ...]
    """Every seat, by seat."""


@dataclass(frozen=True, slots=True)
class AssessRobustnessResponse:
    """How safe the winner under optimal play is."""

    winner: int
    """The seat that wins under optimal play, 0..n-1: an equilibrium outcome."""
    seats: tuple[SeatRobustness, ...]
    """Every seat, by seat: what it may expect, and what it is sure of."""
    takes: tuple[TakeRobustness, ...]
    """
    What the takes of the seat to move do: all takes, in rising order, those that do the same together. None if the
    game is over.
    """
    errors: ErrorOutlook | None
    """If an error rate was given: what becomes of the seats if takes are errors."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a declaration leads to."""

    winner: int
    """The winner under optimal play of the rows declared, 0..n-1."""
    rank: int
    """The winner's place in the true row of the seat that is asked about, 0 (best) to n-1."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number that may be larger than 2^64."""

    number: str
    """The number, in decimal digits."""
    exact: bool
    """Whether it is exact; if not, there are so many or more."""


@dataclass(frozen=True, slots=True)
class OffsetPair:
    """Two offsets of a row, in their order."""

    preferred: int
    """The offset that stands before the other, 0..n-1."""
    other: int
    """The other offset, 0..n-1."""


@dataclass(frozen=True, slots=True)
class PartialRow:
    """All rows that have some offsets in some order."""

    pairs: tuple[OffsetPair, ...]
    """What is known of their order. The rest follows from these pairs, or is open."""


@dataclass(frozen=True, slots=True)
class RowSet:
    """A set of rows of one seat."""

    count: Count | None
    """How many rows there are."""
    examples: tuple[tuple[int, ...], ...]
    """
    Some of them, each another: as many as were asked for, or all. The row of the game comes first, if it is one of
    them.
    """
    leaves: tuple[PartialRow, ...]
    """The set in whole, as partial rows of which no two have a row in common: the first 1,024 of them."""
    leaves_left_out: int
    """How many partial rows there are besides."""
    share: float
    """The share of all n! rows that `count` is, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How much of an answer is certain."""

    complete: bool
    """Whether every case was looked at and the numbers are exact."""
    settled: str
    """The cases that were looked at, at least, in decimal digits; all of them if complete."""
    all: str
    """All cases, in decimal digits; empty if complete."""
    reason: str
    """Why not all cases were looked at, in words; empty if complete."""


@dataclass(frozen=True, slots=True)
class FindBestDeclarationResponse:
    """The rows with which a seat is best off."""

    truthful: Prospect | None
    """What its true row leads to."""
    best: Prospect | None
    """The best that any row leads to: any of those looked at, if not all are."""
    rows: RowSet | None
    """The rows that lead to it."""
    settled: Settled | None
    """
    Whether all n! rows were looked at. If the best prospect has rank 0, no other row leads to a better one in any
    case.
    """
    seat: int
    """The seat, as in the request."""
    truth_is_best: bool
    """Whether no row that was looked at leads to a better prospect than the true one."""
    best_is_certain: bool
    """Whether no other row leads to a better prospect than the best, even if not all were looked at."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A seat that is better off with another row than its true one."""

    seat: int
    """The seat, 0..n-1."""
    row: tuple[int, ...] | None
    """The row that it had better declare."""
    truthful: Prospect | None
    """What its true row leads to."""
    deviating: Prospect | None
    """What the other row leads to."""


@dataclass(frozen=True, slots=True)
class CheckTruthResponse:
    """Whether it is a pure Nash equilibrium that all seats declare their true rows."""

    equilibrium: bool | None
    """Whether no seat is better off with another row; absent if there was not time enough to tell."""
    deviation: Deviation | None
    """If not: a seat that is better off with another row."""
    unsettled_seat: int | None
    """If there was not time enough: the seat whose rows were being looked at. Those before it have nothing better."""
    unsettled_reason: str
    """If there was not time enough: why, in words."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """An equilibrium."""

    declared: tuple[tuple[int, ...], ...] | None
    """What all seats declare."""
    winner: int
    """The winner under optimal play of it, 0..n-1."""
    set_size: Count | None
    """How many equilibria were found together with this one."""


@dataclass(frozen=True, slots=True)
class FindEquilibriaResponse:
    """
    All pure Nash equilibria: the declarations of all seats from which no seat alone can come to a winner that its
    true row ranks better.
    """

    by_winner: tuple[Count, ...]
    """By winner: how many equilibria lead to it."""
    count: Count | None
    """How many equilibria there are."""
    examples: tuple[Equilibrium, ...]
    """Some of them: the truth first, if it is one, then one for each winner, then others."""
    settled: Settled | None
    """Whether all (n!)^n declarations were looked at; the numbers are lower bounds if not."""
    truth: CheckTruthResponse | None
    """Whether the truth is one of them."""


@dataclass(frozen=True, slots=True)
class TakeOfGame:
    """A take, by the game and its place in it."""

    game: int
    """The index of the game in the request, from 0."""
    ply: int
    """The number of the take, from 0."""
    seat: int
    """The seat that is asked about in this game, which made the take, 0..n-1."""
    name: str
    """What the caller calls the game."""
    piles: tuple[int, ...]
    """The piles before the take; empty if the game was not kept."""
    take: int
    """The counters taken; 0 if the game was not kept."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Takes that no row explains together; without any one of them, a row explains the others."""

    takes: tuple[TakeOfGame, ...]
    """The takes, in order of play."""
    shortest: bool
    """Whether no fewer takes would do, of all; if not, `minimality` says what is known."""
    minimality: Minimality
    """Whether fewer takes would do."""
    of_takes: int | None
    """
    With MINIMALITY_PROVED_AMONG: how many takes were kept. With MINIMALITY_AT_LEAST: how many takes it needs at
    least.
    """


@dataclass(frozen=True, slots=True)
class RationaliseResponse:
    """The rows that explain every take."""

    rows: RowSet | None
    """The rows; if games were left out, perhaps too many, but none is missing."""
    declared_explains: bool | None
    """Whether the row that the seat declared is one of them; absent if it declared different ones."""
    games: int
    """How many games there are."""
    takes: int
    """How many takes of the seat itself they have."""
    games_left_out: int
    """Games that were left out, as they would have taken too long or too much memory."""
    contradiction: Contradiction | None
    """If no row explains every take: a few takes that show it."""
    declared: tuple[int, ...] | None
    """The row that the seat declared; absent if it declared different ones."""
    reading: Reading
    """What the others are taken to know; never unspecified."""


@dataclass(frozen=True, slots=True)
class RulesetOption:
    """A move, and what it leads to."""

    play: str
    """What is done, in words."""
    position: str
    """The position after it."""
    winner: int
    """The winner under optimal play after it, 0..n-1."""
    optimal: bool
    """Whether no other move has a winner that the seat to move prefers."""
    regret: int
    """Ranks that it costs the seat to move, in its own row; 0 exactly if it is optimal."""


@dataclass(frozen=True, slots=True)
class GrundyOption:
    """What a move in a part can lead to."""

    value: int
    """Its Grundy value."""
    position: str
    """The position that the part becomes."""


@dataclass(frozen=True, slots=True)
class GrundyPart:
    """A part of a position."""

    part: str
    """The part, as text."""
    value: int
    """Its Grundy value: the smallest number that no option of it has (mex)."""
    options: tuple[GrundyOption, ...]
    """
    If an explanation was asked for: an option for each smaller value, from 0 on, at most 64. None for last-nim, whose
    value follows from a formula.
    """


@dataclass(frozen=True, slots=True)
class Grundy:
    """
    The Grundy value of a position, which decides the game for two seats that each want to win, where the last mover
    does.
    """

    value: int
    """The value: the exclusive or of those of the parts."""
    parts: tuple[GrundyPart, ...]
    """Each part that the position is the sum of and in which somebody can move."""
    ending: Ending
    """
    The ending that it is about, always `ENDING_LAST_MOVER_WINS`: with another one the outcome does not follow from
    it.
    """


@dataclass(frozen=True, slots=True)
class TwoPlayers:
    """What is said of a game of two besides its winner."""

    outcome: Outcome
    """Who wins, whoever starts."""
    grundy: Grundy | None
    """
    The Grundy value, of play in which the last mover wins whatever ending the request has; absent if the game is
    partizan, or the value takes more than it may.
    """


@dataclass(frozen=True, slots=True)
class SolveRulesetResponse:
    """The solution of a game of any rules, with moves and positions as text."""

    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    value: int
    """The game value: (winner - first) mod n."""
    winner_by_first: tuple[int, ...]
    """By seat: who wins if that seat is first to move."""
    options: tuple[RulesetOption, ...]
    """
    The moves of the seat to move; none if it has none. Of more than 2 MiB of them the optimal ones come before
    others, which are left out.
    """
    options_left_out: int
    """How many moves were left out."""
    method: str
    """How it was solved: `cap_theorem`, `sprague_grundy` or `backward_induction`."""
    states: int
    """How many positions were solved on the way."""
    two_players: TwoPlayers | None
    """With two seats: what is said besides."""
    ruleset: str
    """The game, by its own name."""
    ending: Ending
    """Who wins when the seat to move has no move: what was asked for, or else the game's own ending."""


@dataclass(frozen=True, slots=True)
class SequenceTerm:
    """One pile of a sequence."""

    size: int
    """Its size."""
    outcome: Outcome
    """Who wins it."""
    grundy: int
    """Its Grundy value."""


@dataclass(frozen=True, slots=True)
class SequencePeriod:
    """How Grundy values repeat, proved."""

    start: int
    """The size from which all values repeat."""
    length: int
    """After how many sizes they do; no smaller number will do."""
    theorem: str
    """
    What proves it: `octal_game`, the theorem of Guy and Smith (1956), or `subtraction`, a row of as many values as
    the largest number of the set that comes again.
    """
    checked_to: int
    """The last size whose value the proof needs; all up to it were worked out."""
    exceptions: tuple[int, ...]
    """The sizes before the start whose values are not what the period, carried on backwards, says."""
    zero_remainders: tuple[int, ...]
    """The remainders of sizes by the length for which the value is 0, from the start on."""


@dataclass(frozen=True, slots=True)
class ListGrundyValuesResponse:
    """The Grundy values of a game's piles."""

    ruleset: str
    """The game, by its own name."""
    set: tuple[int, ...]
    """For subtraction: what may be taken from a pile, rising."""
    ending: Ending
    """The ending that they are about, always `ENDING_LAST_MOVER_WINS`."""
    terms: tuple[SequenceTerm, ...]
    """The piles by size, from 0 on."""
    law: SequenceLaw
    """How the values go on."""
    period: SequencePeriod | None
    """With SEQUENCE_LAW_PERIODIC: how they repeat."""
    values_searched: int
    """With SEQUENCE_LAW_NOT_FOUND: how many values were worked out in search of a period."""


@dataclass(frozen=True, slots=True)
class BotRating:
    """How strong a bot is."""

    points: float
    """
    By wins the most likely rating: 1500 wins half of its matches against the field, on average over the bots. By
    satisfaction how far that lies above the mean of the field, -1 to 1.
    """
    low: float
    """The lower end of the interval in which it lies with 95% confidence."""
    high: float
    """The upper end of that interval."""
    island: int
    """The island, from 0: bots that no chain of matches joins lie on different ones, and cannot be compared."""
    measure: RatingMeasure
    """What it is measured by."""


@dataclass(frozen=True, slots=True)
class BotSkill:
    """How well a bot plays by the oracle's measure. Matches to which it never came are left out."""

    regret_per_match: float
    """Ranks lost by own mistakes, a match to which it came."""
    low: float | None
    """The lower end of the interval in which it lies with 95% confidence; absent with a single duplicate group."""
    high: float | None
    """The upper end of that interval."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """
    What a bot says at the start of a session of the program that plays for it: see ArenaService.Play. Both are empty
    for a session that said nothing.
    """

    version: str
    """What it calls the version: 1 to 64 visible ASCII characters without spaces; empty if it does not say."""
    config_hash: bytes
    """The hash of its configuration, such as its settings file or its prompt: 32 bytes; empty if it does not say."""


@dataclass(frozen=True, slots=True)
class PlayedVersion:
    """What one version of a bot played."""

    version: BotVersion | None
    """The version; one with nothing in it stands for the matches in which the bot said none."""
    matches: int
    """Matches in which it sat. One in which several versions of the bot sat counts for each."""
    wins: int
    """Those of them that the bot won."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line of the standings."""

    place: int
    """
    The place, from 1; equal bots share it. By points; in samples, gauntlets and sequential tests, which give some
    bots more matches, by points a match; in ladders, where bots meet their like, by rating. Then by lower regret,
    then head to head.
    """
    bot: str
    """The bot."""
    points: float
    """The sum of its points."""
    matches: int
    """Matches played."""
    wins: int
    """Matches won."""
    satisfaction: float | None
    """The mean satisfaction, 0 to 1; a forfeited match counts as 0. Absent before the first match."""
    accuracy: float | None
    """The share of its own takes that were optimal, 0 to 1; absent before the first take."""
    regret_per_match: float | None
    """Ranks lost by own mistakes, a match; absent before the first match."""
    luck_per_match: float | None
    """Ranks gained from others' mistakes, a match; negative where they cost. Absent before the first match."""
    forfeits: int
    """Matches in which its seat was lost, no-shows included."""
    no_shows: int
    """Matches to which it never came."""
    rating: BotRating | None
    """
    How strong it is by what is scored; absent before it was rated, and where it never showed up. While a tournament
    runs it is rated at most every few seconds; the last standings are of all matches.
    """
    skill: BotSkill | None
    """How well it plays by the oracle's measure; absent before that was worked out. As old as the rating."""
    elo: float | None
    """
    Its plain Elo, in points: 1500 before its first match, at most 20 won or lost by each, in the order of the
    matches' numbers. Only where matches have two seats and ratings are measured by wins; as old as the rating, and
    absent before the first match that was rated.
    """
    versions: tuple[PlayedVersion, ...]
    """
    The versions of the bot that played, in the order of their names, without matches to which it never came; empty if
    it never said any. Of more than 32 the first.
    """
    disqualified: bool
    """Whether it was disqualified: it stands behind all others, and shares its place with those that were as well."""


@dataclass(frozen=True, slots=True)
class Clock:
    """
    The clock of a match. A seat's bank runs from the moment its turn is handed to its stream until its take arrives,
    but not while the server itself stands still; the lag measured by Ping and Pong is given back within the quotas.
    """

    initial_ms: int
    """Milliseconds that every seat starts with, 1 to 86,400,000 (a day)."""
    increment_ms: int
    """Milliseconds added after each take of the seat, 0 to 3,600,000 (an hour)."""
    lag_quota_ms: int
    """The most lag that is given back for one take, in milliseconds, 0 to 10,000."""
    lag_total_ms: int
    """The most lag that is given back to a seat in one match, in milliseconds, 0 to 600,000."""
    declaration_ms: int
    """Milliseconds that every seat has to declare its row, 1 to 3,600,000 (an hour)."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """All that is fixed before the first move."""

    bots: tuple[str, ...]
    """The bots, by seat: 2 to 32 different names."""
    piles: tuple[int, ...]
    """The piles at the start: 1 to 1,024, each 1 to 2^63-1 counters. In JavaScript see Game.piles."""
    first: int
    """The seat that moves first, 0..n-1."""
    ending: Ending
    """Who wins when no counter is left."""
    clock: Clock | None
    """The clock."""
    strikes: int
    """The strike that forfeits a seat, 1 to 100."""
    max_plies: int
    """The number of plies after which the oracle decides, 1 to 65,536."""
    assigned: tuple[tuple[int, ...], ...] | None
    """The rows, where they are assigned; absent where seats declare their own."""
    tournament_id: str
    """The tournament that the match belongs to; empty for an exhibition."""
    number: int
    """The number of the match in its tournament, from 0."""
    group: int
    """The duplicate group: matches of the same bots on the same piles in every rotation share it."""


@dataclass(frozen=True, slots=True)
class DeclaredEvent:
    """A seat's row became known to the server."""

    seat: int
    """The seat, 0..n-1."""
    row: tuple[int, ...] | None
    """Its row."""
    defaulted: RowDefault
    """Why this is the standard row and not the seat's own; unspecified where it is its own."""
    note_hash: bytes
    """What the bot added to its row: see Declare.note_hash. 32 bytes; empty where it added nothing."""


@dataclass(frozen=True, slots=True)
class RevealedEvent:
    """All rows were shown to everybody."""

    alliance_matrix: tuple[tuple[int, ...], ...] | None
    """The rows of all seats."""


@dataclass(frozen=True, slots=True)
class TookEvent:
    """A take was made."""

    ply: int
    """The number of the take, from 0."""
    seat: int
    """The seat that moved, 0..n-1."""
    take: int
    """Counters taken from the last nonempty pile, at least 1."""
    steward: bool
    """True where the steward moved for a forfeited seat."""
    charged_us: int
    """Microseconds charged to the seat's bank, lag given back already deducted."""
    lag_us: int
    """Microseconds of lag given back."""
    note_hash: bytes
    """What the bot added to its take: see Take.note_hash. 32 bytes; empty where it added nothing."""


@dataclass(frozen=True, slots=True)
class StruckEvent:
    """A seat was given a strike."""

    seat: int
    """The seat, 0..n-1."""
    ply: int
    """The ply that the match had reached."""
    reason: RefusalReason
    """Why."""


@dataclass(frozen=True, slots=True)
class ForfeitedEvent:
    """A seat was lost; the steward plays it from here."""

    seat: int
    """The seat, 0..n-1."""
    reason: ForfeitReason
    """How it was lost."""


@dataclass(frozen=True, slots=True)
class EndedEvent:
    """The match ended."""

    reason: EndReason
    """How it came to its end."""
    winner: int | None
    """The seat that won; absent where the match was cancelled."""


@dataclass(frozen=True, slots=True)
class RecordEvent:
    """One event of a record."""

    at_us: int
    """
    When it happened, in microseconds since 1970-01-01 UTC; in a record never less than the event's before. While a
    match is watched, rows come later than in its record, and so after events that are younger.
    """
    created: MatchSetup | None
    """The match was set up."""
    declared: DeclaredEvent | None
    """A seat's row became known to the server. Left out of what is shown before the rows are revealed."""
    revealed: RevealedEvent | None
    """All rows were shown to everybody."""
    took: TookEvent | None
    """A take was made."""
    struck: StruckEvent | None
    """A seat was given a strike."""
    forfeited: ForfeitedEvent | None
    """A seat was lost; the steward plays it from here."""
    ended: EndedEvent | None
    """The match ended."""
    hash: bytes
    """
    The hash of this event and of all before it, 32 bytes: BLAKE3 of the event's canonical bytes, keyed with the hash
    before it. It stands only in records whose rows are revealed: before that, whoever knows the hash of an event that
    follows a withheld row could try all rows until the hash fits. WatchMatch sends no hashes at all.
    """


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """
    Everything that happened in a match. Once the match is over the server has signed it; docs/reference/records.md says what a
    verifier needs to know.
    """

    match_id: str
    """The match, a UUID."""
    events: tuple[RecordEvent, ...]
    """The events in the order in which they happened; the first is `created`."""
    signer: bytes
    """
    The Ed25519 public key of the server that signed the record, 32 bytes; empty while the match is not over, and
    where it was cancelled before its rows were revealed.
    """
    signature: bytes
    """The signature on the hash of the last event, 64 bytes; empty where `signer` is."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match that is over."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """The tournament that it belongs to, a UUID; absent for an exhibition, as the next two."""
    tournament_number: int | None
    """The number of the match in its tournament, from 0."""
    tournament_group: int | None
    """The duplicate group."""
    created_at_us: int
    """When it was set up, in microseconds since 1970-01-01 UTC."""
    ended_at_us: int
    """When it ended, in microseconds since 1970-01-01 UTC."""
    seats: int
    """How many seats it has."""
    bots: str
    """The bots, by seat."""
    piles: str
    """The counters of the piles at the start."""
    first_seat: int
    """The seat that moved first."""
    ending: Ending
    """Who wins when no counter is left."""
    rows_assigned: bool
    """Whether the rows were assigned to the seats."""
    alliance_matrix: str | None
    """The rows; absent where they were never revealed, as all that the oracle says."""
    clock_initial_ms: int
    """The clock: see Clock."""
    clock_increment_ms: int
    """See Clock.increment_ms."""
    clock_lag_quota_ms: int
    """See Clock.lag_quota_ms."""
    clock_lag_total_ms: int
    """See Clock.lag_total_ms."""
    clock_declaration_ms: int
    """See Clock.declaration_ms."""
    strikes_limit: int
    """The strike that forfeits a seat."""
    max_plies: int
    """The number of plies after which the oracle decides."""
    plies: int
    """How many takes there were."""
    errors: int | None
    """How many of them were errors."""
    first_error_ply: int | None
    """The first of those."""
    kingmaking_plies: int | None
    """How many of them gave a third seat something."""
    end_reason: EndReason | None
    """Why it ended."""
    winner_seat: int | None
    """The seat that won, if any."""
    winner_bot: str | None
    """Its bot."""
    predicted_winner_seat: int | None
    """The seat that wins from the first position under optimal play."""
    predicted_winner_bot: str | None
    """Its bot."""
    events: int
    """How many events the record has."""
    head_hash: bytes | None
    """The hash of the last event, 32 bytes."""
    signer: bytes | None
    """The public key that signed the record, 32 bytes."""
    void_reason: str | None
    """Why it was voided, if it was: it counts for nothing, and was played again."""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match that is over. What the oracle says is absent where the match has no winner."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """The tournament that it belongs to, a UUID; absent for an exhibition."""
    seat: int
    """The seat, 0..n-1."""
    bot: str
    """Its bot."""
    row: str | None
    """Its row; absent where the rows were never revealed."""
    row_default: RowDefault | None
    """Why it has the standard row, if the bot's own did not count."""
    won: bool | None
    """Whether it won; the steward wins for nobody."""
    rank_predicted: int | None
    """See SeatAudit.rank_predicted."""
    rank_actual: int | None
    """See SeatAudit.rank_actual."""
    satisfaction: float | None
    """How satisfied its bot is, 0 to 1: as SeatAudit.satisfaction, but 0 where the seat was lost."""
    regret: int | None
    """See SeatAudit.regret."""
    luck: int | None
    """See SeatAudit.luck."""
    accuracy: float | None
    """See SeatAudit.accuracy."""
    own_plies: int | None
    """Takes that the seat itself made."""
    optimal_plies: int | None
    """How many of these were optimal."""
    strikes: int
    """How many strikes it had."""
    forfeit_reason: ForfeitReason | None
    """Why it was forfeited, if it was."""
    time_left_us: int
    """What its bank held at the end."""
    row_note_hash: bytes | None
    """What the bot added to its row, 32 bytes."""
    versions: int
    """How many versions of the bot sat there, with one for sessions that said none; 0 if it never said any."""
    version: str | None
    """Those of them that it said, as BotVersion.version."""
    config_hash: str | None
    """Their config hashes in base64."""
    attended: bool
    """Whether the bot came: one that never did forfeits the match, and has no figures of its own."""


@dataclass(frozen=True, slots=True)
class PlyRow:
    """A take of a match that is over, with the oracle's view."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """The tournament that it belongs to, a UUID; absent for an exhibition."""
    ply: int
    """The number of the take, from 0."""
    at_us: int
    """When it was made, in microseconds since 1970-01-01 UTC."""
    seat: int
    """The seat that moved, 0..n-1."""
    bot: str
    """Its bot."""
    steward: bool
    """Whether the steward moved for it."""
    pile: int
    """The index of the pile in play, from 0."""
    counters: int
    """What it held before the take. In JavaScript see Game.piles."""
    take: int
    """What was taken. In JavaScript see Game.piles."""
    optimal: bool
    """Whether that was optimal."""
    optimal_takes: str
    """The optimal takes, and ranges of them, as in `1-3 7`."""
    predicted_before_seat: int
    """The winner under optimal play before the take."""
    predicted_after_seat: int
    """The winner under optimal play after it."""
    regret: int
    """See PlyAudit.regret."""
    bank_before_us: int
    """What the seat's bank held before the take."""
    charged_us: int
    """What the take cost it."""
    lag_us: int
    """The lag that was given back for it."""
    note_hash: bytes | None
    """What the bot added to the take, 32 bytes."""
