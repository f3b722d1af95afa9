from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.terminal.text import cell_len, clean, clean_line, clean_lines, content, crop, fit
from tests.hostile import HOSTILE, harmful
from tests.timing import assert_linear

any_text = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_harmful_character_passes(text: str) -> None:
    assert harmful(clean(text)) - {"\t"} == set()
    assert harmful(clean_line(text)) == set()


def test_what_is_taken_out_is_shown_instead() -> None:
    assert clean("\x1b[31mred\x7f") == "␛[31mred␡"
    assert clean("file\u202egpj.exe") == "file\\u202egpj.exe"
    assert clean("\x9b31m") == "\\x9b31m"
    assert clean("\U000e0041") == "\\U000e0041"


def test_text_without_anything_to_hide_is_the_same_object() -> None:
    text = "def login(user):\n\treturn user"
    assert clean(text) is text


def test_newlines_and_emoji_stay_complete() -> None:
    family = "👨‍👩‍👧"
    assert clean(f"a\r\nb\t{family}") == f"a\nb\t{family}"


def test_a_pile_of_marks_is_cut_to_four() -> None:
    assert clean("z" + "\u0301" * 40) == "z" + "\u0301" * 4


def test_a_line_has_no_line_breaks_and_single_blanks() -> None:
    assert clean_line(" a\n\n  b\tc ") == " a b c "


@given(any_text)
@settings(max_examples=200, deadline=None)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_line(clean_line(text)) == clean_line(text)


@given(any_text, st.integers(0, 40), st.booleans())
@settings(max_examples=300, deadline=None)
def test_fit_is_exactly_as_wide_as_asked(text: str, width: int, right: bool) -> None:
    line = clean_line(text)
    assert cell_len(fit(line, width, right=right)) == width
    assert cell_len(crop(line, width)) <= width


def test_a_crop_never_splits_a_wide_character() -> None:
    assert crop("宽宽宽", 4) == "宽…"
    assert fit("宽宽宽", 4) == "宽… "


def test_content_never_reads_markup() -> None:
    assert content("[/nope] [b]x[/b]").plain == "[/nope] [b]x[/b]"


def test_a_long_text_is_cleaned_in_time_that_grows_with_it() -> None:
    unit = "\x1b[31m plain text \u202e"
    assert_linear(lambda text: (clean(text), clean_line(text), crop(text, 120)), unit)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "postgres://ada:hunter2hunter2@db.example/gate",
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345",
        "--password swordfishtrombone",
    ],
)
def test_credentials_are_masked_and_the_text_around_them_stays(secret: str) -> None:
    shown = clean_line(f"before {secret} after")
    assert "[redacted:" in shown
    assert secret not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


assigned = st.builds(
    "{}{}{}".format,
    st.sampled_from(["password", "API_KEY", "x-auth-token", "my secret", "--pw", "cookie", "密码", "dsn"]),
    st.sampled_from(["=", ": ", " is ", " ", '": "', "：", "是"]),
    st.text("abcdefgXYZ0123456789_-/+", min_size=3, max_size=24),
)


@given(assigned)
@settings(max_examples=300, deadline=None)
def test_the_quick_look_lets_no_credential_pass(text: str) -> None:
    from core.redact.text import redact_text

    assert redact_text(clean(text)) == clean(text)


@given(st.lists(any_text | assigned, max_size=6))
def test_many_lines_are_cleaned_as_each_would_be(texts: list[str]) -> None:
    assert clean_lines(texts) == [clean_line(text) for text in texts]
