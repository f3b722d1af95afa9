"""Trajectories at the speed of tiktoken: one process compared with it, two with one, and memory."""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.benchmarks.measure import Result, figures, inspector, inspector_peak
from tests.benchmarks.stores import Stores

ENTRIES = 150
PROMPTS = 4
"""Sets share few system prompts."""
TWO, LARGE = 2**27, 2**30
"""Bytes: enough that starting a process, half a second, is a small part of a run; and a gigabyte."""
MOST = 1 / 0.9
EXTRACTIVE = 2.0
"""Times tiktoken without the extra `fast`: facts are read out of the turns, and credentials masked."""

SHARE = """
import json, os, sys, time
from core.trajectory.compress.plan import Settings
from core.trajectory.input.cut import read_lines
from core.trajectory.input.sources import find_input
from core.trajectory.shards.job import Job
from core.trajectory.shards.part import compress_shard
from core.trajectory.summaries.base import FILE, SummarySpec
path, folder, kind, quick = sys.argv[1:]
if not quick:
    sys.modules["toktok"] = None
from core.account.tokenizers.vocabularies import encoding
os.makedirs(folder, exist_ok=True)
count = encoding("o200k_base").encode_ordinary
job = Job(find_input(path).sources, Settings("0.22"), SummarySpec(kind, text="It went well."), folder)

def texts(shard):
    lines = read_lines(job.sources[0], shard)
    return [turn["value"] for line in lines for turn in json.loads(line)["conversations"]]

def took(action, *given):
    began = time.process_time()
    action(*given)
    return time.process_time() - began

def tokenize(found):
    for text in found:
        count(text)

alone = whole = 0.0
for shard in job.shards:
    tried = [(took(tokenize, texts(shard)), took(compress_shard, job, shard)) for _ in range(7)]
    alone += min(one for one, _ in tried)
    whole += min(one for _, one in tried)
print(whole / alone)
"""


def results(made: Stores) -> Iterator[Result]:
    """Ratios of processor time, of wall-clock time, and the peak of memory."""
    folder = made.small.parent / "trajectories"
    folder.mkdir(exist_ok=True)
    path = _made(folder / "in.jsonl", ENTRIES)
    for kind, slow in (("file", MOST), ("static", MOST), ("extractive", EXTRACTIVE)):
        for quick, told, most in (("quick", "with toktok", MOST), ("", "without it", slow)):
            share = figures(SHARE, str(path), str(folder / "parts"), kind, quick)[0]
            yield Result(
                f"trajectories ({kind}) in one process, {told}, beside tiktoken alone", share, "x", most
            )
    large = _repeated(path, folder / "two.jsonl", TWO)
    one, two = (_seconds(large, folder, jobs) for jobs in (1, 2))
    yield Result("trajectories in two processes, beside one", two / one, "x", 1 / 1.8)
    yield Result("memory for a gigabyte of trajectories, each process", _peak(folder, path), "MiB", 400)


def _made(path: Path, count: int) -> Path:
    """Trajectories of 1 to 60 rounds, of text as agents read it: the source of Python's library."""
    draw = random.Random(1)
    prompts = [_turn("system", 6_000, draw) for _ in range(PROMPTS)]
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(count):
            turns = [draw.choice(prompts)]
            for _ in range(draw.randint(1, 60)):
                turns += [_turn("human", 200, draw), _turn("gpt", 500, draw), _turn("tool", 2_000, draw)]
            stream.write(json.dumps({"conversations": turns}, ensure_ascii=False) + "\n")
    return path


@cache
def _library() -> str:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return "".join(path.read_text("utf-8", "replace") for path in files)


def _turn(role: str, characters: int, draw: random.Random) -> dict[str, str]:
    text = _library()
    size = draw.randint(characters // 4, characters * 7 // 4)
    start = draw.randrange(len(text) - size)
    return {"from": role, "value": text[start : start + size]}


def _seconds(path: Path, folder: Path, jobs: int) -> float:
    words = ("--summariser", "static", "--jobs", str(jobs), "--restart")
    return inspector("trajectory", str(path), str(folder / "out.jsonl"), *words, runs=3).seconds


def _repeated(path: Path, into: Path, size: int) -> Path:
    """A file of at least a size; its entries are the same ones again."""
    block = path.read_bytes()
    with into.open("wb") as stream:
        for _ in range(size // len(block) + 1):
            stream.write(block)
    return into


def _peak(folder: Path, path: Path) -> float:
    """Peak of the largest process while a file of a gigabyte is cut."""
    large = _repeated(path, folder / "large.jsonl", LARGE)
    words = ("--summariser", "static", "--jobs", "2", "--restart")
    return inspector_peak("trajectory", str(large), str(folder / "large.out.jsonl"), *words)
