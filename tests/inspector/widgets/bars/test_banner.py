"""The banner: whole sentences, as many lines as they take, and nothing when there is nothing to say."""

from __future__ import annotations

from textual.app import App, ComposeResult

from inspector.terminal.palette import shipped, textual_theme
from inspector.widgets.bars.banner import MOST_LINES, Banner
from tests.hostile import HOSTILE, harmful
from tests.inspector.driving import at_sizes
from themes.loader import DEFAULT

LONG = "/home/somebody/.hermes/profiles/research/state.db: not a SQLite database. Restore it from a backup"


class Bannered(App[None]):
    def __init__(self) -> None:
        super().__init__()
        for found in shipped():
            self.register_theme(textual_theme(found))
        self.theme = DEFAULT

    def compose(self) -> ComposeResult:
        yield Banner()

    @property
    def lines(self) -> list[str]:
        banner = self.query_one(Banner)
        return [banner.render_line(y).text for y in range(banner.size.height)] if banner.display else []


async def test_the_remedy_is_there_at_any_width() -> None:
    app = Bannered()
    async with app.run_test() as pilot:
        app.query_one(Banner).say(LONG)
        async for width in at_sizes(pilot, (40, 24), (60, 24), (80, 24)):
            assert len(app.lines) > 1
            assert {len(line) for line in app.lines} == {width}
            assert "Restore it from a backup" in " ".join(" ".join(app.lines).split())
        app.query_one(Banner).say("")
        await pilot.pause()
        assert app.lines == []


async def test_a_wide_screen_needs_one_line() -> None:
    app = Bannered()
    async with app.run_test(size=(120, 24)) as pilot:
        app.query_one(Banner).say(LONG)
        await pilot.pause()
        assert [line.strip() for line in app.lines] == [f"▲ {LONG}"]


async def test_more_than_fits_ends_with_a_sign() -> None:
    app = Bannered()
    async with app.run_test(size=(40, 24)) as pilot:
        app.query_one(Banner).say(LONG * 5)
        await pilot.pause()
        assert len(app.lines) == MOST_LINES
        assert app.lines[-1].rstrip().endswith("…")


async def test_hostile_text_reaches_no_terminal() -> None:
    app = Bannered()
    async with app.run_test(size=(60, 24)) as pilot:
        for text in HOSTILE.values():
            app.query_one(Banner).say(text)
            await pilot.pause()
            assert not harmful("\n".join(app.lines))
