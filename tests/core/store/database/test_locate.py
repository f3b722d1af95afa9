from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from core.errors import DatabaseError, NotFoundError, UsageError
from core.store.database.locate import Location, default_home, locate


def make(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    sqlite3.connect(path).close()
    path.touch()
    return path


def test_a_named_file_is_the_only_database(tmp_path: Path) -> None:
    path = make(tmp_path / "some.db")
    (place,) = locate(db=path, environ={"HERMES_HOME": "/nowhere"})
    assert (place.db, place.home, place.profile, place.label) == (path, None, None, "some.db")


def test_a_state_db_brings_the_home_it_lies_in(tmp_path: Path) -> None:
    (place,) = locate(db=make(tmp_path / "state.db"))
    assert place.home == tmp_path


def test_the_environment_names_the_home(tmp_path: Path) -> None:
    make(tmp_path / "state.db")
    (place,) = locate(environ={"HERMES_HOME": str(tmp_path)})
    assert (place.home, place.label) == (tmp_path, "default")


def test_without_anything_named_the_users_own_home_is_used(tmp_path: Path) -> None:
    make(tmp_path / ".hermes" / "state.db")
    (place,) = locate(environ={"HOME": str(tmp_path)})
    assert place.home == tmp_path / ".hermes"


def test_a_tilde_in_a_path_is_the_users_home(tmp_path: Path) -> None:
    make(tmp_path / "x" / "state.db")
    (place,) = locate(home="~/x", environ={"HOME": str(tmp_path)})
    assert place.home == tmp_path / "x"


def test_profiles_are_listed_with_the_active_one_first(tmp_path: Path) -> None:
    make(tmp_path / "state.db")
    make(tmp_path / "profiles" / "work" / "state.db")
    make(tmp_path / "profiles" / "play" / "state.db")
    (tmp_path / "profiles" / "empty").mkdir()
    (tmp_path / "active_profile").write_text("work\n")
    assert [place.label for place in locate(home=tmp_path)] == ["work", "default", "play"]


def test_one_profile_can_be_chosen(tmp_path: Path) -> None:
    make(tmp_path / "state.db")
    make(tmp_path / "profiles" / "work" / "state.db")
    assert [place.label for place in locate(home=tmp_path, profile="work")] == ["work"]
    assert [place.label for place in locate(home=tmp_path, profile="default")] == ["default"]
    with pytest.raises(NotFoundError, match="gone"):
        locate(home=tmp_path, profile="gone")


def test_a_home_without_a_database_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as caught:
        locate(home=tmp_path)
    assert caught.value.exit_code == 3
    assert "\n" not in caught.value.line


def test_a_directory_given_as_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="directory") as caught:
        locate(db=tmp_path)
    assert caught.value.exit_code == 5


def test_a_file_given_as_home_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="--db"):
        locate(home=make(tmp_path / "state.db"))


def test_a_file_has_no_profiles(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        locate(db=make(tmp_path / "state.db"), profile="work")


def test_windows_keeps_its_home_under_local_app_data() -> None:
    named = default_home({"LOCALAPPDATA": "/l"}, platform="win32")
    bare = default_home({"USERPROFILE": "/u"}, platform="win32")
    assert (named, bare) == (Path("/l/hermes"), Path("/u/AppData/Local/hermes"))


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system say of a folder what it says to all but root when the folder may not be searched."""
    look = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        if os.path.abspath(path).startswith(f"{folder}{os.sep}"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return look(path, **options)

    monkeypatch.setattr("os.stat", stat)


@pytest.mark.parametrize("named", [{"home": "closed"}, {"db": "closed/state.db"}, {"home": "closed/inner"}])
def test_a_folder_closed_to_the_user_is_not_called_empty(
    named: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "closed" / "state.db")
    close(tmp_path / "closed", monkeypatch)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatabaseError, match="may not read"):
        locate(**named)


def test_a_profile_closed_to_the_user_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "state.db")
    make(tmp_path / "profiles" / "work" / "state.db")
    close(tmp_path / "profiles" / "work", monkeypatch)
    assert [place.label for place in locate(home=tmp_path)] == ["default"]


def test_a_note_of_the_active_profile_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    make(tmp_path / "state.db")
    os.mkfifo(tmp_path / "active_profile")
    assert [place.label for place in locate(home=tmp_path)] == ["default"]


@pytest.mark.parametrize(("to", "again"), [("..", "other"), ("other", "again")])
def test_links_that_lead_to_the_same_database_count_once(tmp_path: Path, to: str, again: str) -> None:
    make(tmp_path / "home" / "state.db")
    make(tmp_path / "home" / "profiles" / "other" / "state.db")
    (tmp_path / "home" / "profiles" / "again").symlink_to(to)
    assert [place.profile for place in locate(home=tmp_path / "home")] == [None, again]
    assert locate(home=tmp_path / "home", profile="other")[0].profile == "other"


@pytest.mark.parametrize(
    ("home", "command"),
    [
        ("cache/hermes-inspector/demo-1", "hermes-inspector demo"),
        ("cache/hermes-inspector/demo-1/profiles/work", "hermes-inspector demo"),
        ("cache/hermes-inspector/kept", "hermes-inspector"),
        ("home/.hermes", "hermes-inspector"),
        ("demo-1", "hermes-inspector"),
    ],
)
def test_commands_about_the_samples_begin_with_demo(home: str, command: str) -> None:
    assert Location(Path("/") / home / "state.db").command == command


def test_commands_about_a_named_database_name_it_again() -> None:
    named = Location(Path("/x/state.db"), options="--home /x")
    assert named.command == "hermes-inspector --home /x"
    assert named == Location(Path("/x/state.db"))


def test_advice_names_the_database_once_however_often_it_is_asked_to() -> None:
    named = Location(Path("/x/state.db"), options="--home /x")
    told = named.addressed("hermes-inspector recall s WORDS finds it")
    assert told == "hermes-inspector --home /x recall s WORDS finds it"
    assert named.addressed(told) == told
    assert Location(Path("/x/state.db")).addressed("hermes-inspector recall") == "hermes-inspector recall"
