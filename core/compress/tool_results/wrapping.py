"""The wrapper around results from outside, which tells a model to read them as data (0.16 on)."""

from __future__ import annotations

import re

from core.hermes.policy.defence_rules import ResultRules

Part = dict[str, object]
Content = str | list[Part]

_TOOLS = ("web_extract", "web_search")
_PREFIXES = ("browser_", "mcp_")
_NAME = "untrusted_tool_result"
_LEAST = 32
_WORDS = 263
_NOTICE = 209
_INCOMPLETE_LEAST = 1_000
_INCOMPLETE_MOST = 65_536
_INCOMPLETE = re.compile(
    r'\.\.\.\s*\d+\s+more\s+items?|"has_more"\s*:\s*true|saved to sandbox|data_preview', re.IGNORECASE
)


def from_outside(tool: str) -> bool:
    """Whether others than the user decide what a tool returns."""
    return tool in _TOOLS or tool.startswith(_PREFIXES)


def message_content(tool: str, content: Content, rules: ResultRules) -> Content:
    """What the message of a result holds: its text noticed as incomplete, and wrapped."""
    if rules.wraps == "never" or not from_outside(tool):
        return content
    if isinstance(content, str):
        return _wrapped(tool, _noticed(content, rules), rules)
    if rules.wraps == "once":
        return content
    parts, first = [], True
    for part in content:
        text = text_of(part)
        if text is not None:
            shown = _noticed(text, rules) if first else text
            part, first = {**part, "text": _wrapped(tool, shown, rules)}, False
        parts.append(part)
    return parts


def text_of(part: Part) -> str | None:
    """The text of a text part, else None."""
    text = part.get("text") if part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _noticed(text: str, rules: ResultRules) -> str:
    if not rules.notices or len(text) < _INCOMPLETE_LEAST:
        return text
    return text + "\n".ljust(_NOTICE, ".") if _INCOMPLETE.search(text, 0, _INCOMPLETE_MOST) else text


def _wrapped(tool: str, text: str, rules: ResultRules) -> str:
    if len(text) < _LEAST or (rules.wraps == "once" and text.lstrip().startswith(f"<{_NAME}")):
        return text
    return f'<{_NAME} source="{tool}">\n{"." * _WORDS}\n\n{text}\n</{_NAME}>'
