"""A model on loopback that calls a tool some times and then answers; run as a program: PORT STEPS LOG."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_OUTPUT = 9_000
"""Characters each tool call prints."""


def reply(messages: list[dict[str, Any]], tools: Any, steps: int) -> dict[str, Any]:
    """The next message of the assistant."""
    last = max((i for i, row in enumerate(messages) if row.get("role") == "user"), default=0)
    done = sum(row.get("role") == "tool" for row in messages[last:])
    if not tools or done >= steps:
        return {"role": "assistant", "content": f"Done after {len(messages)} messages."}
    code = (
        f"import random; random.seed({len(messages)}); print(''.join(random.choices('abc de', k={_OUTPUT})))"
    )
    function = {"name": "terminal", "arguments": json.dumps({"command": f'python3 -c "{code}"'})}
    call = {"id": f"call_{len(messages):05d}", "type": "function", "function": function}
    return {"role": "assistant", "content": f"Step {done + 1}.", "tool_calls": [call]}


def orphans(messages: list[dict[str, Any]]) -> int:
    """Results without a call before them."""
    called: set[str] = set()
    found = 0
    for row in messages:
        called |= {call["id"] for call in row.get("tool_calls") or ()}
        found += row.get("role") == "tool" and row.get("tool_call_id") not in called
    return found


class Handler(BaseHTTPRequestHandler):
    """Chat completions, streamed or not, and the list of models."""

    steps, log = 8, ""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._json(
            {"object": "list", "data": [{"id": "scripted", "object": "model", "context_length": 64_000}]}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        messages, tools = body.get("messages", []), body.get("tools")
        message = reply(messages, tools, self.steps)
        size = len(json.dumps([messages, tools or []])) // 4
        with open(self.log, "a") as stream:
            row = {"messages": len(messages), "tokens": size, "orphans": orphans(messages)}
            stream.write(json.dumps(row) + "\n")
        usage = {"prompt_tokens": size, "completion_tokens": 50, "total_tokens": size + 50}
        finish = "tool_calls" if "tool_calls" in message else "stop"
        if body.get("stream"):
            self._stream(message, finish, usage)
        else:
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._json({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})

    def _json(self, document: dict[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, message: dict[str, Any], finish: str, usage: dict[str, int]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        calls = [{**call, "index": 0} for call in message.get("tool_calls", ())]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        for choices, more in (
            ([{"index": 0, "delta": delta, "finish_reason": None}], {}),
            ([{"index": 0, "delta": {}, "finish_reason": finish}], {}),
            ([], {"usage": usage}),
        ):
            self.wfile.write(f"data: {json.dumps({**base, 'choices': choices, **more})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


if __name__ == "__main__":
    Handler.steps, Handler.log = int(sys.argv[2]), sys.argv[3]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
