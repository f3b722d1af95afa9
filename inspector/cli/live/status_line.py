"""A status as one line of text, by a template the user may give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.errors import UsageError

if TYPE_CHECKING:
    from core.live.status import Status

FIELDS = {
    "session": "id of the newest session",
    "title": "what the conversation is called",
    "tokens": "size of the next request, ~ where it is an estimate",
    "threshold": "where compression fires",
    "share": "context used of the threshold, in per cent",
    "today": "money of the sessions that began today, ≥ where some of it is not known",
    "hit_rate": "share of the prompts that came from the cache",
    "mark": "■ critical, ▲ warning, ● all else",
    "rule": "the worst finding, as F10",
    "severity": "how bad it is",
    "worst": "the worst finding in a sentence",
}
"""What a template may name, and what it stands for."""
DEFAULT = "{tokens} of {threshold} tokens ({share}) · today {today} · cache {hit_rate} · {mark} {worst}"
_MARKS = {"critical": "■", "warning": "▲"}


def check(template: str) -> None:
    """See that a template names nothing but `FIELDS`.

    Raises:
        UsageError: It names something else, or its braces do not pair.
    """
    from string import Formatter

    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise UsageError(f"--format: {error}", remedy="Write a brace that is none of a field twice") from None
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if name not in FIELDS:
            raise UsageError(f"--format: there is no field {name!r}", remedy=f"Choose of {', '.join(FIELDS)}")
        if form or conversion:
            raise UsageError(f"--format: {name} is a text as it is", remedy=f"Write {{{name}}}")


def fields(found: Status) -> dict[str, str]:
    """The words for a template: `FIELDS` of one status, safe to print."""
    from core.model.evidence import Verdict
    from inspector.terminal import formatting as fmt
    from inspector.terminal.text import clean_line

    estimated = "" if found.verdict is Verdict.PROVED else fmt.ESTIMATE
    worst = found.worst
    severity = worst.severity.value if worst else ""
    words: Mapping[str, str] = {
        "session": found.session,
        "title": found.title,
        "tokens": fmt.short(found.tokens, mark=estimated),
        "threshold": fmt.short(found.threshold),
        "share": fmt.percent(found.share, mark=estimated),
        "today": fmt.money(found.today.known, mark=fmt.LOWER_BOUND if found.today.at_least else ""),
        "hit_rate": fmt.percent(found.hit_rate),
        "mark": _MARKS.get(severity, "●"),
        "rule": worst.rule if worst else "",
        "severity": severity,
        "worst": worst.sentence if worst else "no findings",
    }
    return {name: clean_line(word) for name, word in words.items()}
