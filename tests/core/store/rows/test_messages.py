from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from core.model.transcript.message import RowState
from core.store.rows.decode import loaded_text
from core.store.store import Store
from tests.core.store.database import SUMMARY, SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def full(make: Make, release: str) -> tuple[SessionDatabase, int]:
    """An assistant row with every column the release has filled."""
    database = make(release, f"{release}.db")
    database.session("s")
    values = {
        "tool_call_id": "t",
        "tool_name": "terminal",
        "finish_reason": "stop",
        "reasoning": "thought",
        "reasoning_content": "",
        "reasoning_details": "[1]",
        "codex_reasoning_items": "[2]",
        "codex_message_items": "[3]",
        "platform_message_id": "p",
        "observed": 1,
        "effect_disposition": "read",
        "api_content": "as sent",
        "display_kind": "notice",
        "display_metadata": '{"a": 1}',
        "message_uid": "u",
        "absorbed_message_uids": '["v"]',
        "tool_call_uids": '{"c": "w"}',
        "tool_call_uid": "x",
    }
    cursor = database.connection.execute("SELECT * FROM messages")
    there = {column[0] for column in cursor.description}
    kept = {name: value for name, value in values.items() if name in there}
    return database, database.message("s", "assistant", " said ", calls=[("c", "ls", "{}")], **kept)


def keys(make: Make, opened: Opened, release: str) -> list[str]:
    database, row = full(make, release)
    return list(opened(database).messages([row])[0].wire)


def test_keys_are_in_the_order_each_release_loads_them(make: Make, opened: Opened) -> None:
    codex = "codex_reasoning_items codex_message_items"
    ends = f"finish_reason reasoning reasoning_content reasoning_details {codex}"
    tool = "tool_call_id tool_name tool_calls"
    assert keys(make, opened, "0.2") == f"role content {tool} finish_reason".split()
    assert keys(make, opened, "0.13") == f"role content {tool} {ends}".split()
    early = f"{tool} message_id observed {ends}"
    assert keys(make, opened, "0.15") == f"role content {early}".split()
    assert keys(make, opened, "0.17") == f"role content timestamp {early}".split()
    late = f"timestamp tool_call_id tool_name effect_disposition tool_calls message_id observed {ends}"
    assert keys(make, opened, "0.19") == f"role content api_content {late}".split()
    uids = "message_uid _tool_call_uids _tool_call_uid _absorbed_message_uids"
    shown = "api_content display_kind display_metadata"
    assert keys(make, opened, "0.22") == f"role content _db_persisted {uids} {shown} {late}".split()


