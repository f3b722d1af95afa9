"""The only place that formats numbers, money and times for people.

Unknown is `–`, never 0. `~` marks an estimate, `≥` a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Protocol

from core.support.own_files import own_setting

UNKNOWN = "–"
NOTHING = "nothing"
ESTIMATE = "~"
LOWER_BOUND = "≥"
NEAR_LIMIT = 0.85
"""Share of a threshold from which the next compaction counts as near."""
_CENT = Decimal("0.01")
_ABSURD = Decimal(10) ** 20
"""Amounts from this on are not written out; rounding them to cents would fail."""
_MOST_RUNS = 8
"""How many runs of neighbouring row ids are named."""
_STEPS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "K"))


class Costs(Protocol):
    """A sum of costs, and how many costs in it are unknown."""

    @property
    def usd(self) -> Decimal | None:
        """US dollars; None if none is known."""

    @property
    def missing(self) -> int:
        """How many costs are not in the sum."""


def count(value: int | None, *, mark: str = "") -> str:
    """A whole number in full: `54,828`; `mark` is `~` or `≥` or nothing."""
    return UNKNOWN if value is None else f"{mark}{value:,}"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 message`, `1,240 messages`; `many` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def message_rows(rows: Iterable[int], most: int = _MOST_RUNS) -> str:
    """Row ids in words: `message 3`, `messages 3-7, 12, 30-40 and 6 more`; "" without any.

    Args:
        rows: The ids, in any order.
        most: How many runs of neighbouring ids are named; the rest is counted.
    """
    ids = sorted(set(rows))
    if len(ids) < 2:
        return "".join(f"message {one}" for one in ids)
    runs: list[list[int]] = []
    for one in ids:
        if runs and one == runs[-1][-1] + 1:
            runs[-1][1:] = [one]
        else:
            runs.append([one])
    shown = ", ".join("-".join(map(str, run)) for run in runs[:most])
    rest = sum(run[-1] - run[0] + 1 for run in runs[most:])
    return f"messages {shown}" + (f" and {rest:,} more" if rest else "")


def short(value: int | None, *, mark: str = "") -> str:
    """A whole number in at most five characters, a sign aside: `940`, `54.8K`, `412K`, `1.9M`."""
    if value is None:
        return UNKNOWN
    sign, size = ("-" if value < 0 else ""), abs(value)
    for step, letter in _STEPS:
        # 999,950 would round to "1000.0K": it belongs to the next step.
        if size >= step * 0.9995:
            scaled = size / step
            return f"{mark}{sign}{scaled:.{0 if scaled >= 99.95 else 1}f}{letter}"
    return f"{mark}{sign}{size}"


def round_number(value: int | None) -> str:
    """Like `short`, without a fraction of zero: `150K`, `54.4K`, `200K`, `64K`."""
    return short(value).replace(".0", "")


def limit(threshold: int, window: int | None) -> str:
    """A threshold for display: `150K limit (0.75 of 200K)`."""
    share = f" ({threshold / window:.2f} of {round_number(window)})" if window else ""
    return f"{round_number(threshold)} limit{share}"


def tokens(value: int | None, *, lower_bound: bool = False, whole: bool = False) -> str:
    """Tokens, abbreviated unless `whole`; a lower bound of 0 says nothing, so it counts as unknown."""
    if lower_bound and not value:
        return UNKNOWN
    return (count if whole else short)(value, mark=LOWER_BOUND if lower_bound else "")


def money(usd: Decimal | None, *, mark: str = "", own: bool = False) -> str:
    """US dollars: `$14.02`, `$0.0042`, `$1,235`, `$0` only for a true zero; `formats.money` changes that.

    Args:
        usd: The amount.
        mark: `~`, which nothing does not carry, or `≥`.
        own: Whether it was a local server, for which no amount means nothing rather than unknown.
    """
    if usd is None:
        return NOTHING if own else UNKNOWN
    mark = "" if mark == ESTIMATE and not usd else mark
    return f"{mark}{'-' if usd < 0 else ''}${_amount(abs(usd))}"


def _amount(amount: Decimal) -> str:
    if not amount:
        return "0"
    if not amount.is_finite() or amount >= _ABSURD:
        return f"{amount:.2e}"
    shape = own_setting("formats", "money")
    if shape == "exact":
        return f"{amount.quantize(Decimal('0.0001'), ROUND_HALF_UP):,}"
    if amount >= 1000 and shape != "cents":
        return f"{amount.quantize(Decimal(1), ROUND_HALF_UP):,}"
    if amount >= Decimal("0.095") or shape == "cents":
        return f"{amount.quantize(Decimal('0.01'), ROUND_HALF_UP):,}"
    # Two significant digits: $0.0042 is informative where $0.00 is not.
    step = Decimal(1).scaleb(amount.adjusted() - 1)
    return f"{amount.quantize(step, ROUND_HALF_UP):f}"


def money_a_call(usd: Decimal | None, *, mark: str = "") -> str:
    """What each call costs or saves, told of a thousand calls where it is less than a cent."""
    if usd is not None and 0 < abs(usd) < _CENT:
        return f"{money(usd * 1000, mark=mark)} in 1,000 calls"
    return f"{money(usd, mark=mark)} a call"


def sum_of_money(value: Costs, *, lower_bound: bool = False, own: bool = False) -> str:
    """A sum of costs, marked as a lower bound if a price is missing or usage was not recorded."""
    return money(value.usd, mark=LOWER_BOUND if value.missing or lower_bound else "", own=own)


def percent(share: float | None, *, mark: str = "") -> str:
    """A share as whole percent, `91%`; only none and all are shown as 0% and 100%."""
    if share is None:
        return UNKNOWN
    if 0 < share < 0.01:
        return f"{mark}<1%"
    return f"{mark}>99%" if 0.99 < share < 1 else f"{mark}{share * 100:.0f}%"


def duration(seconds: float) -> str:
    """A time span in its two largest units: `0.3s`, `4m 10s`, `2h 05m`, `3d 4h`."""
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    total = round(seconds)
    if total < 60:
        return f"{total}s"
    if total < 3_600:
        return f"{total // 60}m {total % 60:02d}s"
    if total < 86_400:
        return f"{total // 3_600}h {total % 3_600 // 60:02d}m"
    return f"{total // 86_400}d {total % 86_400 // 3_600}h"


def age(moment: datetime | None, now: datetime) -> str:
    """How long ago a moment was, in at most seven characters: `now`, `2 min`, `3 h`, `5 d`, then the date.

    With `formats.ages: clock` it is the time instead: the time of day for today, the date otherwise.
    """
    if moment is None:
        return UNKNOWN
    if own_setting("formats", "ages") == "clock":
        today = moment.astimezone().date() == now.astimezone().date()
        return clock(moment, seconds=False) if today else date(moment, now)
    past = now - moment
    if past < timedelta(minutes=1):
        return "now"
    if past < timedelta(hours=1):
        return f"{int(past.total_seconds() // 60)} min"
    if past < timedelta(days=1):
        return f"{int(past.total_seconds() // 3600)} h"
    if past < timedelta(days=7):
        return f"{past.days} d"
    return date(moment, now)


def date(moment: datetime, now: datetime) -> str:
    """A day in local time: `Nov 12` this year, `2024-11` earlier."""
    local = moment.astimezone()
    return f"{local:%b} {local.day:2d}" if local.year == now.astimezone().year else f"{local:%Y-%m}"


def clock(moment: datetime | None, *, seconds: bool = True) -> str:
    """The time of day in local time: `14:05:08`, or `2:05:08pm` if `formats.time` is `12h`."""
    return UNKNOWN if moment is None else _clock(moment.astimezone(), ":%S" if seconds else "")


def _clock(local: datetime, seconds: str = "") -> str:
    if own_setting("formats", "time") == "12h":
        return f"{local.hour % 12 or 12}{local:{f':%M{seconds}'}}{'am' if local.hour < 12 else 'pm'}"
    return f"{local:{f'%H:%M{seconds}'}}"


def day(value: datetime) -> str:
    """A day in local time: `2026-11-12`."""
    return f"{value.astimezone():%Y-%m-%d}"


def moment(value: datetime | None, *, seconds: bool = True) -> str:
    """A date and time in local time: `2026-11-12 14:05:08`."""
    return UNKNOWN if value is None else f"{day(value)} {clock(value, seconds=seconds)}"


def moment_cells() -> int:
    """The most cells that a date and time take without seconds."""
    return 18 if own_setting("formats", "time") == "12h" else 16


def day_and_clock(value: datetime) -> str:
    """A recent date and time in local time, without the year: `11-12 14:05`."""
    return f"{value.astimezone():%m-%d} {clock(value, seconds=False)}"


def apart(values: Sequence[datetime | None]) -> list[str]:
    """What tells several moments apart: `at 14:05`, with day or seconds where needed; "" for a lone one."""
    local = [value.astimezone() for value in values if value is not None]
    minutes = Counter(f"{one:%m-%d %H:%M}" for one in local)
    several_days = len({one.date() for one in local}) > 1

    def told(one: datetime) -> str:
        on = f"on {one:%m-%d} " if several_days else ""
        return f"{on}at {clock(one, seconds=minutes[f'{one:%m-%d %H:%M}'] > 1)}"

    return ["" if one is None or len(values) < 2 else told(one.astimezone()) for one in values]


def span(start: datetime, end: datetime) -> str:
    """A time span in local time; the day is named once if both ends share it."""
    return " – ".join(ends(start, end))


def ends(start: datetime, end: datetime) -> tuple[str, str]:
    """Both ends of a time span in local time; on the same day the second is only a time."""
    first, last = start.astimezone(), end.astimezone()
    day = "" if first.date() == last.date() else f"{last:%Y-%m-%d} "
    return f"{first:%Y-%m-%d} {_clock(first)}", f"{day}{_clock(last)}"


def model(name: str | None) -> str:
    """A model name for a list, without its maker: `opus-4-5`."""
    return (name or UNKNOWN).rpartition("/")[2].removeprefix("claude-")


def utc_now() -> datetime:
    """The current time; views call this so that a test can freeze it."""
    return datetime.now(UTC)
