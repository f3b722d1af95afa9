"""The style of a report's page: the colours of the themes that ship, for light, dark and paper."""

from __future__ import annotations

from core.support.yaml_tables import load_table
from themes.loader import ThemeFile, load_all

_LIGHT, _DARK = "hermes-light", "hermes-dark"
_COLOURS = {
    "cache-read": "bucket-read",
    "cache-write": "bucket-write",
    "uncached": "bucket-fresh",
    "output": "bucket-output",
    "unknown": "ink-faint",
    "limit": "severity-critical",
    "failed": "severity-critical",
    "event": "part-middle",
    "break": "severity-warning",
    "critical": "severity-critical",
    "warning": "severity-warning",
}
"""What is drawn, and the theme's colour that means it."""
_LAYOUT = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
    "background:var(--back);color:var(--ink)}li{margin:.3em 0}figure{margin:1em 0}"
    "figcaption{color:var(--muted)}pre{background:var(--panel);padding:.6em;overflow-x:auto}"
    "td,th{padding:.15em .8em .15em 0;text-align:left}"
    "svg{width:100%;height:auto}svg text{font-size:11px;fill:var(--muted)}svg path{fill:none}"
    ".rule{stroke:var(--rule)}.limit,.event,.failed{stroke-dasharray:4 3}"
    "svg text.limit,svg text.event,svg text.failed{stroke:none}"
    "@media print{body{max-width:none;margin:0}figure,tr,pre{break-inside:avoid}}"
)


def style() -> str:
    """The style sheet, without anything from elsewhere."""
    themes = {theme.name: theme for theme in load_all(load_table)}
    drawn = "".join(
        f"path.{name}{{stroke:var(--{name})}}text.{name},p.{name}{{fill:var(--{name});color:var(--{name})}}"
        for name in _COLOURS
    )
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(themes[_DARK])}}}}}"
    solid = "path.break:not(.bar,.key){fill:var(--break)}"
    return f":root{{color-scheme:light dark;{_variables(themes[_LIGHT])}}}{dark}{drawn}{_LAYOUT}{solid}"


def _variables(theme: ThemeFile) -> str:
    base, tokens = theme.base, theme.tokens
    colours = {
        "back": base["background"],
        "panel": base["panel"],
        "ink": tokens["ink"],
        "muted": tokens["ink-muted"],
        "rule": tokens["rule"],
        **{name: tokens[token] for name, token in _COLOURS.items()},
    }
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
