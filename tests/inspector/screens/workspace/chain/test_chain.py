from __future__ import annotations

import re
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from core.model.accounting.amounts import Buckets, Cost
from core.model.transcript.conversation import Chain, ChainNode, Generation
from core.model.transcript.session import Kind, Session
from core.store.database.locate import Location
from inspector.screens.workspace.chain.card import card_lines
from inspector.screens.workspace.chain.list_view import _figures, columns, tree_lines
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.views import generation_words
from inspector.terminal.line import Palette
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import MakeApp
from tests.inspector.driving import at_sizes, front, settled
from tests.inspector.screens.conftest import drawn, open_app, press, seen
from tests.own_settings import write_own_settings


def priced(name: str) -> Session:
    """A session of ten tokens that cost a dollar."""
    tokens = Buckets(input=8, cache_read=0, cache_write=0, output=2)
    return Session(name, Path("x.db"), tokens=tokens, estimated_cost=Cost(Decimal(1)))


def chain(*depths: int) -> Chain:
    nodes = [
        ChainNode(priced(str(place)), Kind.CONTINUATION if depth else Kind.MAIN, None, depth)
        for place, depth in enumerate(depths)
    ]
    return Chain("0", "0", "0", "", tuple(nodes))


def test_the_tree_is_drawn_with_its_branches() -> None:
    guides = [line.guides for line in tree_lines(chain(0, 1, 2, 2, 1, 2), ["0"], {})]
    assert guides == ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "]


def test_a_long_line_of_continuations_keeps_room_for_names_and_is_drawn_at_once() -> None:
    began = time.perf_counter()
    lines = tree_lines(chain(*range(1_000)), ["0"], {})
    assert time.perf_counter() - began < 2
    assert [len(line.guides) for line in lines] == [0, 3, 6, *[9] * 997]
    assert (lines[-2].guides[-3:], lines[-1].guides[-3:]) == ("├─ ", "└─ ")


def test_the_conversation_and_the_place_of_resume_are_marked() -> None:
    rows = tree_lines(chain(0, 1), ["1"], {})
    assert [line.own for line in rows] == [False, True]
    assert [line.resumed for line in rows] == [True, False]


def test_what_is_called_like_its_parent_is_distinguished_by_its_id() -> None:
    family = chain(0, 1, 1)
    nodes = (family.nodes[0], *(replace(node, parent_id="0") for node in family.nodes[1:]))
    rows = tree_lines(
        replace(family, nodes=nodes), ["0"], {"0": "Port it", "1": "Port it", "2": "Look it up"}
    )
    assert [line.name for line in rows] == ["Port it", "1", "Look it up"]


def test_what_a_session_cost_with_everything_below_it_counts_each_session_once() -> None:
    costs = [line.below for line in tree_lines(chain(0, 1, 2, 2, 1), ["0"], {})]
    assert costs == ["$5.00", "$3.00", "", "", ""]


def test_a_session_without_a_price_makes_the_sum_a_lower_bound() -> None:
    priced, unpriced = chain(0, 1).nodes
    silent = replace(unpriced, session=replace(unpriced.session, estimated_cost=Cost()))
    rows = tree_lines(replace(chain(0, 1), nodes=(priced, silent)), ["0"], {})
    assert rows[0].below == "≥$1.00"


@pytest.mark.parametrize(("url", "said"), [("http://localhost:8000/v1", "nothing"), ("https://x.org", "–")])
def test_servers_of_ones_own_cost_nothing_together_too(url: str, said: str) -> None:
    free = [
        replace(node, session=replace(node.session, estimated_cost=Cost(), base_url=url))
        for node in chain(0, 1).nodes
    ]
    family = replace(chain(0, 1), nodes=tuple(free))
    rows = tree_lines(family, ["0"], {})
    figures = _figures(rows[0])
    assert (figures["cost"], figures["with below"]) == (said, said)
    card = "".join(line.text for line in card_lines(family, rows[0], rows, None, 140, Palette({})))
    assert f"together  {said} · 20 tokens including the 1 session below it" in card


@pytest.mark.parametrize(
    ("url", "said"), [("http://localhost:8000/v1", "$1.00"), ("https://x.org", "≥$1.00")]
)
def test_what_ran_on_a_server_of_ones_own_leaves_no_doubt_about_the_sum(url: str, said: str) -> None:
    paid_for, child = chain(0, 1).nodes
    own = replace(child.session, estimated_cost=Cost(), base_url=url)
    family = replace(chain(0, 1), nodes=(paid_for, replace(child, session=own, lower_bound=True)))
    rows = tree_lines(family, ["0"], {})
    assert rows[0].below == said
    card = "".join(line.text for line in card_lines(family, rows[0], rows, None, 140, Palette({})))
    assert f"together  {said} · ≥20 tokens" in card


