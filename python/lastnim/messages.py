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
What a take does to the mover's predicted rank and to the rank that it can guarantee against all others together,
compared with the best that any take leaves.
"""

WordKept: TypeAlias = Literal[
    "unspecified", "kept", "broken", "defaulted"
]
"""Whether a member kept a pact."""

TreeForm: TypeAlias = Literal[
    "unspecified", "tree", "graph"
]
"""The form of all possible play."""

Minimality: TypeAlias = Literal[
    "unspecified", "proved", "proved_among", "at_least"
]
"""Whether a contradiction is the smallest."""

Reading: TypeAlias = Literal[
    "unspecified", "common_knowledge", "declared_believed"
]
"""What the others are assumed to know about the row that explains a seat's takes."""

Outcome: TypeAlias = Literal[
    "unspecified", "n", "p", "l", "r"
]
"""The outcome class of a game of two seats."""

SequenceLaw: TypeAlias = Literal[
    "unspecified", "identity", "periodic", "not_found", "no_criterion"
]
"""What is known of all further Grundy values of a game."""

RatingMeasure: TypeAlias = Literal[
    "unspecified", "wins", "satisfaction"
]
"""The measure of a rating: whatever the tournament scores."""

TieBreak: TypeAlias = Literal[
    "unspecified", "regret", "head_to_head", "lot"
]
"""
What decides between bots that are level on points, or in a ladder on ratings, in this order. Where rows are
assigned or dealt, regret is used; where they are declared, head to head, since a bot that declares its row
chooses what counts as its regret.
"""

DealRule: TypeAlias = Literal[
    "unspecified", "all", "self_first"
]
"""The rows from which private rows are dealt; each is equally likely."""

TalkPrivacy: TypeAlias = Literal[
    "unspecified", "open", "private", "published"
]
"""Whether seats can send private messages: messages to some seats only."""

RowDefault: TypeAlias = Literal[
    "unspecified", "late", "invalid", "forfeited"
]
"""Why a seat's row is not one that it declared."""

RefusalReason: TypeAlias = Literal[
    "unspecified", "illegal_take", "not_your_turn", "future_ply", "stale", "invalid_row", "already_declared",
    "not_started", "match_ended", "forfeited", "unknown_match", "malformed", "invalid_talk"
]
"""Why an action of a bot was refused. Some reasons cost a strike."""

ForfeitReason: TypeAlias = Literal[
    "unspecified", "timed_out", "disconnected", "no_show", "strikes", "resigned", "disqualified"
]
"""Why a seat was forfeited."""

EndReason: TypeAlias = Literal[
    "unspecified", "finished", "ply_limit", "all_forfeited", "cancelled"
]
"""Why a match ended."""


@dataclass(frozen=True, slots=True)
class TakeRange:
    """An inclusive range of takes."""

    lo: int
    """The smallest take, in counters, at least 1. For JavaScript see Game.piles."""
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
    """All optimal takes, as disjoint ranges in ascending order; none if no counter is left."""
    ending: Ending
    """Who wins when no counter is left, as in the game."""


@dataclass(frozen=True, slots=True)
class PlyAudit:
    """One take compared with optimal play."""

    ply: int
    """The number of the take, from 0."""
    seat: int
    """The seat that moved, 0..n-1."""
    take: int
    """Counters taken, at least 1. For JavaScript see Game.piles."""
    predicted_before: int
    """The winner under optimal play before the take."""
    predicted_after: int
    """The winner under optimal play after it."""
    regret: int
    """Ranks that the mover lost by the take in its own row, 0..n-1; 0 exactly if the take is optimal."""
    optimal_takes: tuple[TakeRange, ...]
    """All optimal takes, as disjoint ranges in ascending order."""
    steward: bool
    """Whether the steward moved for a forfeited seat."""
    counters: int
    """Counters in the pile before the take, at least `take`."""
    guaranteed_before: int | None
    """
    The rank that the mover could guarantee against all others together before the take: a place in its own row, 0
    (best) to n-1. Absent, like the next two, if the server does not compute it.
    """
    guaranteed_after: int | None
    """The rank that it could guarantee after the take, never better."""
    guaranteed_if_optimal: int | None
    """The best guaranteed rank after an optimal take."""
    safety: TakeSafety
    """What the take did to the mover's predicted and guaranteed rank; unspecified if these are absent."""


@dataclass(frozen=True, slots=True)
class TakeSafetyCounts:
    """Takes, counted by their effect on the mover's predicted and guaranteed rank."""

    risky: int
    """Risky takes: optimal ones that gave up guaranteed rank."""
    needless_risks: int
    """Needless risks among them: another optimal take would have left a better guaranteed rank."""
    safe_errors: int
    """Safe errors: takes that cost predicted rank and kept the guaranteed rank, which was better than last place."""
    hedges: int
    """Hedges among them: no optimal take would have kept the guaranteed rank."""


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
    """The ranks that others' takes gave it; negative if they cost it ranks."""
    accuracy: float | None
    """The share of the seat's own takes that were optimal, from 0 to 1; absent if the seat itself made none."""
    plies: int
    """The seat's own takes, without the steward's."""
    optimal_plies: int
    """How many of these were optimal."""
    rank_guaranteed: int | None
    """
    The rank that the seat could guarantee against all others together from the first position: 0 (best) to n-1, never
    better than rank_predicted. Absent if the server does not compute it.
    """
    safety: TakeSafetyCounts | None
    """Its risky takes and safe errors; absent like rank_guaranteed."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One mover's row of the ledger."""

    costs: tuple[int, ...]
    """By seat: ranks that the mover's takes cost that seat; negative if they gave it ranks."""


