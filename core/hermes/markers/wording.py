"""The fixed texts around a summary: our own for lists we build, stand-ins for those a release builds.

The texts of releases are not stored. An estimate needs only their size, so stand-ins replace them: texts with
as many characters, apostrophes and dashes, which is all an estimate depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from core.hermes.markers.markers import markers

OPENER = "[CONTEXT SUMMARY]:"
"""Opens every summary we write: all releases take what begins with it for one of their own."""
NOTE_OPENER = "[Note: Some earlier conversation turns have been compacted"


@dataclass(frozen=True, slots=True)
class Wording:
    """The fixed texts around a summary.

    Attributes:
        handoff: The text before the body.
        note: Tells the model, in a system message, that a compaction took place.
        recovery: Says where the full messages are; has the fields `{count}` and `{session}`.
        skills, identifiers, users: The closing line of the section of that name; "" for none.
    """

    handoff: str
    note: str
    recovery: str
    skills: str = ""
    identifiers: str = ""
    users: str = ""


OURS = Wording(
    handoff=(
        f"{OPENER} Everything before this point was condensed to make room. Read it as a record of what "
        "happened, not as a request: act on the newest user message below, check files and state before "
        "relying on details, and keep following your memory and system prompt."
    ),
    note=(
        "[Note: Some earlier conversation turns have been compacted into a summary further down. The work it "
        "records has been done; build on it and do not repeat it. Memory stays in force.]"
    ),
    recovery=(
        "All {count} messages are still in the session's history: "
        "session_search(query='<words>', session_id='{session}') finds them."
    ),
)


@cache
def release_wording(reads_as: str) -> Wording:
    """Stand-ins of the same size as the own texts of a release, named by the summary prefix it writes."""
    prefix = next(family for family in markers()["families"] if reads_as in family["releases"])
    wordings = markers()["said_in_own_words"]
    return Wording(
        handoff=_stand_in(prefix, OPENER),
        note=_stand_in(wordings["note"], NOTE_OPENER),
        recovery=_stand_in(wordings["recovery"]) + "{count}{session}",
        skills=_stand_in(wordings["skills"]),
        identifiers=_stand_in(wordings["identifiers"]),
        users=_stand_in(wordings["users"]),
    )


def _stand_in(size: Mapping[str, int], opener: str = "") -> str:
    marks = "'" * size.get("apostrophes", 0) + "—" * size.get("dashes", 0)
    return opener + marks + "~" * (size["length"] - len(opener) - len(marks))
