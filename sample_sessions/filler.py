"""Generates tool output: long enough to matter, varied enough to look real, reproducible by seed."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

_T = TypeVar("_T")
_WORDS = {
    "noun": "account batch bucket cache cursor digest header invoice lease ledger payload quota queue region "
    "replica report retry router schema session shard signer tenant token upload webhook window worker",
    "verb": "attach collect compact debit drain encode expire flush merge parse publish rebuild refresh "
    "resolve restore rotate schedule split validate verify",
    "module": "auth billing ingest gateway limits mailer reports search storage sync tenants webhooks",
}
_NOUNS, _VERBS, _MODULES = (words.split() for words in _WORDS.values())
_LEVELS = ["INFO"] * 9 + ["WARN"] * 3 + ["ERROR"]
_SENTENCES = (
    "The {a} {b} keeps its own {c}, so a slow {d} never blocks the {a}.",
    "Before release 4 the {b} was written twice; the second copy is now dropped when the {c} closes.",
    "A {c} without a {d} is legal and means that the {a} has not been seen for {n} hours.",
    "In our measurements the {a} took {n} ms at the median and {m} ms at the 99th percentile.",
    "Operators who raise the {b} limit above {m} should also raise the {d} timeout.",
    "If the {a} fails, the {c} is retried {n} times with a growing pause and then parked.",
)
_PYTHON = '''def {f}({a}: {b}, *, limit: int = {n}) -> {c}:
    """Walk every {d} of the {a} and stop at the limit."""
    seen: set[str] = set()
    for {d} in {a}.{d}s(order="created"):
        if {d}.id in seen or len(seen) >= limit:
            logger.debug("skipping %s after %d", {d}.id, len(seen))
            continue
        seen.add({d}.id)
        yield {c}({d}.id, {a}.clock() + {n})

'''
_RUST = """impl {b}Ext for {a}::Cursor {{
    pub fn {f}(&mut self, limit: usize) -> Result<{c}, {d}Error> {{
        let mut out = Vec::with_capacity(limit.min({n}));
        while let Some(next) = self.advance()? {{
            if out.len() == limit {{ break; }}
            out.push(next.{d}().to_owned());
        }}
        Ok({c}::from(out))
    }}
}}
"""


class Draw(random.Random):
    """The standard library's generator, with two faster methods that draw the same values."""

    def pick(self, among: Sequence[_T]) -> _T:
        """Like `choice`."""
        return among[self._below(len(among))]

    def between(self, low: int, high: int) -> int:
        """Like `randint`."""
        return low + self._below(high - low + 1)

    def _below(self, limit: int) -> int:
        bits = limit.bit_length()
        while (drawn := self.getrandbits(bits)) >= limit:
            pass
        return drawn


def fill(recipe: Mapping[str, Any], seed: str) -> str:
    """Generate the text of a recipe such as `{kind: pytest, lines: 80}`.

    Args:
        recipe: `kind` names a generator of this module; the rest are its arguments. Recipes with the same
            `seed` of their own give the same text.
        seed: The place of the recipe in the scenario.
    """
    options = {key: value for key, value in recipe.items() if key not in ("kind", "seed")}
    rng = Draw(f"{recipe['kind']}:{recipe.get('seed', seed)}")
    return _KINDS[recipe["kind"]](rng, **options)


def _pytest(rng: Draw, lines: int = 40, failed: int = 0, package: str = "tests") -> str:
    rows = [f"{package}/test_{rng.pick(_MODULES)}.py::test_{_name(rng)} PASSED" for _ in range(lines)]
    for index in rng.sample(range(lines), failed):
        rows[index] = rows[index].replace("PASSED", "FAILED")
    marks = [row for row in rows if row.endswith("FAILED")]
    rows = [f"{row:<88}[{100 * (i + 1) // lines:3d}%]" for i, row in enumerate(rows)]
    reasons = [_failure(rng, mark.split(" ")[0]) for mark in marks]
    total = f"{failed} failed, {lines - failed} passed" if failed else f"{lines} passed"
    return "\n".join([*rows, *reasons, f"===== {total} in {rng.uniform(1.2, 19.0):.2f}s ====="])


def _failure(rng: Draw, test: str) -> str:
    left, right = rng.between(2, 60), rng.between(61, 400)
    return (
        f"_____ {test.split('::')[1]} _____\n"
        f">       assert {_name(rng)}.remaining == {right}\n"
        f"E       AssertionError: assert {left} == {right}\n"
        f"{test.split('::')[0]}:{rng.between(20, 300)}: AssertionError\n"
        f"FAILED {test} - AssertionError: assert {left} == {right}"
    )


