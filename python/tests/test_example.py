"""The example that models its opponents."""

from __future__ import annotations

import importlib.util
import os
import threading
from pathlib import Path
from typing import Any

import lastnim
from lastnim.testing import TestServer

EXAMPLE = Path(os.environ["LASTNIM_SOURCE"]) / "python" / "examples" / "opponent_model.py"


def load_example() -> Any:
    """Loads the example from its file."""
    spec = importlib.util.spec_from_file_location("opponent_model", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Friend(lastnim.Bot):
    """Prefers that the next seat wins, and plays for that."""

    def declare(self, match: lastnim.Match) -> lastnim.Row:
        return lastnim.favouring_row(1, match.seats)

    def play(self, turn: lastnim.Turn) -> int:
        return turn.position.solve().optimal_takes[0].lo


def test_it_learns_the_rows_of_others() -> None:
    bot = load_example().OpponentModel()
    match = lastnim.Match(
        "1", 0, ("a", "b", "c"), (3, 4, 5), 0, "to_move_wins", lastnim.Clock(1, 0, 0, 0, 1), 3, 100, None, None
    )
    rows = ((0, 1, 2), (2, 0, 1), (1, 2, 0))

    def wins(row: lastnim.Row) -> bool:
        return lastnim.solve(piles=match.piles, matrix=(row, *rows[1:]), first=0).winner == 0

    for number in range(40):
        known = lastnim.Match(
            str(number), 0, match.bots, match.piles, 0, "to_move_wins", match.clock, 3, 100, None, None
        )
        bot.play(lastnim.Turn(known, lastnim.Position(match.piles, 0, rows)))
    candidates = load_example().candidate_rows(3)
    assert wins(bot.declare(match)) == any(wins(row) for row in candidates)


def test_it_wins_a_tournament(lastnim_server: TestServer) -> None:
    tournament = lastnim_server.create_tournament(seats=3, start_when=3, piles=[[3, 4, 5], [2, 7], [4, 4, 4, 4]])
    address = lastnim_server.address

    def play(name: str, bot: lastnim.Bot) -> threading.Thread:
        token = lastnim_server.add_bot(name)
        thread = threading.Thread(target=lambda: lastnim.run(bot, server=address, token=token, tournament=tournament))
        thread.start()
        return thread

    rivals = [play("friend", Friend()), play("other-friend", Friend())]
    summary = lastnim.run(
        load_example().OpponentModel(), server=address, token=lastnim_server.add_bot("model"), tournament=tournament
    )
    for rival in rivals:
        rival.join()
    assert (summary.matches, summary.forfeits) == (9, 0)
    assert lastnim_server.standings(tournament)[0].bot == "model"
