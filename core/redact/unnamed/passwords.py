"""Whether a word looks like a password: what people think of, and what programs draw for them."""

from __future__ import annotations

import re

from core.redact.key_formats import changes, gibberish, jumbled, opaque, variety
from core.redact.secret_names import is_path, is_reference

_LEAST, _LEAST_DRAWN, _MIXED = 8, 10, 0.34
"""Characters of a password, and of one its mixture tells; there so many neighbours differ in class."""
_SIGN = re.compile(
    r"(?<=[A-Za-z0-9])[!@#$%^&*?+~](?=[A-Za-z0-9])"
    r"|(?<=[a-z0-9])[!@#$%^&*?]+$"
    r"|(?<=[A-Za-z])_(?=\d)|(?<=\d)_(?=[a-z])|(?<=\d)-(?=\w*\d)"
)
"""A sign where names, paths and numbers have none."""
_NAMED_NUMBER = re.compile(r"(?:[A-Z][a-z]{2,}){1,3}\d{2,6}$|[a-z]{4,}\d{3,6}$")
_FOURS = re.compile(r"[a-z]{4}(?:-[a-z]{4}){3}")
"""How an account gives an app a password of its own."""
_ADDRESS = r"[\w.+-]+@[\w-]+\.[\w.-]+|[a-z.+-]+@[a-z-]+$"
_FILE_OR_NUMBER = r"[\w.-]+\.[a-z]{1,5}\d?$|\d+[-./:]\d+|v?\d+(?:\.\d+)+"
_STANDARD = r".*(?i:sha[-_]?\d|md5|base64|utf-?\d|pbkdf|aes[-_]?\d|hmac|oauth|argon2|x509|ed25519|http|ipv\d)"
_STANDS_FOR = r".*(?i:test|user|example|[0-9a-f]{8}-[0-9a-f]{4})"
_CODE = r"[%$@#-]|.*(?:::|->|&&|\.\.|\$\{)"
_NONE = re.compile("|".join((_ADDRESS, _FILE_OR_NUMBER, _STANDARD, _STANDS_FOR, _CODE)))


def is_password(value: str) -> bool:
    """Whether a word looks like a password and hardly like a name, a number or code."""
    if len(value) < _LEAST or _NONE.match(value) or is_reference(value) or is_path(value):
        return False
    if gibberish(value) or jumbled(value) or (_FOURS.fullmatch(value) and gibberish(value.replace("-", ""))):
        return True
    if not opaque(value) or "/" in value:
        return False
    return bool(
        _SIGN.search(value)
        or (variety(value) == 3 and _NAMED_NUMBER.fullmatch(value))
        or (variety(value) == 3 and len(value) >= _LEAST_DRAWN and changes(value) >= _MIXED)
    )
