"""Places for requests: bounded, retries first, none lost when one who waits gives up."""

from __future__ import annotations

import asyncio

from core.trajectory.shards.work import Gate


async def _ask(gate: Gate, name: str, told: list[str], *, again: bool = False) -> None:
    await gate.enter(again=again)
    told.append(name)
    await asyncio.sleep(0)
    gate.leave()


def test_who_asks_again_goes_before_those_who_have_not_asked_yet() -> None:
    async def scene() -> list[str]:
        gate, told = Gate(1), list[str]()
        await gate.enter()
        first = [asyncio.create_task(_ask(gate, f"first {at}", told)) for at in range(3)]
        await asyncio.sleep(0)
        again = asyncio.create_task(_ask(gate, "again", told, again=True))
        await asyncio.sleep(0)
        gate.leave()
        await asyncio.gather(*first, again)
        return told

    assert asyncio.run(scene()) == ["again", "first 0", "first 1", "first 2"]


def test_a_place_is_not_lost_when_one_who_waits_gives_up() -> None:
    async def scene() -> list[str]:
        gate, told = Gate(1), list[str]()
        await gate.enter()
        waiting = [asyncio.create_task(_ask(gate, str(at), told)) for at in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        gate.leave()
        waiting[1].cancel()  # it has just been given the place
        await asyncio.wait_for(waiting[2], 5)
        await _ask(gate, "later", told)
        return told

    assert asyncio.run(scene()) == ["2", "later"]
