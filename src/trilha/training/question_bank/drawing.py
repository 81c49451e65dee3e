"""Draws questions of the bank for an attempt, by the rules of a quiz."""

from collections.abc import Collection, Sequence
from random import Random
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.question_bank import queries
from trilha.training.quizzes.schema import BankDraw, Question


async def draw(
    tx: Tx, draws: Sequence[BankDraw], present: Collection[UUID | None], chance: Random
) -> list[Question]:
    """Draws for one rule after another, no question twice. A rule that finds fewer questions than it draws
    gives all of them. `present` are questions of the bank that the quiz has copies of.
    """
    taken, ids = set(present), list[UUID]()
    for rule in draws:
        # Sorted, so that only `chance` decides.
        left = sorted(id for id in await queries.list_drawable(tx, rule) if id not in taken)
        drawn = chance.sample(left, min(rule.count, len(left)))
        taken.update(drawn)
        ids += drawn
    return [each.question for each in await queries.list_by_ids(tx, ids)]


async def count_drawable(tx: Tx, draws: Sequence[BankDraw]) -> list[int]:
    """Returns how many questions each rule can draw from."""
    return [len(await queries.list_drawable(tx, rule)) for rule in draws]
