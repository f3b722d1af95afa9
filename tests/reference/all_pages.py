"""Every page that is made, by its place below `docs`."""

from __future__ import annotations

from pathlib import Path

from tests.reference.commands import command_pages
from tests.reference.pages import reference_pages
from tests.reference.screens import screen_pages

DOCS = Path(__file__).parent.parent.parent / "docs"


def pages() -> dict[str, str]:
    """The content of each."""
    folders = {"commands": command_pages(DOCS / "commands"), "screens": screen_pages()}
    folders["reference"] = reference_pages()
    return {f"{folder}/{file}": text for folder, made in folders.items() for file, text in made.items()}
