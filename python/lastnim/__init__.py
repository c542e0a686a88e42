"""The lastnim package: bots for a tournament server of multi-player Last Nim, the exact oracle, and the program itself.

Functions have the names of the program's commands. `python -m lastnim` runs the program.
"""

from __future__ import annotations

from . import declarations, messages
from ._lastnim import __version__
from .audits import audit_records, merge_parts, write_part
from .bot import Bot, Choice
from .match import (
    Clock,
    EndReason,
    Figures,
    Match,
    MatchEnd,
    Origin,
    Position,
    Row,
    Rows,
    SeenTake,
    TakeFeed,
    TalkRound,
    Turn,
    favouring_row,
    standard_row,
)
from .notices import Connected, LastnimError, Refusal, Summary, Suspension, TournamentEnd
from .oracle import (
    Ending,
    Matrix,
    OracleStopped,
    PlayedGame,
    audit,
    explain,
    list_grundy_values,
    rationalise,
    robustness,
    solve,
    solve_game,
    solve_variant,
    tree,
)
from .playing import play, play_async
from .positions import solve_many
from .records import Record, Records, Verification, read_parquet, read_records, verify, write_parquet
from .running import practice, practice_async, run, run_async
from .standings import Standings
from .talk import Message, TalkMessage

__all__ = [
    "Bot",
    "Choice",
    "Clock",
    "Connected",
    "EndReason",
    "Ending",
    "Figures",
    "LastnimError",
    "Match",
    "MatchEnd",
    "Matrix",
    "Message",
    "OracleStopped",
    "Origin",
    "PlayedGame",
    "Position",
    "Record",
    "Records",
    "Refusal",
    "Row",
    "Rows",
    "SeenTake",
    "Standings",
    "Summary",
    "Suspension",
    "TakeFeed",
    "TalkMessage",
    "TalkRound",
    "TournamentEnd",
    "Turn",
    "Verification",
    "__version__",
    "audit",
    "audit_records",
    "declarations",
    "explain",
    "favouring_row",
    "list_grundy_values",
    "merge_parts",
    "messages",
    "play",
    "play_async",
    "practice",
    "practice_async",
    "rationalise",
    "read_parquet",
    "read_records",
    "robustness",
    "run",
    "run_async",
    "solve",
    "solve_game",
    "solve_many",
    "solve_variant",
    "standard_row",
    "tree",
    "verify",
    "write_parquet",
    "write_part",
]
