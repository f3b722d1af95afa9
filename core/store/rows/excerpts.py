"""The beginnings of stored values: what a line shows, without reading or parsing the rest."""

from __future__ import annotations

import json
import re

from core.redact.quick_check import masked_start
from core.store.rows.decode import JSON_PREFIX

_NAME = re.compile(r'"function"\s*:\s*\{\s*"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TEXT = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)')
_JSON_SLACK = 4
"""An encoded list needs more stored characters for one shown character than plain text does."""

_READ_ON = 1_000
"""Characters read beyond those shown: a credential that is cut in half is not recognised."""


def start_of_content(chars: int) -> str:
    """SQL for enough bytes of a message's content to show `chars` characters of it."""
    # `substr` of text stops at a NUL, which is how encoded lists begin: cut bytes.
    most = (chars + _READ_ON) * _JSON_SLACK + len(JSON_PREFIX)
    return f"CAST(substr(CAST(content AS BLOB), 1, {most}) AS BLOB)"


def shown_start(start: bytes, chars: int) -> str:
    """The first characters of a content, masked before they are cut; `start` is what SQL read of it."""
    text = start.decode(errors="ignore")
    encoded = text.startswith(JSON_PREFIX)
    return masked_start(_encoded_text(text[len(JSON_PREFIX) :]) if encoded else text, chars)


def call_names(calls: str) -> list[str]:
    """Names of the tools called, also from JSON that was cut short."""
    return [_unquote(found[1]) for found in _NAME.finditer(calls)]


def _encoded_text(json_text: str) -> str:
    """The text parts of an encoded list, also when it was cut short."""
    return "\n".join(_unquote(found[1]) for found in _TEXT.finditer(json_text))


def _unquote(inside: str) -> str:
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside
