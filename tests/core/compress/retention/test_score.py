"""A summary is compared with the messages it replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.retention.score import retention
from core.compress.summarise.fallback.summariser import fallback
from core.hermes.markers.wording import OURS
from core.hermes.policy.policy import load_policy
from core.model.compaction.preview import Retention
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, long_work, user
from tests.timing import assert_grows_linearly


def _fates(report: Retention) -> dict[str, str]:
    return {fact.value: fact.fate for fact in report.facts}


def test_kept_paraphrased_and_lost_are_distinguished() -> None:
    middle = [
        user("Please repair the login form of the shop. Never touch the database migrations."),
        *call(
            "terminal",
            "E   ValueError: bad token in header\nran in 2.5 s",
            command="pytest -q tests/test_auth.py",
        ),
        assistant("Commit 1abaa52d9 fixes src/auth/login.py, see https://example.org/issue/7 and ENT-221."),
        user("It ran in 2.5 s?"),
    ]
    summary = (
        "- The user wants the login form of the shop repaired\n- Never touch the database migrations.\n"
        "- 1abaa52 changed auth/login.py in 2.5s; the header had a bad token (ValueError)"
    )
    fates = _fates(retention(middle, summary))
    assert fates["Never touch the database migrations."] == "kept"
    assert fates["src/auth/login.py"] == "kept"
    assert fates["1abaa52d9"] == "kept"
    assert fates["2.5 s"] == "kept"
    assert fates["E ValueError: bad token in header"] == "paraphrased"
    assert fates["https://example.org/issue/7"] == "lost"
    assert fates["ENT-221"] == "lost"


def test_a_constraint_without_its_prohibition_is_lost() -> None:
    middle = [user("Never touch the database migrations.")]
    kept = retention(middle, "database migrations were touched").by_category["constraints"]
    assert (kept.kept, kept.paraphrased, kept.lost) == (0, 0, 1)


def test_a_file_name_is_not_found_inside_a_longer_one() -> None:
    middle = [assistant("edited hooks.go and src/api/hooks.go")]
    assert set(_fates(retention(middle, "edited webhooks.go")).values()) == {"lost"}
    assert _fates(retention(middle, "edited hooks.go"))["src/api/hooks.go"] == "paraphrased"


def test_a_value_beside_chinese_letters_is_kept_and_one_inside_a_longer_word_is_lost() -> None:
    middle = [user("请修复 ENT-221，再看 d-503。"), assistant("好的，先修复 ENT-221。")]
    fates = _fates(retention(middle, "已修复ENT-221并部署，参见ad-503a。"))
    assert (fates["ENT-221"], fates["d-503"]) == ("kept", "lost")


def test_what_a_message_beside_the_middle_still_holds_is_not_lost() -> None:
    middle = [user("Rename ENT-221 in src/auth/login.py."), assistant("Then src/auth/hooks.py, ENT-222.")]
    stays = (9, assistant("ENT-221 is renamed;\nsrc/auth/webhooks.py is next."))
    fates = _fates(retention(middle, "nothing", around=(stays, (-1, user("gone: ENT-222")))))
    assert {value: fates[value] for value in ("ENT-221", "ENT-222", "src/auth/hooks.py")} == {
        "ENT-221": "kept",
        "ENT-222": "lost",  # an earlier compaction removed the message that has it
        "src/auth/hooks.py": "lost",
    }


def test_an_earlier_summary_that_may_be_replaced_keeps_nothing() -> None:
    middle = [user("Rename ENT-221 in src/auth/login.py.")]
    summary = user(f"{OURS.handoff}\n\nENT-221 in src/auth/login.py is to be renamed.")
    assert _fates(retention(middle, "nothing", around=((0, summary),)))["ENT-221"] == "lost"


def test_each_message_shows_the_share_of_its_facts_that_is_lost() -> None:
    middle = [assistant("src/a.py and src/b.py"), assistant("nothing to see"), assistant("src/b.py")]
    report = retention(middle, "src/a.py", offset=40)
    first, nothing, last = report.lost_by_message
    assert first is not None
    assert 0.5 < first < 0.75  # what is said again counts for more
    assert (nothing, last) == (None, 1.0)
    assert {fact.value: fact.messages for fact in report.facts}["src/b.py"] == (40, 42)


def test_a_message_loses_as_much_as_its_lost_facts_count_in_the_score() -> None:
    never, path = user("Never touch the migrations."), assistant("see src/b.py")
    ends = retention([never, path], "Never touch the migrations.").losses
    assert ends[0] == 0
    assert 0 < (ends[1] or 0) < 0.5
    assert retention([never, path], "nothing").losses[0] == 1


def test_of_an_earlier_summary_only_what_it_says_about_the_focus_is_its() -> None:
    earlier = "[CONTEXT SUMMARY]: ## Done\n- auth: src/auth/login.py\n- mail: src/mail/queue.py, port 5433\n"
    middle = [user(earlier), assistant("I go on.")]
    report = retention(middle, "src/auth/login.py", focus="auth")
    assert {fact.value for fact in report.facts if fact.in_focus} == {"src/auth/login.py"}
    assert report.focus is not None
    assert (report.focus.kept, report.focus.of) == (1, 1)


def test_the_focus_is_counted_apart() -> None:
    middle = [
        *call("patch", "ok", "Next src/auth/token.py and src/auth/session.py.", path="src/auth/login.py"),
        *call("patch", "ok", "Next src/report/pdf.py.", path="src/report/html.py"),
    ]
    report = retention(middle, "src/auth/login.py src/auth/token.py src/auth/session.py", focus="auth")
    assert report.focus is not None
    assert report.rest is not None
    assert (report.focus.kept, report.focus.of) == (3, 3)
    assert (report.rest.kept, report.rest.of) == (0, 2)


def test_a_file_made_and_deleted_is_stale_unless_the_summary_says_so() -> None:
    middle = [
        *call("write_file", "ok", path="tmp/probe.py"),
        *call("terminal", "", command="rm tmp/probe.py"),
    ]
    assert retention(middle, "- tmp/probe.py: a probe").stale == (
        "tmp/probe.py: made in message 0, deleted in message 2",
    )
    assert retention(middle, "- tmp/probe.py was deleted").stale == ()
    assert retention(middle, "- nothing").stale == ()


def test_an_error_that_was_fixed_is_stale_unless_the_summary_says_so() -> None:
    middle = [
        *call("terminal", "E   ValueError: bad token", command="pytest"),
        *call("terminal", "3 passed", command="pytest"),
    ]
    assert len(retention(middle, "Blocked: E ValueError: bad token").stale) == 1
    assert retention(middle, "E ValueError: bad token (fixed)").stale == ()


def test_an_unanswered_request_the_summary_forgets_is_missed() -> None:
    middle = [user("fix the parser"), assistant("Done."), user("translate the manual into Finnish")]
    assert retention(middle, "the parser was fixed").missing_asks == ("translate the manual into Finnish",)
    assert retention(middle, "open: translate the manual into Finnish").missing_asks == ()


def test_what_the_previous_summary_knew_and_this_one_lost_is_named() -> None:
    report = retention(
        [assistant("ok")], "kept: src/a.py", previous="src/a.py, src/b.py; must never run as root."
    )
    assert "src/b.py" in report.forgotten
    assert "src/a.py" not in report.forgotten
    assert any("never run as root" in line for line in report.forgotten)


def test_a_request_held_as_it_was_said_is_kept_however_strange_the_rest_of_a_summary_is() -> None:
    asked = "Please fix src/readers.py today, before the release."
    middle = [user(asked), *call("patch", "ok", path="src/readers.py")]
    report = retention(middle, f"The user asked: {asked} Read notes.py, too.")
    assert report.by_category["asks"].kept == 1
    assert (report.score or 0) > 0.5
    assert retention(middle, "Read src/readers.py and notes.py.").score == 0


def test_a_middle_without_facts_has_no_score() -> None:
    report = retention([assistant("fine"), assistant("")], "fine")
    assert report.score is None
    assert report.lost_by_message == (None, None)
    assert report.focus is None


TEXTS = st.text(max_size=80) | st.sampled_from(
    ["src/a.py 10 ms", "Error: x", "never do it", "fix https://x.org/1"]
)
MESSAGES = st.builds(
    lambda role, text: Message({"role": role, "content": text}),
    st.sampled_from(["user", "assistant", "tool"]),
    TEXTS,
)


@given(st.lists(MESSAGES, max_size=8), TEXTS, st.none() | TEXTS)
@settings(max_examples=60, deadline=None)
def test_counts_add_up_for_any_middle(middle: list[Message], summary: str, focus: str | None) -> None:
    report = retention(middle, summary, focus=focus, offset=3)
    assert sum(count.of for count in report.by_category.values()) == len(report.facts)
    assert len(report.lost_by_message) == len(middle)
    assert all(3 <= at < 3 + len(middle) for fact in report.facts for at in fact.messages)
    if report.focus is not None and report.rest is not None:
        assert report.focus.of + report.rest.of == len(report.facts)


@given(st.lists(MESSAGES, min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_a_summary_that_repeats_everything_loses_no_path_or_request(middle: list[Message]) -> None:
    summary = "\n".join(message.text for message in middle)
    lost = {fact.category for fact in retention(middle, summary).facts if fact.fate == "lost"}
    assert lost <= {"numbers"}


def test_four_times_as_much_work_is_judged_in_about_four_times_the_time() -> None:
    def judged(steps: int) -> Callable[[], object]:
        summary = "\n".join(f"- src/mod_{n}.py checked" for n in range(0, steps, 3))
        return partial(retention, long_work(steps), summary, focus="mod_7")

    assert_grows_linearly(judged, 125)


def test_another_case_of_the_same_error_is_not_this_one() -> None:
    error = "E   ValueError: ledger 41 broke after 812 ms"
    middle = [*call("terminal", error, command="make ledger"), user("Why 812 ms?")]
    report = retention(middle, "- E   ValueError: harbour 12 of the ledger broke after 340 ms")
    assert _fates(report)["E ValueError: ledger 41 broke after 812 ms"] == "lost"
    assert _fates(report)["812 ms"] == "lost"


def test_a_file_of_that_name_in_another_folder_is_another_file() -> None:
    middle = [assistant("edited src/api/hooks.go")]
    assert _fates(retention(middle, "edited src/web/hooks.go"))["src/api/hooks.go"] == "lost"


@pytest.mark.parametrize(
    ("summary", "fate"),
    [("5 tests failed", "paraphrased"), ("5. ran the tests", "lost"), ("see part 5", "lost")],
)
def test_a_small_figure_needs_its_unit_next_to_it(summary: str, fate: str) -> None:
    middle = [user("5 failed, look at them")]
    assert _fates(retention(middle, summary))["5 failed"] == fate


@pytest.mark.parametrize(
    ("who", "fate"), [("root@192.0.2.15", "paraphrased"), ("mei@mail.example.com", "lost")]
)
def test_a_machine_is_known_by_its_address_and_a_person_not_by_the_provider(who: str, fate: str) -> None:
    found = retention([user(f"Please reach out to {who} today")], "Look at 192.0.2.15 and mail.example.com.")
    assert [fact.fate for fact in found.facts if fact.value == who] == [fate]


def test_every_path_of_a_long_summary_is_found() -> None:
    names = [f"src/part_{n}/main.py" for n in range(150)]
    middle = [assistant(" ".join(names[at : at + 50])) for at in (0, 50, 100)]
    assert set(_fates(retention(middle, "\n".join(f"- {name}" for name in names))).values()) == {"kept"}


def test_a_command_is_not_recognised_by_one_that_differs_in_a_word() -> None:
    middle = call("terminal", "ok", command="git -C /srv/shop fsck --full --connectivity-only")
    fates = _fates(retention(middle, "Ran git -C /srv/shop fsck --full --unreachable twice."))
    assert fates["git -C /srv/shop fsck --full --connectivity-only"] == "lost"


def test_a_ban_in_other_words_is_paraphrased() -> None:
    report = retention(
        [user("Never touch the production database.")], "Touching the production database is forbidden."
    )
    assert _fates(report)["Never touch the production database."] == "paraphrased"


def test_a_file_that_was_there_before_and_was_deleted_is_stale_too() -> None:
    middle = [*call("read_file", "x", path="a/x.py"), *call("terminal", "", command="rm a/x.py")]
    assert retention(middle, "The code is in a/x.py.").stale == ("a/x.py: deleted in message 2",)


def test_what_a_release_puts_around_a_summary_counts_for_nothing() -> None:
    earlier = user(
        "[CONTEXT SUMMARY]: See notes.md.\n"
        "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
    )
    report = retention(
        [earlier],
        "nothing",
        previous="Historical only; newer protected-tail messages after this summary win.",
    )
    assert [fact.value for fact in report.facts] == ["notes.md"]
    assert report.forgotten == ()


def test_what_a_release_says_of_an_earlier_summary_is_no_fact_of_that_summary() -> None:
    earlier = assistant(
        "[CONTEXT SUMMARY]: ## Historical Task Snapshot\n"
        "Historical only; newer protected-tail messages after this summary win.\n\n## Goal\n"
        "The parser is rewritten with a table of states.\n"
    )
    told = [fact.value for fact in retention([earlier], "nothing").facts if fact.category == "state"]
    assert told == ["The parser is rewritten with a table of states."]


def test_why_no_model_could_write_an_earlier_summary_is_no_fact_of_the_work() -> None:
    why = "Error code: 529 of backend ZX-81"
    written = fallback([user("Fix src/cart.py.")], load_policy("0.19"), reason=why)
    facts = {fact.value for fact in retention([assistant(f"[CONTEXT SUMMARY]: {written}")], "nothing").facts}
    assert "src/cart.py" in facts
    assert not any("529" in value or "ZX-81" in value for value in facts)


def test_what_this_program_says_of_an_earlier_summary_is_none_either() -> None:
    done = "The parser is rewritten with a table of states."
    earlier = assistant(f"- {OURS.handoff.removeprefix('[CONTEXT SUMMARY]: ')}\n\n{done}")
    told = [fact.value for fact in retention([earlier], "nothing").facts if fact.category == "state"]
    assert told == [done]


def test_of_a_summary_in_another_language_only_what_has_a_name_or_figure_can_be_kept_or_lost() -> None:
    middle = [
        user("Bitte den Termin mit Frau Ites auf den 14.10.2026 verschieben, Ticket ENT-221."),
        assistant("Das mache ich gleich, der Kalender ist ja frei."),
        user("Und bitte niemals am Wochenende anrufen, das mag niemand in der Praxis."),
    ]
    report = retention(middle, "The appointment (ENT-221) is to be moved to 14 October. Work goes on.")
    asks = [fact for fact in report.facts if fact.category == "asks"]
    assert [(fact.fate, "ENT-221" in fact.value) for fact in asks] == [("paraphrased", True)]
    assert report.untranslated >= 1
    assert (report.score or 0) > 0.9
    assert retention(middle, "Der Termin (ENT-221) geht auf den 14.10.2026.").untranslated == 0


def test_a_chinese_sentence_is_paraphrased_by_its_words_in_another_order() -> None:
    middle = [user("请先分析数据，我们讨论后再开始实作。"), assistant("好的。")]
    again = retention(middle, "用户要求先讨论、再实作，并分析了数据。")
    other = retention(middle, "用户要订一张去上海的机票，下周出发。")
    assert [one.fate for one in again.facts] == ["paraphrased"]
    assert [one.fate for one in other.facts] == ["lost"]


@pytest.mark.parametrize(
    "said", ["am 24.09.", "el 24 de septiembre", "9/24", "24 сентября", "9月24日", "2026-09-24"]
)
def test_a_day_is_kept_in_whatever_form_and_language_it_is_reported(said: str) -> None:
    middle = [user("The follow-up certificate ends on 24 September.")]
    report = retention(middle, f"Summary: {said}")
    assert [fact.fate for fact in report.facts if fact.category == "dates"] == ["kept"]


@pytest.mark.parametrize(
    "said",
    [
        "Proszę nie dzwonić w weekend, bo tego nikt nie lubi, ale można pisać.",
        "Пожалуйста, не звоните на выходных, это никто не любит.",
        "Lütfen hafta sonu aramayın, çok önemli ve kimse sevmez, evet.",
        "Bel niet in het weekend, dat is voor iedereen het beste en ik kan het niet aan.",
    ],
)
def test_a_summary_in_english_is_in_another_language_than_these(said: str) -> None:
    report = retention([user(said)], "The user says that nobody is to be called at the weekend.")
    assert report.unsupported == ()
    assert not [fact for fact in report.facts if fact.fate == "lost"]