def _source(rng: Draw, lines: int = 60, language: str = "python") -> str:
    unit = _PYTHON if language == "python" else _RUST
    text: list[str] = []
    while len(text) < lines:
        words = {key: rng.pick(_NOUNS) for key in "abcd"}
        text += unit.format(f=_name(rng), n=rng.between(2, 900), **words).split("\n")
    return "\n".join(f"{number:6d}|{line}" for number, line in enumerate(text[:lines], 1))


def _log(rng: Draw, lines: int = 80, service: str = "api") -> str:
    rows = []
    clock = rng.between(0, 80_000)
    for _ in range(lines):
        clock += rng.between(0, 9)
        stamp = f"{clock // 3600 % 24:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}.{rng.between(0, 999):03d}"
        rows.append(
            f"{stamp} {rng.pick(_LEVELS):5} {service}.{rng.pick(_MODULES)} {rng.pick(_VERBS)} "
            f"{rng.pick(_NOUNS)} id={rng.getrandbits(40):010x} took={rng.between(1, 2400)}ms"
        )
    return "\n".join(rows)


def _trace(rng: Draw, lines: int = 80, service: str = "api") -> str:
    """A log that is cheap to generate: its words are drawn all at once."""
    drawn = zip(
        range(lines),
        rng.choices(_MODULES, k=lines),
        rng.choices(_VERBS, k=lines),
        rng.choices(_NOUNS, k=lines),
        rng.choices(range(1, 2400), k=lines),
        strict=True,
    )
    first = rng.getrandbits(40)
    return "\n".join(
        f"{at // 60 % 24:02d}:{at % 60:02d}:{took % 60:02d} INFO  {service}.{module} {verb} {noun} "
        f"id={(first + at * 7919) % (1 << 40):010x} took={took}ms"
        for at, module, verb, noun, took in drawn
    )


def _listing(rng: Draw, lines: int = 30, root: str = "src") -> str:
    rows = [
        f"{rng.between(180, 64_000):>7}  {root}/{rng.pick(_MODULES)}/{_name(rng)}.py" for _ in range(lines)
    ]
    return "\n".join(sorted(rows, key=lambda row: row.split()[1]))


def _diff(rng: Draw, lines: int = 40, path: str = "src/limits/window.py") -> str:
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{rng.between(9, 200)},9 +11,14 @@"
    rows = [
        rng.pick("  -+") + f"    {rng.pick(_NOUNS)} = {_name(rng)}({rng.pick(_NOUNS)}, {rng.between(1, 900)})"
        for _ in range(lines)
    ]
    return "\n".join([head, *rows])


def _records(rng: Draw, lines: int = 40) -> str:
    """JSON in the layout of `json.dumps(..., indent=1)`."""
    states, regions = ("ok", "ok", "ok", "late", "failed"), ("eu-west", "us-east", "ap-south")
    records = [
        f'  {{\n   "id": "{rng.getrandbits(48):012x}",\n   "name": "{rng.pick(_VERBS)}-{rng.pick(_NOUNS)}",\n'
        f'   "status": "{rng.pick(states)}",\n   "ms": {rng.between(3, 9000)},\n'
        f'   "region": "{rng.pick(regions)}"\n  }}'
        for _ in range(lines)
    ]
    return f'{{\n "total": {lines},\n "items": [\n' + ",\n".join(records) + "\n ]\n}"


def _csv(rng: Draw, lines: int = 60) -> str:
    rows = [
        f"2026-{rng.between(1, 12):02d}-{rng.between(1, 28):02d},{rng.pick(_MODULES)},"
        f"{rng.between(1, 9999)},{rng.uniform(0, 900):.2f}"
        for _ in range(lines)
    ]
    return "\n".join(["day,module,events,usd", *rows])


def _page(rng: Draw, lines: int = 30) -> str:
    paragraphs = []
    for _ in range(lines):
        words = {key: rng.pick(_NOUNS) for key in "abcd"}
        text = " ".join(rng.sample(_SENTENCES, 3))
        paragraphs.append(text.format(n=rng.between(2, 48), m=rng.between(90, 4000), **words))
    return "\n\n".join(paragraphs)


def _image(rng: Draw, kilobytes: int = 24) -> str:
    """Base64 that begins like a PNG; it is never drawn, but its size is real."""
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + rng.randbytes(kilobytes * 1024)).decode("ascii")


def _name(rng: Draw) -> str:
    return f"{rng.pick(_VERBS)}_{rng.pick(_NOUNS)}"


_KINDS: Mapping[str, Callable[..., str]] = {
    "pytest": _pytest,
    "source": _source,
    "log": _log,
    "trace": _trace,
    "listing": _listing,
    "diff": _diff,
    "records": _records,
    "csv": _csv,
    "page": _page,
    "image": _image,
}
