"""Old results shortened without a summary (compression.proactive_prune_tokens): a pruning, no compaction."""

from __future__ import annotations

from core.explain.headline.chain import chain_headline
from core.explain.headline.rewritten import counted, engine_of_family
from core.explain.prompt_cache import conversation_cache
from core.model.compaction.event import Trigger, tally
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, explained


def _pruned(make_home: MakeHome) -> Home:
    """One compaction, then a pruning between two calls, after which nothing comes from the cache."""
    home = make_home("0.22", f"{CONFIG}compression:\n  proactive_prune_tokens: 15000\n")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.started(54_828, before=28)
    home.compact()
    home.done(28, 8, 4_000)
    home.db.turn("S", "more")
    _called(home, 2, 30_000, cached=0)
    _called(home, 3, 33_000, cached=29_000)
    home.db.turn("S", "and more")
    live = home.db.live("S")
    home.db.mark(live, active=0, compacted=1)
    for row in live:
        home.db.copy(row)
    _called(home, 4, 32_000, cached=2_000)
    return home


def _called(home: Home, number: int, tokens: int, *, cached: int) -> None:
    text = f"API call #{number}: model=m provider=custom in={tokens} out=10 total={tokens + 10} latency=1.0s"
    home.line(f"{text} cache={cached}/{tokens} ({cached * 100 // tokens}%)")


def test_list_chain_and_explanation_count_one_compaction(make_home: MakeHome) -> None:
    home = _pruned(make_home)
    events = explained(home).events
    with home.store() as store:
        (listed,) = store.thread_generation_counts(["S"])
        chain = store.chain("S")
    assert [event.trigger is Trigger.PRUNE for event in events] == [False, True]
    assert tally(events) == (1, 1, 0)
    assert (listed.compactions, listed.generations, chain.compactions) == (1, 3, 1)


def test_a_cache_lost_behind_it_was_lost_by_it(make_home: MakeHome) -> None:
    home = _pruned(make_home)
    with home.store() as store:
        (found,) = conversation_cache(store, "S").breaks
    assert found.cause == "messages_rewritten"
    assert "proactive_prune_tokens" in found.evidence[-1].text


def set_aside(home: Home) -> list[int]:
    """The rows of a short conversation, all marked as compacted."""
    home.db.session("S")
    home.turn()
    home.talk(4)
    live = home.db.live("S")
    home.db.mark(live, active=0, compacted=1)
    return live


def test_a_pruning_before_any_compaction_is_told_as_that(make_home: MakeHome) -> None:
    home = make_home("0.22", f"{CONFIG}compression:\n  proactive_prune_tokens: 15000\n")
    for row in set_aside(home):
        home.db.copy(row)
    (event,) = explained(home).events
    assert event.trigger is Trigger.PRUNE
    assert "shortened" in event.headline.sentence
    assert event.headline.remedy is None


def test_a_row_that_an_engine_wrote_anew_makes_no_compaction_of_it(make_home: MakeHome) -> None:
    home = make_home("0.22")
    live = set_aside(home)
    for row in live:
        anew = {"content": "asked once more", "message_uid": "f" * 32} if row == live[-4] else {}
        home.db.copy(row, **anew)
    with home.store() as store:
        (listed,) = store.thread_generation_counts(["S"])
        chain = store.chain("S")
    assert tally(explained(home).events) == (0, 1, 0)
    assert (listed.compactions, chain.compactions) == (0, 0)


def test_why_and_chain_name_the_engine_that_rewrote_without_a_summary(make_home: MakeHome) -> None:
    home = make_home("0.22", f"{CONFIG}context:\n  engine: lcm\n")
    live = set_aside(home)
    for row in live:
        home.db.copy(row, **({"content": "…", "message_uid": "f" * 32} if row == live[-4] else {}))
    why = explained(home)
    with home.store() as store:
        chain = store.chain("S")
        told = chain_headline(chain, engine_of_family(store, chain)).sentence
    words = "1 rewrite by the engine lcm without a summary"
    assert counted(why) == ("0 compactions", words, "")
    assert told == f"One session, never compacted, {words}, nothing branched off; /resume opens it."
    (event,) = why.events
    assert event.headline.sentence.startswith("The engine lcm rewrote the conversation without a summary: 1")


def test_a_pruning_of_hermes_is_counted_as_one_in_chain_and_why(make_home: MakeHome) -> None:
    home = _pruned(make_home)
    with home.store() as store:
        chain = store.chain("S")
        told = chain_headline(chain, engine_of_family(store, chain)).sentence
    assert "1 compaction, 1 pruning, " in told
    assert counted(explained(home)) == ("1 compaction", "1 pruning", "")
