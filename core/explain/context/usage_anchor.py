"""The usage anchor that Hermes 0.22 stores with a session: the last counted prompt, tied to its messages."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from core.compress.sizing.estimate import message_size, total_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, ReadMessages, Wire, json_object

_KEY = "_usage_anchor"
_PRICED = ("role", "content", "api_content", "tool_call_id", "tool_calls")
_MAX_CACHED = 4
"""How many sessions are remembered, at some hundred bytes each."""


@dataclass(frozen=True, slots=True)
class UsageAnchor:
    """One stored anchor.

    Attributes:
        prompt, output: Tokens of the last response, as the provider counted them.
        rows: How many messages that prompt held.
        last_role, last_print, prefix_print: Role and fingerprints by which those messages are recognised.
    """

    prompt: int
    output: int
    rows: int
    last_role: str | None
    last_print: str
    prefix_print: str


def read_anchor(model_config: str | None) -> UsageAnchor | None:
    """The anchor in a `model_config` column; None when it is missing or malformed."""
    stored = (json_object(model_config) or {}).get(_KEY)
    if not isinstance(stored, Mapping):
        return None
    prompt, output, rows = (
        _count(stored, key) for key in ("prompt_tokens", "completion_tokens", "base_count")
    )
    last, prefix = (_text(stored, key) for key in ("base_last_fp", "base_prefix_fp"))
    if not prompt or not rows or output is None or not last or not prefix:
        return None
    return UsageAnchor(prompt, output, rows, _text(stored, "base_last_role"), last, prefix)


def _count(stored: Mapping[str, Any], key: str) -> int | None:
    value = stored.get(key)
    return value if type(value) is int and value >= 0 else None


def _text(stored: Mapping[str, Any], key: str) -> str | None:
    value = stored.get(key)
    return value if isinstance(value, str) else None


def anchored_tokens(model_config: str | None, messages: Sequence[Message], policy: Policy) -> int | None:
    """What Hermes would compare with the threshold next: the anchor plus an estimate of what came since.

    Hermes 0.22 adds prompt and output of the last response and its estimate of the messages after that
    prompt. The response itself is left out of the estimate, because the output counts it already. None when
    there is no anchor, or the transcript has changed since.
    """
    anchor = read_anchor(model_config)
    if anchor is None or not _Hashed().with_more(messages[: anchor.rows]).matches(anchor):
        return None
    return _with_what_came_since(anchor, messages[anchor.rows :], policy)


def anchored_rows(
    session: Hashable, model_config: str | None, rows: Sequence[int], read: ReadMessages, policy: Policy
) -> int | None:
    """The same, reading only as many messages as needed: of a list that grew, only the new ones.

    Hermes stores an anchor for each response, and each covers all messages: without this, following a
    session of 12,000 messages read all of them twice a second. `session` identifies it in the cache.
    """
    anchor = read_anchor(model_config)
    if anchor is None:
        return None
    priced = tuple(rows[: anchor.rows])
    for known in (_known.get(session, _Hashed()), _Hashed()):
        found = known.with_more(read(priced[known.count :]), priced) if known.begins(priced) else known
        if found.matches(anchor):
            _keep(session, found)
            return _with_what_came_since(anchor, read(rows[anchor.rows :]), policy)
    return None


def _with_what_came_since(anchor: UsageAnchor, since: Sequence[Message], policy: Policy) -> int:
    answered = bool(since) and since[0].role == "assistant"
    sizes = [message_size(message.wire, policy.estimate) for message in since[answered:]]
    return anchor.prompt + anchor.output + total_tokens(sizes, policy.estimate)


@dataclass(frozen=True, slots=True)
class _Hashed:
    """The fingerprint of the first messages of a list, computed as 0.22 does.

    Attributes:
        count: How many messages it covers.
        rows: Hash of their row ids.
        last: Role and fingerprint of the last one.
        digest: Running hash of all of them; None while empty.
    """

    count: int = 0
    rows: int = hash(())
    last: tuple[str | None, str] = (None, "")
    digest: Any = None

    def begins(self, rows: tuple[int, ...]) -> bool:
        """Whether a list of rows begins with these rows."""
        return hash(rows[: self.count]) == self.rows

    def with_more(self, messages: Sequence[Message], rows: tuple[int, ...] = ()) -> _Hashed:
        """This fingerprint extended by more messages; `rows` are the ids of all of them."""
        digest, last = self.digest.copy() if self.digest else sha256(b"["), self.last
        for place, message in enumerate(messages, self.count):
            last = message.role, _hash_of(message.wire)
            digest.update(("," if place else "").encode() + json.dumps(last, separators=(",", ":")).encode())
        return _Hashed(self.count + len(messages), hash(rows), last, digest)

    def matches(self, anchor: UsageAnchor) -> bool:
        """Whether these are the messages that an anchor was counted for."""
        whole = self.digest.copy() if self.digest else sha256()
        whole.update(b"]")
        ends = (self.count, *self.last, whole.hexdigest())
        return ends == (anchor.rows, anchor.last_role, anchor.last_print, anchor.prefix_print)


_known: OrderedDict[Hashable, _Hashed] = OrderedDict()


def _keep(session: Hashable, printed: _Hashed) -> None:
    _known.pop(session, None)
    _known[session] = printed
    while len(_known) > _MAX_CACHED:
        _known.popitem(last=False)


def _hash_of(wire: Wire) -> str:
    """A message's fingerprint as 0.22 computes it: of the fields a provider sees, in canonical JSON."""
    seen = {key: wire[key] for key in _PRICED if wire.get(key) is not None}
    return _digest(json.dumps(seen, sort_keys=True, default=str, separators=(",", ":")))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
