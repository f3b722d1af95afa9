"""What was done before a cut: acts that happened or failed, checks that passed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from core.compress.facts.collect import COMMITTED
from core.compress.facts.history import Outcome, acts_as_told, effect_of, is_acting
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import Call
from core.compress.facts.said import sentences
from core.compress.facts.topic import forms_of
from core.compress.retention.ground.accounts import Accounts
from core.compress.retention.ground.claim_words import CheckKind, ClaimedAct, claim_words

_MAIN = re.compile(r"[;:]\s+|,\s+(?:and|but|so|then)\s+")
_ADDS_ALL = re.compile(r"\bgit add (?:-a|--all|\.|\*)|\bcommit -\w*a")
"""A commit of everything, which names no file."""

_RUN = 2
"""How many words identify a command."""

_ENDED_WELL = re.compile(r"\bexit_code: 0\b|<returncode>0<|[Ee]xit code:? 0\b")
"""How tools say that a command succeeded, whatever errors it printed."""

_MANY_FILES = "*** Begin Patch"
"""How a patch begins that may change several files, of which a call's path is only the first."""

_SEVERAL = re.compile(r";\s*[\w~./]|\n\s*[\w~./]")
"""Several commands, of which the failure of one does not undo another."""

_CALL, _RESULT = 6000, 600
"""How many characters of a call's arguments and of its result show what it did, besides a commit's hash."""


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
        act: ClaimedAct,
        about: Sequence[str],
        of: Sequence[str] = (),
        *,
        to_file: bool = False,
        in_code: bool = False,
        files: Sequence[str] = (),
    ) -> bool:
        """Whether an act happened, to one of some things if any are named.

        Args:
            act: The act.
            about: The things, in lower case.
            of: Words of which a report of the act must use one.
            to_file: The call itself must name them; its result is no evidence, as with a file.
            in_code: Only touching files or running a command counts, not an issue that mentions the act.
            files: Those things that are files: a call that edits another file did nothing to them.
        """
        if act.tried and any(map(self._is_command, about)):
            return True
        did, enough = re.compile(act.file if to_file else act.did), all if act.into_file else any

        def fits(text: str) -> bool:
            everything = act.whole and bool(files) and _ADDS_ALL.search(text) is not None
            named = not about or everything or enough(thing in text for thing in about)
            return named and did.search(text) is not None

        counted = (
            (call, result)
            for one, call, result in self._acting
            if _can_have_done(one, act, files) and not (in_code and _is_talk(one.call, about))
        )
        if any(fits(call if to_file else f"{call} {result}") for call, result in counted):
            return True
        if act.proof and any(_proves(one.text.lower(), act, about) for one in self._outcomes):
            return True
        told = (clause for clause in self._clauses(fits) if _is_so(clause) or _is_so(_up_to(did, clause)))
        return any(not of or any(word in clause for word in of) for clause in told)

    def _clauses(self, fits: Callable[[str], bool]) -> Iterator[str]:
        """The clauses that somebody said of which something holds, as of their sentences and texts."""
        texts = (text for _, text in self._accounts.spoken if fits(text))
        statements = (one for text in texts for one in sentences(text) if fits(one))
        return (part for statement in statements for part in _MAIN.split(statement) if fits(part))

    def _is_command(self, thing: str) -> bool:
        """Whether it is a command of several words that was run, though it may have changed nothing."""
        return " " in thing and any(thing in _slashed(one.call.command or "") for one in self._outcomes)

    def failed(self, words: Sequence[str]) -> bool:
        """Whether every command that matches most of some words failed."""
        shares = [(_told(outcome, words), outcome) for outcome in self._outcomes if outcome.call.command]
        most = max((share for share, _ in shares), default=0)
        known = most >= _RUN and 3 * most >= 2 * len(words)
        return known and all(one.error for share, one in shares if share == most)

    def went_well(self, pattern: str) -> bool:
        """Whether commands did something and all of them ended well, and nobody says that one was refused."""
        did, refused = re.compile(pattern), claim_words().refused
        runs = [one for one in self._outcomes if did.search((one.call.command or "").lower())]
        told = (one for _, text in self._accounts.spoken if did.search(text) for one in sentences(text))
        said = any(refused.search(one) and did.search(one) for one in told)
        return bool(runs) and not said and all(one.result is not None and not one.error for one in runs)

    def settled(self, pattern: str) -> bool:
        """Whether an act on the whole work came after the last edit, or nothing was edited."""
        did = re.compile(pattern)
        edited = max((outcome.at for outcome in self._outcomes if _edits(outcome)), default=-1)
        acts = (one for one in self._outcomes if one.at > edited and one.call.command and not one.error)
        done = any(did.search(act.call.command.lower()) for act in acts if act.call.command)
        return (
            edited < 0 or done or any(at > edited and did.search(text) for at, text in self._accounts.spoken)
        )

    def passed(self, kind: CheckKind | None, *, at_last: bool) -> bool:
        """Whether a test, lint or build passed or somebody said so, which is needed if none ran.

        Args:
            kind: The kind of check; None for any.
            at_last: Only the newest run counts.
        """
        runs = self.runs(kind)
        if not runs:
            return self._reported_after(-1, kind)
        counted = runs[-1:] if at_last else runs
        return any(not one.error for one in counted) or self._reported_after(counted[-1].at, None)

    def failure(self, kind: CheckKind | None) -> tuple[int, str] | None:
        """The last run of a kind of check (or of any) if it failed: index of its result, and its error."""
        failed = [run for run in self.runs(kind)[-1:] if run.error]
        return next(((one.result or one.at, one.error or "") for one in failed), None)

    def runs(self, kind: CheckKind | None) -> list[Outcome]:
        """The commands that ran a kind of check, or any check."""
        ran = kind.ran if kind else claim_words().ran
        commands = ((one, one.call.command.lower()) for one in self._outcomes if one.call.command)
        return [one for one, text in commands if ran.search(text) and is_acting(one.call)]

    def _reported_after(self, at: int, kind: CheckKind | None) -> bool:
        """Whether somebody said after a message that a check passed; one of a kind must be named."""
        report, calling = claim_words().told, {outcome.at for outcome in self._outcomes}
        texts = [
            text
            for place, text in self._accounts.spoken
            if place < 0 or (place > at and place not in calling)
        ]
        statements = (sentence for text in texts if report.search(text) for sentence in sentences(text))
        so = (statement for statement in statements if report.search(statement) and _is_so(statement))
        return any(kind is None or kind.pattern.search(one) for one in so)

    @cached_property
    def _acting(self) -> list[tuple[Outcome, str, str]]:
        """Calls that change something, each with its result, as `_slashed`."""
        ended = (one for one in self._outcomes if is_acting(one.call) or acts_as_told(one.call))
        return [
            (
                one,
                _slashed(f"{one.call.name} {one.call.target} {one.call.strings[:_CALL]}"),
                _slashed(f"{one.text[:_RESULT]} {' '.join(COMMITTED.findall(one.text))}"),
            )
            for one in ended
        ]


