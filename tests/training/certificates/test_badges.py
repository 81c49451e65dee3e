"""An independent library verifies badges, and rejects them once the certificate is revoked."""

import hashlib
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pypdf
import pytest
from joserfc.jwk import OKPKey
from openbadgeslib.errors import LibOpenBadgesException
from openbadgeslib.ob3.verifier import OB3Verifier

from conftest import World
from training.certificates.paperwork import Paperwork
from trilha.training.certificates import actions
from trilha.training.certificates.badges import keys


@pytest.fixture
async def paperwork(world: World, tmp_path: Path, settings: Any) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    # The issuer's address is the address of its published documents.
    made.address = settings.address
    made.job = made.new_job()
    yield made
    await made.close()


async def fetch(world: World, address: str) -> bytes:
    answer = await world.http.get(address)
    assert answer.status_code == 200, address
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer.content


def claims_of(token: str) -> dict[str, Any]:
    return OB3Verifier._decode_unverified(token)


async def verifier_for(world: World, token: str) -> OB3Verifier:
    """Builds a verifier from the published key that the badge names."""
    jwk = msgspec.json.decode(await fetch(world, jwt.get_unverified_header(token)["kid"]))
    return OB3Verifier(OKPKey.import_key(jwk).as_pem(private=False))


async def test_a_badge_verifies_and_is_in_the_pdf(paperwork: Paperwork) -> None:
    world = paperwork.world
    [certificate_id] = await paperwork.issue()
    await paperwork.run()
    row = (await paperwork.rows())[certificate_id]

    credential = (await verifier_for(world, row["badge"])).verify(row["badge"])
    assert credential.achievement.name == "Segurança"
    claims = claims_of(row["badge"])
    identity = claims["credentialSubject"]["identifier"][0]
    shown = f"João Gonçalves de Araújo Conceição{identity['salt']}".encode()
    assert identity["identityHash"] == f"sha256${hashlib.sha256(shown).hexdigest()}"
    assert "João" not in str(claims)
    profile = msgspec.json.decode(await fetch(world, claims["iss"]))
    assert (profile["id"], profile["name"]) == (claims["iss"], world.tenant.name)

    attached = pypdf.PdfReader(io.BytesIO(await paperwork.pdf(certificate_id))).attachments
    assert {name: content[0] for name, content in attached.items()} == {
        "credential.jwt": row["badge"].encode()
    }


async def test_a_changed_badge_does_not_verify(paperwork: Paperwork) -> None:
    await paperwork.rendered()
    [row] = (await paperwork.rows()).values()
    head, payload, signature = row["badge"].split(".")
    changed = ".".join([head, payload[:-2] + ("A" if payload[-2] != "A" else "B") + payload[-1], signature])
    with pytest.raises(LibOpenBadgesException):
        (await verifier_for(paperwork.world, row["badge"])).verify(changed)


async def test_a_revoked_badge_is_in_the_list(paperwork: Paperwork) -> None:
    world = paperwork.world
    revoked, kept = await paperwork.issue(["Ana", "Bruno"])
    await paperwork.run()
    async with world.tx() as tx:
        await actions.revoke(tx, revoked, "Fraude")
    rows = await paperwork.rows()

    assert await is_revoked(world, rows[revoked]["badge"])
    assert not await is_revoked(world, rows[kept]["badge"])


async def is_revoked(world: World, token: str) -> bool:
    verifier = await verifier_for(world, token)
    credential = verifier.verify(token)
    listed = await fetch(world, claims_of(token)["credentialStatus"]["statusListCredential"])
    try:
        # The status list must be signed by the same issuer and be valid today.
        verifier.check_status(credential, verify_list=True, download=lambda address: listed)
    except LibOpenBadgesException as error:
        return "'revocation' is set" in str(error)
    return False


async def test_rotated_keys_stay_published(paperwork: Paperwork) -> None:
    world = paperwork.world
    await paperwork.rendered()
    [before] = (await paperwork.rows()).values()
    async with world.tx() as tx:
        await keys.rotate(tx)
    await paperwork.rendered()
    tokens = [row["badge"] for row in (await paperwork.rows()).values()]

    for token in tokens:
        (await verifier_for(world, token)).verify(token)
    published = msgspec.json.decode(await fetch(world, f"{claims_of(before['badge'])['iss']}/keys.json"))
    assert len(published["keys"]) == 2
    assert not any("d" in each for each in published["keys"])


async def test_what_is_not_there(paperwork: Paperwork) -> None:
    world = paperwork.world
    slug = world.tenant.slug
    for path in (
        "nobody",
        "nobody/keys.json",
        f"{slug}/keys/none",
        f"{slug}/status/999999",
        f"{slug}/status/x",
    ):
        assert (await world.http.get(f"/badges/{path}")).status_code == 404
