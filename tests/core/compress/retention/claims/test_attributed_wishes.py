"""A reported wish is flagged unless a person said most of it in one sentence."""

from __future__ import annotations

import pytest

from core.compress.retention.score import retention
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

WORK = [
    user("I'm Mei. Please skip empty invoices, and never touch the ledger of 2019."),
    assistant("Shall I also translate the headers into French?"),
    user("Yes, do that. You can spend up to $40 on it."),
    assistant("I could also encrypt the backups and rotate the keys every week."),
    user("A monthly report would be nice."),
]
GERMAN = [
    user("Bitte prüfe die Rechnungen und lass den Kontoauszug so, wie er ist."),
    assistant("Ich prüfe die Rechnungen. Soll ich die Mahnung an Wulf verschicken?"),
    user("Nein, die Mahnung geht erst am Montag raus."),
]
SPANISH = [
    user("Revisa las facturas de mayo y no toques el libro de caja. El informe va en una sola hoja."),
    assistant("Reviso las facturas. ¿Aviso también al proveedor?"),
    user("No, al proveedor lo llamo yo. Gracias."),
]
FRENCH = [
    user("Vérifie les factures de mai et ne touche pas au livre de caisse. Le rapport tient sur une page."),
    assistant("Je vérifie les factures. Dois-je prévenir le fournisseur ?"),
    user("Non, le fournisseur, je l'appelle moi-même. Merci."),
]
CHINESE = [user("请推荐一家经济型酒店，最好带早餐。"), assistant("推荐格林豪泰酒店，有早餐。")]

JAPANESE = [user("請求書を確認してください。帳簿は変更しないでください。"), assistant("請求書を確認します。")]
KOREAN = [user("송장을 확인해 주세요. 장부는 건드리지 마세요."), assistant("송장을 확인합니다.")]
VIETNAMESE = [
    user("Hãy kiểm tra hóa đơn tháng năm và đừng sửa sổ quỹ của tôi."),
    assistant("Tôi đang kiểm tra."),
]
ITALIAN = [
    user("Controlla le fatture di maggio e non toccare il libro di cassa."),
    assistant("Controllo le fatture."),
]
UKRAINIAN = [user("Перевір рахунки за травень і не чіпай касову книгу."), assistant("Перевіряю рахунки.")]
NORWEGIAN = [
    user("Kan du sjekke fakturaene for mai? Ikke rør kasseboken, for den er ikke ferdig."),
    assistant("Jeg sjekker fakturaene nå."),
]
DUTCH = [
    user("Controleer de facturen van mei en raak het kasboek niet aan, want het is niet af."),
    assistant("Ik controleer de facturen."),
]
POLISH = [user("Sprawdź faktury za maj i nie ruszaj księgi kasowej."), assistant("Sprawdzam faktury.")]
INDONESIAN = [
    user("Tolong periksa faktur bulan Mei dan jangan ubah buku kas itu."),
    assistant("Saya sedang memeriksa faktur."),
]
PERSIAN = [
    user("فاکتورهای ماه مه را بررسی کن و به دفتر صندوق دست نزن."),
    assistant("فاکتورها را بررسی می‌کنم."),
]
RUSSIAN = [user("Проверь счета за май и не трогай кассовую книгу."), assistant("Проверяю счета.")]


def flagged(claim: str, middle: list[Message]) -> list[str]:
    return [one.where for one in retention(middle, f"- Summary.\n{claim}").unsupported]


@pytest.mark.parametrize(
    "claim",
    [
        "The user asked to encrypt the backups.",
        "The user wanted a report, and then insisted on rotating the keys.",
        "The user must approve each invoice, she insisted.",
        "Mei demanded a copy of the contract.",
        "The founder asked to encrypt the backups.",
        "The user confirmed that the keys of the backups rotate.",
        "The user confirmed after the last commit that the keys of the backups rotate.",
        "The user wrote that the keys of the backups rotate every month.",
        "She must have every invoice on paper.",
        "The user insisted that reports never contain empty invoices.",
    ],
)
def test_what_only_the_assistant_or_nobody_said_is_flagged(claim: str) -> None:
    assert flagged(claim, WORK) == [claim]