def _slashed(text: str) -> str:
    """A text in lower case, with the paths of any system as claims name them."""
    return text.lower().replace("\\", "/")


def _can_have_done(one: Outcome, act: ClaimedAct, files: Sequence[str]) -> bool:
    """Whether a call ended well enough for an act, and did not edit another file."""
    path = "" if _MANY_FILES in one.call.strings else _slashed(one.call.path or "")
    if (files and path and not any(file in path for file in files)) or (act.outside and _edits(one)):
        return False
    ended_well = not one.error or _ENDED_WELL.search(one.text) or _SEVERAL.search(one.call.command or "")
    return act.tried or bool(ended_well)


def _is_talk(call: Call, about: Sequence[str]) -> bool:
    """Whether a call neither runs a command nor touches a file nor is itself what a claim is about."""
    return not (call.command or call.path or call.name.lower() in about)


def _proves(result: str, act: ClaimedAct, about: Sequence[str]) -> bool:
    """Whether a result shows that an act was done, whatever failed after it."""
    return re.search(act.proof, result) is not None and (not about or any(one in result for one in about))


def _told(one: Outcome, words: Sequence[str]) -> int:
    text = f"{one.call.command} {one.call.strings}".lower()
    return sum(any(form in text for form in forms_of(word)) for word in words)


def _edits(one: Outcome) -> bool:
    return not one.error and one.call.path is not None and effect_of(one.call.name) in ("wrote", "changed")


def _up_to(act: re.Pattern[str], sentence: str) -> str:
    """A sentence up to the comma after an act, as the consequences may be described differently."""
    found = act.search(sentence)
    return (
        sentence[: sentence.find(", ", found.end())]
        if found and ", " in sentence[found.end() :]
        else sentence
    )


def _is_so(sentence: str) -> bool:
    """Whether a sentence states a fact, and does not announce, ask or deny."""
    words = claim_words()
    unreal = words.unreal.of(())  # messages quote texts in any language
    return not any(pattern.search(sentence) for pattern in (lexicon().intent, unreal, words.proposed))
