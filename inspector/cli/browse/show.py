"""Prints a conversation by generation: what the model saw between two compactions. Copied rows are marked.

`plan --messages` accepts `.generations[-1].messages[].message` of the JSON.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from core.model.transcript.conversation import Boundary, Conversation, Generation
from core.model.transcript.message import Message
from core.store.conversations.conversation import numbered_generation
from core.store.store import Store
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.payloads import values as jsonio

LAST = "last"
_MAX_CHARS = 100_000
"""Most characters of one text on a terminal; more would scroll past for minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `show`."""
    add = parser.add_argument
    options.add_session_argument(parser)
    add("--generation", type=_generation, metavar="N", help=f"show only the Nth, or `{LAST}`")
    add("--full", action="store_true", help="show whole texts instead of one line per message")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print a conversation."""
    with target.session(args) as (store, session):
        conversation = store.conversation(session.id)
        shown = _wanted(conversation, args.generation)
        if args.json:
            output.write_json(_payload(store, session.id, conversation, shown))
        else:
            # Cleaned here text by text: checking every line for credentials again takes ten times as long.
            output.write_lines(_lines(store, conversation, shown, full=args.full), mask=False)
    return 0


def _generation(text: str) -> int | str:
    return LAST if text == LAST else parsers.positive(text)


def _wanted(conversation: Conversation, choice: int | str | None) -> Sequence[Generation]:
    """The generations to show; all without a choice."""
    generations = conversation.generations
    if choice is None:
        return generations
    if choice == LAST:
        return generations[-1:]
    return (numbered_generation(conversation, int(choice)),)


def _payload(
    store: Store, session_id: str, conversation: Conversation, shown: Sequence[Generation]
) -> dict[str, Any]:
    return {
        "session": session_id,
        "title": conversation.title,
        "root": conversation.root.id,
        "tip": conversation.tip.id,
        "sessions": [session.id for session in conversation.sessions],
        **jsonio.fields(conversation, "resume_target resume_reason"),
        "generations": [_generation_payload(store, one) for one in shown],
        "rewound": list(conversation.rewound),
        "notes": list(conversation.notes),
    }


def _generation_payload(store: Store, generation: Generation) -> dict[str, Any]:
    messages = store.generation_messages(generation)
    return {
        "index": generation.index,
        "session": generation.session_id,
        "count": len(generation.row_ids),
        "fresh": generation.fresh,
        "boundary": None if generation.boundary is None else _boundary(generation.boundary),
        "messages": [_message(index, one, generation) for index, one in enumerate(messages)],
    }


def _boundary(boundary: Boundary) -> dict[str, Any]:
    return jsonio.fields(boundary, "mode at summary_row head_rows tail_rows merged")


def _message(index: int, message: Message, generation: Generation) -> dict[str, Any]:
    row = message.row
    return {
        "index": index,
        "row": None if row is None else row.id,
        "role": message.role,
        "at": None if row is None else jsonio.time(row.timestamp),
        "state": None if row is None else row.state.value,
        "copy": row is not None and row.id in generation.copy_ids,
        "summary": _is_summary(message, generation),
        "damage": [] if row is None else list(row.damage),
        "message": dict(message.wire),
    }


def _is_summary(message: Message, generation: Generation) -> bool:
    boundary, row = generation.boundary, message.row
    return row is not None and boundary is not None and row.id == boundary.summary_row


def _lines(
    store: Store, conversation: Conversation, shown: Sequence[Generation], *, full: bool
) -> Iterator[str]:
    from inspector.terminal.text import clean

    count = fmt.plural(len(conversation.sessions), "session")
    generations = fmt.plural(len(conversation.generations), "generation")
    yield clean(f"{conversation.name} · {count} · {generations}")
    for generation in shown:
        yield ""
        yield clean(_heading(generation))
        for index, message in enumerate(store.generation_messages(generation)):
            yield from _message_lines(index, message, generation, full=full)
    for note in conversation.notes:
        yield ""
        yield clean(f"note: {note}")


def _heading(generation: Generation) -> str:
    parts = [f"generation {generation.index}", generation.session_id]
    parts.append(fmt.plural(len(generation.row_ids), "message"))
    if generation.copies:
        parts.append(f"{generation.copies} of them copied")
    if generation.boundary is not None:
        how = generation.boundary.mode.value.replace("_", "-")
        parts.append(f"after {how} compaction at {fmt.moment(generation.boundary.at)}")
    return "═ " + " · ".join(parts)


def _message_lines(index: int, message: Message, generation: Generation, *, full: bool) -> Iterator[str]:
    from core.redact.message import redact_stored
    from core.support.json_escapes import readable_result, without_escapes
    from inspector.terminal.glyphs import CALL, ROLE, ROLE_OTHER, SUMMARY
    from inspector.terminal.text import clean_line

    sign = SUMMARY if _is_summary(message, generation) else ROLE.get(message.role, ROLE_OTHER)
    mark = "=" if message.row is not None and message.row.id in generation.copy_ids else " "
    calls = [f"{CALL} {call.name} {redact_stored(call.arguments)}" for call in message.tool_calls]
    head = f"{index:>6}{mark}{sign} {clean_line(message.role):<10}"
    if full:
        yield head.rstrip()
        yield from (f"        {line}" for text in [message.text, *calls] if text for line in _whole(text))
    else:
        text = readable_result(message.text) if message.role == "tool" else message.text
        yield _cropped(f"{head}{clean_line(' '.join([text, *map(without_escapes, calls)]))}")


def _whole(text: str) -> Iterator[str]:
    """The lines of a text, cleaned as a whole because a credential may span several lines."""
    from core.redact.quick_check import masked_start
    from inspector.terminal.stdout import terminal_width
    from inspector.terminal.text import clean

    left = 0 if terminal_width() is None else len(text) - _MAX_CHARS
    yield from clean(masked_start(text, _MAX_CHARS) if left > 0 else text).split("\n")
    if left > 0:
        yield f"… {left:,} more characters; a file or a pipe gets all of them"


def _cropped(line: str) -> str:
    from inspector.terminal.stdout import terminal_width
    from inspector.terminal.text import crop

    width = terminal_width()
    return crop(line, width or 200)
