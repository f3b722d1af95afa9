"""Installs Hermes Inspector inside Hermes: a context engine, a recorder of requests, `/inspect` in a chat.

`install` copies a small plugin into HERMES_HOME/plugins and enables it in config.yaml; `uninstall` undoes
both, byte for byte unless someone edited the file since. `answer` is what `/inspect` runs; `request` prints
the newest recorded request, or the one with the given number, each message with its database row.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NotFoundError, UsageError
from inspector.cli import output
from inspector.cli.arguments import confirm, options, target
from inspector.cli.engines import lookup
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from inspector.hermes_plugin.install import Planned

_MODELS = ("anthropic", "openai")
_MAX_SHOWN = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `plugin`."""
    if isinstance(parser, options.Parser):
        parser.mixes = True
    parser.usage = "%(prog)s [options] ACTION [WORD ...]"  # argparse builds a wrong one for mixed arguments
    add = parser.add_argument
    actions = ("install", "status", "uninstall", "answer", "request")
    add("action", metavar="ACTION", choices=actions, help="install, status, uninstall, answer or request")
    add("words", nargs="*", metavar="WORD", help="answer: why, plan, cost, lost TOPIC; request: its number")
    _add_choices(parser)
    add("--session", metavar="SESSION", default="latest", help="answer, request: the conversation")
    add("--yes", action="store_true", help="agree in advance")
    by_hand = "install: edit config.yaml directly and keep its comments, instead of using Hermes' commands"
    add("--edit", action="store_true", help=by_hand)
    options.add_python_option(parser)
    options.add_shared_options(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose what `install` installs."""
    add = parser.add_argument
    add("--engine", action="store_true", help="install: also act as Hermes' context engine")
    add("--recorder", action="store_true", help="install: also record sizes and usage of requests")
    add(
        "--keep-text",
        action="store_true",
        help="install: with --recorder, also keep texts missing from Hermes' database, credentials masked",
    )
    add(
        "--summariser",
        choices=("extractive", "static", *_MODELS),
        default="extractive",
        help="install: who writes the engine's summaries (default: %(default)s, without a model)",
    )
    add("--model", metavar="NAME", help="install: the model that writes them")
    add("--provider", metavar="NAME", help="install: its provider, as Hermes names it")
    add("--base-url", metavar="URL", help="install: its API")


def run(args: argparse.Namespace) -> int:
    """Install, show the status, uninstall, or answer."""
    if args.words and args.action not in ("answer", "request"):
        raise UsageError(f"{args.words[0]!r} is only allowed with `plugin answer` and `plugin request`")
    if args.action in ("answer", "request"):
        from inspector.cli.engines import answers

        if args.action == "request":
            return answers.show_request(args)
        said = list(answers.answer(args.words, args))
        return output.show(args, lambda: {"lines": said}, said)
    home = lookup.home_of(args)
    if home is None:
        raise NotFoundError("no HERMES_HOME there", remedy="Name it with --home DIR")
    return {"install": _install, "status": _status, "uninstall": _uninstall}[args.action](args, home)


def _install(args: argparse.Namespace, home: Path) -> int:
    from inspector.hermes_plugin.install import install, plan_install

    if args.keep_text and not args.recorder:
        raise UsageError("--keep-text needs --recorder", remedy="The recorder is what keeps the texts")
    planned = plan_install(
        home,
        engine=args.engine,
        recorder=args.recorder,
        summariser=_summariser(args),
        keep_text=args.keep_text,
        hermes=None if args.edit else _hermes(args),
    )
    for line in (*_planned(planned), *_sends(args, home)):
        output.write_note(line)
    confirm.ask("Install it?", yes=args.yes)
    install(planned)
    _status(args, home)
    if not args.json:
        removing = f"`{target.command(args)} plugin uninstall` removes it"
        output.write_lines([f"active from the next chat on; {removing}"])
    return 0


def _summariser(args: argparse.Namespace) -> dict[str, str]:
    named = {"model": args.model, "provider": args.provider, "base_url": args.base_url}
    return {"name": args.summariser} | {name: value or "" for name, value in named.items()}


def _hermes(args: argparse.Namespace) -> Path | None:
    """The `hermes` command of the named Python, else the one on the PATH."""
    from core.compress.engines.host.install import find_install

    install = find_install(args.hermes_python)
    command = None if install is None else install.python.with_name("hermes")
    return command if command is not None and command.exists() else None


def _uninstall(args: argparse.Namespace, home: Path) -> int:
    from inspector.hermes_plugin.install import installed, plugin_folder, uninstall

    if installed(home) is None:
        raise NotFoundError("the plugin is not installed there", where=str(home))
    confirm.ask(f"Remove {plugin_folder(home)} and its lines in config.yaml?", yes=args.yes)
    removed = uninstall(home)
    if args.json:
        output.write_json({"installed": False, "config_restored": removed.same})
    elif removed.trouble is None:
        how = "restored byte for byte" if removed.same else "without our lines; later edits are kept"
        output.write_lines([f"removed; config.yaml is {how}"])
        if removed.copy is not None:
            output.write_note(f"the file from before Hermes rewrote it is {removed.copy}")
    if removed.trouble is not None:
        output.write_note(f"removed, but config.yaml still names it: {removed.trouble.line}")
    return 0


def _status(args: argparse.Namespace, home: Path) -> int:
    from inspector.hermes_plugin.status import status

    found = status(home, args.hermes_python)
    recorded = found.recorded
    document = {
        "installed": found.settings is not None,
        **jsonio.fields(found, "engine recorder enabled release dashboard"),
        "worker": {"python": found.python, "answers": found.answers},
        "recorded": {
            **jsonio.fields(recorded, "requests compactions dropped"),
            "bytes": recorded.size,
            "since": jsonio.time(recorded.since),
        },
    }
    return output.show(args, lambda: document, found.lines(target.command(args)))


def _planned(planned: Planned) -> Iterator[str]:
    """What would be written, what it does, and the changed lines of config.yaml."""
    chosen = planned.settings
    yield f"writes a plugin to {planned.folder}"
    yield "/inspect answers in a chat: why | plan | cost | lost TOPIC, without a model"
    if chosen.engine:
        yield "the engine compacts in place of Hermes' own, and measures what each compaction kept"
    if chosen.keep_text:
        yield "the recorder keeps sizes and token counts of requests, and texts that Hermes' database lacks"
        yield "(tool schemas, what a summary or a title was asked with, their answers), credentials masked"
    elif chosen.recorder:
        yield "the recorder keeps sizes and token counts of requests, none of their text"
    if not (chosen.engine or chosen.recorder):
        yield "add --engine to make it the context engine too, --recorder to record requests"
    if planned.hermes is not None:
        yield f"as `{planned.hermes} plugins enable` and `config set` write it (--edit keeps your format):"
    before = (planned.before or b"").decode("utf-8", "replace").splitlines()
    changed = difflib.unified_diff(
        before, planned.edit.text.splitlines(), "config.yaml", "config.yaml", lineterm="", n=1
    )
    lines = list(changed)
    yield from lines[:_MAX_SHOWN]
    if len(lines) > _MAX_SHOWN:
        yield f"... and {len(lines) - _MAX_SHOWN} more lines: Hermes drops comments and writes every default"


def _sends(args: argparse.Namespace, home: Path) -> Iterator[str]:
    """Where summaries would be sent, and their cost."""
    if args.summariser not in _MODELS or not args.engine:
        return
    from core.account.pricing.price_book import open_book
    from core.hermes.config.config import load_config
    from core.hermes.policy.policy import load_policy, newest_release
    from core.model.accounting.amounts import Buckets
    from core.support import formatting as fmt
    from inspector.hermes_plugin.engine_session import chosen
    from inspector.settings.config_file import refuse_sending

    choice = _summariser(args)
    endpoint = chosen(choice, load_config(home), load_policy(newest_release())).describe()
    if endpoint is None:
        return
    if not endpoint.local:
        refuse_sending(endpoint.host)
    price = open_book().price(Buckets(input=100_000), endpoint.model, choice["provider"], choice["base_url"])
    usd = "an unknown price" if price is None else fmt.money(price, mark=fmt.ESTIMATE)
    yield (
        f"every compaction sends the messages it replaces, with credentials masked, to {endpoint.host} "
        f"({endpoint.model}); 100,000 tokens cost {usd}"
    )
