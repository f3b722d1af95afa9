"""The explanations that `?` shows for a screen and its labels, from `screens.yaml` and `words.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

EVERYWHERE = "everywhere"

Words = Mapping[str, str]


def explained() -> Mapping[str, Words]:
    """The explanation of each label, by the scope of the screen that shows it."""
    from core.support.program_files import shared_table

    found: Mapping[str, Words] = shared_table("inspector/base/words.yaml")
    return found


def words_for(scopes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Label and explanation of everything on a screen; the first scope that explains a label wins."""
    table = explained()
    known: dict[str, str] = {}
    for scope in (*scopes, EVERYWHERE):
        for label, says in table.get(scope, {}).items():
            known.setdefault(label, says)
    yield from known.items()


@dataclass(frozen=True, slots=True)
class ScreenQuestion:
    """The question a screen answers, and the scopes of its keys and words, the screen's own first."""

    asks: str
    scopes: tuple[str, ...]


def screen_questions() -> Mapping[str, ScreenQuestion]:
    """The question of each named screen."""
    from core.support.program_files import shared_table

    table = shared_table("inspector/base/screens.yaml")
    return {name: ScreenQuestion(one["asks"], tuple(one["scopes"])) for name, one in table.items()}


def question(scopes: Iterable[str]) -> str:
    """The question answered by the screen with these scopes, innermost first; empty if it has none."""
    own: dict[str, str] = {}
    for one in screen_questions().values():
        own.setdefault(one.scopes[0], one.asks)
    return next((own[scope] for scope in scopes if scope in own), "")
