"""What a message says without what clients, gateways and terminals add: its sentences and words."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from core.compress.facts.lexicon import lexicon
from core.compress.facts.values import without_code
from core.hermes.markers.markers import typed

_PART = r"(?:[^.!?。！？\n`]+|`[^`\n]*`|`)"
_SENTENCE = re.compile(rf"{_PART}+(?:[.!?。！？]+(?=\s|$|[^\x00-\x7f])|[.!?](?=\S){_PART}*)*")
"""Marks within code end no sentence."""
_WRAPPED = re.compile(r"(?<=[\w,;])\n(?=[a-zà-ÿа-яё])")
"""A line break inside a sentence, as in text wrapped by hand."""

REMEMBERED = 4096
"""How many texts are cached with their sentences: agents repeat themselves, and a report reads them again."""

_SPACE = re.compile(r"\s+")
_REMINDER = re.compile(r"<(system-reminder|local-command-[a-z]+|command-[a-z]+)>.*?</\1>", re.DOTALL)
_TYPED = re.compile(
    r"<command-message>[^<]*</command-message>\s*<command-name>(?P<name>/[^<]*)</command-name>"
    r"(?:\s*<command-args>(?P<words>.*?)</command-args>)?",
    re.DOTALL,
)
"""A command of a person's own with what was typed after it; the client's (`/clear`) begin with the name."""

_EARLIER = re.compile(
    r"Chat history since [\w ]{1,40} \(untrusted[^)\n]*\):\s*```json\n(.*?)\n```\s*", re.DOTALL
)
_BODY = re.compile(r'"body": ("(?:[^"\\]|\\.)*")')
"""What was said in a group before somebody addressed the agent."""

_HEARD = re.compile(r"\[The user sent a voice message~ Here's what they said: \"(.*?)\"\]", re.DOTALL)

_STAMP = re.compile(r"\A\s*\[(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d \d\d:\d\d [A-Z]{3,5}(?:[+-]\d{1,2})?\]")
"""When it came."""

_COLOURED, _COLOUR = ("\x1b[", "[0m", "[39m"), re.compile(r"(?:\x1b|\\u001b)?\[\d{0,3}(?:;\d{1,3}){0,4}m")
"""What a terminal colours words with; some programs keep it without its first character."""


def without_colours(text: str) -> str:
    """The output of a program without a terminal's colours, which would join its words: `[32m63 passed`."""
    return _COLOUR.sub("", text) if any(sign in text for sign in _COLOURED) else text


def without_handoff(summary: str) -> str:
    """The lines of a summary about the work, without those that a release puts into every one."""
    return "\n".join(line for line in summary.splitlines() if not lexicon().handoff.match(line))


def typed_command(text: str) -> str:
    """The command a person typed, with its arguments: `/review this branch`; "" if the message holds none."""
    match = _TYPED.search(text) if "<command-name>" in text else None
    return f"{match['name']} {match['words'] or ''}".strip() if match else ""


def is_command(text: str) -> bool:
    """Whether a message is only a command, so that what comes next may be the text it stands for: a skill."""
    return "<command-name>" in text and without_reminders(text) == typed_command(text)


def without_reminders(text: str) -> str:
    """A message without the notes that a client adds in tags."""
    if "<" not in text:
        return text.strip()
    return f"{typed_command(text)} {_REMINDER.sub('', text).strip()}".strip()


def without_additions(text: str) -> str:
    """A message without those notes, and without what Hermes or a gateway puts around what somebody said."""
    text = typed(without_reminders(text))
    if "ntrusted" in text or "[" in text:
        earlier = _EARLIER.search(text)
        said = lexicon().added.sub("", _HEARD.sub(r"\1", _EARLIER.sub("", text)))
        said = _STAMP.sub("", lexicon().told.sub("", said).strip()).strip()
        text = "\n".join((*_bodies(earlier[1], said), said)) if earlier else said
    return text


def added_by_gateway(text: str) -> str:
    """What a gateway tells by itself in a message: that it restarted, or lost its connection."""
    return "\n".join(lexicon().told.findall(text))


def _bodies(history: str, said: str) -> list[str]:
    """The texts of a history in JSON, but those that the message itself repeats."""
    bodies = (str(json.loads(body, strict=False)) for body in _BODY.findall(history))
    return [body for body in bodies if body not in said]


def own_words(request: str) -> str:
    """A request without what its author only pasted: code blocks, and lines that a program printed."""
    lines = without_code(request).splitlines()
    return "\n".join(line for line in lines if not lexicon().printed.match(line))


@lru_cache(maxsize=REMEMBERED)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each on one line."""
    lines = (" ".join(sentence.split()) for sentence in _SENTENCE.findall(_WRAPPED.sub(" ", text)))
    return tuple(line for line in lines if line)


def flat(text: str) -> str:
    """A text in lower case, with every white space a blank."""
    return _SPACE.sub(" ", text.lower())


def stands_alone(value: str, text: str) -> bool:
    """Whether a text has a value that is not inside a longer word; scripts without spaces end it."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not any(one.isascii() and one.isalnum() for one in text[at - 1 : at] + text[end : end + 1]):
            return True
        at = text.find(value, at + 1)
    return False
