"""Files of other kinds, and the message if the library that reads them is missing."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from inspector.cli.main import run
from tests.core.trajectory import sets

OPTIONS = ("--target", "900", "--summary-target", "60", "--summariser", "static", "--jobs", "1", "--json")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return sets.written(tmp_path / "plain.jsonl", sets.entries(9, 12))


@pytest.fixture
def whole(plain: Path, tmp_path: Path) -> bytes:
    assert run(["trajectory", str(plain), str(tmp_path / "whole.jsonl"), *OPTIONS]) == 0
    return (tmp_path / "whole.jsonl").read_bytes()


def zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return packed


def unzstd(data: bytes) -> bytes:
    import io

    reader = pytest.importorskip("zstandard").ZstdDecompressor().stream_reader(io.BytesIO(data))
    unpacked: bytes = reader.read()
    return unpacked


@pytest.mark.parametrize(
    ("ending", "pack", "unpack"), [(".gz", gzip.compress, gzip.decompress), (".zst", zstd, unzstd)]
)
def test_compressed_files_are_read_and_written(
    ending: str, pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes], plain: Path, whole: bytes
) -> None:
    source, output = plain.with_name(f"in.jsonl{ending}"), plain.with_name(f"out.jsonl{ending}")
    source.write_bytes(pack(plain.read_bytes()))
    assert run(["trajectory", str(source), str(output), *OPTIONS]) == 0
    assert unpack(output.read_bytes()) == whole


def test_a_damaged_file_is_one_clear_line(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = plain.with_name("in.jsonl.gz")
    source.write_bytes(gzip.compress(plain.read_bytes())[:-400])
    assert run(["trajectory", str(source), str(plain.with_name("out.jsonl")), *OPTIONS]) == 3
    assert "cannot be read" in capsys.readouterr().err


def test_a_folder_that_may_not_be_read_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(folder: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refused)
    assert run(["trajectory", str(tmp_path), str(tmp_path / "out"), *OPTIONS]) == 3
    assert f"{tmp_path}: cannot be read (Permission denied)" in capsys.readouterr().err


def test_parquet_rows_become_lines(plain: Path, whole: bytes) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    source = plain.with_name("in.parquet")
    rows = [json.loads(line) for line in plain.read_bytes().splitlines()]
    parquet.write_table(pyarrow.Table.from_pylist(rows), source, row_group_size=5)
    output = plain.with_name("out.jsonl")
    assert run(["trajectory", str(source), str(output), *OPTIONS]) == 0
    assert [json.loads(line) for line in output.read_bytes().splitlines()] == [
        json.loads(line) for line in whole.splitlines()
    ]


def test_parquet_rows_may_hold_what_json_has_no_type_for(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    row = {"conversations": [], "at": datetime(2026, 1, 31, 8), "usd": Decimal("1.5"), "hash": b"ab"}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "in.parquet")
    assert run(["trajectory", str(tmp_path / "in.parquet"), str(tmp_path / "out.jsonl"), *OPTIONS]) == 0
    (found,) = map(json.loads, (tmp_path / "out.jsonl").read_bytes().splitlines())
    assert (found["at"], found["usd"]) == ("2026-01-31 08:00:00", "1.5")


def test_a_tokenizer_json_counts(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.enable_truncation(3)
    made.save(str(plain.with_name("tokenizer.json")))
    words = sum(
        len(turn["value"].split())
        for line in plain.read_bytes().splitlines()
        for turn in json.loads(line)["conversations"]
    )
    run(
        [
            "trajectory",
            str(plain),
            "--dry-run",
            "--tokenizer",
            str(plain.with_name("tokenizer.json")),
            *OPTIONS,
        ]
    )
    assert json.loads(capsys.readouterr().out)["tokens"]["total_before"] == words


@pytest.mark.parametrize("words", [["--version"], ["trajectory", "--help"], []])
def test_a_plain_run_loads_nothing_of_the_extras(words: list[str], plain: Path) -> None:
    words = words or ["trajectory", str(plain), str(plain.with_name("out.jsonl")), *OPTIONS]
    names = ("anthropic", "fsspec", "openai", "pyarrow", "ray", "tokenizers", "zstandard")
    loaded = f"print(sys.modules.keys() & {set(names)})"
    code = f"import sys; from inspector.cli.main import run; run({words}); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.endswith("set()\n")


@pytest.mark.parametrize(
    ("module", "name", "options"),
    [
        ("zstandard", "in.jsonl.zst", ()),
        ("pyarrow", "in.parquet", ()),
        ("tokenizers", "plain.jsonl", ("--tokenizer", "t.json")),
        ("fsspec", "s3://bucket/in.jsonl", ()),
        ("ray", "plain.jsonl", ("--engine", "ray")),
    ],
)
def test_a_missing_extra_is_named_with_what_installs_it(
    module: str,
    name: str,
    options: tuple[str, ...],
    plain: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(plain.parent)
    Path("t.json").write_text("{}")
    if not Path(name).exists() and "://" not in name:
        Path(name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, module, None)
    assert run(["trajectory", name, "out.jsonl", *OPTIONS, *options]) == 4
    assert "pip install 'hermes-inspector[" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    ["compression: {target_max_tokens: 2026-02-31}", f"summarization: {{temperature: {'9' * 400}}}", "["],
    ids=["a day no month has", "a number beyond all bounds", "no YAML"],
)
def test_a_file_of_the_releases_tool_that_cannot_be_read_ends_in_one_line(
    words: str, plain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = plain.with_name("c.yaml")
    config.write_text(words)
    assert run(["trajectory", str(plain), str(plain.with_name("out.jsonl")), "--config", str(config)]) == 4
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_file_of_the_releases_tool_is_followed_and_what_is_not_used_is_named(
    plain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = plain.with_name("c.yaml")
    config.write_text(
        "tokenizer: {name: moonshotai/Kimi-K2-Thinking, trust_remote_code: true}\n"
        "compression: {target_max_tokens: 900, summary_target_tokens: 60}\n"
        "protected_turns: {first_tool: false, last_n_turns: 2}\n"
        "processing: {num_workers: 4, skip_under_target: true}\n"
        "output: {add_summary_notice: false}\n"
    )
    output = plain.with_name("out.jsonl")
    words = ("--config", str(config), "--summariser", "static", "--jobs", "1", "--json")
    assert run(["trajectory", str(plain), str(output), *words]) == 0
    told = capsys.readouterr()
    assert (
        "ignored: processing.num_workers, processing.skip_under_target, tokenizer.trust_remote_code"
        in told.err
    )
    assert "is not downloaded" in told.err
    assert json.loads(told.out)["summary"]["trajectories_compressed"] > 0
    assert b"may be summarized" not in output.read_bytes()
