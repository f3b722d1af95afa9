"""Keys of issuers in no list are found by their form, and ids, hashes and names are left alone."""

from __future__ import annotations

import pytest

from core.redact.text import redact_text


@pytest.mark.parametrize(
    "key",
    [
        "pgar_OABvd97HRzwkJ7a6m5TL5vyScZU",
        "acme_uut_bb9bda6189ee0ba07be9fcf23212ef5a927bd474fd5a26344bb68986de53",
        "web_9svzv1gie1ac1ix9c877dqcaxs153q0d",
        "orbit_pat_mIZoTmwNyzKlXtXT4FMrBmLwGqL",
    ],
)
def test_a_word_and_a_drawn_run_are_a_key(key: str) -> None:
    assert key not in redact_text(f"I set it up with {key} yesterday")


@pytest.mark.parametrize(
    "text",
    [
        'etag: W/"e2-DGnX9NH0oqVWBRXTS_1QKNwx0yB"',
        "cache_d41d8cd98f00b204e9800998ecf8427e",
        "order ord_7Hk2mQ9xTz4LpR8vB3nWc6 shipped",
        "srvtoolu_01PSxpJUqzYyzacVL9rLx7XQ",
        "official_docs_snapshot_2024_11_05_final",
    ],
)
def test_ids_hashes_and_names_are_none(text: str) -> None:
    assert redact_text(text) == text
