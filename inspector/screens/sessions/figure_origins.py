"""Where the figures beside a row of the session list come from."""

from __future__ import annotations

from core.model.accounting.ledger import Term
from core.model.accounting.usage import Origin
from inspector.base.figure_origins import FigureOrigin
from inspector.screens.sessions.data.session_line import Extra


def measured(extra: Extra) -> tuple[FigureOrigin, ...]:
    """What was computed beside a row of the list: its pressure and its generations."""
    size, window = extra.pressure.tokens, extra.pressure.window
    terms = (Term("prompt", size), Term("window", window)) if size is not None and window else ()
    shares = "prompt tokens / window; the mark is at the threshold"
    return (
        FigureOrigin(
            Origin("context used", size, "what the next request would carry, as the release estimates it")
        ),
        FigureOrigin(Origin("share of the window", extra.pressure.share, shares, terms)),
        FigureOrigin(
            Origin("threshold", extra.pressure.threshold, "as configured today; the map shows its arithmetic")
        ),
        FigureOrigin(Origin("compressions", extra.compressions, "completed ones, as rows and log show them")),
    )
