"""What a summary claims and no message before the cut supports is flagged; what they support is not."""

from __future__ import annotations

import json
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.retention.score import retention, retention_of
from core.compress.summarise.base import SummaryRequest
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Span
from core.model.compaction.preview import Unsupported
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Make the export of invoices faster. Keep the CSV columns as they are. Budget: at most $250."),
    *call("read_file", "def export(): ...", path="src/invoices/export.py"),
    *call("patch", "ok", path="src/invoices/export.py", new_string="def export_rows(): batch_size = 500"),
    *call("terminal", "E   AssertionError: columns differ\n1 failed", command="pytest tests/test_export.py"),
    *call("patch", "ok", path="src/invoices/export.py", new_string="columns kept"),
    *call("terminal", "14 passed in 3.1 s", command="pytest tests/test_export.py"),
    *call("terminal", "rejected: the branch is protected\nfatal: error: failed to push", command="git push"),
    assistant("export_rows() reads in batches now, all tests pass. The push was refused on May 3, 2026."),
]


def claims(summary: str, middle: list[Message] = WORK) -> tuple[Unsupported, ...]:
    return retention(middle, summary).unsupported


@pytest.mark.parametrize(
    ("claim", "category"),
    [
        ("src/invoices/cache.py holds the rows.", "paths"),
        ("src/export.py holds the rows.", "paths"),
        ("See ticket ENT-992.", "ids"),
        ("The pool is eu-north-9_kQ42xzLm now.", "ids"),
        ("It costs $410.", "numbers"),
        ("62 passed in the end.", "numbers"),
        ("export_lazy() is called first.", "names"),
        ("This was settled on 2026-07-19.", "dates"),
        ("Python 3.14 is needed.", "numbers"),
        ("The rest was asked of Maria Gomez.", "names"),
        ("The branch was pushed.", "done"),
        ("src/invoices/export.py was deleted.", "done"),
        ("The invoices must never leave the building.", "constraints"),
        ("It was decided to rewrite the exporter in Rust.", "names"),
        ("The offsets begin at 0x2e.", "numbers"),
        ("The user asked for the headers to be translated.", "done"),
        ("The columns are kept for 45 customers.", "numbers"),
        ("The exporter asks gpt-4o-mini now.", "ids"),
        ("The exporter asks gpt-4o now.", "ids"),
        ("The columns come from EXPORT_LAYOUT then.", "names"),
    ],
)
def test_a_claim_nothing_supports_is_flagged_with_its_sentence(claim: str, category: str) -> None:
    found = claims(f"The export is faster.\n{claim}")
    assert [(one.category, one.where) for one in found] == [(category, claim)]


@pytest.mark.parametrize(
    "claim",
    [
        "export.py was changed to read in batches of 500.",
        "Tests pass (14 passed).",
        "The push was not accepted.",
        "CSV columns must stay as they are.",
        "The budget is $250, refused on 2026-05-03.",
        "The branch still has to be pushed.",
        "`export_rows()` in src/invoices/export.py is new.",
        "Three calls of about 40 ms were saved.",
        "What was asked is answered in English with French courtesies.",
        "The first run of the tests never got beyond the columns.",
        "Nothing is shown until export.stream.erb exists.",
        "Faster by `share_saved = batched_rows / whole_rows`.",
    ],
)
def test_what_the_messages_say_in_other_words_is_not_flagged(claim: str) -> None:
    assert claims(claim) == ()


def test_a_noun_of_a_german_summary_is_not_a_name() -> None:
    middle = [user("Bitte prüfe die Rotation."), *call("terminal", "ok", command="logrotate -d a.conf")]
    told = "- Die Rotation wurde geprüft, das ist erledigt.\n- logrotate wurde nur im Probelauf gestartet."
    assert claims(told, middle) == ()


