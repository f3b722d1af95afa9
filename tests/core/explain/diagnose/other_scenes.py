"""A second cause for each rule that has but one scene elsewhere."""

from __future__ import annotations

from tests.core.explain.diagnose.scene import (
    AUX,
    LONG,
    Build,
    Scene,
    base,
    compacted,
    config,
    hygiene,
    line,
    plain,
    twice,
)
from tests.core.explain.diagnose.summary_scenes import last_word
from tests.core.explain.diagnose.thrash_scenes import rereads, took
from tests.core.explain.diagnose.trigger_scenes import ENGINE, called
from tests.core.explain.home import CONFIG, Home

WIDE = CONFIG.replace("64000", "200000")
LOWERED = (
    "Auxiliary compression model small has 20,000 token context, below the main model's compression "
    "threshold of 54,400 tokens — auto-lowered session threshold to 20,000 tokens for this session."
)
UNAVAILABLE = "Summary generation was unavailable. 21 message(s) were removed"
ORDERS = "[CONTEXT COMPACTION — REFERENCE ONLY] Go on and {} there.\n"


def share(value: float) -> str:
    return f"{WIDE}compression:\n  threshold: {value}\n"


def first_call(history: int) -> Build:
    """A large first prompt, of a conversation that begins or continues."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.turn(history=history)
        home.call(1, 60_000)
        home.talk(3)

    return build


def answered_by(*models: str) -> Build:
    def build(home: Home) -> None:
        plain(home)
        for number, model in enumerate(models, 2):
            home.line(
                f"API call #{number}: model={model} provider=custom in=900 out=6 total=906 latency=0.2s"
            )

    return build


def gateway(after: int) -> Build:
    def build(home: Home) -> None:
        hygiene(90, 60_000, done=False)(home)
        text = f"Session hygiene: compressed 90 → {after} msgs, ~60,000 → ~50,000 tokens"
        home.line(text, tag=None, logger="gateway.run")

    return build


def chain(summary: str) -> Build:
    """A rotation whose child opens with this summary."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(4)
        home.db.rotate("S", "C", 3, 4, summary)

    return build


def written_by(model: str) -> Build:
    def build(home: Home) -> None:
        base(home)
        home.call(6, 60_000)
        home.started(60_000, 28)
        home.line(f"Compression summary call dispatched: model={model} prompt_chars=9 prompt_build_ms=1")
        home.compact(summary=LONG)
        home.done(28, 8, 9_000)

    return build


def sized(characters: int) -> Build:
    return lambda home: compacted(home, summary="## Goal\n" + "ab " * (characters // 3))


def rotated_twice(head: int) -> Build:
    """The second rotation keeps so many rows of the first child's beginning, a summary the fourth of them."""

    def build(home: Home) -> None:
        chain(LONG)(home)
        home.talk(4, session="C")
        home.db.rotate("C", "D", head, 4, LONG * 2)

    return build


def asked(wish: str, summary: str) -> Build:
    """What a user asked for early, in the middle of what was summarised."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(2)
        home.db.message("S", "user", wish)
        home.db.message("S", "assistant", "fine")
        home.talk(4)
        home.compact(summary=summary)

    return build


ENDED = '{{"output":"no such host, or none that answers","exit_code":{}}}'


def shortened(original: str) -> Build:
    """A result whose stub says nothing of how it went."""

    def build(home: Home) -> None:
        home.db.session("S")
        home.talk(5)
        home.db.message("S", "user", "run it")
        home.db.message("S", "assistant", "", calls=[("f", "probe", "{}")])
        home.db.message("S", "tool", original, tool_call_id="f", tool_name="probe")
        home.db.message("S", "assistant", "hm")
        made = home.db.compact("S", 3, 4, LONG)
        home.stamp(made)
        home.db.mark([made[-2]], content="[probe] (40 chars result)")

    return build


def without_its_engine(home: Home) -> None:
    """Two compactions by Hermes' own engine, as the configured one could not be loaded."""
    twice(LONG, LONG * 2, speak=True)(home)
    home.line("Context engine 'lcm' not found — falling back to built-in compressor", level="WARNING")


def unread(home: Home) -> None:
    """What was read again was taken back."""
    rereads(True)(home)
    home.db.mark(home.db.live("S")[-20:], active=0)


WISH = "You must only deploy after asking me."

OTHER = (
    Scene("A1", plain, plain, hit_config=share(0.3), miss_config=share(0.8)),
    Scene("A7", line(LOWERED, tag=None), line(LOWERED, tag="T")),
    Scene("A1", plain, plain, hit_config=share(0.3), miss_config=share(0.3) + AUX.format(70_000)),
    Scene("A8", first_call(0), first_call(12)),
    Scene("A8", called(56_000), called(20_000)),
    Scene("A9", answered_by("other"), answered_by("mock-model")),
    Scene("A10", gateway(90), gateway(40)),
    Scene(
        "N1", plain, plain, hit_config=config(ENGINE), miss_config=config("context:\n  engine: compressor\n")
    ),
    Scene(
        "N1", plain, plain, "0.22", config("context:\n  engine: mine\n"), config("context:\n  engine: ''\n")
    ),
    Scene(
        "B1",
        line("Compaction did not clear the threshold: 56000 real tokens still >= 54400. Strike 1."),
        line("Compaction did not clear the threshold: 56000 real tokens still >= 54400. Strike 1.", tag="T"),
    ),
    Scene(
        "B5",
        line("Compression made no progress (session=S) — the transcript is what it was"),
        line("Compression made no progress (session=T) — the transcript is what it was", tag="T"),
    ),
    Scene(
        "B7",
        hygiene(5_100, 40_000, done=False, times=2),
        hygiene(5_100, 40_000, done=False),
    ),
    Scene("B8", rereads(True), unread),
    Scene("B9", took(130), took(50)),
    Scene("C1", chain(UNAVAILABLE), chain(LONG)),
    Scene(
        "C3",
        written_by("other"),
        written_by("small"),
        "0.22",
        config("auxiliary:\n  compression:\n    model: small\n"),
        config("auxiliary:\n  compression:\n    model: small\n"),
    ),
    Scene("C5", sized(66_000), sized(6_000)),
    Scene("C6", rotated_twice(4), rotated_twice(3)),
    Scene("C7", last_word(ORDERS.format("resume exactly from") + LONG), last_word(LONG)),
    Scene(
        "C8",
        twice(LONG, LONG * 2, speak=True),
        twice(LONG, LONG * 2, speak=True),
        miss_config=config(ENGINE),
    ),
    Scene(
        "C8",
        without_its_engine,
        twice(LONG, LONG * 2, speak=True),
        hit_config=config(ENGINE),
        miss_config=config(ENGINE),
    ),
    Scene(
        "C8",
        twice(LONG, LONG * 2, speak=True),
        twice(LONG, LONG * 2, speak=True),
        hit_config=config("context:\n  engine: inspector\n"),
        miss_config=config(ENGINE),
    ),
    Scene("C9", asked(WISH, LONG), asked(WISH, f"## Constraints\n{WISH}\n{LONG}")),
    Scene(
        "C10", asked("Look at src/core/engine_7.py", LONG), asked("Look at src/core/engine_7.py", UNAVAILABLE)
    ),
    Scene("C13", asked(WISH, f"{LONG}\n42 tests passed."), asked(WISH, f"{LONG}\n{WISH}")),
    Scene("C11", shortened(ENDED.format(2)), shortened(ENDED.format(0))),
)
