"""Where does it come from, what grew out of it, and where does resume land?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.explain.headline.conversation import chain_headline
from core.model.transcript.conversation import Chain
from core.store.store import Store
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.figure_origins import FigureQuestion
from inspector.base.workers import ask_store
from inspector.screens.workspace.chain.card import card_lines
from inspector.screens.workspace.chain.list_view import ChainList, Twig, twigs
from inspector.screens.workspace.usage.bars import STACKED
from inspector.screens.workspace.usage.card import spending
from inspector.screens.workspace.usage.days import BUCKETS
from inspector.screens.workspace.views import FigureView, Subject
from inspector.screens.workspace.why.curve import request_curve
from inspector.terminal import formatting as fmt
from inspector.widgets.bars.answer_bar import AnswerBar
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.charts.day_bars import DayBars
from inspector.widgets.charts.stack import Layer
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows
from inspector.widgets.panes.text_pane import TextPane


class ChainView(FigureView):
    """The family tree of the conversation."""

    BINDINGS = bindings("chain")
    DEFAULT_CSS = """
    ChainView #family { height: 1fr; }
    ChainView ChainList { height: auto; min-height: 3; max-height: 60%; padding: 0 1; }
    ChainView DayBars, ChainView CurveChart { display: none; height: 16; max-height: 40%; margin: 1 1 0 1; }
    ChainView #card { height: 1fr; padding: 0 1; border-top: solid $rule; }
    """

    tree_list = getters.query_one(ChainList)
    card = getters.query_one("#card", TextPane)

    def __init__(self) -> None:
        super().__init__()
        self._chain: Chain | None = None
        self._twigs: Sequence[Twig] = ()

    def compose(self) -> ComposeResult:
        """The answer, the tree, the session under the cursor."""
        yield AnswerBar()
        with Container(id="family"):
            yield ChainList(empty="Reading the family …")
            yield TextPane(id="card")
        yield DayBars()
        yield CurveChart()

    def watch_subject(self, subject: Subject | None) -> None:
        """Read the family anew."""
        if subject is not None:
            read = partial(_family, subject.conversation.tip.id)
            ask_store(self, "chain", subject.location, read, self._take)

    def on_resize(self) -> None:
        """A terminal that grew may have room for the curve."""
        self._ask_curve()

    def _ask_curve(self) -> None:
        """A session alone has none to be compared with: its requests show where its generations begin."""
        chart = self.query_one(CurveChart)
        if self.subject is not None and chart.display and not chart.values:
            read = partial(explain, session_id=self.subject.conversation.tip.id)
            ask_store(self, "curve", self.subject.location, read, self._draw_curve)

    def _draw_curve(self, found: Explanation) -> None:
        request_curve(found).show_on(self.query_one(CurveChart))

    def _take(self, found: tuple[Chain, Mapping[str, str]]) -> None:
        if self.subject is None:
            return
        chain, names = found
        again, before = self._chain is not None, self.tree_list.current
        self._chain = chain
        conversation = self.subject.conversation
        thread = [session.id for session in conversation.sessions]
        self._twigs = twigs(chain, thread, names, conversation.generations)
        own = [place for place, twig in enumerate(self._twigs) if twig.own and twig.generation is None]
        self.query_one(AnswerBar).answer = chain_headline(chain)
        self._draw_shares(chain)
        same = [place for place, twig in enumerate(self._twigs) if before and twig.same(before)]
        places = (same if again else own) or own
        self.tree_list.show(ListRows(self._twigs), cursor=places[-1] if places else 0, again=again)
        self._tell()

    def _draw_shares(self, chain: Chain) -> None:
        """What each session sent and got, side by side; of one alone there is nothing to compare."""
        bars, layers = self.query_one(DayBars), _layers(chain)
        several = len(chain.nodes) > 1
        bars.values = tuple(map(sum, zip(*(one.values for one in layers), strict=True))) if several else ()
        bars.made_of, bars.unit, bars.scale = layers, "sessions", lambda value: fmt.short(round(value))
        names = [
            f"{twig.name} · {fmt.short(twig.node.session.tokens.total)} tokens"
            for twig in self._twigs
            if twig.generation is None
        ]
        bars.told = names.__getitem__
        bars.first, bars.last = "the first", "the newest"
        bars.caption = f"tokens of {fmt.plural(len(chain.nodes), 'session')}"
        self.set_class(not several, "-alone")
        self.query_one(CurveChart).values = ()
        self.call_after_refresh(self._ask_curve)

    @on(RowList.Moved)
    def _tell(self, moved: RowList.Moved | None = None) -> None:
        twig = self.tree_list.current
        if twig is not None and self._chain is not None:
            self.query_one(DayBars).pointed = twig.place
            self.card.show(partial(card_lines, self._chain, twig, self._twigs), keep_place=moved is None)

    def action_scroll_card(self, step: int) -> None:
        """Scroll what is told of the session."""
        self.card.action_line(step)

    def action_open_session(self) -> None:
        """Open the conversation of the session under the cursor, or its generation in the map."""
        twig = self.tree_list.current
        if twig is None or self.subject is None:
            return
        if twig.generation is not None:
            self.move_to(generation=twig.generation.index)
            self.post_message(self.Wanted("map"))
        elif twig.own:
            self.toast("That is the conversation you are in.")
        else:
            shell(self).open_conversation(self.subject.location, twig.node.session.id)

    def figures(self) -> FigureQuestion | None:
        """Those of the session under the cursor."""
        twig = self.tree_list.current
        if twig is None or self.subject is None:
            return None
        return FigureQuestion(twig.name, spending(self.subject.location, twig.node.session.id, alone=True))

    def copy_text(self) -> str:
        """The id under the cursor."""
        twig = self.tree_list.current
        return twig.node.session.id if twig else ""


def _family(session: str, store: Store) -> tuple[Chain, Mapping[str, str]]:
    """The family of a session, and what to call each of it."""
    chain = store.chain(session)
    return chain, store.names([node.session.id for node in chain.nodes])


def _layers(chain: Chain) -> tuple[Layer, ...]:
    """The tokens of every session by bucket."""
    spent = [node.session.tokens for node in chain.nodes]
    return tuple(
        Layer(name, token, texture, tuple(float(getattr(one, BUCKETS[place]) or 0) for one in spent))
        for name, token, texture, place in STACKED
    )
