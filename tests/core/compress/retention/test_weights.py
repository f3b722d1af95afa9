"""Facts weigh by who says them and what comes of them; what only a tool prints counts for nothing."""

from __future__ import annotations

import json

from core.compress.retention.score import retention
from core.model.compaction.preview import Fact, Retention
from tests.core.compress.builders import assistant, call, user

LISTING = "\n".join(f"src/vendor/lib_{n}.js  {n} KB" for n in range(30))
MIDDLE = [
    user("Cancel order ORD77121 and tell me what the refund is."),
    *call("list_files", LISTING, path="src"),
    *call("get_order", '{"order": "ORD77121", "sku": "SKU99812", "total": "$82.10"}', id="ORD77121"),
    *call("cancel_order", "cancelled in 0.41 s", id="ORD77121"),
    assistant("ORD77121 is cancelled, the refund is $82.10."),
    user("Never ship to the old address again."),
]


def weights(report: Retention) -> dict[str, float]:
    return {fact.value: fact.weight for fact in report.facts}


def test_what_only_a_tool_prints_is_noise_and_counted_apart() -> None:
    report = retention(MIDDLE, "")
    found = weights(report)
    assert not any("vendor" in value or value in ("SKU99812", "0.41 s") for value in found)
    assert report.noise["paths"] >= 30


def test_what_calls_set_or_name_more_than_once_counts_lightly() -> None:
    write = call("write_file", "ok", path="conf.py", content="POLL_SECONDS = 45\nlockedFinalists = []")
    look = call("read_file", "POLL_SECONDS = 45", path="conf.py")
    middle = [
        user("Ask the league for its results less often."),
        *write,
        *look,
        *write,
        assistant("It asks less often now."),
    ]
    found = weights(retention(middle, ""))
    assert (
        0
        < found["POLL_SECONDS = 45"]
        <= found["lockedFinalists"]
        < found["Ask the league for its results less often."] / 2
    )
    once = weights(retention([*middle[:3], *middle[-1:]], ""))
    assert "lockedFinalists" not in once


def test_when_a_job_runs_is_a_fact() -> None:
    middle = [
        user("Send me the news every morning."),
        *call("cronjob", "created", action="create", schedule="30 6 * * 1-5", prompt="Send the news."),
        assistant("The news come at half past six."),
    ]
    assert weights(retention(middle, ""))["30 6 * * 1-5"] > 0


def test_where_little_is_said_places_that_calls_look_at_count_lightly() -> None:
    looked_at = call("read_file", "nothing of use", path="/srv/notes/plan.md")
    middle = [
        user("Tell me which notes and libraries the server holds."),
        *looked_at,
        *call("list_files", LISTING, path="src"),
        assistant("Little."),
    ]
    found = weights(retention(middle, ""))
    assert 0 < found["/srv/notes/plan.md"] < found["Tell me which notes and libraries the server holds."]
    assert not any("vendor" in value for value in found)
    told = user("Keep " + ", ".join(f"src/module_{n}/part_{n}.py" for n in range(59)) + ".")
    said = user("Also keep " + ", ".join(f"lib/module_{n}/part_{n}.py" for n in range(59)) + ".")
    assert "/srv/notes/plan.md" not in weights(retention([told, said, user("Go on."), *middle], ""))


def test_an_id_a_person_names_and_a_call_acts_on_outweighs_what_is_stated_once() -> None:
    found = weights(retention(MIDDLE, ""))
    assert found["ORD77121"] > found["$82.10"] > 0


def test_the_first_line_of_a_long_log_says_no_state() -> None:
    log = "\n".join(f"00:00:{n:02d} INFO deliveries flush cursor id={n:04x}" for n in range(40))
    middle = [
        user("Retry the deliveries of yesterday."),
        *call("terminal", log, command="deliveries retry --day yesterday"),
        *call("terminal", "deployed build 5512", command="make deploy"),
        assistant("Done."),
    ]
    told = [fact.value for fact in retention(middle, "").facts if fact.category == "state"]
    assert told == ["deployed build 5512"]


def test_what_is_lost_is_reported_heaviest_first() -> None:
    lost = retention(MIDDLE, "").lost
    assert [one.weight for one in lost] == sorted((one.weight for one in lost), reverse=True)
    assert lost[0].category in ("asks", "constraints")
    assert all(0 < one.weight <= 1 for one in lost)


