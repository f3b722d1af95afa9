"""What `/compress` would do, or did, in one sentence, for app, command line and JSON."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from core.compress.retention.words import is_grave, most_important_loss
from core.compress.sizing.threshold import DISABLED, ENABLE, past_blocks
from core.explain.compactions.refusals import refused_first, refuses_before_due
from core.explain.events import unanswered_turn
from core.explain.explanation import comes_next, refuses_beyond
from core.explain.headline.mend import mend_first
from core.model.finding import COMPRESS_NOW, MAX_HEADLINE_CHARS, Headline, Severity, shortened
from core.preview.room import makes_room
from core.preview.words import (
    after_loss,
    becomes,
    broken_engine,
    decided_elsewhere,
    dropped,
    ended_plan,
    engine_plan,
    facts_sentence,
    headline_table,
    is_found,
    is_unmatched,
    left_alone,
    sizes,
    though_another_decides,
)
from core.redact.quick_check import masked
from core.support.formatting import NEAR_LIMIT, limit, plural, short

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext
    from core.hermes.config.in_force import EngineInCharge
    from core.model.compaction.plan import Plan
    from core.model.compaction.preview import Preview, Retention
    from core.preview.comparison import Comparison

_QUOTE = 60
_LITTLE = 0.10
"""A compaction saves little below this share of the tokens."""
_MOSTLY = 0.7
"""From this share of the tokens on, the protected parts are the reason that little is saved."""


def headline_of(
    preview: Preview,
    saves: Decimal | None = None,
    failing: str | None = None,
    in_charge: EngineInCharge | None = None,
) -> Headline:
    """The result of a preview in one sentence; what else is given is that of `Comparison`."""
    told = _result(preview, saves)
    told = mend_first(told, failing) if failing else told
    return told if preview.plan.engine else though_another_decides(told, in_charge)


def _result(preview: Preview, saves: Decimal | None) -> Headline:
    if preview.plan.fails_at is not None:
        return _fails(preview.plan)
    if preview.summary_index is None and not preview.plan.engine:
        return _unchanged(preview)
    if preview.summary_index is None and len(preview.after) == len(preview.before):
        return left_alone(preview)
    if preview.failure is not None:
        return _placeholder(preview)
    size = len(preview.before), len(preview.after)
    written = preview.summary_index is not None
    told = _outcome(
        becomes(preview.plan.middle.size, *size) if written else dropped(preview),
        (preview.before_tokens, preview.after_tokens),
        preview.retention,
        saves,
        _protected(preview.plan),
        preview.focus,
    )
    saves_little = told.remedy == headline_table()["remedies"]["little"]
    return replace(told, remedy=_room(preview, "little")) if saves_little else told


def _fails(plan: Plan) -> Headline:
    """The release fails with an error, whatever is asked of it."""
    said = headline_table()["fails"].format(release=plan.release, place=plan.fails_at)
    return Headline(said, headline_table()["remedies"]["fails"], Severity.CRITICAL)


def comparison_headline(shown: Comparison) -> Headline:
    """The result of a comparison in one sentence; for one that happened, what it kept."""
    if shown.broken:
        return broken_engine(shown.engine, f"its list has {'; '.join(shown.broken)}")
    if shown.made is not None:
        return headline_of(shown.made, shown.saves, shown.failing, shown.in_charge)
    tokens = None if any(shown.incomplete) else (shown.before_tokens, shown.after_tokens)
    cut = becomes(shown.middle.size, len(shown.before), len(shown.after), past=shown.real)
    headline = _outcome(cut, tokens, shown.retention, None)
    return replace(headline, remedy=after_loss(shown.retention) if shown.real else None)


def plan_headline(plan: Plan, context: ConversationContext | None = None, ended: str = "") -> Headline:
    """How far the next compaction is, and what one would cut now.

    `context` tells of another engine in charge, of a provider that refuses first, and of a newest turn that
    got no answer, which goes before all that is no warning. `ended` names a generation that has ended.
    """
    if ended:
        return ended_plan(plan, ended)
    if plan.engine:
        return engine_plan(plan)
    told = _next(plan, context, _cut(plan))
    is_grave = told.severity in (Severity.WARNING, Severity.CRITICAL)
    failed = None if context is None or is_grave else unanswered_turn(context)
    if failed is None:
        return told
    return replace(failed, sentence=_fit(failed.sentence, _next(plan, context, "").sentence))


def _cut(plan: Plan) -> str:
    """What /compress would do."""
    if not plan.summarises:
        return f"/compress would change nothing: {_reason_kept(plan)}."
    return f"/compress would turn {plan.middle.size:,} of {plan.messages:,} messages into one summary."


def _next(plan: Plan, context: ConversationContext | None, cut: str) -> Headline:
    """When the next compaction comes, by whoever decides on it; `cut` is what /compress would do."""
    engine = context.engine if context else None
    if context and engine and not engine.cuts_as_planned(plan.threshold_tokens):
        return decided_elsewhere(engine, plan, is_found=is_found(engine.name, context))
    if plan.fails_at is not None:
        return _fails(plan)
    if not plan.messages:
        return Headline("No message yet: there is nothing to compress.")
    if context and (said := refused_first(context, plan.compared_tokens, plan.threshold_tokens, plan.window)):
        return replace(said, sentence=_fit(said.sentence, cut))
    told = _by_own_rules(plan, cut)
    error = context.conversation.tip.guards.failure_error if context else None
    return mend_first(told, error) if error else told


def refused_before(plan: Plan, context: ConversationContext) -> str:
    """That the provider refuses before the threshold that a plan shows, in a few words; "" otherwise."""
    other = plan.engine or context.engine is not None
    most = None if other else refuses_before_due(context, plan.compared_tokens, plan.threshold_tokens)
    return "" if most is None else refuses_beyond(f"{most:,}")


def limit_in_force(plan: Plan, context: ConversationContext) -> int | None:
    """The threshold that counts: the plan's, or that of another engine in charge; None if that names none."""
    by_rules = plan.threshold_tokens
    return by_rules if plan.engine or context.engine is None else context.engine.limit(by_rules)


