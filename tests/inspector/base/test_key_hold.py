"""Keys held back while something opens."""

from __future__ import annotations

from textual.app import App
from textual.events import Key

from inspector.base.key_hold import KeyHold


async def test_a_key_left_over_when_the_app_has_closed_its_screens_goes_nowhere() -> None:
    sent: list[Key] = []

    async def send(key: Key) -> None:
        sent.append(key)

    await KeyHold(App(), send).take(Key("j", "j"))
    assert sent == []
