"""What stands in the messages in another form is not flagged, and what is said in passing is compared too."""

from __future__ import annotations

import json

import pytest

from core.compress.retention.score import retention
from core.model.compaction.preview import Unsupported
from tests.core.compress.builders import assistant, call, user


def claims(summary: str) -> tuple[Unsupported, ...]:
    return retention(IMPORT, summary).unsupported


IMPORT = [
    user("Please speed the importer up. Keep the billing tables as they are. Do not push."),
    *call("terminal", "collected 6 items\n6 passed\n3 warnings", command="pytest tests/test_importer.py"),
    *call("patch", "ok", path="src/importer.py", new_string="wait(15000)\nlimit = 2_000_000"),
    *call("patch", "ok", path="src/importer.py", new_string="filter(hp_cutoff_hz=10.0)"),
    *call("terminal", "AssertionError: assert 500 == 501\n1 failed", command="pytest tests/test_stub.py"),
    *call("terminal", "src/readers:\nbase.py\ncsv_reader.py", command="ls -R src"),
    *call("terminal", "share 0.7420382165 is Complete or Shipped\n0 importer.lock", command="wc"),
    *call("terminal", "Total tokens: 59\nsampled 44 tokens of the importer text", command="wc importer.txt"),
    *call("terminal", "B1001\nB1002\nB1003: ends Jun  3 23:59:59 2026 GMT", command="bills"),
    *call("terminal", "archive.example/web/20230529071650/importer", command="snapshots"),
    assistant(
        "The filter was at 20 Hz. It reads 8 files in parallel. The stub test returns 501 by design; "
        "it took 44 minutes from 6:46 at IAH."
    ),
]


@pytest.mark.parametrize(
    "claim",
    [
        "tests/test_importer.py has six tests.",
        "The filter now has a cutoff of 10 Hz.",
        "The importer is limited to 2,000,000 rows.",
        "Whether the 501 test passes is open.",
        "The text of the importer has 59 tokens.",
        "So the importer could never get past the billing tables before that.",
        "The agent itself committed and pushed nothing, as the user had asked for it at the very beginning.",
        "Active Task: speed the importer up.",
        "The two stub tests (test_stub and test_importer) are the ones to watch.",
        "The importer was tried 35 times.",
        "Rows come from src/readers/csv_reader.py there.",
        "Of all 74.2 % came through.",
        "importer.lock is 0 bytes.",
        "The report counts the rows whose state is Complete or Shipped.",
        "Started at 6:46 with 44 minutes of work, it is over at 7:30.",
        "The base reader was offered and accepted.",
        "Of the four readers the last was dropped.",
        "It is an Importer/Filter/Stub design.",
        "The last snapshot is of 29 May.",
        "All of it starts in Houston.",
        "The bills B1001-B1003 came with it.",
        "It ends on Jun 3 2026.",
        "The brief of it is partly Indonesian.",
        "The page is Importer.js 8, and as booked from Houston (IAH).",
        "It uses about 0.9 GiB and answers with 501s.",
        "The importer waits 15 s.",
        "Both csv_reader.py/test_stub.py are read.",
        "The importer was back 5 seconds later.",
        "It raised AssertionErrors, and `AssertionErrors` stopped the stub test.",
    ],
)
def test_what_stands_there_in_another_form_is_not_flagged(claim: str) -> None:
    assert claims(claim) == ()


@pytest.mark.parametrize(
    "claim",
    [
        "tests/test_importer.py has fourteen tests.",
        "The user does not want the printed catalogue or its photographs to be replaced.",
        "The tables were read; the licence was accepted.",
        "The change has already been submitted to the board.",
        "The billing tables were dropped on the way.",
    ],
)
def test_what_is_said_in_passing_or_in_words_is_compared_too(claim: str) -> None:
    assert len(claims(claim)) == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "Bitte lies die Rechnungen und das Protokoll.",
            "Die Antwort auf die Rechnungen kam 47 Stunden später.",
        ),
        (
            "Por favor, revisa las facturas y el acta.",
            "La respuesta sobre las facturas llegó 47 horas después.",
        ),
        ("请检查发票和记录。", "发票的答复47小时后才到。"),
        ("請求書と記録を確認してください。", "請求書の返事は47時間後に届いた。"),
        ("송장과 기록을 확인해 주세요.", "송장 답변은 47시간 뒤에 왔다."),
    ],
)
def test_a_time_between_two_others_is_computed_by_the_writer_in_any_language(asked: str, told: str) -> None:
    assert retention([user(asked), assistant(asked)], told).unsupported == ()


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("効果音BREAK.mp3とBGM.mp3。", True),
        ("参照を./bgm.mp3から./BGM.mp3へ修正した。", True),
        ("ユーザーが置いたスマホ表示.jpgは見ていない。", True),
        ("効果音DROP.mp3を追加した。", False),
    ],
)
def test_the_name_of_a_file_is_known_without_the_words_joined_to_it(told: str, known: bool) -> None:
    middle = [
        user("ゲームに音を付けてください。スマホ表示.jpg も置きました。"),
        *call("terminal", "BGM.mp3\nBREAK.mp3\nスマホ表示.jpg", command="dir"),
        *call("patch", "ok", path="index.html", old_string="./bgm.mp3", new_string="./BGM.mp3"),
    ]
    found = [one for one in retention(middle, told).unsupported if one.category == "paths"]
    assert (found == []) is known