def test_a_faithful_paraphrase_scores_high_and_one_of_another_task_nothing() -> None:
    good = retention(
        MIDDLE,
        "The customer had order ORD77121 cancelled; the refund of $82.10 was told.\n"
        "Must not be shipped to the old address any more.",
    )
    strange = retention(MIDDLE, "Order ORD99001 was shipped by courier-12 on 2026-02-02 for $12.00.")
    assert (good.score or 0) > 0.8
    assert (strange.score or 0) < 0.1


def test_a_file_under_its_path_and_its_name_is_one_fact() -> None:
    middle = [
        user("Mend parser.py."),
        *call("patch", "ok", path="/srv/app/src/parser.py"),
        assistant("src/parser.py is mended."),
    ]
    paths = [fact for fact in retention(middle, "parser.py was mended").facts if fact.category == "paths"]
    assert [(path.value, path.fate) for path in paths] == [("/srv/app/src/parser.py", "paraphrased")]


def test_thanks_are_no_request() -> None:
    middle = [user("Rename the billing table to invoices."), assistant("Done."), user("Great, thank you!")]
    asks = {fact.value: fact for fact in retention(middle, "").facts if fact.category == "asks"}
    assert asks["Great, thank you!"].weight < 0.3 * asks["Rename the billing table to invoices."].weight


def test_a_fact_knows_the_messages_that_hold_it() -> None:
    found: dict[str, Fact] = {fact.value: fact for fact in retention(MIDDLE, "", offset=5).facts}
    assert found["ORD77121"].messages[0] == 5


def test_what_says_nothing_to_continue_with_is_not_a_fact_or_weighs_little() -> None:
    middle = [
        user("Answer the review of the importer and push."),
        *call("bash", "Exit code 1", command="make lint"),
        *call("bash", "posted", command="gh api repos/acme/shop/pulls/20/comments/2785562/replies"),
        *call("bash", "ok", command="tail=$1; rm -f src/importer/retry.py"),
        assistant("Answered. The add/commit/push round is done, src/importer/retry.py is gone."),
    ]
    found = weights(retention(middle, ""))
    assert not {"Exit code 1", "Answered.", "$1"} & found.keys()
    light = [weight for value, weight in found.items() if "replies" in value or value == "add/commit/push"]
    assert all(weight < 0.3 * found["src/importer/retry.py"] for weight in light)


def test_an_error_that_stands_weighs_less_than_a_result() -> None:
    middle = [
        user("Move the importer to the new host."),
        *call("terminal", "Error: no route to host", command="ssh gate make deploy"),
        assistant("The importer was copied, the deploy still fails."),
    ]
    by_category = {fact.category: fact.weight for fact in retention(middle, "").facts}
    assert by_category["errors"] < by_category["state"]


def test_the_light_facts_of_a_long_conversation_do_not_count_against_a_summary() -> None:
    middle = [user("Cancel order ORD77121."), *call("cancel_order", "done", id="ORD77121")]
    middle += [assistant(f"I looked at `load_part_{n}` and at `save_part_{n}`.") for n in range(200)]
    report = retention(middle, "The user asked to cancel order ORD77121, which is done.")
    assert len(report.lost) == 400
    assert (report.score or 0) > 0.4


def test_a_lost_request_is_not_made_up_for_by_names() -> None:
    names = ", ".join(f"`load_part_{n}`" for n in range(20))
    middle = [user("Move the nightly import to the new host."), assistant(f"It is made of {names}.")]
    told = retention(middle, "The nightly import moves to the new host.").score or 0
    listed = retention(middle, names).score or 0
    assert told > 0.6 > listed


def test_a_heading_of_an_answer_is_not_a_result() -> None:
    answer = assistant("### Files Created\n\nThe exporter was added in export.py.")
    told = [fact.value for fact in retention([*MIDDLE, answer], "").facts if fact.category == "state"]
    assert "The exporter was added in export.py." in told
    assert not any("Files Created" in one for one in told)


def test_what_a_call_calls_what_it_made_is_a_fact_and_what_a_log_lists_is_none() -> None:
    middle = [
        user("Commit that and open a pull request."),
        *call("terminal", "4e1d0aa fix the parser\n9b2c7f1 add tests", command="git log --oneline -2"),
        *call("terminal", "[main c876f64] Keep the key out", command="git commit -am 'Keep the key out'"),
        *call("terminal", "https://git.example/team/app/pull/336", command="gh pr create --fill"),
        assistant("Done."),
    ]
    found = weights(retention(middle, ""))
    assert {"c876f64", "https://git.example/team/app/pull/336"} <= found.keys()
    assert not {"4e1d0aa", "9b2c7f1"} & found.keys()


