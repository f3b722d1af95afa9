"""How Hermes reads a value of config.yaml, by kind: what it accepts and what it does with anything else.

Also which wire format a provider and endpoint use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from core.hermes.policy.policy import version_of
from core.support.program_files import load_table, shared_table

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

_routes = partial(shared_table, "core/hermes/config/routes.yaml")

_FLAG_WORDS = frozenset({"true", "1", "yes"})
_SWITCH_WORDS = _FLAG_WORDS | {"on"}


class Coerced(NamedTuple):
    """A value as Hermes would use it; `ok` is false if the default replaces it."""

    value: Any
    ok: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeySpec:
    """A key of config.yaml.

    Attributes:
        since: The default by the release that introduced it, oldest first.
        until: The first release that no longer reads the key.
        refused_below: Values below this are replaced by the default, where `minimum` would raise them.
    """

    name: str
    kind: str
    since: Mapping[str, Any]
    minimum: float | None = None
    maximum: float | None = None
    choices: Sequence[str] = ()
    refused_below: float | None = None
    until: str | None = None

    def default(self, release: str) -> Any:
        """The default in a release; None if the release does not know the key or has no default."""
        known = [value for first, value in self.since.items() if _order(first) <= _order(release)]
        return known[-1] if known else None

    def known_to(self, release: str) -> bool:
        """Whether the release reads this key at all."""
        asked = _order(release)
        gone = self.until is not None and _order(self.until) <= asked
        return not gone and any(_order(first) <= asked for first in self.since)

    def coerce(self, raw: Any) -> Coerced:
        """Read a raw YAML value the way Hermes does."""
        result = _KINDS[self.kind](raw)
        return self._within(result) if result.ok else result

    def _within(self, result: Coerced) -> Coerced:
        value = result.value
        if self.choices and str(value).lower() not in self.choices:
            return Coerced(None, False, f"{value!r} is not one of {', '.join(self.choices)}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            if self.refused_below is not None and value < self.refused_below:
                return Coerced(None, False, f"{value} is below {self.refused_below:g}")
            if self.minimum is not None and value < self.minimum:
                return Coerced(type(value)(self.minimum), True, f"{value} is below {self.minimum:g}")
            if self.maximum is not None and value > self.maximum:
                return Coerced(type(value)(self.maximum), True, f"{value} is above {self.maximum:g}")
        return result


@cache
def key_specs() -> Mapping[str, KeySpec]:
    """Every key the inspector reads, by dotted name."""
    table = load_table("core/hermes/config/config_keys.yaml")
    return {name: KeySpec(name, **entry) for name, entry in table.items()}


def _order(release: str) -> tuple[float, ...]:
    """Sort key of a release; a document's policy comes last, so it knows every key."""
    return version_of(release) if release[:1].isdigit() else (math.inf,)


def _flag(raw: Any) -> Coerced:
    # Hermes compares the value's text, so an empty value (None) counts as false.
    note = "an empty value counts as false" if raw is None else ""
    return Coerced(str(raw).strip().lower() in _FLAG_WORDS, True, note)


def _switch(raw: Any) -> Coerced:
    if raw is None:
        return Coerced(None, False, "empty")
    return Coerced(raw.strip().lower() in _SWITCH_WORDS if isinstance(raw, str) else bool(raw))


def _float(raw: Any) -> Coerced:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return Coerced(None, False, f"{raw!r} is not a number")
    try:
        value = float(raw)
    except (ValueError, OverflowError):
        return Coerced(None, False, f"{raw!r} is not a number")
    return Coerced(value) if math.isfinite(value) else Coerced(None, False, f"{raw!r} is not finite")


def _share(raw: Any) -> Coerced:
    result = _float(raw)
    if result.ok and result.value > 1:
        return result._replace(note=f"{raw} is a share: 0.50 means half of the window")
    return result


def _int(raw: Any) -> Coerced:
    result = _float(raw)
    if not result.ok:
        return result._replace(note=result.note.replace("a number", "a whole number"))
    if isinstance(raw, str) and not raw.strip().lstrip("+-").isdigit():
        return Coerced(None, False, f"{raw!r} is not a whole number")
    return Coerced(int(result.value))


def _text(raw: Any) -> Coerced:
    if isinstance(raw, dict | list) or raw is None:
        return Coerced(None, False, f"{raw!r} is not text")
    return Coerced(str(raw).strip())


def _shares(raw: Any) -> Coerced:
    if not isinstance(raw, Mapping):
        return Coerced(None, False, f"{raw!r} is not a mapping")
    numbers = {str(key): _float(value) for key, value in raw.items() if type(value) in (int, float)}
    pairs = {key: number.value for key, number in numbers.items() if number.ok}
    dropped = len(raw) - len(pairs)
    return Coerced(pairs, True, f"{dropped} entries are not numbers" if dropped else "")


_KINDS: Mapping[str, Callable[[Any], Coerced]] = {
    "flag": _flag,
    "switch": _switch,
    "share": _share,
    "number": _float,
    "int": _int,
    "text": _text,
    "shares": _shares,
    "any": Coerced,
}


def api_mode_of(provider: str, base_url: str) -> str:
    """The wire format Hermes picks for a route; "" if neither provider nor endpoint is known."""
    table = _routes()
    if not provider and not base_url:
        return ""
    host = host_of(base_url)
    for name, mode in table["hosts"].items():
        if host == name or host.endswith(f".{name}"):
            return str(mode)
    for end, mode in table["path_ends"].items():
        if base_url.rstrip("/").endswith(end):
            return str(mode)
    return str(table["providers"].get(provider.lower(), table["default"]))


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """A host given as an IP address; None for a name, which most are."""
    import ipaddress  # most have a name

    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_own_server(provider: str) -> bool:
    """Whether a provider's name says that it is the user's own server."""
    return provider.lower() in _routes()["own_servers"]


def in_own_network(base_url: str) -> bool:
    """Whether an endpoint is on this machine or in a private network."""
    host = host_of(base_url)
    address = address_of(host)
    return f".{host}".endswith(tuple(_routes()["own_hosts"])) or (address is not None and address.is_private)


def host_of(base_url: str) -> str:
    """The host of an endpoint in lower case; "" if there is none or the URL is invalid.

    It may be written without its scheme: `localhost:8080`.
    """
    try:
        return (urlsplit(base_url if "://" in base_url else f"//{base_url}").hostname or "").lower()
    except ValueError:
        return ""
