"""What was said about a focus beside the facts of the sections: for a summary with room left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.compress.facts.collect import sentences
from core.compress.facts.readable import View, one_line
from core.compress.facts.topic import Topic
from core.compress.summarise.extract.fact_lines import FactLine

_LONGEST = 240
_LEAST = 20
"""Characters a line needs to tell something."""

_PER_MESSAGE = 12
_SAID, _SHOWN = 0.5, 0.25
"""Worth of a sentence of an assistant, and of a line of a tool's output, beside the facts of the sections."""


def topic_details(views: Sequence[View], topic: Topic) -> Iterator[FactLine]:
    """The sentences of assistants and the lines of results that a topic covers, each once, oldest first."""
    seen: set[str] = set()
    for view in views:
        if view.role not in ("assistant", "tool"):
            continue
        said = view.role == "assistant"
        lines = sentences(view.text) if said else tuple(view.text.splitlines())
        told = (one_line(line, _LONGEST).strip("-*• ") for line in lines if topic.covers(line))
        new = [line for line in dict.fromkeys(told) if len(line) >= _LEAST and line not in seen]
        seen.update(new)
        weight = _SAID if said else _SHOWN
        yield from (FactLine("context", line, view.index, weight, True) for line in new[:_PER_MESSAGE])
