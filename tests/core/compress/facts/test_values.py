"""Anchors are the facts a reader could check, and nothing else."""

from __future__ import annotations

import pytest

from core.compress.facts.values import emphasised, prose_values, values
from tests.timing import assert_linear


def _found(text: str) -> set[tuple[str, str]]:
    return set(values(text))


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("edit /srv/app/main.py now", ("paths", "/srv/app/main.py")),
        ("see src/auth/login.py:42:", ("paths", "src/auth/login.py")),
        ("in `README.md`.", ("paths", "README.md")),
        ("the og:image of Layout.astro is back", ("paths", "Layout.astro")),
        (r"C:\work\notes.txt", ("paths", r"C:\work\notes.txt")),
        ("src/net/hooks.go:255:func Retry", ("paths", "src/net/hooks.go")),
        ("src/net/hooks.go-233-func", ("paths", "src/net/hooks.go")),
        (r"in src\tests\new.py", ("paths", r"src\tests\new.py")),
        ("<tool_error>Path does not exist: x</tool_error>", ("errors", "Path does not exist: x")),
        ("請閱讀/Users/lin/doc.md", ("paths", "/Users/lin/doc.md")),
        ("修改了login.py文件", ("paths", "login.py")),
        ("在config.yaml中设置", ("paths", "config.yaml")),
        ("src/auth/login.py를 고쳤다", ("paths", "src/auth/login.py")),
        ("提交1abaa52e完成", ("hashes", "1abaa52e")),
        ("项目v2.docx", ("paths", "项目v2.docx")),
        ("~/.config/app.toml", ("paths", "~/.config/app.toml")),
        ("docs at https://example.org/a?b=1.", ("urls", "https://example.org/a?b=1")),
        ("已告知(https://board.example.one,用户 a)", ("urls", "https://board.example.one")),
        ("见 https://a.example/标签/?l=s 。", ("urls", "https://a.example/标签/?l=s")),
        ("at https://a.example/x,y?z=1, and", ("urls", "https://a.example/x,y?z=1")),
        ("the board is at tickets.example.com.", ("urls", "tickets.example.com")),
        ("git@x ssh://host/repo", ("urls", "ssh://host/repo")),
        ("commit 1abaa52 landed", ("hashes", "1abaa52")),
        ("write to ina.may@print-shop.example.", ("ids", "ina.may@print-shop.example")),
        ("draft E-207 and merge request !612", ("ids", "E-207")),
        ("draft E-207 and merge request !612", ("ids", "!612")),
        ("un acompte de 334,80 € est dû", ("numbers", "334,80 €")),
        ("ticket ENT-221 and #357", ("ids", "ENT-221")),
        ("ticket ENT-221 and #357", ("ids", "#357")),
        ("id 3e449b91-ddf2-4fd6-a3f6-c051142b7e90", ("ids", "3e449b91-ddf2-4fd6-a3f6-c051142b7e90")),
        ("user liam_khan_2521", ("ids", "liam_khan_2521")),
        ("reservation KHIK97", ("ids", "KHIK97")),
        ("room W114 is taken", ("ids", "W114")),
        ("the draft d-503 waits", ("ids", "d-503")),
        ("eslint: 8.0.0 → **9.31.0**", ("ids", "9.31.0")),
        ("upgraded to v2.5.0-rc1.", ("ids", "v2.5.0-rc1")),
        ("the gate answers at 10.0.20.7", ("ids", "10.0.20.7")),
        ("took 1.25 s", ("numbers", "1.25 s")),
        ("costs $1,746 in all", ("numbers", "$1,746")),
        ("at 85%", ("numbers", "85%")),
        ("共 42 个", ("numbers", "42 个")),
        ("E   AssertionError: 3 != 4\n", ("errors", "E AssertionError: 3 != 4")),
        ("bash: foo: command not found", ("errors", "bash: foo: command not found")),
        ("错误：文件不存在", ("errors", "错误：文件不存在")),
        ("ERROR [93:10] Two keys too many", ("errors", "ERROR [93:10] Two keys too many")),
        ("gzip: /tmp/a.gz: unexpected end of file", ("errors", "gzip: /tmp/a.gz: unexpected end of file")),
        (
            "output: ls: cannot access: No such file or directory",
            ("errors", "ls: cannot access: No such file or directory"),
        ),
        ("Unknown skill: brew-tea", ("errors", "Unknown skill: brew-tea")),
        ("rpc: context deadline exceeded", ("errors", "rpc: context deadline exceeded")),
        ("bind: address already in use", ("errors", "bind: address already in use")),
        ("sudo is not allowed here", ("errors", "sudo is not allowed here")),
    ],
)
def test_an_anchor_is_found(text: str, anchor: tuple[str, str]) -> None:
    assert anchor in _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "and/or either way, he/she said 3 things",
        "def f(x): return x + 1",
        '88→\treturn nil, fmt.Errorf("failed to read: %w", err)',
        "+    raise ValueError('no such file')",
        "// Non-fatal: we can still return",
        "finished without errors: no failures",
        '{"error": null, "exit_code": 0}',
        "the year 2026 and version 3",
        "71 行目と 3回目",
        "  4.3.3 Gap Analysis\n### 4.4.1 Setup of the Runs",
        "am 12.03.2026 waren es 1.234.567",
        "decade facade deadbeef",
        "request.app and os.environ.get, e.g. self.data",
        r"modified1\nmodified2\noriginal\nnew",
        "2> /dev/null < /dev/tty",
        "- If the branch is not found, it returns nothing",
        "fill #2D5A3D, text 9CDABC, on X11 with H264",
    ],
)
def test_talk_and_code_hold_no_anchors(text: str) -> None:
    assert _found(text) == set()


