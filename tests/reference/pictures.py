"""A hook of MkDocs: while the pages are built, each of a screen gets the picture of that screen.

Pictures are drawn from the samples, so none is kept in the repository and none is out of date.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.base.named_screens import NAMES
from inspector.cli.main import run

SIZE = "120x36"


def on_files(files: Any, config: Any) -> Any:
    """Add the picture of each screen to what is built."""
    from mkdocs.structure.files import File

    for name, svg in pictures():
        files.append(File.generated(config, f"pictures/screens/{name}.svg", content=svg))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Show it below the question the screen answers."""
    folder, _, file = page.file.src_uri.rpartition("/")
    name = file.removesuffix(".md")
    return with_picture(markdown, name) if folder == "screens" and name in NAMES else markdown


def with_picture(markdown: str, name: str) -> str:
    """A page of a screen with its picture after the question."""
    head, question, rest = markdown.partition("?*\n")
    return f"{head}{question}\n![{name}](../pictures/screens/{name}.svg)\n{rest}"


def pictures() -> Iterator[tuple[str, str]]:
    """Each screen by name, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            path = Path(folder) / f"{name}.svg"
            if run(["demo", "--screen", name, "--size", SIZE, "--screenshot", str(path)]) != 0:
                raise RuntimeError(f"no picture of {name}")
            yield name, path.read_text(encoding="utf-8")