def test_a_code_a_version_and_a_verb_next_to_a_figure_are_no_false_figures() -> None:
    middle = [
        user("Which flights leave SEA? Use Planner v0.86.2."),
        *call("search", "HAT134 and HAT100 fly from SEA; the 12 others do not", origin="SEA"),
        *call("book", "total of the 834, refused", bags=6),
        *call("terminal", "## [0.4.4] - unreleased", command="head CHANGELOG.md"),
        assistant("HAT134 it is. The charge was 834."),
    ]
    told = (
        "There is no v0.4.4 tag yet.\n"
        "Planner 0.86.2 found HAT134 and HAT100 from Seattle.\nThe 834 was refused.\n"
        "Between the tries only the bag count changed, from 6 to 2.\nLOD-0 may be the last level."
    )
    assert claims(told, middle) == ()


def test_a_day_may_be_written_as_its_language_has_it() -> None:
    middle = [user("Verschiebe den Termin bis 2026-10-14."), assistant("Herr Marx kommt um 13:00.")]
    told = "Der Termin soll bis 14.10.2026 verlegt werden, Marx 13:00."
    assert [one.value for one in retention(middle, told).unsupported] == []
    (wrong,) = retention(middle, told.replace("14.10.", "17.10.")).unsupported
    assert wrong.value == "17.10.2026"


FRENCH = [
    user("La facture est de 1 116,00 € et l'acompte de 334,80 € est dû le 10/04, réunion à 14h30."),
    *call("agenda", "cpu 0.684 total", jour="10/04"),
    assistant("C'est noté : la réunion a lieu dans la salle de la mairie, et l'acompte part demain."),
]


@pytest.mark.parametrize(
    "claim",
    [
        "The invoice is €1,116 and the deposit €334.80.",
        "The invoice is 1116 EUR.",
        "The invoice is 1.116,00 €.",
        "The deposit is due on April 10.",
        "The meeting is at 14:30.",
        "The meeting is at 2:30 pm.",
        "It took 0.684 s.",
    ],
)
def test_an_amount_a_day_and_a_time_may_be_written_as_another_language_has_them(claim: str) -> None:
    assert claims(claim, FRENCH) == ()


SHOP = [
    user("The checkout throws 500s. 2.18.0 dropped a column, 2.17.5 would crash, so no way back."),
    assistant("Kestrel 12 December 60 is private. The hotels come to 369,300 JPY or 2,189 EUR."),
    *call("terminal", "KESTREL  -240.00\n3 errors, 2 warnings", command="bank list"),
    *call("terminal", "18 of 18 executed configurations passed (100.00%)", command="twister -T tests"),
    assistant("All 18 pass. 10 月 15 日开会。 La demande se fait au moins 15 jours avant."),
]


@pytest.mark.parametrize(
    "claim",
    [
        "The checkout answers with HTTP 500 errors.",
        "Kestrel £60 was private.",
        "The column was dropped by 2.18.0.",
        "The meeting is on 15 October.",
        "It is asked for at least 15 days ahead.",
        "The hotels are roughly 2,189 EUR.",
        "All 18 tests pass.",
    ],
)
def test_a_code_a_label_a_unit_and_the_result_of_an_act_are_known(claim: str) -> None:
    assert claims(claim, SHOP) == ()


@pytest.mark.parametrize("claim", ["It answers with HTTP 404 errors.", "The hotels are roughly 2,198 EUR."])
def test_a_figure_that_cannot_be_rounded_and_a_code_must_stand_somewhere(claim: str) -> None:
    assert len(claims(claim, SHOP)) == 1


def test_of_a_summary_in_another_language_only_values_and_acts_are_compared_with_the_messages() -> None:
    wrong = "The invoice is €1,161.\nThe meeting is at 15:45.\n"
    told = "Dunkirk was mentioned. The treasurer pays tomorrow, which nobody likes. Seats are scarce."
    found = claims(wrong + told, FRENCH)
    assert [one.value for one in found] == ["€1,161", "15:45"]
    assert [claim.category for claim in claims("The unit tests passed.", FRENCH)] == ["done"]


