"""The window and the context engine in force: what each source says, and which one is believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from core.errors import ConfigError
from core.hermes.config.config import HermesConfig, load_config
from core.hermes.log.record import Kind, LogRecord
from core.model.finding import Evidence, Source, Verdict
from core.support.own_files import BadYaml, own_setting, read_user_file, user_yaml
from core.support.program_files import shared_table

_table = partial(shared_table, "core/hermes/config/windows.yaml")

CACHE_NAME = "context_length_cache.yaml"
BUILT_IN = (None, "", "compressor")
"""Values of `context.engine` that mean Hermes' own compressor."""


@dataclass(frozen=True, slots=True)
class WindowClaim:
    """What one source says about the window."""

    source: str
    tokens: int
    evidence: Evidence
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class WindowGuess:
    """The window in force, as far as the sources show.

    Attributes:
        tokens: Context length; None if no source knows it. It is never guessed silently.
        source: `flag`, `config`, `custom_provider`, `cache`, `log`, `own`, `table` or `unknown`.
        claims: What each source says, the believed one first.
    """

    tokens: int | None
    source: str
    verdict: Verdict
    claims: tuple[WindowClaim, ...] = ()

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence of all sources, the believed one first."""
        return tuple(claim.evidence for claim in self.claims)


def find_window(
    config: HermesConfig,
    *,
    home: Path | None = None,
    model: str = "",
    provider: str = "",
    base_url: str = "",
    logged: WindowClaim | None = None,
    assumed: WindowClaim | None = None,
) -> WindowGuess:
    """Find the window as Hermes does, as far as files show it; the configured model's unless given.

    Sources in order: `model.context_length`, `custom_providers`, the cache of lengths reported by providers
    in a `home`, the newest length printed in the log (`logged`), the user's own setting, the table of model
    names, and the newest length that Hermes said it `assumed` because it found none.
    """
    model = model or config.model
    base_url = (base_url or str(config.value("model.base_url") or "")).rstrip("/")
    provider = provider or str(config.value("model.provider") or "")
    claims = [
        *_configured(config, model, base_url),
        *_cached(home, model, base_url),
        *([logged] if logged is not None else []),
        *_own(model),
        *_tabled(model, provider),
    ]
    claims = claims or ([assumed] if assumed is not None else [])
    if not claims:
        return WindowGuess(None, "unknown", Verdict.UNKNOWN)
    return WindowGuess(claims[0].tokens, claims[0].source, claims[0].verdict, tuple(claims))


def _configured(config: HermesConfig, model: str, base_url: str) -> Iterator[WindowClaim]:
    setting = config.setting("model.context_length")
    if setting.value is not None:
        other = f" (set for {config.model})" if model and config.model and model != config.model else ""
        text = f"context_length: {setting.value}{other}"
        evidence = Evidence(Source.CONFIG, setting.origin, text)
        yield WindowClaim("config", setting.value, evidence, Verdict.DERIVED)
    for custom in config.custom_models:
        if custom.model == model and custom.base_url == base_url:
            where = f"config.yaml:{custom.line}" if custom.line else "config.yaml custom_providers"
            evidence = Evidence(Source.CONFIG, where, f"{model} at {base_url}: {custom.context_length}")
            yield WindowClaim("custom_provider", custom.context_length, evidence, Verdict.DERIVED)


def _cached(home: Path | None, model: str, base_url: str) -> Iterator[WindowClaim]:
    """Lengths providers reported, keyed `model@endpoint`; without an endpoint the model must be unique."""
    lengths = _read_cache(home / CACHE_NAME) if home is not None and model else {}
    keys = [key for key in lengths if key.rpartition("@")[0] == model]
    if base_url:
        exact = [key for key in keys if key.rpartition("@")[2] == base_url]
        keys = exact or [key for key in keys if key.rpartition("@")[2].rstrip("/") == base_url]
    if len({lengths[key] for key in keys}) == 1:
        evidence = Evidence(Source.CONFIG, CACHE_NAME, f"{keys[0]}: {lengths[keys[0]]}")
        yield WindowClaim("cache", lengths[keys[0]], evidence, Verdict.DERIVED)


def _own(model: str) -> Iterator[WindowClaim]:
    """The user's own setting for a model, by its name with or without its maker."""
    for name in dict.fromkeys((model, model.rpartition("/")[2])):
        tokens = own_setting("windows", name)
        if type(tokens) is int and tokens > 0:
            evidence = Evidence(Source.CONFIG, "your own config.yaml", f"windows: {name}: {tokens}")
            yield WindowClaim("own", tokens, evidence, Verdict.DERIVED)
            return


