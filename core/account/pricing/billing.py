"""Who pays for a route: a bill by the token, a subscription, or nobody."""

from __future__ import annotations

from functools import cache

from core.hermes.config.routes import host_of
from core.support.yaml_tables import shared_table


@cache
def billing_of(provider: str, base_url: str, mode: str = "") -> str:
    """Who pays for a route: `api`, `included` or `local`."""
    rules = shared_table("core/account/pricing/price_routes.yaml")
    if mode in rules["included_modes"] or provider.lower() in rules["included"]:
        return "included"
    if provider.lower() in rules["local"] or is_local(base_url):
        return "local"
    return "api"


def is_local(base_url: str) -> bool:
    """Whether an endpoint is on this machine or a private network."""
    host = host_of(base_url if "://" in base_url else f"//{base_url}")
    rules = shared_table("core/account/pricing/price_routes.yaml")
    if not host or host in rules["local_hosts"] or host.endswith(tuple(rules["local_suffixes"])):
        return bool(host)
    import ipaddress  # most endpoints have a name

    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_unspecified
