from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.support.json_escapes import readable_result, without_escapes


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_string_is_read_as_json_reads_it(text: str) -> None:
    written = json.dumps(text)
    # JSON has no short escape for most control characters, and all are read the same way
    assert without_escapes(written)[1:-1] == text


@pytest.mark.parametrize("cut", ["\\", "a\\u00", "\\u12", "C:\\", "\\x41"])
def test_half_an_escape_stays_as_it_is(cut: str) -> None:
    assert without_escapes(cut) == cut


def test_a_result_that_is_no_json_keeps_its_signs() -> None:
    assert readable_result(r"C:\new\table.csv was read") == r"C:\new\table.csv was read"
    assert readable_result(r'{"output": "a\nb"}') == '{"output": "a\nb"}'