@dataclass(frozen=True, slots=True)
class DealtRanks:
    """
    Places in a seat's dealt row, 0 (best) to n-1. Declarations and play add up: rank_actual - rank_honest is
    rank_declared - rank_honest plus the sum of the seat's column of the ledger.
    """

    rank_honest: int
    """The place of the honest winner."""
    rank_declared: int
    """The place of the winner under optimal play with the declared rows."""
    rank_actual: int
    """The place of the seat that won."""


@dataclass(frozen=True, slots=True)
class DealtAudit:
    """
    A finished game compared with the rows that were dealt to its seats. All figures above follow the declared rows.
    """

    rows: tuple[tuple[int, ...], ...] | None
    """The dealt rows, by which the seats score."""
    honest_winner: int
    """The seat that wins under optimal play if every seat declares its dealt row."""
    seats: tuple[DealtRanks, ...]
    """The ranks of every seat in its dealt row, by seat."""
    ledger: tuple[LedgerRow, ...]
    """
    Row j is what seat j's takes cost the seats in ranks of their dealt rows. The sum of a column is the seat's
    rank_actual - rank_declared.
    """


@dataclass(frozen=True, slots=True)
class OfferId:
    """The place of the message that offers a pact."""

    seat: int
    """The sender, 0..n-1."""
    round: int
    """The round, from 0."""
    number: int
    """The number among the messages of the sender in this round, from 0."""


@dataclass(frozen=True, slots=True)
class PactRelation:
    """A row ranks one seat before another one."""

    before: int
    """The seat that comes first."""
    after: int
    """The seat that comes later."""


@dataclass(frozen=True, slots=True)
class PactMember:
    """A member of a pact, and the constraint on its declared row."""

    seat: int
    """The seat, 0..n-1."""
    relations: tuple[PactRelation, ...]
    """
    What its row must agree with; empty if it may declare any row. Only those from which all others follow, in
    ascending order of the offsets of their seats; a bot may send others as well, in any order.
    """


@dataclass(frozen=True, slots=True)
class Pact:
    """An agreement of two or more seats about the rows that they will declare."""

    members: tuple[PactMember, ...]
    """The members, in ascending order of their seats."""


@dataclass(frozen=True, slots=True)
class PactMemberAudit:
    """What a member of a signed pact did."""

    seat: int
    """The seat, 0..n-1."""
    word: WordKept
    """Whether it kept the pact."""
    temptation: int | None
    """
    Ranks of its dealt row, 0..n-1, that its best row gains over its best row that keeps the pact, given the others'
    declared rows; absent if no rows were dealt, or the search for these rows takes too long.
    """
    harms: tuple[int, ...]
    """
    By seat: ranks of its dealt row, -(n-1)..n-1, that it lost by the breach, compared with the row nearest to the
    declared one that keeps the pact; empty unless the member broke the pact and rows were dealt.
    """


@dataclass(frozen=True, slots=True)
class PactAudit:
    """A signed pact."""

    offer: OfferId | None
    """The message that offered it."""
    pact: Pact | None
    """The pact."""
    values: tuple[int, ...]
    """
    By seat: the ranks of its dealt row that it gains, -(n-1)..n-1, if each member declares the row nearest to its
    dealt row that keeps the pact, and all others declare their dealt rows, instead of all declaring their dealt rows;
    empty if no rows were dealt.
    """
    members: tuple[PactMemberAudit, ...]
    """What its members did, in ascending order of their seats."""


@dataclass(frozen=True, slots=True)
class DoubleDealing:
    """A promise that a seat cannot keep together with earlier ones."""

    seat: int
    """The seat, 0..n-1."""
    pact: int
    """The index of the pact with this promise in TalkAudit.pacts."""
    earlier: tuple[int, ...]
    """
    The indices of earlier pacts that contradict it together: without any one of them, the seat could keep the others.
    """


@dataclass(frozen=True, slots=True)
class ClaimAudit:
    """
    A claim compared with the rows of its sender. A distance is the number of pairs of winners, 0..n(n-1)/2, that two
    rows put in different orders.
    """

    seat: int
    """The sender, 0..n-1."""
    round: int
    """The round, from 0."""
    number: int
    """The number among the messages of the sender in this round, from 0."""
    row: tuple[int, ...] | None
    """The claimed row."""
    from_dealt: int | None
    """The distance from the dealt row, 0 if the claim is true; absent if no rows were dealt."""
    from_declared: int | None
    """The distance from the declared row; absent if the seat declared no valid row in time."""


@dataclass(frozen=True, slots=True)
class TalkAudit:
    """
    The talk of a match, as far as everybody can read it, compared with the rows that its seats declared and were
    dealt.
    """

    allows_pacts: bool
    """Whether the seats could sign pacts."""
    offers: tuple[int, ...]
    """By seat: the number of pacts that it offered."""
    pacts: tuple[PactAudit, ...]
    """The signed pacts, in the order in which they were offered."""
    double_dealing: tuple[DoubleDealing, ...]
    """Promises in signed pacts that contradict earlier ones."""
    claims: tuple[ClaimAudit, ...]
    """The claims, in the order in which they were sent."""
    hidden_messages: tuple[int, ...]
    """By seat: the number of its messages that stay private. Any of them can be a claim, or offer or accept a pact."""
    may_hide_pacts: bool
    """Whether private messages may have offered or signed other pacts than those above."""
    has_dealt_rows: bool
    """Whether private rows were dealt."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A finished game compared with optimal play."""

    winner: int
    """The seat that won, 0..n-1."""
    predicted_winner: int
    """The seat that wins from the first position if everybody plays optimally."""
    plies: tuple[PlyAudit, ...]
    """
    Every take in order. One has at most 88 bytes, so the audit of a match of 65,536 plies may exceed the 4 MiB that
    gRPC clients accept by default: 6 MiB is enough.
    """
    seats: tuple[SeatAudit, ...]
    """The figures of every seat, by seat."""
    ledger: tuple[LedgerRow, ...]
    """
    Row j is what seat j's takes cost the other seats: entry i in ranks of seat i, positive if seat i lost by it. The
    sum of a column is the seat's rank_actual - rank_predicted.
    """
    kingmaking_plies: tuple[int, ...]
    """Plies that cost the mover ranks and gave ranks to a third seat."""
    first_error: int | None
    """The first ply with regret above 0, if any."""
    dealt: DealtAudit | None
    """The comparison with what the seats really wanted, if private rows were dealt."""
    talk: TalkAudit | None
    """
    What the seats promised and claimed while they talked; only in the audit of a record and in GetMatchResponse, and
    absent if the seats could not talk.
    """