def test_what_is_between_two_spans_of_code_is_no_name() -> None:
    names = {fact.value for fact in prose_values("In `else` the `:` was dropped, giving `best_paths`.")}
    assert names == {"else", "best_paths"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("All checks passed in module_15.py, then in (TestRun.cs).", set()),
        ("`user_settings.json` is read by load_settings.", {"load_settings"}),
        ("module_15.py defines module_15 itself", {"module_15"}),
        ("call user_paths.json() or user_paths.load", {"user_paths.json", "user_paths"}),
    ],
)
def test_a_file_is_not_a_name_too(text: str, names: set[str]) -> None:
    assert {fact.value for fact in prose_values(text) if fact.category == "names"} == names


def test_a_listing_counts_as_a_few_facts_not_as_thousands() -> None:
    text = "\n".join(f"/data/run/part-{n:05d}.json" for n in range(5_000))
    assert len(values(text)) == 60


@pytest.mark.parametrize("unit", ["1", "a/", "1.", "error ", "x_1", ".py", "https://", "#1 "])
def test_the_time_grows_with_the_length_not_its_square(unit: str) -> None:
    assert_linear(values, unit)


@pytest.mark.parametrize("unit", ["aA", "Ab1", "a.", "a_", "A", "--a"])
def test_a_word_without_an_end_is_looked_at_no_longer_for_its_capitals(unit: str) -> None:
    """A key in base64 of 80 letters took longer than anybody waits."""
    assert_linear(lambda word: list(prose_values(f"keep {word}/ as it is")), unit)


def test_words_in_capitals_that_tables_take_for_truth_values_are_not_names() -> None:
    told = prose_values("YES, it was TRUE and not FALSE or NULL, and ACME_TOKEN stays")
    assert [one.value for one in told] == ["ACME_TOKEN"]


def test_a_heading_names_a_section_and_nothing_else() -> None:
    summary = "## Historical Task Snapshot\nFixed.\n\n### Old **Pending** User Asks\nAsk Jane Doe, the owner."
    assert [*emphasised(summary)] == ["Jane Doe"]
