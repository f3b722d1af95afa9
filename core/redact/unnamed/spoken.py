"""Passwords people and programs tell each other: `log in as bob / Tango-99x`, `from Old11 to New22`.

A password looks less random than a key, so it is taken only from a line that speaks of one, and only when it
looks like nothing but one: letters and digits with a sign between, or of two cases and ending in a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.redact.key_formats import changes, gibberish, jumbled, opaque, variety
from core.redact.secret_names import is_path, is_reference
from core.redact.spans import Hit
from core.redact.table import compiled, issuers, said

Place = tuple[int, int, re.Pattern[str]]
"""Where a word begins and ends, and what stands before a password behind it."""

_SPEAKS = (
    r"password|passwort|passphrase|passcode|passwd|kennwort|mot de passe|contraseña|senha|wachtwoord"
    r"|hasło|пароль|lösenord|adgangskode|salasana|heslo|jelszó|parola|lozinka|mật khẩu|kata sandi|şifre"
    r"|κωδικός|סיסמה|كلمة المرور|รหัสผ่าน|비밀번호|パスワード|密码|密碼"
    r"|(?<![a-z])(?:pw|pwd|creds?|credentials?|log(?:ged)? in|login|sign in|superuser|identify"
    r"|http-basic|wi-?fi|ssid|hotspot)(?![a-z])|(?<![a-z])pass(?= [\"'`]|: )"
)
_REACH = 96
_LINE_END = re.compile(r"\x00|\n(?=\s{0,8}\S{0,40}[A-Za-z]{2,}[ :]|\s*\Z)")
_TOKEN = re.compile(
    r"(?:(?<=[\s\"'`(/:|=>\]])|(?<=[\"'`]\())(?P<value>(?!https?:)[^\s\"'`(){}\[\]<>,;|=\\]{8,64})"
    r"(?=[\s\"'`),;|\\<]|$)"
)
_BEFORE_VALUE = re.compile(
    r"(?:[\w@.\"'`)*]\s{0,2}[:/→=]{1,2}\s{0,2}[\"'`(]{0,2}|[\s(][\"'`]|(?<!\w)[^\W\d_]{1,16} |\w {2,12})$"
)
_TRIED = re.compile(
    r"\b(?i:try|use|using|enter|type|typed|with|is|was|set|gave|have|got)\b (?:it to |him |her |them "
    r"|me )?[\"'`]?"
    r"(?P<value>[^\s\"'`,;(){}<>]{8,64})[\"'`]? (?i:as|for|is|was|still|in|into|to)\b[^\n.]{0,40}?$"
)
_PAIR = r"(?m)^[ \t]{0,8}\"[\w.@-]{1,64}\" \"(?P<value>[^\"\n]{8,64})\"[ \t]*$"
_OPTION = re.compile(r"[^\n|]*?[ =]?[-/]")
_BEFORE_ARGUMENT = re.compile(
    r"(?:[ \t](?:--?[A-Za-z][\w-]{0,24}[ =]|/[a-z]{1,8}[ :])|[\w@.-]:|[\w]%)\\{0,4}[\"']?$"
)
_SIGN = re.compile(
    r"(?<=[A-Za-z0-9])[!@#$%^&*?+~](?=[A-Za-z0-9])|(?<=[a-z0-9])[!@#$%^&*?]+$|(?<=[A-Za-z])_(?=\d)"
    r"|(?<=\d)_(?=[a-z])|(?<=\d)-(?=\w*\d)"
)
_NAMED_NUMBER = re.compile(r"(?:[A-Z][a-z]{2,}){1,3}\d{2,6}$|[a-z]{4,}\d{3,6}$")
_NO_PASSWORD = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.-]+|[a-z.+-]+@[a-z-]+$|[\w.-]+\.[a-z]{1,5}\d?$|[%$@#-]|\d+[-./:]\d+"
    r"|v?\d+(?:\.\d+)+"
    r"|.*(?i:sha[-_]?\d|md5|base64|utf-?\d|pbkdf|aes[-_]?\d|hmac|oauth|argon2|x509|ed25519|http|ipv\d"
    r"|test|user|example|[0-9a-f]{8}-[0-9a-f]{4})|.*(?:::|->|&&|\.\.|\$\{)"
)
_FOURS = re.compile(r"[a-z]{4}(?:-[a-z]{4}){3}")
"""How an account gives an app a password of its own."""
_MIXED_CASE = 0.34


def spoken(text: str, lower: str) -> Iterator[Hit]:
    """Every password of a line that speaks of one.

    Args:
        text: The text.
        lower: The same in lower case.
    """
    words = list(_said(lower))
    for start, end, before in (*words, *_commanded(text)):
        limit = min(len(text), end + _REACH)
        stop = _LINE_END.search(text, end, limit)
        for token in _TOKEN.finditer(text, end, stop.start() if stop else limit):
            value = token["value"].rstrip(".:")
            if is_password(value) and before.search(text, start, token.start()):
                yield Hit(token.start(), token.start() + len(value), "secret-value")
    for match in (*_tried(text, words), *_paired(text)):
        if is_password(match["value"]):
            yield Hit(*match.span("value"), "secret-value")


def _tried(text: str, words: Iterable[Place]) -> Iterator[re.Match[str]]:
    """What stands before a word that speaks of a password: `try X as the password`."""
    for start, _, _ in words:
        match = _TRIED.search(text, max(0, start - _REACH), start)
        if match:
            yield match


def _paired(text: str) -> Iterator[re.Match[str]]:
    """A user and a password on a line of their own, as in the list of a connection pooler."""
    return compiled(_PAIR).finditer(text) if '" "' in text else iter(())


def _said(lower: str) -> Iterator[Place]:
    """Where a text speaks of a password."""
    if any(word in lower for word in said()):
        yield from ((*match.span(), _BEFORE_VALUE) for match in compiled(_SPEAKS).finditer(lower))


def _commanded(text: str) -> Iterator[Place]:
    """Where the commands of a text begin that are given passwords."""
    for tool in (
        issuers().tools.intersection(text.replace('"', " ").split()) if " -" in text or " /" in text else ()
    ):
        at = text.find(f"{tool} ")
        while at >= 0:
            end = at + len(tool) + 1
            if not text[at - 1 : at].isalnum() and _OPTION.match(text, end, end + _REACH):
                yield at, end, _BEFORE_ARGUMENT
            at = text.find(f"{tool} ", end)


def is_password(value: str) -> bool:
    """Whether a word looks like a password and hardly like a name, a number or code."""
    if len(value) < 8 or _NO_PASSWORD.match(value) or is_reference(value) or is_path(value):
        return False
    if gibberish(value) or jumbled(value) or (_FOURS.fullmatch(value) and gibberish(value.replace("-", ""))):
        return True
    if not opaque(value) or "/" in value:
        return False
    return bool(
        _SIGN.search(value)
        or (_NAMED_NUMBER.fullmatch(value) and variety(value) == 3)
        or (variety(value) == 3 and len(value) >= 10 and changes(value) >= _MIXED_CASE)
    )