@pytest.mark.parametrize(
    "claim",
    [
        "The user asked that the ledger of 2019 is never touched.",
        "The user wanted the headers translated into French.",
        "The founder confirmed that the headers go into French.",
        "She wants to spend at most $40.",
        "The user asked for a monthly report, and empty invoices to be skipped.",
        "The assistant suggested encrypting the backups.",
        "The user did not ask for encrypted backups.",
        "They may want to encrypt the backups.",
        "The headers were translated per user request.",
        "The user wanted a monthly report, quoted at $40.",
        "The user insisted and asked for urgency, the assistant sent it.",
        "The report she said she had ordered was never found.",
        "The user said nothing beyond that.",
        "The user must still rotate the keys of the vault in the console.",
        "The user chose neither the encrypted backup nor the archive of last March.",
    ],
)
def test_what_people_said_or_agreed_to_is_not(claim: str) -> None:
    assert flagged(claim, WORK) == []


@pytest.mark.parametrize(
    ("middle", "claim"),
    [
        (GERMAN, "Der Nutzer wollte, dass die Datenbank verschlüsselt wird."),
        (CHINESE, "用户要求酒店离地铁站不超过一公里。"),
        (CHINESE, "用户还要求酒店离地铁站不超过一公里。"),
        (SPANISH, "El usuario pidió que se cifren las copias de seguridad."),
        (SPANISH, "Se pidió también un gráfico de barras."),
        (FRENCH, "L'utilisatrice souhaite que les sauvegardes soient chiffrées."),
        (JAPANESE, "利用者はバックアップを暗号化するよう求めた。"),
        (KOREAN, "사용자는 백업 암호화를 요청했다."),
        (RUSSIAN, "Пользователь попросил зашифровать резервные копии."),
        (UKRAINIAN, "Користувач попросив зашифрувати резервні копії."),
        (NORWEGIAN, "Brukeren ba om at sikkerhetskopiene ble kryptert, og at det ikke ble sendt e-post."),
        (VIETNAMESE, "Người dùng yêu cầu mã hóa bản sao lưu."),
        (ITALIAN, "L'utente ha chiesto di cifrare i backup."),
        (DUTCH, "De gebruiker vroeg om versleutelde back-ups van alles."),
        (POLISH, "Użytkownik poprosił, aby do kopii dodać hasło i się nie spieszyć."),
        (INDONESIAN, "Pengguna meminta agar semua cadangan itu dienkripsi dan tidak dikirim."),
        (PERSIAN, "کاربر خواست پشتیبان‌ها رمزگذاری شوند."),
    ],
)
def test_a_wish_that_nobody_voiced_is_flagged_in_any_language(middle: list[Message], claim: str) -> None:
    assert flagged(claim, middle) == [claim]


@pytest.mark.parametrize(
    ("middle", "claim"),
    [
        (GERMAN, "Der Nutzer will die Mahnung erst am Montag verschicken."),
        (CHINESE, "用户希望推荐经济型酒店。"),
        (CHINESE, "用户要求推荐两件事：hotel.city.center、hotel.breakfast.free。"),
        (SPANISH, "El usuario pidió revisar las facturas de mayo."),
        (FRENCH, "L'utilisatrice demande un rapport sur une page."),
        (JAPANESE, "利用者は請求書の確認を求めた。"),
        (KOREAN, "사용자는 송장을 확인해 달라고 요청했다."),
        (RUSSIAN, "Пользователь попросил проверить счета за май."),
        (UKRAINIAN, "Користувач попросив перевірити рахунки за травень."),
        (NORWEGIAN, "Brukeren ba Hermes sjekke fakturaene for mai."),
        (VIETNAMESE, "Người dùng yêu cầu kiểm tra hóa đơn tháng năm."),
        (ITALIAN, "L'utente ha chiesto di controllare le fatture di maggio."),
        (DUTCH, "Zij vroeg naar de facturen van mei."),
        (POLISH, "Użytkownik prosi sprawdzić faktury za maj."),
        (INDONESIAN, "Pengguna meminta periksa faktur bulan Mei."),
        (PERSIAN, "کاربر خواست فاکتورهای ماه مه بررسی شوند."),
    ],
)
def test_a_wish_that_somebody_voiced_is_not(middle: list[Message], claim: str) -> None:
    assert flagged(claim, middle) == []


