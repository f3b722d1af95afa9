"""What was done before a cut: acts that happened or failed, checks that passed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from core.compress.facts.collect import sentences
from core.compress.facts.history import FileStory, Outcome, effect_of, is_acting, stories_of
from core.compress.facts.lexicon import lexicon
from core.compress.facts.topic import forms_of
from core.compress.retention.ground.accounts import Accounts
from core.compress.retention.ground.claim_words import CheckKind, ClaimedAct, claim_words

_MAIN = re.compile(r"[;:]\s+|,\s+(?:and|but|so|then)\s+")
_RUN = 2
"""Words by which a command is known."""

_HASH = 7
_TESTS = re.compile(r"(?i)(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)")
_DELEGATES = re.compile(r"(?i)^(?:task|agent|delegate\w*)$")
"""Calls that only tell another what to do."""

_CALL, _RESULT = 6000, 600
"""Characters of a call's arguments and of its result that tell what it did."""


class Acts:
    """Answers what calls did, and whether anybody says so.

    Args:
        ended: Every call of the middle with its outcome.
        accounts: What was said.
    """

    def __init__(self, ended: Sequence[Outcome], accounts: Accounts) -> None:
        self._outcomes, self._accounts = ended, accounts

    def happened(
        self,
        pattern: str,
        about: Sequence[str],
        of: Sequence[str] = (),
        *,
        by_call: bool = False,
        on_files: bool = False,
    ) -> bool:
        """Whether an act that matches happened, to one of some things when any are named.

        Args:
            pattern: Finds the act.
            about: The things, in lower case.
            of: Words one of which whoever tells of it must use too.
            by_call: A call must name them itself: that its result does tells nothing, as of a file.
            on_files: Only what touches files or runs a command does it; an issue that tells of it does not.
        """
        did = re.compile(pattern)

        def fits(text: str) -> bool:
            return (not about or any(thing in text for thing in about)) and did.search(text) is not None

        for one, call, result in self._done:
            counts = one.call.command or one.call.path or not on_files
            if counts and fits(call if by_call else f"{call} {result}"):
                return True
        spoken = (text for _, text in self._accounts.spoken if fits(text))
        said = (one for text in spoken for one in sentences(text) if fits(one))
        told = (part for one in said for part in _MAIN.split(one) if fits(part))
        return any(_is_so(one) and (not of or any(word in one for word in of)) for one in told)

    def touched(self, things: Sequence[str]) -> bool:
        """Whether a call that does something, and ended well, names one of some things or gives it back."""
        done = [(call, result) for one, call, result in self._done if not _DELEGATES.search(one.call.name)]
        return any(thing in call or thing in result for call, result in done for thing in things)

    def reported(self, things: Sequence[str], forms: Sequence[str]) -> bool:
        """Whether somebody tells as a fact what holds one of some things and one of some forms of a word."""
        near = (text for _, text in self._accounts.spoken if any(thing in text for thing in things))
        told = (one.lower() for text in near for one in sentences(text) if _is_so(one))
        return any(any(part in one for part in things) and any(map(one.__contains__, forms)) for one in told)

    def is_gone(self, path: str) -> bool:
        """Whether every file of that name was removed in the end."""
        end = f"/{path.removeprefix('./').lstrip('/')}"
        named = [story for story in self._stories.values() if f"/{story.path}".endswith(end)]
        return bool(named) and all(story.gone for story in named)

    @cached_property
    def _stories(self) -> dict[str, FileStory]:
        return stories_of(self._outcomes)

    def undone(self, pattern: str, about: Sequence[str]) -> bool:
        """Whether a call of that kind ended well for one of some things, in lower case."""
        did = re.compile(pattern)
        acts = (one for one in self._outcomes if is_acting(one.call) and one.result and not one.error)
        return any(
            did.search(f"{one.call.name} {one.call.command or ''}".lower())
            and any(thing in f"{one.call.target} {one.call.strings}".lower() for thing in about)
            for one in acts
        )

    def failed(self, words: Sequence[str]) -> bool:
        """Whether every command that tells most of some words failed."""
        shares = [(_told(one, words), one) for one in self._outcomes if one.call.command]
        most = max((share for share, _ in shares), default=0)
        known = most >= _RUN and 3 * most >= 2 * len(words)
        return known and all(one.error for share, one in shares if share == most)

    def settled(self, pattern: str) -> bool:
        """Whether an act on the work as a whole came behind the last edit, or nothing was edited."""
        did = re.compile(pattern)
        edited = max((one.at for one in self._outcomes if _edits(one)), default=-1)
        acts = (one for one in self._outcomes if one.at > edited and one.call.command and not one.error)
        done = any(did.search(one.call.command.lower()) for one in acts if one.call.command)
        return (
            edited < 0 or done or any(at > edited and did.search(text) for at, text in self._accounts.spoken)
        )

    def edits(self, *, of_tests: bool, since: int) -> list[int]:
        """The messages from one on that edit tests, or that edit anything else."""
        edits = (one for one in self._outcomes if one.at >= since and _edits(one))
        return [one.at for one in edits if bool(_TESTS.search(one.call.path or "")) is of_tests]

    def rows(self, act: ClaimedAct, about: Sequence[str]) -> list[int]:
        """The messages whose calls, by their name or their command, did a thing, and it went well."""
        did = re.compile(act.did)
        return [
            one.at
            for one, call, _ in self._done
            if did.search(f"{one.call.name} {one.call.command or ''}".lower())
            and (not about or any(thing in call for thing in about))
        ]

    def made(self, commit: str) -> list[Outcome]:
        """The commands that made a commit, by its hash."""
        start = re.compile(rf"^\[[^\]\n]* {re.escape(commit[:_HASH])}\w*\]", re.MULTILINE)
        return [one for one in self._outcomes if one.call.command and start.search(one.text)]

    def passed(self, kind: CheckKind | None, *, at_last: bool) -> bool:
        """Whether a test, lint or build ended well, or somebody said so; without any run it needs the word.

        Args:
            kind: The kind asked about; None takes any check.
            at_last: The newest one counts, and not any.
        """
        runs = self.runs(kind)
        if not runs:
            return self._told_after(-1, kind)
        counted = runs[-1:] if at_last else runs
        return any(not one.error for one in counted) or self._told_after(counted[-1].at, None)

    def runs(self, kind: CheckKind | None) -> list[Outcome]:
        """The commands that ran a kind of check, or any."""
        ran = kind.ran if kind else claim_words().ran
        commands = ((one, one.call.command.lower()) for one in self._outcomes if one.call.command)
        return [one for one, text in commands if ran.search(text) and is_acting(one.call)]

    def own_runs(self, kind: CheckKind) -> list[Outcome]:
        """The commands that ran a kind of check and no other."""
        kinds = claim_words().kinds
        some_tests = kind not in kinds
        others = [
            one.own for one in kinds if one is not kind and not (some_tests and one.says.search("tests"))
        ]
        runs = ((one, (one.call.command or "").lower()) for one in self.runs(kind))
        return [
            one for one, text in runs if kind.own.search(text) and not any(own.search(text) for own in others)
        ]

    def _told_after(self, at: int, kind: CheckKind | None) -> bool:
        """Whether somebody said behind a message that a check went well; of one kind, by its name."""
        told, calling = claim_words().told, {one.at for one in self._outcomes}
        said = [
            text
            for place, text in self._accounts.spoken
            if place < 0 or (place > at and place not in calling)
        ]
        spoken = (sentence for text in said if told.search(text) for sentence in sentences(text))
        so = (one for one in spoken if told.search(one) and not claim_words().proposed.search(one))
        return any(kind is None or kind.says.search(one) for one in so)

    @cached_property
    def _done(self) -> list[tuple[Outcome, str, str]]:
        """Calls that changed something and ended well, each with its result, in lower case."""
        ended = (one for one in self._outcomes if is_acting(one.call) and not one.error)
        return [
            (
                one,
                f"{one.call.name} {one.call.target} {one.call.strings[:_CALL]}".lower(),
                one.text[:_RESULT].lower(),
            )
            for one in ended
        ]


def _told(one: Outcome, words: Sequence[str]) -> int:
    text = f"{one.call.command} {one.call.strings}".lower()
    return sum(any(form in text for form in forms_of(word)) for word in words)


def _edits(one: Outcome) -> bool:
    return not one.error and one.call.path is not None and effect_of(one.call.name) in ("wrote", "changed")


def _is_so(sentence: str) -> bool:
    """Whether a sentence tells what is, and neither announces, asks nor denies."""
    words = claim_words()
    return not any(pattern.search(sentence) for pattern in (lexicon().intent, words.unreal, words.proposed))
