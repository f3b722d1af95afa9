"""What a person said in a message, apart from what clients put around it."""

from __future__ import annotations

import pytest

from core.compress.facts.readable import views
from core.compress.facts.said import (
    added_by_gateway,
    own_words,
    sentences,
    typed_command,
    without_additions,
    without_colours,
    without_reminders,
)
from core.model.transcript.message import Message
from tests.timing import assert_linear

_REVIEW = (
    "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
    "<command-args>this branch</command-args>"
)
_CLEAR = (
    "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n"
    "<command-args></command-args>"
)


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        (_REVIEW, "/review this branch"),
        (_REVIEW.partition("\n<command-args>")[0], "/review"),
        (_CLEAR, ""),
        ("Look at <b>this</b>", ""),
    ],
)
def test_a_command_with_its_arguments_is_what_a_person_typed(message: str, typed: str) -> None:
    assert typed_command(message) == typed


def test_words_beside_a_command_stay() -> None:
    reminder = "<system-reminder>Nothing new.</system-reminder>"
    assert without_reminders(f"{_REVIEW}\n{reminder} and be quick") == "/review this branch and be quick"


def test_a_typed_command_is_a_request_and_the_skill_it_loads_is_not() -> None:
    texts = (_REVIEW, "# Review\n\nDo it.")
    asked, loaded = views([Message({"role": "user", "content": text}) for text in texts])
    assert (asked.request, asked.text) == (True, "/review this branch")
    assert (loaded.request, loaded.role) == (False, "tool")


@pytest.mark.parametrize("start", ["\x1b", "\\u001b", ""])
def test_colours_of_a_terminal_go(start: str) -> None:
    painted = f"{start}[1m{start}[31m1 failed{start}[39m | {start}[32m63 passed{start}[0m"
    assert without_colours(painted) == "1 failed | 63 passed"
    assert without_colours("a[1] and [2m apart") == "a[1] and [2m apart"


_HISTORY = (
    "Chat history since last reply (untrusted, for context):\n```json\n"
    '[{"sender": "Ian", "body": "is my \\"home\\" calendar full?"}, {"body": "look again"}]\n```\n\n'
)
_HEARD = '[The user sent a voice message~ Here\'s what they said: "Send it to this group."]'
_OUTSIDE = (
    'add it\n\nUntrusted context (metadata):\n\n<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\n'
    'Source: External\n---\nadd it\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>'
)


_SKILL = (
    '[IMPORTANT: The user has invoked the "tidy" skill, so follow it. It is loaded below.]\n\n'
    "# Tidy\n\nYou must never touch main.\n\n[Skill directory: /home/a/.hermes/skills/tidy]\n"
)
_TYPED = "The user has provided the following instruction alongside the skill invocation: sort the imports"
_BUNDLE = (
    '[IMPORTANT: The user has invoked the "ship" skill bundle, loading 2 skills together.]\n\n'
    "Skills loaded: a, b\n\nUser instruction: release 1.2\n\n[Loaded as part of the bundle.]\n\nNever push."
)
_BOUND = (
    '[IMPORTANT: The "news" skill is auto-loaded. It holds here.]\n\nAlways cite.\n'
    "Scripts run using the absolute path.\n\nwhat is new?"
)
_JOB = (
    '[IMPORTANT: You are running as a scheduled cron job. SILENT: answer "[SILENT]" (nothing else) '
    "if there is nothing new.]\n\nSum up the mails."
)
_FIRST = (
    "[Note: model was just switched from a to b via openai. So say who you are.]\n\n"
    "hello\n\n[System note: Nobody wrote before. If they agree:\n  1. Ask [all].\n"
    "Never read their mail.]"
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (_SKILL, "/tidy"),
        (_SKILL + "\n" + _TYPED, "/tidy sort the imports"),
        (f"{_SKILL}\n{_TYPED}\n\n[Runtime note: no terminal here]", "/tidy sort the imports"),
        (_BUNDLE, "/ship release 1.2"),
        (_BUNDLE.replace("User instruction", "Bundle instruction"), "/ship"),
        (_BUNDLE.replace('"ship"', '"/tidy /test"'), "/tidy /test release 1.2"),
        (_BOUND, "what is new?"),
        (_JOB, "Sum up the mails."),
        (_FIRST, "hello"),
        ('[Replying to your previous message: "Shall I [push]?\nOr not?"]\n\nyes, push', "yes, push"),
        ("[Voice channel now: #talk, 2 people]\n\nhear me?", "hear me?"),
        ("[IMPORTANT] keep the [System note: x] in it", "[IMPORTANT] keep the [System note: x] in it"),
        (
            "System: [2026-02-18 18:31:02 GMT+8] Feishu[main] message in group oc_1: go\n\ngo on",
            "go on",
        ),
    ],
)
def test_what_hermes_and_a_gateway_put_around_a_request_is_no_part_of_it(message: str, said: str) -> None:
    assert without_additions(message) == said


