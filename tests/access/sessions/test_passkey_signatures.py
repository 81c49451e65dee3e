"""Signing a document with a passkey."""

import hashlib
import json
from typing import Any
from uuid import UUID, uuid4

import cbor2
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec import structs

from access.sessions.soft_passkey import decode
from access.sessions.test_passkeys import ORIGIN, app, signed_in, with_passkey
from conftest import World
from training.practice.practices import offer
from trilha.access.permissions.viewer import Viewer
from trilha.access.sessions.passkeys import signing
from trilha.access.sessions.passkeys.schema import PasskeySignature
from trilha.core.errors import BusinessRule
from trilha.training.signatures import queries as signatures
from trilha.training.signatures.actions import compute_digest
from trilha.web.signing import sign
from web.learn.signing_in import send

__all__ = ["app"]
DIGEST = hashlib.sha256(b"the checklist").digest()
OTHER = hashlib.sha256(b"another one").digest()


def viewer_of(world: World, user: dict[str, Any]) -> Viewer:
    return Viewer(
        user_id=UUID(user["id"]),
        session_id=uuid4(),
        email=user["email"],
        name=user["name"],
        role="learner",
        own_locale=None,
        must_change_password=False,
        second_factor="none",
        tenant_slug=world.tenant.slug,
        tenant_name="Test",
        tenant_locale="en",
        environment="production",
        time_zone="UTC",
        brand_colour=None,
        logo_name=None,
        password_minimum=8,
    )


async def begin(world: World, viewer: Viewer, digest: bytes = DIGEST) -> dict[str, Any]:
    async with world.tx() as tx:
        options: dict[str, Any] = json.loads(await signing.begin(tx, viewer, digest, ORIGIN))
    return options


async def finish(world: World, viewer: Viewer, text: str, digest: bytes = DIGEST) -> PasskeySignature:
    async with world.tx() as tx:
        return await signing.finish(tx, viewer, digest, text, ORIGIN)


async def test_a_signature_is_verified_by_anybody(world: World) -> None:
    user, passkey = await with_passkey(world)
    viewer = viewer_of(world, user)
    options = await begin(world, viewer)
    assert [decode(each["id"]) for each in options["allowCredentials"]] == [passkey.credential_id]
    evidence = await finish(world, viewer, passkey.sign(options))
    assert decode(evidence.challenge) == hashlib.sha256(decode(evidence.nonce) + DIGEST).digest()
    assert json.loads(decode(evidence.client_data))["challenge"] == evidence.challenge
    key = cbor2.loads(decode(evidence.public_key))
    numbers = ec.EllipticCurvePublicNumbers(
        int.from_bytes(key[-2], "big"), int.from_bytes(key[-3], "big"), ec.SECP256R1()
    )
    signed = decode(evidence.authenticator_data) + hashlib.sha256(decode(evidence.client_data)).digest()
    numbers.public_key().verify(decode(evidence.signature), signed, ec.ECDSA(hashes.SHA256()))


async def test_what_is_no_signature_of_this_document_by_this_person(world: World) -> None:
    user, passkey = await with_passkey(world)
    other, foreign = await with_passkey(world)
    viewer, second = viewer_of(world, user), viewer_of(world, other)
    for case in ("another document", "another session", "another person", "twice", "sign-in", "counter"):
        options = await begin(world, viewer)
        signer, who, digest = passkey, viewer, DIGEST
        if case == "another document":
            digest = OTHER
        elif case == "another session":
            who = replace_session(viewer)
        elif case == "another person":
            signer = foreign
        elif case == "twice":
            answer = passkey.sign(options)
            await finish(world, viewer, answer)
            with pytest.raises(BusinessRule, match="passkey_refused"):
                await finish(world, viewer, answer)
            continue
        elif case == "sign-in":
            options["challenge"] = (await begin(world, second))["challenge"]
        elif case == "counter":
            passkey.count = 0
        with pytest.raises(BusinessRule, match="passkey_refused"):
            await finish(world, who, signer.sign(options), digest)


def replace_session(viewer: Viewer) -> Viewer:

    return structs.replace(viewer, session_id=uuid4())


async def test_a_signature_is_stored_with_its_evidence(world: World) -> None:
    user, passkey = await with_passkey(world)
    viewer, subject = viewer_of(world, user), uuid4()
    digest = compute_digest({"checklist": str(subject)})
    options = await begin(world, viewer, bytes.fromhex(digest))
    async with world.tx() as tx:
        signature = await sign(tx, viewer, "practice", subject, digest, passkey.sign(options), ORIGIN)
        stored = await signatures.find(tx, signature.id)
    assert stored is not None
    assert (stored.kind, stored.user_id, stored.digest) == ("PASSKEY", viewer.user_id, digest)
    assert stored.content is not None
    assert stored.content.evidence["challenge"] == options["challenge"]


async def test_without_a_passkey_there_is_nothing_to_sign_with(world: World) -> None:
    viewer = viewer_of(world, await world.user())
    with pytest.raises(BusinessRule, match="no_passkey"):
        await begin(world, viewer)


async def test_an_assessment_is_signed_with_passkeys(world: World) -> None:
    practice = await offer(world)
    person, passkey = await with_passkey(world)
    assessor, other = await with_passkey(world)
    await world.promote(assessor["id"], "admin")
    await practice.qualify(assessor["id"])
    practice.assessor_id = UUID(assessor["id"])
    answer = await practice.post("enrollments", user_id=person["id"], course_id=practice.course_id)
    enrollment = answer.json()["data"]
    made = (await practice.record(enrollment, "SATISFACTORY", "SATISFACTORY")).json()["data"]
    learner = await signed_in(world, person["email"])
    admin = await signed_in(world, assessor["email"])
    panel = f"/admin/practice/assessments/{made['id']}"
    own = f"/learn/enrollments/{enrollment['id']}/practice/{practice.module_id}"
    asked = {"assessment_id": made["id"]}
    early = await send(learner, "/learn", f"{own}/passkey-options", **asked)
    assert early.status_code == 422
    assert "Sign with passkey" in (await admin.get(panel)).text
    options = (await send(admin, panel, f"{panel}/passkey-options")).json()
    forged = await send(admin, panel, f"{panel}/sign", credential=passkey.sign(options))
    assert "could not be verified" in forged.text
    options = (await send(admin, panel, f"{panel}/passkey-options")).json()
    done = await send(admin, panel, f"{panel}/sign", credential=other.sign(options))
    assert done.status_code == 303, done.text
    page = (await learner.get(own)).text
    assert "Sign with passkey" in page
    options = (await send(learner, own, f"{own}/passkey-options", **asked)).json()
    done = await send(learner, own, f"{own}/sign", **asked, credential=passkey.sign(options))
    assert done.status_code == 303, done.text
    assert (await practice.read(made["id"]))["status"] == "SIGNED"
    assert (await admin.get(panel)).text.count("Signed with a passkey") == 2
    async with world.tx() as tx:
        rows = await tx.rows("SELECT kind FROM signatures WHERE tenant_id = :tenant")
    assert [row["kind"] for row in rows] == ["PASSKEY", "PASSKEY"]
    await practice.judge()
    assert await practice.status(enrollment) == "COMPLETED"
    stranger = await signed_in(world, (await world.user())["email"])
    assert "Sign with passkey" not in (await stranger.get(own)).text
    assert (await send(stranger, "/learn", f"{own}/passkey-options", **asked)).status_code == 404
