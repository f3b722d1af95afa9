"""Where does it come from, what grew out of it, and where does resume land?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.message import Message as Event

from core.model.conversation import Chain
from core.store.store import Store
from inspector import format
from inspector.commands import bindings
from inspector.line import Line
from inspector.palette import Palette
from inspector.screens.chain_list import ChainList, twigs
from inspector.shell import shell
from inspector.text import clean
from inspector.views import Subject, View
from inspector.widgets.rows import ListRows
from inspector.widgets.status_line import Piece, StatusLine
from inspector.widgets.text_pane import TextPane
from inspector.widgets.text_wrap import wrap
from inspector.workers import cancelled, in_thread


class ChainView(View):
    """The family tree of the conversation."""

    BINDINGS = bindings("chain")
    DEFAULT_CSS = """
    ChainView ChainList { padding: 0 1; }
    ChainView #remarks { height: auto; max-height: 40%; padding: 0 1; border-top: solid $rule; }
    """

    tree_list = getters.query_one(ChainList)
    remarks = getters.query_one("#remarks", TextPane)

    @dataclass
    class Read(Event):
        """The family was read."""

        chain: Chain

    def compose(self) -> ComposeResult:
        """Where resume lands, the tree, what is odd about it."""
        yield StatusLine(id="resume")
        yield ChainList(empty="Reading the family …")
        yield TextPane(id="remarks")

    def watch_subject(self, subject: Subject | None) -> None:
        """Read the family anew."""
        if subject is not None:
            self.read(subject)

    @in_thread("chain")
    def read(self, subject: Subject) -> None:
        """Read the family on a connection of the worker's own."""
        stop = cancelled()
        with Store(subject.location, cancelled=stop) as store:
            chain = store.chain(subject.conversation.tip.id)
        if not stop():
            self.post_message(self.Read(chain))

    @on(Read)
    def _take(self, event: Read) -> None:
        if self.subject is None:
            return
        chain = event.chain
        thread = [session.id for session in self.subject.conversation.sessions]
        rows = twigs(chain, thread)
        own = [place for place, twig in enumerate(rows) if twig.own]
        self.query_one("#resume", StatusLine).left = resume_pieces(chain)
        self.tree_list.show(ListRows(rows), cursor=own[-1] if own else 0)
        self.remarks.show(partial(_remarks, chain))

    def action_open_session(self) -> None:
        """Open the conversation of the session under the cursor."""
        twig = self.tree_list.current
        if twig is None or self.subject is None:
            return
        if twig.own:
            self.toast("That is the conversation you are in.")
            return
        shell(self).open_conversation(self.subject.location, twig.node.session.id)

    def copy_text(self) -> str:
        """The id under the cursor."""
        twig = self.tree_list.current
        return twig.node.session.id if twig else ""


def resume_pieces(chain: Chain) -> tuple[Piece, ...]:
    """Where `hermes --resume` lands, and why."""
    sessions = format.plural(len(chain.nodes), "session")
    return (
        ("ink!", sessions),
        ("ink-muted", " · resume lands in "),
        ("severity-ok!", chain.resume_target),
        ("ink-muted", f" because {chain.resume_reason}" if chain.resume_reason else ""),
    )


def _remarks(chain: Chain, width: int, ink: Palette) -> list[Line]:
    if not chain.findings:
        return [Line().add("Nothing is odd about this family.", ink.style("ink-faint"))]
    style = ink.style("severity-warning")
    return [
        Line().preformatted(line, style)
        for words in chain.findings
        for line in wrap(clean(f"▲ {words}"), width)
    ]
