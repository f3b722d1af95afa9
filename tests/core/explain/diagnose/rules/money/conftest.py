"""Databases with tokens and money in them."""

from __future__ import annotations

from tests.core.account.conftest import book

__all__ = ["book"]
