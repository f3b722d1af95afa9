"""A topic is found by what is rare in it."""

from __future__ import annotations

import pytest

from core.compress.facts.topic import Topic, nearest, root, stem, terms

DOCUMENTS = [
    "the auth module checks tokens",
    "open the parser module",
    "the parser module fails",
    "another module, another test",
    "write the report module",
]


@pytest.mark.parametrize("word", ["migration", "migrations"])
def test_endings_do_not_hide_a_word(word: str) -> None:
    assert stem(word) == stem("migration")


def test_a_compound_has_not_the_synonyms_of_its_first_part() -> None:
    assert root(stem("changes")) == root(stem("edited"))
    assert root(stem("changelog")) != root(stem("changes"))


def test_identifiers_give_their_parts_and_stopwords_nothing() -> None:
    assert terms("the checkRemoteMetadata of test_auth") == ("check", "remot", "metadata", "test", "auth")


def test_scripts_without_spaces_give_pairs() -> None:
    assert terms("压缩上下文") == ("压缩", "缩上", "上下", "下文")


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("src/auth.py", True),
        ("the authentication is broken", True),
        ("Authorization header", True),
        ("the module", False),
        ("an author", True),
        ("unauthorised", False),
        ("", False),
    ],
)
def test_the_rare_word_of_a_topic_decides(text: str, covered: bool) -> None:
    assert Topic.of("auth module", DOCUMENTS).covers(text) is covered


def test_a_topic_nobody_mentions_covers_nothing() -> None:
    topic = Topic.of("kubernetes", DOCUMENTS)
    assert not topic.covers("kubernetes")
    assert topic.weights == {}


@pytest.mark.parametrize("text", ["", "   ", "the of and", "?!"])
def test_a_topic_without_words_covers_nothing(text: str) -> None:
    assert Topic.of(text, DOCUMENTS).share("the auth module") == 0.0


def test_a_chinese_topic_is_found() -> None:
    topic = Topic.of("认证模块", ["认证模块有问题", "解析模块", "测试模块", "报告模块"])
    assert topic.covers("修复认证逻辑")
    assert not topic.covers("解析模块")


def test_the_name_of_a_file_is_used_in_full() -> None:
    topic = Topic.of("Reader_1.py", ["open src/reader_1.py", "open src/reader_12.py"])
    assert topic.covers("src/reader_1.py (read)")
    assert not topic.covers("src/reader_12.py")
    assert not topic.covers("another reader in Python")


def test_a_name_nobody_mentions_is_taken_by_its_parts() -> None:
    assert Topic.of("auth_module.py", DOCUMENTS).covers("the auth module checks tokens")


@pytest.mark.parametrize(
    ("text", "meant"),
    [("parsr", "parser"), ("Repotr", "report"), ("kubernetes", None), ("压缩", None), ("", None)],
)
def test_a_misspelt_topic_suggests_the_word_it_was_meant_for(text: str, meant: str | None) -> None:
    assert nearest(text, DOCUMENTS) == meant


def test_no_part_of_a_key_is_suggested() -> None:
    assert nearest("secretive", ["token sk-secretiv-9"]) is None


FILES = ["open src/auth.py", "src/parser.py fails", "tests/test_auth.py passes", "see src/report.py", "notes"]


@pytest.mark.parametrize(
    "topic", ["auth.py", "src/auth.py", "the bug in auth.py", "/elsewhere/auth.py", "auth.py, please"]
)
def test_a_file_is_matched_and_not_its_extension(topic: str) -> None:
    found = Topic.of(topic, FILES)
    assert found.covers("src/auth.py (changed)")
    assert not found.covers("src/parser.py")
    assert not found.covers("tests/test_auth.py")
    assert not found.covers("auth.py.bak and auth.pyc")


def test_two_files_are_matched_each() -> None:
    found = Topic.of("auth.py parser.py", FILES)
    assert [found.covers(text) for text in FILES] == [True, True, False, False, False]


@pytest.mark.parametrize("topic", ["missing.py", "the missing.py"])
def test_a_file_nobody_mentions_matches_no_other_of_its_kind(topic: str) -> None:
    assert Topic.of(topic, FILES).weights == {}


MODULES = ["inspect src/module_3.py", "module_3_test.py fails", "fix src/module_13.py", "open module_4.py"]


def test_a_name_without_its_extension_matches_its_file_and_no_other() -> None:
    for topic in ("module_3", "the src/module_3"):
        found = Topic.of(topic, MODULES)
        assert [found.covers(text) for text in MODULES] == [True, False, False, False], topic


@pytest.mark.parametrize("topic", ["module_9", "the ticket ENT-991"])
def test_another_number_is_another_thing(topic: str) -> None:
    found = Topic.of(topic, [*MODULES, "the ticket ENT-17 of Monday"])
    assert not found.covers("src/module_4.py")
    assert not found.covers("ENT-17")
