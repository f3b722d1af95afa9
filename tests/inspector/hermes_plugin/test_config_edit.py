"""Lines of ours in config.yaml, and a file without them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from inspector.hermes_plugin.config_edit import tree, with_plugin, without

FILES = (
    "",
    "# only a comment\n",
    "model: m\n",
    "model: m",
    "model:\r\n  default: m\r\n",
    "plugins:\n",
    "plugins: {}\n",
    "plugins:\n  enabled: []\n",
    "plugins:\n  enabled: [a, b]  # mine\n",
    "plugins:\n  enabled:\n    - a\n    - b\n  disabled: []\nmodel: m\n",
    "plugins:\n  enabled:\n  - a\nmodel: m\n",
    "plugins:\n  disabled: [x]\n\n\nmodel: m\n",
    "plugins:\n    # a comment\n    enabled: null\n",
    "context:\n  engine: lcm  # chosen in May\nplugins:\n  enabled: [lcm]\n",
    "context: {}\nmodel: m\n",
    "context:\n  other: 1\n",
    "\ufeffmodel: m\n",
)


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("engine", [True, False])
def test_an_edited_file_enables_the_plugin_and_says_all_it_said_before(text: str, engine: bool) -> None:
    before, after = tree(text), tree(with_plugin(text, "inspector", engine=engine).text)
    assert "inspector" in after["plugins"]["enabled"]
    assert (after.get("context") or {}).get("engine") == (
        "inspector" if engine else (before.get("context") or {}).get("engine")
    )
    for key in before.keys() - {"plugins", "context"}:
        assert after[key] == before[key]


@pytest.mark.parametrize("text", [text for text in FILES if not text or text.endswith("\n")])
@pytest.mark.parametrize("engine", [True, False])
def test_without_our_lines_it_is_the_file_it_was(text: str, engine: bool) -> None:
    edit = with_plugin(text, "inspector", engine=engine)
    assert without(edit.text, edit.changes) == text


@given(st.sampled_from(FILES), st.text("abc: \n", max_size=20))
def test_what_was_written_behind_our_lines_stays(text: str, more: str) -> None:
    edit = with_plugin(text, "inspector", engine=True)
    added = f"# later {more.replace(chr(10), ' ')}\n"
    assert without(edit.text + added, edit.changes).endswith(added)


def test_a_plugin_enabled_under_our_heading_keeps_the_heading() -> None:
    edit = with_plugin("model: m\n", "inspector", engine=False)
    edited = edit.text.replace("enabled: [inspector]", "enabled: [inspector, other]")
    left = tree(without(edited, edit.changes))
    assert "other" in left["plugins"]["enabled"]


@pytest.mark.parametrize(
    "text",
    ["- a list\n", "plugins: [a]\n", "a: [unclosed\n", "plugins:\n  disabled: [inspector]\n"],
)
def test_a_file_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        with_plugin(text, "inspector", engine=True)
