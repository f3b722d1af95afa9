"""The sizes of a conversation's requests as a chart shows them."""

from __future__ import annotations

from core.explain.explanation import Explanation
from inspector.widgets.charts.curve_chart import Mark, RequestCurve
from inspector.widgets.charts.stack import prompt_layers


def request_curve(explanation: Explanation) -> RequestCurve:
    """The same curve as the Why tab draws."""
    from inspector.screens.workspace.why.curve import asides, caption, curve_of, ends
    from inspector.screens.workspace.why.list_view import mark_token

    curve = curve_of(explanation)
    samples = curve.samples
    marks = zip(curve.marks, explanation.events, strict=True)
    return RequestCurve(
        tuple(one.tokens for one in samples),
        prompt_layers([(one.tokens, one.cached, one.written) for one in samples]),
        curve.threshold,
        tuple(Mark(after, mark_token(one)) for after, one in marks),
        asides(curve),
        caption(curve),
        ends(curve),
    )
