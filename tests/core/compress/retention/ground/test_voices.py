"""The language of a text is told by its words, or by its letters."""

from __future__ import annotations

import pytest

from core.compress.retention.ground.voices import USER, Voices, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Please move the tests to the new folder, that is all for this week.", "en"),
        ("Bitte die Tests nicht mit den Daten speichern, das ist alles für mich.", "de"),
        ("把测试移到新的文件夹，就这些。", "zh"),
        ("テストを新しいフォルダーに移してください。", "ja"),
        ("테스트를 새 폴더로 옮겨 주세요. README.md", "ko"),
        ("Tolong perbaiki halaman ini, tidak bisa masuk saat tombol ditekan.", "id"),
        ("Hãy sửa trang này, nó không chạy khi tôi bấm nút.", "vi"),
        ("odsad to navbar trochu z vrchu, je to moc blizko k rohu", "cs"),
        ("Виправ цю сторінку, вона не працює, і залиш тести як є.", "uk"),
        ("Korjaa sivu, se ei toimi kun painan nappia.", "fi"),
        ("انقل الاختبارات إلى المجلد الجديد", "ar"),
        ("be so kind: clear the cache. 'Shot at 5.19.png' 'Shot at 5.25.png' 'Shot at 5.40.png'", "en"),
    ],
)
def test_a_language_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_quoted_name_does_not_change_the_language() -> None:
    assert (
        language_of("Please rename the folder 새폴더 to the English name, for this is what they use.") == "en"
    )


@pytest.mark.parametrize(("times", "spoken"), [(2, False), (3, True)])
def test_a_script_people_come_back_to_is_a_language_of_the_conversation(times: int, spoken: bool) -> None:
    english = "Write down what is worth keeping, and answer with nothing else than that. " * 9
    said = [english, english, *["設定は終わった？"] * times]
    voices = Voices([(at, USER, text, text.lower()) for at, text in enumerate(said)], lambda *_: {})
    assert voices.speak("en")
    assert voices.speak("ja") is spoken
