from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.transcript.session import Kind
from core.store.lineage.lineage import MAX_CHAIN, Lineage, Link, markers_of
from core.store.store import Store
from tests.core.store.database import SessionDatabase
from tests.timing import seconds

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def lineage(*links: Link, tests_start: bool = False, newest: dict[str, float] | None = None) -> Lineage:
    times = newest or {}
    return Lineage(
        links={link.id: link for link in links},
        tests_start=tests_start,
        last_message=times.get,
        has_messages=lambda one: one in times,
        descends=not tests_start,
    )


def ended(name: str, reason: str = "compression", **more: Any) -> Link:
    return Link(name, started_at=1.0, ended_at=10.0, end_reason=reason, **more)


def test_a_child_of_a_compressed_session_continues_it() -> None:
    family = lineage(ended("a"), Link("b", "a", 11.0))
    assert family.kind("b") is Kind.CONTINUATION
    assert family.path("a") == family.path("b") == ("a", "b")


def test_a_chain_of_a_thousand_sessions_is_walked_from_every_one_of_them_at_once() -> None:
    family = lineage(Link("0"), *(Link(str(at), str(at - 1), at * 20.0) for at in range(1, 1000)))
    family = lineage(*(link._replace(end_reason="compression") for link in family.links.values()))
    paths = [family.path(one) for one in family.links]
    written = seconds(lambda: [tuple(str(at) for at in range(len(path))) for path in paths])
    # Looking each step up in a list took 36 times as long as writing the paths down.
    assert seconds(lambda: [family.path(one) for one in family.links]) < 10 * written
    assert paths[0] == tuple(str(at) for at in range(MAX_CHAIN + 1))
    assert paths[-1] == tuple(str(at) for at in range(1000))


def test_up_to_0_17_a_continuation_starts_after_its_parent_ended() -> None:
    links = (ended("a"), Link("early", "a", 5.0), Link("late", "a", 12.0))
    old, new = lineage(*links, tests_start=True), lineage(*links)
    assert old.kind("early") is Kind.DELEGATE
    assert old.tip("a") == "late"
    assert new.kind("early") is Kind.CONTINUATION


def test_a_marker_makes_a_branch_or_a_delegate() -> None:
    family = lineage(
        ended("a"),
        Link("b", "a", 11.0, markers={"_branched_from": "a"}),
        Link("d", "a", 11.0, markers={"_delegate_from": "a"}),
        Link("o", "a", 11.0, markers={"_delegate_from": "__orphaned__"}),
        Link("t", "a", 11.0, source="tool"),
        Link("c", "a", 11.0),
    )
    kinds = {one: family.kind(one) for one in "bdotc"}
    assert kinds == {
        "b": Kind.BRANCH,
        "d": Kind.DELEGATE,
        "o": Kind.DELEGATE,
        "t": Kind.DELEGATE,
        "c": Kind.CONTINUATION,
    }


def test_a_marker_a_continuation_inherited_does_not_count() -> None:
    family = lineage(
        Link("a", started_at=1.0),
        Link("b", "a", 2.0, 9.0, "compression", markers={"_branched_from": "a"}),
        Link("c", "b", 10.0, markers={"_branched_from": "a"}),
    )
    assert family.kind("b") is Kind.BRANCH
    assert family.kind("c") is Kind.CONTINUATION
    assert family.path("c") == ("b", "c")


def test_a_session_begun_after_a_reset_is_its_own() -> None:
    family = lineage(ended("a", "session_reset"), Link("b", "a", 11.0))
    assert family.kind("b") is Kind.MAIN


def test_a_child_of_a_living_session_is_a_delegate() -> None:
    assert lineage(Link("a", started_at=1.0), Link("b", "a", 2.0)).kind("b") is Kind.DELEGATE


@pytest.mark.parametrize("reason", ["compression", "cli_close"])
def test_up_to_0_17_a_branch_whose_parent_went_on_is_known_by_its_title(reason: str) -> None:
    """Run with 0.14.0: `/branch side`, then `/resume` of the session before it."""
    links = (ended("a", reason), Link("side", "a", 5.0, titled=True), Link("sub", "a", 6.0))
    family = lineage(*links, tests_start=True)
    assert (family.kind("side"), family.kind("sub")) == (Kind.BRANCH, Kind.DELEGATE)


def test_a_legacy_branch_is_reported_by_how_its_parent_ended() -> None:
    assert lineage(ended("a", "branched"), Link("b", "a", 11.0)).kind("b") is Kind.BRANCH


