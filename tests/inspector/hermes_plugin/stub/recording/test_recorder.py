"""The recorder: what it keeps of requests, and that nothing it meets reaches the chat."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.recordings.read import Recording
from core.recordings.sent_lists import prefix_breaks
from inspector.hermes_plugin.stub.hooks import PASSES, RECORDS, REMEMBERS, SWITCH, register_hooks
from inspector.hermes_plugin.stub.recording.recorder import Recorder
from inspector.hermes_plugin.stub.recording.recording_file import FILE_NAME, opened
from inspector.hermes_plugin.stub.settings import Settings

USAGE = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 3, "cache_write_tokens": 0}
TOOLS = [{"type": "function", "function": {"name": "terminal", "parameters": {}}}]


def chosen(folder: Path) -> Settings:
    return Settings(
        home=str(folder / "home"),
        python="",
        root="",
        state=str(folder / "state"),
        engine=False,
        recorder=True,
        summariser={},
    )


def recorder(folder: Path) -> Recorder:
    return Recorder(chosen(folder))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    return tmp_path


def request(one: Recorder, number: int, messages: list[dict[str, Any]], **more: Any) -> None:
    common = {"session_id": "s1", "api_request_id": f"r{number}", "model": "m", "provider": "p"}
    body = {"messages": messages, "tools": more.pop("tools", TOOLS)}
    one.hook("pre_api_request")(
        **common, base_url="http://127.0.0.1:1/v1", message_count=len(messages), request={"body": body}
    )
    one.hook("post_api_request")(**common, api_duration=0.5, finish_reason="stop", usage=USAGE, **more)


def talk(turns: int, system: str = "Be brief.") -> list[dict[str, Any]]:
    rows = [{"role": "system", "content": system}]
    for turn in range(turns):
        rows += [{"role": "user", "content": f"q{turn}"}, {"role": "assistant", "content": f"a{turn}"}]
    return rows


def test_requests_are_kept_with_their_sizes_and_the_provider_s_counts(place: Path) -> None:
    one = recorder(place)
    for turns in (1, 2, 3):
        request(one, turns, talk(turns))
    one.flush(10)
    found = Recording(place / "state").requests(place / "home", ("s1",))
    assert [(request.kept, len(request.added)) for request in found] == [(0, 3), (3, 2), (5, 2)]
    assert all(request.usage is not None and request.usage.input == 100 for request in found)
    assert found[0].parts["system"] == len("Be brief.")
    assert prefix_breaks(found) == ()


@pytest.mark.parametrize(("value", "recorded"), [("", True), ("on", True), ("off", False), ("OFF", False)])
def test_one_run_of_hermes_can_go_unrecorded(
    place: Path, monkeypatch: pytest.MonkeyPatch, value: str, recorded: bool
) -> None:
    monkeypatch.setenv(SWITCH, value)
    registered: list[str] = []
    register_hooks(SimpleNamespace(register_hook=lambda hook, _: registered.append(hook)), chosen(place))
    assert set(REMEMBERS) <= set(registered)
    assert bool(set(RECORDS) & set(registered)) == recorded


def test_a_prefix_that_breaks_is_named_with_its_place(place: Path) -> None:
    one = recorder(place)
    request(one, 1, talk(3))
    request(one, 2, [*talk(1), {"role": "user", "content": "a summary"}])
    request(one, 3, talk(1, "Be long."))
    request(one, 4, talk(1, "Be long."), tools=[*TOOLS, *TOOLS])
    one.flush(10)
    found = prefix_breaks(Recording(place / "state").requests(place / "home", ("s1",)))
    assert [(one.cause, one.at) for one in found] == [("messages", 3), ("system", None), ("tools", None)]


CUT = {"_truncated": True, "original_type": "dict", "preview": "{"}


def long_request(one: Recorder, number: int, tools: list[Any] | None, **passed: Any) -> None:
    """A request whose body a hook is shown cut; where a release lets it, it passes by whole."""
    common = {"session_id": "s1", "api_request_id": f"r{number}"}
    shown = {"request_messages": talk(number)[1:], "request": CUT, "tool_count": 1}
    one.hook("pre_api_request")(**common, **shown)
    if tools is not None:
        answer = one.middleware()(request={"tools": tools, **passed}, next_call=lambda sent: sent, **common)
        assert answer == {"tools": tools, **passed}
    one.hook("post_api_request")(**common, usage=USAGE)


def test_tools_and_system_prompt_are_known_where_the_request_passes_by_whole(place: Path) -> None:
    one, other = recorder(place), [{"name": "read", "input_schema": {}}]
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    for number, tools in enumerate((TOOLS, TOOLS, other), start=1):
        long_request(one, number, tools, system=system)
    one.flush(10)
    recording = Recording(place / "state")
    found = recording.requests(place / "home", ("s1",))
    assert found[0].tools == found[1].tools != found[2].tools
    assert recording.tool_sizes(found[2].tools or "") == {"read": found[2].parts["tools"]}
    assert [request.parts["system"] for request in found] == [len("Be brief.")] * 3
    assert [broken.cause for broken in prefix_breaks(found)] == ["tools"]


def test_what_a_release_shows_cut_stays_unknown(place: Path) -> None:
    one = recorder(place)
    request(one, 1, talk(1))
    long_request(one, 2, None)
    one.flush(10)
    first, second = Recording(place / "state").requests(place / "home", ("s1",))
    assert (first.tools is None, second.tools, second.system) == (False, None, None)
    assert {"system", "tools"} <= first.parts.keys()
    assert not {"system", "tools"} & second.parts.keys()
    assert {"system", "tools"}.isdisjoint(broken.cause for broken in prefix_breaks((first, second)))


def test_a_request_that_was_never_answered_is_none_that_the_next_continues_from(place: Path) -> None:
    one = recorder(place)
    request(one, 1, talk(1))
    one.hook("pre_api_request")(session_id="s1", api_request_id="lost", request_messages=talk(5))
    request(one, 2, talk(2))
    one.flush(10)
    found = Recording(place / "state").requests(place / "home", ("s1",))
    assert [(request.kept, len(request.added)) for request in found] == [(0, 3), (3, 2)]


def test_the_failure_of_a_request_is_the_caller_s(place: Path) -> None:
    def refused(sent: Any) -> None:
        raise TimeoutError("the provider is busy")

    one = recorder(place)
    for sent in ({"tools": TOOLS}, None, 7):
        with pytest.raises(TimeoutError):
            one.middleware()(request=sent, next_call=refused, session_id="s1")
        assert one.middleware()(request=sent, next_call=lambda given: given) is sent


def test_a_release_that_lets_nobody_pass_is_asked_for_hooks_alone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: list[str] = []
    names = ("register_hook", "register_middleware")
    context = SimpleNamespace(**{name: lambda kind, _: kinds.append(kind) for name in names})
    register_hooks(context, chosen(place))
    assert PASSES not in kinds
    module = SimpleNamespace(VALID_MIDDLEWARE={PASSES})
    monkeypatch.setitem(sys.modules, "hermes_cli", SimpleNamespace(middleware=module))
    monkeypatch.setitem(sys.modules, "hermes_cli.middleware", module)
    register_hooks(context, chosen(place))
    assert PASSES in kinds


def test_no_text_of_a_message_is_kept(place: Path) -> None:
    one = recorder(place)
    request(one, 1, [{"role": "user", "content": "my password is hunter2"}])
    one.flush(10)
    everything = b"".join(path.read_bytes() for path in (place / "state").iterdir())
    assert b"hunter2" not in everything


@pytest.mark.skipif(sys.platform == "win32", reason="no such rights")
def test_the_file_is_the_owner_s_alone(place: Path) -> None:
    one = recorder(place)
    request(one, 1, talk(1))
    one.flush(10)
    assert stat.S_IMODE((place / "state" / FILE_NAME).stat().st_mode) == 0o600


def test_a_place_that_cannot_be_written_breaks_nothing_and_is_counted(place: Path) -> None:
    (place / "state").write_text("a file where a folder should be")
    one = recorder(place)
    request(one, 1, talk(1))
    one.flush(10)
    assert one.dropped == 1


def locked(place: Path) -> sqlite3.Connection:
    """Holds the file of the recordings until it is closed."""
    with opened(place / "state"):
        pass
    holder = sqlite3.connect(place / "state" / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    return holder


def test_a_locked_file_delays_no_hook_and_loses_nothing_once_free(place: Path) -> None:
    holder = locked(place)
    one = recorder(place)
    began = time.perf_counter()
    request(one, 1, talk(1))
    assert time.perf_counter() - began < 1.5  # waiting for the lock takes 2 s
    time.sleep(0.5)
    holder.close()
    one.flush(10)
    assert Recording(place / "state").extent().requests == 1


def test_a_hook_takes_whatever_it_is_given(place: Path) -> None:
    one = recorder(place)
    take = one.hook("post_api_request")
    take()
    take(usage=object(), api_duration="long", session_id=None, request=5)
    one.hook("pre_api_request")(request={"body": {"messages": [None, 3, {"role": ["x"]}]}}, tools=7)
    one.flush(10)
    assert one._thread is not None
    assert one._thread.is_alive()


def test_many_long_requests_all_keep_their_counts(place: Path) -> None:
    one = recorder(place)
    rows = talk(2_000)
    for number in range(400):
        request(one, number, rows)
    one.flush(60)
    found = Recording(place / "state").requests(place / "home", ("s1",))
    assert len(found) + one.dropped == 400
    assert one.dropped == 0
    assert sum(request.usage.input or 0 for request in found if request.usage is not None) == 40_000


def test_without_a_recording_there_is_nothing(tmp_path: Path) -> None:
    extent = Recording(tmp_path).extent()
    assert (extent.requests, extent.size, extent.since) == (0, 0, None)
    assert Recording(tmp_path).requests(tmp_path, ("s",)) == ()


def test_memory_and_skills_are_distinguished_from_the_rest_of_the_system_prompt(place: Path) -> None:
    line = "═" * 46
    memory = f"{line}\nMEMORY (your personal notes) [3% — 66/2,200 chars]\n{line}\nUses tabs.\n§\nLikes tea."
    skills = "<available_skills>\n  dev:\n    - review: reads a diff\n</available_skills>"
    system = f"You are an agent.\n\n{memory}\n\n## Skills\n{skills}\n\nBe brief."
    one = recorder(place)
    request(one, 1, talk(1, system))
    one.flush(10)
    [found] = Recording(place / "state").requests(place / "home", ("s1",))
    assert found.parts["memory"] == len(memory)
    assert found.parts["skills"] == len(skills)
    assert found.parts["system"] == len(system) - len(memory) - len(skills)


FULL_DISK = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tests.inspector.hermes_plugin.stub.recording.test_recorder import recorder, request, talk
one = recorder(Path(sys.argv[2]))
request(one, 0, talk(1))
one.flush(10)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
for number in range(1, 200):
    request(one, number, talk(50, f"Be brief, {number}."))
one.flush(20)
assert one.dropped > 0, one.dropped
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
request(one, 200, talk(1))
one.flush(10)
print("chat went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_full_disk_breaks_no_chat_and_what_was_lost_is_counted(place: Path) -> None:
    root = Path(__file__).parents[5]
    words = [sys.executable, "-c", FULL_DISK, str(root), str(place)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "chat went on" in done.stdout
    extent = Recording(place / "state").extent()
    assert extent.dropped > 0
    assert extent.requests + extent.dropped == 201


def test_a_file_locked_for_good_delays_no_hook_and_is_counted_once_free(place: Path) -> None:
    holder = locked(place)
    one = recorder(place)
    began = time.perf_counter()
    request(one, 1, talk(1))
    assert time.perf_counter() - began < 1.5  # waiting for the lock takes 2 s
    one.flush(15)
    assert one.dropped == 1
    holder.close()
    request(one, 2, talk(1))
    one.flush(15)
    extent = Recording(place / "state").extent()
    assert (extent.requests, extent.dropped) == (1, 1)
