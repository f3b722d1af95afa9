"""Reads the escapes of JSON strings in a piece of JSON, which need not be whole."""

from __future__ import annotations

import json
import re

_ESCAPES = re.compile(r'(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]')


def without_escapes(text: str) -> str:
    r"""JSON as people read it: `\n` is a line end, `\"` a quote, `\u00e9` an é."""
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text) if "\\" in text else text


def readable_result(text: str) -> str:
    r"""The same of a tool result, which need not be JSON: the path `C:\new` keeps its signs."""
    return without_escapes(text) if text.startswith(("{", "[{")) else text
