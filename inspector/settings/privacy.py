"""Whether a conversation may leave this machine at all; that the user agrees is asked elsewhere."""

from __future__ import annotations

from core.errors import ConfigError
from inspector.settings.config_file import own_config, own_settings

NEVER = "never"


def refuse_sending(host: str) -> None:
    """Hold what is about to be sent to another machine against the user's settings.

    Args:
        host: Where it would go.

    Raises:
        ConfigError: They say that nothing is sent.
    """
    if own_settings().privacy.send == NEVER:
        raise ConfigError(
            f"privacy.send is {NEVER}, so nothing is sent to {host}",
            where=str(own_config()),
            remedy="Take a summariser of this machine, or set `send: ask` there",
        )
