"""Databases that real releases of Hermes left behind, read and compared with what is known about them."""

from __future__ import annotations

import json
import lzma
import shutil
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pytest

from core.store.store import Store
from tests.shared import shared

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The homes of real runs, unpacked."""
    target = tmp_path_factory.mktemp("runs")
    with tarfile.open(shared("truth/runs.tar.xz")) as archive:
        archive.extractall(target, filter="data")
    return target


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Databases of 21 releases, unpacked."""
    target = tmp_path_factory.mktemp("versions")
    with tarfile.open(shared("data/state-versions.tar.xz")) as archive:
        archive.extractall(target, filter="data")
    return target


def labels() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(shared("truth/labels.json").read_text())
    return loaded


def test_there_is_a_generation_for_every_compaction_of_a_real_run(homes: Path) -> None:
    wrong = {}
    for run, known in labels().items():
        done = [event for event in known["events"] if event["done"]]
        with Store(next(homes.glob(f"**/{run}/home/state.db"))) as store:
            conversation = store.conversation(store.conversations().rows[0].root.id)
            begun = [generation for generation in conversation.generations if generation.boundary]
            ends = [one["to_session"] for one in done]
            if [one.session_id for one in begun] != ends:
                wrong[run] = (len(begun), len(done))
            for one, event in zip(begun, done, strict=False):
                # The rows of a compaction are all there, unless its turn died before it was written.
                if one.row_ids and len(one.row_ids) < event["messages_after"]:
                    wrong[run] = (len(one.row_ids), event["messages_after"])
    assert wrong == {}


def test_logical_messages_count_once_where_hermes_names_them(homes: Path) -> None:
    for path in homes.glob("**/0.22*/**/state.db"):
        with Store(path) as store:
            conversation = store.conversation(store.conversations().rows[0].root.id)
            (distinct,) = store.connection.execute(
                "SELECT count(DISTINCT message_uid) FROM messages"
            ).fetchone()
            assert sum(generation.fresh for generation in conversation.generations) == distinct


def test_every_version_opens_and_agrees_with_plain_sql(versions: Path) -> None:
    paths = sorted(versions.glob("**/*.db"))
    assert len(paths) > 15
    for path in paths:
        _agrees(path)


def test_the_small_store_agrees_with_plain_sql(tmp_path: Path) -> None:
    path = tmp_path / "small.db"
    with lzma.open(shared("data/small.db.xz")) as packed, path.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    _agrees(path)


def _agrees(path: Path) -> None:
    plain = sqlite3.connect(path)
    (sessions,) = plain.execute("SELECT count(*) FROM sessions").fetchone()
    (messages,) = plain.execute("SELECT count(*) FROM messages").fetchone()
    (tokens,) = plain.execute("SELECT total(input_tokens) + total(output_tokens) FROM sessions").fetchone()
    plain.close()
    with Store(path) as store:
        rows = store.conversations().rows
        assert store.sessions().total == sum(len(row.sessions) for row in rows) == sessions
        assert sum((row.tokens.input or 0) + (row.tokens.output or 0) for row in rows) == tokens
        seen: list[int] = []
        for row in rows:
            conversation = store.conversation(row.tip.id)
            seen += [one for generation in conversation.generations for one in generation.row_ids]
            seen += conversation.rewound
            assert not [note for note in conversation.notes if "damaged" in note]
            store.messages(conversation.generations[-1].row_ids if conversation.generations else ())
        assert len(seen) == len(set(seen)) == messages
        assert store.health().damage == {}
