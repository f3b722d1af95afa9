from __future__ import annotations

from core.compress.pruning.skills import mark, pruned_skills


def test_each_skill_is_named_once_in_order_and_no_more_than_twenty_are() -> None:
    names = [f"skill-{number}" for number in range(25)]
    texts = [f"{mark(name)} {mark(names[0])}" for name in names]
    assert pruned_skills(texts) == names[:20]
