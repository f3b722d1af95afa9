"""Where does it come from, what came from it, and what does /resume open?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.explain.headline.chain import chain_headline
from core.explain.headline.rewritten import engine_of_family
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Chain
from core.store.store import Store
from core.support import formatting as fmt
from core.support.formatting import round_number
from inspector.base.app_protocol import FigureQuestion, shell
from inspector.base.commands import bindings
from inspector.base.workers import ask_store
from inspector.screens.workspace.chain.card import Beginning, card_lines
from inspector.screens.workspace.chain.list_view import ChainList, TreeLine, tree_lines
from inspector.screens.workspace.usage.bars import STACKED, spending
from inspector.screens.workspace.usage.days import BUCKETS
from inspector.screens.workspace.views import FigureView, Subject
from inspector.screens.workspace.why.curve import request_curve
from inspector.screens.workspace.why.reading import kept_by_summaries
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.charts.day_bars import DayBars
from inspector.widgets.charts.stack import Layer
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.text_pane import TextPane


class ChainView(FigureView):
    """The lineage of the conversation as a tree."""

    BINDINGS = bindings("chain")
    DEFAULT_CSS = """
    ChainView #family { height: 1fr; }
    ChainView #tree { height: auto; }
    ChainView ChainList { height: auto; min-height: 3; max-height: 50vh; padding: 0 1; }
    ChainView DayBars, ChainView CurveChart { display: none; height: 35vh; margin: 1 1 0 1; }
    ChainView #card { height: 1fr; padding: 0 1; border-top: solid $rule; }
    """

    tree_list = getters.query_one(ChainList)
    card = getters.query_one("#card", TextPane)

    def __init__(self) -> None:
        super().__init__()
        self._chain: Chain | None = None
        self._tree_lines: Sequence[TreeLine] = ()
        self._explanation: Explanation | None = None
        self._kept: dict[int, Retention | None] = {}
        """What each compaction kept, by the generation it ended."""

    def compose(self) -> ComposeResult:
        """The answer, the tree with a chart, a card about the session under the cursor."""
        yield AnswerBar()
        with Container(id="family"):
            yield Vertical(ChainList(empty="Reading the sessions …"), DayBars(), CurveChart(), id="tree")
            yield TextPane(id="card")

    def watch_subject(self, subject: Subject | None) -> None:
        """Read the lineage again."""
        if subject is not None:
            read = partial(_family, subject.conversation.tip.id)
            ask_store(self, "chain", subject.location, read, self._take)

    def _take_events(self, found: Explanation) -> None:
        self._explanation, self._kept = found, {}
        self.query_one(CurveChart).show(request_curve(found))
        self._tell()

    def _take(self, found: tuple[Chain, Mapping[str, str], str | None]) -> None:
        if self.subject is None:
            return
        chain, names, engine = found
        again = self._chain is not None
        self._chain = chain
        conversation = self.subject.conversation
        thread = [session.id for session in conversation.sessions]
        self._tree_lines = tree_lines(chain, thread, names, conversation.generations)
        cursor = self._place(self.tree_list.current if again else None)
        self.query_one(AnswerBar).answer = chain_headline(chain, engine)
        self._draw_shares(chain)
        self.set_class(len(chain.nodes) == 1 or len(conversation.generations) > 1, "-curve")
        if self.has_class("-curve"):
            read = partial(explain, session_id=conversation.tip.id, conversation=conversation)
            ask_store(self, "events", self.subject.location, read, self._take_events)
        self.tree_list.show(ListRows(self._tree_lines), cursor=cursor, again=again)
        self._tell()

    def _place(self, before: TreeLine | None) -> int:
        """Where the line is that was selected before, else the conversation's newest session."""
        lines = list(enumerate(self._tree_lines))
        same = [place for place, line in lines if before is not None and line.same(before)]
        own = [place for place, line in lines if line.own and line.generation is None]
        return (same or own or [0])[-1]

    def _draw_shares(self, chain: Chain) -> None:
        """Draw each session's tokens side by side; a compacted conversation shows its requests instead."""
        bars, layers = self.query_one(DayBars), _layers(chain)
        bars.values = tuple(map(sum, zip(*(layer.values for layer in layers), strict=True)))
        bars.made_of, bars.unit, bars.scale = layers, "sessions", lambda value: round_number(round(value))
        names = [
            f"{tree_line.name} · {fmt.short(tree_line.node.session.tokens.total)} tokens"
            for tree_line in self._tree_lines
            if tree_line.generation is None
        ]
        bars.format = names.__getitem__
        bars.first, bars.last = "first", "newest"
        bars.caption = f"tokens of {fmt.plural(len(chain.nodes), 'session')}"

    @on(RowList.Moved)
    def _tell(self, moved: RowList.Moved | None = None) -> None:
        tree_line = self.tree_list.current
        if tree_line is not None and self._chain is not None:
            self.query_one(DayBars).pointed = tree_line.place
            draw = partial(card_lines, self._chain, tree_line, self._tree_lines, self._begun(tree_line))
            self.card.show(draw, keep_place=moved is None)

    def _begun(self, tree_line: TreeLine) -> Beginning | None:
        """The compaction a line begins with; what it kept is read in a worker."""
        if self.subject is None or self._explanation is None:
            return None
        conversation, session = self.subject.conversation, tree_line.node.session.id
        first = (generation for generation in conversation.generations if generation.session_id == session)
        opened = tree_line.generation or next(first, None)
        place = 0 if opened is None else opened.index - 1
        event = next((one for one in self._explanation.events if place and one.generation == place), None)
        if event is None:
            return None
        if place not in self._kept:
            read = partial(kept_by_summaries, conversation, place, event)
            ask_store(self, "chain-kept", self.subject.location, read, self._take_kept)
        return Beginning(event, place in self._kept, self._kept.get(place))

    def _take_kept(self, found: dict[int, Retention | None]) -> None:
        self._kept.update(found)
        self._tell()

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.action_line(step)

    def action_open_session(self) -> None:
        """Open the conversation of the session under the cursor, or its generation on the map."""
        tree_line = self.tree_list.current
        if tree_line is None or self.subject is None:
            return
        if tree_line.generation is not None:
            self.move_to(generation=tree_line.generation.index)
            self.post_message(self.MapRequested())
        elif tree_line.own:
            self.toast("You are already in this conversation.")
        else:
            shell(self).open_conversation(self.subject.location, tree_line.node.session.id)

    def figures(self) -> FigureQuestion | None:
        """The figures of the session under the cursor."""
        tree_line = self.tree_list.current
        if tree_line is None or self.subject is None:
            return None
        return FigureQuestion(
            tree_line.name, spending(self.subject.location, tree_line.node.session.id, alone=True)
        )

    def copy_text(self) -> str:
        """The id under the cursor."""
        tree_line = self.tree_list.current
        return tree_line.node.session.id if tree_line else ""


def _family(session: str, store: Store) -> tuple[Chain, Mapping[str, str], str | None]:
    """The lineage of a session, the names of its sessions, and the engine that rewrote some of it."""
    chain = store.chain(session)
    names = store.names([node.session.id for node in chain.nodes])
    return chain, names, engine_of_family(store, chain)


def _layers(chain: Chain) -> tuple[Layer, ...]:
    """The tokens of every session by bucket."""
    spent = [node.session.tokens for node in chain.nodes]
    return tuple(
        Layer(name, token, texture, tuple(float(getattr(one, BUCKETS[place]) or 0) for one in spent))
        for name, token, texture, place in STACKED
    )
