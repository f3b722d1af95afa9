"""Of 60 kinds of credentials, planted in every field, none comes out of a command or a screen."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from core.redact.known_values import KNOWN
from core.redact.text import redact_text
from inspector.base.named_screens import NAMES
from inspector.cli.main import run
from tests.core.redact.corpus import Planted, credentials
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.everywhere import OF_ALL, OF_ONE, drawn, printed, told

KINDS, SEED = 60, 11
"""Kinds planted, and the seed of their values; other seeds are those of `core/redact/test_corpus.py`."""
_LEAST, _SHOWN = 8, 14
"""Characters of a value that is looked for; and how many of its beginning, for it may have been cut."""


def planted() -> list[Planted]:
    """One of each kind, of those that are masked where they occur."""
    return random.Random(SEED).sample([one for one in credentials(SEED) if _is_usable(one)], KINDS)


def _is_usable(one: Planted) -> bool:
    return all(len(secret) >= _LEAST for secret in one.secrets) and not come_out(redact_text(one.text), [one])


def come_out(text: str, planted: list[Planted]) -> list[str]:
    """Kinds of which a text holds a value, or the beginning of one."""
    return [one.kind for one in planted if any(_piece(secret) in text for secret in one.secrets)]


def _piece(secret: str) -> str:
    return secret if len(secret) <= _SHOWN * 2 else secret[-_SHOWN:]


@pytest.fixture(scope="module")
def values() -> list[Planted]:
    """What is planted."""
    return planted()


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory, values: list[Planted]) -> Path:
    """A home with a conversation in which each occurs somewhere, and another that quotes them."""
    home = tmp_path_factory.mktemp("planted")
    (home / "logs").mkdir()
    texts = [one.text for one in values]
    config = {"model": {"default": "claude-sonnet-4-5", "context_length": 64_000}, "notes": texts[:20]}
    (home / "config.yaml").write_text(json.dumps(config, ensure_ascii=False))
    with SessionDatabase(home / "state.db", "0.22") as made:
        _conversation(made, texts)
        made.session("s2", parent_session_id="s1", source="delegate", title=texts[1][:90])
        made.message("s2", "user", texts[2])
    (home / "logs" / "agent.log").write_text("".join(_log(texts)))
    return home


def _conversation(made: SessionDatabase, texts: list[str]) -> None:
    spent = {"input_tokens": 50_000, "output_tokens": 900, "estimated_cost_usd": 0.5, "api_call_count": 9}
    made.session(
        "s1", title=texts[0], model="claude-sonnet-4-5", system_prompt=f"Be brief.\n{texts[3]}", **spent
    )
    for place, text in enumerate(texts):
        _turn(made, place, text)
    made.compact("s1", 2, 40, "\n".join(("Decided to deploy.", *texts[:40])))
    for place, text in enumerate(texts):
        _turn(made, place, text)


def _turn(made: SessionDatabase, place: int, text: str) -> None:
    """One of five ways in which a conversation holds a text."""
    call = (f"call_{place}", "terminal", json.dumps({"command": text}, ensure_ascii=False))
    made.message(
        "s1", "user", f"please remember step {place}:\n{text}" if place % 5 == 0 else f"step {place}"
    )
    if place % 5 == 1:
        made.message("s1", "assistant", f"I decided to keep this.\n{text}", reasoning=text)
    made.message(
        "s1", "assistant", "doing it", calls=[call if place % 5 == 2 else (call[0], "terminal", "{}")]
    )
    result = text if place % 5 == 3 else json.dumps({"error": text}) if place % 5 == 4 else "done"
    made.message("s1", "tool", result, tool_name="terminal", tool_call_id=call[0])


def _log(texts: list[str]) -> list[str]:
    lines = []
    for text in texts:
        said = " ".join(text.split())
        lines += [
            "2026-05-28 20:26:41,000 INFO [s1] run_agent: conversation turn: session=s1 model=m provider=p "
            f"platform=cli history=4 msg={said!r}\n",
            "2026-05-28 20:26:45,000 WARNING [s1] agent.context_compressor: Failed to generate context "
            f"summary: 401 {said}. Further summary attempts paused for 60 seconds.\n",
        ]
    return lines


MORE = (
    *("compress s1 --compare-focus deploy", "compress s1 --summariser faithful", "recall s1 deploy step"),
    *("recall s1 --all remember", "show s2"),
)


def test_no_command_prints_one(
    given: Path, values: list[Planted], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (*(line.format("s1") for line in OF_ONE), *MORE, *OF_ALL)
    texts = dict(printed(capsys, given, lines, "s1"))
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{n}\n" for n in range(1, 10)) + "q\n"))
    KNOWN.forget()
    assert run(["--linear", "--session", "s1", "--home", str(given)]) == 0
    texts["--linear"] = capsys.readouterr().out
    assert {words: out for words, text in texts.items() if (out := come_out(text, values))} == {}


def test_no_error_text_is_explained_with_one(
    values: list[Planted], capsys: pytest.CaptureFixture[str]
) -> None:
    for one in values:
        for form in ((), ("--json",)):
            run(["explain-error", f"HTTP 401: {one.text}", *form])
    printed = capsys.readouterr()
    assert come_out(printed.out + printed.err, values) == []


def test_no_agent_is_told_one(given: Path, values: list[Planted]) -> None:
    assert {name: out for name, text in told(given).items() if (out := come_out(text, values))} == {}


@pytest.mark.parametrize("screen", NAMES)
def test_no_screen_draws_one(screen: str, given: Path, values: list[Planted], tmp_path: Path) -> None:
    assert come_out(drawn(given, screen, tmp_path / "frame.svg"), values) == []