def test_a_name_that_somebody_proposed_is_no_wish_for_the_rest_of_the_sentence() -> None:
    assert flagged("It was cloned and copied as the ledger of 2019, a name the user proposed.", WORK) == []


def test_what_is_to_be_done_again_is_no_rule() -> None:
    assert flagged("The totals of all branches must be recalculated in the next turn.", WORK) == []


def test_what_a_job_demands_is_what_its_prompt_says() -> None:
    assert flagged("The job demands an encrypted backup of every branch.", WORK)
    assert flagged("The job demands never to touch the ledger of 2019.", WORK) == []


def test_the_language_of_a_sentence_counts_where_people_speak_two() -> None:
    begun = user("The new session begins. Greet the user and ask what they want you to do with it.")
    middle = [
        begun,
        *VIETNAMESE,
        assistant("Tôi đã xem các hóa đơn và sẽ báo lại cho bạn với một bảng. " * 4),
    ]
    assert flagged("Người dùng yêu cầu mã hóa bản sao lưu.", middle)


def test_a_ban_is_no_report_of_a_permission() -> None:
    work = [user("The box is on the internet, so use whatever online resource you like."), assistant("Good.")]
    assert flagged("The user forbade the use of online resources.", work)
    assert flagged("The user forbade to touch the ledger of 2019.", WORK) == []


def test_what_people_want_help_with_they_need_not_name() -> None:
    assert flagged("The user asked for help with a push that was refused.", WORK) == []


@pytest.mark.parametrize("heading", ["## Constraints & Preferences", "**Rules:**"])
def test_a_rule_in_a_list_of_rules_needs_nobodys_name(heading: str) -> None:
    rules = "- Keep every secret out of the repository.\n- Never touch the ledger of 2019."
    found = [one.where for one in retention(WORK, f"- Summary.\n{heading}\n{rules}").unsupported]
    assert found == ["- Keep every secret out of the repository."]
    assert flagged("- Keep every secret out of the repository.", WORK) == []


def test_a_ban_is_a_rule_wherever_it_is() -> None:
    assert flagged("Secrets must never reach the repository.", WORK)
    assert flagged("The ledger of 2019 must never be touched.", WORK) == []
    assert flagged("Standing orders in all of this: never print the secrets of a customer.", WORK)
    assert flagged("Standing orders in all of this: never touch the ledger of 2019.", WORK) == []


def test_a_rule_is_known_from_a_file_that_was_read() -> None:
    rules = f"{'All is written by hand. ' * 60}\n25: - The generated `src/tree.gen.ts` must not be committed."
    middle = [user("Look around."), *call("read_file", rules, path="AGENTS.md")]
    assert flagged("The generated src/tree.gen.ts must not be committed.", middle) == []
    assert flagged("The generated src/tree.gen.ts must not be renamed by hand.", middle)


def test_a_rule_is_known_wherever_a_long_request_has_it() -> None:
    ask = f"Review it. {'Look at every module. ' * 250}Never start the containers. {'Take notes. ' * 200}"
    middle = [user(ask), assistant("I begin with the modules.")]
    assert flagged("The containers must never be started.", middle) == []
    assert flagged("The ledger must never leave the building.", middle)


