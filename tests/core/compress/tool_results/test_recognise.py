"""The state of a stored tool result is recognised by its text, but not by a mere quotation of it."""

from __future__ import annotations

import json

import pytest

from core.compress.tool_results.arrival import Arriving, arrive
from core.compress.tool_results.recognise import recognise
from core.compress.tool_results.replacement import Storage, result_sizes
from core.hermes.policy.policy import load_policy, releases


def _stored(release: str, tool: str, chars: int, folder: str | None) -> str:
    sizes = result_sizes(load_policy(release).results, None)
    (one,) = arrive([Arriving("c1", tool, "x" * chars)], sizes, Storage(folder)).results
    assert isinstance(one.content, str)
    return one.content


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize("tool", ["terminal", "web_extract"])
def test_what_a_release_writes_is_recognised(release: str, tool: str) -> None:
    saved = recognise(_stored(release, tool, 150_000, "/tmp/hermes-results"))
    assert (saved.layer, saved.chars, saved.path) == ("persisted", 150_000, "/tmp/hermes-results/c1.txt")
    lost = recognise(_stored(release, tool, 150_000, None))
    assert (lost.layer, lost.chars, lost.path) == ("truncated", 150_000, None)
    assert recognise(_stored(release, tool, 5_000, None)).layer == "none"


def test_a_file_that_quotes_a_block_is_not_a_block() -> None:
    quoted = "1|the log says\n" + _stored("0.19", "terminal", 150_000, "/tmp/hermes-results")
    assert recognise(quoted).layer == "none"


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("head\n\n... [OUTPUT TRUNCATED - 9000 chars omitted out of 59000 total] ...\n\ntail", "tool_cap"),
        ('{"content": "1|a", "truncated_by": "bytes", "next_offset": 90}', "tool_cap"),
        (
            '"content": "tail\\n\\n──────── [TRUNCATED] ────────\\nShowing 11,239 chars (head) + 3,748 chars',
            "tool_cap",
        ),
        ('\\n\\n[... summary truncated for context management ...]",', "tool_cap"),
        ("[... 699 more lines truncated, use browser_snapshot for full content]", "tool_cap"),
        ("... [MCP RESULT TRUNCATED - 1,000,000 chars omitted out of 3,000,000 total] ...", "tool_cap"),
        ('{"mode": "read", "messages": [{"content": "w…", "content_truncated": true}]}', "tool_cap"),
        ('{"status": "exited", "total_lines": 2000, "showing": "200 lines"}', "tool_cap"),
        ('{"status": "exited", "total_lines": 200, "showing": "200 lines"}', "none"),
        ("[terminal] ran `ls` -> exit 0 (1,200 chars)", "pruned"),
        ("[Old tool output cleared to save context space]", "pruned"),
    ],
)
def test_caps_and_pruning_leave_their_own_traces(text: str, layer: str) -> None:
    assert recognise(text).layer == layer


_FOOTERS = (
    "──────── [TRUNCATED] ────────\nShowing 11,239 chars (head) + 3,748 chars (tail) of 120,000 total clean "
    "characters.\nFull text saved to: /h/cache/web/a.md\nTo read the omitted middle",
    "──────── [SUMMARY TRUNCATED] ────────\nShowing 17,980 chars (head) + 6,000 chars (tail) of 60,000 total "
    "— trimmed to protect the parent's context window.\nFull subagent output saved to: /h/cache/web/a.md\nTo",
    '[... 549 more lines truncated — full snapshot: read_file path="/h/cache/web/a.md" offset=327 limit=200]',
)


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("footer", _FOOTERS)
def test_a_tool_that_cut_its_result_names_where_the_whole_is(footer: str, ascii_only: bool) -> None:
    found = recognise(json.dumps({"content": footer}, ensure_ascii=ascii_only))
    assert (found.layer, found.path) == ("tool_cap", "/h/cache/web/a.md")
