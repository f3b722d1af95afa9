"""Lines of ours in config.yaml, and a file without them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from inspector.hermes_plugin.config_file.edit import tree, with_plugin, without, without_plugin

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
    "plugins: {enabled: [a, b], disabled: [c]}\n",
    "plugins: {\n  enabled: [a,\n    b]\n}\n",
    "plugins:\n  enabled: [\n    a,\n    b,\n  ]\nmodel: m\n",
    'plugins:\n  enabled: ["a#b", "c # d"]\n',
    "plugins:\n  entries:\n    a: {x: 1}\n",
    "plugins:   # mine\n\n  # which\n  enabled:   # these\n    # first\n    - a   # one\n",
    "\"plugins\":\n  'enabled':\n  - a\n\"context\" : {'engine': lcm, x: 1}\n",
    "{model: m, plugins: {enabled: [a]}}\n",
    '{\n  "model": "m"\n}\n',
    "---\nmodel: m\n...\n",
    "base: &b\n  a: 1\nplugins: &p\n  <<: *b\n  enabled: &l [a]\n",
    "note: |\n  plugins:\n    enabled: [no]\nmodel: m\n",
    "note: >\n  folded\n  text",
    "plugins:\n  enabled: [a]\nplugins:\n  enabled: [b]\n",
)


EXPANDS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 9)}]\n" for n in range(12))


@pytest.mark.parametrize(
    "text", [EXPANDS, "x: " + "[" * 50_000, "x: 2026-02-31"], ids=["much", "deep", "no day"]
)
def test_a_file_that_nobody_would_write_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        with_plugin(text, "inspector", engine=True)


SHARED = "plugins: &p\n  enabled: [a]\nother: *p\n"
"""What is added here would be added there too."""


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


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("flow", [True, False])
def test_a_file_hermes_wrote_again_names_the_plugin_no_more(text: str, flow: bool) -> None:
    edit = with_plugin(text, "inspector", engine=True)
    anew = yaml.safe_dump({**tree(edit.text), "display": {"skin": "x"}}, default_flow_style=flow)
    left = said(tree(without_plugin(without(anew, edit.changes), text, "inspector")))
    assert left == {"display": {"skin": "x"}, **said(tree(text))}


def said(value: Any) -> Any:
    """A tree without what is null, or an empty mapping."""
    if not isinstance(value, dict):
        return value
    told = {key: said(held) for key, held in value.items()}
    return {key: held for key, held in told.items() if held is not None and held != {}}


def test_a_plugin_that_was_enabled_before_stays_so() -> None:
    text = "plugins:\n  enabled: [inspector]\ncontext:\n  engine: inspector\n"
    edit = with_plugin(text, "inspector", engine=True)
    assert edit.text == text
    assert without_plugin(f"a: 1\n{text}", text, "inspector") == f"a: 1\n{text}"


@pytest.mark.parametrize(
    "text",
    ["- a list\n", "plugins: [a]\n", "a: [unclosed\n", "plugins:\n  disabled: [inspector]\n", SHARED],
)
def test_a_file_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        with_plugin(text, "inspector", engine=True)