def _tabled(model: str, provider: str) -> Iterator[WindowClaim]:
    table, name = _table(), model.lower()
    codex = table["codex_oauth"]
    unprefixed = name.rpartition("/")[2]
    if provider == codex["provider"] and unprefixed.startswith(tuple(codex["starts"])):
        evidence = Evidence(Source.DERIVED, "table of windows", f"{codex['provider']} caps {unprefixed}")
        yield WindowClaim("table", codex["tokens"], evidence, Verdict.SUSPECTED)
        return
    found = max((key for key in _substrings() if key in name), key=len, default=None)
    if found is not None:
        evidence = Evidence(
            Source.DERIVED, "table of windows", f"names with {found!r}: {_substrings()[found]}"
        )
        yield WindowClaim("table", _substrings()[found], evidence, Verdict.SUSPECTED)


def _read_cache(path: Path) -> dict[str, int]:
    """Read the cache file; an unreadable or malformed one counts as empty, as in Hermes."""
    try:
        tree = user_yaml(read_user_file(path))
    except (OSError, BadYaml):
        return {}
    lengths = tree.get("context_lengths") if isinstance(tree, dict) else None
    if not isinstance(lengths, dict):
        return {}
    return {str(key): value for key, value in lengths.items() if type(value) is int and value > 0}


@cache
def _substrings() -> Mapping[str, int]:
    return {name: tokens for tokens, names in _table()["substrings"].items() for name in names}


OUR_ENGINE = "inspector"
"""The name of this program's engine."""


@dataclass(frozen=True, slots=True)
class EngineInCharge:
    """An engine that decides instead of Hermes' own compressor.

    Attributes:
        name: Its name in config.yaml.
        origin: The line that names it: `config.yaml:12`.
        line: The newest log line that states its threshold.
    """

    name: str
    origin: str
    line: LogRecord | None = None

    @property
    def decides(self) -> str:
        """That it decides, in a few words."""
        return f"the engine {self.name} decides"

    @property
    def is_ours(self) -> bool:
        """Whether it is this program's own, which follows the rules of Hermes' compressor."""
        return self.name == OUR_ENGINE

    def limit(self, by_rules: int | None) -> int | None:
        """The threshold that counts: the newest it named; None if it named none.

        Args:
            by_rules: The threshold of Hermes' own compressor, whose rules this program's engine follows.
        """
        named = self.line.threshold if self.line is not None else None
        return named or (by_rules if self.is_ours else None)

    def cuts_as_planned(self, by_rules: int | None) -> bool:
        """Whether it does what a plan by the rules of Hermes' compressor, with that threshold, shows."""
        return self.is_ours and self.limit(by_rules) == by_rules

    @property
    def short_note(self) -> str:
        """Who decides, when no release is known yet."""
        rules = "by the rules of" if self.is_ours else "instead of"
        return f"{self.name!r} decides here ({self.origin}), {rules} Hermes' own compressor"

    def note(self, release: str) -> str:
        """Whose rules the figures of a plan or a preview follow."""
        named = f"the context engine is {self.name!r} ({self.origin})"
        if self.is_ours:
            return f"{named}: it follows the rules of the compressor of Hermes {release}"
        return (
            f"{named}: it decides here, and these figures are by the rules of the compressor of "
            f"Hermes {release}"
        )


def engine_in_charge(
    config: HermesConfig, records: Iterable[LogRecord] = (), release: str = ""
) -> EngineInCharge | None:
    """The engine that config.yaml names instead of the built-in one.

    The log shows whether Hermes could not load it and used its own. Without a release, the newest release's
    settings apply.
    """
    found, loaded = config.setting("context.engine", release), engine_loaded(records)
    if found.value in BUILT_IN or (loaded is not None and loaded.kind is Kind.ENGINE_MISSING):
        return None
    return EngineInCharge(str(found.value), found.origin)


def engine_loaded(records: Iterable[LogRecord]) -> LogRecord | None:
    """The newest line in which Hermes says that it loaded a plugin's engine or found none."""
    kinds = (Kind.ENGINE_REGISTERED, Kind.ENGINE_MISSING)
    return max((line for line in records if line.kind in kinds), key=lambda line: line.at, default=None)


def engine_of_home(home: Path | None) -> EngineInCharge | None:
    """The same for a home; None also if its settings are unreadable, because Hermes then uses its own."""
    try:
        return engine_in_charge(load_config(home))
    except ConfigError:
        return None