def test_few_claims_that_may_be_our_error_are_flagged_by_the_surest() -> None:
    true = "The columns are kept.\n" * 6
    doubtful = f"{true}The branch was pushed.\nIt costs $410."
    assert [claim.category for claim in claims(doubtful)] == ["numbers"]
    named = {claim.category for claim in claims(f"{doubtful}\nsrc/invoices/cache.py holds the rows.")}
    assert named >= {"done", "numbers", "paths"}
    figures = {claim.category for claim in claims(f"{doubtful}\n62 passed in the end.")}
    assert figures >= {"done", "numbers"}
    three = {claim.category for claim in claims(f"{doubtful}\nThe invoices must never leave the building.")}
    assert three >= {"done", "numbers", "constraints"}


STAY = [
    user("Hi, I am Irma Roth. Move lib/tour.ts to src/, and for the tests just use example.org."),
    *call("patch", "Done", input="*** Update File: src/offer.md\n+Submit by June. Filed under: tours"),
    assistant("Moved; port 5432 serves 5 tours. The Basic Plan allows 12 guests."),
    assistant("It runs on python3.13 with 400K-500K requests a day, a share of 0.0406 or 4.06 %."),
    assistant("From paper2015.pdf and `@sveltejs/kit`; the usual port (8081) is taken."),
    *call("get_tour", '{"created_at": "2026-02-03T09:12:00", "bytes": 112480674}', id="tour"),
]


@pytest.mark.parametrize(
    ("claim", "category"),
    [
        ("The app answers on port 5000.", "numbers"),
        ("The offer is for 12,000 guests.", "numbers"),
        ("The new file has 371 lines.", "numbers"),
        ("The tour was ordered by Irma Weber.", "names"),
        ("The tour has the Luxury Plan.", "names"),
        ("It is an iTouringOS image.", "names"),
        ("get_user_details was called.", "names"),
        ("The offer was submitted.", "done"),
        ("The user asked to leave example.org out of the tests.", "constraints"),
    ],
)
def test_what_only_resembles_the_messages_is_flagged(claim: str, category: str) -> None:
    assert [one.category for one in claims(claim, STAY)] == [category]


@pytest.mark.parametrize(
    "claim",
    [
        "The file has 45 lines.",
        "The tour was entered at 09:12.",
        "The tour was entered at 09:12:00.",
        "Irma Roth asked.",
        "The user asked to move lib/tour.ts.",
        "The PID is known.",
        "It needs Python 3.13.",
        "It answers 400,000 to 500,000 requests a day.",
        "The share was 4,06 %.",
        "The customer accepted that.",
        "The pages are built with SvelteKit on Windows.",
        "It follows the paper of 2015.",
        "The usual port 8081 is taken.",
        "The first ten lines were read.",
        "get_tour was called, get_user_details was not called.",
        "The archive has 112 MB.",
    ],
)
def test_what_the_messages_say_or_anybody_counts_is_not(claim: str) -> None:
    assert claims(claim, STAY) == ()


MACRO = [
    user("Turn the macro into a script. I fly to SFO on 12 May, so be quick."),
    *call("write_file", "ok", path="src/toggle.js", content="on_toggle()\ndelay 0.5\nend toggle"),
    *call("write_file", "ok", path="src/locators.js", content="on locators()\nend locators"),
    *call("terminal", "serving http://localhost:3000\nserving http://localhost:4100", command="./serve"),
    *call("terminal", "a1b2c3d first", command="git log --oneline -20"),
    *call("terminal", " M src/toggle.js", command="git status"),
    *call(
        "terminal",
        "889 collected\nE   AssertionError: x\n4 failed, 885 passed",
        command="pytest tests/test_macro.py",
    ),
    assistant("The script is there, and the port is 5173. The pid is 13060. Four tests fail, as they did."),
]


