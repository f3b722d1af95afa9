"""What can be set in the user's `config.yaml`: one dataclass a section, one field a setting.

The metadata of a field says what it does; the documentation and `config show` are made from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal

_STRICT: Mapping[str, Any] = {"extra": "forbid"}
"""For pydantic: a key nobody knows is an error."""


def _says(text: str) -> dict[str, str]:
    return {"says": text}


@dataclass(frozen=True, slots=True)
class Homes:
    """Which sessions are opened when neither an option nor `$HERMES_HOME` says so."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    default: str | None = field(
        default=None, metadata=_says("The Hermes home to open; `--home` and `$HERMES_HOME` go before it.")
    )
    profile: str | None = field(
        default=None, metadata=_says("Its profile to open; all of them when not set.")
    )


@dataclass(frozen=True, slots=True)
class Alerts:
    """When `watch` and the follow screen speak up, and how."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    context: float | None = field(
        default=None, metadata=_says("Share of the context, above 0 and up to 1, that `watch` tells of.")
    )
    cache_break: Decimal | None = field(
        default=None, metadata=_says("US dollars one cache break costs from which you are called.")
    )
    bell: bool = field(default=True, metadata=_says("Ring the terminal's bell when you are called."))
    desktop: bool = field(
        default=False,
        metadata=_says("Show a notification on the desktop too; needs `hermes-inspector[notify]`."),
    )

    def __post_init__(self) -> None:
        """Hold share and price to their range."""
        if self.context is not None and not 0 < self.context <= 1:
            raise ValueError("context must be above 0 and at most 1")
        if self.cache_break is not None and not (self.cache_break.is_finite() and self.cache_break >= 0):
            raise ValueError("cache_break must be an amount of US dollars")


@dataclass(frozen=True, slots=True)
class Budgets:
    """What may be spent."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    today: Decimal | None = field(
        default=None, metadata=_says("US dollars of a day that `watch` tells of when they are passed.")
    )

    def __post_init__(self) -> None:
        """Hold the amount to what can be spent."""
        if self.today is not None and not (self.today.is_finite() and self.today >= 0):
            raise ValueError("today must be an amount of US dollars")


@dataclass(frozen=True, slots=True)
class Summariser:
    """Who writes the summary of `compress`, unless options say so. A model is asked only after you agreed."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    name: Literal["extractive", "faithful", "static", "anthropic", "openai"] = field(
        default="extractive",
        metadata=_says("Who writes it; `anthropic` and `openai` send the conversation to a model."),
    )
    model: str | None = field(default=None, metadata=_says("The model they ask."))
    provider: str | None = field(default=None, metadata=_says("Its provider, as Hermes names it."))
    base_url: str | None = field(default=None, metadata=_says("Its API, as `http://127.0.0.1:11434/v1`."))


@dataclass(frozen=True, slots=True)
class Privacy:
    """What may leave this machine."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    send: Literal["ask", "never"] = field(
        default="ask",
        metadata=_says(
            "`ask`: a conversation goes to a model on another machine after endpoint and price were named "
            "and you agreed. `never`: it does not, `--yes` or not; a plugin that is installed keeps what you "
            "agreed to then."
        ),
    )


ListColumn = Literal[
    "last", "conversation", "profile", "where", "model", "msgs", "context used", "requests",
    "uncached", "read", "write", "output", "tokens", "hit", "cost", "compressions",
]  # fmt: skip
"""The columns of the session list, by their titles."""


@dataclass(frozen=True, slots=True)
class Formats:
    """How amounts and times are written on screen and in lines for people; JSON stays as it is."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    money: Literal["short", "cents", "exact"] = field(
        default="short",
        metadata=_says("`short`: `$14.02` and `$0.0042`; `cents`: two digits always; `exact`: four."),
    )
    time: Literal["24h", "12h"] = field(default="24h", metadata=_says("`14:05` or `2:05pm`."))
    ages: Literal["ago", "clock"] = field(
        default="ago", metadata=_says("`3 h` ago in lists, or when it was: `14:05` today, else the date.")
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT
    theme: str = field(default="hermes-dark", metadata=_says("The theme the app starts with."))
    keys: dict[str, str | list[str]] = field(
        default_factory=dict,
        metadata=_says("Keys by the name of their command; those of `keys.yaml` go before them."),
    )
    columns: list[ListColumn] = field(
        default_factory=list,
        metadata=_says("Columns of the session list, by their titles; `c` goes on to as many as fit."),
    )
    windows: dict[str, int] = field(
        default_factory=dict,
        metadata=_says(
            "Context length by model, in tokens, where neither Hermes' `config.yaml`, cache nor log says one."
        ),
    )
    formats: Formats = field(default_factory=Formats)
    homes: Homes = field(default_factory=Homes)
    alerts: Alerts = field(default_factory=Alerts)
    budgets: Budgets = field(default_factory=Budgets)
    summariser: Summariser = field(default_factory=Summariser)
    privacy: Privacy = field(default_factory=Privacy)

    def __post_init__(self) -> None:
        """Hold windows to what a window can be."""
        if small := [model for model, tokens in self.windows.items() if tokens < 1]:
            raise ValueError(f"the window of {small[0]!r} must be a number of tokens")


def values(of: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Every setting of some settings: its path, its value, and what it does."""
    for one in fields(of):
        value, here = getattr(of, one.name), (*path, one.name)
        if is_dataclass(value):
            yield from values(value, here)
        else:
            yield here, value, one.metadata["says"]