def test_texts_are_trimmed_as_hermes_loads_them_but_tool_results_are_not(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    memory = "<memory-context>\n[System note: x]\nsecret\n</memory-context>\n\nhello "
    rows = [
        database.message("s", "user", memory),
        database.message("s", "tool", memory, tool_call_id="c"),
    ]
    user, tool = opened(database).messages(rows)
    assert (user.content, tool.content) == ("hello", memory)
    assert loaded_text("Memory of a </MEMORY-context > tag") == "Memory of a  tag"


def test_encoded_content_becomes_a_list_again(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    row = database.message("s", "user", parts)
    store = opened(database)
    assert store.messages([row])[0].content == parts
    (preview,) = store.previews([row])
    assert (preview.text, preview.images) == ("see", True)
    assert preview.size == len("\x00json:" + json.dumps(parts))


def test_a_damaged_row_says_so_and_hides_no_other(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    rows = [
        database.message("s", "user", "sound"),
        database.message("s", "assistant", "x", tool_calls="[{not json"),
        database.message("s", "assistant", "\x00json:{broken"),
        database.message("s", "assistant", b"\xff\xfe bytes"),
        database.message("s", "user", "when?", timestamp="yesterday"),
        database.message("s", "assistant", None, reasoning_details="{", codex_message_items="nope"),
        database.message("s", "user", 42),
        database.message("s", "user", "far", timestamp=1e300),
    ]
    bad = database.message("s", "user", "not utf-8")
    database.connection.execute("UPDATE messages SET content = CAST(x'61ff62' AS TEXT) WHERE id = ?", (bad,))
    messages = opened(database).messages([*rows, bad])
    damage = [message.row.damage if message.row else None for message in messages]
    assert damage == [
        (),
        ("tool_calls is not valid JSON",),
        ("content is not valid JSON",),
        ("content is stored as bytes",),
        ("timestamp is not a time",),
        ("reasoning_details is not valid JSON", "codex_message_items is not valid JSON"),
        (),
        ("timestamp is not a time",),
        ("content is not UTF-8",),
    ]
    assert messages[1].wire["tool_calls"] == []
    assert messages[2].content == "\x00json:{broken"
    assert messages[8].content == "a\N{REPLACEMENT CHARACTER}b"
    assert len(opened(database).previews([*rows, bad])) == 9
    assert opened(database).conversation("s").generations[0].row_ids == (*rows, bad)


@pytest.mark.parametrize("release", ["0.13", "0.19", "0.22"])
def test_bytes_in_any_column_become_text(release: str, make: Make, opened: Opened) -> None:
    database, row = full(make, release)
    cursor = database.connection.execute("SELECT * FROM messages")
    for name in {column[0] for column in cursor.description} - {"id", "session_id", "role"}:
        database.connection.execute(f"UPDATE messages SET \"{name}\" = x'ff61'")
    (message,) = opened(database).messages([row])
    assert message.content == "\N{REPLACEMENT CHARACTER}a"
    assert json.dumps(message.wire)


def test_messages_come_in_the_order_asked_for(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    rows = [database.message("s", "user", str(number)) for number in range(1200)]
    store = opened(database)
    backwards = rows[::-1]
    assert [message.content for message in store.messages(backwards)] == [str(n) for n in range(1199, -1, -1)]
    assert [preview.id for preview in store.previews([5, 10**6, 3])] == [5, 3]


def test_states_are_distinguished(make: Make, opened: Opened) -> None:
    database = make("0.19")
    database.session("s")
    rows = [database.message("s", "user", text) for text in ("live", "archived", "rewound")]
    database.mark(rows[1:2], active=0, compacted=1)
    database.mark(rows[2:], active=0)
    states = [preview.state for preview in opened(database).previews(rows)]
    assert states == [RowState.LIVE, RowState.ARCHIVED, RowState.REWOUND]


def test_a_preview_says_what_a_line_needs_without_the_body(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    text = "é" * 1_000_000
    rows = [
        database.message("s", "user", text),
        database.message(
            "s", "assistant", "", calls=[("a", "read_file", "{}"), ("b", "terminal", '{"function": 1}')]
        ),
        database.message("s", "user", f"{SUMMARY} so far"),
    ]
    big, calls, summary = opened(database).previews(rows, chars=50)
    assert (big.text, big.size) == (text[:50], 2_000_000)
    assert (calls.tool_name, calls.calls) == ("read_file", 2)
    assert summary.is_summary
    assert not big.is_summary


def test_the_system_prompt_comes_from_the_row_or_the_shared_table(make: Make, opened: Opened) -> None:
    old = make("0.19", "old.db")
    old.session("s", system_prompt="be kind")
    assert opened(old).system_prompt(opened(old).session("s")) == "be kind"
    new = make("0.22", "new.db")
    pin = json.dumps({"version": "0.22.2", "tools": [{"name": "terminal"}]})
    new.connection.execute(
        "INSERT INTO system_prompts VALUES (?, ?), (?, ?)", ("a" * 64, "be brief", "b" * 64, pin)
    )
    new.session("s", system_prompt_hash="a" * 64, tool_names="b" * 64)
    new.session("t", system_prompt_hash="c" * 64, tool_names='["inline"]')
    store = opened(new)
    tools = store.tools(store.session("s"))
    assert store.system_prompt(store.session("s")) == "be brief"
    assert tools is not None
    assert (tools.version, tools.tools) == ("0.22.2", ({"name": "terminal"},))
    assert store.system_prompt(store.session("t")) is None
    assert store.tools(store.session("t")) is None


def test_a_tools_bare_name_is_not_an_answer_from_0_22_on(make: Make, opened: Opened) -> None:
    def loaded(release: str) -> object:
        database = make(release, f"{release}.db")
        database.session("s")
        row = database.message("s", "assistant", "[memory]", calls=[("c", "memory", "{}")])
        return opened(database).messages([row])[0].content

    assert (loaded("0.19"), loaded("0.22")) == ("[memory]", "")


def test_only_a_newer_row_of_its_own_session_says_that_a_row_was_copied(make: Make, opened: Opened) -> None:
    database = make("0.22")
    rows = []
    for number in range(12):
        database.session(f"s{number}")
        rows.append(database.message(f"s{number}", "user", "again", message_uid="u", active=0))
    store = opened(database)
    assert {message.row.state for message in store.messages(rows) if message.row} == {RowState.REWOUND}
    assert {row.state for row in store.previews(rows)} == {RowState.REWOUND}