def test_an_id_that_was_looked_up_counts_and_those_a_listing_holds_do_not() -> None:
    middle = [
        user("Which of my bookings leaves first?"),
        *call("list_bookings", "NM1VX1 KC18K6 S61CZX", user="me"),
        *call("get_booking", '{"leaves": "noon"}', booking="NM1VX1"),
        assistant("The first leaves at noon."),
    ]
    found = weights(retention(middle, ""))
    assert "NM1VX1" in found
    assert not {"KC18K6", "S61CZX"} & found.keys()


def test_a_name_counts_more_if_a_call_that_changes_something_uses_it() -> None:
    middle = [
        user("add a setting"),
        *call("patch", "ok", path="src/settings.py", new_string="RETRY_LIMIT = 3"),
        assistant("`RETRY_LIMIT` is read at the start, `MAX_PAUSE` is not there yet."),
    ]
    found = weights(retention(middle, ""))
    assert found["RETRY_LIMIT"] > found["MAX_PAUSE"]


def test_what_an_edit_defines_is_a_fact_and_what_a_file_that_was_read_defines_is_none() -> None:
    middle = [
        user("Keep the hints that are typed."),
        *call("read_file", "function renderHints() {}", path="hints.ts"),
        *call("patch", "ok", path="hints.ts", new_string="function drainHints() {}"),
        assistant("Done."),
    ]
    found = weights(retention(middle, ""))
    assert "drainHints" in found
    assert "renderHints" not in found


def test_what_a_script_defines_that_is_gone_when_it_ended_is_no_fact() -> None:
    script = 'node -e "\nconst centralOffset = buf.readUInt32LE(16);\n"'
    written = "cat > totals.py <<'EOF'\ndef monthly_totals(rows):\nEOF"
    middle = [
        user("Unpack the archive."),
        *call("terminal", "ok", command=script),
        *call("terminal", "ok", command=written),
        assistant("Done."),
    ]
    found = weights(retention(middle, ""))
    assert "monthly_totals" in found
    assert "centralOffset" not in found


def test_what_comes_up_last_counts_more_than_what_came_up_first() -> None:
    middle = [assistant("see src/early.py"), assistant("then this"), assistant("and src/late.py")]
    found = weights(retention(middle, ""))
    assert found["src/late.py"] > found["src/early.py"] > 0


def test_what_an_assistant_sets_in_bold_and_names_of_several_words_are_facts() -> None:
    middle = [user("which one?"), assistant("**Rejection sampling:** is what the Web Audio API needs here.")]
    assert {"Rejection sampling", "Web Audio API"} <= weights(retention(middle, "")).keys()
    kept = retention(middle, "It uses the Web Audio API with rejection sampling.")
    assert {fact.category for fact in kept.lost} == {"asks"}


def test_a_commit_is_a_fact_however_much_git_prints() -> None:
    printed = "hook: formatting\n" * 60 + "[main 4e5c42a] Add the backend\n 9 files changed"
    middle = [user("commit it"), *call("terminal", printed, command="git commit -am wip"), assistant("Done.")]
    assert "4e5c42a" in weights(retention(middle, ""))


def test_versions_and_numbers_that_only_programs_print_count_for_nothing() -> None:
    middle = [
        user("install it"),
        *call("terminal", "Created 689944590938\npyarrow 24.0.0", command="pip install pyarrow"),
        *call("patch", "ok", path="src/page.css", new_string="max-width: 1200px"),
        assistant("It is installed."),
    ]
    assert not {"24.0.0", "689944590938", "1200px"} & weights(retention(middle, "")).keys()
    middle.append(user("Why 24.0.0 and 1200px?"))
    assert {"24.0.0", "1200px"} <= weights(retention(middle, "")).keys()


def test_an_exact_figure_in_an_answer_is_a_fact() -> None:
    middle = [user("how much?"), assistant("May made 249,420.38, 58.89 a user; see section 1.2 and 3.4.")]
    found = weights(retention(middle, ""))
    assert {"249,420.38", "58.89"} <= found.keys()
    assert not {"1.2", "3.4"} & found.keys()


def test_each_part_of_a_long_request_is_a_request() -> None:
    request = "Build a page that draws cards. " + "It shows ten kingdom cards at once. " * 9
    middle = [user(f"{request}Put a button for GENERATE at the top of it."), assistant("It is built.")]
    asked = [fact.value for fact in retention(middle, "").facts if fact.category == "asks"]
    assert asked[0].startswith("Build a page")
    assert "button for GENERATE" in asked[-1]