@pytest.mark.parametrize(
    ("claim", "category"),
    [
        ("The handler `on_toggle` was put into `src/locators.js`.", "done"),
        ("The script `src/toggle.js` was then run.", "done"),
        ("In the end the whole of `tests/test_macro.py` passed.", "done"),
        ("Of the 889 collected tests nine failed.", "numbers"),
    ],
)
def test_what_was_put_or_run_elsewhere_or_counted_otherwise_is_flagged(claim: str, category: str) -> None:
    assert [one.category for one in claims(claim, MACRO)] == [category]


@pytest.mark.parametrize(
    "claim",
    [
        "The handler `on_toggle` was put into `src/toggle.js`.",
        "The 0.5 s delay stays.",
        "It answers on port 3000.",
        "It killed a server (number 13060 the second time).",
        "The last 20 commits were read.",
        "The flight to San Francisco is on 12 May, three days after that.",
        "The working tree is dirty (src/toggle.js modified, nothing staged).",
        "The script is to be opened with src/toggle.js.",
        "The user handed over a macro; Gemini CLI and Claude did the rest.",
        "It is the first session of a freshly installed machine.",
        "State: port 3000 remains booked.",
        "SAID TO BE DONE, ALTHOUGH NOBODY RAN IT",
        "This is a macro for a Mexican airline.",
        "The script src/toggle.js was edited but no test was run.",
        "The assistant approved: the macro is good as it is.",
        "The keyed address is http://localhost:3000/KEY.",
    ],
)
def test_what_the_messages_give_in_their_own_way_is_not(claim: str) -> None:
    assert [one.value for one in claims(claim, MACRO)] == []


def test_wishes_and_checks_are_compared_in_portuguese_too() -> None:
    middle = [
        user("Por favor, não crie código ainda. O campo fica para depois, que é uma decisão minha."),
        *call("write_file", "ok", path="docs/plano.md", content="# Plano"),
        assistant("O plano está em docs/plano.md, para você ler com calma e dizer o que falta."),
    ]
    wished, passed = "O usuário pediu para remover a pasta antiga do repositório.", "Os testes passaram."
    assert [one.where for one in claims(wished, middle)] == [wished]
    assert [one.where for one in claims(passed, middle)] == [passed]
    assert claims("O usuário pediu que ainda não seja criado código.", middle) == ()


def test_lines_added_and_removed_are_no_acts() -> None:
    middle = [
        user("commit it"),
        *call("terminal", "1 file changed, 271 insertions(+), 7 deletions(-)", command="git commit"),
    ]
    assert claims("The commit has 271 lines added and 7 removed.", middle) == ()


def test_tests_that_never_ran_did_not_pass() -> None:
    middle = [user("fix the parser"), *call("patch", "ok", path="src/parser.py"), assistant("It is changed.")]
    later = "The whole test suite of the repository was run afterwards on the branch and passed; all is said."
    for told in ("All tests pass.", "The build went through, and that without errors.", later):
        assert [claim.category for claim in claims(told, middle)] == ["done"]


def test_a_tally_the_messages_count_otherwise_is_flagged() -> None:
    middle = [user("lint it"), *call("terminal", "0 issues", command="ruff check"), assistant("Clean.")]
    assert claims("The linter found 0 issues.", middle) == ()
    assert [claim.value for claim in claims("The linter found 4 issues.", middle)] == ["4 issues"]


def test_calls_that_share_an_id_keep_their_own_results() -> None:
    middle = [
        user("book it"),
        *call("book_flight", "Error: the amount does not add up", identity="call_0", flight="HAT146"),
        *call("lookup", "HAT146 leaves at noon", identity="call_0", flight="HAT146"),
    ]
    assert [claim.category for claim in claims("HAT146 was booked.", middle)] == ["done"]


