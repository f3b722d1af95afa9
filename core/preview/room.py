"""Which compression settings would leave more to summarise, found by planning with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message

_LAST, _RATIO, _FIRST = (
    "compression.protect_last_n",
    "compression.target_ratio",
    "compression.protect_first_n",
)
_LOWER = {_LAST: ("protect_last", 0), _RATIO: ("target_ratio", 0.1), _FIRST: ("protect_first", 0)}
"""Keys of config.yaml with the field of the settings and the least worth trying."""
_TRIED = ((_LAST,), (_RATIO,), (_FIRST,), (_LAST, _RATIO), (_FIRST, _LAST, _RATIO))
_MORE = 0.1
"""Share of all tokens by which the middle must grow."""


def makes_room(messages: Sequence[Message], planned: Plan) -> str:
    """The settings to lower so that a compaction frees more, in words; "" if none would help.

    The first single ones that help are named, else those that help together.
    """
    measured = measure(messages, load_policy(planned.release))
    least = _freed(planned) + _MORE * sum(planned.estimates)

    def helps(keys: tuple[str, ...]) -> bool:
        lowered = replace(planned.settings, **dict(_LOWER[key] for key in keys))  # type: ignore[arg-type]
        return lowered != planned.settings and _freed(plan(measured, lowered)) >= least

    alone = [keys[0] for keys in _TRIED if len(keys) == 1 and helps(keys)]
    together = next((keys for keys in _TRIED if len(keys) > 1 and helps(keys)), ()) if not alone else ()
    return " or ".join(alone) or " and ".join(filter(None, (", ".join(together[:-1]), *together[-1:])))


def _freed(planned: Plan) -> int:
    """The tokens that would be summarised."""
    return planned.middle_tokens if planned.summarises else 0
