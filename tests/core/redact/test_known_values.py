"""A credential that a conversation revealed once is masked everywhere in it."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.transcript.message import Message
from core.redact.known_values import KNOWN
from core.redact.message import learn
from core.redact.quick_check import masked, may_hold_credential
from core.redact.text import redact_text
from core.store.rows.decode import shown_start

VALUE = "swordfish77x"


def said(text: str) -> Message:
    return Message({"role": "user", "content": text})


def test_a_bare_value_is_masked_once_a_message_called_it_a_secret() -> None:
    assert VALUE in redact_text(f"log in with {VALUE} please")
    learn([said("hello"), said(f"DB_PASSWORD={VALUE}")])
    assert redact_text(f"log in with {VALUE} please") == "log in with [redacted:secret-value] please"
    assert may_hold_credential(VALUE)


def test_a_value_in_the_arguments_of_a_call_counts_too() -> None:
    function = {"name": "terminal", "arguments": f'{{"command": "PGPASSWORD={VALUE} psql"}}'}
    learn([Message({"role": "assistant", "tool_calls": [{"id": "c", "function": function}]})])
    assert VALUE not in redact_text(f"it was {VALUE}")


@pytest.mark.parametrize(
    "word", ["postgres", "production", "admin", "12345678", "true", "user_name", "a/b/c"]
)
def test_a_password_that_is_an_ordinary_word_is_not_masked_everywhere(word: str) -> None:
    learn([said(f"DB_PASSWORD={word}")])
    assert redact_text(f"we talk of {word} here") == f"we talk of {word} here"


def test_a_short_value_is_not_cut_out_of_longer_words() -> None:
    learn([said("DB_PASSWORD=horse123")])
    assert redact_text("seahorse123 and horse1234") == "seahorse123 and horse1234"
    assert redact_text("a\\nhorse123") == "a\\n[redacted:secret-value]"


@pytest.mark.parametrize("before", ["\\uff1a", "\\u7801", "%2F", "\x1b[31m"])
def test_a_value_right_after_an_escape_sequence_is_masked(before: str) -> None:
    learn([said("DB_PASSWORD=horse123")])
    assert redact_text(f"{before}horse123") == f"{before}[redacted:secret-value]"


def test_masking_what_was_learned_twice_is_masking_it_once() -> None:
    learn([said(f"DB_PASSWORD={VALUE}")])
    once = redact_text(f"{VALUE} token={VALUE} {VALUE}")
    assert VALUE not in once
    assert redact_text(once) == once


def test_nothing_is_known_after_all_is_forgotten() -> None:
    learn([said(f"DB_PASSWORD={VALUE}")])
    assert KNOWN.count > 0
    KNOWN.forget()
    assert redact_text(VALUE) == VALUE


def test_a_process_that_shows_many_conversations_forgets_none() -> None:
    learn([said(f"DB_PASSWORD={VALUE}")])
    for place in range(1_200):
        learn([said(f"SSHPASS=hQ7rT2-{place:04}x API_TOKEN=Zm4bV9+{place:04}y")])
    assert redact_text(f"log in with {VALUE}") == "log in with [redacted:secret-value]"
    assert redact_text("x Zm4bV9+1199y x") == "x [redacted:secret-value] x"
    assert redact_text("x seZm4bV9+1199yz x") == "x seZm4bV9+1199yz x"


def test_letters_of_mixed_case_are_masked_and_names_of_that_kind_are_not() -> None:
    learn([said("DB_PASSWORD=MKlcnpLOwrLotCeOKD"), said("DB_PASSWORD='PostgreSQLDatabase'")])
    assert redact_text("I use MKlcnpLOwrLotCeOKD now") == "I use [redacted:secret-value] now"
    assert redact_text("a PostgreSQLDatabase here") == "a PostgreSQLDatabase here"


def test_a_password_of_an_address_is_masked_as_it_is_typed_too() -> None:
    learn([said("postgres://u:P%40ssw0rd@h/d")])
    assert redact_text("it is P@ssw0rd, says she") == "it is [redacted:url-password], says she"


@pytest.mark.parametrize(
    "spelt",
    [
        r"K\u00e4se&pa/ss(w)ord*99!",
        "K%C3%A4se%26pa%2Fss(w)ord*99!",
        "k%c3%a4se%26pa%2fss%28w%29ord%2a99%21".replace("k", "K", 1),
        "Käse&amp;pa/ss(w)ord*99!",
    ],
)
def test_a_password_is_masked_as_json_a_browser_and_html_spell_it(spelt: str) -> None:
    learn([said("DB_PASSWORD='Käse&pa/ss(w)ord*99!'")])
    assert redact_text(f"sent {spelt} there") == "sent [redacted:secret-value] there"


@given(before=st.text(max_size=9), behind=st.text(max_size=9))
def test_base64_of_more_than_the_value_is_masked_completely(before: str, behind: str) -> None:
    learn([said(f"DB_PASSWORD={VALUE}")])
    raw = f"{before}{VALUE}{behind}".encode()
    for made in (
        b64encode(raw).decode(),
        urlsafe_b64encode(raw).decode(),
        b64encode(raw).decode().rstrip("="),
    ):
        assert redact_text(f"sent ({made})") == "sent ([redacted:secret-value])"


def test_a_reading_that_is_cancelled_leaves_nothing_marked_as_read() -> None:
    assert KNOWN.unread([1, 2, 1]) == [1, 2]
    assert KNOWN.unread([1, 2]) == [1, 2]
    KNOWN.mark_read([1])
    assert KNOWN.unread([1, 2]) == [2]


@pytest.mark.parametrize("value", ["he45ui", "zcb766", "kX7q2P"])
def test_a_short_value_like_no_word_is_masked_in_the_rest_of_its_text_and_of_the_conversation(
    value: str,
) -> None:
    text = f"password: {value}\nLater {value} stood in the log, and {value}s did not."
    assert redact_text(text).count(value) == 1
    learn([said(f"password: {value}")])
    assert redact_text(f"echo {value} | foo") == "echo [redacted:secret-value] | foo"


@pytest.mark.parametrize("value", ["abc123", "python3", "sha256", "x86_64"])
def test_a_short_value_that_could_be_a_word_is_masked_where_it_is_given_only(value: str) -> None:
    learn([said(f"DB_PASSWORD={value}")])
    assert redact_text(f"we use {value} here") == f"we use {value} here"


def test_a_value_given_away_once_is_masked_in_all_of_its_text() -> None:
    text = f"The password is {VALUE}.\nThen run: connect --as bob {VALUE}"
    assert VALUE not in redact_text(text)


def test_a_text_that_gave_nothing_away_is_looked_through_again_for_what_others_gave_away_since() -> None:
    shown = f"connecting with {VALUE} to the database"
    KNOWN.mark_harmless([shown.encode()])
    before = KNOWN.is_clean(shown)
    learn([said(f"DB_PASSWORD={VALUE}")])
    assert before
    assert not KNOWN.is_clean(shown)
    assert VALUE not in shown_start(shown.encode(), 80)


KEY = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"


@pytest.mark.parametrize("left", [8, 12, len(KEY) - 1, len(KEY)])
@pytest.mark.parametrize("mark", ["…", "...", "...[truncated]"])
def test_the_beginning_that_a_cut_left_of_a_known_credential_is_masked(left: int, mark: str) -> None:
    KNOWN.learn([(KEY, "api-key")])
    assert masked(f"ran `deploy {KEY[:left]}{mark}` twice") == f"ran `deploy [redacted:api-key]{mark}` twice"


@pytest.mark.parametrize("word", ["deploy…", f"{KEY[:7]}…", f"{KEY[:9]} …", f"{KEY[:9]}, …", f"{KEY[:9]}x…"])
def test_what_only_resembles_such_a_beginning_stays(word: str) -> None:
    KNOWN.learn([(KEY, "api-key")])
    assert masked(word) == word
