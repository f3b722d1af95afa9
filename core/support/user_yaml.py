"""YAML somebody else wrote, read within bounds: nesting, size and aliases are counted before it is built.

The C loader builds nested values by calling itself, and some 30,000 brackets end the process without a word;
a few lines of aliases stand for billions of values. Counting needs the events only, which need no stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MOST_BYTES = 4 * 2**20
"""Bytes of a file: a large config.yaml has a hundredth of it."""
MOST_DEEP = 100
"""Levels of nesting."""
MOST_VALUES = 500_000
"""Values of a file, each alias counted with all it stands for."""


class BadYaml(ValueError):  # noqa: N818 - what it is, not what went wrong
    """Content that is no YAML, or more than anybody would write.

    Attributes:
        problem: What is wrong, in a few words.
        line: Where, from 1; None when it is the whole file.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"{problem} (line {line})")
        self.problem, self.line = problem, line


def read_user_file(path: Path) -> bytes:
    """The content of a file of the user's.

    Raises:
        FileNotFoundError, OSError: There is none, or it cannot be read.
        BadYaml: It is no regular file (a pipe would be waited for), or far too large.
    """
    if not path.is_file():
        path.stat()
        raise BadYaml("is not a regular file")
    if path.stat().st_size > MOST_BYTES:
        raise BadYaml(f"is larger than {MOST_BYTES // 2**20} MiB")
    return path.read_bytes()


def user_yaml(content: bytes | str) -> Any:
    """The value of a document.

    Raises:
        BadYaml: It is none, or passes a bound.
    """
    return built_yaml(content, lambda loader: loader.get_single_data())


def built_yaml(content: bytes | str, build: Callable[[Any], Any]) -> Any:
    """The same, from what a function makes of a loader; for those who also want the lines of the nodes.

    Raises:
        BadYaml: As `user_yaml`.
    """
    import yaml

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check(yaml.parse(content, Loader=loader_class))
        loader = loader_class(content)
        try:
            return build(loader)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise BadYaml(str(problem), mark.line + 1 if mark else None) from error
    except BadYaml:
        raise
    except (ValueError, OverflowError, RecursionError) as error:  # as a date of the 32nd
        raise BadYaml(f"not valid YAML ({' '.join(str(error).split())[:200]})") from error


def _check(events: Iterator[Any]) -> None:
    """Count what the events would be built into."""
    open_: list[tuple[str | None, int]] = []
    sizes: dict[str, int] = {}
    values = 0
    for event in events:
        anchor, kind = getattr(event, "anchor", None), type(event).__name__
        line = event.start_mark.line + 1
        if isinstance(anchor, str) and kind == "AliasEvent":
            if anchor not in sizes and any(name == anchor for name, _ in open_):
                raise BadYaml(f"&{anchor} holds itself", line)
            values += sizes.get(anchor, 1)
        elif kind.endswith("EndEvent") and not kind.startswith(("Document", "Stream")):
            name, before = open_.pop()
            if name:
                sizes[name] = values - before
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            open_.append((anchor, values))
            values += 1
        elif kind == "ScalarEvent":
            values += 1
            if anchor:
                sizes[anchor] = 1
        if len(open_) > MOST_DEEP:
            raise BadYaml(f"is nested more than {MOST_DEEP} levels deep", line)
        if values > MOST_VALUES:
            raise BadYaml(f"stands for more than {MOST_VALUES:,} values", line)
