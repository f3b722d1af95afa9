"""Serves the app to a browser on this machine; the printed URL's token works once. Ctrl-C ends it.

Requests for another host, from another origin or without the token get 403. The app in the browser writes
nothing unless --allow-apply is given. --host listens on another address: anyone who has the URL and can reach
it sees the sessions, and the connection is not encrypted.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys

from core.errors import ConfigError, UsageError
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target

PORT = 8723
LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `serve`."""
    parser.add_argument(
        "--port",
        type=parsers.whole_number,
        default=PORT,
        metavar="N",
        help="port to listen on; 0 picks a free one (default: %(default)s)",
    )
    parser.add_argument("--host", default=LOOPBACK, help="address to listen on (default: %(default)s)")
    parser.add_argument("--allow-apply", action="store_true", help="let the browser write what it previews")
    options.add_store_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the app until stopped."""
    target.locations(args)  # report errors here rather than in the browser
    try:
        from inspector.web import LOOPBACK as OURS
        from inspector.web import GuardedServer
    except ImportError as error:
        raise ConfigError(
            f"serve needs {error.name or 'textual-serve'}",
            where="this Python",
            remedy="Install it: pip install 'hermes-inspector[web]'",
        ) from error
    from core.apply.database.connection import READ_ONLY

    os.environ.pop(READ_ONLY, None) if args.allow_apply else os.environ.update({READ_ONLY: "1"})
    if args.host not in OURS:
        output.write_note(f"others can reach {args.host}, and the connection is not encrypted")
    server = GuardedServer(target.words(args), args.host, _free_port(args.host, args.port), _say)
    server.serve()
    return 0


def _free_port(host: str, port: int) -> int:
    """The port, or a free one for 0."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            return int(probe.getsockname()[1])
    except (OSError, OverflowError) as error:
        what = f"cannot listen on port {port} ({error})"
        raise UsageError(what, where=host, remedy="Choose another with --port") from error


def _say(url: str) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    output.write_note("open this URL in a browser; it works once; Ctrl-C ends")
