"""What `?` says of the labels on a screen, from `words.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

EVERYWHERE = "everywhere"

Words = Mapping[str, str]


def explained() -> Mapping[str, Words]:
    """The sentence of each label, by the scope whose screen shows it."""
    from core.support.yaml_tables import shared_table

    found: Mapping[str, Words] = shared_table("inspector/base/words.yaml")
    return found


def words_for(scopes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Label and sentence of everything on a screen, each label once, the most particular screen's first."""
    table = explained()
    known: dict[str, str] = {}
    for scope in (*scopes, EVERYWHERE):
        for label, says in table.get(scope, {}).items():
            known.setdefault(label, says)
    yield from known.items()
