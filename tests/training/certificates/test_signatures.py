"""Certificates are signed with the company's key, and any changed byte is detected."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

from conftest import World
from training.certificates.paperwork import Paperwork
from trilha.core.errors import Invalid, NotFound
from trilha.training.certificates import signatures
from trilha.training.certificates.signatures import actions, identities, queries

PASSWORD = "senha muito secreta"
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    yield made
    await made.close()


def archive(
    key: Any = None,
    *,
    before: datetime = NOW - timedelta(days=1),
    days: int = 365,
    usage: bool = True,
    with_key: bool = True,
) -> bytes:
    """Returns a PKCS #12 file of a company."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "AURORA TRANSPORTES LTDA:11222333000181")])
    usages = dict.fromkeys(
        (
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "key_cert_sign",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "AC Teste")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(before)
        .not_valid_after(before + timedelta(days=days))
        .add_extension(
            x509.KeyUsage(digital_signature=usage, content_commitment=usage, **usages), critical=True
        )
        .sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    )
    return pkcs12.serialize_key_and_certificates(
        b"aurora", key if with_key else None, certificate, None, BestAvailableEncryption(PASSWORD.encode())
    )


@pytest.mark.parametrize(
    "new_key",
    [lambda: ec.generate_private_key(ec.SECP256R1()), lambda: rsa.generate_private_key(65537, 2048)],
    ids=["EC", "RSA"],
)
async def test_a_signed_certificate_tells_who_signed_it(
    paperwork: Paperwork, new_key: Callable[[], Any]
) -> None:
    key = new_key()
    async with paperwork.world.tx() as tx:
        identity = await actions.put(tx, identities.read(archive(key), PASSWORD, tx.now))
    pdf = await paperwork.rendered()

    verdict = signatures.verdict(pdf)
    assert (verdict.state, verdict.signer) == ("intact", "AURORA TRANSPORTES LTDA:11222333000181")
    assert (verdict.issuer, verdict.fingerprint) == ("AC Teste", identity.fingerprint)
    assert verdict.signed_at is not None
    # The public page shows it too.
    (row,) = (await paperwork.rows()).values()
    assert row["signed_by"] == identity.subject
    page = await paperwork.world.client().get(f"/verify/{row['code']}")
    assert identity.subject in page.text


async def test_a_flipped_byte_is_noticed(paperwork: Paperwork) -> None:
    async with paperwork.world.tx() as tx:
        await actions.put(tx, identities.read(archive(), PASSWORD, tx.now))
    pdf = await paperwork.rendered()
    for at in range(20, len(pdf), len(pdf) // 40):
        changed = bytearray(pdf)
        changed[at] ^= 1
        assert signatures.verdict(bytes(changed)).state == "changed", at
    assert signatures.verdict(pdf + b"\n% more").state == "changed"


async def test_without_a_key_a_certificate_is_not_signed(paperwork: Paperwork) -> None:
    assert signatures.verdict(await paperwork.rendered()).state == "unsigned"
    (row,) = (await paperwork.rows()).values()
    assert row["signed_by"] is None
    assert signatures.verdict(b"no PDF").state == "unreadable"


@pytest.mark.parametrize(
    ("content", "password", "code"),
    [
        (b"no archive", PASSWORD, "identity_not_pkcs12"),
        (bytes(70_000), PASSWORD, "identity_too_large"),
        (archive(), "other", "identity_wrong_password"),
        (archive(with_key=False), PASSWORD, "identity_without_key"),
        (archive(days=1, before=NOW - timedelta(days=9)), PASSWORD, "identity_expired"),
        (archive(before=NOW + timedelta(days=9)), PASSWORD, "identity_not_yet_valid"),
        (archive(usage=False), PASSWORD, "identity_cannot_sign"),
        (archive(rsa.generate_private_key(65537, 1024)), PASSWORD, "identity_weak_key"),
        (archive(ed25519.Ed25519PrivateKey.generate()), PASSWORD, "identity_weak_key"),
    ],
    ids=lambda each: each if isinstance(each, str) and each.startswith("identity") else "",
)
async def test_what_cannot_sign_is_refused(world: World, content: bytes, password: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        async with world.tx() as tx:
            await actions.put(tx, identities.read(content, password, tx.now))
    assert refused.value.code == code
    # The answer has no earlier exception, which may quote the upload.
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    async with world.tx() as tx:
        assert await queries.find(tx) is None


async def test_the_key_is_sealed_and_shows_nowhere(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    raw = archive()
    async with world.tx() as tx:
        shown = await actions.put(tx, identities.read(raw, PASSWORD, tx.now))
        [row] = await tx.rows("SELECT * FROM signing_identities WHERE tenant_id = :tenant")
        opened = await actions.open_archive(tx)
        audited = str(await tx.rows("SELECT * FROM audit_records WHERE tenant_id = :tenant"))
    assert opened is not None
    plain = opened.archive
    key, _, _ = pkcs12.load_key_and_certificates(plain, None)
    assert key is not None
    assert plain not in row["sealed"]
    assert PASSWORD not in f"{row} {shown} {audited} {''.join(capfd.readouterr())}"
    async with world.tx() as tx:
        await actions.remove(tx)
        with pytest.raises(NotFound):
            await actions.remove(tx)


async def test_an_expired_key_loses_no_certificate(paperwork: Paperwork) -> None:
    """The certificate stays unrendered with its reason, and is rendered once there is a valid key."""
    world = paperwork.world
    async with world.tx() as tx:
        await actions.put(tx, identities.read(archive(days=30), PASSWORD, tx.now))
    world.clock.move(days=60)
    [certificate_id] = await paperwork.issue()
    await paperwork.run()
    row = (await paperwork.rows())[certificate_id]
    assert (row["file_key"], row["render_error"]) == (
        None,
        "the certificate that the company signs with has expired",
    )
    async with world.tx() as tx:
        await actions.remove(tx)
    world.clock.move(seconds=5)
    assert await paperwork.run() == 1
    assert (await paperwork.rows())[certificate_id]["file_key"]
