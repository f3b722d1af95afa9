"""Taking the plugin out of a HERMES_HOME."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from core.errors import ConfigError, NotFoundError
from inspector.hermes_plugin.config_file.edit import (
    Change,
    read_if_there,
    replace_file,
    without,
    without_plugin,
    write,
)
from inspector.hermes_plugin.install import CONFIG, NAME, RECEIPT, decoded, plugin_folder

_KEPT = "config.yaml.before-inspector"


@dataclass(frozen=True, slots=True)
class Removed:
    """What an uninstallation left.

    Attributes:
        same: config.yaml is byte for byte what it was before.
        copy: Where the file as it was before lies, when Hermes had rewritten it and it was edited since.
        trouble: Why config.yaml still names the plugin; None when it does not.
    """

    same: bool
    trouble: ConfigError | None = None
    copy: Path | None = None


def uninstall(home: Path) -> Removed:
    """Take the plugin out.

    Raises:
        NotFoundError: It is not installed there.
        OSError: It could not be removed.
    """
    folder = plugin_folder(home)
    receipt = folder / RECEIPT
    if not receipt.is_file():
        raise NotFoundError("the plugin is not installed there", where=str(home))
    told = json.loads(receipt.read_text("utf-8"))
    before = None if told["before"] is None else bytes.fromhex(told["before"])
    config, changes = home / CONFIG, [Change(**change) for change in told["changes"]]
    now, rewritten = read_if_there(config), bool(told.get("rewritten"))
    removed = Removed(same=True)
    if changes or rewritten:
        removed = Removed(now is not None and sha256(now).hexdigest() == told["after"])
        if removed.same:
            _put_back(config, before)
        elif now is not None:
            trouble = _take_out(config, now, before or b"", changes)
            removed = Removed(False, trouble, _kept(config, before) if rewritten else None)
    shutil.rmtree(folder)
    if told.get("made_plugins"):
        with suppress(OSError):  # somebody else's plugins are there by now
            folder.parent.rmdir()
    return removed


def _put_back(config: Path, before: bytes | None) -> None:
    if before is None:
        config.unlink()
    else:
        replace_file(config, before)


def _kept(config: Path, before: bytes | None) -> Path | None:
    """A copy of the file as it was before Hermes wrote it anew."""
    if before is None:
        return None
    copy = config.with_name(_KEPT)
    write(copy, before)
    return copy


def _take_out(config: Path, now: bytes, before: bytes, changes: list[Change]) -> ConfigError | None:
    """Of an edited file only our lines go, and our name where Hermes wrote the file anew."""
    trouble, text = None, without(decoded(now), changes)
    try:
        text = without_plugin(text, decoded(before), NAME)
    except ConfigError as error:
        trouble = error
    replace_file(config, text.encode())
    return trouble