def test_each_part_of_a_document_is_a_light_request_and_the_rest_of_a_very_long_one_none() -> None:
    template = "".join(f"Section {n} is about the delivery of part {n}.\n" for n in range(300))
    middle = [user(f"Audit the project.\n{template}"), assistant("It is audited.")]
    asked = {fact.value: fact.weight for fact in retention(middle, "").facts if fact.category == "asks"}
    assert any("Section 20 " in one for one in asked)
    assert not any("Section 290" in one for one in asked)
    first, *later = asked.values()
    assert max(later) < first


def test_what_a_tool_that_changes_something_says_briefly_is_a_state() -> None:
    middle = [
        user("Book the hotel."),
        *call("book_hotel", "Hotel 8 successfully booked", hotel="8"),
        *call("get_hotel", "Hotel 8 has a pool", hotel="8"),
        assistant("Done."),
    ]
    told = [fact.value for fact in retention(middle, "").facts if fact.category == "state"]
    assert told == ["Hotel 8 successfully booked"]


def test_an_order_with_its_sign_is_an_id_and_patterns_and_releases_are_no_paths() -> None:
    middle = [
        user("grep it"),
        *call("terminal", "ok", command="grep -A1 report/all\\.render Mozilla/5.0 src/report.py"),
        assistant("Order #W8855135 is in src/report.py."),
    ]
    found = [fact.value for fact in retention(middle, "").facts if fact.category in ("ids", "paths")]
    assert sorted(found) == ["#W8855135", "src/report.py"]


def test_a_diff_names_the_file_without_the_letter_of_its_side() -> None:
    diff = "--- a/src/claims.py\n+++ b/src/claims.py\n@@ -1 +1 @@\n-x\n+y"
    middle = [user("fix src/claims.py"), *call("patch", diff, path="src/claims.py"), assistant("Done.")]
    assert [fact.value for fact in retention(middle, "").facts if fact.category == "paths"] == [
        "src/claims.py"
    ]


def test_an_error_that_comes_again_with_other_figures_is_one_and_an_error_of_none_is_none() -> None:
    middle = [user("Write the theme."), assistant("I write it.")]
    for time in ("17:27:21", "17:28:08"):
        middle += call("terminal", f"Output: dconf {time}: Error: reset by peer", command="dconf")
    middle += call("terminal", "Output: done\nError: (none)\nExit code: 0", command="dconf dump /")
    errors = [fact.value for fact in retention(middle, "").facts if fact.category == "errors"]
    assert errors == ["Output: dconf 17:28:08: Error: reset by peer"]


def test_a_setting_is_kept_by_the_value_it_has() -> None:
    middle = [user("Which theme is set?"), assistant("It is `color-scheme='prefer-light'` now.")]
    (setting,) = (fact for fact in retention(middle, "It prefers `prefer-light`.").facts if "=" in fact.value)
    assert setting.fate == "paraphrased"


def test_each_further_file_of_a_folder_weighs_less_unless_a_person_names_it() -> None:
    files = [f"src/cards/Card{n}.cs" for n in range(8)]
    middle = [user(f"Write the cards. Begin with {files[7]}.")]
    for path in files:
        middle += call("write_file", "ok", path=path, content="class Card {}")
    found = weights(retention([*middle, assistant("Written.")], ""))
    assert found[files[7]] == max(found[path] for path in files)
    written = sorted((found[path] for path in files[:7]), reverse=True)
    assert written[0] > 2 * written[-1] > 0


def test_of_a_call_that_writes_a_list_of_paths_only_its_own_file_matters() -> None:
    listed = "\n".join(f".cache/tool_{n}/data.json" for n in range(20))
    middle = [
        user("Set the repository up."),
        *call("write_file", "ok", path="repo/ignored.txt", content=listed),
        assistant("Set up."),
    ]
    found = weights(retention(middle, ""))
    assert found["repo/ignored.txt"] > 0
    assert not any(value.startswith(".cache/") for value in found)


def test_of_many_answered_requests_the_older_ones_weigh_less_but_the_first_does_not() -> None:
    months = (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
    )
    middle = [
        message
        for month in months
        for message in (
            user(f"Reconcile the bank statement of {month}."),
            assistant(f"{month} is reconciled."),
        )
    ]
    asks = [fact.weight for fact in retention(middle, "").facts if fact.category == "asks"]
    first, *answered, newest = asks
    assert answered == sorted(answered)
    assert answered[0] < answered[-1] == answered[-2] < first <= newest


