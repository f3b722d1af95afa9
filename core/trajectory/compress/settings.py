"""What a run is asked for: the budget, what is protected, by which release's rules."""

from __future__ import annotations

from dataclasses import dataclass

from core.hermes.policy.output_rules import TrajectoryRules
from core.hermes.policy.policy import load_policy, newest_release

ROLES = ("system", "human", "gpt", "tool")
"""The roles of a ShareGPT turn whose first appearance can be protected."""

NOTICE = "\n\nSome of your previous tool responses may be summarized to preserve context."
"""What the releases add to the system turn of a compressed trajectory; part of their output format."""

MARK = "[CONTEXT SUMMARY]:"
"""What the summary turn begins with."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a trajectory is cut; the defaults are those of every release.

    Attributes:
        release: A name `load_policy` knows.
        target: Tokens a trajectory may hold.
        summary_target: Tokens set aside for the summary.
        protected_roles: Roles whose first turn stays.
        protect_last: Turns at the end that stay.
        notice: Added to the system turns in front of a summary; "" adds nothing.
        attach_metrics: A compressed entry carries its metrics.
    """

    release: str = ""
    target: int = 15_250
    summary_target: int = 750
    protected_roles: tuple[str, ...] = ROLES
    protect_last: int = 4
    notice: str = NOTICE
    attach_metrics: bool = True

    @property
    def rules(self) -> TrajectoryRules:
        """The rules of the release; of the newest when none is named."""
        return load_policy(self.release or newest_release()).trajectory


def marked(summary: str) -> str:
    """A summary with its mark in front exactly once."""
    text = summary.strip()
    if text.startswith(MARK):
        return text
    return f"{MARK} {text}" if text else MARK
