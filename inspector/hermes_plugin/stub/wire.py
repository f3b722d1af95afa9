"""Conversations through a pipe: what JSON cannot hold stays here, and rows that stay are the caller's own."""

from __future__ import annotations

import json
from typing import Any

Rows = list[dict[str, Any]]
_MARK = "__hermes_inspector_kept__"


def packed(rows: Rows) -> tuple[Rows, list[Any]]:
    """The rows as JSON can hold them, and the values that were left out."""
    aside: list[Any] = []
    return [_plain(row, aside) for row in rows], aside


def unpacked(answer: list[Any], rows: Rows, aside: list[Any]) -> Rows:
    """The rows a worker sent back.

    Args:
        answer: `{"row": i}` for a row that stays, `{"new": row}` for any other.
        rows: What was sent.
        aside: What was left out of it.
    """
    return [rows[one["row"]] if "row" in one else _restored(one["new"], aside) for one in answer]


def _plain(row: dict[str, Any], aside: list[Any]) -> dict[str, Any]:
    try:
        json.dumps(row)
    except (TypeError, ValueError):
        return {str(key): _kept(value, aside) for key, value in row.items()}
    return row


def _kept(value: Any, aside: list[Any]) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        aside.append(value)
        return {_MARK: len(aside) - 1}
    return value


def _restored(row: dict[str, Any], aside: list[Any]) -> dict[str, Any]:
    return {
        key: aside[value[_MARK]] if isinstance(value, dict) and _MARK in value else value
        for key, value in row.items()
    }
