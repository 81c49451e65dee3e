"""Calls that return the error codes of qualifications and practice, by code."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

import httpx2

from conftest import World
from trilha.core.database import Tx
from trilha.training.qualifications.actions import check_document

Call = Callable[[World], Awaitable[httpx2.Response]]


async def _qualify_backwards(world: World) -> httpx2.Response:
    body = {
        "user_id": (await world.user())["id"],
        "title": "NR-35",
        "issuing_body": "CREA",
        "valid_from": "2026-02-01",
        "valid_until": "2026-01-31",
    }
    return await world.http.post("/v1/qualifications", json=body)


PRACTICE_CALLS: dict[str, Call] = {
    "qualification_not_found": lambda world: world.http.get(f"/v1/qualifications/{uuid4()}"),
    "ends_before_it_begins": _qualify_backwards,
}


async def _check_no_document(tx: Tx) -> None:
    check_document(b"MZ")


PRACTICE_ACTS: dict[str, Callable[[Tx], Awaitable[object]]] = {"document_not_readable": _check_no_document}
