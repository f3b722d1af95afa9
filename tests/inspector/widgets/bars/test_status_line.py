"""The banner: whole sentences, as many lines as they take, and nothing when there is nothing to say."""

from __future__ import annotations

from inspector.terminal.line import Palette
from inspector.widgets.bars.status_line import MAX_LINES, Banner
from tests.hostile import HOSTILE, harmful
from tests.inspector.driving import at_sizes
from tests.inspector.widgets.alone import Alone

LONG = "/home/somebody/.hermes/profiles/research/state.db: not a SQLite database. Restore it from a backup"


async def test_the_remedy_is_there_at_any_width() -> None:
    async with (app := Alone(Banner())).run_test() as pilot:
        app.widget.say(LONG)
        async for width in at_sizes(pilot, (40, 24), (60, 24), (80, 24)):
            assert len(app.lines()) > 1
            assert max(map(len, app.lines())) <= width
            assert "Restore it from a backup" in " ".join(" ".join(app.lines()).split())
        app.widget.say("")
        await pilot.pause()
        assert app.lines() == []


async def test_a_wide_screen_needs_one_line() -> None:
    async with (app := Alone(Banner())).run_test(size=(120, 24)) as pilot:
        app.widget.say(LONG)
        await pilot.pause()
        assert [line.strip() for line in app.lines()] == [f"▲ {LONG}"]


async def test_more_than_fits_ends_with_a_sign() -> None:
    async with (app := Alone(Banner())).run_test(size=(40, 24)) as pilot:
        app.widget.say(LONG * 5)
        await pilot.pause()
        assert len(app.lines()) == MAX_LINES
        assert app.lines()[-1].rstrip().endswith("…")


async def test_what_is_good_to_know_has_the_sign_and_colour_of_information() -> None:
    async with (app := Alone(Banner())).run_test(size=(120, 24)) as pilot:
        app.widget.say("", known="'lcm' decides here")
        await pilot.pause()
        assert [line.strip() for line in app.lines()] == ["• 'lcm' decides here"]
        info = Palette(app.theme_variables).style("severity-info").color
        drawn = [one for one in app.widget.render_line(0) if one.text.strip()]
        assert {one.style and one.style.color for one in drawn} == {info}


async def test_what_is_good_to_know_stands_above_a_warning_each_with_its_sign() -> None:
    async with (app := Alone(Banner())).run_test(size=(120, 24)) as pilot:
        app.widget.say(LONG, known="'lcm' decides here")
        await pilot.pause()
        assert [line.strip() for line in app.lines()] == ["• 'lcm' decides here", f"▲ {LONG}"]


async def test_hostile_text_reaches_no_terminal() -> None:
    async with (app := Alone(Banner())).run_test(size=(60, 24)) as pilot:
        for text in HOSTILE.values():
            app.widget.say(text, known=text)
            await pilot.pause()
            assert not harmful("\n".join(app.lines()))