def test_a_request_of_many_rules_is_held_to_its_first_ones_most() -> None:
    rules = " ".join(f"Never close the books of branch {n}." for n in range(1, 13))
    found = [fact.weight for fact in retention([user(rules)], "").facts if fact.category == "constraints"]
    assert found == sorted(found, reverse=True)
    assert found[0] == found[2] > found[-1] >= 0.4


def test_the_output_of_a_script_is_no_file() -> None:
    middle = [user("Run it."), *call("terminal", "12", command="node -e 'console.log(6 + 6)'")]
    assert "console.log" not in weights(retention(middle, ""))


def test_an_error_in_a_json_answer_is_an_error_however_long() -> None:
    said = "No entry matched 'sudo works in terminal sessions (it reads from stdin). Use;" + " x" * 200 + "'"
    middle = [
        user("Correct what you noted."),
        *call("memory", json.dumps({"success": False, "error": said}), action="replace"),
        assistant("It could not be found."),
    ]
    errors = [fact.value for fact in retention(middle, "").facts if fact.category == "errors"]
    assert [error.partition(" (")[0] for error in errors] == [
        "error: No entry matched 'sudo works in terminal sessions"
    ]


def test_the_id_of_what_a_call_made_is_a_fact() -> None:
    made = json.dumps({"output": json.dumps({"status": "created", "id": "3s09jhtn9068pvrarql5dagboc"})})
    listed = json.dumps({"events": [{"id": "7q2mwpf0c5t1k8v4x6d3b9n2za"}]})
    middle = [
        user("Enter the form in my calendar."),
        *call("terminal", made, command="python calendar.py create form"),
        *call("list_events", listed, day="22"),
        assistant("It is entered."),
    ]
    found = weights(retention(middle, ""))
    assert "3s09jhtn9068pvrarql5dagboc" in found
    assert "7q2mwpf0c5t1k8v4x6d3b9n2za" not in found


def test_a_command_without_output_leaves_no_state_and_a_count_of_errors_is_one() -> None:
    checked = "web/src/App.svelte:3\n" * 4 + "found 4 errors and 2 warnings"
    middle = [
        user("Check the types."),
        *call("terminal", "(Bash completed with no output)", command="npm ci"),
        *call("terminal", checked, command="npx svelte-check"),
        assistant("I look."),
    ]
    told = [fact.value for fact in retention(middle, "").facts if fact.category == "state"]
    assert told == ["4 errors and 2 warnings"]


def test_a_rule_in_a_pasted_log_is_none_and_its_values_weigh_less_than_what_is_said() -> None:
    log = "2026-03-04 10:00:01 [warn] only root may open /var/run/app.pid"
    facts = retention([user(f"Why does /srv/app.sock not answer?\n{log}"), assistant("I look.")], "").facts
    assert not [fact for fact in facts if fact.category == "constraints"]
    found = {fact.value: fact.weight for fact in facts}
    assert found["/srv/app.sock"] > 2 * found["/var/run/app.pid"] > 0


def test_of_many_names_that_only_an_assistant_gives_the_later_weigh_less() -> None:
    names = [f"plan_{letter}_name" for letter in "abcdefghijklmnopqrst"]
    facts = retention([user("Plan it."), assistant("\n".join(f"- `{name}`" for name in names))], "").facts
    found = {fact.value: fact.weight for fact in facts}
    assert found[names[0]] > found[names[-1]] > 0


def test_a_call_that_is_told_to_change_something_weighs_as_one_that_does() -> None:
    def weight(action: str) -> float:
        job = call("cronjob", "ok", action=action, job_id="f68b4041f914")
        return weights(retention([user("Slow it down."), *job], "")).get("f68b4041f914", 0.0)

    assert weight("update") > 0
    assert weight("list") == 0


def test_of_many_addresses_of_one_host_a_summary_names_a_few() -> None:
    badges = [f"https://badges.example.com/shield/{letter}" for letter in "abcdef"]
    page = call("write_file", "ok", path="README.md", content="\n".join(badges))
    facts = retention([user("Write the page."), *page, assistant("Done.")], "").facts
    found = [fact.weight for fact in facts if fact.category == "urls"]
    assert len(found) == len(badges)
    assert max(found) > 2 * min(found)
