"""A database compressed here is continued by the real Hermes; runs when HERMES_VENVS names a folder of venvs.

Each venv is called by the release installed in it: `HERMES_VENVS=/venvs`, `/venvs/0.19.0/bin/hermes`.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.apply.undo import undo
from core.model.compaction.apply import Applied, ApplyMode
from core.model.compaction.preview import Preview
from core.model.transcript.message import Message
from core.store.store import Store
from tests.core.apply.hermes_run import BODY, Hermes, spoken
from tests.core.apply.rich_conversation import SESSION, write_with
from tests.core.apply.scripted_model import ScriptedModel

RELEASES = ("0.13.0", "0.14.0", "0.15.2", "0.16.0", "0.17.0", "0.18.2", "0.19.0", "0.22.2")
SOURCES = ("cli", "telegram")
ASK = "What is left to do?"


def installed(release: str) -> Path:
    """The venv of a release; skips where there is none."""
    venvs = os.environ.get("HERMES_VENVS")
    venv = Path(venvs or "") / release
    if not venvs or not (venv / "bin" / "hermes").exists():
        pytest.skip(f"HERMES_VENVS holds no {release}")
    return venv


@pytest.fixture(scope="module", params=RELEASES)
def lived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Hermes:
    """A release that has had a conversation."""
    hermes = Hermes(installed(request.param), tmp_path_factory.mktemp("hermes") / "home")
    for number in range(4):
        hermes.chat(ScriptedModel(), f"Task {number}: look at module {number}", proceed=number > 0)
    return hermes


def compressed(hermes: Hermes, journal: Journal, mode: ApplyMode | None = None) -> tuple[Preview, Applied]:
    preview = hermes.preview()
    with Store(hermes.database) as store:
        rehearsal = rehearse(store, store.resolve("latest").id, preview, mode)
    return preview, execute(rehearsal, journal, force=["activity"])


def loaded(hermes: Hermes) -> list[tuple[str, str]]:
    with Store(hermes.database) as store:
        messages = live_messages(store, store.resolve("latest").id)
    return [(message.role, message.text.strip()) for message in messages]


@pytest.mark.parametrize("mode", [None, ApplyMode.CONTINUATION, ApplyMode.FORK])
def test_hermes_continues_from_head_summary_and_tail(
    lived: Hermes, tmp_path: Path, journal: Journal, mode: ApplyMode | None
) -> None:
    hermes = lived.copied(tmp_path / "home")
    before = loaded(hermes)
    preview, _ = compressed(hermes, journal, mode)
    wanted = [(message.role, message.text.strip()) for message in preview.after]
    assert len(wanted) < len(before)
    model = ScriptedModel(steps=0)
    hermes.chat(model, ASK)
    assert spoken(model.requests[0]) == [*wanted, ("user", ASK)]
    assert BODY.strip() in " ".join(text for _, text in wanted)
    assert loaded(hermes)[: len(wanted)] == wanted


def test_after_undo_hermes_sends_the_original_conversation(
    lived: Hermes, tmp_path: Path, journal: Journal
) -> None:
    hermes = lived.copied(tmp_path / "home")
    before = loaded(hermes)
    _, applied = compressed(hermes, journal)
    assert loaded(hermes) != before
    undo(journal, applied.undo_id)
    model = ScriptedModel(steps=0)
    hermes.chat(model, ASK)
    assert spoken(model.requests[0]) == [*before, ("user", ASK)]


def test_a_later_compaction_takes_our_summary_for_its_own(
    lived: Hermes, tmp_path: Path, journal: Journal
) -> None:
    hermes = lived.copied(tmp_path / "home")
    compressed(hermes, journal)
    model = ScriptedModel(window=64_000, steps=16, size=20_000)
    hermes.chat(model, "Task 9: look at everything")
    assert model.summaries, "the release did not compress again"
    prompt = "\n".join(text for _, text in spoken(model.summaries[0]))
    assert BODY.splitlines()[1] in prompt
    # As a turn it would carry our marker; as the previous summary only its body is passed on.
    assert "[CONTEXT SUMMARY]:" not in prompt


def test_a_running_hermes_is_not_disturbed_by_applies_to_another_session(
    lived: Hermes, tmp_path: Path, journal: Journal
) -> None:
    hermes = lived.copied(tmp_path / "home")
    with Store(hermes.database) as store:
        session = store.resolve("latest").id
    preview = hermes.preview()
    model = ScriptedModel(steps=12, size=3_000)
    talk = Thread(target=hermes.chat, args=(model, "Something else"), kwargs={"proceed": False})
    talk.start()
    try:
        for _ in range(4):
            with Store(hermes.database) as store:
                rehearsal = rehearse(store, session, preview)
            undo(journal, execute(rehearsal, journal, force=["activity", "writer"]).undo_id)
    finally:
        talk.join()
    with Store(hermes.database) as store:
        newest = live_messages(store, store.resolve("latest").id)
    # A question, twelve calls with their results, an answer.
    assert len(newest) == 26
    logs = [path.read_text(errors="replace") for path in (hermes.home / "logs").rglob("*.log")]
    assert not any("database is locked" in text for text in logs)


@pytest.fixture(scope="module", params=[f"{release}-{source}" for release in RELEASES for source in SOURCES])
def stored(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Hermes, list[Any]]:
    """A release with a conversation of pictures, parallel calls and reasoning, and what it sends of it."""
    release, source = request.param.split("-")
    home = tmp_path_factory.mktemp("hermes") / "home"
    home.mkdir()
    hermes = Hermes(installed(release), home)
    write_with(hermes.venv / "bin" / "python", hermes.database, source)
    return hermes, sent(hermes.copied(home.parent / "asked"))


def sent(hermes: Hermes) -> list[Any]:
    """The whole messages of the next request, the system prompt left out."""
    model = ScriptedModel(steps=0)
    hermes.chat(model, ASK, session=SESSION)
    return [message for message in model.requests[0] if message["role"] != "system"]


def plain(message: Message) -> dict[str, Any]:
    """A message without the marks of the running program."""
    return {key: value for key, value in message.wire.items() if not key.startswith("_")}


def test_whatever_a_kept_message_holds_is_sent_as_before(
    stored: tuple[Hermes, list[Any]], tmp_path: Path, journal: Journal
) -> None:
    original, before = stored
    hermes = original.copied(tmp_path / "home")
    preview, _ = compressed(hermes, journal)
    places = {message.row.id: place for place, message in enumerate(preview.before) if message.row}
    *after, asked = sent(hermes)
    kept = 0
    for message, wire in zip(preview.after, after, strict=True):
        place = places.get(message.row.id) if message.row else None
        if place is not None and plain(message) == plain(preview.before[place]):
            assert wire == before[place]
            kept += 1
        else:
            assert spoken([wire]) == spoken([dict(message.wire)])
    assert asked == before[-1]
    assert kept > preview.plan.head.size


def test_whatever_a_message_holds_is_sent_again_after_undo(
    stored: tuple[Hermes, list[Any]], tmp_path: Path, journal: Journal
) -> None:
    original, before = stored
    hermes = original.copied(tmp_path / "home")
    _, applied = compressed(hermes, journal)
    undo(journal, applied.undo_id)
    assert sent(hermes) == before
