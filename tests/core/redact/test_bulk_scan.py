"""The bulk scan lets every credential through, and little else."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.redact.bulk_scan import holding
from core.redact.table import names
from core.redact.text import redact

RANDOM = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW"
CREDENTIALS = (
    f"sk-ant-api03-{RANDOM}",
    f"ghp_{RANDOM}",
    "AKIAIOSFODNN7ABCDEFG",
    f"AIza{RANDOM}abc",
    f"SG.{RANDOM}",
    "123456789:AAHfiqksKZ8WmR2zVxs2b3QjQpZ9b3abcde",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123",
    'password = "hunter2"',
    "DB_PASSWORD=hunter2horse",
    "postgres://bob:hunter2@db.example.com/x",
    f"Authorization: Bearer {RANDOM}",
    '{"arguments": "{\\"api_key\\": \\"zz11yy22xx33\\"}"}',
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1234567890abcdefghij",
)
PLACED = (
    "sshpass -p hunter2 ssh bob@host",
    "mysql -u root -phunter2 db",
    "redis-cli -h cache -a hunter2",
    "docker login -u bob -p hunter2 registry.io",
    "ldapsearch -x -D cn=admin -w hunter2 -b dc=x",
    "smbclient //host/share -U bob%hunter2",
    "openssl rsa -in k.pem -passin pass:hunter2",
    "echo 'root:hunter2' | chpasswd",
    "ALTER USER 'root'@'localhost' IDENTIFIED BY 'hunter2';",
    "ConvertTo-SecureString 'hunter2' -AsPlainText -Force",
    'form-data; name="password"\r\n\r\nhunter2',
    "curl -X POST -H 'accept: json' --user bob:hunter2 https://example.com",
    "Authorization: Basic Ym9iOmh1",
    "Cookie: sid=ab12cd",
    f"https://example.com/x?sig={RANDOM}",
    f"https://example.com/x?key={RANDOM}",
    f"https://example.com/x?X-Amz-Signature={RANDOM}",
    "https:\\/\\/bob:hunter2@db.example.com\\/x",
    f"https://{RANDOM}@example.com/x",
    f"https://hooks.slack.com/services/T0000AAAA/B0000BBBB/{RANDOM}",
    "sk-ant-your-own-key-goes-here",
    f"zlq_{RANDOM}{RANDOM}",
    f'api_key: "{RANDOM * 20}"',
)


@pytest.mark.parametrize("text", CREDENTIALS)
def test_a_credential_gets_through(text: str) -> None:
    assert redact(text).counts
    assert holding([b"plain", f"so it is {text} here".encode(), b"plain"]) == {1}


FORMS = (
    "{}={}", "{}: {}", '{} = "{}"', '"{}": "{}"', "--{} {}", "<{}>{}</x>", '("{}", "{}")', "{}：{}",
    "{} is {}", '{{"name": "{}", "value": "{}"}}', '{{"args": "\\n{}={}"}}', '"{{\\"{}\\": \\"{}\\"}}"',
    "x['{}'] = '{}'", "-{} {}", "**{}:** {}", "{} es {}", "<key>{}</key><string>{}</string>", "{}: >-\n  {}",
    "{}:\n  - {}",
)  # fmt: skip
PAIRS = tuple(f"{first}_{last}" for last, before in names().pairs.items() for first in sorted(before))
NAMES = (*sorted(names().strong), *PAIRS, "dbPassword", "API_TOKEN", "ПАРОЛЬ", "Passwort")
VALUES = st.from_regex(r"[a-z]{4,9}[0-9]{2,6}[a-zA-Z0-9]{0,400}", fullmatch=True)


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(NAMES), st.sampled_from(FORMS), VALUES, st.sampled_from(("{}", "so {} it", "a\n{}\nb"))
)
def test_what_the_redactor_masks_for_its_name_gets_through(
    name: str, form: str, value: str, around: str
) -> None:
    text = around.format(form.format(name, value))
    assume(redact(text).counts)
    assert holding([text.encode()]) == {0}


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(PLACED), st.sampled_from(("{}", "so {} it", "a\n{}\nb", "a; {}")))
def test_what_the_redactor_masks_for_its_place_gets_through(placed: str, around: str) -> None:
    text = around.format(placed)
    assume(redact(text).counts)
    assert holding([text.encode()]) == {0}


@pytest.mark.parametrize(
    "text",
    ["talk of passwords and tokens", "token: header, *, limit", "def test_refresh_region_42_again():", ""],
)
def test_talk_of_credentials_does_not(text: str) -> None:
    assert holding([text.encode()]) == frozenset()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text(string.printable, max_size=200), max_size=6),
    st.sampled_from(CREDENTIALS),
    st.integers(0, 6),
)
def test_what_stands_around_hides_none_and_neighbours_do_not_count(
    texts: list[str], secret: str, place: int
) -> None:
    encoded = [text.encode() for text in texts]
    place = min(place, len(texts))
    alone = {at for at, text in enumerate(encoded) if holding([text])}
    encoded.insert(place, f"\n{secret}\n".encode())
    assert holding(encoded) == {at + (at >= place) for at in alone} | {place}


@pytest.mark.parametrize(
    "lead",
    [
        "The API key is: ",
        "密码是",
        "le mot de passe est ",
        "localhost:5432:shop:bob:",
        ".x.org\tTRUE\t/\tTRUE\t0\tsid\t",
        "sshpass -p ",
    ],
)
def test_a_place_without_a_name_is_a_hint_too(lead: str) -> None:
    texts = [b"nothing", f"{lead}u8jzPde0IgxLd6GncfBAepfJBd0KhaZ7".encode()]
    assert holding(texts) == {1}


def test_what_only_looks_like_many_places_is_read_once() -> None:
    dull, secret = b"ran src/x.py error: 42 ", b'password = "hunter2horse7"'
    began = time.process_time()
    assert holding([dull * 40_000, dull * 2_000 + secret + dull * 2_000, dull], thorough=True) == {1}
    assert time.process_time() - began < 3


def test_a_value_that_stands_before_its_name_is_found() -> None:
    text = "x " * 400 + '{"value": "prmTTYGyrk43", "key": "admin_password"}' + " y" * 400
    assert holding([text.encode(), text.replace('"', '\\"').encode()]) == {0, 1}