@dataclass(frozen=True, slots=True)
class RankChange:
    """How far a seat moves up or down its row."""

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
    """The ranks that they cost the seat to move in its own row, 0..n-1; 0 exactly if they are optimal."""
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
    """The counters in it before the take. For JavaScript see Game.piles."""
    take: int
    """Counters taken, at least 1. For JavaScript see Game.piles."""


@dataclass(frozen=True, slots=True)
class ExplainResponse:
    """Why a seat wins under optimal play."""

    winner: int
    """The seat that wins, 0..n-1."""
    options: tuple[TakeOption, ...]
    """All takes, ascending, grouped by the winner that they lead to. Empty if the game is over."""
    line: tuple[LinePly, ...]
    """The line of best play: every seat makes the smallest of its optimal takes."""
    line_is_whole: bool
    """Whether the line ends with the last counter; otherwise it has the requested length."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A state of a game. The piles before the one in play are as at the start, those after it are empty."""

    to_move: int
    """The seat to move, 0..n-1."""
    pile: int
    """The index of the last nonempty pile, from 0."""
    counters: int
    """The counters left in it; 0 only if the game is over. For JavaScript see Game.piles."""
    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    below: str | None
    """If the tree was cut here: the number of nodes below, exact or approximate, such as `about 2^400 (10^120)`."""
    below_log2: float | None
    """If the tree was cut here: the binary logarithm of the number of nodes below."""


@dataclass(frozen=True, slots=True)
class TreeEdge:
    """A take from one state to another."""

    from_: int
    """The index of the node that it starts from."""
    to: int
    """The index of the node that it leads to."""
    take: int
    """Counters taken, at least 1. For JavaScript see Game.piles."""
    optimal: bool
    """Whether it is an optimal take."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of Last Nim with the preferences of its seats."""

    piles: tuple[int, ...]
    """
    1 to 1,024 piles of at most 2^63-1 counters each. Only the last nonempty pile is played. Empty piles may appear as
    0 at the end only. A JavaScript number is exact only up to 2^53: read piles, counters and takes as Long, BigInt or
    string (protobuf-js: install `long`; proto-loader: `longs: String`).
    """
    alliance_matrix: tuple[tuple[int, ...], ...] | None
    """The rows of all seats; their number is the number of seats."""
    first: int
    """The seat to move, 0..n-1."""
    ending: Ending
    """Who wins when no counter is left."""


@dataclass(frozen=True, slots=True)
class BuildTreeResponse:
    """All possible play of a game."""

    nodes: tuple[TreeNode, ...]
    """
    The states, the start first; at most 32,768. A tree lists them in the order in which Algorithm 3.2 of El-Seidy, El
    Kady and Nassr (2019) appends them; in a graph every take leads to a later one.
    """
    edges: tuple[TreeEdge, ...]
    """
    The takes; at most 32,768. In a tree take k leads to node k + 1; in a graph they are ordered by the node that they
    start from. The takes of a node are ascending.
    """
    game: Game | None
    """The game of the request."""
    form: TreeForm
    """Its form; never unspecified."""
    line: tuple[LinePly, ...]
    """The line of best play, as far as the tree goes: every seat makes the smallest of its optimal takes."""
    line_is_whole: bool
    """Whether the line ends with the last counter; otherwise the tree was cut there."""


@dataclass(frozen=True, slots=True)
class Coalition:
    """
    Seats that turn against a seat, and the outcome: they play for the reverse of its row, everybody knows it, and the
    other seats keep their rows. This is an equilibrium of other preferences, and a minimax value only if all others
    have turned.
    """

    seats: tuple[int, ...]
    """The seats that turn, ascending."""
    winner: int
    """The winner then, 0..n-1."""
    rank: int
    """The place of that winner in the seat's row."""


@dataclass(frozen=True, slots=True)
class SeatRobustness:
    """What a seat may expect and what it can guarantee. Ranks are places in its own row, 0 (best) to n-1."""

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
    The smallest coalition that worsens the rank by turning against the seat; absent if none does, or the search did
    not reach it.
    """
    coalitions_cleared: int
    """No coalition up to this size worsens the rank; n-1 if none at all does."""
    search_halted: str
    """Why the search ended before `max_coalition`; empty if it did not."""


@dataclass(frozen=True, slots=True)
class TakeRobustness:
    """Takes with the same winner and the same guaranteed rank for the mover."""

    takes: TakeRange | None
    """The takes."""
    winner: int
    """The winner under optimal play after any of them, 0..n-1."""
    rank: int
    """The place of that winner in the mover's row, 0 (best) to n-1."""
    guaranteed_rank: int
    """The rank that the mover can guarantee after any of them, against all others together."""
    safety: TakeSafety
    """Their effect on both."""


