"""Entry points with arguments of wrong types, sizes and signs: each raises an ordinary exception or returns."""

from __future__ import annotations

import subprocess
import sys

WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import lastnim
from lastnim.envs.games import game_source
from lastnim.envs.vector_games import VectorGames
from lastnim._lastnim import solve_positions

source = game_source()
calls = [
    lambda: VectorGames(4),
    lambda: source.draw_game(1).observation(0),
    lambda: source.draw_game(1).action_mask(0),
    lambda: solve_positions([[1]], [[0, 1], [0, 1]], "to-move-wins", None),
]
for call in calls:
    try:
        call()
    except ImportError as error:
        assert "lastnim[numpy]" in str(error), error
    else:
        raise SystemExit("no ImportError")
"""

EVERYTHING = """
import inspect, itertools, random, resource, signal
from datetime import timedelta
from lastnim import _lastnim
from lastnim.llm import PromptSettings

# Enough for the interpreter and numpy; a panic or a failed allocation shows.
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
signal.alarm(240)
GAME = '{"piles":[1,2,2],"alliance_matrix":{"rows":[{"offsets":[0,2,1]},{"offsets":[0,1,2]},{"offsets":[0,2,1]}]},"first":0}'
VALUES = [
    None, True, 0, 1, -1, 3, 31, 33, 255, 256, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**200, -(2**63), 0.5, -1.0, 1e308, float("nan"),
    float("inf"), "", "x", "\\ud800", "standard", "declared", "to-move-wins", "train", "oracle", "random", GAME, "{}", "[" * 2000, b"", b"x" * 32,
    [], [1], [0, 1], [-1], [2**64], [[0, 1], [0, 1]], [[0, 1, 2]] * 3, [None] * 40, ["a", "b", "c"], (1, 2), (2**63, 2**64 - 1), {}, {"a": "b"},
    PromptSettings(), object(), timedelta.max, timedelta(-1), timedelta(seconds=1),
]
# They run a program, or play on a server.
SKIPPED = {"run_program", "Session", "Server", "OracleStopped"}
draw = random.Random(7)
panics = set()


def attempt(what, function, count):
    for _ in range(200 if count else 1):
        chosen = [draw.choice(VALUES) for _ in range(count)]
        names = [name for name, parameter in parameters(function) if parameter.kind is parameter.KEYWORD_ONLY]
        keywords = dict(zip(names, chosen[len(chosen) - len(names) :]))
        try:
            yield function(*chosen[: len(chosen) - len(names)], **keywords)
        except Exception:
            pass
        except BaseException as error:
            panics.add(f"{what}: {type(error).__name__}: {error}")


def parameters(function):
    try:
        return [item for item in inspect.signature(function).parameters.items() if item[0] not in ("self", "slf")]
    except (TypeError, ValueError):
        return []


def try_methods(what, thing):
    for name in dir(thing):
        if name.startswith("_"):
            continue
        try:
            method = getattr(thing, name)
        except Exception:
            continue
        except BaseException as error:
            panics.add(f"{what}.{name}: {type(error).__name__}: {error}")
            continue
        if callable(method):
            for result in attempt(f"{what}.{name}", method, len(parameters(method))):
                if type(result).__module__ == "lastnim._lastnim":
                    made.setdefault(type(result).__name__, result)


made = {}
for name in sorted(dir(_lastnim)):
    entry = getattr(_lastnim, name)
    if name.startswith("_") or name in SKIPPED or not callable(entry):
        continue
    for result in attempt(name, entry, len(parameters(entry))):
        if type(result).__module__ == "lastnim._lastnim":
            made.setdefault(type(result).__name__, result)
common = dict(players=3, piles=None, pile_count=4, largest_pile=9, first=0, ending="to-move-wins")
sources = [_lastnim.GameSource(rows=rows, **common) for rows in ("standard", "random", "declared")]
things = [*sources, *(source.draw_game(1) for source in sources), *(_lastnim.VectorGames(source, 4, 1) for source in sources[:2])]
things += [_lastnim.HousePlayer("oracle", 1), _lastnim.ModelQuestion.of_take(GAME, [], True, ["a", "b", "c"], PromptSettings(), [])]
things += [_lastnim.ModelQuestion.of_row(GAME, 1, ["a", "b", "c"], PromptSettings())]
for thing in [*things, *made.values()]:
    try_methods(type(thing).__name__, thing)
assert not panics, "\\n".join(sorted(panics))
"""


def run_code(code: str) -> None:
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_missing_numpy_is_named() -> None:
    run_code(WITHOUT_NUMPY)


def test_no_entry_point_panics() -> None:
    run_code(EVERYTHING)
