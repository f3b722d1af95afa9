"""`usage`, `findings` and `doctor` with `--fleet`: many machines, one document."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any

from core.errors import BudgetPassed, ConfigError, NotFoundError, UsageError
from core.store.database.locate import DATABASE_NAME
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.payloads.values import dumps

OPTION = "--fleet"
ROWS = {"usage": "rows", "findings": "findings", "doctor": "databases"}
"""The commands that accept `--fleet`, and the key of their document that becomes table rows."""
_DATABASE = b"SQLite format 3\0"


def is_asked(command: str, words: Sequence[str]) -> bool:
    """Whether a command line asks for a fleet.

    Raises:
        UsageError: It says where a fleet's answers go, but names no fleet, or it names a database too.
    """
    given = [word.partition("=")[0] for word in words if word.startswith(OPTION)] if command in ROWS else []
    if given and OPTION not in given:
        raise UsageError(f"{given[0]} goes with {OPTION}")
    if given and options.names_database(words):
        raise UsageError(f"{OPTION} names the databases", remedy="Leave out --db and --home")
    return bool(given)


def run(command: str, words: Sequence[str]) -> int:
    """Run a command for every machine; arguments that are not about the fleet are passed on.

    Raises:
        NotFoundError: No machine matches.
        UsageError: The output cannot be written.
    """
    from inspector.cli.fleet import audit

    parser = options.Parser(f"hermes-inspector {command}", "Many machines at once.")
    options.add_fleet_options(parser)
    args, rest = parser.parse_known_args(list(words))
    rest = [word for word in rest if word not in ("--json", "--csv")]
    places = [str(place) for place in machines(args.fleet)]
    tell, number = output.progress("machine"), count(1)

    def done() -> None:
        tell(next(number), len(places))

    asked = [command, *rest]
    if args.engine == "ray":
        found = audit.on_ray(asked, places, args.address or "auto", done)
    else:
        found = audit.on_this_machine(asked, places, args.fleet_jobs or os.cpu_count() or 1, done)
    document = {"command": command, "totals": audit.totals(command, found), "machines": found}
    _write(document, args.fleet_out, as_csv="--csv" in words)
    return _code(found)


def _code(found: Sequence[Mapping[str, Any]]) -> int:
    """The exit code: a budget exceeded anywhere, else 0 unless no machine at all was readable."""
    for one in found:
        if one["error"] is not None:
            output.write_note(f"skipped: {one['error']}")
    if any(one["exit_code"] == BudgetPassed.exit_code for one in found):
        return BudgetPassed.exit_code
    return 0 if any(one["result"] is not None for one in found) else int(found[0]["exit_code"])


def _write(document: Mapping[str, Any], path: str | None, *, as_csv: bool) -> None:
    if path is None:
        if as_csv:
            output.write_csv(_table(document))
        else:
            output.write_json(dict(document), mask=False)  # each part is masked already
        return
    try:
        if path.endswith(".parquet"):
            _write_parquet(document, path)
        elif path.endswith(".csv"):
            with open(path, "w", encoding="utf-8", newline="") as stream, redirect_stdout(stream):
                output.write_csv(_table(document))
        else:
            Path(path).write_text(f"{dumps(document, indent=2)}\n", "utf-8")
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=path) from error


def _table(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One row per entry of each machine, all with the same columns; a failed machine has a row too."""
    key = ROWS[document["command"]]
    rows = []
    for one in document["machines"]:
        about = {"machine": one["machine"], "error": one["error"]}
        entries = (one["result"] or {}).get(key) or ([{}] if one["error"] else [])
        rows += [{**about, **dict(_flat(entry))} for entry in entries]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return ({name: row.get(name) for name in columns} for row in rows)


def _flat(entry: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Flatten nested members to dotted names, with lists as JSON."""
    for name, value in entry.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", dumps(value) if isinstance(value, list) else value


def _write_parquet(document: Mapping[str, Any], path: str) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigError(
            "writing parquet needs the library pyarrow",
            where=path,
            remedy="pip install 'hermes-inspector[parquet]'",
        ) from None
    rows = list(_table(document))
    kinds = {name: {type(row[name]) for row in rows} - {type(None)} for name in (rows[0] if rows else ())}
    mixed = {name for name, found in kinds.items() if len(found) > 1}
    shown = [
        {name: str(value) if name in mixed and value is not None else value for name, value in row.items()}
        for row in rows
    ]
    parquet.write_table(pyarrow.Table.from_pylist(shown), path)


def machines(named: str) -> tuple[Path, ...]:
    """The homes and databases of a pattern, a folder of homes, one home or state.db, or a list of those.

    A list is a text file with one a line; its paths are not checked here.

    Raises:
        NotFoundError: Nothing matches.
        UsageError: The file is not a list.
    """
    path = Path(os.path.expanduser(named))
    if path.is_dir():
        found = (
            [path]
            if (path / DATABASE_NAME).exists()
            else sorted(one.parent for one in path.glob(f"*/{DATABASE_NAME}"))
        )
    elif path.is_file():
        found = [path] if _is_database(path) else _listed(path)
    else:
        found = [Path(one) for one in sorted(glob.glob(str(path), recursive=True))]
    if not found:
        raise NotFoundError("no home or state.db found", where=named, remedy="Check --fleet")
    return tuple(found)


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE


def _listed(path: Path) -> list[Path]:
    """The paths in a list, without blank lines and comments; relative paths start at the list's folder."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "is not a list of homes", where=str(path), remedy="Write one path per line"
        ) from error
    names = (line.strip() for line in lines)
    return [path.parent / os.path.expanduser(name) for name in names if name and not name.startswith("#")]