@dataclass(frozen=True, slots=True)
class SeatErrorOutlook:
    """A seat's outlook with errors. Ranks are places in its own row, 0 (best) to n-1."""

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
    The outlook with errors: at each take of a seat that errs, with probability `rate` the take is drawn uniformly
    from all legal ones; all other takes are drawn uniformly from those that are optimal without errors.
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
    """By seat: what it may expect and what it can guarantee."""
    takes: tuple[TakeRobustness, ...]
    """All takes of the seat to move, ascending, grouped by effect. Empty if the game is over."""
    errors: ErrorOutlook | None
    """The outlook with errors, if an error rate was given."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """The outcome of a declaration."""

    winner: int
    """The winner under optimal play of the rows declared, 0..n-1."""
    rank: int
    """The winner's place in the seat's true row, 0 (best) to n-1."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number that may be larger than 2^64."""

    number: str
    """The number, in decimal digits."""
    exact: bool
    """Whether it is exact; if not, it is a lower bound."""


@dataclass(frozen=True, slots=True)
class OffsetPair:
    """Two offsets of a row, in order."""

    preferred: int
    """The preferred offset, 0..n-1."""
    other: int
    """The other offset, 0..n-1."""


@dataclass(frozen=True, slots=True)
class PartialRow:
    """All rows in which some offsets have a given order."""

    pairs: tuple[OffsetPair, ...]
    """The known part of the order. The rest follows from these pairs or is open."""


@dataclass(frozen=True, slots=True)
class RowSet:
    """A set of rows of one seat."""

    count: Count | None
    """The number of rows."""
    examples: tuple[tuple[int, ...], ...]
    """Different examples: as many as requested, or all. The row of the game comes first if it is among them."""
    leaves: tuple[PartialRow, ...]
    """The complete set as disjoint partial rows: the first 1,024 of them."""
    leaves_left_out: int
    """The number of further partial rows."""
    share: float
    """`count` as a share of all n! rows, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How much of an answer is certain."""

    complete: bool
    """Whether every case was examined and the numbers are exact."""
    settled: str
    """The minimum number of cases examined, in decimal digits; all of them if complete."""
    all: str
    """All cases, in decimal digits; empty if complete."""
    reason: str
    """Why not all cases were examined; empty if complete."""


@dataclass(frozen=True, slots=True)
class FindBestDeclarationResponse:
    """The best rows of a seat."""

    truthful: Prospect | None
    """The outcome of its true row."""
    best: Prospect | None
    """The best outcome of any examined row."""
    rows: RowSet | None
    """The rows with this outcome."""
    settled: Settled | None
    """Whether all n! rows were examined. If the best outcome has rank 0, no row can be better."""
    seat: int
    """The seat, as in the request."""
    truth_is_best: bool
    """Whether no examined row is better than the true one."""
    best_is_certain: bool
    """Whether the best outcome is certain, even if not all rows were examined."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A seat that is better off with another row than its true one."""

    seat: int
    """The seat, 0..n-1."""
    row: tuple[int, ...] | None
    """The better row."""
    truthful: Prospect | None
    """The outcome of its true row."""
    deviating: Prospect | None
    """The outcome of the other row."""


@dataclass(frozen=True, slots=True)
class CheckTruthResponse:
    """Whether it is a pure Nash equilibrium that all seats declare their true rows."""

    equilibrium: bool | None
    """Whether no seat is better off with another row; absent if time ran out."""
    deviation: Deviation | None
    """If not: a seat that is better off with another row."""
    unsettled_seat: int | None
    """If time ran out: the seat whose rows were being examined. The seats before it have nothing better."""
    unsettled_reason: str
    """If time ran out: why."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """An equilibrium."""

    declared: tuple[tuple[int, ...], ...] | None
    """The declarations of all seats."""
    winner: int
    """The winner under optimal play with these declarations, 0..n-1."""
    set_size: Count | None
    """The number of equilibria found together with this one."""


@dataclass(frozen=True, slots=True)
class FindEquilibriaResponse:
    """
    All pure Nash equilibria: declarations from which no seat alone can reach a winner that its true row ranks better.
    """

    by_winner: tuple[Count, ...]
    """By winner: the number of equilibria that lead to it."""
    count: Count | None
    """The number of equilibria."""
    examples: tuple[Equilibrium, ...]
    """Examples: the truth first, if it is one, then one per winner, then others."""
    settled: Settled | None
    """Whether all (n!)^n declarations were examined; if not, the numbers are lower bounds."""
    truth: CheckTruthResponse | None
    """Whether the truth is one of them."""


@dataclass(frozen=True, slots=True)
class TakeOfGame:
    """A take of a game."""

    game: int
    """The index of the game in the request, from 0."""
    ply: int
    """The number of the take, from 0."""
    seat: int
    """The seat that made the take, 0..n-1."""
    name: str
    """The name of the game."""
    piles: tuple[int, ...]
    """The piles before the take; empty if the game was not kept."""
    take: int
    """The counters taken; 0 if the game was not kept."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Takes that no row explains together, although without any one of them a row explains the rest."""

    takes: tuple[TakeOfGame, ...]
    """The takes, in order of play."""
    shortest: bool
    """Whether no smaller set of takes exists; if not known, see `minimality`."""
    minimality: Minimality
    """Whether it is the smallest."""
    of_takes: int | None
    """With MINIMALITY_PROVED_AMONG: the number of kept takes. With MINIMALITY_AT_LEAST: the minimum size."""


@dataclass(frozen=True, slots=True)
class RationaliseResponse:
    """The rows that explain every take."""

    rows: RowSet | None
    """The rows. If games were left out, rows that do not fit them may be included, but none is missing."""
    declared_explains: bool | None
    """Whether the declared row is one of them; absent if the seat declared different ones."""
    games: int
    """The number of games."""
    takes: int
    """The number of the seat's own takes."""
    games_left_out: int
    """Games that were left out because of time or memory."""
    contradiction: Contradiction | None
    """If no row explains every take: a few takes that prove it."""
    declared: tuple[int, ...] | None
    """The row that the seat declared; absent if it declared different ones."""
    reading: Reading
    """What the others are assumed to know; never unspecified."""


