"""The formats of a turn: ShareGPT (`from`, `value`) and OpenAI (`role`, `content`, `tool_calls`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class BadEntry(ValueError):  # noqa: N818 - one entry of many is off, the run is not
    """An entry cannot be read as a trajectory; the text says why."""


class Turn(NamedTuple):
    """A turn, whatever its format; a tuple, because a large set has millions.

    Attributes:
        role: Its role in ShareGPT: `system`, `human`, `gpt`, `tool`, or any other as written.
        text: The text that is counted.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Form:
    """The keys and roles of a turn's format.

    Attributes:
        role: The key of the role.
        texts: Keys of the text; the first present one holds it.
        human: The role of the user.
        roles: Maps roles of this format to those of ShareGPT; others are unchanged.
    """

    role: str
    texts: tuple[str, ...]
    human: str
    roles: Mapping[str, str]

    def summary(self, text: str) -> dict[str, str]:
        """The turn for a summary."""
        return {self.role: self.human, self.texts[0]: text}

    def text_key(self, turn: Mapping[str, Any]) -> str:
        """The key of a turn's text."""
        return next((key for key in self.texts if key in turn), self.texts[0])


SHAREGPT = Form("from", ("value",), "human", {})
OPENAI = Form(
    "role",
    ("content", "text"),
    "user",
    {
        "developer": "system",
        "user": "human",
        "assistant": "gpt",
        "ai": "gpt",
        "model": "gpt",
        "function": "tool",
    },
)


def form_of(turns: Sequence[Any]) -> Form:
    """The format of a list of turns."""
    keys = [turn for turn in turns if isinstance(turn, dict)]
    if any(SHAREGPT.role in turn for turn in keys):
        return SHAREGPT
    return OPENAI if any(OPENAI.role in turn for turn in keys) else SHAREGPT


def read_turns(turns: Sequence[Any], form: Form) -> list[Turn]:
    """The turns of a list.

    Raises:
        BadEntry: One is not an object, or its role or text has another type.
    """
    if form is SHAREGPT:
        return [_sharegpt_turn(turn, index) for index, turn in enumerate(turns)]
    return [_turn(turn, index, form) for index, turn in enumerate(turns)]


def _sharegpt_turn(turn: Any, index: int) -> Turn:
    """A turn of ShareGPT; a large set has many millions, nearly all of them pairs of texts."""
    if type(turn) is dict:
        role, text = turn.get("from"), turn.get("value")
        if type(role) is str and type(text) is str:
            return Turn(role, text)
    return _turn(turn, index, SHAREGPT)


def _turn(turn: Any, index: int, form: Form) -> Turn:
    if not isinstance(turn, dict):
        raise BadEntry(f"turn {index} is not an object")
    role = turn.get(form.role, "")
    if not isinstance(role, str):
        raise BadEntry(f"turn {index}: `{form.role}` is not a text")
    if form is SHAREGPT:
        return Turn(role, _plain(turn.get("value"), index, "value"))
    key = form.text_key(turn)
    parts = [_content(turn.get(key), index, key), *_calls(turn.get("tool_calls"), index)]
    return Turn(form.roles.get(role, role), "\n".join(text for text in parts if text))


def _plain(value: Any, index: int, key: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadEntry(f"turn {index}: `{key}` is not a text")
    return value


def _content(value: Any, index: int, key: str) -> str:
    """A text, or the text parts of a list, one per line."""
    if not isinstance(value, list):
        return _plain(value, index, key)
    parts = [part.get("text") if isinstance(part, dict) else part for part in value]
    return "\n".join(part for part in parts if isinstance(part, str))


def _calls(value: Any, index: int) -> list[str]:
    """The name and arguments of each call; arguments may be a text of JSON or an object."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadEntry(f"turn {index}: `tool_calls` is not a list")
    return [_call(call) for call in value if isinstance(call, dict)]


def _call(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    arguments = function.get("arguments", "")
    spelt = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"{function.get('name', '')}\n{spelt}"