@pytest.mark.parametrize("release", ["0.16", "0.19", "0.22"])
def test_what_a_release_writes_without_a_model_is_supported(release: str) -> None:
    policy = load_policy(release)
    turns = [*WORK * 3, *call("terminal", "row 7 " * 4000, command="cat rows.txt")]
    request = SummaryRequest(tuple(turns), 2_000, policy.summary.headings)
    assert claims(StaticSummariser(policy).summarise(request).body, turns) == ()


@pytest.mark.parametrize(
    "line",
    [
        "- 00:10:31 INFO search encode webhook id=82c876ef31 took=3189ms",
        "- Hashes: " + ", ".join(f"82c876ef{n}" for n in range(12, 20)),
        "- Figures: 1289ms, 1389ms, 1489ms, 14 passed",
        "- TodoWrite (x4) -> Todos have been modified successfully.",
        "- terminal psql -f explain_1.sql to psql -f explain_5.sql (5 calls alike) -> last: 522 lines",
    ],
)
def test_a_line_that_lists_or_records_what_was_there_is_supported(line: str) -> None:
    log = "\n".join(
        f"00:10:{n} INFO search encode webhook id=82c876ef{n} took={n}89ms" for n in range(12, 40)
    )
    todos = [call("TodoWrite", "Todos have been modified successfully.", todos=str(n)) for n in range(4)]
    runs = [call("terminal", f"{n}22 lines", command=f"psql -f explain_{n}.sql") for n in range(1, 6)]
    results = chain.from_iterable((*todos, *runs))
    turns = [*WORK, *call("search_files", json.dumps({"output": log})), *results, *WORK]
    assert claims(line, turns) == ()


def test_an_arrow_between_words_is_not_a_record_of_a_call() -> None:
    assert [claim.value for claim in claims("- cache -> src/invoices/cache.py holds the rows")] == [
        "src/invoices/cache.py"
    ]


def test_a_numbered_list_and_a_word_cut_short_claim_no_figure() -> None:
    listed = "\n".join(f"{n}. src/invoices/export.py was changed." for n in range(1, 20))
    assert claims(f"{listed}\n- It reads in batches of 5003918… and so on.") == ()


def test_an_edit_the_user_refused_changed_nothing() -> None:
    refusal = "The user doesn't want to proceed with this tool use."
    middle = [user("fix it"), *call("patch", refusal, path="src/parser.py"), assistant("Stopped.")]
    assert [claim.category for claim in claims("src/parser.py was changed.", middle)] == ["done"]


def test_whatever_was_said_by_then_supports_a_claim_too() -> None:
    messages = [user("Use port 8443."), assistant("ok"), user("Now write docs/ports.md.")]
    summary = "The port is 8443, the file src/old.py, asked for is docs/ports.md, before it src/first.py."
    report = retention_of(
        messages, Span(1, 2), summary, previous="Known: src/old.py", earlier=[user("See src/first.py")]
    )
    assert report.unsupported == ()
    alone = {one.value for one in retention(messages[1:2], summary).unsupported}
    assert alone >= {"8443", "src/old.py", "docs/ports.md", "src/first.py"}


def test_a_rule_may_be_stated_with_what_was_said_before_it() -> None:
    middle = [
        user("Write an importer for the CSV files of our three banks. Amounts are decimals, never floats.")
    ]
    told = "An importer for the CSV files of three banks; amounts are decimals, never floats."
    assert claims(told, middle) == ()


def test_a_folder_is_made_up_if_its_names_are_never_together() -> None:
    middle = [
        user(f"Draw portraits. {'Take your time. ' * 40}"),
        *call("write_file", "ok", path="assets/characters/mei.png", content="x"),
    ]
    claims = retention(middle, "They are in assets/characters/. They are loaded from assets/portraits/.")
    assert [one.value for one in claims.unsupported] == ["assets/portraits/"]


def test_an_empty_summary_claims_nothing() -> None:
    assert claims("") == ()


