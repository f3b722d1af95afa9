"""A model on loopback that says what its script says and keeps every request."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SUMMARY_MARKS = (
    "TURNS TO SUMMARIZE",
    "NEW TURNS TO INCORPORATE",
    "context checkpoint",
    "summarization agent",
)


@dataclass
class ScriptedModel:
    """What the model saw and how it behaves.

    Attributes:
        requests: Message lists of the ordinary requests, in order.
        summaries: Message lists of the requests for a summary.
        steps: Tool calls it makes before it answers.
        size: Characters each of its tool calls prints.
    """

    window: int = 1_000_000
    steps: int = 4
    size: int = 12_000
    requests: list[list[dict[str, Any]]] = field(default_factory=list)
    summaries: list[list[dict[str, Any]]] = field(default_factory=list)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The assistant's message for one request."""
        messages = body.get("messages", [])
        if any(mark in json.dumps(messages) for mark in _SUMMARY_MARKS):
            self.summaries.append(messages)
            return {"role": "assistant", "content": "## Goal\nThe scripted summary of a later compaction.\n"}
        self.requests.append(messages)
        last = max((at for at, one in enumerate(messages) if one["role"] == "user"), default=0)
        done = sum(message["role"] == "tool" for message in messages[last:])
        number = len(self.requests)
        if done < self.steps and body.get("tools"):
            return {"role": "assistant", "content": f"Step {number}.", "tool_calls": [self._call(number)]}
        return {"role": "assistant", "content": f"Finished request {number}."}

    def _call(self, number: int) -> dict[str, Any]:
        command = f"python3 -c \"print('output {number}', '{number:05d} ' * {self.size // 6})\""
        function = {"name": "terminal", "arguments": json.dumps({"command": command})}
        return {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}


@contextmanager
def serving(model: ScriptedModel) -> Iterator[str]:
    """Serve a model on loopback; yields its base URL."""
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    model: ScriptedModel

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        listed = {"id": "mock-model", "object": "model", "context_length": self.model.window}
        self._send({"object": "list", "data": [listed]})

    def do_POST(self) -> None:
        if not self.path.endswith("/chat/completions"):
            # Some releases ask a local server what it is before they talk to it.
            self.send_error(404)
            return
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        message = self.model.answer(body)
        size = len(json.dumps(body)) // 4
        usage = {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        if body.get("stream"):
            self._stream(message, reason, usage)
        else:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._send({**_BASE, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _stream(self, message: dict[str, Any], reason: str, usage: dict[str, int]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        calls = [{**call, "index": at} for at, call in enumerate(message.get("tool_calls", []))]
        delta = {**message, "tool_calls": calls} if calls else message
        self._event(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
        self._event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])
        self._event(choices=[], usage=usage)
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, **values: Any) -> None:
        event = {**_BASE, "object": "chat.completion.chunk", **values}
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _send(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_BASE = {"id": "c1", "created": 1, "model": "mock-model"}
