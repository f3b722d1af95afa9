"""Where things are in a YAML file, and the ways to add or remove one there.

A way is a whole new text. Not every layout accepts every way, so the caller parses each text and takes the
first that says what is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MARK = "# by hermes-inspector"


def insertions(text: str, outer: str, key: str, name: str, value: str) -> Iterator[str]:
    """The ways to set `outer.key`, or to add a name at the beginning of its list.

    `value` is written, as flow YAML, if there is no list yet.
    """
    root = yaml.compose(text, yaml.SafeLoader)
    block = _value(root, outer)
    inner = f"{key}: {value}"
    if block is None:
        yield from _keyed(text, root, f"{outer}: {{{inner}}}", f"{outer}:  {MARK}", f"  {inner}  {MARK}")
    elif isinstance(block, ScalarNode):  # null
        yield _spliced(text, block.start_mark.index, block.end_mark.index, f" {{{inner}}}")
    else:
        found = _value(block, key)
        if found is None:
            yield from _keyed(text, block, inner, f"{inner}  {MARK}")
        elif isinstance(found, SequenceNode):
            yield from _listed(text, found, name)
        else:
            yield _spliced(text, found.start_mark.index, found.end_mark.index, f" {value}")


def removals(text: str, outer: str, key: str, name: str, old: str) -> Iterator[str]:
    """The ways to remove a name from `outer.key`: with every parent that would be empty, or alone.

    `old` is the value before ours; empty if there was none.
    """
    root = yaml.compose(text, yaml.SafeLoader)
    for node, wanted in ((root, outer), (_value(root, outer), key)):
        for held, value in _pairs(node):
            if held.value == wanted:
                yield from _without(text, held.start_mark.index, _end(value))
    found = _value(_value(root, outer), key)
    if isinstance(found, SequenceNode):
        for item in found.value:
            if item.value == name:
                yield from _without(text, item.start_mark.index, item.end_mark.index)
        colon = next(held for held, _ in _pairs(_value(root, outer)) if held.value == key).end_mark.index
        yield _spliced(text, colon, _end(found), ": []")
    elif isinstance(found, MappingNode):
        for held, value in _pairs(found):
            if held.value == name:
                yield from _without(text, held.start_mark.index, _end(value))
    elif found is not None:
        yield _spliced(text, found.start_mark.index, found.end_mark.index, f" {old}")


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    """Keys and values; for a duplicate key, the one that counts comes first."""
    return node.value[::-1] if isinstance(node, MappingNode) else []


def _value(node: Node | None, key: str) -> Node | None:
    return next((value for held, value in _pairs(node) if held.value == key), None)


def _keyed(text: str, node: Node | None, flow: str, *lines: str) -> Iterator[str]:
    """Add a key: inside braces, at the end of the file, or as lines above the first key."""
    if node is None:
        yield _with_lines(text, len(text), "", lines)
    elif isinstance(node, MappingNode) and node.flow_style:
        yield _opened(text, node, "{", flow)
    elif isinstance(node, MappingNode):
        first = node.value[0][0].start_mark
        if not node.start_mark.column:
            yield _with_lines(text, node.end_mark.index, "", lines)
        yield _with_lines(text, first.index - first.column, " " * first.column, lines)


def _listed(text: str, node: SequenceNode, name: str) -> Iterator[str]:
    if node.flow_style:
        yield _opened(text, node, "[", name)
    else:
        start = _line_start(text, node.value[0].start_mark.index)
        margin = re.match(r" *", text[start:])
        yield _with_lines(text, start, margin.group() if margin else "", (f"- {name}  {MARK}",))


def _opened(text: str, node: Node, bracket: str, new: str) -> str:
    """Add something after an opening bracket."""
    at = text.index(bracket, node.start_mark.index) + 1
    more = "" if not node.value else "," if text[at].isspace() else ", "
    return _spliced(text, at, at, new + more)


def _with_lines(text: str, at: int, margin: str, lines: tuple[str, ...]) -> str:
    end = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    joint = "" if at == 0 or text[at - 1] in "\r\n\ufeff" else end
    return _spliced(text, at, at, joint + "".join(f"{margin}{line}{end}" for line in lines))


def _spliced(text: str, start: int, end: int, new: str) -> str:
    """Replace a piece of the text; avoids a double space before it."""
    if start and text[start - 1] in " [{":
        new = new.lstrip(" ")
    return text[:start] + new + text[end:]


def _without(text: str, start: int, end: int) -> Iterator[str]:
    """Remove a piece: with its whole lines, or with the comma after or before it."""
    below = re.compile(r"[^\r\n]*(\r\n|\r|\n|$)").match(text, end)
    yield text[: _line_start(text, start)] + text[below.end() if below else end :]
    behind = re.compile(r"\s*,[ \t]*").match(text, end)
    yield text[:start] + text[behind.end() if behind else end :]
    yield re.sub(r",\s*$", "", text[:start]) + text[end:]


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _end(node: Node) -> int:
    """The end of a node's last item; a block node's own end mark is where the next node begins."""
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)
