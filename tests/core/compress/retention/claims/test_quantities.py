"""A count, a limit or a number a thing goes by that the messages give otherwise is flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Let the uploader try again when the office proxy is slow."),
    *call("patch", "ok", path="src/upload.py", new_string="for attempt in range(4): send()"),
    assistant("The upload is tried up to 4 times now: 4 attempts, one every 30 seconds."),
    *call("terminal", "3 warnings, 0 errors\nfinished in 68.077s", command="ruff check src"),
    *call("terminal", "402M\tuploads.tar.zst\nnames are 0x1e long, two names are one name", command="du -h"),
    *call("patch", "ok", path="src/upload.go", new_string="const stale = 5 * time.Hour // not 12 hours"),
    assistant("The newest 6 uploads are listed, no more. Labels are cut after twelve characters."),
    *call("terminal", "score 0.9450567479871234; older than 300 seconds: 0", command="python evaluate.py"),
    assistant("The archive of labels comes to 7.1 MB instead of less."),
    *call("terminal", "labels.zip (7.4 MB): score 0.7949974\n17315608446 2 fail", command="python pack.py"),
    *call("balance", '{"余额": 88120.50, "限额": 90000.00, "timeout": 240, "retries": 480}', account="12"),
    assistant("Pegel 5521 bleibt, Pegel 5533 wird geschlossen. Hermes 4471 is a build."),
    assistant("A slot costs nineteen hundred rupees per second."),
    assistant("La estación tiene 1.904 huecos. It prints the number 4, and that 16 times."),
]


def flagged(claim: str) -> list[str]:
    return [
        one.value
        for one in retention(
            WORK, f"The uploader was slow, as the office proxy often is.\n{claim}"
        ).unsupported
    ]


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("The upload gives up after 9 attempts.", "9 attempts"),
        ("It waits 45 seconds between them.", "45 seconds"),
        ("The linter found 8 warnings.", "8 warnings"),
        ("The linter found 8 unused-import warnings in it.", "8 warnings"),
        ("The page lists up to 11 uploads.", "11 uploads"),
        ("Labels are cut after thirty chars or 20 chars.", "20 chars"),
        ("It stops after eight retries.", "eight retries"),
        ("The score is 0.94507.", "0.94507"),
        ("账户余额90000.00。", "90000.00"),
        ("The call has a timeout of 480.", "480"),
        ("Pegel 4471 wird geschlossen.", "4471"),
    ],
)
def test_what_is_counted_otherwise_is_flagged(claim: str, value: str) -> None:
    assert flagged(claim) == [value]


@pytest.mark.parametrize(
    "claim",
    [
        "The upload gives up after four attempts.",
        "It waits 30 seconds between them.",
        "The linter found 3 warnings.",
        "The linter found 3 unused-import warnings and 2 files.",
        "The page lists up to 6 uploads.",
        "Labels are cut after 12 chars.",
        "It waits for about 40 seconds in all.",
        "The linter was done after 68 s, and what is older than 5 hours is stale.",
        "Two files were read.",
        "The archive has 402 MB.",
        "These are 30-character names.",
        "The score is 0.94506.",
        "Its score is 0.79500.",
        "账户余额88,120.50。",
        "The call has a timeout of 240.",
        "The list showed the last nine warnings, and upload 17315608446 failed.",
        "Pegel 5533 wird geschlossen.",
        "The zip was built anew, 7.4 MB instead of 3.",
        "Nothing is older than 300 s.",
        "Se excluyó la estación por sus 1904 huecos.",
        "It prints the number 4 sixteen times.",
        "A name takes 30 bytes.",
        "The linter knows six error codes and five warning levels.",
        "Of attempts 1 or 2 failed, and the other two attempts waited 30 seconds.",
        "A slot costs 1,900 rupees a second.",
        "Of level 9 real time warnings nothing is known, and 3 of 8 warnings are old.",
        "Three of eight warnings are old.",
    ],
)
def test_the_same_counted_rightly_or_roughly_is_not(claim: str) -> None:
    assert flagged(claim) == []


def test_what_a_program_counted_once_is_not_a_false_tally() -> None:
    runs = [
        *call(
            "terminal",
            "lint of the uploader\n" + "x = 1\n" * 200 + "15 issues:\n* errcheck: 3",
            command="make lint",
        ),
        assistant("The lint run of the uploader now lists 0 issues."),
    ]
    assert retention(runs, "The first lint run of the uploader listed 15 issues.").unsupported == ()


def test_of_two_words_that_may_be_what_is_counted_every_run_names_the_same() -> None:
    said = [
        assistant(f"Note {name} says that nothing of the kind is planned.")
        for name in ("alpha", "beta", "gamma")
    ]
    limit = "Operators who raise the tenant limit above {} should also raise the region timeout."
    told = [*WORK, *said, user(limit.format(963)), assistant("Build 2334 is out.")]
    summary = f"The uploader was slow, as the office proxy often is.\n{limit.format(2334)}"
    assert [one.value for one in retention(told, summary).unsupported] == ["2334 raise"]


@pytest.mark.parametrize(
    "true",
    ["The connection to port 22 times out.", "هر دو خطای 404 دادند"],
)
def test_what_names_a_thing_counts_nothing_behind_it(true: str) -> None:
    work = [
        user("Why is the host slow?"),
        assistant("چت با خطای 429 مواجه بود"),
        *call("terminal", "ssh: connect to host a port 22: timed out\nHTTP Error 404: none", command="ssh a"),
        *call("terminal", "it was tried 30 times; 30 times out of 31 it is slow", command="count"),
    ]
    assert retention(work, true).unsupported == ()


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("MAX_ROWS defaults to 50.", False),
        ("`max_rows` = 50 since the last run.", False),
        ("MAX_ROWS defaults to 30.", True),
        ("page_size is 50.", True),
        ("MAX_WAIT was set to 45.", True),
        ("RETRIES is 50.", True),
        ("The blur was made with sigmaColor=50.", False),
        ("The blur was made with sigmaColor=70.", True),
    ],
)
def test_a_setting_has_the_figure_that_the_messages_give_it(told: str, known: bool) -> None:
    work = [
        user("The export is slow; 50 rows would do."),
        *call(
            "write_file",
            "ok",
            path=".env",
            content="MAX_ROWS=30\npage_size: 50\nMAX_WAIT=60\nsigmaColor=70\n",
        ),
        *call("terminal", "| `MAX_WAIT` | waits 45 s, tells after 50 |", command="export --help"),
        assistant("The export reads MAX_ROWS and RETRIES."),
    ]
    assert (retention(work, told).unsupported == ()) is known


def test_the_whole_of_which_a_part_is_used_is_a_count_of_its_own() -> None:
    full = "Memory at 1,337/1,375 chars. This entry (146 chars) would exceed the limit."
    work = [
        user("Remember the channel."),
        *call("memory", full, action="add"),
        assistant("There is no room."),
    ]
    assert retention(work, "Saving it failed for lack of room (limit 1,375 chars).").unsupported == ()
    assert retention(work, "Saving it failed for lack of room (limit 1,575 chars).").unsupported != ()
