"""Trajectories at the speed of the tokenizer: one process beside it, two beside one, and memory."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Result, figures, inspector
from tests.benchmarks.stores import Stores

ENTRIES = 150
WORDS = ["parser", "index", "cache", "token", "stream", "shard", "queue", "worker", "données", "猫", "σ"]
LARGE = 2**30

SHARE = """
import json, os, sys, time
from core.account.tokenizers.vocabularies import encoding
from core.trajectory.compress.settings import Settings
from core.trajectory.input.cut import Shard
from core.trajectory.input.sources import find_input
from core.trajectory.shards.job import Job
from core.trajectory.shards.part import compress_shard
from core.trajectory.summaries.base import FILE, SummarySpec
path, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
tokenizer = encoding("o200k_base")
texts = [turn["value"] for line in open(path, "rb") for turn in json.loads(line)["conversations"]]
job = Job(find_input(path).sources, Settings("0.22"), SummarySpec(FILE, text="It went well."), folder)
ratios = []
for _ in range(7):
    began = time.process_time()
    for text in texts:
        tokenizer.encode_ordinary(text)
    alone = time.process_time() - began
    began = time.process_time()
    compress_shard(job, Shard(0, 0, 0, None))
    ratios.append((time.process_time() - began) / alone)
print(sorted(ratios)[len(ratios) // 2])
"""


def results(made: Stores) -> Iterator[Result]:
    """Ratios of processor time, of wall-clock time, and the peak of memory."""
    folder = made.small.parent / "trajectories"
    folder.mkdir(exist_ok=True)
    path = _made(folder / "in.jsonl", ENTRIES)
    share = figures(SHARE, str(path), str(folder / "parts"))[0]
    yield Result("trajectories in one process, beside the tokenizer alone", share, "x", 1 / 0.9)
    one, two = (_seconds(path, folder, jobs) for jobs in (1, 2))
    yield Result("trajectories in two processes, beside one", two / one, "x", 1 / 1.8)
    yield Result("memory for a gigabyte of trajectories, each process", _peak(folder, path), "MiB", 400)


def _made(path: Path, count: int) -> Path:
    """Trajectories of 1 to 60 rounds."""
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(count):
            turns = [_turn("system", 200, draw)]
            for _ in range(draw.randint(1, 60)):
                turns += [_turn("human", 40, draw), _turn("gpt", 150, draw), _turn("tool", 600, draw)]
            stream.write(json.dumps({"conversations": turns}, ensure_ascii=False) + "\n")
    return path


def _turn(role: str, words: int, draw: random.Random) -> dict[str, str]:
    return {"from": role, "value": " ".join(draw.choice(WORDS) for _ in range(words))}


def _seconds(path: Path, folder: Path, jobs: int) -> float:
    words = ("--summariser", "static", "--jobs", str(jobs), "--restart")
    return inspector("trajectory", str(path), str(folder / "out.jsonl"), *words, runs=3).seconds


def _peak(folder: Path, path: Path) -> float:
    """Peak of the largest process while a file of a gigabyte is cut; its entries are the same ones again."""
    large, block = folder / "large.jsonl", path.read_bytes()
    with large.open("wb") as stream:
        for _ in range(LARGE // len(block) + 1):
            stream.write(block)
    words = ("--summariser", "static", "--jobs", "2", "--restart")
    return inspector("trajectory", str(large), str(folder / "large.out.jsonl"), *words, runs=1).peak
