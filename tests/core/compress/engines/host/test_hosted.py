"""An engine in its child process: what it returns, what is wrong with it, what it may not do."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from core.compress.engines.host.process import EngineFailed
from tests.core.compress.engines.builders import FIRST_TWO, compacted, conversation, engine


def test_an_engine_gets_the_conversation_and_its_list_comes_back(tmp_path: Path) -> None:
    found = compacted(engine(tmp_path, FIRST_TWO))
    assert list(found.messages) == conversation()[:2]
    assert found.would_fire
    assert found.engine.name == "small"


def test_a_call_to_a_model_is_answered_by_the_host(tmp_path: Path) -> None:
    body = """
    from agent.auxiliary_client import call_llm
    answer = call_llm(task="compression", messages=[{"role": "user", "content": "sum up"}], max_tokens=9)
    return [{"role": "user", "content": answer.choices[0].message.content}, *messages[-1:]]
    """
    assert compacted(engine(tmp_path, body)).messages[0]["content"] == "STUB"


def test_what_an_engine_prints_does_not_reach_the_pipe(tmp_path: Path) -> None:
    body = """
    print('{"messages": []}')
    sys.stdout.write("x" * 100_000)
    os.write(1, b"garbage")
    return messages[:2]
    """
    assert len(compacted(engine(tmp_path, body)).messages) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return 42", "a value of type int, not a list"),
        ("return None", "it returned None"),
        ("return [1, 2]", "message 0 of its list is a value of type int"),
        ("return [{'role': 'narrator', 'content': 'x'}]", "has the role 'narrator'"),
        ("return []", "an empty list"),
        ("return [{'role': 'user', 'content': {1, 2}}]", "its answer is not JSON"),
        ("os._exit(7)", "ended by itself"),
        ("os.kill(os.getpid(), 40); time.sleep(5)", "killed (signal 40)"),
        ("return self.compress(messages)", "RecursionError"),
        ("os.system('true')", "start no programs"),
        ("os.kill(os.getppid(), 9)", "send no signals"),
        ("os.killpg(os.getppid(), 9)", "send no signals"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "use no network"),
    ],
)
def test_a_failure_is_one_line_that_names_the_engine(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(EngineFailed) as caught:
        compacted(engine(tmp_path, body))
    # Python 3.13.0 itself is killed where another meets its limit of recursion.
    assert said in caught.value.line or (said, "SIGSEGV") == ("RecursionError", caught.value.line[-8:-1])
    assert caught.value.line.startswith("engine small: ")
    assert "\n" not in caught.value.line


WRITES_TO_THE_PIPE = """
for pipe in range(3, 9):
    try:
        os.write(pipe, {answer} + b"\\n")
    except OSError:
        pass
os._exit(0)
"""


def test_garbage_that_an_engine_writes_into_the_pipe_is_called_so(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="garbage into the pipe"):
        compacted(engine(tmp_path, WRITES_TO_THE_PIPE.format(answer="b'[' * 60_000")))


def test_what_an_engine_answers_for_the_host_is_believed_as_far_as_it_makes_sense(tmp_path: Path) -> None:
    answer = b'{"messages": [{"role": "user", "content": "x"}], "seconds": "soon"}'
    assert compacted(engine(tmp_path, WRITES_TO_THE_PIPE.format(answer=answer))).seconds == 0.0


@pytest.mark.parametrize("threshold", ["float('inf')", "10**400", "0", "'soon'"])
def test_a_threshold_that_no_request_can_reach_is_none(tmp_path: Path, threshold: str) -> None:
    place = engine(tmp_path, FIRST_TWO)
    with (place / "__init__.py").open("a") as source:
        source.write(f"Engine.threshold_tokens = property(lambda self: {threshold}, lambda *_: None)\n")
    assert compacted(place).threshold is None


def test_an_engine_that_hangs_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(EngineFailed, match="did not answer within 2 s"):
        compacted(engine(tmp_path, "while True: pass"), seconds=2)
    assert time.monotonic() - began < 15


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fork_bomb_stops_early_and_leaves_nobody_behind(tmp_path: Path) -> None:
    body = """
    while True:
        if os.fork() == 0:
            open(os.environ["HERMES_HOME"] + "/born", "a").write("x")
    """
    with pytest.raises(EngineFailed, match="8 processes at most"):
        compacted(engine(tmp_path, body))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells a child of its parent's end")
def test_a_process_that_left_its_group_ends_with_the_engine(tmp_path: Path) -> None:
    body = """
    child = os.fork()
    if child == 0:
        os.setsid()
        while True:
            time.sleep(0.1)
    time.sleep(0.5)
    return [{"role": "user", "content": str(child)}]
    """
    child = int(compacted(engine(tmp_path, body)).messages[0]["content"])
    until = time.monotonic() + 10
    while _runs(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    """It is there and not merely waiting to be counted as dead."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of memory")
def test_memory_is_bounded(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="MemoryError"):
        compacted(engine(tmp_path, "hoard = bytearray(2 << 30); return messages"))


def test_the_real_home_stays_as_it_is(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("model: m\n")
    (home / ".env").write_text("KEY=secret\n")
    body = f"""
    private = os.environ["HERMES_HOME"]
    seen = sorted(os.listdir(private))
    for name in seen:
        os.remove(os.path.join(private, name))
    refused = 0
    for act in (
        lambda: os.remove({str(home / "config.yaml")!r}),
        lambda: open({str(home / "new")!r}, "w"),
        lambda: os.rename({str(home / "config.yaml")!r}, {str(home / "moved")!r}),
    ):
        try:
            act()
        except OSError:
            refused += 1
    return [{{"role": "user", "content": f"{{seen}} {{refused}}"}}]
    """
    found = compacted(engine(tmp_path / "plugins", body), home=home)
    assert found.messages[0]["content"] == "['config.yaml'] 3"
    assert sorted(path.name for path in home.iterdir()) == [".env", "config.yaml"]
    assert (home / "config.yaml").read_text() == "model: m\n"


def test_a_broken_list_is_reported_as_broken(tmp_path: Path) -> None:
    body = """
    return [{k: v for k, v in row.items() if k != "tool_call_id"} for row in messages[:7]]
    """
    found = compacted(engine(tmp_path, body))
    assert "3 tool results without a tool_call_id" in found.problems


def test_an_engine_that_changes_the_list_it_was_given_is_reported(tmp_path: Path) -> None:
    found = compacted(engine(tmp_path, "messages[0]['content'] = 'x'; return messages"))
    assert found.problems == ("it changed the list it was given",)


def test_keys_of_the_environment_do_not_reach_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-should-see-this")
    found = compacted(engine(tmp_path, "return [{'role': 'user', 'content': str(dict(os.environ))}]"))
    assert "sk-nobody" not in json.dumps(found.messages)


def test_an_engine_that_does_not_import_says_why(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="ModuleNotFoundError: No module named 'nowhere_to_be_found'"):
        compacted(engine(tmp_path, FIRST_TWO, before="import nowhere_to_be_found\n"))


def test_of_two_engines_a_folder_hands_over_the_last_is_run(tmp_path: Path) -> None:
    place = engine(tmp_path, FIRST_TWO)
    with (place / "__init__.py").open("a") as source:
        source.write(
            "    second = Engine()\n    second.name = 'second'\n    ctx.register_context_engine(second)\n"
        )
    found = compacted(place)
    assert (found.engine.name, found.engine.handed) == ("second", ("small", "second"))
