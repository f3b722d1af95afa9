"""A model server on loopback that speaks both wire formats and misbehaves on request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HEADINGS = ("Active Task", "Goal", "Completed Actions", "Relevant Files")
SUMMARY = "\n\n".join(f"## {heading}\nwords about {heading.lower()}" for heading in HEADINGS)
LIES = ("Deleted src/ghost.py after the review.", "The customer insists on a refund of $7,431.")
REFUSAL = "I'm sorry, but I can't help with summarizing this conversation."
STATUSES = {"401": 401, "402": 402, "403": 403, "404": 404, "429": 429, "500": 500, "503": 503, "529": 529}


@dataclass
class FarEnd:
    """What the server does next, and what it was sent.

    Attributes:
        script: One behaviour a request; the last one repeats.
        requests: Bodies received, with path and headers.
    """

    script: list[str]
    requests: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def next(self) -> str:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def far_end(*script: str) -> Iterator[FarEnd]:
    """Serve until the block ends."""
    end = FarEnd(list(script))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(end))
    server.daemon_threads = True
    server.block_on_close = False
    end.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield end
    finally:
        end.released.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def _handler(end: FarEnd) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            end.requests.append({**body, "_path": self.path, "_headers": dict(self.headers)})
            _Reply(self, end, body, self.path.endswith("/messages")).send(end.next())

    return Handler


class _Reply:
    def __init__(
        self, handler: BaseHTTPRequestHandler, end: FarEnd, body: dict[str, Any], anthropic: bool
    ) -> None:
        self.handler, self.end, self.anthropic = handler, end, anthropic
        self.stream = bool(body.get("stream"))

    def send(self, behaviour: str) -> None:
        status, _, wait = behaviour.partition(":")
        if status in STATUSES:
            self._error(STATUSES[status], wait)
        elif behaviour == "hang":
            self.end.released.wait(20)
        elif behaviour == "wrong json":
            self._raw("application/json" if not self.stream else "text/event-stream", b"data: {oops\n\n{")
        elif behaviour == "no message":
            self._raw("application/json", b'{"model": "m", "choices": [{"finish_reason": "stop"}]}')
        elif behaviour == "parts":
            self._raw("application/json", json.dumps(_openai_whole(["words"], "stop")).encode())
        elif behaviour == "web page":
            self._raw("text/html", b"<html>Welcome to the router</html>")
        else:
            self._answer(*_answers(behaviour))

    def _answer(self, text: str, finish: str, behaviour: str) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # the other side gave up, as it should
            (self._stream if self.stream else self._whole)(text, finish, behaviour)

    def _whole(self, text: str, finish: str, behaviour: str) -> None:
        if behaviour == "cut":
            self._head("application/json", length=10_000)
            self.handler.wfile.write(b'{"choices": [')
            self.handler.connection.close()
            return
        reply = _anthropic_whole(text, finish) if self.anthropic else _openai_whole(text, finish)
        self._raw("application/json", json.dumps(reply).encode())

    def _stream(self, text: str, finish: str, behaviour: str) -> None:
        self._head("text/event-stream")
        pieces = [text[i : i + 12] for i in range(0, len(text), 12)]
        events = list(_anthropic_events(pieces, finish) if self.anthropic else _openai_events(pieces, finish))
        if behaviour == "cut":
            events = events[:4]
        for event in events:
            self.handler.wfile.write(event.encode())
            self.handler.wfile.flush()
            if behaviour == "trickle" and self.end.released.wait(0.1):
                return
        if behaviour == "trickle":
            time.sleep(0.1)

    def _error(self, status: int, wait: str) -> None:
        message = "invalid api key: sk-test-key-1234567890abcdef" if status == 401 else f"status {status}"
        body = json.dumps({"type": "error", "error": {"type": "x", "message": message}}).encode()
        self._raw("application/json", body, status, {"retry-after": wait} if wait else {})

    def _raw(self, kind: str, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._head(kind, status, len(body), headers)
        self.handler.wfile.write(body)

    def _head(
        self, kind: str, status: int = 200, length: int | None = None, headers: dict[str, str] | None = None
    ) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.handler.send_header(name, value)
        if length is not None:
            self.handler.send_header("Content-Length", str(length))
        self.handler.end_headers()


def _answers(behaviour: str) -> tuple[str, str, str]:
    texts = {
        "ok": (SUMMARY, "stop"),
        "cut": (SUMMARY, "stop"),
        "trickle": (SUMMARY * 40, "stop"),
        "empty": ("", "stop"),
        "blank": ("  \n", "stop"),
        "long": (SUMMARY + "\nmore words" * 900, "stop"),
        "runaway": (SUMMARY + "\nmore words" * 40_000, "stop"),
        "refusal": (REFUSAL, "stop"),
        "refused": ("No.", "refusal"),
        "no headings": ("They talked about a login page and fixed it in the end.", "stop"),
        "one missing": (SUMMARY.replace("## Goal\n", "about the goal: "), "stop"),
        "truncated": (SUMMARY[:40], "length"),
        "beyond the window": (SUMMARY[:40], "window"),
        "decorated": (
            "<think>plan</think>Here are the notes:\n\n```markdown\n"
            + SUMMARY.replace("## Goal", "**goal:**")
            + "\n```",
            "stop",
        ),
        "lying": (
            SUMMARY.replace("words about active", f"{LIES[0]}\n- {LIES[1]}\nwords about active"),
            "stop",
        ),
        "leaky": (SUMMARY + "\nkey ghp_abcdefghijklmnopqrstuvwxyz0123456789", "stop"),
    }
    return (*texts[behaviour], behaviour)


_USAGE = {"prompt_tokens": 900, "completion_tokens": 70, "prompt_tokens_details": {"cached_tokens": 300}}
_ANTHROPIC_USAGE = {"input_tokens": 600, "cache_read_input_tokens": 300, "output_tokens": 70}
_STOPS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "window": "model_context_window_exceeded",
    "refusal": "refusal",
}


def _openai_whole(text: object, finish: str) -> dict[str, Any]:
    finish = "content_filter" if finish == "refusal" else finish
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [choice],
        "usage": _USAGE,
    }


def _anthropic_whole(text: str, finish: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}] if text else []
    message = {"id": "m", "type": "message", "role": "assistant", "model": "served", "content": content}
    return {**message, "stop_reason": _STOPS[finish], "stop_sequence": None, "usage": _ANTHROPIC_USAGE}


def _openai_events(pieces: list[str], finish: str) -> Iterator[str]:
    finish = "content_filter" if finish == "refusal" else finish
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "served"}
    for piece in pieces:
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield f"data: {json.dumps({**base, 'choices': [choice]})}\n\n"
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    yield f"data: {json.dumps({**base, 'choices': [last]})}\n\n"
    yield f"data: {json.dumps({**base, 'choices': [], 'usage': _USAGE})}\n\n"
    yield "data: [DONE]\n\n"


def _anthropic_events(pieces: list[str], finish: str) -> Iterator[str]:
    message = {
        **_anthropic_whole("", finish),
        "stop_reason": None,
        "usage": {**_ANTHROPIC_USAGE, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    events += (
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    )
    events.append({"type": "content_block_stop", "index": 0})
    stop = {"stop_reason": _STOPS[finish], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 70}})
    events.append({"type": "message_stop"})
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