@dataclass(frozen=True, slots=True)
class RulesetOption:
    """A move and its outcome."""

    play: str
    """The move in words."""
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
    The Grundy value of a position, which decides the game for two seats that each want to win if the last mover wins.
    """

    value: int
    """The value: the exclusive or of the parts' values."""
    parts: tuple[GrundyPart, ...]
    """The parts whose sum is the position and in which a move exists."""
    ending: Ending
    """The ending, always `ENDING_LAST_MOVER_WINS`: with another one it does not decide the outcome."""


@dataclass(frozen=True, slots=True)
class TwoPlayers:
    """Results for two seats."""

    outcome: Outcome
    """The outcome class."""
    grundy: Grundy | None
    """
    The Grundy value for the ending in which the last mover wins, whatever the request says; absent if the game is
    partizan, or the value exceeds the limits.
    """


@dataclass(frozen=True, slots=True)
class MoveRobustness:
    """The effect of a move on the mover's ranks."""

    guaranteed_rank: int
    """The rank that the mover can guarantee after it, against all others together."""
    safety: TakeSafety
    """Its effect on the predicted and the guaranteed rank."""


@dataclass(frozen=True, slots=True)
class RulesetRobustness:
    """How safe the winner under optimal play is: see AssessRobustnessResponse."""

    seats: tuple[SeatRobustness, ...]
    """By seat: what it may expect and what it can guarantee."""
    moves: tuple[MoveRobustness, ...]
    """The effect of each move, in the order of `options`."""


@dataclass(frozen=True, slots=True)
class SolveRulesetResponse:
    """The solution of a game, with moves and positions as text."""

    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    value: int
    """The game value: (winner - first) mod n."""
    winner_by_first: tuple[int, ...]
    """By seat: who wins if that seat is first to move."""
    options: tuple[RulesetOption, ...]
    """The moves of the seat to move. Beyond 2 MiB, optimal moves are kept and others left out."""
    options_left_out: int
    """The number of moves left out."""
    method: str
    """How it was solved: `cap_theorem`, `sprague_grundy` or `backward_induction`."""
    states: int
    """The number of positions solved."""
    two_players: TwoPlayers | None
    """Results for two seats."""
    ruleset: str
    """The game, by its main name."""
    ending: Ending
    """Who wins when the seat to move has no move: as requested, or by default of the game."""
    robustness: RulesetRobustness | None
    """How safe the winner is, if a size of coalitions was given."""


@dataclass(frozen=True, slots=True)
class TiedSolution:
    """
    The solution for rows with ties. A position has a set of winners: those of all equilibria, in which a seat that is
    indifferent may move either way, also depending on the moves before.
    """

    winners: tuple[int, ...] | None
    """The winners that an equilibrium leads to."""
    winners_by_first: tuple[tuple[int, ...], ...]
    """The same, by the seat that moves first."""
    optimal_in_some: tuple[TakeRange, ...]
    """
    The takes that are optimal in some equilibrium, as disjoint ranges in ascending order; none if no counter is left.
    """
    optimal_in_every: tuple[TakeRange, ...]
    """The takes that are optimal in every equilibrium; may be empty."""


@dataclass(frozen=True, slots=True)
class PassingSolution:
    """The solution of play with passes."""

    winner: int
    """The seat that wins under optimal play, 0..n-1."""
    winner_by_first: tuple[int, ...]
    """By seat: who wins if that seat is first to move."""
    optimal_takes: tuple[TakeRange, ...]
    """
    All optimal takes, as disjoint ranges in ascending order; none if only a pass is optimal, or no counter is left.
    """
    pass_optimal: bool
    """Whether a pass is optimal."""


@dataclass(frozen=True, slots=True)
class AllianceSolution:
    """The solution for two alliances."""

    winning: tuple[int, ...] | None
    """The seats of the alliance that wins."""
    winning_by_first: tuple[tuple[int, ...], ...]
    """The same, by the seat that moves first."""
    optimal_takes: tuple[TakeRange, ...]
    """
    The takes that keep the mover's alliance winning, as disjoint ranges in ascending order; all if it loses anyway,
    none if no counter is left.
    """


@dataclass(frozen=True, slots=True)
class RandomSeatSolution:
    """The solution of play with random seats. Ranks are places in a seat's own row, 0 (best) to n-1."""

    win_probabilities: tuple[float, ...]
    """By seat: the probability that it wins."""
    expected_ranks: tuple[float, ...]
    """By seat: its expected rank."""
    optimal_takes: tuple[TakeRange, ...]
    """
    All optimal takes, as disjoint ranges in ascending order; none if the seat to move moves at random, or no counter
    is left.
    """
    has_ties: bool
    """
    Whether in some reachable position takes are equally good for the mover and lead to different chances: then the
    figures may depend on the rule that it takes the fewest counters.
    """


@dataclass(frozen=True, slots=True)
class SolveVariantResponse:
    """The solution of a variant."""

    ties: TiedSolution | None
    """The solution for rows with ties."""
    passes: PassingSolution | None
    """The solution of play with passes."""
    alliances: AllianceSolution | None
    """The solution for two alliances."""
    random_seats: RandomSeatSolution | None
    """The solution of play with random seats."""
    ending: Ending
    """Who wins when no counter is left, as in the request."""


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
    """A proved period of Grundy values."""

    start: int
    """The size from which all values repeat."""
    length: int
    """The smallest period."""
    theorem: str
    """
    The theorem: `octal_game` (Guy and Smith, 1956), or `subtraction` (a run of as many values as the largest number
    of the set repeats).
    """
    checked_to: int
    """The last size that the proof needs; all up to it were computed."""
    exceptions: tuple[int, ...]
    """The sizes before the start whose values differ from the period extended backwards."""
    zero_remainders: tuple[int, ...]
    """The remainders of sizes modulo the length with value 0, from the start on."""


