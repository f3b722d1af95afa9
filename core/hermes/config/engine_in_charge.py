"""Which context engine decides for a home: the one config.yaml names, or Hermes' own compressor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError
from core.hermes.config.config import NEWEST, HermesConfig, load_config
from core.hermes.log.record import Kind, LogRecord

BUILT_IN = (None, "", "compressor")
"""What `context.engine` says when Hermes' own compressor decides."""


@dataclass(frozen=True, slots=True)
class EngineInCharge:
    """An engine that decides instead of Hermes' own compressor.

    Attributes:
        name: As config.yaml calls it.
        origin: Where it says so: `config.yaml:12`.
    """

    name: str
    origin: str

    @property
    def short_note(self) -> str:
        """The same where no release is known yet."""
        return (
            f"{self.name!r} decides here ({self.origin}); figures are by the rules of Hermes' own compressor"
        )

    def note(self, release: str) -> str:
        """Whose rules the figures of a plan or a preview are."""
        return (
            f"the context engine is {self.name!r} ({self.origin}): it decides here, and these figures are by "
            f"the rules of the compressor of Hermes {release}"
        )


def engine_in_charge(
    config: HermesConfig, records: Iterable[LogRecord] = (), release: str = NEWEST
) -> EngineInCharge | None:
    """The engine config.yaml names besides the built-in one.

    The log tells where Hermes could not load an engine and took its own. Without a release, by the newest's
    settings.
    """
    found, loaded = config.setting("context.engine", release), engine_loaded(records)
    if found.value in BUILT_IN or (loaded is not None and loaded.kind is Kind.ENGINE_MISSING):
        return None
    return EngineInCharge(str(found.value), found.origin)


def engine_loaded(records: Iterable[LogRecord]) -> LogRecord | None:
    """The newest line in which Hermes says that it took an engine of a plugin, or found none."""
    told = (Kind.ENGINE_REGISTERED, Kind.ENGINE_MISSING)
    return max((line for line in records if line.kind in told), key=lambda line: line.at, default=None)


def engine_of_home(home: Path | None) -> EngineInCharge | None:
    """The same for a home; None also where its settings cannot be read, for Hermes then takes its own."""
    try:
        return engine_in_charge(load_config(home))
    except ConfigError:
        return None
