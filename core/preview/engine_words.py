"""What another engine than Hermes' own compressor would do, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.model.finding import Headline, Severity
from core.support.amounts import limit, plural, short

if TYPE_CHECKING:
    from core.model.compaction.plan import Plan
    from core.model.compaction.preview import Preview


def engine_plan(plan: Plan) -> Headline:
    """When an engine fires, by its own words, and how much of the conversation it would replace."""
    replaces = f"/compress would replace {plan.middle.size:,} of {plan.messages:,} messages."
    if not plan.middle.size:
        replaces = f"/compress would change nothing: it keeps all {plural(plan.messages, 'message')}."
    vain = plan.would_fire and not plan.middle.size
    severity = Severity.WARNING if vain else None
    return Headline(f"{_fires(plan)} {replaces}", None, severity)


def _fires(plan: Plan) -> str:
    name, would = f"the engine {plan.engine}", "fires" if plan.would_fire else "does not fire"
    if plan.threshold_tokens is None:
        return (
            f"T{name[1:]} {would} at {short(plan.compared_tokens)} tokens; it does not say from how many on."
        )
    over = limit(plan.threshold_tokens, plan.window)
    left = plan.threshold_tokens - plan.compared_tokens
    if plan.would_fire and left <= 0:
        return f"Past the {over}: {name} fires before the next model call."
    if left > 0 and not plan.would_fire:
        return f"Not due yet: {short(left)} tokens below the {over} of {name}."
    return f"{'Past' if left <= 0 else 'Below'} the {over}, but {name} {would}."


def left_alone(made: Preview) -> Headline:
    """An engine that gave the list back."""
    messages = plural(len(made.before), "message")
    return Headline(f"Nothing would change: the engine {made.plan.engine} keeps the {messages} as they are.")


def dropped(made: Preview) -> str:
    """An engine that took messages away and wrote nothing."""
    gone = len(made.before) - len(made.after)
    return (
        f"The engine {made.plan.engine} drops {gone:,} of {plural(len(made.before), 'message')} and writes "
        "nothing in their place"
    )
