"""In a table, values below a heading for passwords are credentials."""

from __future__ import annotations

import json

import pytest

from core.redact.text import redact_text

SECRET = "Tango-99x"
TABLES = {
    "comma": f"user,password,note\nbob,{SECRET},old",
    "semicolon": f"user;password;note\nbob;{SECRET};old",
    "tab": f"user\tpassword\tnote\nbob\t{SECRET}\told",
    "markdown": f"| user | password |\n|------|----------|\n| bob | {SECRET} |",
    "drawn": f"┃ user ┃ password ┃\n┣━━━━━━╋━━━━━━━━━━┫\n┃ bob ┃ {SECRET} ┃",
    "blanks": f"user   password    note\nbob    {SECRET}   old",
    "quoted": f'"user","password"\n"bob","{SECRET}"',
    "second row": f"user,password\nann,[redacted:secret-value]\nbob,{SECRET}",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_the_cell_below_a_password_is_masked_and_no_other(text: str) -> None:
    clean = redact_text(text)
    assert SECRET not in clean
    assert "bob" in clean


def test_a_table_in_json_is_read_from_where_its_string_begins() -> None:
    assert SECRET not in redact_text(json.dumps({"output": TABLES["comma"]}))


def test_a_head_holds_as_long_as_the_lines_have_as_many_cells() -> None:
    assert redact_text("user,password\nbob says Tango-99x") == "user,password\nbob says Tango-99x"


@pytest.mark.parametrize(
    "text",
    [
        "name,key,size\nreadme,docs/readme.md,4096",
        "the password, the user, and the rest\nare kept, somewhere, else",
        "user,password\nbob,\nann,changeme",
        "id | token_count | model\n---|---|---\n1 | 48213 | gpt-5.2",
        "column,primary key\nid,yes",
    ],
)
def test_a_column_of_something_else_stays(text: str) -> None:
    assert redact_text(text) == text
