"""Last Nim for Kaggle environments: language models play each other, each with the prompts of `lastnim bot run llm`.

Importing this registers the environment `last_nim`, which takes a game in JSON, and needs as many agents as the game has seats:

>>> import kaggle_environments, lastnim.envs.kaggle
>>> env = kaggle_environments.make("last_nim", configuration={"game": game})
>>> env.run([agent, agent, agent])

`observation.question` is a whole question, which repeats the agent's own words in the match; an action is the text of a reply. After an unusable
reply the same agent is asked again, and told what was wrong. No agent sees the replies of others. The winner's place in a seat's row gives its
reward: 1 for the first place to 0 for the last.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..llm import RIVAL, ModelMatch, ModelQuestion, PromptSettings

__all__ = ["SPECIFICATION", "interpreter", "renderer"]

# This library has no types.
kaggle_environments: Any = import_module("kaggle_environments")

SPECIFICATION: dict[str, Any] = {
    "name": "last_nim",
    "title": "Last Nim",
    "description": "Seats take counters from the last pile that is not empty, and each wants some seats to win more than others.",
    "version": "1.0.0",
    "agents": list(range(2, 33)),
    "configuration": {
        "episodeSteps": {"description": "Maximum number of replies.", "type": "integer", "default": 10_000},
        "game": {"description": "The game in JSON, as in `lastnim oracle dataset`.", "type": "object", "default": {}},
        "rows": {"description": "Whether rows are assigned or declared.", "type": "string", "default": "assigned"},
        "prompts": {"description": "Fields of lastnim.llm.PromptSettings.", "type": "object", "default": {}},
        "answers": {"description": "Unusable replies to one question that lose the match.", "type": "integer", "minimum": 1, "default": 3},
    },
    "reward": {"description": "Satisfaction, 0 to 1.", "type": "number", "default": 0},
    "observation": {"question": {"description": "The question; empty while others are asked.", "type": "string", "default": ""}},
    "action": {"description": "The text of a reply.", "type": "string", "default": ""},
}


def interpreter(state: list[Any], env: Any) -> list[Any]:
    """Plays the replies so far, and asks the next agent. ValueError names a wrong number of agents or invalid settings."""
    settings = env.configuration
    match = ModelMatch(dict(settings.game), [RIVAL], rows=settings.rows, prompts=PromptSettings(**settings.prompts))
    if len(state) != match.seats:
        if env.done:
            # `make` resets a new environment with two agents, whatever its game.
            return state
        raise ValueError(f"{len(state)} agents: the game has {match.seats} seats: expected {match.seats}")
    question, failures = match.next_question(), 0
    # On a reset, every agent is inactive, and the steps are those of the match before.
    history = [] if env.done else [*env.steps[1:], state]
    for step in history:
        if question is None:
            break
        reply = question.read_reply(step[question.seat].action)
        if reply.failure is None:
            match.answer(question, reply)
            question, failures = match.next_question(), 0
        else:
            failures += 1
    _show(state, match, question, failures >= settings.answers)
    return state


def _show(state: list[Any], match: ModelMatch, question: ModelQuestion | None, is_lost: bool) -> None:
    """Sets what each agent sees."""
    for seat, agent in enumerate(state):
        is_asked = question is not None and question.seat == seat
        agent.observation.question = question.messages[-1][1] if question is not None and is_asked and not is_lost else ""
        if question is None:
            agent.status, agent.reward = "DONE", match.satisfactions()[seat]
        elif is_lost:
            agent.status, agent.reward = ("INVALID", None) if is_asked else ("DONE", 0)
        else:
            agent.status = "ACTIVE" if is_asked else "INACTIVE"


def renderer(_: list[Any], env: Any) -> str:
    """Returns the replies so far, one in each line."""
    replies = ((seat, agent.action) for step in env.steps[1:] for seat, agent in enumerate(step) if agent.action)
    return "".join(f"seat {seat}: {action}\n" for seat, action in replies)


def html_renderer() -> str:
    """Returns a script that shows nothing: the server's pages show matches."""
    return ""


kaggle_environments.register(
    SPECIFICATION["name"],
    {"specification": SPECIFICATION, "interpreter": interpreter, "renderer": renderer, "html_renderer": html_renderer, "agents": {}},
)