def test_a_fork_is_decided_as_hermes_decides_it() -> None:
    compressed = Link("x", "a", 11.0, 20.0, "compression")
    open_one = Link("y", "a", 12.0)
    closed = Link("z", "a", 13.0, 14.0, "ws_orphan_reap")
    assert lineage(ended("a"), compressed, open_one, closed).successors("a")[0].id == "x"
    assert lineage(ended("a"), open_one, closed).successors("a")[0].id == "y"
    newest = {"p": 50.0, "q": 40.0}
    rivals = (Link("p", "a", 11.0), Link("q", "a", 12.0))
    family = lineage(ended("a"), *rivals, newest=newest)
    assert family.tip("a") == "p"
    assert "newest message" in family.resume("a")[1]


def test_up_to_0_17_the_child_started_last_wins() -> None:
    family = lineage(ended("a"), Link("p", "a", 11.0), Link("q", "a", 12.0), tests_start=True)
    assert family.tip("a") == "q"
    assert "started last" in (family.why_preferred("a") or "")


def test_resume_continues_to_the_descendant_that_holds_messages() -> None:
    family = lineage(Link("a", started_at=1.0), Link("b", "a", 2.0), newest={"b": 3.0})
    assert family.resume("a")[0] == "b"


def test_resume_never_lands_in_a_marked_child() -> None:
    child = Link("b", "a", 2.0, markers={"_delegate_from": "a"})
    assert lineage(Link("a", started_at=1.0), child, newest={"a": 1.0, "b": 3.0}).resume("a")[0] == "a"


def test_a_lost_parent_makes_an_orphan_and_no_error() -> None:
    family = lineage(Link("b", "gone", 2.0))
    assert family.orphan("b")
    assert family.path("b") == ("b",)


def test_circles_are_cut() -> None:
    family = lineage(
        Link("a", "c", 1.0, 2.0, "compression"),
        Link("b", "a", 3.0, 4.0, "compression"),
        Link("c", "b", 5.0, 6.0, "compression"),
        Link("self", "self", 1.0),
    )
    assert family.cycle("a")
    assert sorted(family.path("a")) == ["a", "b", "c"]
    assert family.path("self") == ("self",)
    assert {link.id for link, _ in family.family("b")} == {"a", "b", "c"}


@pytest.mark.parametrize("config", [None, 7, b"x", "", "not json _from", "[1]", '{"_branched_from": null}'])
def test_a_config_that_is_not_an_object_holds_no_markers(config: object) -> None:
    assert markers_of(config) == {}


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_every_walk_ends_and_stays_inside(data: st.DataObject) -> None:
    names = [f"s{number}" for number in range(data.draw(st.integers(1, 12)))]
    reasons = st.sampled_from([None, "compression", "branched", "session_reset"])
    links = [
        Link(
            name,
            data.draw(st.sampled_from([None, "gone", *names])),
            data.draw(st.floats(0, 9)),
            data.draw(st.none() | st.floats(0, 9)),
            data.draw(reasons),
        )
        for name in names
    ]
    family = lineage(*links, tests_start=data.draw(st.booleans()))
    for name in names:
        path = family.path(name)
        assert name in path
        assert len(set(path)) == len(path)
        assert family.resume(name)[0] in names
        assert name in {link.id for link, _ in family.family(name)} or family.cycle(name)


def test_the_chain_shows_the_whole_family(make: Make, opened: Opened) -> None:
    database = make()
    database.session("a", title="work")
    database.turn("a", "1")
    database.turn("a", "2")
    database.rotate("a", "b", 1, 2, "so far")
    database.turn("b", "3")
    database.session("side", parent_session_id="b", model_config='{"_branched_from": "b"}')
    database.session("helper", parent_session_id="a", model_config='{"_delegate_from": "a"}')
    database.session("lost", parent_session_id="never")
    chain = opened(database).chain("a")
    assert (chain.root, chain.tip, chain.resume_target) == ("a", "b", "b")
    assert {(node.session.id, node.kind.value, node.depth) for node in chain.nodes} == {
        ("a", "main", 0),
        ("b", "continuation", 1),
        ("side", "branch", 2),
        ("helper", "delegate", 1),
    }
    assert {node.session.id: node.generations for node in chain.nodes}["a"] == 1
    assert opened(database).chain("lost").nodes[0].orphan


def test_the_chain_names_a_dead_end_and_a_fork(make: Make, opened: Opened) -> None:
    database = make()
    database.session("dead", ended_at=database.tick(), end_reason="compression")
    assert "no session continues it" in opened(database).chain("dead").findings[0]
    database.session("one", parent_session_id="dead")
    database.session("two", parent_session_id="dead")
    findings = opened(database).chain("dead").findings
    assert any("continued 2 times" in finding for finding in findings)
