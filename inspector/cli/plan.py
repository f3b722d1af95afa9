"""Nothing is sent and nothing is written. With --messages no database is needed.

Numbers not given come from the home's config.yaml, the session and its log, then from the release's defaults.
"""

from __future__ import annotations

import argparse
from typing import Any

from core.model.plan import Plan
from inspector.cli import jsonio, options, output


def payload(value: Plan) -> dict[str, Any]:
    """A plan as the command line promises it."""
    return {
        "release": value.release,
        "group": value.group,
        "window": value.window,
        "threshold_percent": value.threshold_percent,
        "threshold_tokens": value.threshold_tokens,
        "tail_budget": value.tail_budget,
        "soft_ceiling": value.soft_ceiling,
        "summary_cap": value.summary_cap,
        "summary_budget": value.summary_budget,
        "estimated_tokens": value.estimated_tokens,
        "compared_tokens": value.compared_tokens,
        "messages": value.messages,
        "pruned": value.pruned,
        "pruned_at": list(value.pruned_at),
        "head": jsonio.span(value.head),
        "middle": jsonio.span(value.middle),
        "tail": jsonio.span(value.tail),
        "would_fire": value.would_fire,
        "blocked_by": list(value.blocked_by),
        "arithmetic": list(value.arithmetic),
        "warm": value.settings.warm,
    }