def test_what_a_file_lays_down_is_no_rule_of_people() -> None:
    read = "The agent read TOOLS.md (rules: send real invoices, never simulate a carrier)."
    tools = call("read_file", "Ne jamais simuler un transporteur.", path="TOOLS.md")
    assert flagged(read, [*WORK, *tools]) == []


def test_nor_is_what_is_listed_as_the_rules_of_a_file() -> None:
    listed = "figures to the right; never print the sums on yellow paper; one page for each month."
    read = call("read_file", "Figures: right. No yellow paper.", path="office/STYLE.md")
    assert flagged(f"Rules in office/STYLE.md: {listed}", [*WORK, *read]) == []
    assert flagged(f"Rules for the office: {listed}", WORK) != []


def test_what_a_program_forbids_beside_something_else_is_no_rule_of_people() -> None:
    refused = call("spawn_agent", '{"status": "forbidden", "error": "not allowed here"}', agent="reporter")
    told = "The reporter was no help: spawn_agent is forbidden, list_agents shows only the editor."
    assert flagged(told, [*WORK, *refused, *call("list_agents", "editor")]) == []


def test_what_people_say_when_they_decline_a_call_is_their_wish() -> None:
    declined = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected.  The user provided "
        "the following reason for the rejection:  please use the ferry whenever the bridge is closed"
    )
    work = [*WORK, *call("terminal", declined, command="route --bridge")]
    assert flagged("The user wants the ferry whenever the bridge is closed.", work) == []
    assert flagged("The user wants the ferry whenever the bridge is closed.", WORK) != []


def test_the_name_of_a_magazine_forbids_nothing() -> None:
    told = "Research was thin: searching failed three times in a row, Forbes and Etsy fetches returned 403."
    tried = [*call("fetch", "403", url="forbes.example"), *call("fetch", "404", url="etsy.example")]
    assert flagged(told, [*WORK, *tried]) == []


def test_what_is_typed_after_a_command_is_a_wish() -> None:
    typed = (
        "<command-message>audit</command-message>\n<command-name>/audit</command-name>\n"
        "<command-args>Explain why the reserves shrank in spring.</command-args>"
    )
    told = "The user wants the audit to explain why the reserves shrank in spring."
    assert flagged(told, [user(typed), assistant("I read the reserves.")]) == []


def test_a_wish_is_known_with_and_without_its_measure_word() -> None:
    asked = user("我想让你给我创建个skill, 每天生成工作总结, 仅用于汇报工作。")
    assert flagged("用户要求创建一个 skill，每天生成工作总结。", [asked, assistant("好的。")]) == []


def test_a_chinese_wish_may_be_put_in_other_words() -> None:
    asked = user("快速标记完之后，告诉我一下已完成。请重新测试一下全流程")
    assert flagged("用户还要求标记后告知已完成。", [asked, assistant("好的。")]) == []
    assert flagged("用户还要求把文件翻译成英文。", [asked, assistant("好的。")]) != []


def test_of_a_long_list_of_rules_the_ban_is_looked_for_by_itself() -> None:
    rules = (
        "Rules: prominent totals, one page for each of the months, header above it, figures to the right of "
        "their labels, names in full, days as digits, pale colours, a border around the whole of it, margins "
        "wide enough for pencil remarks, decimals aligned, signature box at bottom, serif letters, "
    )
    assert flagged(f"{rules}never touch the ledger of 2019.", WORK) == []
    assert flagged(f"{rules}never print it on yellow paper.", WORK) != []


def test_what_is_left_to_do_and_what_a_thing_never_does_are_no_rules() -> None:
    assert flagged("The patch still has to be run by hand on the server.", WORK) == []
    assert flagged("The importer never gives the memory of a batch back.", WORK) == []


def test_a_wish_that_is_listed_is_not_recognised_by_what_is_before_the_list() -> None:
    assert flagged("The user wants clean bookkeeping: empty invoices skipped, a monthly report.", WORK) == []


