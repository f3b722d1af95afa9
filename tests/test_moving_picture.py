"""The moving picture in README and tour shows the app as it is, and stays small."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from rich.segment import Segment

from tests.reference.moving_frames import STEPS, Frame
from tests.reference.moving_picture import CAST, SVG, cast, moving, play

SHOWN = ("19 conversations", "/ auth", "before your message", "29 turns", "Saves little", "lost",
         "Not due yet", "today", "Largest: claude-opus-4-5")  # fmt: skip
"""What stands on screen after each step."""


async def test_the_jobs_are_played_in_the_app_as_it_is(sample_home: Path) -> None:
    played = await play(sample_home)
    assert [word for word, frame in zip(SHOWN, played, strict=True) if word not in frame.text] == []


def test_the_picture_is_small_and_moves_without_a_script_or_a_server() -> None:
    text = SVG.read_text(encoding="utf-8")
    assert len(text) < 500_000
    assert "<script" not in text
    assert text.count("http") == 1  # the name of SVG itself
    said = "".join(ElementTree.fromstring(text).itertext())
    assert [step.says for step in STEPS if step.says not in said] == []


def test_the_recording_is_one_of_asciinema() -> None:
    head, *events = map(json.loads, CAST.read_text(encoding="utf-8").splitlines())
    assert (head["version"], head["width"]) == (2, 100)
    times = [event[0] for event in events]
    assert times == sorted(times)
    assert len(events) == len(STEPS) + 1


def test_a_line_that_stays_is_drawn_once_and_each_frame_has_its_time() -> None:
    stays, other = (Segment("the same"),), (Segment("<another>"),)
    frames = [Frame((stays,), "one", 1.0), Frame((stays, other), "two", 3.0)]
    drawn = moving(frames)
    assert drawn.count(">the same<") == 1
    assert "&lt;another&gt;" in drawn
    assert "@keyframes f1{0%{visibility:hidden}25.00%{visibility:visible}" in drawn
    assert [json.loads(line)[0] for line in cast(frames).splitlines()[1:]] == [0.0, 1.0, 4.0]
