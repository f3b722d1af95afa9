"""From a view of a generation to its engines."""

from __future__ import annotations

from functools import partial

from inspector.base.app_protocol import shell
from inspector.screens.workspace.views import GenerationView, use_engine


def open_engines(view: GenerationView, focus: str | None = None) -> None:
    """Run every engine over the generation in view; the one chosen cuts it for every view."""
    from inspector.screens.workspace.engines.screen import EnginesScreen, Middle

    subject, generation = view.subject, view.generation
    if subject is None or generation is None or not generation.row_ids:
        view.toast("No messages here, so there is nothing to compress.", "warning")
        return
    middle = Middle(
        subject.location,
        generation,
        subject.conversation.name,
        supposed=view.cursor.supposed,
        focus=focus,
        chosen=view.cursor.engine,
        python=shell(view).hermes_python,
    )
    view.app.push_screen(EnginesScreen(middle, partial(use_engine, view)))