def _by_own_rules(plan: Plan, cut: str) -> Headline:
    """The same as far as Hermes knows; `cut` is what /compress would do."""
    if plan.threshold_tokens is None:
        sentence = "The context window is not known, so it is unknown when it will be compressed."
        return Headline(sentence, headline_table()["remedies"]["window"], Severity.WARNING)
    over = limit(plan.threshold_tokens, plan.window)
    if plan.would_fire:
        due = _fit(comes_next(over, later=plan.settings.counted_only(plan.threshold_tokens)), cut)
        return Headline(due, COMPRESS_NOW, Severity.INFO)
    left = plan.threshold_tokens - plan.compared_tokens
    if left > 0:
        near = plan.summarises and plan.compared_tokens >= NEAR_LIMIT * plan.threshold_tokens
        off, helps = ("", COMPRESS_NOW) if plan.settings.enabled else (f", and {DISABLED}", ENABLE)
        sentence = _fit(f"Not due yet: {short(left)} tokens below the {over}{off}.", cut)
        return Headline(sentence, helps, Severity.INFO) if near else Headline(sentence)
    why = plan.blocked_by[0].rstrip(".") if plan.blocked_by else "there is nothing to summarise"
    remedy = past_blocks(plan.blocked_by) if plan.summarises else headline_table()["remedies"]["wait"]
    return Headline(_fit(f"Past the {over}, but not compressed: {why}.", cut), remedy, Severity.WARNING)


def _unchanged(preview: Preview) -> Headline:
    table, plan, count = headline_table(), preview.plan, len(preview.before)
    why = _why_unchanged(preview)
    sentence = table["unchanged"][why].format(
        messages=plural(count, "message", "messages"),
        spent=table["spent"],
        first=plan.head.size or plan.settings.protect_first,
        head=plan.head.size,
        tail=plan.tail.size,
        reason=_short_reason(preview.failure),
    )
    failed = why in ("aborted", "refused", "window")
    remedy = _room(preview, why) if why in ("protected", "spent") else table["remedies"][why]
    return Headline(f"{sentence}.", remedy, Severity.WARNING if failed else Severity.INFO)


