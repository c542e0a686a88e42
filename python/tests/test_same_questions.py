"""The bot, the public functions, verifiers and inspect_ai ask the same questions, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from games_in_json import THREE_ROWS, game_of
from inspect_ai import eval  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from scripted_endpoint import Messages, ScriptedEndpoint
from verifiers_runs import play_tasks

import lastnim
from lastnim._lastnim import parse_position
from lastnim.envs.inspect_ai import last_nim
from lastnim.llm import ModelMatch, PromptSettings, RowMode, Scoring
from lastnim.testing import TestServer

PILES = [2, 3, 4]

pytestmark = pytest.mark.filterwarnings("ignore")


class Timid(lastnim.Bot):
    """Plays like the house bot timid."""

    def play(self, turn: lastnim.Turn) -> int:
        return 1


def reply_to(messages: Messages) -> str:
    """Answers a question; the first reply about a row, and that about the first take, cannot be used."""
    prompt = messages[0]["content"]
    is_row = "which row do you declare?" in prompt
    if len(messages) == 1 and (is_row or "This is ply 0." in prompt):
        return "Ich weiß es noch nicht …"
    if is_row:
        return '{"row": [2, 0, 1], "wants": 1, "why": "a naïve plan → win", "win_probability": 0.25}'
    return '{"take": 1, "why": "“one” is enough", "plan": 2}'


def questions_of_bot(
    server: TestServer, folder: Path, *words: str, **settings: Any
) -> tuple[list[Messages], lastnim.Record]:
    """Plays a tournament with `lastnim bot run llm` and two timid bots. Returns what reached the endpoint in the match in which the model
    moves first, and the record of this match."""
    tournament = server.create_tournament(seats=3, start_when=3, piles=PILES, **settings)
    address = server.address
    threads: list[threading.Thread] = []
    token_of_model = server.add_bot("model")
    with ScriptedEndpoint(reply_to) as endpoint:
        command = [sys.executable, "-m", "lastnim", "bot", "run", "llm", "--model", "scripted", "--base-url", endpoint.base_url, *words]
        environment = os.environ | {
            "LASTNIM_SERVER": address,
            "LASTNIM_TOKEN": token_of_model,
            "LASTNIM_TOURNAMENT": tournament,
        }
        with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
            for name in ("opponent-1", "opponent-2"):
                token = server.add_bot(name)
                options = {"server": address, "token": token, "tournament": tournament}
                thread = threading.Thread(target=lastnim.run, args=(Timid(),), kwargs=options)
                thread.start()
                threads.append(thread)
            output, _ = program.communicate(timeout=120)
        assert program.returncode == 0, output
    for thread in threads:
        thread.join()
    matches = server.call("ListMatches", {"tournament_id": tournament})["matches"]
    records = [server.record(match["id"]) for match in matches]
    (record,) = [record for record in records if list(record.setup.bots) == ["model", "opponent-1", "opponent-2"]]
    assert record.setup.first == 0
    return [call for call in endpoint.calls if "You are seat 0" in call[0]["content"]], record


def questions_of_functions(game: dict[str, Any], rows: RowMode, prompts: PromptSettings) -> list[Messages]:
    """Returns the questions of the public functions of Python."""
    match = ModelMatch(game, ["timid"], rows=rows, prompts=prompts)
    asked: list[Messages] = []
    while (question := match.next_question()) is not None:
        while True:
            asked.append([{"role": role, "content": text} for role, text in question.messages])
            reply = question.read_reply(reply_to(asked[-1]))
            if reply.failure is None:
                break
        match.answer(question, reply)
    return asked


def questions_of_inspect(dataset: Path, folder: Path, **settings: Any) -> list[Messages]:
    """Returns the questions of the task for inspect_ai."""
    asked: list[Messages] = []

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        asked.append([{"role": message.role, "content": message.text} for message in messages])
        output = ModelOutput.from_content("mockllm/model", reply_to(asked[-1]))
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = eval(last_nim(file=str(dataset), split="train", **settings), model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return asked


def bytes_of(questions: list[Messages]) -> list[bytes]:
    """Returns the bytes of each question's messages."""
    return [json.dumps(messages, ensure_ascii=False).encode() for messages in questions]


@pytest.mark.parametrize(
    ("rows", "scoring", "words", "changes"),
    [
        ("assigned", "satisfaction", [], {}),
        ("declared", "win", ["--blind", "--think", "before"], {"blind": True, "think": "before"}),
    ],
)
def test_all_ask_the_same_questions(
    lastnim_server: TestServer, tmp_path: Path, rows: RowMode, scoring: Scoring, words: list[str], changes: dict[str, Any]
) -> None:
    alliance: dict[str, Any] = {"alliance": "declared"}
    if rows == "assigned":
        alliance = {"alliance": "given", "alliance_matrix": {"rows": [{"offsets": row} for row in THREE_ROWS]}}
    expected, record = questions_of_bot(lastnim_server, tmp_path, *words, scoring=scoring, **alliance)
    assert len(expected) == 1 + sum(PILES) // 3 + (2 if rows == "declared" else 0)
    assert sum(record.takes) == sum(PILES)
    # With declared rows those of the game do not matter.
    game = game_of(PILES, THREE_ROWS)
    _, split, _ = parse_position(json.dumps(game))
    assert split == "train"
    dataset = tmp_path / "positions.jsonl"
    dataset.write_text(json.dumps({"game": game}) + "\n")

    prompts = PromptSettings(scoring=scoring, **changes)
    assert bytes_of(questions_of_functions(game, rows, prompts)) == bytes_of(expected)
    settings = {"file": dataset, "opponents": ["timid"], "rows": rows, "scoring": scoring, **changes}
    _, calls = play_tasks(reply_to, settings)
    assert bytes_of(calls) == bytes_of(expected)
    if rows == "assigned":
        # The task asks for the first take only.
        assert bytes_of(questions_of_inspect(dataset, tmp_path, scoring=scoring, **changes)) == bytes_of(expected[:2])