@dataclass(frozen=True, slots=True)
class ListGrundyValuesResponse:
    """The Grundy values of a game's piles."""

    ruleset: str
    """The game, by its main name."""
    set: tuple[int, ...]
    """For subtraction: the numbers that may be taken from a pile, ascending."""
    ending: Ending
    """The ending, always `ENDING_LAST_MOVER_WINS`."""
    terms: tuple[SequenceTerm, ...]
    """The piles by size, from 0 on."""
    law: SequenceLaw
    """What is known of all further values."""
    period: SequencePeriod | None
    """With SEQUENCE_LAW_PERIODIC: the period."""
    values_searched: int
    """With SEQUENCE_LAW_NOT_FOUND: the number of values computed."""


@dataclass(frozen=True, slots=True)
class BotRating:
    """A bot's rating."""

    points: float
    """
    By wins, the most likely rating: 1500 wins half of its matches against the field, averaged over the bots. By
    satisfaction, the distance from the mean of the field, -1 to 1.
    """
    low: float
    """The lower end of its 95% interval."""
    high: float
    """The upper end of that interval."""
    island: int
    """The island, from 0: bots on different islands are not connected by matches and cannot be compared."""
    measure: RatingMeasure
    """Its measure."""


@dataclass(frozen=True, slots=True)
class BotSkill:
    """A bot's skill by the oracle's measure, without matches to which it never connected."""

    regret_per_match: float
    """Ranks lost by its own errors, per match for which it connected."""
    low: float | None
    """The lower end of its 95% interval; absent with a single duplicate group."""
    high: float | None
    """The upper end of that interval."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """
    The program that plays for a bot, as reported at the start of a session: see ArenaService.Play. Both fields are
    empty if nothing was reported.
    """

    version: str
    """The version: 1 to 64 visible ASCII characters without spaces; empty if not reported."""
    config_hash: bytes
    """A hash of its configuration, such as a settings file or a prompt: 32 bytes; empty if not reported."""


@dataclass(frozen=True, slots=True)
class PlayedVersion:
    """What one version of a bot played."""

    version: BotVersion | None
    """The version; empty for matches in which the bot reported none."""
    matches: int
    """Matches in which it sat. A match with several versions of the bot counts for each."""
    wins: int
    """How many of these matches the bot won."""


@dataclass(frozen=True, slots=True)
class PlaceRange:
    """
    The places that a bot may hold by its strength: bots that are clearly stronger come before the best place, and
    bots that are clearly weaker come after the worst.
    """

    best: int
    """The best place, from 1."""
    worst: int
    """The worst place, at least the best."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line of the standings."""

    place: int
    """
    The place, from 1: by the order of the standings, then by tie-breaks. Bots that are still level before the end
    share a place, and so do bots that went out in the same round of a knockout before the final.
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
    """Ranks lost per match by its own errors; absent before the first match."""
    luck_per_match: float | None
    """Ranks gained per match from others' errors; negative if they cost it ranks. Absent before the first match."""
    forfeits: int
    """Forfeited matches, including no-shows."""
    no_shows: int
    """Matches to which it never connected."""
    rating: BotRating | None
    """
    Its rating by what is scored; absent before it was rated and if it never connected. Updated at most every few
    seconds while a tournament runs; the final standings rate all matches.
    """
    skill: BotSkill | None
    """Its skill by the oracle's measure; absent before it was computed. As old as the rating."""
    elo: float | None
    """
    Its plain Elo, in points: 1500 before its first match, a gain or loss of at most 20 per match, in the order of
    match numbers. Only if matches have two seats and ratings are measured by wins; as old as the rating, absent
    before the first rated match.
    """
    versions: tuple[PlayedVersion, ...]
    """
    The versions of the bot that played, by name, without matches to which it never connected; empty if none was
    reported, and only the first 32.
    """
    disqualified: bool
    """Whether it was disqualified: its place is after all others, shared with other disqualified bots."""
    withdrawn: bool
    """Whether it withdrew: its place is after those that stayed."""
    relative_satisfaction: float | None
    """
    With ALLIANCE_MODE_DEALT: the mean satisfaction less what optimal play would have given if every seat had declared
    its dealt row, -1 to 1. It does not depend on the luck of the deal. Absent before the first match.
    """
    place_range: PlaceRange | None
    """
    The places that it may hold by its strength, with a confidence of 95%. Absent in a knockout, if it is unrated,
    disqualified or withdrawn, if some ratings cannot be compared, with more than 1,000 rated bots, and if comparing
    them would be too much work. As old as the rating.
    """
    tie_break: TieBreak
    """
    What put it behind the bot one line above, or in an earlier round of a knockout behind the last bot that advanced.
    Unspecified if no tie-break was needed, and if it shares its place.
    """


