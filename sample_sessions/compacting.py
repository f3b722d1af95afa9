"""How a scenario's compactions leave the database and the log, in the forms Hermes 0.19 and 0.22 write."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from importlib import resources
from typing import TYPE_CHECKING

from sample_sessions.cast import Row, Usage
from sample_sessions.sizes import estimate, provider_tokens

if TYPE_CHECKING:
    from sample_sessions.play import Player
    from sample_sessions.scenario import Compaction

END_MARKER = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_PRIOR = (
    "[PRIOR CONTEXT — for reference only; not a new message]\n{old}\n\n"
    "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n"
)
_FAILED = "Failed to generate context summary: {}. Further summary attempts paused for 60 seconds."
_ANNOUNCED = {
    "preflight": (
        "agent.turn_context",
        "Preflight compression: ~{n:,} tokens >= {h:,} threshold (model {model}, ctx {c:,})",
    ),
    "pre_api": (
        "agent.conversation_loop",
        "Pre-API compression: ~{n:,} request tokens >= {h:,} threshold (context={c:,}, attempt=1/3)",
    ),
    "hygiene": (
        "gateway.run",
        "Session hygiene: {count} messages, ~{n:,} tokens (actual) — auto-compressing "
        "(threshold: 85% of {c:,} = {g:,} tokens)",
    ),
}


def threshold(window: int) -> int:
    """Where Hermes 0.19 compresses with its default settings: 75 % below 512,000, never under 64,000."""
    share = 0.75 if window < 512_000 else 0.5
    tokens = max(int(window * share), 64_000)
    return tokens if tokens < window else max(1, min(int(window * 0.85), window - 1))


def compact(player: Player, spec: Compaction) -> None:
    """Plays one compaction: what is announced, what is written, what it costs.

    Raises:
        ValueError: The scenario says an automatic trigger fired below the threshold.
    """
    session = player.session
    if spec.user:
        player.user(spec.user)
    before = session.live
    tokens = player.rough()
    _announce(player, spec, tokens, len(before))
    if spec.trigger == "manual":
        tokens = estimate(before)
    manual = spec.trigger in ("manual", "hygiene")
    focus = repr(spec.focus) if spec.focus else "None"
    player.log(
        "agent.conversation_compression",
        f"context compression started: session={session.id} messages={len(before)} tokens=~{tokens:,} "
        f"model={session.model.name} focus={focus}",
        tagged=not manual,
    )
    if spec.status == "aborted":
        _abort(player, spec)
        return
    summary = _summarise(player, spec, before)
    after = _assemble(player, spec, before, summary)
    _commit(player, spec, after)
    player.log(
        "agent.conversation_compression",
        f"context compression done: session={player.session.id} messages={len(before)}->{len(after)} "
        f"rough_tokens=~{player.rough():,} awaiting_real_usage=true",
        tagged=not manual,
    )
    player.forget_cache(player.base)


def _announce(player: Player, spec: Compaction, tokens: int, count: int) -> None:
    if spec.trigger not in _ANNOUNCED:
        return
    model = player.session.model
    limit = threshold(model.window)
    if spec.trigger != "hygiene" and tokens < limit:
        raise ValueError(f"{player.seed}: {spec.trigger} cannot fire at {tokens:,} of {limit:,} tokens")
    logger, text = _ANNOUNCED[spec.trigger]
    gate = int(model.window * 0.85)
    n = player.prompt if spec.trigger == "hygiene" else tokens
    player.log(logger, text.format(n=n, h=limit, c=model.window, g=gate, model=model.name, count=count))


def _abort(player: Player, spec: Compaction) -> None:
    player.now += timedelta(seconds=spec.seconds)
    player.log(
        "agent.context_compressor",
        _FAILED.format(spec.reason),
        level="WARNING",
    )
    player.log(
        "agent.context_compressor", "Summary generation failed — aborting compression", level="WARNING"
    )
    player.session.guards["compression_failure_cooldown_until"] = player.now.timestamp() + 60
    player.session.guards["compression_failure_error"] = spec.reason


def _summarise(player: Player, spec: Compaction, before: list[Row]) -> str:
    """The text of the summary row; a model's costs money and is accounted as an auxiliary task."""
    dropped = len(before) - spec.head - spec.keep
    player.now += timedelta(seconds=spec.seconds)
    if spec.status == "fallback":
        player.log(
            "agent.context_compressor",
            _FAILED.format(spec.reason),
            level="WARNING",
        )
        player.log(
            "agent.context_compressor",
            "Summary generation failed — inserting deterministic fallback context marker",
            level="WARNING",
        )
        streak = player.session.guards.get("compression_fallback_streak", 0)
        player.session.guards["compression_fallback_streak"] = streak + 1
        body = _fallback(spec, before, dropped)
    else:
        middle = before[spec.head : len(before) - spec.keep]
        _pay(player, spec, middle)
        body = spec.summary.rstrip()
    return f"{_prefix(player)}\n{body}\n\n{END_MARKER}"


