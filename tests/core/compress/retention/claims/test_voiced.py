"""A wish of people in words that no person used is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Rename the exporter to writer and tell me when it compiles."),
    *call("read_file", "class Exporter: 'kept for compatibility with plugins'", path="src/export.py"),
    assistant("Shall I also drop the deprecated alias? The plugins need no upgrade."),
    user("Yes, and keep writer.py short."),
    *call("patch", "ok", path="src/export.py", old_string="Exporter", new_string="Writer"),
    assistant("Renamed; the alias is dropped, and it compiles. Compatibility with plugins is untouched."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"The exporter.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The user wanted the exporter kept for compatibility with plugins and themes.",
        "The user prefers tabs.",
        "The user asked for benchmarks.",
    ],
)
def test_a_wish_nobody_voiced_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The user wants the exporter renamed.",
        "The user asked to drop the deprecated alias.",
        'The user said "keep writer.py short" about benchmarks.',
        "The user asked whether benchmarks exist.",
    ],
)
def test_a_wish_somebody_voiced_or_took_up_is_not(claim: str) -> None:
    assert flagged(claim) == []


def test_wishes_in_another_script_are_not_held_against_english_words() -> None:
    work = [user("请把导出器重命名为写入器，并在编译通过后告诉我结果如何。"), assistant("Renamed.")]
    assert retention(work, "The user wants the exporter renamed.").unsupported == ()
