"""What comes first on a screen: a sentence, and what helps."""

from __future__ import annotations

import pytest

from core.model.finding import Headline, Severity
from inspector.widgets.bars.answer_and_keys import AnswerBar
from tests.inspector.widgets.alone import Alone


async def shown(told: Headline, width: int) -> list[str]:
    async with (app := Alone(AnswerBar())).run_test(size=(width, 12)) as pilot:
        app.widget.answer = told
        await pilot.pause()
        return app.lines()


@pytest.mark.parametrize(
    ("severity", "sign", "word"),
    [
        (Severity.CRITICAL, "■", "Fix:"),
        (Severity.WARNING, "▲", "Fix:"),
        (Severity.INFO, "•", "What helps:"),
        (None, "●", "What helps:"),
    ],
)
async def test_only_what_is_wrong_is_fixed(severity: Severity | None, sign: str, word: str) -> None:
    lines = await shown(Headline("It is so.", "Do that.", severity), 60)
    assert lines == [f" {sign} It is so.", f"   {word} Do that."]


async def test_without_colours_what_is_wrong_is_as_bright_as_what_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with (app := Alone(AnswerBar())).run_test(size=(60, 12)) as pilot:
        app.widget.answer = Headline("It is so.", "Do that.", Severity.CRITICAL)
        await pilot.pause()
        inks = [
            segment.style.color
            for y in (0, 1)
            for segment in app.widget.render_line(y)
            if segment.style and segment.text.strip(" ■")
        ]
    assert len(inks) == 2
    assert inks[0] == inks[1]


async def test_what_helps_stays_complete_in_a_narrow_terminal() -> None:
    helps = (
        "Leave prompt_caching.cache_ttl at 5m: the other would have cost $0.62 more over all of these calls."
    )
    lines = await shown(Headline("It is so.", helps), 60)
    assert "".join(lines).endswith("calls.")


async def test_a_command_with_a_long_path_is_wrapped_and_not_cut() -> None:
    command = f"hermes-inspector --home /{'a' * 90} recall 20261121_200924_4e0b71 WORDS finds it."
    helps = f"Run /compress again. What was replaced is not lost: {command}"
    lines = await shown(Headline("It is so.", helps), 60)
    assert "".join(line.strip() for line in lines).endswith("WORDS finds it.")


async def test_wide_characters_are_never_cut_in_half() -> None:
    lines = await shown(Headline("周末去杭州的行程" * 4 + ".", None), 21)
    assert "".join(line.strip() for line in lines).replace("● ", "").startswith("周末去杭州的行程周末")
    assert all(len(line) <= 21 for line in lines)


async def test_an_answer_that_arrives_while_styles_are_applied_is_shown_whole() -> None:
    async with (app := Alone(AnswerBar())).run_test(size=(40, 10)) as pilot:
        assert app.widget.size.height == 1
        app.widget._layout_required = True  # as Textual leaves it when it resets styles
        app.widget.answer = Headline("Compression failed: the key was refused. " * 2, "Set the key.")
        await pilot.pause()
        await pilot.pause()
        assert app.lines()[-1].strip() == "What helps: Set the key."
