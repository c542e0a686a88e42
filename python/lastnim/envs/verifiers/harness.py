"""The harness, which calls the model from this process."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from openai import APIError, AsyncOpenAI
from openai.types.chat import ChatCompletionMessage

from ..._lastnim import ModelQuestion
from .model_match import AskedTake, ModelMatch
from .task import ANSWERS_KEY, AnyTrace, LastNimTaskData

__all__ = ["LastNimHarness", "LastNimHarnessConfig"]


class LastNimHarnessConfig(vf.HarnessConfig):
    """The settings that every harness has."""


class LastNimHarness(vf.Harness[LastNimHarnessConfig]):
    """Plays matches like `lastnim bot run llm`: each question is a separate conversation, which may take several answers."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def setup(self, runtime: vf.Runtime) -> None:
        """Refuses runtimes outside this process."""
        if runtime.type != "subprocess":
            raise vf.HarnessError(
                f"runtime {runtime.type}: this harness runs in the environment's process: set the agent's runtime.type to subprocess"
            )

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: AnyTrace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Plays the match of the task, and adds every question to the trace's `info`."""
        if not isinstance(data, LastNimTaskData):
            raise vf.HarnessError(f"task {data.id or data.idx}: this harness plays only tasks of LastNimTaskset")
        match = ModelMatch(data.game, data.opponents, seed=data.seed, prompts=data.prompts)
        system_prompt, _ = self.resolve_prompt(data)
        system = [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
        asked: list[dict[str, Any]] = trace.info.setdefault(ANSWERS_KEY, [])
        # The endpoint is local. The limits of the run bound the model's thinking time.
        transport = httpx.AsyncClient(timeout=None, trust_env=False)
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=transport) as client:
            while data.max_questions is None or len(asked) < data.max_questions:
                # A house bot may think for long.
                question = await asyncio.to_thread(match.next_question)
                if question is None:
                    break
                position, split = question.identity
                if split != data.split:
                    break
                take = AskedTake(question.ply, position, data.worst_regret)
                asked.append(take.to_json())
                try:
                    await ask_model(client, ctx.model, system, question, take, data.answers)
                except APIError as error:
                    if trace.stop_condition is None:
                        raise vf.HarnessError(f"ply {take.ply}: {error}") from error
                    # The run reached a limit.
                    if not take.failures:
                        asked.pop()
                        break
                asked[-1] = take.to_json()
                if take.take is None:
                    break
                match.answer(take.take, take.why, take.win_probability)
        return vf.ProgramResult(0, "", "")


async def ask_model(
    client: AsyncOpenAI, model: str, system: list[dict[str, str]], question: ModelQuestion, take: AskedTake, answers: int
) -> None:
    """Asks a question until it is answered, or the limit on unusable replies is reached."""
    for _ in range(answers):
        messages: Any = [*system, *({"role": role, "content": text} for role, text in question.messages)]
        completion = await client.chat.completions.create(model=model, messages=messages)
        choice = next(iter(completion.choices or []), None)
        # The client does not check for missing fields.
        message: ChatCompletionMessage | None = getattr(choice, "message", None)
        if message is None:
            # This is not the model's fault: `lastnim bot run llm` counts it as `server_error`.
            raise vf.HarnessError(f"ply {take.ply}: the reply has no choices[0].message")
        text, refusal = message.content or "", message.refusal or ""
        reply = question.read_reply(text, refusal, getattr(choice, "finish_reason", None))
        if reply.take is not None:
            take.take, take.regret = reply.take, question.regret(reply.take)
            take.why, take.win_probability = reply.why, reply.win_probability
            return
        assert reply.failure is not None, "a reply without a take has a failure"
        if reply.fault != "model":
            raise vf.HarnessError(f"ply {take.ply}: {reply.failure}: {reply.detail}")
        take.failures.append(reply.failure)
