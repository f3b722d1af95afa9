"""The settings of the user's `config.yaml`: one dataclass per section, one field per setting.

The metadata of a field describes it; the documentation and `config show` are made from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal

_STRICT: Mapping[str, Any] = {"extra": "forbid"}
"""For pydantic: unknown keys are errors."""


def _says(text: str) -> dict[str, str]:
    return {"says": text}


@dataclass(frozen=True, slots=True)
class Homes:
    """Which sessions to open when no option and no `$HERMES_HOME` says so."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    default: str | None = field(
        default=None, metadata=_says("The Hermes home to open; `--home` and `$HERMES_HOME` override it.")
    )
    profile: str | None = field(
        default=None, metadata=_says("The profile of that home to open; all of them if not set.")
    )


@dataclass(frozen=True, slots=True)
class Alerts:
    """When `watch` and the follow screen alert you, and how."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    context: float | None = field(
        default=None, metadata=_says("`watch` alerts you at this share of the context, above 0 and up to 1.")
    )
    cache_break: Decimal | None = field(
        default=None, metadata=_says("Alert when one cache break costs at least this many US dollars.")
    )
    bell: bool = field(default=True, metadata=_says("Alert with the terminal's bell."))
    desktop: bool = field(
        default=False,
        metadata=_says("Alert with a desktop notification too; needs `hermes-inspector[notify]`."),
    )

    def __post_init__(self) -> None:
        """Check the ranges of share and price."""
        if self.context is not None and not 0 < self.context <= 1:
            raise ValueError("context must be above 0 and at most 1")
        if self.cache_break is not None and not (self.cache_break.is_finite() and self.cache_break >= 0):
            raise ValueError("cache_break must be an amount of US dollars")


@dataclass(frozen=True, slots=True)
class Budgets:
    """What may be spent."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    today: Decimal | None = field(
        default=None, metadata=_says("`watch` alerts you when a day costs more than this many US dollars.")
    )

    def __post_init__(self) -> None:
        """Check that the amount can be spent."""
        if self.today is not None and not (self.today.is_finite() and self.today >= 0):
            raise ValueError("today must be an amount of US dollars")


@dataclass(frozen=True, slots=True)
class Summariser:
    """Who writes the summary of `compress` if no option says so. A model is asked only after you agree."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    name: Literal["extractive", "faithful", "static", "anthropic", "openai"] = field(
        default="extractive",
        metadata=_says("Who writes it; `anthropic` and `openai` send the conversation to a model."),
    )
    model: str | None = field(default=None, metadata=_says("The model to ask."))
    provider: str | None = field(default=None, metadata=_says("Its provider, as Hermes names it."))
    base_url: str | None = field(default=None, metadata=_says("Its API: `http://127.0.0.1:11434/v1`."))


@dataclass(frozen=True, slots=True)
class Privacy:
    """What may leave this machine."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    send: Literal["ask", "never"] = field(
        default="ask",
        metadata=_says(
            "`ask`: a conversation is sent to a model on another machine only after you saw endpoint and "
            "price and agreed. `never`: it is not sent, not even with `--yes`; an installed plugin keeps "
            "the consent you gave when you installed it."
        ),
    )


ListColumn = Literal[
    "last", "conversation", "profile", "where", "model", "msgs", "context used", "requests",
    "uncached", "read", "write", "output", "tokens", "hit", "cost", "compressions",
]  # fmt: skip
"""The columns of the session list, by title."""


@dataclass(frozen=True, slots=True)
class Formats:
    """How amounts and times are written for people; JSON is not affected."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    money: Literal["short", "cents", "exact"] = field(
        default="short",
        metadata=_says("`short`: `$14.02` and `$0.0042`; `cents`: always two decimals; `exact`: four."),
    )
    time: Literal["24h", "12h"] = field(default="24h", metadata=_says("`14:05` or `2:05pm`."))
    ages: Literal["ago", "clock"] = field(
        default="ago", metadata=_says("In lists: how long ago, `3 h`, or when: `14:05` today, else the date.")
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    theme: str = field(default="hermes-dark", metadata=_says("The theme the app starts with."))
    keys: dict[str, str | list[str]] = field(
        default_factory=dict,
        metadata=_says("Keys by command name; those in `keys.yaml` override them."),
    )
    columns: list[ListColumn] = field(
        default_factory=list,
        metadata=_says("Columns of the session list, by title; a key of the list shows as many as fit."),
    )
    windows: dict[str, int] = field(
        default_factory=dict,
        metadata=_says(
            "Context length by model, in tokens, if Hermes' `config.yaml`, cache and log do not say."
        ),
    )
    formats: Formats = field(default_factory=Formats)
    homes: Homes = field(default_factory=Homes)
    alerts: Alerts = field(default_factory=Alerts)
    budgets: Budgets = field(default_factory=Budgets)
    summariser: Summariser = field(default_factory=Summariser)
    privacy: Privacy = field(default_factory=Privacy)

    def __post_init__(self) -> None:
        """Check that every window is a possible one."""
        if small := [model for model, tokens in self.windows.items() if tokens < 1]:
            raise ValueError(f"the window of {small[0]!r} must be a number of tokens")


def values(of: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Every setting below some settings: its path, its value, and what it does."""
    for one in fields(of):
        value, here = getattr(of, one.name), (*path, one.name)
        if is_dataclass(value):
            yield from values(value, here)
        else:
            yield here, value, one.metadata["says"]
