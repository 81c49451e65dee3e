"""A statement for lists, given one element of each; and a question that is begun, and answered later."""

import asyncio
from uuid import uuid4

from conftest import World
from trilha.core.database import of_one
from trilha.core.database.batcher import Batcher

_SQL = """
    SELECT t.name, t.key FROM unnest(:names::text[], :keys::bytea[]) AS t (name, key)
    WHERE t.key = ANY(:wanted::bytea[]) AND CAST(:tenant AS uuid) IS NOT NULL
"""


async def test_answers_what_lists_of_one_answer(world: World) -> None:
    key = uuid4().bytes
    for wanted, found in ((key, [("Ana", key)]), (b"another", [])):
        async with world.tx() as tx:
            many = await tx.rows(_SQL, names=["Ana"], keys=[key], wanted=[wanted])
            one = await tx.rows(of_one(_SQL), names="Ana", keys=key, wanted=wanted)
        assert [tuple(each) for each in many] == [tuple(each) for each in one] == found


async def test_what_is_begun_is_asked_before_it_is_awaited() -> None:
    asked: list[list[int]] = []
    gate = asyncio.Event()

    async def answer(questions: list[int]) -> list[int]:
        asked.append(list(questions))
        await gate.wait()
        return [2 * each for each in questions]

    batcher = Batcher(answer, 10)
    first = await batcher.begin(1)
    others = [await batcher.begin(each) for each in (2, 3)]
    assert asked == [[1]]
    gate.set()
    assert [await each for each in (first, *others)] == [2, 4, 6]
    assert asked == [[1], [2, 3]]
