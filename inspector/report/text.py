"""The report of a conversation as text, with credentials and the names of home directories masked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio
from inspector.report import document

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.store.store import Store


_HOMES = re.compile(r"(?<![\w/])(?:/home|/Users|[A-Za-z]:\\+Users)[/\\]+[^/\\\s\"'`:]+")
"""A path names its owner there."""


def report_text(store: Store, session: Session, form: str) -> str:
    """The report of a conversation as `json`, `html` or, whatever else is asked for, Markdown."""
    found = masked(document.document(store, session))
    if form == "json":
        return jsonio.dumps(found, indent=2) + "\n"
    return document.html(found) if form == "html" else document.markdown(found)


def masked(value: Any) -> Any:
    """The same value with credentials masked in every text, and the names of people's home directories."""
    from core.redact.text import redact_text

    if isinstance(value, str):
        return _HOMES.sub("~", redact_text(value))
    if isinstance(value, dict):
        return {key: masked(one) for key, one in value.items()}
    return [masked(one) for one in value] if isinstance(value, list | tuple) else value