def _pay(player: Player, spec: Compaction, middle: list[Row]) -> None:
    model = player.models[spec.summariser] if spec.summariser else player.session.model
    prompt = sum(min(row.tokens, 1700) for row in middle) + 900
    output = provider_tokens(spec.summary, model.chars)
    player.log(
        "agent.auxiliary_client",
        f"Auxiliary compression: using {model.provider} ({model.name}) at {model.url}/",
        tagged=spec.trigger not in ("manual", "hygiene"),
    )
    if spec.trigger not in ("manual", "hygiene"):  # outside a turn Hermes records no auxiliary usage
        usage = Usage(player.now, model, prompt, 0, 0, output, 0, task="compression")
        player.session.usages.append(usage)


def _fallback(spec: Compaction, before: list[Row], dropped: int) -> str:
    asks = [str(row.content)[:600] for row in before[spec.head :] if row.role == "user"]
    tools = [row.tool_name for row in before[spec.head : len(before) - spec.keep] if row.tool_name]
    done = "\n".join(f"{i}. Called tool(s): {name}" for i, name in enumerate(tools[:12], 1))
    return (
        f"## Historical Task Snapshot\nUser asked: {asks[-1] if asks else 'unknown'!r}\n\n"
        f"## Completed Actions\n{done}\n\n"
        "## Critical Context\nRecovered from a deterministic fallback: Summary generation was unavailable. "
        f"This is a best-effort deterministic fallback for {dropped} compacted message(s).\n"
        f"Summary failure reason: {spec.reason}"
    )


def _assemble(player: Player, spec: Compaction, before: list[Row], summary: str) -> list[Row]:
    """The new live rows; where roles clash the summary joins the first row of the tail."""
    head = [replace(row) for row in before[: spec.head]]
    tail = [replace(row) for row in before[len(before) - spec.keep :]]
    left = head[-1].role if head else "user"
    right = tail[0].role if tail else "user"
    role = "user" if left in ("assistant", "tool") else "assistant"
    if not any(row.role == "user" for row in (*head, *tail)):
        role = "user"
    if role == right:
        flipped = "assistant" if role == "user" else "user"
        if flipped == left:
            old = tail[0]
            text = _PRIOR.format(old=old.content) + summary
            tail[0] = replace(old, content=text, tokens=old.tokens + _weigh(player, summary), summary=True)
            return [*head, *tail]
        role = flipped
    row = Row(role, summary, player.now, player.new_uid(), _weigh(player, summary), summary=True)
    return [*head, row, *tail]


def _commit(player: Player, spec: Compaction, after: list[Row]) -> None:
    """In place the old rows are archived; a rotation leaves them and opens a child.

    The row of the turn that is just beginning is written with the new rows only.
    """
    if spec.user:
        player.session.rows.pop()
    if spec.mode == "rotation":
        player.rotate().rows = after
        return
    carried = {row.uid for row in after}
    for row in player.session.live:
        row.active = False
        # From 0.22 a row that lives on as a copy is superseded, not archived; earlier stores archive all.
        row.compacted = not (player.edition.uids and row.uid in carried)
    player.session.rows += after


def _weigh(player: Player, text: str) -> int:
    return provider_tokens(text, player.session.model.chars)


def _prefix(player: Player) -> str:
    import yaml

    text = (resources.files("sample_sessions") / "markers.yaml").read_text("utf-8")
    prefixes: dict[str, str] = yaml.load(text, yaml.CSafeLoader)
    return " ".join(prefixes[player.edition.release].split())
