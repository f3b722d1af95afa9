"""What `?` says of a screen and the labels on it, from `screens.yaml` and `words.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

EVERYWHERE = "everywhere"

Words = Mapping[str, str]


def explained() -> Mapping[str, Words]:
    """The sentence of each label, by the scope whose screen shows it."""
    from core.support.program_files import shared_table

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


@dataclass(frozen=True, slots=True)
class Asked:
    """The question a screen answers, and the scopes of its keys and words, its own first."""

    asks: str
    scopes: tuple[str, ...]


def asked() -> Mapping[str, Asked]:
    """What each named screen answers."""
    from core.support.program_files import shared_table

    table = shared_table("inspector/base/screens.yaml")
    return {name: Asked(one["asks"], tuple(one["scopes"])) for name, one in table.items()}


def question(scopes: Iterable[str]) -> str:
    """What the screen with these scopes answers, the innermost first; empty for one without a name."""
    own: dict[str, str] = {}
    for one in asked().values():
        own.setdefault(one.scopes[0], one.asks)
    return next((own[scope] for scope in scopes if scope in own), "")
