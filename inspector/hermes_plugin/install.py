"""Installs the plugin into a HERMES_HOME, and uninstalls it."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.errors import ConfigError, NotFoundError, UsageError
from core.recordings import row_names
from core.support.own_files import state_directory
from inspector import __version__
from inspector.hermes_plugin.config_file.edit import (
    Change,
    Edit,
    read_if_there,
    replace_file,
    with_plugin,
    without,
    without_plugin,
    write,
)
from inspector.hermes_plugin.config_file.own_commands import by_commands
from inspector.hermes_plugin.stub.hooks import PASSES, RECORDS, REMEMBERS
from inspector.hermes_plugin.stub.settings import FILE_NAME as SETTINGS
from inspector.hermes_plugin.stub.settings import Settings, read_settings

NAME = "inspector"
RECEIPT = "receipt.json"
"""Records what was installed, and config.yaml as it was before."""
CONFIG = "config.yaml"
_KEPT = "config.yaml.before-inspector"
_STUB = Path(__file__).parent / "stub"
_API = "dashboard_api.py"
"""Hermes' dashboard requires it in a folder of its own, where it would be the only file here."""


def installed(home: Path) -> Settings | None:
    """The settings of the plugin in a home; None if it is not installed."""
    folder = plugin_folder(home)
    if not (folder / RECEIPT).is_file():
        return None
    try:
        return read_settings(folder)
    except (OSError, ValueError):
        return None


def plugin_folder(home: Path) -> Path:
    """The plugin's folder. Folder, key and engine share one name, as releases differ in which they use."""
    return home / "plugins" / NAME


