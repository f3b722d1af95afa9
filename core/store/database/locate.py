"""Finds session databases: a file, a home, its profiles, or the place Hermes uses by default."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from core.errors import DatabaseError, NotFoundError, UsageError
from core.support.own_files import APPLICATION, SAMPLES_PREFIX

DATABASE_NAME = "state.db"
DEFAULT_PROFILE = "default"
LATEST = "latest"
"""Names the newest session in place of an id or title."""


@dataclass(frozen=True, slots=True)
class Location:
    """One session database and the home around it.

    Attributes:
        home: The HERMES_HOME with config.yaml and logs/; None for a lone file.
        profile: Name of the profile; None for the default one or a lone file.
        active: Whether it is the profile Hermes would use by default.
        options: The options it was named with, as they are typed; "" for what is found without any.
    """

    db: Path
    home: Path | None = None
    profile: str | None = None
    active: bool = True
    options: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """A short name for lists: the profile, else `default`, else the file."""
        if self.profile:
            return self.profile
        return DEFAULT_PROFILE if self.home else self.db.name

    @property
    def is_sample(self) -> bool:
        """Whether it belongs to the sample sessions of `demo`."""
        around = pairwise(self.db.parent.parts[-4:])
        return any(above == APPLICATION and name.startswith(SAMPLES_PREFIX) for above, name in around)

    @property
    def command(self) -> str:
        """The command line, without a subcommand, that asks this database: the samples, or what was named."""
        return f"{APPLICATION} {'demo' if self.is_sample else self.options}".rstrip()

    def addressed(self, advice: str) -> str:
        """Advice whose command lines ask this database; those that do already stay as they are."""
        bare = advice.replace(f"{self.command} ", f"{APPLICATION} ")
        return bare.replace(f"{APPLICATION} ", f"{self.command} ")


def locate(
    *,
    db: Path | str | None = None,
    home: Path | str | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> tuple[Location, ...]:
    """Find the databases to show, the active profile's first.

    If `db` is given, nothing else is searched; `home` is by default `$HERMES_HOME`, else where Hermes keeps
    it on this system; the profile `default` names the home itself.

    Raises:
        NotFoundError: There is no database there.
        DatabaseError: `db` is a directory, or `home` is a file or not accessible to this user.
        UsageError: `db` and `profile` exclude each other.
    """
    if db is not None:
        if profile is not None:
            raise UsageError("--db names one file, so --profile has nothing to choose from")
        return (_single_database(_expand(db, environ)),)
    root = _expand(home, environ) if home is not None else default_home(environ)
    if os.path.isfile(root):  # unlike the methods of a path, these functions take a closed folder for a no
        raise DatabaseError("is a file, not a home", where=str(root), remedy="Use --db for a file")
    found = tuple(_in_home(root))
    if profile is not None:
        found = tuple(place for place in found if (place.profile or DEFAULT_PROFILE) == profile)
        if not found:
            raise NotFoundError(f"no profile named {profile!r} with a database", where=str(root))
    if not found:
        _check_folder(root / DATABASE_NAME)
        raise NotFoundError(
            f"no {DATABASE_NAME} there", where=str(root), remedy="Name one with --db FILE or --home DIR"
        )
    return _each_once(sorted(found, key=lambda place: not place.active))


def default_home(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Where Hermes keeps its home: `$HERMES_HOME`, else the user's own folder."""
    if named := environ.get("HERMES_HOME", "").strip():
        return _expand(named, environ)
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else _user_home(environ) / "AppData" / "Local") / "hermes"
    return _user_home(environ) / ".hermes"


def _single_database(path: Path) -> Location:
    if os.path.isdir(path):
        raise DatabaseError(
            "is a directory, not a database", where=str(path), remedy="Use --home for a folder"
        )
    _check_folder(path)
    if not os.path.lexists(path):
        raise NotFoundError(
            "no such database", where=str(path), remedy="Name one with --db FILE or --home DIR"
        )
    # A database inside a home brings its config and logs along.
    if path.name != DATABASE_NAME:
        return Location(path)
    parent = path.absolute().parent
    profile = parent.name if parent.parent.name == "profiles" else None
    return Location(path, parent, profile)


def _check_folder(path: Path) -> None:
    """Raise an error if a folder is not accessible to this user, so that missing files can be reported."""
    try:
        os.stat(path)
    except PermissionError:
        raise DatabaseError(
            "is in a folder you may not read",
            where=str(path),
            remedy="Check the owner and mode of the folder",
        ) from None
    except (OSError, ValueError):
        return


def _each_once(found: Iterable[Location]) -> tuple[Location, ...]:
    """The first of several places that link to the same database, or its conversations would count twice."""
    places: dict[str, Location] = {}
    for place in found:
        places.setdefault(os.path.realpath(place.db), place)
    return tuple(places.values())


def _in_home(root: Path) -> Iterator[Location]:
    active = _active_profile(root)
    own = root / DATABASE_NAME
    if os.path.exists(own):
        inside = root.name if root.parent.name == "profiles" else None
        yield Location(own, root, inside, active is None)
    for folder in _profiles(root):
        if os.path.exists(folder / DATABASE_NAME):
            yield Location(folder / DATABASE_NAME, folder, folder.name, active == folder.name)


def _profiles(root: Path) -> list[Path]:
    try:
        return sorted(path for path in (root / "profiles").iterdir() if os.path.isdir(path))
    except OSError:
        return []


def _active_profile(root: Path) -> str | None:
    path = root / "active_profile"
    if not os.path.isfile(path):  # a pipe would be waited for
        return None
    try:
        name = path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return None
    known = name and os.path.exists(root / "profiles" / name / DATABASE_NAME)
    return name if known else None


def _expand(path: Path | str, environ: Mapping[str, str]) -> Path:
    text = str(path)
    if text == "~" or text.startswith(("~/", "~\\")):
        return _user_home(environ) / text[2:]
    return Path(os.path.expanduser(text))


def _user_home(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(named) if named else Path.home()
