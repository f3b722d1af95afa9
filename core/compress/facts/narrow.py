"""The part of a middle that is about a focus, word for word."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.facts.collect import about, topic_of
from core.compress.facts.readable import views
from core.compress.facts.topic import Topic
from core.model.transcript.message import Message


def narrowed(turns: Sequence[Message], focus: str | None, originals: Sequence[Message]) -> list[Message]:
    """The messages about a focus, and of the others the lines about it.

    Args:
        turns: A middle, as pruning left it.
        focus: The topic; without one, or when nothing mentions it, all messages come back.
        originals: The same messages before pruning, which tell what they are about.
    """
    read = views(originals)
    topic = topic_of(focus, read)
    if topic is None or not topic.weights:
        return list(turns)
    found = zip(turns, read, strict=True)
    kept = (message if about(view, topic) else _lines(message, topic) for message, view in found)
    return [message for message in kept if message is not None]


def _lines(message: Message, topic: Topic) -> Message | None:
    if not topic.share(message.text):
        return None
    lines = [line for line in message.text.splitlines() if topic.covers(line)]
    return message.with_wire(content="\n".join(lines)) if lines else None
