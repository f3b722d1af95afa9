"""What tests of the preview open, and what they look at."""

from __future__ import annotations

from textual.pilot import Pilot

from core.preview.comparison import Comparison
from core.preview.foreseen import Basis
from inspector.screens.workspace.preview.view import PreviewView

FULL = "Split the tenant settings table"
AUTH = "Refactor the auth module"
SMALL = "Try the preview model"


def view(pilot: Pilot[None]) -> PreviewView:
    return pilot.app.screen.query_one(PreviewView)


def shown(pilot: Pilot[None]) -> Comparison:
    found = view(pilot).work.shown
    assert found is not None
    return found


def basis_of(pilot: Pilot[None]) -> Basis:
    found = view(pilot).work.basis
    assert found is not None
    return found
