"""Calls that return the error codes of identity photos, by code. Only pages have them."""

import base64
from collections.abc import Awaitable, Callable
from io import BytesIO
from uuid import UUID, uuid4

import httpx2
from PIL import Image

from conftest import World
from contract.quiz_calls import acting
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.training.identity import actions, queries
from trilha.training.identity.photos import read_face
from trilha.training.identity.schema import IdentityRule

Call = Callable[[World], Awaitable[httpx2.Response]]


def _draw() -> str:
    written = BytesIO()
    Image.new("RGB", (8, 8)).save(written, "JPEG")
    return base64.b64encode(written.getvalue()).decode()


def _reading(photo: str, descriptor: str, faces: int) -> Call:
    async def read(tx: Tx) -> None:
        read_face(photo, descriptor, faces, needs_descriptor=True)

    return acting(read)


async def _review_nothing(tx: Tx) -> None:
    await actions.get_doubtful(tx, uuid4())


async def _decide_where_nothing_is_asked(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()

    async def decide(tx: Tx) -> None:
        ids = UUID(enrollment["user_id"]), UUID(enrollment["id"])
        await actions.decide_consent(tx, *ids, 0, agreed=True)

    return await acting(decide)(world)


async def _agree_to_an_old_text(world: World) -> httpx2.Response:
    enrollment = await world.enrollment()
    async with world.tx() as tx:
        await actions.change_settings(
            tx, enabled=True, retention_days=1, service_url=None, token="", text="Texto"
        )
        await actions.change_rule(tx, UUID(enrollment["course_id"]), IdentityRule())

    async def agree(tx: Tx) -> None:
        ids = UUID(enrollment["user_id"]), UUID(enrollment["id"])
        await actions.decide_consent(tx, *ids, 0, agreed=True)

    return await acting(agree)(world)


async def _take_without_consent(world: World) -> httpx2.Response:
    return await _taking(world, attempts=None)


async def _take_too_many(world: World) -> httpx2.Response:
    return await _taking(world, attempts=5)


async def _taking(world: World, attempts: int | None) -> httpx2.Response:
    enrollment = await world.enrollment()
    user_id, id = UUID(enrollment["user_id"]), UUID(enrollment["id"])
    async with world.tx() as tx:
        await actions.change_settings(tx, enabled=True, retention_days=1, service_url=None, token="", text="")
        await actions.change_rule(tx, UUID(enrollment["course_id"]), IdentityRule())
        if attempts is not None:
            await actions.decide_consent(tx, user_id, id, 0, agreed=True)
            await tx.execute(
                "UPDATE identity_checks SET attempts = :attempts WHERE tenant_id = :tenant", attempts=attempts
            )

    async def take(tx: Tx) -> None:
        await actions.prepare_photo(tx, user_id, id)

    return await acting(take)(world)


async def _open_without_photo(tx: Tx) -> None:
    """The player's script gets this: see tests/web/learn/test_identity.py."""
    assert not await queries.has_photo_rule(tx, uuid4())
    raise BusinessRule("identity_photo_required")


IDENTITY_CALLS: dict[str, Call] = {
    "photo_not_readable": _reading("nonsense", str([0.0] * 128), 1),
    "invalid_descriptor": _reading(_draw(), "[]", 1),
    "no_face": _reading("", "", 0),
    "several_faces": _reading("", "", 2),
    "identity_check_not_found": acting(_review_nothing),
    "identity_not_due": _decide_where_nothing_is_asked,
    "identity_text_changed": _agree_to_an_old_text,
    "identity_consent_required": _take_without_consent,
    "too_many_photos": _take_too_many,
    "identity_photo_required": acting(_open_without_photo),
}