PACKED = [
    user("Pack the logs with gzip instead of zstd, then move them from staging to archive."),
    assistant("Packed with gzip. I ran migrate before seed."),
]


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("The logs are packed with gzip instead of zstd.", False),
        ("The logs are packed with zstd instead of gzip.", True),
        ("They were moved from staging to archive.", False),
        ("They were moved from archive to staging.", True),
        ("First seed before migrate.", True),
    ],
)
def test_a_reversed_pair_is_flagged(claim: str, wrong: bool) -> None:
    found = [one.where for one in retention(PACKED, f"The logs.\n{claim}").unsupported]
    assert found == ([claim] if wrong else [])


MOVE = [
    user("Mewa nie, 29 sierpnia zajęte. Malowanie 30–31 sierpnia, weterynarz 21.08 o 16:40."),
    assistant("枝豆は5/17、5/31、6/14の3回。12,926−2,860+1,500=11,566円、残り2,434円です。"),
    user("Mirja is on leave till the 15th. Pauses > 1.5 s shorten to 0.7, on windows 1000."),
    assistant("Loss became NaN at step 18,102; the deposit would be 20 % of 11.517,50 €, so 2.303,50 €."),
    user("filter with 3 days lookback on the ingestion column"),
    *call("patch", "ok", path="model.sql", old_string="interval 3 day", new_string="interval 4 day"),
    user("Make the lookback 4 days then, it's monday. Bores 58.53 / 58.63. They collect on 10 December."),
    *call(
        "terminal", "indexer=1200m  kappa 0.741  resize(uri, 1600, 1600)  valid 31077", command="kubectl top"
    ),
    assistant("Rendimentos R$ 148.320,50, retido na fonte."),
]


@pytest.mark.parametrize(
    "claim",
    [
        "Mewa had 29 August taken.",
        "The flat is painted from 30 August on.",
        "The vet is seen on 21 August at 16:40.",
        "枝豆は6月14日。",
        "見込みは約11,570円。",
        "2,400円あまり残る。",
        "She is back on 15 September.",
        "Pauses become 0.7 s.",
        "It is 1000 ms on Windows.",
        "The loss was lost near step 18.1k.",
        "La señal son unos 2.300 €.",
        "Die Wohnung wird am 30.08. gestrichen.",
        "It filters the ingestion column with 4 days lookback.",
        "The indexer has 1.2 cores now.",
        "Bore 3 is 58.63 mm.",
        "Kappa was 0.74.",
        "The resize to 1600 px is gone.",
        "The split has 31k rows for validation.",
        "O salário foi de R$ 148,3 mil.",
        "It was checked on Monday 16 March.",
    ],
)
def test_a_value_may_be_stated_in_another_language_or_less_exactly(claim: str) -> None:
    assert [
        one for one in claims(f"The move is planned.\n{claim}", MOVE) if one.category in ("dates", "numbers")
    ] == []


@pytest.mark.parametrize(
    "claim",
    [
        "Mewa had 28 September taken.",
        "The vet is seen on 22 August.",
        "見込みは約11,740円。",
        "Pauses become 0.8 s.",
        f"The number is {'3' * 4000}.",
        "The loss was lost near step 18.9k.",
        "The indexer has 1.4 cores now.",
        "Kappa was 0.79.",
        "It was checked on Tuesday 17 March.",
    ],
)
def test_a_value_that_comes_to_none_of_the_messages_is_flagged(claim: str) -> None:
    assert {one.category for one in claims(f"The move is planned.\n{claim}", MOVE)} & {"dates", "numbers"}


@pytest.mark.parametrize(
    "heading", ["**State:** The exporter", "**State.** The exporter", "## State\nThe exporter"]
)
def test_what_is_under_the_next_heading_is_not_a_rule(heading: str) -> None:
    rules = "**Constraints**\n- The columns stay as they are."
    told = "writes nobody's totals beside unrelated shelves."
    assert [claim.category for claim in claims(f"{rules}\n{told}")] == ["constraints"]
    assert claims(f"{rules}\n\n{heading} {told}") == ()


