"""Strings that have broken terminals, toolkits or tokenizers; every screen must survive them."""

from __future__ import annotations

ESC, BEL, CSI = "\x1b", "\x07", "\x9b"

HOSTILE: dict[str, str] = {
    "window title": f"{ESC}]0;owned{BEL}after",
    "clipboard write": f"{ESC}]52;c;ZXZpbA=={BEL}after",
    "hyperlink": f"{ESC}]8;;http://evil.example{ESC}\\click{ESC}]8;;{ESC}\\",
    "unterminated osc": f"{ESC}]0;swallows everything that follows",
    "colour": f"{ESC}[31mred{ESC}[0m",
    "clear screen": f"{ESC}[2J{ESC}[H",
    "device control": f"{ESC}P1;1|17/ab{ESC}\\",
    "c1 control": f"{CSI}31mred{CSI}0m",
    "application mode": f"{ESC}[?1049h{ESC}[?1000h{ESC}c",
    "bell backspace": f"a{BEL}b\bc\vd\fe",
    "nul and del": "a\x00b\x7fc\x85d",
    "carriage return": "innocent\rOVERWRITE",
    "tabs": "a\tb\t\tc",
    "newlines": "one\ntwo\r\nthree\u2028four\u2029five",
    "bidi override": "file\u202egpj.exe",
    "bidi isolates": "\u2066\u2067abc\u2069\u2068",
    "zero width": "pass\u200bword\ufeff\u2060\u00ad",
    "tag characters": "visible\U000e0041\U000e0042\U000e007f",
    "lone surrogate": "half \ud800 a pair \udfff",
    "combining pile": "z" + "\u0301\u0323\u0488" * 40,
    "joined emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family",
    "flags and skin": "\U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
    "chinese": "重构认证模块" * 30,
    "wide at the edge": "a" + "宽" * 200,
    "private use": "\ue000\uf8ff\U000f0000",
    "textual markup": "[b]bold[/b] [@click=app.quit]quit[/]",
    "broken markup": "[/nope] [red [/] [[",
    "rich markup": "[link=http://evil.example]x[/link] :smile: [bold]",
    "braces": "{0} {missing} %s %(name)s $HOME `id`",
    "no blanks": "x" * 5_000,
    "nothing": "",
    "blanks only": " \t\n\u00a0\u3000 ",
    "noncharacters": "\ufffe\uffff\ufdd0",
}

RAW = (
    *map(chr, (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0))),
    *("\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\udfff", "\U000e0041"),
)
"""Characters of which none may reach a terminal (the newline may, between lines)."""


def harmful(text: str) -> set[str]:
    """The characters of a drawn text that a terminal would act on."""
    return {character for character in RAW if character in text}
