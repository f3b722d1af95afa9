"""`why --what-if`: replays the same history with other settings, changing one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.what_if.scenarios import Scenario
    from core.store.store import Store


UNKNOWN = "other settings: the window is unknown, so nothing can be tried"


def try_scenarios(store: Store, session_id: str, release: str | None) -> tuple[Scenario, ...]:
    """Every scenario, with the best one marked."""
    from core.explain.context.context import open_context
    from core.explain.what_if.scenarios import mark_best, scenarios

    context = open_context(store, session_id, release=release)
    return mark_best([one for one, _ in scenarios(context, release)])


def lines(found: Sequence[Scenario]) -> Iterator[str]:
    """The scenarios as a printed table."""
    from inspector.cli import table

    yield ""
    if not found:
        yield UNKNOWN
        return
    yield "the same history under other settings:"
    columns = (
        table.Column("setting"),
        table.Column("fires at", right=True),
        table.Column("compactions", right=True, varies=True),
        table.Column("tokens summarised", right=True, rank=2),
        table.Column("prompt tokens", right=True, rank=3),
        table.Column("largest request", right=True, rank=1),
        table.Column("cost", right=True, varies=True),
        table.Column(""),
    )
    yield from table.lines(columns, map(_cells, found))


def _cells(one: Scenario) -> list[str]:
    from core.support import formatting as fmt

    out = one.outcome
    figures = (out.threshold, len(out.firings), out.summarised_tokens, out.prompt_tokens, out.peak)
    cost = fmt.money(out.usd, mark=fmt.ESTIMATE)
    return [one.name, *map(fmt.count, figures), cost, " ".join(_remarks(one))]


def _remarks(one: Scenario) -> Iterator[str]:
    if one.actual:
        yield "in force"
    if not one.usable:
        yield "Hermes would not start with it;"
    if one.outcome.loops:
        yield "would loop"
    if one.outcome.refused:
        from core.explain.what_if.outcome import refused_words

        yield refused_words(one.outcome)
    if one.best:
        yield "fewest prompt tokens" if one.outcome.usd is None else "cheapest"


def payload(one: Scenario) -> dict[str, Any]:
    """One scenario in the document of `why`."""
    found = one.outcome
    return {
        "changes": None if one.actual else one.name,
        **jsonio.fields(one, "actual best"),
        "release": found.release,
        "window": found.settings.window,
        "threshold_percent": found.settings.threshold,
        "target_ratio": found.settings.target_ratio,
        "threshold": found.threshold,
        "compactions": [
            {"after_row": firing.row, "turn": firing.turn, "tokens": firing.tokens}
            | {"summarised_tokens": firing.summarised, "attempt": firing.attempt or None}
            | {"trigger": "hygiene" if firing.by_gateway else "overflow" if firing.attempt else "threshold"}
            for firing in found.firings
        ],
        "refused": [
            {"after_row": one.row, "turn": one.turn, "tokens": one.tokens}
            | {"attempts": one.attempts, "end": one.end.value}
            for one in found.refused
        ],
        **jsonio.fields(found, "calls prompt_tokens summarised_tokens peak loops usd"),
    }
