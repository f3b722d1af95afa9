"""What a preview comes to in one sentence: also where it changes nothing, little, or for the worse."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.summarise.base import GivenSummary
from core.explain.context.context import ConversationContext, open_context
from core.explain.events import explain
from core.hermes.config.in_force import EngineInCharge
from core.hermes.log.parse import parse_line
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings, Span
from core.model.compaction.preview import Fact, FactCount, Preview, Retention, Unsupported
from core.model.finding import MAX_HEADLINE_CHARS, Headline, Severity
from core.model.transcript.message import Message
from core.preview.foreseen import carry_out
from core.preview.headline import headline_of, limit_in_force, plan_headline
from core.preview.words import decided_elsewhere, kept_headline, though_another_decides
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG

POLICY = load_policy("0.19")
SETTINGS = Settings(window=200_000, threshold=0.75)
SHIP = "never touch released migrations"


def messages(count: int, words: int = 300) -> tuple[Message, ...]:
    roles = ("user", "assistant")
    return tuple(Message({"role": roles[n % 2], "content": f"{n} " + "word " * words}) for n in range(count))


def previewed(count: int, *, words: int = 300, middle: int | None = None, summary: str = "Done.") -> Preview:
    """A dry run; `middle` moves the cut so that so many messages after the first three are summarised."""
    measured = measure(messages(count, words), POLICY)
    cut = plan(measured, SETTINGS)
    if middle is not None:
        cut = replace(cut, head=Span(0, 3), middle=Span(3, 3 + middle), tail=Span(3 + middle, count))
    return carry_out(measured, cut, GivenSummary(summary, "edited"))


def retained(*facts: Fact, unsupported: tuple[Unsupported, ...] = ()) -> Retention:
    counts: dict[str, FactCount] = {}
    for fact in facts:
        here = counts.get(fact.category, FactCount(0, 0, 0))
        lost = fact.fate == "lost"
        counts[fact.category] = replace(here, kept=here.kept + (not lost), lost=here.lost + lost)
    return Retention(facts, counts, unsupported=unsupported)


def large(retention: Retention | None = None) -> Preview:
    return replace(previewed(300, words=900), retention=retention)


def test_it_says_how_many_messages_how_many_tokens_and_what_each_call_saves() -> None:
    made = large()
    told = headline_of(made, Decimal("0.42"))
    assert told.sentence.startswith(f"{made.plan.middle.size} of 300 messages become one summary: ")
    assert "→" in told.sentence
    assert "saves ~$0.42 a call" in told.sentence
    assert "saves ~$4.20 in 1,000 calls" in headline_of(made, Decimal("0.0042")).sentence
    assert "saves" not in headline_of(made, Decimal("0.00049")).sentence
    assert told.severity is None


def test_without_a_price_nothing_is_stated_about_money() -> None:
    assert "$" not in headline_of(large()).sentence


def test_the_gravest_loss_is_named_with_what_helps() -> None:
    kept = retained(Fact("asks", "port it", (3,), "kept"), Fact("constraints", SHIP, (4,), "lost"))
    told = headline_of(large(kept))
    assert told.severity is Severity.WARNING
    assert "Keeps 1 of 1 request, 0 of 1 rule you set." in told.sentence
    assert SHIP in str(told.remedy)
    assert "/compress" in str(told.remedy)


def test_what_is_lost_of_a_summary_that_keeps_all_that_counts_is_called_minor() -> None:
    kept = retained(Fact("asks", "port it", (3,), "kept"), Fact("commands", "ls", (3,), "lost"))
    whole, less = (headline_of(large(replace(kept, score=score))).sentence for score in (1.0, 0.99))
    assert whole.endswith("Keeps 1 of 1 request; loses 1 minor command.")
    assert less.endswith("Keeps 1 of 1 request; loses 1 command.")


def test_with_a_focus_it_says_what_is_kept_of_that_and_of_the_rest() -> None:
    kept = replace(
        retained(Fact("paths", "a.py", (3,), "lost")), focus=FactCount(3, 1, 0), rest=FactCount(2, 0, 5)
    )
    told = headline_of(replace(large(kept), focus="migrations"))
    assert told.sentence.endswith("Keeps 4 of 4 facts of “migrations”, 2 of 7 others.")
    assert "TOPIC" not in str(told.remedy)


def test_a_topic_that_no_fact_is_about_is_said_before_what_is_kept() -> None:
    kept = replace(
        retained(Fact("asks", "port it", (3,), "kept")), focus=FactCount(0, 0, 0), rest=FactCount(1, 0, 0)
    )
    told = headline_of(replace(large(kept), focus="docker"))
    assert told.sentence.endswith("No fact to summarise is about “docker”. Keeps 1 of 1 request.")
    assert "messages to be summarised mention" in str(told.remedy)


def test_a_preview_that_loses_half_of_the_facts_is_a_warning_as_a_compaction_that_did_is() -> None:
    commands = (Fact("commands", command, (3,), "kept") for command in ("ls", "pwd", "make"))
    kept = retained(Fact("commands", "pytest", (3,), "lost"), *commands)
    severities = [headline_of(large(replace(kept, score=score))).severity for score in (0.51, 0.5)]
    assert severities == [None, Severity.WARNING]


@pytest.mark.parametrize(("score", "severity"), [(0.8, Severity.INFO), (0.5, Severity.WARNING)])
def test_a_past_compaction_that_lost_a_rule_is_a_warning_only_with_half_of_what_matters(
    score: float, severity: Severity
) -> None:
    kept = retained(Fact("asks", "port it", (3,), "kept"), Fact("constraints", SHIP, (4,), "lost"))
    told = kept_headline(Headline("You ran /compress."), replace(kept, score=score))
    assert told.severity is severity
    assert "TOPIC" in str(told.remedy)


def test_of_very_few_facts_the_count_alone_is_told_and_is_no_warning() -> None:
    kept = replace(retained(Fact("commands", "pytest", (3,), "lost")), score=0.0)
    told = kept_headline(Headline("You ran /compress."), kept)
    assert told == Headline("You ran /compress. The summary lost 1 of 1 fact.", None, Severity.INFO)
    assert headline_of(large(kept)).severity is None


def test_a_claim_no_message_supports_goes_before_everything_else() -> None:
    claim = Unsupported("42 tests passed", "done", "All 42 tests passed")
    kept = retained(Fact("constraints", SHIP, (4,), "lost"), unsupported=(claim,))
    assert "42 tests passed" in str(headline_of(large(kept)).remedy)


def test_a_list_too_short_changes_nothing_and_says_why() -> None:
    told = headline_of(previewed(4))
    assert told.sentence.startswith("Nothing would change: 4 messages are too few")
    assert told.severity is Severity.INFO


def test_a_list_that_is_protected_whole_changes_nothing_and_says_why() -> None:
    found = headline_of(previewed(30, middle=0))
    head, tail = previewed(30, middle=0).plan.head.size, previewed(30, middle=0).plan.tail.size
    assert head + tail == 30
    assert found.sentence == (
        f"Nothing would change: all 30 messages are protected, {head} at the beginning and {tail} at the end."
    )
    assert "lower compression." in str(found.remedy)


def test_one_message_become_a_summary_is_stated_to_save_little_and_why() -> None:
    made = previewed(61, words=3_000, middle=1)
    assert len(made.after) == len(made.before)
    told = headline_of(made)
    assert told.sentence.startswith("Saves little because ")
    assert "one of 61 messages becomes a summary, and the list stays 61 long" in told.sentence
    assert told.severity is Severity.INFO


def test_a_summary_longer_than_what_it_replaces_is_not_a_saving() -> None:
    made = previewed(30, words=1, summary="word " * 400)
    assert made.after_tokens > made.before_tokens
    assert headline_of(made).sentence.startswith("Saves nothing")


@pytest.mark.parametrize(("tokens", "begins"), [(10, "Not due yet: "), (160_000, "Past the 150K limit")])
def test_a_plan_says_where_the_trigger_stands_and_what_would_be_cut(tokens: int, begins: str) -> None:
    settings = replace(SETTINGS, current_tokens=tokens)
    told = plan_headline(plan(measure(messages(300), POLICY), settings))
    assert told.sentence.startswith(begins)
    assert "/compress would" in told.sentence
    assert (told.severity is Severity.INFO) == bool(told.remedy) == begins.startswith("Past")


def test_a_plan_that_only_the_providers_count_sets_off_says_when() -> None:
    settings = replace(SETTINGS, current_tokens=160_000, expected_tokens=90_000)
    told = plan_headline(plan(measure(messages(300), POLICY), settings))
    assert "after the next answer that calls a tool" in told.sentence


def test_the_plan_of_a_generation_that_has_ended_tells_of_no_coming_compaction() -> None:
    settings = replace(SETTINGS, current_tokens=160_000)
    told = plan_headline(plan(measure(messages(300), POLICY), settings), ended="Generation 1 of 2")
    assert re.fullmatch(
        r"Generation 1 of 2 has ended, with 160K tokens. "
        r"A compaction by these settings would turn \d+ of its 300 messages into one summary\.",
        told.sentence,
    )
    assert (told.remedy, told.severity) == (None, None)
    few = plan_headline(plan(measure(messages(4), POLICY), settings), ended="Generation 1 of 2")
    assert few.sentence.endswith("A compaction by these settings would change nothing.")


def test_a_plan_below_the_limit_says_that_compression_is_switched_off() -> None:
    settings = replace(SETTINGS, current_tokens=10, enabled=False)
    told = plan_headline(plan(measure(messages(300), POLICY), settings))
    assert "(0.75 of 200K), and compression.enabled is false." in told.sentence
    near = plan_headline(plan(measure(messages(300), POLICY), replace(settings, current_tokens=149_000)))
    assert (near.remedy or "").startswith("Set compression.enabled: true")  # /compress refuses too


@pytest.mark.parametrize(("tokens", "near"), [(127_000, False), (128_000, True), (149_000, True)])
def test_from_85_percent_of_the_limit_a_plan_says_what_helps(tokens: int, near: bool) -> None:
    told = plan_headline(plan(measure(messages(300), POLICY), replace(SETTINGS, current_tokens=tokens)))
    assert (told.severity, bool(told.remedy)) == ((Severity.INFO, True) if near else (None, False))


def test_where_only_an_earlier_summary_is_old_enough_plan_and_preview_change_nothing() -> None:
    newest = load_policy("0.22")
    summary = Message({"role": "user", "content": "[CONTEXT SUMMARY]: ## Goal\nPort it."})
    measured = measure((summary, *messages(9, words=1_000)[1:]), newest)
    cut = plan(measured, Settings(window=64_000))
    assert (cut.middle, cut.spent) == (Span(0, 1), True)
    asked = GivenSummary("Nobody asks for this one.", "edited")
    made = carry_out(measured, cut, asked)
    assert (made.summary, made.feedback.noop) == (None, True)
    for told in (plan_headline(cut), headline_of(made)):
        assert re.search("change( nothing)?: only an earlier summary", told.sentence)


def test_where_another_engine_decides_a_preview_says_whose_cut_it_shows() -> None:
    told = Headline("22 of 36 messages become one summary: 69.1K → 15.1K tokens. Keeps 1 of 1 file.", "x")
    lcm, ours = (EngineInCharge(name, "config.yaml:13") for name in ("lcm", "inspector"))
    said = "'lcm' decides here; shown is what Hermes' own compressor would do. "
    assert though_another_decides(told, lcm).sentence == said + told.sentence
    long = replace(told, sentence=f"{told.sentence} {'Loses more. ' * 5}")
    short = f"{said}22 of 36 messages become one summary: 69.1K → 15.1K tokens."
    assert though_another_decides(long, lcm).sentence == short
    assert told == though_another_decides(told, ours) == though_another_decides(told, None)


def test_without_a_window_nobody_knows_when() -> None:
    told = plan_headline(plan(measure(messages(30), POLICY), Settings(window=None)))
    assert "not known" in told.sentence
    assert told.severity is Severity.WARNING


def test_without_a_window_a_preview_says_so_and_not_that_all_is_protected() -> None:
    measured = measure(messages(30), POLICY)
    cut = plan(measured, Settings(window=None))
    told = headline_of(carry_out(measured, cut, GivenSummary("Done.", "edited")))
    assert told.sentence == "Nothing would change: without the model's context window, nothing can be cut."
    assert (told.remedy, told.severity) == ("Set model.context_length in config.yaml.", Severity.WARNING)
    assert "protected" not in plan_headline(cut).sentence
    assert "--window" not in " ".join(cut.blocked_by), "it is also read where there is no command line"


FACTS = st.builds(
    Fact,
    st.sampled_from(["asks", "constraints", "paths", "commands", "errors", "state", "unheard of"]),
    st.text(min_size=1, max_size=400),
    st.just((3,)),
    st.sampled_from(["kept", "paraphrased", "lost"]),
)
LARGE = large()


@given(st.lists(FACTS, max_size=40), st.none() | st.decimals(0, 100, places=6))
def test_no_sentence_is_longer_than_two_lines(facts: list[Fact], saves: Decimal | None) -> None:
    told = headline_of(replace(LARGE, retention=retained(*facts)), saves)
    assert 0 < len(told.sentence) <= MAX_HEADLINE_CHARS
    assert told.sentence.endswith(".")


def test_of_no_message_a_plan_says_that_there_is_none() -> None:
    assert plan_headline(plan(measure((), POLICY), SETTINGS)).sentence.startswith("No message yet")


@pytest.mark.parametrize(
    ("lost", "ends"), [(1, ", 1 of 3 requests among them."), (0, "lost 1 of 4 facts, 10% of what matters.")]
)
def test_requests_are_named_among_the_losses_only_if_one_is_lost(lost: int, ends: str) -> None:
    asks = FactCount(3 - lost, 0, lost)
    kept = Retention((), {"asks": asks, "paths": FactCount(0, 0, 1)}, score=0.9)
    assert kept_headline(Headline("You ran /compress.", None), kept).sentence.endswith(ends)


def test_a_compaction_whose_refusal_will_come_again_also_says_what_was_lost() -> None:
    kept = Retention((), {"paths": FactCount(1, 0, 3)}, score=0.77)
    again = Headline("Compressed because the provider refused it.", "Use another model.", Severity.WARNING)
    told = kept_headline(again, kept)
    assert told == replace(
        again, sentence=f"{again.sentence} The summary lost 3 of 4 facts, 23% of what matters."
    )
    failed = replace(again, severity=Severity.CRITICAL)
    assert kept_headline(failed, kept) == failed


def test_where_facts_cannot_be_counted_in_the_room_their_weight_is_told() -> None:
    kept = Retention((), {"paths": FactCount(3, 0, 1)}, score=0.9)
    for length, ends in ((130, "The summary lost 10% of what matters."), (140, "Lost: 10% of what matters.")):
        said = kept_headline(Headline("x" * length, None), kept).sentence
        assert said.endswith(f"x {ends}")
        assert len(said) <= MAX_HEADLINE_CHARS


@pytest.mark.parametrize("at", ["at 20:07:17", "on 2026-11-21 at 20:07:17"])
def test_what_was_lost_is_told_also_beside_a_long_time(at: str) -> None:
    kept = Retention((), {"paths": FactCount(1, 0, 3)}, score=0.78)
    cause = f"Compressed {at} before a model call: the request (~153K) had passed the 150K limit"
    said = f"{cause} (0.75 of 200K). 206 → 52 messages, 153K → 41.1K tokens."
    told = kept_headline(Headline(said, None), kept).sentence
    assert told.startswith(cause)
    assert "153K → 41.1K tokens. " in told
    assert told.endswith("22% of what matters.")
    assert len(told) <= MAX_HEADLINE_CHARS


def test_a_plan_says_whether_another_engine_fires_once_it_named_its_limit() -> None:
    fired = "Preflight compression: ~32,787 tokens >= 32,000 threshold (model m, ctx 64,000)"
    line = parse_line(f"2026-11-22 16:14:10,000 INFO agent.conversation_loop: {fired}", "agent.log:63")
    assert line is not None
    engine = EngineInCharge("lcm", "config.yaml:13", line)
    cut = plan(measure(messages(300), POLICY), Settings(window=64_000))
    past = decided_elsewhere(engine, replace(cut, compared_tokens=33_000)).sentence
    assert past.startswith("Past the 32K limit (0.50 of 64K) of the context engine 'lcm', which decides here")
    left = decided_elsewhere(engine, replace(cut, compared_tokens=30_000)).sentence
    assert left.startswith("Not due yet: 2.0K tokens below the 32K limit")
    asked = cast("ConversationContext", SimpleNamespace(engine=engine))
    assert limit_in_force(cut, asked) == 32_000
    silent = cast("ConversationContext", SimpleNamespace(engine=replace(engine, line=None)))
    assert limit_in_force(cut, silent) is None, "Hermes' own limit is not that of an engine that named none"
    own = cast("ConversationContext", SimpleNamespace(engine=EngineInCharge("inspector", "config.yaml:13")))
    assert limit_in_force(cut, own) == 54_400, "this program's engine follows the rules of Hermes"
    ours = cast("ConversationContext", SimpleNamespace(engine=None))
    assert limit_in_force(cut, ours) == limit_in_force(replace(cut, engine="lcm"), asked) == 54_400


@pytest.mark.parametrize(("folder", "helps"), [("lcm", "with --engine lcm"), ("other", "not in this home")])
def test_an_engine_is_advised_by_its_name_only_where_the_home_has_it(
    tmp_path: Path, folder: str, helps: str
) -> None:
    code = tmp_path / "plugins" / folder / "__init__.py"
    code.parent.mkdir(parents=True)
    code.write_text("from agent.context_engine import ContextEngine")
    store = SimpleNamespace(location=SimpleNamespace(home=tmp_path))
    here = SimpleNamespace(
        engine=EngineInCharge("lcm", "config.yaml:13"),
        store=store,
        log=SimpleNamespace(records=()),
        sessions=(),
    )
    told = plan_headline(plan(measure(messages(9), POLICY), SETTINGS), cast("ConversationContext", here))
    assert helps in str(told.remedy)


def test_where_this_program_s_own_engine_decides_the_plan_is_what_it_would_do(make_home: MakeHome) -> None:
    home = make_home(config=CONFIG + "context:\n  engine: inspector\n")
    home.db.session("S")
    home.turn(history=24)
    cut = plan(measure(messages(30), POLICY), SETTINGS)
    with home.store() as store:
        told = plan_headline(cut, open_context(store, "S"))
    assert "/compress would turn" in told.sentence
    own = EngineInCharge("inspector", "config.yaml:13")
    assert own.note("0.22").endswith("it follows the rules of the compressor of Hermes 0.22")
    assert decided_elsewhere(own, cut).remedy is None, "it cannot be asked with --engine"


@pytest.mark.parametrize("engine", ["", "context:\n  engine: lcm\n"])
@pytest.mark.parametrize(
    "error", ["HTTP 429: Rate limit reached", "HTTP 529: Overloaded", "Connection error"]
)
def test_a_plan_tells_that_the_newest_turn_got_no_answer_until_one_comes(
    make_home: MakeHome, error: str, engine: str
) -> None:
    home = make_home(config=CONFIG + engine)
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    home.refused(error)
    cut = plan(measure(messages(30), POLICY), SETTINGS)
    with home.store() as store:
        told, why = plan_headline(cut, open_context(store, "S")), explain(store, "S").headline
    assert told.sentence.startswith("The newest turn got no answer: ")
    assert told.sentence[:60] == why.sentence[:60]
    assert (told.remedy, told.severity) == (why.remedy, Severity.WARNING)
    assert len(told.sentence) <= MAX_HEADLINE_CHARS
    home.call(1, 21_000)
    with home.store() as store:
        assert "no answer" not in plan_headline(cut, open_context(store, "S")).sentence
