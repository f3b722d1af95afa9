"""A random value is a credential where a word nearby says so, and none where one says id or hash."""

from __future__ import annotations

from base64 import encodebytes
from hashlib import sha256

import pytest

from core.redact.text import redact_text

DRAWN = "q7Zp2Lx9Rt4Vb6Nm1Ks8Wd3F"
HEX = "8f3a19c27bd04e65a1f09c3d7e42b586"
UUID = "8f3a19c2-7bd0-4e65-a1f0-9c3d7e42b586"


@pytest.mark.parametrize(
    "text",
    [
        f"our Acme api key {DRAWN} works",
        f"the DeepL one: {UUID}:fx",
        f"- Mailgun: {HEX}",
        f"Acme key (new): {DRAWN}",
        f"ACME_HANDLE={DRAWN}",
        f"acme config set {DRAWN}",
        f'signing_key = Key("{DRAWN}")',
        f"credentials for the box:\n{DRAWN}",
        f"use {DRAWN} as the password there",
        f"put {DRAWN} into API_KEY",
        f"[DEBUG] Using Key={DRAWN}",
        f"Sending request to the Airvisual API\n[DEBUG] Using Key={HEX}",
        f"app --key {DRAWN}",
        f"const hs = new HubSpotAPI('{UUID}');",
        f"railway = '{UUID}'",
    ],
)
def test_a_word_nearby_gives_it_away(text: str) -> None:
    clean = redact_text(text)
    assert not any(value in clean for value in (DRAWN, HEX, UUID))


@pytest.mark.parametrize(
    "text",
    [
        f"built {DRAWN} yesterday",
        f"Mailgun message id {HEX}",
        f"GIT_COMMIT={HEX}",
        f"the Sentry release {UUID} is out",
        f"the cache key: {HEX}",
        f"/srv/mailgun/{DRAWN}.log",
        "the api key is twenty_four_words_long_and_more",
    ],
)
def test_a_value_of_something_else_stays(text: str) -> None:
    assert redact_text(text) == text


def test_a_word_of_another_text_says_nothing() -> None:
    text = f"our Mailgun api key is\n\x00\n{DRAWN}"
    assert redact_text(text) == text


def test_an_id_of_a_session_next_to_the_name_of_its_platform_is_shown() -> None:
    line = "A title  telegram  mock-model  24  109K  20261127_061717_af3e7cf6"
    assert redact_text(line) == line


def test_the_random_letters_of_a_base64_file_name_no_key() -> None:
    file = b"".join(sha256(bytes([0, number])).digest() for number in range(250))
    lines = encodebytes(file).decode().splitlines()
    shown = redact_text(r"\n".join(lines)).split(r"\n")  # as JSON writes the output of a command
    assert shown[1:] == lines[1:]
