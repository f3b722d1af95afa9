"""Credentials of every kind and what only looks like them, made up at random from a seed."""

from __future__ import annotations

import json
import random
import re
import string
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_HERE = Path(__file__).parent
_PART = re.compile(r"<(an|hex|up|al|lo|di|b64 |url )(\d+)>|<(uuid|pw[23]?|word)>")
_ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "hex": string.digits + "abcdef",
    "up": string.ascii_uppercase + string.digits,
    "al": string.ascii_letters,
    "lo": string.ascii_lowercase + string.digits,
    "di": string.digits,
    "b64 ": string.ascii_letters + string.digits + "+/",
    "url ": string.ascii_letters + string.digits + "-_",
}
_WORDS = ("amber", "birch", "cobalt", "ember", "falcon", "garnet", "harbor", "indigo", "juniper", "kestrel")

SURROUNDINGS: Mapping[str, str] = {
    "bare": "{}",
    "said": "I set it up with {} yesterday",
    "line": "first\n{}\nlast",
    "env": "SERVICE_THING={}\nPORT=80",
    "quoted": 'value = "{}"',
    "yaml": "settings:\n  thing: {}\n  port: 80",
    "header": "X-Thing: {}",
    "command": "deploy --thing {} --verbose",
    "address": "https://api.example.org/v1?thing={}&page=2",
    "code": "client = Client('{}', timeout=3)",
    "markdown": "| thing | `{}` |",
}
"""Places that say nothing of what stands there."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A text, and in it what must be gone."""

    kind: str
    text: str
    secrets: tuple[str, ...]


def credentials(seed: int) -> Iterator[Planted]:
    """One of each kind: recognisable ones each in some text, the others in their place."""
    rng = random.Random(seed)
    table = _table("credentials.yaml")
    for kind, template in table["issued"].items():
        around = rng.choice(list(SURROUNDINGS.values()))
        yield _planted(kind, around.replace("{}", template), rng)
    for kind, template in table["placed"].items():
        yield _planted(kind, template, rng)


def innocents(seed: int) -> Iterator[str]:
    """Texts that hold no credential."""
    rng = random.Random(seed)
    return (filled(template, rng) for template in _table("innocents.yaml")["innocents"])


def nested(text: str) -> Iterator[str]:
    """A text as messages hold it: as it is, in the arguments of a call, in JSON within JSON."""
    arguments = json.dumps({"command": text}, ensure_ascii=False)
    outer = json.dumps({"output": arguments}, ensure_ascii=False)
    yield from (text, f"before\n{text}\nafter", arguments, outer)


def filled(template: str, rng: random.Random) -> str:
    """A template with its marks replaced."""
    return _PART.sub(lambda part: _made(part, rng), template)


def _planted(kind: str, template: str, rng: random.Random) -> Planted:
    text = filled(template, rng)
    whole = "\n".join(re.findall("«(.*?)»", text, re.S))
    secrets = tuple(line.strip() for line in whole.split("\n"))
    return Planted(kind, re.sub("[«»]", "", text), secrets)


def _made(part: re.Match[str], rng: random.Random) -> str:
    if part[3] == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if part[3] == "word":
        return rng.choice(_WORDS)
    if part[3] == "pw2":
        first, second = rng.sample(_WORDS, 2)
        thought = (
            f"{first.title()}{second.title()}{rng.randint(10, 9999)}",
            f"{first}{rng.randint(10, 999)}#{_drawn('lo', 3, rng)}",
        )
        return rng.choice((*thought, _drawn("an", rng.randint(12, 20), rng)))
    if part[3] == "pw3":
        first, second = rng.sample(_WORDS, 2)
        number, year = rng.randint(100, 999), rng.randint(1960, 2024)
        odd = (
            f"{first[0].upper()}_{first[1:]}{number}",
            f"{number}{first.title()}?",
            f"{first.title()}@{year}",
        )
        return rng.choice((*odd, f"{first}{second}{year}", f"{first}.{second.title()}{number}"))
    if part[3] == "pw":
        first, second = rng.sample(_WORDS, 2)
        shapes = (
            f"{first}{rng.randint(10, 9999)}",
            f"{first.title()}-{second}{rng.randint(1, 99)}!",
            f"{first}_{second}#{rng.randint(1, 99)}",
            _drawn("an", rng.randint(9, 18), rng),
        )
        return rng.choice(shapes)
    return _drawn(part[1], int(part[2]), rng)


def _drawn(alphabet: str, length: int, rng: random.Random) -> str:
    """Characters of an alphabet; where it has both and there is room, with a letter and a digit."""
    drawn = [rng.choice(_ALPHABETS[alphabet]) for _ in range(length)]
    if length >= 6:
        for kind in (string.ascii_lowercase, string.ascii_uppercase, string.digits):
            allowed = sorted(set(kind) & set(_ALPHABETS[alphabet]))
            if allowed and not set(drawn) & set(allowed):
                drawn[rng.randrange(1, length - 1)] = rng.choice(allowed)
        drawn[0] = rng.choice(sorted(set(_ALPHABETS[alphabet]) - set("-_+/")))
        drawn[-1] = rng.choice(sorted(set(_ALPHABETS[alphabet]) - set("-_+/")))
    return "".join(drawn)


@cache
def _table(name: str) -> Any:
    return yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))
