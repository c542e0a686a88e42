"""The harness, which calls the model from this process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import verifiers.v1 as vf  # pyright: ignore[reportMissingTypeStubs]
from lastnim.llm import RIVAL, Call, EndpointError
from openai import APIError, AsyncOpenAI
from openai.types.chat import ChatCompletionMessage

from .playing import Player, RunStopped, play_match
from .task import AnyTrace, LastNimTaskData

__all__ = ["REPLY_KEY", "LastNimHarness", "LastNimHarnessConfig"]

REPLY_KEY = "reply"
"""The key of a trace's `info` for the reply to a question of the environment."""


class LastNimHarnessConfig(vf.HarnessConfig):
    """The settings that every harness has."""


class LastNimHarness(vf.Harness[LastNimHarnessConfig]):
    """Asks a model like `lastnim bot run llm`: each question is a separate conversation, which may take several answers."""

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
        """Plays the match of the task against house bots, and adds every question to the trace's `info`."""
        if not isinstance(data, LastNimTaskData):
            raise vf.HarnessError(f"task {data.id or data.idx}: this harness plays only tasks of LastNimTaskset")
        if RIVAL in data.opponents:
            raise vf.HarnessError(f"opponents: {RIVAL}: only the environment lastnim-verifiers plays with a second model: set env.id to it")
        match = data.begin_match()
        async with self._open_call(ctx, trace, endpoint, secret, data) as call:
            await play_match(match, data, {match.seat: Player(trace, call)})
        return vf.ProgramResult(0, "", "")

    async def resume(
        self,
        ctx: vf.ModelContext,
        trace: AnyTrace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: vf.Messages,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Asks one question of a match that the environment plays, in a separate conversation. The reply is added to the trace's `info`."""
        async with self._open_call(ctx, trace, endpoint, secret, data) as call:
            question: Any = [(message.role, message.content) for message in messages]
            try:
                trace.info[REPLY_KEY] = await call(question)
            except RunStopped:
                # The environment sees that there is no reply.
                pass
            except EndpointError as error:
                raise vf.HarnessError(str(error)) from error
        return vf.ProgramResult(0, "", "")

    @asynccontextmanager
    async def _open_call(
        self, ctx: vf.ModelContext, trace: AnyTrace, endpoint: str, secret: str, data: vf.TaskData
    ) -> AsyncGenerator[Call]:
        """Opens a client that sends messages to the model, after the system prompt."""
        system_prompt, _ = self.resolve_prompt(data)
        system = [] if system_prompt is None else [("system", system_prompt)]
        # The endpoint is local. The limits of the run bound the model's thinking time.
        transport = httpx.AsyncClient(timeout=None, trust_env=False)
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=transport) as client:

            async def call(messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
                try:
                    return await complete(client, ctx.model, [*system, *messages])
                except APIError as error:
                    if trace.stop_condition is None:
                        raise EndpointError(str(error)) from error
                    raise RunStopped from error

            yield call


async def complete(client: AsyncOpenAI, model: str, messages: list[tuple[Any, str]]) -> tuple[str, str, str | None]:
    """Calls a model. Returns the text, the refusal and the finish reason of its reply."""
    wire: Any = [{"role": role, "content": text} for role, text in messages]
    completion = await client.chat.completions.create(model=model, messages=wire)
    choice = next(iter(completion.choices or []), None)
    # The client does not check for missing fields.
    message: ChatCompletionMessage | None = getattr(choice, "message", None)
    if message is None:
        # This is not the model's fault: `lastnim bot run llm` counts it as `server_error`.
        raise EndpointError("the reply has no choices[0].message")
    return message.content or "", message.refusal or "", getattr(choice, "finish_reason", None)
