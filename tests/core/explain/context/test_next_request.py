"""How large the next request is, and what is read to say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.explain.context.context import open_context
from core.explain.context.next_request import next_request
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.live.writer import Writer


@pytest.mark.parametrize("release", ["0.19", "0.22"])
def test_where_a_line_tells_the_size_no_message_is_read(tmp_path: Path, release: str) -> None:
    writer = Writer(tmp_path / "home")
    writer.message("ask")
    writer.call(4_321)
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        context = open_context(store, "s1", release=release)
        assert next_request(context).tokens == 4_321
        assert not context.read