def test_what_was_done_or_is_left_is_no_rule_below_a_heading_of_rules_either() -> None:
    rules = "## Preferences and settings\n- The columns stay as they are."
    assert claims(f"{rules}\n- The persona was switched to cheerful.\n- No open question remains.") == ()


def test_a_heading_of_rules_is_no_rule() -> None:
    assert claims("**Rules people laid down on the way.**\n- The columns stay as they are.") == ()


numbers = st.integers(0, 99)
days = st.builds("{}月{}日".format, numbers, numbers) | st.builds("{:02}.{:02}.".format, numbers, numbers)
days |= st.builds("May {}".format, numbers) | st.builds("2026-{:02}-{:02}".format, numbers, numbers)
figures = st.decimals().map(str) | st.integers().map(str) | st.builds("{}k".format, numbers)
WORDS = (
    "**State:**",
    "**Rules.**",
    "never",
    "asked for",
    "about",
    "pushed",
    "tests pass",
    "a.py",
    "A → B",
    "#22",
    "``",
)


@pytest.mark.parametrize("endless", ["7" * 5000, "1,234" * 1000, "$1," * 3000])
def test_a_figure_without_end_stops_nothing(endless: str) -> None:
    claims(f"The export gives up after {endless} attempts.")
    claims("The export gives up after 9 attempts.", [*WORK, assistant(f"It took {endless} attempts.")])


texts = st.lists(days | figures | st.sampled_from(WORDS) | st.text(max_size=9), max_size=30).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(texts, texts, texts)
def test_no_text_is_too_odd_to_be_checked(asked: str, output: str, summary: str) -> None:
    middle = [user(asked), *call("terminal", output, command=asked), assistant(output)]
    for claim in claims(summary, middle):
        assert claim.where


def test_a_wish_is_compared_even_if_people_say_too_little_to_know_their_language() -> None:
    quiet = [user("/review"), *call("read_file", "def f(): ...", path="src/f.py")]
    wish = "The user insists that no public signature of the parser may break before the release."
    assert [claim.category for claim in claims(wish, quiet)] == ["constraints"]


def test_a_notice_a_program_sends_as_the_user_voices_no_wish() -> None:
    notice = user(
        "<system_notification>\nThe task has finished. Please encrypt the backups.\n</system_notification>"
    )
    claim = "The user asked to encrypt the backups."
    assert [one.where for one in claims(f"The export is faster.\n{claim}", [*WORK, notice])] == [claim]
    assert claims(f"The export is faster.\n{claim}", [*WORK, user("Please encrypt the backups.")]) == ()


LISTED = [
    user("Where are the settings?"),
    *call("terminal", "doc\\README.md\nsrc\\Shop.sln\nsrc/x", command="rg --files"),
    *call(
        "terminal",
        "total 9\n" + "-rw-r--r-- 1 mei cache\n" * 9 + "-rw- 1 mei .keys.json\n",
        command="ls -la ~/.shop",
    ),
    assistant("It rests on done, on error and on interrupt."),
    *call("terminal", "-rw-r--r-- .bashrc\n-rw-r--r-- .profile", command="ls -a /home/mei"),
]


@pytest.mark.parametrize(
    "true",
    [
        "It is in src/Shop.sln.",
        "The keys lie in ~/.shop/.keys.json.",
        "Left out: .bashrc/.profile.",
        "It rests on done/error/interrupt alike.",
    ],
)
def test_a_file_is_known_however_a_listing_names_it(true: str) -> None:
    assert claims(true, LISTED) == ()


@pytest.mark.parametrize("false", ["It is in lib/Shop.sln.", "The keys lie in ~/.bakery/.keys.json."])
def test_a_file_in_a_folder_that_no_listing_shows_it_in_is_flagged(false: str) -> None:
    assert claims(false, LISTED) != ()
