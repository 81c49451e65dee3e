"""A few hits that are given one by one count as they do in a list."""

from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from trilha.api_keys.unscoped import LOOKUP
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.web import admission_statement
from trilha.core.web.admission_statement import CountedHit, Statements

NUMBER, SECONDS = 4_000_000, 900


async def admitted(world: World, presented: PresentedCredential, shape: tuple[Any, ...]) -> list[Any]:
    """What one hit of this shape, twice in the same moment, is answered: totals and credentials."""
    key, otherwise, own = shape
    name = uuid4().hex
    hit = CountedHit(f"{name}:", key, otherwise and f"{name}{otherwise}", own, NUMBER, SECONDS)
    sql, parameters = Statements({LOOKUP.kind: LOOKUP}).of([presented], {hit: 2})
    async with world.database.unscoped() as unscoped:
        rows = await unscoped.rows(sql, **parameters)
    return sorted((str(row["bucket"]).replace(name, ""), row["hits"], str(row["id"])) for row in rows)


@pytest.mark.parametrize("is_known", [True, False])
async def test_counts_as_a_list_does(world: World, monkeypatch: pytest.MonkeyPatch, is_known: bool) -> None:
    secret = await world.key() if is_known else "trl_live_unknown"
    key = world.database.keyring.fingerprint(secret)
    presented = PresentedCredential(CredentialKind.API_KEY, key)
    for shape in product((None, key, b"another"), (None, "elsewhere"), (None, "limit")):
        few = await admitted(world, presented, shape)
        with monkeypatch.context() as patch:
            patch.setattr(admission_statement, "_FEW", 0)
            assert await admitted(world, presented, shape) == few, shape
        counted = [(bucket, hits) for bucket, hits, _ in few if bucket != "None"]
        own = is_known and shape[0] == key and shape[2] is None
        if shape[0] is None:
            assert counted == [(":", 2)]
        elif not own:
            assert counted == ([] if shape[1] is None else [("elsewhere", 2)])
        else:
            assert [(bucket[0], hits) for bucket, hits in counted] == [(":", 2)]
