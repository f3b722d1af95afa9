"""The quick look at a text must never let a credential pass that the full search would mask."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.redact.quick_check import mask_all, masked, masked_excerpt, masked_start, may_hold_credential
from core.redact.table import Kind, kinds, names, places
from core.redact.text import redact_text
from tests.core.compress.credentials import KINDS, planted

VALUES = st.text("abcxyzKLMN0123456789_-/+.=~", min_size=1, max_size=44)
NAMED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "my ", "--", "<", '{"', "export ", "curl -u ", "?", "x = ("]),
    st.sampled_from([*names().stems, "API_KEY", "dbPassword", "x-auth-token", "Client-Secret", "TOKEN"]),
    st.sampled_from(["=", ": ", " is ", " ", '": "', "：", "是", " = '", ">", "', '", '("', " := ", " the "]),
    st.builds("{}{}".format, VALUES, st.sampled_from(["", '"', "'", '")', "</x>", " ", "@host/"])),
)
PLACED = st.builds(
    "{}{}{}".format,
    st.sampled_from([needle for place in places() for needle in place.needles]).flatmap(
        lambda needle: st.sampled_from([needle, needle.upper(), needle.title()])
    ),
    st.sampled_from(["", "-u ada:", "-p", "-uroot -p", "-a ", ": ", " token ", "ada:", "sid="]),
    st.builds("{}{}".format, VALUES, st.sampled_from(["", "@host", " x", '"'])),
)
PATHS = st.from_regex(r"~?(?:/\.?[A-Z]?[a-z0-9]{1,12}(?:[-_.][a-z0-9]{1,12}){0,3}){2,5}", fullmatch=True)


def found(text: str) -> bool:
    return redact_text(text) != text


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_credential_is_suspected(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(20):
        text, _secret = planted(kind, rng)
        assert may_hold_credential(text)
        assert may_hold_credential(f"so, {text}\nand on")


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind} {kind.needles[:1]}")
def test_whatever_a_pattern_of_the_table_matches_is_suspected(kind: Kind) -> None:
    consuming = re.sub(
        r"\(\?<?[=!][^()]*\)", "", kind.pattern
    )  # a look around what is matched generates nothing

    @given(st.from_regex(re.compile(consuming, re.ASCII), fullmatch=True))
    @settings(max_examples=15, deadline=None)
    def check(credential: str) -> None:
        before = {":": "12345678", "\\.": "A" * 24}.get(kind.pattern.partition("(")[0], "see ")
        assert may_hold_credential(before + credential) or not found(before + credential)

    check()


@given(st.one_of(NAMED, PLACED, PATHS))
@example("mysqldump -h db -pabc1")
@example("redis-cli -a s3cret")
@example("http:\\/\\/u:p@h")
@example(".example.com\tTRUE\t/\tFALSE\t1790000000\tsid\tAbCd1234EfGh5678IjKl9012")
@example("BASİC ba\u017fic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
@example("AKIAABCDEFGHIJKLMNOP")
@example("salasana 00000K")
@example("the app password for imap: wntj-xwgf-dymi-upaj")
@example("user\tpassword\nbob\t483920")
@example('let client = Client::new("bob", "aCSA68r6OlR4tCddFmc");')
@example("ada,50 tokens,\nbob,12 tokens, Tango-99x")
@settings(max_examples=600, deadline=None)
def test_no_text_that_would_be_masked_is_let_pass(text: str) -> None:
    assert may_hold_credential(text) or not found(text)


@pytest.mark.parametrize(
    "title",
    [
        "Session 12: claude-opus-4-5",
        "Fix the log-in page of auth-service (#1234)",
        "2026-11-20 stand-up",
        "42",
        "50.3K tokens below the 150K limit: 'rough_tokens=~' as written there",
        "names with 'claude': 200000",
        "/home/ada/.hermes/profiles/jobs4/state-2026.db",
        "read /srv/stores/large-2000-60000.db twice",
    ],
)
def test_ordinary_titles_need_no_closer_look(title: str) -> None:
    assert not may_hold_credential(title)


SECRET = "ghp_" + "a1B2" * 9
PIECES = [
    "token",
    "password",
    "=",
    ": ",
    " ",
    "\n",
    "Bearer ",
    SECRET,
    SECRET[:9],
    "hunter22!x",
    "title",
    "é",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), max_size=6))
def test_a_text_is_masked_among_others_as_it_is_alone(texts: list[str]) -> None:
    assert list(mask_all(texts)) == [masked(text) for text in texts]


@pytest.mark.parametrize("texts", [[], [""], ["Refactor the auth module", "Port the parser"]])
def test_harmless_texts_stay(texts: list[str]) -> None:
    assert list(mask_all(texts)) == texts


def test_a_quotation_that_is_cut_says_so_and_cuts_no_credential_in_half() -> None:
    assert masked_excerpt("Never retry refunds.", 20) == "Never retry refunds."
    assert masked_excerpt("Never retry refunds.", 13) == "Never retry…"
    key = "sk-ant-api03-" + "a1B2" * 10
    assert "a1B2" not in masked_excerpt(f"the key is {key} and", 30)


@pytest.mark.parametrize("chars", [1_000, 4_096])
def test_the_start_of_a_text_full_of_credentials_ends_in_none_cut_in_half(chars: int) -> None:
    urls = (f"https://ada:{random.Random(number).randbytes(125).hex()}@host/x" for number in range(80))
    text = "\n".join(urls)
    assert redact_text(text).startswith(masked_start(text, chars))
