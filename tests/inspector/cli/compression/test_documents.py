"""`compress` and `plan` of a session by the rules a document describes."""

from __future__ import annotations

import pytest

from core.hermes.policy.policy import documents
from tests.inspector.cli.conftest import Json

AUTH = "Refactor the auth module"


@pytest.mark.parametrize("name", documents())
def test_a_session_is_compressed_by_the_rules_of_a_document(as_json: Json, name: str) -> None:
    found = as_json("compress", AUTH, "--release", name)
    assert found["plan"]["release"] == name
    assert found["plan"]["tail"] == as_json("plan", AUTH, "--release", name)["tail"]