def test_tokens_of_which_some_are_missing_are_marked_on_the_card_as_in_their_row() -> None:
    family = chain(0, 1)
    family = replace(family, nodes=tuple(replace(node, lower_bound=True) for node in family.nodes))
    rows = tree_lines(family, ["0"], {})
    assert _figures(rows[0])["tokens"] == "≥10"
    card = "".join(line.text for line in card_lines(family, rows[0], rows, None, 140, Palette({})))
    assert "≥10 = ≥8 uncached + – cache read + – cache write + ≥2 output" in card
    assert "· ≥20 tokens including the 1 session below it" in card


@pytest.mark.parametrize("width", range(20, 200, 9))
def test_the_columns_leave_the_tree_room(width: int) -> None:
    used = sum(cells + 2 for _, cells in columns(width))
    assert not columns(width) or width - used >= 34


async def test_a_family_shows_what_each_session_is_and_by_what_it_goes_without_a_title(
    samples: Location,
) -> None:
    text = await seen(open_app(samples, "Pick a job queue", "chain"), (120, 30))
    assert "4 sessions, never compacted; /resume opens Pick a job queue." in text
    assert text.count("↳ sub-agent") == 2
    assert "├ branch" in text
    assert "├─ Read the docs of Procrastinate and list limits" in text
    assert "◀ /resume opens this" in text


async def test_the_session_under_the_cursor_is_reported_in_full(samples: Location) -> None:
    async with settled(open_app(samples, "Pick a job queue", "chain"), 80, 24) as pilot:
        assert "$0.092 · 72,035 tokens including the 3 sessions below it" in drawn(pilot)
        await press(pilot, "j")
        text = drawn(pilot)
        assert "a sub-agent of Pick a job queue" in text
        assert "together" not in text


async def test_when_a_session_began_is_told_whole_on_a_clock_of_twelve_hours(samples: Location) -> None:
    write_own_settings("formats: {time: 12h}\n")
    async with settled(open_app(samples, "Pick a job queue", "chain"), 320, 40) as pilot:
        rows = [line for line in drawn(pilot).splitlines() if "sub-agent  " in line]
        assert len(rows) > 1
        assert all(re.search(r"20\d\d-\d\d-\d\d \d+:\d\d[ap]m ", row) for row in rows), rows


async def test_enter_opens_the_conversation_of_a_relative(samples: Location) -> None:
    async with settled(app := open_app(samples, "Pick a job queue", "chain"), 120, 30) as pilot:
        before = app.screen
        await press(pilot, "G", "enter")
        after = front(app, WorkspaceScreen)
        assert after is not before
        assert after.query_one("TitleBar").heading == "Pick a job queue, if we had Redis"  # type: ignore[attr-defined]


async def test_a_generation_is_told_in_fewer_words_where_it_would_be_cut(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "chain"), 80, 24) as pilot:
        assert re.search(r"· generation 2 · [\d-]+ [\d:]+ · 15 new · 50 carried over *\n", drawn(pilot))
        async for _ in at_sizes(pilot, (60, 20), (46, 20)):
            assert re.search(r"· generation 2 .*\b15 new\b[^…]*\n", drawn(pilot))


async def test_it_fits(samples: Location) -> None:
    app = open_app(samples, "Port the parser to Rust #3", "chain")
    async with app.run_test() as pilot:
        async for width in at_sizes(pilot, (60, 20), (80, 24), (160, 50)):
            assert "3 sessions" in drawn(pilot)
            assert all(len(line) == width for line in drawn(pilot).splitlines())


async def test_the_card_adds_what_summaries_cost_and_offers_no_generation_none_shows(
    samples: Location,
) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "chain"), 120, 40) as pilot:
        assert " tokens with 1 call for compression" in drawn(pilot)
        assert "[ older" not in drawn(pilot)
        await press(pilot, "1")
        assert "[ older" in drawn(pilot)


async def test_the_generations_inside_a_session_are_lines_below_it(samples: Location) -> None:
    shown = await seen(open_app(samples, "Webhooks are delivered twice", "chain"), (160, 40))
    assert "One session, 1 compaction, nothing branched off; /resume opens it." in shown
    assert "· generation 1 · 236 new messages" in shown
    assert " · compacted in place · 140 new messages · 29 carried over" in shown