def test_whose_files_they_are_is_a_person_too() -> None:
    work = [*WORK, *call("terminal", "ledger.csv", command="ls /home/ina/books")]
    assert flagged("Ina demanded a copy of the contract.", work)
    assert flagged("Ina demanded a copy of the contract.", WORK) == []


def test_nothing_is_stated_about_people_who_speak_another_language() -> None:
    assert flagged("The user asked to check the invoices against a bank statement.", GERMAN) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Are you kidding? Give me a human now!", "She demanded a human."),
        ("Don't change anything, just let me know.", "The user wanted an answer only, no changes."),
    ],
)
def test_a_rule_that_is_reported_in_one_word_needs_only_that(said: str, told: str) -> None:
    assert flagged(told, [*WORK, user(said)]) == []


def test_what_the_summary_before_or_a_long_request_says_was_wanted_is_known() -> None:
    claim = "The user asked to encrypt the backups."
    before = "## Goal\nThe user wants the backups encrypted."
    assert retention(WORK, claim, previous=before).unsupported == ()
    plan = user("# Plan\n" + "Step by step, read the ledger.\n" * 60 + "Encrypt the backups.")
    assert flagged(claim, [plan, *WORK]) == []


def test_what_was_asked_outside_the_summarised_messages_is_known() -> None:
    asked = user("Please encrypt the backups.")
    assert retention(WORK, "The user asked to encrypt the backups.", around=[(0, asked)]).unsupported == ()


@pytest.mark.parametrize("greeting", ["Hey Mira! Ready.", "Good morning, Mira. I begin.", "Danke, Mira."])
def test_who_is_greeted_is_a_person_whose_wishes_are_compared(greeting: str) -> None:
    work = [user("Check the invoices of May, and tell me what is missing."), assistant(greeting)]
    wish = "Mira asked that the gateway not be restarted again without permission."
    assert [one.where for one in retention(work, wish).unsupported] == [wish]
    assert retention([*work[:1], assistant("Mira is a palace.")], wish).unsupported == ()


def test_a_rule_that_quotes_what_was_said_is_voiced_and_one_that_misquotes_is_not() -> None:
    work = [user("DON'T EDIT ANYTHING. Which rows are wrong?"), assistant("Rows 3 and 7.")]
    rules = "## Constraints\n- He directs in small steps and first said {}."
    assert retention(work, rules.format('"don\'t edit anything"')).unsupported == ()
    assert retention(work, rules.format('"never deploy on the weekend"')).unsupported != ()


def test_a_word_that_forbids_in_another_language_is_the_value_of_a_setting() -> None:
    messages = [*GERMAN, *call("status", '{"approval_policy": "on-request"}', scope="session")]
    said = (
        "Zuletzt hatte die Umgebung der Sitzung den Wert approval_policy never und volle Rechte im Projekt."
    )
    assert retention(messages, said).unsupported == ()


@pytest.mark.parametrize(
    ("choice", "messages"),
    [
        ("El asistente ofreció dos informes; el usuario no eligió ninguno de los dos modelos.", SPANISH),
        ("O assistente ofereceu dois relatórios; o usuário não escolheu nenhuma das duas propostas.", []),
    ],
)
def test_who_chose_none_of_what_was_offered_need_not_have_named_it(
    choice: str, messages: list[Message]
) -> None:
    spoken = messages or [
        user("Verifique as faturas de maio e não mexa no livro de caixa."),
        assistant("Certo."),
    ]
    assert flagged(choice, spoken) == []


def test_a_wish_may_be_told_with_the_name_of_what_it_was_about() -> None:
    asked = [
        user("I need you to go through my project and search for problems that you can fix."),
        *call("terminal", "ledger3D-Engine", command="ls"),
    ]
    assert flagged("The user wants the agent to go through the `ledger3D-Engine` project.", asked) == []
    assert flagged("The user wants the agent to publish the `ledger3D-Engine` project.", asked) != []