def _room(preview: Preview, remedy: str) -> str:
    """Advice to lower what protects too much; to wait, if no setting would help."""
    remedies = headline_table()["remedies"]
    if preview.plan.engine:
        return str(remedies["wait"])
    settings = makes_room(preview.before, preview.plan)
    return str(remedies[remedy].format(settings=settings) if settings else remedies["no_room"])


def _why_unchanged(preview: Preview) -> str:
    plan = preview.plan
    if not preview.before:
        return "none"
    if plan.window is None and not plan.engine:
        return "window"
    if preview.feedback.aborted:
        return "aborted"
    if plan.too_short or plan.head.size + plan.tail.size > len(preview.before):
        return "short"
    if plan.spent:
        return "spent"
    if not plan.middle.size:
        return "protected"
    return "refused" if preview.summary is not None else "other"


def _reason_kept(plan: Plan) -> str:
    if plan.spent:
        return str(headline_table()["spent"])
    messages = plural(plan.messages, "message", "messages")
    if plan.too_short or plan.head.size + plan.tail.size != plan.messages:
        return f"{messages} are too few"
    return f"all {messages} are protected ({plan.head.size} at the beginning, {plan.tail.size} at the end)"


def _placeholder(preview: Preview) -> Headline:
    table = headline_table()
    removed = plural(preview.plan.middle.size, "message", "messages")
    sentence = table["placeholder"].format(reason=_short_reason(preview.failure), removed=removed)
    return Headline(f"{sentence}.", table["remedies"]["placeholder"], Severity.WARNING)


def _outcome(
    cut: str,
    tokens: tuple[int, int] | None,
    kept: Retention | None,
    saves: Decimal | None,
    protected: float = 0.0,
    focus: str | None = None,
) -> Headline:
    """Cut, sizes, money and facts, followed by what helps most."""
    saved = _saved(tokens)
    little = saved is not None and saved < _LITTLE
    sentence = f"{cut}{'' if tokens is None else sizes(tokens, saves)}."
    if little:
        became = f"{sentence[:1].lower()}{sentence[1:]}".replace(": ", ", ", 1)  # one colon a sentence
        sentence = f"{_why_little(tokens, protected)}: {became}"
    return Headline(_fit(sentence, *facts_sentence(kept, focus)), *_remedy(kept, focus, little=little))


def _remedy(kept: Retention | None, focus: str | None, *, little: bool) -> tuple[str | None, Severity | None]:
    """What helps most, and how grave it is that help is needed."""
    remedies, loss = headline_table()["remedies"], most_important_loss(kept)
    if kept is not None and kept.unfounded:
        return remedies["unsupported"].format(quote=_quoted(kept.unfounded[0].value)), Severity.WARNING
    if loss is not None:
        return remedies["grave"].format(quote=_quoted(loss.value)), Severity.WARNING
    if is_unmatched(kept, focus):
        return remedies["unmatched"], Severity.INFO
    if little:
        return remedies["little"], Severity.INFO
    if kept is None:
        return None, None
    remedy = remedies["focused" if focus else "focus"] if kept.lost else None
    return remedy, Severity.WARNING if is_grave(kept) else None


def _why_little(tokens: tuple[int, int] | None, protected: float) -> str:
    words = headline_table()["little"]
    if tokens is not None and tokens[1] > tokens[0]:
        return str(words["grows"])
    why = words["protected" if protected >= _MOSTLY else "long"]
    return str(why.format(share=f"{min(protected, 0.99):.0%}"))


def _protected(plan: Plan) -> float:
    """Share of the tokens before and after what is summarised."""
    total = sum(plan.estimates)
    return 1 - plan.middle_tokens / total if total else 0.0


def _saved(tokens: tuple[int, int] | None) -> float | None:
    return None if tokens is None or not tokens[0] else 1 - tokens[1] / tokens[0]


def _quoted(text: str) -> str:
    return f"“{shortened(' '.join(text.split()), _QUOTE)}”"


def _short_reason(reason: str | None) -> str:
    return shortened(" ".join(masked(reason or "no reason given").split()).rstrip("."), _QUOTE)


def _fit(sentence: str, *more: str) -> str:
    """A sentence with the first of several endings that fits."""
    ends = (f"{sentence} {end}".rstrip() for end in more)
    return next((text for text in ends if len(text) <= MAX_HEADLINE_CHARS), sentence)