async def test_enter_on_a_generation_shows_it_in_the_map(samples: Location) -> None:
    async with settled(open_app(samples, "Webhooks are delivered twice", "chain"), 120, 40) as pilot:
        await press(pilot, "j")
        assert "the beginning of the conversation" in drawn(pilot)
        await press(pilot, "enter")
        assert "generation 1 of 2" in drawn(pilot)
        assert "1[Map]" in drawn(pilot)


def test_a_session_with_one_generation_has_no_lines_below_it() -> None:
    one = Generation(1, "0", (1, 2))
    assert len(tree_lines(chain(0), ["0"], {}, (one,))) == 1
    assert [line.name for line in tree_lines(chain(0), ["0"], {}, (one, replace(one, index=2)))] == [
        "0",
        "generation 1 · 2 new messages",
        "generation 2 · 2 new messages",
    ]


def test_one_new_message_is_one() -> None:
    assert generation_words(Generation(3, "0", (1,))) == "1 new message"


async def test_what_a_session_with_summaries_cost_is_stated_once(samples: Location) -> None:
    shown = await seen(open_app(samples, "Webhooks are delivered twice", "chain"), (120, 40))
    (line,) = (row for row in shown.splitlines() if row.startswith((" cost", "cost")))
    assert "with 1 call for compression" in line


async def test_a_server_of_ones_own_costs_nothing_as_why_says_of_its_compaction(samples: Location) -> None:
    shown = await seen(open_app(samples, "Sort the photo archive", "chain"), (120, 40))
    assert "nothing: no provider bills a server of your own · 520,066 tokens with 1 call" in shown
    async with settled(open_app(samples, "Sort the photo archive", "chain"), 120, 60) as pilot:
        await press(pilot, "equals_sign")
        assert "recorded cost of Sort the photo archive: nothing" in drawn(pilot)


@pytest.mark.parametrize(
    ("title", "size", "curve"),
    [
        ("Webhooks are delivered twice", (200, 60), True),
        ("Webhooks are delivered twice", (80, 24), False),
        ("Pick a job queue", (200, 60), False),
    ],
)
async def test_a_session_alone_shows_its_requests_where_there_is_room(
    samples: Location, title: str, size: tuple[int, int], curve: bool
) -> None:
    text = await seen(open_app(samples, title, "chain"), size)
    assert ("prompt tokens of" in text) is curve


async def test_a_generation_says_what_its_compaction_lost_and_has_the_curve_next_to_it(
    samples: Location,
) -> None:
    app = open_app(samples, "Webhooks are delivered twice", "chain")
    async with settled(app, 200, 60) as pilot:
        await press(pilot, "j", "j")
        shown = " ".join(" ".join(line[134:].split()) for line in drawn(pilot).splitlines())
        assert "Generation 2 Compressed before your message" in shown
        assert re.search(r"[Ll]ost:? .*\d\d% of what matters\.", shown)
        assert "missing “Never retry refunds automatically" in shown
        curve, card = app.screen.query_one("ChainView CurveChart"), app.screen.query_one("ChainView #card")
        assert curve.region.height > 40
        assert curve.region.right <= card.region.x


async def test_a_session_that_continues_another_describes_the_compaction_it_began_with(
    samples: Location,
) -> None:
    shown = await seen(open_app(samples, "Port the parser to Rust #3", "chain"), (80, 24))
    told = " ".join(shown.split())
    assert re.search(r"Compressed at [\d:]+ before your message: the request \(~99\.4K\) had passed", told)
    assert re.search(r"lost      .*\d\d% of what matters", shown)


async def test_the_session_that_resume_opens_is_marked_next_to_a_name_that_is_cut(
    app: MakeApp, database: SessionDatabase
) -> None:
    database.session("s", title="Why the importer of the bank statements rounds half a cent up")
    database.message("s", "user", "Why?")
    shown = await seen(app(database.path.parent, session="s", view="chain"), (80, 24))
    (row,) = (line for line in shown.splitlines() if " main " in line)
    assert "… ◀ " in row


async def test_the_bars_of_a_family_say_what_their_colours_are_while_a_session_is_read_out(
    samples: Location,
) -> None:
    shown = await seen(open_app(samples, "Pick a job queue", "chain"), (120, 40))
    assert "Pick a job queue · 28.1K tokens  ■ cache read" in shown