@dataclass(frozen=True, slots=True)
class Clock:
    """
    The clock of a match. A seat's bank runs from the moment its turn is handed to its stream until its take arrives,
    but not while the server itself is stopped; the lag measured by Ping and Pong is given back within the quotas.
    """

    initial_ms: int
    """Milliseconds in every seat's bank at the start, 1 to 86,400,000 (a day)."""
    increment_ms: int
    """Milliseconds added after each take of the seat, 0 to 3,600,000 (an hour)."""
    lag_quota_ms: int
    """The maximum lag given back for one take, in milliseconds, 0 to 10,000."""
    lag_total_ms: int
    """The maximum lag given back to a seat in one match, in milliseconds, 0 to 600,000."""
    declaration_ms: int
    """Milliseconds that every seat has to declare its row, 1 to 3,600,000 (an hour)."""
    return_within_ms: int | None
    """
    Milliseconds that a bot that is to move may be without a session before its seat is forfeited, 1 to 86,400,000 (a
    day). They start with its turn, or later when it disconnects. Absent: as long as its bank lasts.
    """


@dataclass(frozen=True, slots=True)
class Deal:
    """How private rows were dealt."""

    rule: DealRule
    """The rows from which they were drawn; unspecified if they were drawn from a list."""
    rows: tuple[tuple[int, ...], ...]
    """The list from which they were drawn; empty if they were not. Each row is equally likely."""
    commitments: tuple[bytes, ...]
    """The commitments to the rows, by seat, 32 bytes each: docs/reference/records.md says how they are computed."""


@dataclass(frozen=True, slots=True)
class Talk:
    """
    How seats talk before they declare their rows. In each round, seats send messages, which are delivered together
    when all seats have ended their talk or the time is up. A seat that declares its row has ended its talk.
    """

    rounds: int
    """Rounds, 1 to 4."""
    round_ms: int
    """Maximum milliseconds of a round, 1 to 3,600,000 (an hour). A request may give 0 for the default 60,000."""
    text_chars: int
    """Maximum characters of a text, 1 to 1,000. A request may give 0 for the default 500."""
    privacy: TalkPrivacy
    """Whether seats can send private messages."""
    pacts: bool
    """Whether seats can sign pacts. This needs 2 rounds and at most 8 seats."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """Everything fixed before the first move."""

    bots: tuple[str, ...]
    """The bots, by seat: 2 to 32 different names."""
    piles: tuple[int, ...]
    """The piles at the start: 1 to 1,024, each 1 to 2^63-1 counters. For JavaScript see Game.piles."""
    first: int
    """The seat that moves first, 0..n-1."""
    ending: Ending
    """Who wins when no counter is left."""
    clock: Clock | None
    """The clock."""
    strikes: int
    """Strikes after which a seat is forfeited, 1 to 100."""
    max_plies: int
    """The number of plies after which the oracle decides, 1 to 65,536."""
    assigned: tuple[tuple[int, ...], ...] | None
    """The rows if they are assigned; absent if seats declare their own."""
    tournament_id: str
    """Its tournament; empty for an exhibition."""
    number: int
    """Its number in the tournament, from 0."""
    group: int
    """The duplicate group: matches of the same bots on the same piles in every rotation share it."""
    deal: Deal | None
    """How a private row was dealt to each seat; absent if no rows were dealt."""
    talk: Talk | None
    """How seats talk before they declare their rows; absent if they do not talk."""


@dataclass(frozen=True, slots=True)
class DeclaredEvent:
    """A seat's row became known to the server."""

    seat: int
    """The seat, 0..n-1."""
    row: tuple[int, ...] | None
    """Its row."""
    defaulted: RowDefault
    """Why this is the standard row and not the seat's; unspecified if it is the seat's."""
    note_hash: bytes
    """The note hash of the row: see Declare.note_hash. 32 bytes, or empty."""


@dataclass(frozen=True, slots=True)
class RevealedEvent:
    """All rows were revealed to everybody."""

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
    """Microseconds charged to the seat's bank, less the lag given back."""
    lag_us: int
    """Microseconds of lag given back."""
    note_hash: bytes
    """The note hash of the take: see Take.note_hash. 32 bytes, or empty."""


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
    """A seat was forfeited; the steward plays it from then on."""

    seat: int
    """The seat, 0..n-1."""
    reason: ForfeitReason
    """Why."""


@dataclass(frozen=True, slots=True)
class EndedEvent:
    """The match ended."""

    reason: EndReason
    """Why it ended."""
    winner: int | None
    """The seat that won; absent if the match was cancelled."""


@dataclass(frozen=True, slots=True)
class DealtEvent:
    """A private row was dealt to each seat. Shown once the match has ended with a winner."""

    rows: tuple[tuple[int, ...], ...] | None
    """The rows, by which the seats score."""
    salts: tuple[bytes, ...]
    """The salts of the commitments in MatchSetup.deal, by seat, 32 bytes each."""


@dataclass(frozen=True, slots=True)
class TalkContent:
    """What a message to other seats says."""

    text: str | None
    """A text."""
    claim: tuple[int, ...] | None
    """A row: "this is what I want"."""
    offer: Pact | None
    """An offer of a pact, of which the sender is a member. It is also the sender's acceptance."""
    accept: OfferId | None
    """
    The sender accepts a pact that another seat offered in an earlier round. A pact is signed once all members have
    accepted it.
    """


@dataclass(frozen=True, slots=True)
class SaidEvent:
    """A seat sent a message to other seats."""

    seat: int
    """The sender, 0..n-1."""
    round: int
    """The round, from 0."""
    number: int
    """The number among the messages of the sender in this round, from 0."""
    to: tuple[int, ...]
    """The seats that heard it, in ascending order; empty for everyone."""
    published: bool
    """Whether everybody can read it although it is private, because the match has a winner."""
    commitment: bytes
    """The commitment to the content, 32 bytes: docs/reference/records.md says how it is computed."""
    content: TalkContent | None
    """The content; absent if it stays private."""
    salt: bytes
    """The salt of the commitment, 32 bytes; empty if the content stays private."""


@dataclass(frozen=True, slots=True)
class TalkEndedEvent:
    """A seat ended its talk in a round."""

    seat: int
    """The seat, 0..n-1."""
    round: int
    """The round, from 0."""


