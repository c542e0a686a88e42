"""A local endpoint for chat completions that follows a script and keeps its requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Messages = list[dict[str, str]]
Reply = str | dict[str, Any] | list[Any] | int
"""A text, the choice of a completion, all choices of a completion, or the status of an error."""


class ScriptedEndpoint:
    """Answers each call with the result of `script` for its messages, within a `with` statement."""

    def __init__(self, script: Callable[[Messages], Reply]) -> None:
        endpoint = self
        self.requests: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(request)
                reply = script(request["messages"])
                status, body = (reply, {"error": {"message": "no"}}) if isinstance(reply, int) else (200, completion_of(reply))
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def calls(self) -> list[Messages]:
        """The messages of each request."""
        return [request["messages"] for request in self.requests]

    @property
    def base_url(self) -> str:
        """The URL before `/chat/completions`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedEndpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def completion_of(reply: str | dict[str, Any] | list[Any]) -> dict[str, Any]:
    """Returns the body of a completion."""
    if isinstance(reply, str):
        reply = {"message": {"content": reply}, "finish_reason": "stop"}
    if isinstance(reply, dict):
        reply = [{"index": 0, **reply, "message": {"role": "assistant", **reply["message"]}}]
    return {
        "id": "completion",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": reply,
        "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }
