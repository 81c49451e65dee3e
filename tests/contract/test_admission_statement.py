"""Where a hit counts: for its credential, elsewhere, or nowhere."""

from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from conftest import World
from trilha.access.api_keys.unscoped import LOOKUP
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.web.admission_statement import CountedHit, Statements

NUMBER, SECONDS = 4_000_000, 900


async def counted(
    world: World, presented: PresentedCredential, key: bytes | None, otherwise: str | None, own: str | None
) -> list[Any]:
    """Returns how one hit of this kind, sent twice at the same moment, is counted."""
    name = uuid4().hex
    hit = CountedHit(f"{name}:", key, otherwise and f"{name}{otherwise}", own, NUMBER, SECONDS)
    sql, parameters = Statements({LOOKUP.kind: LOOKUP}).of([presented], {hit: 2})
    async with world.database.unscoped() as unscoped:
        rows = await unscoped.rows(sql, **parameters)
    return [(row["bucket"].replace(name, ""), row["hits"]) for row in rows if row["bucket"] is not None]


@pytest.mark.parametrize("is_known", [True, False])
async def test_counts_on_the_credential_or_elsewhere(world: World, is_known: bool) -> None:
    secret = await world.key() if is_known else "trl_live_unknown"
    key = world.database.keyring.fingerprint(secret)
    presented = PresentedCredential(CredentialKind.API_KEY, key)
    for shape in product((None, key, b"another"), (None, "elsewhere"), (None, "limit")):
        buckets = await counted(world, presented, *shape)
        own = is_known and shape[0] == key and shape[2] is None
        if shape[0] is None:
            assert buckets == [(":", 2)]
        elif not own:
            assert buckets == ([] if shape[1] is None else [("elsewhere", 2)])
        else:
            assert [(bucket[0], hits) for bucket, hits in buckets] == [(":", 2)]