@dataclass(frozen=True, slots=True)
class HeardEvent:
    """A round of talk ended, and each seat was sent the messages that are addressed to it."""

    round: int
    """The round, from 0."""


@dataclass(frozen=True, slots=True)
class RecordEvent:
    """One event of a record."""

    at_us: int
    """
    When it happened, in microseconds since 1970-01-01 UTC, never earlier than the event before. A watcher gets rows
    later than their place in the record, after events with later times.
    """
    created: MatchSetup | None
    """The match was set up."""
    declared: DeclaredEvent | None
    """A seat's row became known to the server. Not shown before the rows are revealed."""
    revealed: RevealedEvent | None
    """All rows were revealed to everybody."""
    took: TookEvent | None
    """A take was made."""
    struck: StruckEvent | None
    """A seat was given a strike."""
    forfeited: ForfeitedEvent | None
    """A seat was forfeited; the steward plays it from then on."""
    ended: EndedEvent | None
    """The match ended."""
    dealt: DealtEvent | None
    """A private row was dealt to each seat: directly after `created`. A watcher gets it just before `ended`."""
    said: SaidEvent | None
    """A seat sent a message. A watcher gets it when it is delivered, and a private one just before `ended`."""
    talk_ended: TalkEndedEvent | None
    """A seat ended its talk in a round."""
    heard: HeardEvent | None
    """A round of talk ended, and its messages were delivered."""
    hash: bytes
    """
    The hash of this event and all before it, 32 bytes: BLAKE3 of the event's canonical bytes, keyed with the previous
    hash. Only present once rows are revealed: before that, a reader could try all rows until a later hash fits. If
    rows are dealt, or messages can be private, only present once the match has a winner. WatchMatch sends no hashes.
    """


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """
    Everything that happened in a match. The server signs it once the match has ended; docs/reference/records.md says
    how to verify it.
    """

    match_id: str
    """The match, a UUID."""
    events: tuple[RecordEvent, ...]
    """The events in order; the first is `created`."""
    signer: bytes
    """
    The Ed25519 public key of the server that signed the record, 32 bytes; empty while the match is open, if it was
    cancelled before its rows were revealed, and if it was cancelled and rows were dealt or messages could be private.
    """
    signature: bytes
    """The signature on the hash of the last event, 64 bytes; empty if `signer` is."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match that has ended."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """Its tournament, a UUID; absent for an exhibition, like the next two."""
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
    """The rows; absent if they were never revealed, like everything the oracle says."""
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
    clock_return_within_ms: int | None
    """See Clock.return_within_ms."""
    strikes_limit: int
    """Strikes after which a seat is forfeited."""
    max_plies: int
    """The number of plies after which the oracle decides."""
    plies: int
    """The number of takes."""
    errors: int | None
    """The number of errors among them."""
    first_error_ply: int | None
    """The ply of the first error."""
    kingmaking_plies: int | None
    """The takes that cost the mover ranks and gave ranks to a third seat."""
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
    """Why it was voided, if it was: it does not count and was played again."""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of an ended match. The oracle's figures are absent if the match has no winner."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """Its tournament, a UUID; absent for an exhibition."""
    seat: int
    """The seat, 0..n-1."""
    bot: str
    """Its bot."""
    row: str | None
    """Its row; absent if the rows were never revealed."""
    row_default: RowDefault | None
    """Why it has the standard row, if the bot's own did not count."""
    won: bool | None
    """Whether it won; the steward's wins count for no bot."""
    rank_predicted: int | None
    """See SeatAudit.rank_predicted."""
    rank_actual: int | None
    """See SeatAudit.rank_actual."""
    satisfaction: float | None
    """Its bot's satisfaction, 0 to 1: SeatAudit.satisfaction, but 0 if the seat was forfeited."""
    regret: int | None
    """See SeatAudit.regret."""
    luck: int | None
    """See SeatAudit.luck."""
    accuracy: float | None
    """See SeatAudit.accuracy."""
    own_plies: int | None
    """Its own takes, without the steward's."""
    optimal_plies: int | None
    """How many of these were optimal."""
    strikes: int
    """Its strikes."""
    forfeit_reason: ForfeitReason | None
    """Why it was forfeited, if it was."""
    time_left_us: int
    """The time left in its bank at the end."""
    row_note_hash: bytes | None
    """The note hash of its row, 32 bytes."""
    versions: int
    """
    The number of versions of the bot in the match, counting sessions that reported none as one; 0 if none was
    reported.
    """
    version: str | None
    """The reported versions, as BotVersion.version."""
    config_hash: str | None
    """Their config hashes in base64."""
    attended: bool
    """Whether the bot connected: one that never did forfeits the match and has no figures of its play."""


@dataclass(frozen=True, slots=True)
class PlyRow:
    """A take of an ended match, with the oracle's view."""

    match_id: str
    """The match, a UUID."""
    tournament_id: str | None
    """Its tournament, a UUID; absent for an exhibition."""
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
    """Its counters before the take. For JavaScript see Game.piles."""
    take: int
    """The counters taken. For JavaScript see Game.piles."""
    optimal: bool
    """Whether that was optimal."""
    optimal_takes: str
    """The optimal takes and ranges of takes, as in `1-3 7`."""
    predicted_before_seat: int
    """The winner under optimal play before the take."""
    predicted_after_seat: int
    """The winner under optimal play after it."""
    regret: int
    """See PlyAudit.regret."""
    bank_before_us: int
    """The seat's bank before the take."""
    charged_us: int
    """The time that the take cost."""
    lag_us: int
    """The lag that was given back."""
    note_hash: bytes | None
    """The note hash of the take, 32 bytes."""
