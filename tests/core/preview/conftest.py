"""Homes to preview compactions in."""

from __future__ import annotations

from tests.core.explain.conftest import make_home

__all__ = ["make_home"]
