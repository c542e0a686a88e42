"""Language models: the questions of `lastnim bot run llm`, and its reader of answers.

`ask_take` and `ask_row` write the messages that the bot would send, and `read_reply` of the question reads a reply as the bot does. `ask_model`
repeats a question after unusable replies, and `ModelMatch` asks the questions of a whole match. None of them calls an endpoint.

python/README.md has an example.
"""

from __future__ import annotations

from .._lastnim import ModelQuestion, ModelReply
from .asking import AskedQuestion, Call, EndpointError, ask_model
from .model_match import RIVAL, ModelMatch, RowMode
from .questions import Game, Memory, PromptSettings, Scoring, Thinking, ask_row, ask_take

__all__ = [
    "RIVAL",
    "AskedQuestion",
    "Call",
    "EndpointError",
    "Game",
    "Memory",
    "ModelMatch",
    "ModelQuestion",
    "ModelReply",
    "PromptSettings",
    "RowMode",
    "Scoring",
    "Thinking",
    "ask_model",
    "ask_row",
    "ask_take",
]
