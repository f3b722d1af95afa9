"""How long a tool result, and all results of a turn, may be before they are replaced."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.hermes.policy.defence_rules import ResultRules

CHARS_PER_TOKEN = 4
MCP_PREFIX = "mcp_"


@dataclass(frozen=True, slots=True)
class ResultSizes:
    """The sizes in force, in characters.

    Attributes:
        result: Longest result of a tool without a size of its own.
        turn: Longest sum over one turn.
    """

    result: int
    turn: int
    rules: ResultRules

    def of(self, tool: str) -> float:
        """Longest result of one tool; infinite where it is never replaced on its own."""
        if tool in self.rules.unlimited:
            return math.inf
        if self.rules.mcp and tool.startswith(MCP_PREFIX):
            return min(self.rules.mcp, self.result)
        return self.result


def result_sizes(rules: ResultRules, window: int | None) -> ResultSizes:
    """The sizes for a window in tokens; releases before 0.18 take the same for every window."""
    if not rules.scaled or window is None or window <= 0:
        return ResultSizes(rules.size, rules.turn, rules)
    chars = window * CHARS_PER_TOKEN
    result = max(rules.size_floor, min(int(chars * rules.size_share), rules.size))
    turn = max(rules.turn_floor, min(int(chars * rules.turn_share), rules.turn))
    return ResultSizes(result, turn, rules)
