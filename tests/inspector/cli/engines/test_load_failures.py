"""Each way an engine can fail to load: what `engines` says is what five releases, run on the same, do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.hermes.policy.policy import releases
from tests.inspector.cli.conftest import Cli

KIND = """
from agent.context_engine import ContextEngine
class {kind}(ContextEngine):
    name = {name!r}
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def {compress}(self, messages, **details): return messages
"""
HANDS = """
def register(ctx):
    ctx.register_context_engine(Engine())
"""
DATABASE = """
    def __init__(self): self.db = __import__("sqlite3").connect(":memory:")
"""
PLAIN = KIND.replace("(ContextEngine)", "").replace("from agent", "# from agent")
OLD = ["0.13", "0.14", "0.15", "0.16", "0.17"]
EVERY, FOLDERS = list(releases()), ["0.22"]


def kind(name: str = "mine", base: str = KIND, kind: str = "Engine", compress: str = "compress") -> str:
    return base.format(name=name, kind=kind, compress=compress)


def home(place: Path, source: str, *, selected: str = "mine", enabled: str = "mine", **more: str) -> Path:
    for folder, text in {"mine": source, **more}.items():
        (place / "plugins" / folder).mkdir(parents=True)
        (place / "plugins" / folder / "__init__.py").write_text(text)
        (place / "plugins" / folder / "plugin.yaml").write_text(f"name: {folder}\nversion: 1.0.0\n")
    (place / "config.yaml").write_text(
        f"context: {{engine: {selected}}}\nplugins: {{enabled: [{enabled}]}}\n"
    )
    return place


def told(place: Path, cli: Cli) -> dict[str, Any]:
    answer: dict[str, Any] = cli("engines", "--home", place, "--json").json
    return answer


RAISES = "def register(ctx):\n    raise ValueError('no licence')\n"
BOTH = "    ctx.register_context_engine(Second())\n"


@pytest.mark.parametrize(
    ("source", "accepted", "why"),
    [
        (kind() + HANDS, EVERY, None),
        ("import no_such_package\n" + kind() + HANDS, [], "No module named 'no_such_package'"),
        ("def (:\n" + kind() + HANDS, [], "SyntaxError"),
        ("raise RuntimeError('boom')\n" + kind() + HANDS, [], "RuntimeError: boom"),
        (kind() + "    def __init__(self): raise ValueError('no disk')\n" + HANDS, [], "no disk"),
        (kind(compress="squeeze") + HANDS, [], "abstract method"),
        (kind(base=PLAIN) + HANDS, FOLDERS, "does not inherit from Hermes' ContextEngine"),
        (kind() + DATABASE + HANDS, [*OLD, "0.22"], "cannot be copied for each agent"),
        (kind("other") + HANDS, EVERY, None),
        (kind() + RAISES, FOLDERS, "ValueError: no licence"),
        (kind() + HANDS + "    raise RuntimeError('late')\n", EVERY, None),
        (kind() + "def register(ctx): pass\n", FOLDERS, "register() hands over no engine"),
        (kind(), FOLDERS, "it has no register()"),
        ("# no MemoryProvider\n" + kind() + HANDS, FOLDERS, "it says 'MemoryProvider'"),
        (kind() + "def register(ctx): ctx.register_context_engine(Engine)\n", [], "hands over a class"),
    ],
)
def test_a_reason_is_given_for_every_release_that_does_not_take_it(
    tmp_path: Path, cli: Cli, source: str, accepted: list[str], why: str | None
) -> None:
    [_, one] = told(home(tmp_path, source), cli)["engines"]
    assert one["accepted_by"] == accepted
    reasons = {one["error"] or reason for reason in one["refused_by"].values()}
    assert len(reasons) == (0 if why is None else 1)
    assert why is None or why in reasons.pop()


@pytest.mark.parametrize(
    ("source", "selected", "force", "why"),
    [
        (kind() + HANDS, "mine", "mine", None),
        (kind("other") + HANDS, "other", "other", None),
        ("x = 'ContextEngine'\n", "mine", "compressor", "registers no context engine"),
        (kind() + kind("second", kind="Second") + HANDS + BOTH, "mine", "mine", None),
        (
            kind() + kind("second", kind="Second") + HANDS + BOTH,
            "second",
            "compressor",
            "'mine' is registered before it",
        ),
        (
            "import sys\nsys.exit(3)\n# ContextEngine\n",
            "compressor",
            None,
            "SystemExit: 3, which ends Hermes",
        ),
    ],
)
def test_what_runs_in_place_of_the_selected_engine_is_reported(
    tmp_path: Path,
    cli: Cli,
    source: str,
    selected: str,
    force: str | None,
    why: str | None,
) -> None:
    found = told(home(tmp_path, source, selected=selected), cli)
    assert found["in_force"] == force
    assert (found["why"] is None) == (why is None)
    assert why is None or why in found["why"]


def test_of_two_enabled_plugins_the_first_takes_the_only_place_but_not_a_folder_s(
    tmp_path: Path, cli: Cli
) -> None:
    place = home(tmp_path, kind() + HANDS, enabled="mine, zebra", zebra=kind("zebra") + HANDS)
    _, mine, zebra = told(place, cli)["engines"]
    assert mine["accepted_by"] == EVERY
    assert zebra["accepted_by"] == FOLDERS
    assert "'mine' is registered before it" in zebra["refused_by"]["0.19"]


@pytest.mark.parametrize(("enabled", "accepted"), [("mine", FOLDERS), ("elsewhere", EVERY)])
def test_a_plugin_is_enabled_by_the_name_of_its_manifest(
    tmp_path: Path, cli: Cli, enabled: str, accepted: list[str]
) -> None:
    place = home(tmp_path, kind() + HANDS, enabled=enabled)
    (place / "plugins" / "mine" / "plugin.yaml").write_text("name: elsewhere\n")
    assert told(place, cli)["engines"][1]["accepted_by"] == accepted


def test_a_folder_without_a_manifest_is_passed_over(tmp_path: Path, cli: Cli) -> None:
    place = home(tmp_path, kind() + HANDS)
    (place / "plugins" / "mine" / "plugin.yaml").unlink()
    [_, one] = told(place, cli)["engines"]
    assert (one["accepted_by"], one["refused_by"]["0.13"]) == (FOLDERS, "it has no plugin.yaml")
