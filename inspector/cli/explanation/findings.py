"""Lists what is wrong, worst first: the numbers, how sure that is, and what helps.

With SESSION it checks that conversation; without, the databases and every conversation in them. A rule that
lacks its evidence says what is missing instead of guessing.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.model.finding import Finding, FindingGroup, Headline, NotKnown, Severity, certainty, groups_headline
from core.support.formatting import plural
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.payloads import values as jsonio
from inspector.terminal import waiting

if TYPE_CHECKING:
    from core.store.store import Store

NOTHING = "Nothing is wrong: no rule found anything."
MILD = "No rule found anything as severe as that."
MAX_OF_A_RULE = 10
"""Most findings of one rule that are printed; the JSON has all of them."""
MANY = 40
"""With more findings than this, those that are only good to know are printed without evidence."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `findings`."""
    add = parser.add_argument
    options.add_session_argument(parser, optional=True)
    add(
        "--severity",
        choices=[severity.value for severity in Severity],
        default=Severity.INFO.value,
        help="leave out anything milder (default: %(default)s)",
    )
    add("--limit", type=parsers.positive, metavar="N", help="show only the N worst findings (default: all)")
    options.add_shared_options(parser)
    options.add_fleet_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings."""
    from core.explain.diagnose.diagnose import worst_first

    titles: dict[str, str] = {}
    findings, unknown = _diagnose(args, titles)
    mildest = Severity(args.severity)
    whole = worst_first(findings)
    every = [finding for finding in whole if finding.severity.rank <= mildest.rank]
    found, milder = every[: args.limit], len(whole) - len(every)
    return output.show(args, lambda: _payload(found, unknown), lines(found, unknown, every, titles, milder))


def _payload(found: Iterable[Finding], unknown: Iterable[NotKnown]) -> dict[str, Any]:
    return {"findings": list(map(jsonio.finding, found)), "unknown": list(map(jsonio.not_known, unknown))}


def lines(
    found: Sequence[Finding],
    unknown: Iterable[NotKnown] = (),
    every: Sequence[Finding] = (),
    titles: Mapping[str, str] = {},
    milder: int = 0,
) -> Iterator[str]:
    """The findings as printed lines, then rules that lacked data, and how certain they are.

    `found` are the worst of `every`, besides which so many `milder` ones were not asked for. `titles` names
    sessions, and databases if there are several.
    """
    yield from entries(found, every, titles, milder)
    yield ""
    yield from map(output.muted, _not_known(unknown))
    yield from output.certainties(found)


def entries(
    found: Sequence[Finding],
    every: Sequence[Finding] = (),
    titles: Mapping[str, str] = {},
    milder: int = 0,
    margin: int = 0,
) -> Iterator[str]:
    """How many findings there are, then the findings by group.

    A finding that conversations share is printed once, and at most `MAX_OF_A_RULE` findings per rule; the
    caller will indent the lines by `margin`.
    """
    headline = groups_headline(every or found)
    yield from output.headline(headline if headline.sentence else Headline(MILD if milder else NOTHING))
    for group in FindingGroup:
        together = [one for one in found if one.group is group]
        if together:
            yield from ("", output.strong(f"{group.value} ({len(together):,})"))
            brief = group is FindingGroup.GOOD_TO_KNOW and len(found) > MANY
            yield from _together(together, titles, margin, brief=brief)
    if len(found) < len(every):
        yield from ("", output.muted(f"the worst {len(found):,} of {len(every):,}"))
    if milder:
        counted = plural(milder, "milder finding is", "milder findings are")
        yield from ("", output.muted(f"{counted} left out"))


def _together(
    found: Iterable[Finding], titles: Mapping[str, str], margin: int, *, brief: bool
) -> Iterator[str]:
    """The findings of one group, with evidence unless `brief`; neighbours share a remedy."""
    shared: dict[tuple[str, str, str], list[Finding]] = {}
    for one in found:
        shared.setdefault((one.rule, one.sentence, one.remedy), []).append(one)
    printed: Counter[str] = Counter()
    said = ""
    for alike in shared.values():
        printed[alike[0].rule] += 1
        if printed[alike[0].rule] <= MAX_OF_A_RULE:
            yield from _entry(alike, titles, alike[0].remedy if alike[0].remedy != said else "")
            if not brief:
                yield from output.evidence(alike[0].evidence, "  ", margin=margin)
            said = alike[0].remedy
    for rule, count in printed.items():
        if count > MAX_OF_A_RULE:
            yield f"and {count - MAX_OF_A_RULE:,} more of {rule} (--json names them)"


def _not_known(unknown: Iterable[NotKnown]) -> Iterator[str]:
    """Rules that lacked data, grouped by what was missing."""
    reasons: dict[str, dict[str, None]] = {}
    for one in unknown:
        reasons.setdefault(one.why, {})[f"{one.question} ({one.rule})"] = None
    for why, rules in reasons.items():
        yield f"not checked ({why}): {'; '.join(rules)}"


def _entry(alike: Sequence[Finding], titles: Mapping[str, str], helps: str) -> Iterator[str]:
    """One finding, which several conversations may share."""
    from inspector.terminal.glyphs import SEVERITY

    one, *others = alike
    where = "".join(f" · {name}" for name in (titles.get(one.session or ""), one.session) if name)
    where += f" and {len(others):,} more" if others and one.session else ""
    profiles = [titles[each.database] for each in alike if each.database in titles]
    where += f" · {'profiles' if len(profiles) > 1 else 'profile'} {', '.join(profiles)}" if profiles else ""
    yield output.tinted(f"{SEVERITY[one.severity]} {one.sentence}", one.severity)
    if helps:
        yield output.fix(helps, one.severity)
    yield output.muted(f"  {one.severity.value} {one.rule} {one.name} · {certainty(one)}{where}")


def _diagnose(args: argparse.Namespace, titles: dict[str, str]) -> tuple[list[Finding], list[NotKnown]]:
    from core.explain.diagnose.diagnose import diagnose, diagnose_store

    if args.session is not None:
        with target.session(args) as (store, session):
            one = diagnose(store, session.id)
        return list(one.findings), list(one.unknown)
    findings: list[Finding] = []
    unknown: list[NotKnown] = []

    def examine(store: Store) -> None:
        if len(opened) > 1:
            titles[str(store.location.db)] = store.location.label
        failed: dict[str, None] = {}
        found = list(_survey(store, failed, titles))
        whole = diagnose_store(store)
        for line in failed:  # each once, and only if the database as a whole was readable
            output.write_note(f"skipped: {line}")
        findings.extend((*whole.findings, *found))
        unknown.extend(whole.unknown)

    with target.stores(args) as opened:
        target.each(opened, examine)
    return findings, unknown


def _survey(store: Store, failed: dict[str, None], titles: dict[str, str]) -> Iterator[Finding]:
    """The findings of every conversation of a database, with progress on a terminal."""
    from core.explain.diagnose.survey.survey import survey

    count = 0
    worst: Finding | None = None

    def so_far() -> str:
        return f" · {plural(count, 'finding')}, worst {worst.rule} {worst.name}" if worst else ""

    looking, examining = (output.progress(what, so_far) for what in ("scanning message", "examining"))
    for one in survey(store, report=examining, scanned=looking):
        count += len(one.findings)
        known, worst = worst, min((*filter(None, [worst]), *one.findings), key=_rank, default=None)
        if worst is not known:  # the first may be found before the total is known
            waiting.say(f"examining{so_far()}")
        titles.update(
            (found.session, one.row.title) for found in one.findings if found.session and one.row.title
        )
        yield from one.findings
        if one.error is not None:
            failed[one.error.line] = None


def _rank(finding: Finding) -> int:
    return finding.severity.rank