def decoded(content: bytes) -> str:
    """The text of config.yaml.

    Raises:
        ConfigError: It is not UTF-8.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", where=CONFIG) from error


@dataclass(frozen=True, slots=True)
class Planned:
    """What an installation would do.

    Attributes:
        edit: The edit of config.yaml; without changes if it already says everything.
        before: Its current bytes; None if there is no such file.
        hermes: The `hermes` command that made the edit; None if it is ours.
    """

    folder: Path
    config: Path
    settings: Settings
    edit: Edit
    before: bytes | None
    hermes: Path | None = None


def plan_install(
    home: Path,
    *,
    engine: bool,
    recorder: bool,
    summariser: dict[str, Any],
    keep_text: bool = False,
    hermes: Path | None = None,
) -> Planned:
    """Find out what an installation would do; nothing in the home is changed.

    If a `hermes` command is given and works, config.yaml is as that command writes it.

    Raises:
        UsageError: Another plugin has that name.
        ConfigError: config.yaml cannot be edited.
        NotFoundError: The home does not exist.
    """
    if not home.is_dir():
        raise NotFoundError("no such HERMES_HOME", where=str(home))
    home = home.absolute()
    folder = _free_folder(home)
    config = home / CONFIG
    before = read_if_there(config)
    settings = Settings(
        home=str(home),
        python=sys.executable,
        root=str(Path(__file__).parents[2]),
        state=str(state_directory()),
        engine=engine,
        recorder=recorder,
        summariser=summariser,
        keep_text=keep_text,
    )
    edit = with_plugin(decoded(before or b""), NAME, engine=engine)
    planned = Planned(folder, config, settings, edit, before)
    if hermes is None or before is None or not edit.changes:
        return planned
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as place:
        _fill(Path(place) / NAME, settings)
        text = by_commands(hermes, Path(place) / NAME, before, NAME, engine=engine)
    return planned if text is None else replace(planned, edit=Edit(text, ()), hermes=hermes)


def _free_folder(home: Path) -> Path:
    """The folder for the plugin, which no other plugin may use."""
    folder = plugin_folder(home)
    if folder.exists() and not (folder / RECEIPT).is_file():
        raise UsageError(
            "another plugin of that name is there", where=str(folder), remedy="Move it away first"
        )
    if installed(home) is not None:
        raise UsageError("the plugin is installed already", where=str(folder), remedy="Uninstall it first")
    return folder


def install(planned: Planned) -> None:
    """Carry out an installation; the folder comes first, so that config.yaml never names a missing plugin.

    Raises:
        OSError: Writing failed; whatever was written is removed.
    """
    folder = planned.folder
    made_plugins = not folder.parent.exists()
    try:
        _fill(folder, planned.settings)
        after = planned.edit.text.encode()
        receipt = {
            "before": None if planned.before is None else planned.before.hex(),
            "after": sha256(after).hexdigest(),
            "made_plugins": made_plugins,
            "changes": [asdict(change) for change in planned.edit.changes],
            "rewritten": planned.hermes is not None,
        }
        write(folder / RECEIPT, json.dumps(receipt).encode())
        if planned.edit.changes or planned.hermes is not None:
            replace_file(planned.config, after)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _fill(folder: Path, settings: Settings) -> None:
    """Write everything except the receipt."""
    shutil.copytree(_STUB, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / _API).rename(folder / "dashboard" / _API)
    shutil.copyfile(row_names.__file__, folder / "recording" / "row_names.py")
    write(folder / SETTINGS, json.dumps(asdict(settings), indent=1).encode())
    write(folder / "plugin.yaml", _manifest(settings).encode())


def _manifest(settings: Settings) -> str:
    hooks: Iterable[str] = (*REMEMBERS, *RECORDS) if settings.recorder else REMEMBERS
    lines = [
        f"name: {NAME}",
        f"version: {__version__}",
        "description: Hermes Inspector inside Hermes - a context engine, a recorder and /inspect.",
        "author: Hermes Inspector",
        "kind: standalone",
        "provides_hooks:",
        *(f"  - {hook}" for hook in hooks),
        *(("provides_middleware:", f"  - {PASSES}") if settings.recorder else ()),
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Removed:
    """What an uninstallation left behind.

    Attributes:
        same: config.yaml is byte for byte what it was before.
        copy: A copy of the old file, if Hermes had rewritten it and it was edited since.
        trouble: Why config.yaml still names the plugin; None if it does not.
    """

    same: bool
    trouble: ConfigError | None = None
    copy: Path | None = None


def uninstall(home: Path) -> Removed:
    """Remove the plugin.

    Raises:
        NotFoundError: It is not installed there.
        ConfigError: What was installed is not known any more.
        OSError: It could not be removed.
    """
    folder = plugin_folder(home)
    receipt = folder / RECEIPT
    if not receipt.is_file():
        raise NotFoundError("the plugin is not installed there", where=str(home))
    try:
        recorded = json.loads(receipt.read_text("utf-8"))
        before = None if recorded["before"] is None else bytes.fromhex(recorded["before"])
        changes, after = [Change(**change) for change in recorded["changes"]], recorded["after"]
    except (ValueError, TypeError, KeyError) as error:
        remedy = f"Take {NAME} out of {CONFIG} by hand, then delete the folder"
        raise ConfigError("is damaged, and nothing was changed", where=str(receipt), remedy=remedy) from error
    config = home / CONFIG
    now, rewritten = read_if_there(config), bool(recorded.get("rewritten"))
    removed = Removed(same=True)
    if changes or rewritten:
        removed = Removed(now is not None and sha256(now).hexdigest() == after)
        if removed.same:
            _put_back(config, before)
        elif now is not None:
            trouble = _take_out(config, now, before or b"", changes)
            removed = Removed(False, trouble, _kept(config, before) if rewritten else None)
    shutil.rmtree(folder)
    if recorded.get("made_plugins"):
        with suppress(OSError):  # it may contain other plugins by now
            folder.parent.rmdir()
    return removed


def _put_back(config: Path, before: bytes | None) -> None:
    if before is None:
        config.unlink()
    else:
        replace_file(config, before)


def _kept(config: Path, before: bytes | None) -> Path | None:
    """A copy of the file from before Hermes rewrote it."""
    if before is None:
        return None
    copy = config.with_name(_KEPT)
    write(copy, before)
    return copy


def _take_out(config: Path, now: bytes, before: bytes, changes: list[Change]) -> ConfigError | None:
    """Remove only our lines from an edited file, and our name if Hermes rewrote it."""
    trouble, text = None, without(decoded(now), changes)
    try:
        text = without_plugin(text, decoded(before), NAME)
    except ConfigError as error:
        trouble = error
    replace_file(config, text.encode())
    return trouble
