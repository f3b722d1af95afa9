"""Runs Hermes' own commands on a copy of config.yaml, offline, to see what they write."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import ConfigError
from inspector.hermes_plugin.config_file.edit import has_plugin, tree

_SECONDS = 60
_NOWHERE = "http://127.0.0.1:9"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_CONFIG = "config.yaml"


def by_commands(hermes: Path, plugin: Path, before: bytes, name: str, *, engine: bool) -> str | None:
    """config.yaml as `hermes plugins enable` and `hermes config set` would write it; None if they fail.

    They run in an otherwise empty home, so that the user sees the result first, and behind a proxy that does
    not exist, so that a release that wants to download something fails at once.
    """
    orders = [["plugins", "enable", name], *([["config", "set", "context.engine", name]] if engine else [])]
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        home = Path(folder)
        shutil.copytree(plugin, home / "plugins" / name)
        (home / _CONFIG).write_bytes(before)
        if not all(_ran([str(hermes), *order], home) for order in orders):
            return None
        try:
            text = (home / _CONFIG).read_bytes().decode("utf-8")
            kept = _within(tree(before.decode("utf-8")), tree(text))
            return text if kept and has_plugin(text, name, engine=engine) else None
        except (OSError, UnicodeDecodeError, ConfigError):
            return None


def _ran(words: Sequence[str], home: Path) -> bool:
    env = {**os.environ, "HERMES_HOME": str(home), "HOME": str(home), "NO_COLOR": "1"}
    for proxy in _PROXIES:
        env |= {proxy: _NOWHERE, proxy.lower(): _NOWHERE}
    return succeeds(words, _SECONDS, env=env, home=home)


def succeeds(
    words: Sequence[str], seconds: float, *, env: Mapping[str, str] | None = None, home: Path | None = None
) -> bool:
    """Whether a command succeeds in time, without input and output."""
    try:
        done = subprocess.run(
            words,
            env=env,
            cwd=home,
            capture_output=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _within(old: object, new: object) -> bool:
    """Whether everything in the old value is in the new one; lists may have grown."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _within(value, new[key]) for key, value in old.items() if value is not None)
    if isinstance(old, list) and isinstance(new, list):
        return all(one in new for one in old)
    return old == new
