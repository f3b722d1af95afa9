"""A model on loopback whose every answer counts other tokens, on two wires; run as a program: PORT STEPS LOG.

The log gets, for each answer, the buckets a provider would bill, in the order they were sent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = tuple[str, dict[str, Any]]


def billed(number: int) -> dict[str, int]:
    """Buckets of an answer; some are 0 now and then."""
    return {
        "input": 1_000 + 7 * number,
        "output": 20 + number,
        "cache_read": 0 if number % 3 == 0 else 400 + 11 * number,
        "cache_write": 0 if number % 4 == 0 else 90 + number,
        "reasoning": 0 if number % 2 == 0 else 3 + number,
    }


def chat_usage(of: dict[str, int]) -> dict[str, Any]:
    """As chat completions count: the prompt is all of it."""
    prompt = of["input"] + of["cache_read"] + of["cache_write"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": of["output"],
        "total_tokens": prompt + of["output"],
        "prompt_tokens_details": {"cached_tokens": of["cache_read"], "cache_write_tokens": of["cache_write"]},
        "completion_tokens_details": {"reasoning_tokens": of["reasoning"]},
    }


def messages_usage(of: dict[str, int]) -> dict[str, int]:
    """As the messages API counts: the input is what no cache held."""
    return {
        "input_tokens": of["input"],
        "output_tokens": of["output"],
        "cache_read_input_tokens": of["cache_read"],
        "cache_creation_input_tokens": of["cache_write"],
    }


def chunks(command: str | None, usage: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A streamed chat completion."""
    function = {"name": "terminal", "arguments": json.dumps({"command": command})}
    call = {"index": 0, "id": f"call_{usage['total_tokens']}", "type": "function", "function": function}
    delta = {"role": "assistant", "content": "Next."} | ({"tool_calls": [call]} if command else {})
    for choices, more in (
        ([{"index": 0, "delta": delta, "finish_reason": None}], {}),
        ([{"index": 0, "delta": {}, "finish_reason": "tool_calls" if command else "stop"}], {}),
        ([], {"usage": usage}),
    ):
        yield {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": choices, **more}


def events(command: str | None, usage: dict[str, int]) -> Iterator[Event]:
    """A streamed message; its last counts come with its end."""
    started: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    started |= {"stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    yield "message_start", {"message": started}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "Next."}}
    yield "content_block_stop", {"index": 0}
    if command:
        block = {"type": "tool_use", "id": f"toolu_{usage['input_tokens']}", "name": "terminal", "input": {}}
        part = {"type": "input_json_delta", "partial_json": json.dumps({"command": command})}
        yield "content_block_start", {"index": 1, "content_block": block}
        yield "content_block_delta", {"index": 1, "delta": part}
        yield "content_block_stop", {"index": 1}
    ended = {"stop_reason": "tool_use" if command else "end_turn", "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield "message_stop", {}


class Handler(BaseHTTPRequestHandler):
    """Chat completions and messages, streamed where asked."""

    steps, log, number = 3, "", 0

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "m", "object": "model", "context_length": 64_000}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path:
            self._json({"input_tokens": 1})
            return
        Handler.number += 1
        now = billed(self.number)
        beside = not body.get("tools")
        messages = self.path.endswith("/messages")
        if messages:
            now["reasoning"] = 0  # this wire does not tell it apart
        with open(self.log, "a") as stream:
            stream.write(json.dumps({"beside": beside, **now}) + "\n")
        command = None if beside or self.number % (self.steps + 1) == 0 else f"echo {self.number}"
        if messages:
            self._message(command, messages_usage(now), streamed=bool(body.get("stream")))
        else:
            self._completion(command, chat_usage(now), streamed=bool(body.get("stream")))

    def _completion(self, command: str | None, usage: dict[str, Any], *, streamed: bool) -> None:
        every = list(chunks(command, usage))
        if streamed:
            self._stream([*(f"data: {json.dumps(one)}" for one in every), "data: [DONE]"])
            return
        message = every[0]["choices"][0]["delta"]
        finish = every[1]["choices"][0]["finish_reason"]
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self._json({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})

    def _message(self, command: str | None, usage: dict[str, int], *, streamed: bool) -> None:
        if streamed:
            every = events(command, usage)
            self._stream([f"event: {kind}\ndata: {json.dumps({'type': kind, **one})}" for kind, one in every])
            return
        block: dict[str, Any] = {"type": "text", "text": "Next."}
        document = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block]}
        self._json({**document, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage})

    def _json(self, document: dict[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, parts: list[str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write("".join(f"{part}\n\n" for part in parts).encode())
        self.close_connection = True


if __name__ == "__main__":
    Handler.steps, Handler.log = int(sys.argv[2]), sys.argv[3]
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
