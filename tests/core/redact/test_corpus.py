"""How many kinds of credentials are masked, and how much else; `pytest -s` prints it."""

from __future__ import annotations

import pytest

from core.redact.quick_check import may_hold_credential
from core.redact.text import redact_text
from tests.core.redact.corpus import Planted, credentials, innocents, nested

RECALL, FALSE_ALARMS = 0.97, 0.01
"""The least share of kinds masked in all their surroundings, and the most of innocent texts changed."""

SEEDS = (1, 7, 2026, 40_961)


def leaks(planted: Planted) -> list[str]:
    """The texts around a credential in which something of it stays."""
    return [
        text
        for text in nested(planted.text)
        if any(secret in redact_text(text) for secret in planted.secrets)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_nearly_every_kind_of_credential_is_masked(seed: int) -> None:
    kinds = list(credentials(seed))
    missed = [planted.kind for planted in kinds if leaks(planted)]
    recall = 1 - len(missed) / len(kinds)
    print(f"\nseed {seed}: {len(kinds)} kinds, recall {recall:.1%}; missed: {', '.join(missed) or 'none'}")  # noqa: T201 - for a reader of `pytest -s`
    assert recall >= RECALL, missed


@pytest.mark.parametrize("seed", SEEDS)
def test_hardly_anything_innocent_is_masked(seed: int) -> None:
    texts = list(innocents(seed))
    changed = [text for text in texts if any(redact_text(form) != form for form in nested(text))]
    share = len(changed) / len(texts)
    print(f"\nseed {seed}: {len(texts)} innocents, {share:.1%} masked: {changed}")  # noqa: T201 - for a reader of `pytest -s`
    assert share <= FALSE_ALARMS, changed


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_masking_twice_is_masking_once(seed: int) -> None:
    for planted in credentials(seed):
        once = redact_text(planted.text)
        assert redact_text(once) == once, planted.kind


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_the_quick_look_before_a_line_is_drawn_lets_none_pass(seed: int) -> None:
    for planted in credentials(seed):
        for text in nested(planted.text):
            assert redact_text(text) == text or may_hold_credential(text), planted.kind
