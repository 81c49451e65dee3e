"""Drawn signatures: what is accepted, what is stored, and what is left of an erased person."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from conftest import World
from trilha.app import PERSONAL_DATA
from trilha.core.errors import Invalid
from trilha.training.signatures import actions, drawings, queries
from web.learn.signing_in import signed_in

STROKES = [[10, 10, 200, 100, 300, 20], [310, 20]]
DRAWING = json.dumps(STROKES)


@pytest.mark.parametrize(
    ("drawing", "code"),
    [
        ("", "signature_missing"),
        ("  ", "signature_missing"),
        ("[[5,5]]", "signature_missing"),
        ("[[5,5,6,6]]", "signature_missing"),
        ("[]", "signature_not_readable"),
        ("[[]]", "signature_not_readable"),
        ("{}", "signature_not_readable"),
        ("[[1,2,3]]", "signature_not_readable"),
        ("[[1,201]]", "signature_not_readable"),
        ("[[601,1]]", "signature_not_readable"),
        ("[[-1,1]]", "signature_not_readable"),
        ("[[1.5,1]]", "signature_not_readable"),
        ('[["1","1"]]', "signature_not_readable"),
        ("\ud800", "signature_not_readable"),
        ("[" * 1000, "signature_not_readable"),
        (json.dumps([[1, 1]] * 201), "signature_not_readable"),
        (json.dumps([[1, 1] * 2001]), "signature_not_readable"),
        (" " * 70_000 + DRAWING, "signature_not_readable"),
    ],
)
def test_a_drawing_that_is_none_is_refused(drawing: str, code: str) -> None:
    with pytest.raises(Invalid) as raised:
        drawings.read(drawing)
    assert [(each.field, each.code) for each in raised.value.detail] == [("signature", code)]


def test_a_drawing_is_shown_as_svg() -> None:
    svg = drawings.draw(drawings.read(DRAWING), 'Ana "A" <b>')
    assert 'd="M10 10L200 100L300 20 M310 20L310 20"' in svg
    assert 'aria-label="Ana &#34;A&#34; &lt;b&gt;"' in svg
    assert 'aria-hidden="true"' in drawings.draw(STROKES)


def test_a_digest_depends_on_the_content_alone() -> None:
    one = actions.compute_digest({"a": 1, "b": "ção"})
    assert one == actions.compute_digest({"b": "ção", "a": 1})
    assert one != actions.compute_digest({"a": 2, "b": "ção"})
    assert len(one) == 64


async def _sign(world: World, user: dict[str, Any], subject: UUID, drawing: str = DRAWING) -> UUID:
    digest = actions.compute_digest({"subject": subject})
    async with world.tx() as tx:
        made = await actions.sign_by_drawing(
            tx, UUID(user["id"]), "attendance", subject, digest, drawing, {"device": "own"}
        )
    return made.id


async def test_a_signature_is_sealed_and_read(world: World) -> None:
    user, subject = await world.user(), uuid4()
    await _sign(world, user, subject)
    world.clock.move(minutes=1)
    id = await _sign(world, user, subject)
    async with world.tx() as tx:
        found = await queries.find(tx, id)
        newest = await queries.list_newest(tx, "attendance", subject, [UUID(user["id"])])
        stored = await tx.value(
            "SELECT content FROM signatures WHERE tenant_id = :tenant AND id = :id", id=id
        )
        record = await tx.rows(
            "SELECT detail FROM audit_records WHERE tenant_id = :tenant AND target_id = :id", id=id
        )
        assert await queries.find(tx, uuid4()) is None
    assert found is not None
    assert found.content is not None
    assert found.content.strokes == STROKES
    assert found.content.evidence == {"device": "own"}
    assert newest == {UUID(user["id"]): found}
    assert b"200" not in stored
    assert record[0]["detail"]["digest"] == found.digest


async def test_a_passkey_signs_without_a_drawing(world: World) -> None:
    user = await world.user()
    async with world.tx() as tx:
        made = await actions.sign_by_passkey(
            tx, UUID(user["id"]), "paper", uuid4(), "0" * 64, {"credential": "x"}
        )
        found = await queries.find(tx, made.id)
    assert found == made
    assert found.kind == "PASSKEY"


async def test_a_person_gets_their_drawings_and_erasure_removes_them(world: World) -> None:
    user = await world.user()
    id = await _sign(world, user, uuid4())
    browser = await signed_in(world, user["email"])
    (exported,) = (await browser.get("/api/users/me/data-export")).json()["signatures"]
    assert exported["strokes"] == STROKES
    async with world.tx() as tx:
        for _ in range(2):
            await PERSONAL_DATA.erase(tx, UUID(user["id"]))
        found = await queries.find(tx, id)
    assert found is not None
    assert found.content is None
