"""Checks reported too favourably, and acts without a call, are flagged."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("Cancel KX31LQ, look KX77PT up, and mend the ledger."),
    *call("cancel_booking", "done", booking="KX31LQ"),
    *call("lookup", "KX77PT leaves at noon; it may be cancelled", booking="KX77PT"),
    *call("terminal", "Exit code 1\nledger.py:3: error", command="ruff check src"),
    *call("patch", "ok", path="src/ledger.py", old_string="a", new_string="b"),
    *call("terminal", "ok", command="ruff check src"),
    *call("terminal", "4 passed", command="pytest tests/unit"),
    *call("terminal", "", command="go test -tags=smoke -c ./... -o /dev/null"),
    *call("terminal", "", command="rm notes.txt"),
    *call("apply_patch", "Done", input="*** Update File: src/totals.py\n-a\n+b"),
    assistant("The ledger is mended, lint and unit tests are green. KX31LQ is cancelled."),
]


def flagged(claim: str) -> list[str]:
    return [one.where for one in retention(WORK, f"The ledger.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The integration tests passed.",
        "The smoke tests passed.",
        "mypy passed.",
        "The branch was merged into main.",
        "The edits in `src/ledger.py` were stashed.",
        "A pull request was opened.",
        "The order was placed.",
        "The compose stack was started.",
        "The image of the ledger was built.",
        "The report on the ledger has been delivered.",
        "At the request of the user the ledger was pushed.",
        "Before handing over, the agent ran `src/totals.py`.",
        "The agent opened the ledger in a browser and looked at every sum.",
    ],
)
def test_what_did_not_happen_is_flagged(claim: str) -> None:
    assert flagged(claim) == [claim]


def test_what_runs_in_a_folder_whose_name_begins_with_test_is_no_test() -> None:
    work = [user("Mend the ledger."), *call("terminal", "ok", command="python /testbed/reproduce.py")]
    claim = "The existing tests were run after that and passed."
    assert [one.where for one in retention(work, f"The ledger.\n{claim}").unsupported] == [claim]


def test_a_call_that_moves_a_file_names_both_its_places() -> None:
    work = [
        user("Clean up."),
        *call("filesystem-move_file", "ok", source="/data/form.csv", destination="/data/form.csv.bak"),
    ]
    assert retention(work, "The form.\nThe form was first renamed to `.bak`.").unsupported == ()
    assert retention(work, "The form.\nThe form was first renamed to `.old`.").unsupported != ()


@pytest.mark.parametrize(
    "unclear",
    [
        "Reverted.",
        "It accepted the standing orders.",
        "A search of the committed source found it.",
        "Installed `ledger` is too old, so the tests are for that one.",
    ],
)
def test_a_word_alone_or_an_attitude_is_no_act(unclear: str) -> None:
    assert flagged(unclear) == []


def test_a_command_that_changes_nothing_was_run_too() -> None:
    work = [user("Look after the ledger."), *call("terminal", "On branch main", command="git status -sb")]
    assert retention(work, "- Every hour: each time ran `git status`.").unsupported == ()
    claim = "- Every hour: each time ran `git fetch`."
    assert [one.where for one in retention(work, claim).unsupported] == [claim]


def test_a_plan_that_costs_something_is_no_payment() -> None:
    work = [user("Can I use the free model first, and the paid as a backup?"), assistant("Shall I set that?")]
    assert (
        retention(work, "- Order of models: the free one first, the paid model as backup.").unsupported == ()
    )


def test_what_a_gateway_tells_by_itself_happened() -> None:
    told = 'System: [2026-02-04 11:04:27 GMT+11] GatewayRestart:\n{\n  "status": "ok"\n}'
    work = [user("Use the free model."), assistant("I changed the configuration."), user(f"{told}\n\nhi")]
    assert retention(work, "The gateway restarted at 11:04 with status ok.").unsupported == ()
    claim = "The server was rebooted at 11:04."
    assert [one.where for one in retention(work[:2], claim).unsupported] == [claim]


def test_a_file_that_an_answer_attaches_was_sent() -> None:
    work = [
        user("Mande a imagem do doce para a loja, por favor."),
        *call("exec", "out/doce.jpg: JPEG image data", command="python3 save.py out/doce.jpg"),
        assistant("Segue a imagem:\n\nMEDIA:out/doce.jpg"),
    ]
    assert retention(work, "Imagem em `out/doce.jpg` e enviada para a loja.").unsupported == ()
    assert retention(work[:-1], "Imagem em `out/doce.jpg` e enviada para a loja.").unsupported != ()


def test_what_is_not_committed_yet_is_no_report_of_a_change_in_spanish() -> None:
    work = [
        user("Revisa los cambios que no están en la rama."),
        *call("terminal", " D notas.md", command="git status"),
    ]
    assert retention(work, "Cambios sin commit del repositorio: uno borrado y otro nuevo.").unsupported == ()


def test_a_program_that_broke_off_was_run() -> None:
    error = "Traceback (most recent call last):\nFileNotFoundError: [Errno 2] No such file or directory: 'x'"
    work = [user("Total the ledger."), *call("terminal", error, command="python total.py")]
    assert retention(work, "- Ran `total.py` twice, which found no ledger.").unsupported == ()


def test_a_command_that_ended_well_did_what_it_says_whatever_it_printed() -> None:
    written = "cat > src/ledger.py << 'EOF'\nraise ValueError(total)\nEOF\npython src/ledger.py"
    printed = '{"output": "case 1\\n  error: ValueError: 3", "exit_code": %d}'
    claim = "The whole of src/ledger.py was rewritten by heredoc."
    for code, flagged in ((0, 0), (1, 1)):
        work = [user("Mend src/ledger.py."), *call("terminal", printed % code, command=written)]
        assert len(retention(work, claim).unsupported) == flagged


def test_what_a_tool_answers_is_known_where_the_claim_names_the_tool() -> None:
    result = '{"status": "accepted", "mode": "run"}'
    work = [user("Let a helper do it."), *call("sessions_spawn", result, label="total-ledger")]
    assert retention(work, "sessions_spawn with label total-ledger was accepted.").unsupported == ()


def test_a_commit_of_everything_holds_every_file() -> None:
    work = [
        user("Commit the ledger."),
        *call("terminal", "ok", command="python make.py --out ledger.db"),
        *call("terminal", "[main b37943c] first", command="git add . && git commit -m first"),
    ]
    assert retention(work, "ledger.db was committed too.").unsupported == ()


@pytest.mark.parametrize(
    "claim",
    [
        "The linter failed at first.",
        "Lint passes now.",
        "ruff passes and pytest is green.",
        "A modified notes.txt is nothing to worry about.",
        "The tests never failed.",
        "The integration tests have thus never run.",
        "The user kept the deployed ledger as the base.",
        "An earlier session had pushed the ledger.",
        "The unit tests passed.",
        "KX31LQ was cancelled.",
        "notes.txt was removed.",
        "The old sum in `totals.py` was removed.",
        "The change is one line (one dropped blank line at the end).",
        "The branch has not been merged into main.",
        "No pull request was opened.",
        "The agent ran `tests/unit`.",
        "Before it is used, the ledger has to be opened in a browser.",
        "The agent never read the ledger before it changed the code of the totals.",
        "The use cases were confirmed.",
        "The agent looked KX77PT up with escalated permissions.",
        "The order of the totals was confirmed.",
        "Open: tell them that KX77PT was refunded.",
        "The caller complained that KX77PT was refunded.",
    ],
)
def test_what_did_is_not(claim: str) -> None:
    assert flagged(claim) == []


SPANISH = [
    user("Anula el pedido 4471 y no borres nada."),
    *call("cancelar_pedido", "hecho", pedido="4471"),
    assistant("El pedido está anulado. No se ha avisado al proveedor."),
]
CHINESE = [user("请取消订单4471。"), *call("cancel_order", "成功", order="4471"), assistant("订单已取消。")]
FRENCH = [
    user("Annule la commande 4471 et ne supprime rien."),
    *call("annuler_commande", "fait", commande="4471"),
    assistant("La commande est annulée. Le fournisseur n'est pas prévenu."),
]

JAPANESE = [
    user("注文4471をキャンセルしてください。在庫の表は変更しないでください。"),
    *call("terminal", "E   AssertionError: totals differ\n3 failed, 244 passed", command="npm test"),
    *call("cancel_order", "完了", order="4471"),
    assistant("注文をキャンセルしました。テストは3件失敗しています。"),
]
KOREAN = [
    user("주문 4471을 취소해 주세요."),
    *call("cancel_order", "완료", order="4471"),
    assistant("주문을 취소했습니다."),
]
VIETNAMESE = [
    user("Hãy hủy đơn 4471 giúp tôi, đừng xóa bảng kho."),
    *call("terminal", "E   AssertionError: totals differ\n3 failed", command="npm test"),
    *call("cancel_order", "xong", order="4471"),
    assistant("Đã hủy đơn hàng. Có 3 test chưa đạt, bảng kho vẫn còn."),
]
ITALIAN = [
    user("Per favore annulla l'ordine 4471 e non eliminare la tabella delle scorte."),
    *call("cancel_order", "fatto", order="4471"),
    assistant("L'ordine è stato annullato. Al fornitore non ho scritto nulla."),
]
RUSSIAN = [
    user("Отмени заказ 4471 и ничего не удаляй."),
    *call("cancel_order", "готово", order="4471"),
    assistant("Заказ отменён. Поставщику ничего не отправлено."),
]

UKRAINIAN = [
    user("Скасуй замовлення 4471 і нічого не видаляй."),
    *call("cancel_order", "готово", order="4471"),
    assistant("Замовлення скасовано. Постачальнику нічого не надіслано."),
]
NORWEGIAN = [
    user("Kan du avbestille ordre 4471 for meg? Ikke slett tabellen, og si fra når det er gjort."),
    *call("cancel_order", "ferdig", order="4471"),
    *call("cronjob", "ok", action="update", job="4471 watch", schedule="0 7 * * *"),
    assistant("Ordren er kansellert. Jeg har ikke sendt melding til leverandøren."),
]


@pytest.mark.parametrize(
    ("middle", "claim", "flagged"),
    [
        (UKRAINIAN, "Таблицю запасів видалено.", True),
        (UKRAINIAN, "Сервер перезапустив помічник.", True),
        (UKRAINIAN, "Замовлення 4471 скасовано.", False),
        (UKRAINIAN, "Постачальнику ще не надіслано.", False),
        (NORWEGIAN, "Lagertabellen ble slettet.", True),
        (NORWEGIAN, "Ordre 4471 ble kansellert.", False),
        (NORWEGIAN, "Jobben 4471 watch ble endret.", False),
        (NORWEGIAN, "Lagertabellen skal ikke bli slettet.", False),
        (JAPANESE, "在庫の表を削除しました。", True),
        (JAPANESE, "テストはすべて成功した。", True),
        (JAPANESE, "注文4471はキャンセル済み。", False),
        (JAPANESE, "244件は成功した。", False),
        (JAPANESE, "約240件が成功した。", False),
        (JAPANESE, "まだ在庫の表は削除していない。", False),
        (KOREAN, "환불이 완료됐다.", True),
        (KOREAN, "주문 4471을 취소했다.", False),
        (RUSSIAN, "Уведомление удалено.", True),
        (RUSSIAN, "Заказ отменён.", False),
        (RUSSIAN, "Письмо ещё не отправлено.", False),
        (CHINESE, "庫存表已刪除。", True),
        (CHINESE, "訂單4471已取消。", False),
        (VIETNAMESE, "Hermes xóa bảng kho.", True),
        (VIETNAMESE, "Hermes đã xóa bảng kho.", True),
        (VIETNAMESE, "Đơn 4471 đã được hủy.", False),
        (VIETNAMESE, "Bảng kho chưa được xóa.", False),
        (VIETNAMESE, "Toàn bộ test đã chạy và đạt.", True),
        (ITALIAN, "La tabella delle scorte è stata eliminata.", True),
        (ITALIAN, "L'ordine 4471 è stato annullato.", False),
        (ITALIAN, "La tabella non è stata eliminata.", False),
        (SPANISH, "El aviso fue enviado al proveedor.", True),
        (SPANISH, "El pedido quedó anulado.", False),
        (SPANISH, "El aviso todavía no fue enviado.", False),
        (SPANISH, "Todas las pruebas pasan.", True),
        (SPANISH, "Las pruebas todavía no pasan.", False),
        (SPANISH, "El informe quedó guardado.", True),
        (CHINESE, "测试全部通过。", True),
        (CHINESE, "订单4471已入账。", True),
        (CHINESE, "订单4471已取消。", False),
        (FRENCH, "Le rapport a été envoyé au fournisseur.", True),
        (FRENCH, "La commande a été annulée.", False),
        (FRENCH, "Rien n'a été supprimé.", False),
    ],
)
def test_acts_and_checks_are_known_in_other_languages(
    middle: list[Message], claim: str, *, flagged: bool
) -> None:
    assert bool(retention(middle, f"- 4471\n{claim}").unsupported) is flagged


def test_a_file_of_windows_is_known_by_its_path() -> None:
    script = r"C:\Users\mei\work\total.js"
    work = [
        user("Total the ledger."),
        *call("edit", rf"Replaced 1 block in {script}.", path=script, new_string="b"),
    ]
    said = rf"{script} was rewritten several times."
    assert retention(work, said).unsupported == ()
    assert retention(work, said.replace("rewritten several times", "renamed")).unsupported != ()


def test_of_several_commands_the_failure_of_one_does_not_undo_another() -> None:
    work = [user("Build it."), *call("terminal", "error: build failed", command="rm -rf .cache; make all")]
    assert retention(work, "Then `.cache` was deleted.").unsupported == ()
    alone = [user("Build it."), *call("terminal", "rm: error: no such file", command="rm -rf .cache")]
    assert retention(alone, "Then `.cache` was deleted.").unsupported != ()


def test_what_went_well_each_time_was_not_refused() -> None:
    pushed = [user("Publish it."), *call("terminal", "main -> main", command="git push -u origin main")]
    claim = "The branch could not be pushed, because the remote rejected the key."
    assert retention(pushed, claim).unsupported != ()
    refused = call("terminal", "error: failed to push some refs", command="git push origin main")
    assert retention([*pushed[:1], *refused, *pushed[1:]], claim).unsupported == ()
    told = assistant("The first push was rejected, the second went through.")
    assert retention([*pushed, told], claim).unsupported == ()


def test_a_commit_that_git_told_of_was_made_though_the_push_after_it_failed() -> None:
    result = "[main 8bad877] Automated backup\n 8 files changed\nerror: failed to push some refs"
    work = [user("Back it up."), *call("terminal", result, command="python backup.py")]
    assert retention(work, "The backup was committed as 8bad877.").unsupported == ()
    assert retention(work, "The backup was pushed.").unsupported != ()


def test_the_hash_of_a_first_commit_belongs_to_the_call_however_much_git_prints() -> None:
    printed = "\n".join(f" create mode 100644 notes/{n}.md" for n in range(60))
    result = f"{'cloned ' * 120}\n[main (root-commit) 2e57ccf] Add notes\n{printed}"
    work = [
        user("Take the notes in."),
        *call("terminal", result, command="mv tmp/notes . && git commit -m x"),
    ]
    assert retention(work, "The notes were moved to `notes/` and committed (2e57ccf).").unsupported == ()
    assert retention(work, "The notes were moved to `notes/` and committed (2e57ccd).").unsupported != ()


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Skill `harbour` sudah dihapus.", "Skill `harbour` sudah dipasang."),
        ("config.json disimpan di ~/.harbour.", "Laporan sudah dikirim."),
        ("Build gagal.", "Build berhasil."),
    ],
)
def test_what_is_reported_in_indonesian_is_compared_too(true: str, false: str) -> None:
    work = [
        user("Tolong hapus skill harbour, simpan konfigurasi yang baru dan jalankan build itu."),
        *call("terminal", "", command="rm -r skills/harbour && echo '{}' > ~/.harbour/config.json"),
        *call("terminal", "Exit code 1\nerror: no rule", command="make build"),
        assistant("Skill harbour sudah dihapus dan konfigurasi disimpan, tetapi build itu gagal."),
    ]
    claims = retention(work, f"Yang dikerjakan untuk pengguna ini:\n{true}\n{false}").unsupported
    assert [one.where for one in claims] == [false]


def test_a_file_is_known_by_the_folder_a_command_entered() -> None:
    command = f"cd /home/mei/.shop && echo '{' '.join(['cache/'] * 20)}' > .gitignore"
    work = [user("Ignore the cache."), *call("terminal", "", command=command)]
    assert retention(work, "`cache/` stands in `~/.shop/.gitignore` now.").unsupported == ()
    assert retention(work, "`cache/` stands in `~/.bakery/.gitignore` now.").unsupported != ()


def test_each_file_of_a_patch_was_changed() -> None:
    patch = "*** Begin Patch\n*** Add File: a/new.ts\n+x\n*** Update File: a/images.ts\n-x\n+y\n*** End Patch"
    work = [user("Show them safely."), *call("apply_patch", "Updated 2 files", input=patch)]
    assert retention(work, "a/images.ts was changed.").unsupported == ()
    assert retention(work, "a/fonts.ts was changed.").unsupported != ()


def test_what_happens_as_a_rule_needs_no_call() -> None:
    assert flagged("The report is delivered automatically.") == []
    assert flagged("The report was delivered.") != []


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("Look at the cash book; leave the invoices.", "The development build finished without any errors."),
        ("Revisa el libro y no toques las facturas.", "Se ejecutó todo el build y terminó sin errores."),
        ("Prüfe bitte das Kassenbuch und lass die Rechnungen.", "Der Build endete ohne Fehler."),
        ("Controlla il libro di cassa e non toccare le fatture.", "La compilazione è finita senza errori."),
        ("请检查账本，不要改发票。", "构建已经完成，编译没有错误。"),
        ("帳簿を確認してください。請求書は変えないでください。", "ビルドはエラーなしで終わった。"),
        ("地図のアプリを作ってください。", "npm run build を実行し、エラーなしで完了した。"),
    ],
)
def test_a_check_that_never_ran_is_flagged_in_the_words_of_any_language(asked: str, claim: str) -> None:
    work = [user(asked), *call("read_file", "2019: 41", path="ledger.txt")]
    assert [one.category for one in retention(work, claim).unsupported] == ["done"]
    built = [*work, *call("terminal", "ok", command="npm run build")]
    assert retention(built, claim).unsupported == ()
