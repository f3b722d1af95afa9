"""Which context engine decides when Hermes compresses: its own, or one a user installed."""

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

    Args:
        config: The settings of the home.
        records: The log: Hermes says there that it could not load an engine and took its own.
        release: Whose settings; the newest by default.
    """
    found = config.setting("context.engine", release)
    if found.value in BUILT_IN or any(record.kind is Kind.ENGINE_MISSING for record in records):
        return None
    return EngineInCharge(str(found.value), found.origin)


def engine_of_home(home: Path | None) -> EngineInCharge | None:
    """The same for a home; None also where its settings cannot be read, for Hermes then takes its own."""
    try:
        return engine_in_charge(load_config(home))
    except ConfigError:
        return None
