"""`?` explains every label: none is drawn without a sentence under its screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.base.commands import table
from inspector.base.words import EVERYWHERE, explained, words_for
from inspector.widgets.charts.retention import heat_glyph

SCREENS = Path(__file__).parent.parent.parent.parent / "inspector"
SCOPES = {
    "turns.py": "turns",
    "results.py": "results",
    "undo.py": "undo",
    "written.py": "undo",
    "origin.py": "origin",
    "settings.py": "settings",
    "panes": "origin",
}
"""Files, and a folder, whose keys have a scope that is not called as the folder is."""


def _labels(path: Path) -> Iterator[str]:
    """What a file hands to `field` as a label."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "field"
            and node.args
        ):
            label = node.args[0]
            label = label.orelse if isinstance(label, ast.IfExp) else label
            if isinstance(label, ast.Constant) and isinstance(label.value, str) and label.value:
                yield label.value


DRAWN = [
    (SCOPES.get(path.name) or SCOPES.get(path.parent.name, path.parent.name), label)
    for path in sorted(SCREENS.rglob("*.py"))
    for label in dict.fromkeys(_labels(path))
]


@pytest.mark.parametrize(("scope", "label"), DRAWN)
def test_every_label_of_a_pane_is_explained_on_its_screen(scope: str, label: str) -> None:
    assert label in explained()[scope]


def test_labels_are_found_at_all() -> None:
    assert len(DRAWN) > 30


def test_each_explanation_is_one_short_sentence_under_a_scope_that_exists() -> None:
    scopes = {command.scope for command in table()} | {EVERYWHERE}
    for scope, words in explained().items():
        assert scope in scopes
        for label, says in words.items():
            assert says.endswith("."), label
            assert ". " not in says, label
            assert len(says) <= 120, label


def test_how_sure_a_claim_is_is_explained_on_every_screen() -> None:
    known = {label for label, _ in words_for(("why", "app"))}
    assert {"from the log", "computed", "likely", "not known"} <= known


def test_a_word_of_two_screens_is_reported_as_the_nearer_one_means_it() -> None:
    told = dict(words_for(("cache", "why")))
    assert told["lost"] == explained()["cache"]["lost"]
    assert told["limit"] == explained()["why"]["limit"]


def test_the_blocks_beside_the_messages_of_a_preview_are_explained_at_every_width() -> None:
    (said,) = (says for label, says in words_for(("preview",)) if label.startswith(heat_glyph(0.0)))
    assert f"{heat_glyph(0.0)} nothing to {heat_glyph(1.0)} the most" in said