def test_a_folder_of_windows_is_known_however_it_is_escaped() -> None:
    listing = json.dumps({"c:\\Users\\mei\\shop": ["index.html"]})
    middle = [user("Where is the shop?"), *call("search", f"found in {listing}", query="shop")]
    assert retention(middle, r"It is in `c:\Users\mei\shop`.").unsupported == ()
    assert retention(middle, r"It is in `c:\Users\jan\shop`.").unsupported != ()


def test_an_address_is_known_when_code_puts_it_together() -> None:
    code = '@RequestMapping("/api/v1/bookings") class Bookings { @PostMapping("/reserve") void reserve() {} }'
    middle = [user("Add an endpoint."), *call("write_file", "ok", path="Bookings.java", content=code)]
    told = "The endpoint is `{}` now."
    assert retention(middle, told.format("/api/v1/bookings/reserve")).unsupported == ()
    assert retention(middle, told.format("/api/v1/bookings/refund")).unsupported != ()


@pytest.mark.parametrize(("port", "known"), [("3307", True), ("3399", False)])
def test_a_host_with_its_port_is_known_if_the_messages_have_both(port: str, known: bool) -> None:
    said = [assistant("Set `DB_HOST=127.0.0.1` and `DB_PORT=3307` in `.env`.")]
    found = retention(said, f"The settings now point at 127.0.0.1:{port}.").unsupported
    assert (f"127.0.0.1:{port}" not in [one.value for one in found]) is known


def test_what_is_between_two_pieces_of_code_is_no_code() -> None:
    told = f"It says `{'cannot find the assets of the importer ' * 2}` and, as `/` shows, so does `src`."
    assert [one.value for one in claims(told) if one.category == "names"] == []
    cut = "It failed after … `) and the program did not start. The assistant removed `all of` it."
    assert [one.value for one in claims(cut) if one.category == "names"] == []


def test_a_mark_within_code_ends_no_sentence() -> None:
    told = "It has `return item.price!;` as before when it comes to prices, and `src` reads them."
    assert not any("as before" in one.value for one in claims(told))


def test_a_long_figure_may_be_computed_from_two_others() -> None:
    middle = [user("How many rows are new?"), *call("terminal", "before: 26306\nnow: 49360", command="count")]
    told = "There were 26306 rows and now there are 49360, so {} of them are new."
    assert retention(middle, told.format(23054)).unsupported == ()
    assert retention(middle, told.format(23154)).unsupported != ()


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("触发时间为2026-05-07 23:11 UTC，即北京时间5月8日早上。", True),
        ("失败：多个新华网/中新网/光明网栏目页。", True),
        ("早报的日期写的是5月8日。", False),
        ("失败：news/新华网/栏目.html。", False),
    ],
)
def test_a_day_by_another_clock_and_a_list_of_words_are_no_new_values(told: str, known: bool) -> None:
    middle = [
        user("请写早报，数据来自新华网。"),
        *call("date", "2026-05-07 23:11 UTC", zone="UTC"),
        assistant("好的，写早报。"),
    ]
    found = [one for one in retention(middle, told).unsupported if one.category in ("dates", "paths")]
    assert (found == []) is known


@pytest.mark.parametrize(
    "denied",
    [
        "No package.json was created.",
        "There is no package.json.",
        "package.json や設定も作っていない。",
        "尚未创建 package.json。",
        "Die Datei package.json existiert noch nicht.",
        "No se creó package.json.",
        "O arquivo package.json ainda não existe.",
        "Le fichier package.json n'a pas été créé.",
        "Il file package.json non è stato creato.",
        "Файл package.json не создан.",
        "package.json 은 아직 만들지 않았다.",
    ],
)
def test_what_a_summary_says_is_not_there_the_messages_need_not_name(denied: str) -> None:
    assert claims(denied) == ()


@pytest.mark.parametrize(
    "told",
    [
        "The new endpoint installs package.json.",
        "package.json を作成した。",
        "已创建 package.json。",
        "package.json wurde angelegt.",
    ],
)
def test_what_it_says_is_there_they_must_name(told: str) -> None:
    assert [one.value for one in claims(told)] == ["package.json"]


@pytest.mark.parametrize(("told", "known"), [("falls by 16px", True), ("falls by 18px", False)])
def test_what_code_assigns_is_known_with_its_unit(told: str, known: bool) -> None:
    middle = [
        user("Write the grid."),
        *call("write_file", "ok", path="grid.ts", content="private drop: number = 16; // in pixels"),
    ]
    assert (retention(middle, f"A row {told} at the edge.").unsupported == ()) is known


@pytest.mark.parametrize(("told", "flags"), [("La cita fue reservada.", 1), ("Era un espacio reservado.", 0)])
def test_a_reserved_place_on_a_page_is_no_booking(told: str, flags: int) -> None:
    asked = [user("¿Puedes pedir la cita y decirme qué hay en la página?"), assistant("Ya miro.")]
    assert len(retention(asked, told).unsupported) == flags