@pytest.mark.parametrize(
    "notice",
    [
        "[IMPORTANT: 2 background processes completed. Read their output.]\nall ok",
        "[ASYNC DELEGATION COMPLETE — d1]\nDone.",
        "[IMPORTANT: MCP servers have been reloaded. 2 tools.]",
        "System: [2026-02-18 19:24:31 GMT+8] Exec completed (kind-cov, code 0) :: 12 passed",
        "<recommended_plugins>\nMail and calendar can be installed.\n</recommended_plugins>",
        "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>",
        "A new session was started via /new or /reset. Greet the user in one sentence.",
    ],
)
def test_what_a_program_reports_in_the_user_s_place_is_no_request(notice: str) -> None:
    assert not views([Message({"role": "user", "content": notice})])[0].request


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (_HEARD, "Send it to this group."),
        ("[The user sent a voice message but I had trouble transcribing it~ (no model)]\nHello?", "Hello?"),
        (f"{_HISTORY}look again", 'is my "home" calendar full?\nlook again'),
        ("[message_id: om_1]\nRoger: why?\n\n[System: Your reply will mention: Roger.]", "Roger: why?"),
        ("Group info (untrusted metadata):\n```json\n{}\n```\n\nadd it", "add it"),
        (_OUTSIDE, "add it"),
        ("[Queued messages while agent was busy]\n\n---\nQueued #1 (from Ann)\nand now?", "and now?"),
        ("[Thu 2026-02-12 12:46 UTC] Sort the mail. [message_id: 55e20000-afb5]", "Sort the mail."),
        ("See [1] and [System] there.", "See [1] and [System] there."),
        ("<task>Sort the mail of May.</task>", "<task>Sort the mail of May.</task>"),
    ],
)
def test_what_a_gateway_puts_around_a_message_is_not_said(message: str, said: str) -> None:
    assert without_additions(message) == said


@pytest.mark.parametrize(
    "printed",
    [
        "The authenticity of host '192.0.2.7 (192.0.2.7)' can't be established.",
        "*** System restart required ***",
        r"@c:\Users\mei\notes-sem\terminals\4.txt:7-424",
        '2025/07/02 11:05:25 [warn] 1#1: the "user" directive makes sense only as root',
        "[12:01:07] only one worker may run",
        "ERROR never reached",
        "/docker-entrypoint.sh: Sourcing /etc/conf.d/x.sh",
        "nginx: [warn] only root may do that",
        "    at Object.load (app.js:12)",
        "ValueError: only one may hold",
        "mei@host:~/app$ make test",
        "curl 'https://a.example' \\\n  -H 'Connection: keep-alive' \\\n  --data 'only=1'",
        "```\nmust stay\n```",
    ],
)
def test_what_a_person_pastes_is_not_said_by_them(printed: str) -> None:
    asked = f"Find out why this happens:\n{printed}\nKeep the port: 8080 only."
    assert " ".join(own_words(asked).split()) == "Find out why this happens: Keep the port: 8080 only."


@pytest.mark.parametrize(
    "unit",
    [
        "[System note\n",
        "Untrusted context (a): <<<EXTERNAL_UNTRUSTED_CONTENT ",
        "[media attached: ",
        "System: [",
    ],
)
def test_what_only_begins_like_an_addition_takes_time_that_grows_with_the_text(unit: str) -> None:
    assert_linear(without_additions, unit)


def test_what_a_gateway_tells_by_itself_is_apart_from_what_was_said() -> None:
    told = 'System: [2026-02-04 11:04:27 GMT+11] Restart:\n{\n  "status": "ok"\n}'
    assert without_additions(f"{told}\n\nhi there") == "hi there"
    assert added_by_gateway(f"{told}\n\nhi there") == told
    assert added_by_gateway("[message_id: om_1] hi there") == ""


def test_a_question_that_is_quoted_ends_no_sentence() -> None:
    asked = 'She wrote "does this work?" in the group. The bot answered, and `a? b` stayed.'
    assert sentences(asked) == tuple(asked.replace(". T", ".|T").split("|"))
