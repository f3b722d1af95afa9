"""Credentials in the place a protocol gives them: headers, cookies, addresses, command-line logins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.compress.redact.names import is_reference, looks_random
from core.compress.redact.spans import Hit

_STOP = r"""[^\s"'`\\<>]"""


@dataclass(frozen=True, slots=True)
class Place:
    """A protocol's place for a credential: `needle` is looked for in lower case, `pattern` tried at it."""

    kind: str
    needle: str
    pattern: re.Pattern[str]
    random: bool = False
    """Only a random-looking value counts there."""


_SCHEME = r"(?:bearer|basic|token|digest|negotiate|apikey|api-key|bot|key|aws4-hmac-sha256)"
_PLACES = (
    Place(
        "authorization",
        "authorization",
        re.compile(
            rf"""(?i:authorization)\\{{0,8}}["'`]?\s{{0,4}}[:=,]\s{{0,4}}\\{{0,8}}["'`]?"""
            rf"""(?:(?i:{_SCHEME})[ \t]+)?(?P<secret>{_STOP}{{4,4096}})"""
        ),
    ),
    Place(
        "authorization",
        "bearer ",
        re.compile(r"(?i:bearer) {1,4}(?P<secret>[A-Za-z0-9._~+/=:|-]{8,4096})"),
        random=True,
    ),
    Place(
        "authorization",
        "basic ",
        re.compile(r"(?i:basic) {1,4}(?P<secret>[A-Za-z0-9+/]{12,512}={0,2})"),
        random=True,
    ),
    Place(
        "cookie",
        "cookie",
        re.compile(
            r"""(?i:cookie2?)\\{0,8}["'`]?\s{0,4}[:=]\s{0,4}\\{0,8}["'`]?(?P<secret>[\w.-]{1,64}=[^"'`\\\r\n]{1,4096})"""
        ),
    ),
    Place(
        "url-password",
        "://",
        re.compile(
            r"""://[^\s:/@"'<>\\]{0,128}:(?P<secret>[^\s"'<>\\/\[]{1,512}|(?![0-9]{1,5}/)(?:[^\s"'<>\\@\[:]|:(?!//)){1,256})@(?=[\w\[$.-])"""
        ),
    ),
    Place(
        "url-password",
        ":\\/\\/",
        re.compile(r""":\\/\\/[^\s:/@"'<>\\]{0,128}:(?P<secret>[^\s"'<>/\\\[]{1,512})@(?=[\w\[$.-])"""),
    ),
    Place("url-password", "://", re.compile(r"://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=[\w\[])"), random=True),
    Place(
        "login",
        "curl ",
        re.compile(
            r"""curl [^\n|;]{0,400}?(?:-u|--user)[ =]?["']?[^\s:"'\\]{1,128}:(?P<secret>[^\s"'\\]{1,256})"""
        ),
    ),
    Place(
        "login", "sshpass ", re.compile(r"""sshpass {1,4}-p {0,4}\\{0,4}["']?(?P<secret>[^\s"'\\]{1,256})""")
    ),
    Place(
        "login",
        "mysql",
        re.compile(r"""mysql\w{0,12} [^\n|;]{0,200}?-p(?P<secret>[^\s"'\\-][^\s"'\\]{1,128})"""),
    ),
    Place(
        "login",
        "redis-cli ",
        re.compile(r"""redis-cli [^\n|;]{0,200}?-a {1,4}["']?(?P<secret>[^\s"'\\]{1,256})"""),
    ),
    *(
        Place(
            "query-secret",
            f"{name}=",
            re.compile(rf"(?i:{re.escape(name)})=(?P<secret>[^\s&\"'<>\\#)\]\[]{{6,2048}})"),
            random=name in ("sig", "code", "?key", "&key", "auth", "session"),
        )
        for name in (
            *("access_token", "refresh_token", "id_token", "x-amz-signature", "x-goog-signature"),
            *(
                "x-amz-security-token",
                "x-amz-credential",
                "sig",
                "?signature",
                "&signature",
                "?key",
                "&key",
                "?code",
                "&code",
            ),
        )
    ),
)


def headers(text: str) -> Iterator[Hit]:
    """Every credential in a place a protocol or a command line gives it."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.casefold() if len(text.casefold()) == len(text) else text
    for place in _PLACES:
        at = lower.find(place.needle)
        while at >= 0:
            end = at + len(place.needle)
            match = place.pattern.match(text, at)
            if match and _counts(place, match["secret"]):
                yield Hit(*match.span("secret"), place.kind)
                end = match.end("secret")
            at = lower.find(place.needle, end)


def _counts(place: Place, value: str) -> bool:
    if is_reference(value):
        return False
    return not place.random or looks_random(value)
