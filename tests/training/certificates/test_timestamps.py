"""Signatures with timestamps (RFC 3161), against a double of a timestamp server."""

import shutil
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from asn1crypto import keys, tsp
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12
from pyhanko.sign.timestamps import DummyTimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

from conftest import World
from training.certificates.paperwork import Paperwork
from training.certificates.test_papers import ran
from training.certificates.test_signatures import PASSWORD, archive
from trilha.core.errors import Invalid, NotFound
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import Guard
from trilha.training.certificates import signatures
from trilha.training.certificates.pdf.jobs import RenderCertificates
from trilha.training.certificates.pdf.making import Maker
from trilha.training.certificates.signatures import actions, identities
from trilha.training.certificates.signatures.timestamps import build_timestamps

DSS = Path(__file__).parent / "dss" / "lib"
GUARD = Guard(parse_networks("127.0.0.0/8"), plain_http=True)


def new_authority() -> DummyTimeStamper:
    """Returns a timestamp authority with a certificate of its own."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ACT Teste")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
        .sign(key, hashes.SHA256())
    )
    der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return DummyTimeStamper(
        asn1_x509.Certificate.load(certificate.public_bytes(Encoding.DER)),
        keys.PrivateKeyInfo.load(der),
        certs_to_embed=SimpleCertificateStore(),
    )


class Authority:
    """A timestamp server. `answer` changes what it would answer, or replaces it."""

    def __init__(self) -> None:
        self.answer: Callable[[bytes], web.Response] | None = None
        self.requests = 0
        self._stamper = new_authority()

    async def handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        asked = tsp.TimeStampReq.load(await request.read())
        assert request.headers["content-type"] == "application/timestamp-query"
        body = (await self._stamper.async_request_tsa_response(asked)).dump()
        if self.answer is not None:
            return self.answer(body)
        return web.Response(body=body, content_type="application/timestamp-reply")


@pytest.fixture
async def authority() -> AsyncIterator[Authority]:
    made = Authority()
    app = web.Application()
    app.router.add_post("/", made.handle)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    made.url = str(server.make_url("/"))  # type: ignore[attr-defined]
    yield made
    await server.close()


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    maker = Maker(made.files, made.press, made.signer, made.address, build_timestamps(GUARD, None))
    made.job = RenderCertificates(made.files, maker.prepare)
    yield made
    await made.close()


async def sign_with(paperwork: Paperwork, url: str | None, content: bytes | None = None) -> None:
    async with paperwork.world.tx() as tx:
        await actions.put(tx, identities.read(content or archive(), PASSWORD, tx.now))
        await actions.set_timestamp_url(tx, url, GUARD)


async def render_error(paperwork: Paperwork) -> str:
    [id] = await paperwork.issue()
    await paperwork.run()
    row = (await paperwork.rows())[id]
    assert row["file_key"] is None
    error: str = row["render_error"]
    return error


async def test_a_signature_has_a_timestamp(paperwork: Paperwork, authority: Any) -> None:
    await sign_with(paperwork, authority.url)
    pdf = await paperwork.rendered()
    assert authority.requests == 1
    verdict = signatures.verdict(pdf)
    assert (verdict.state, verdict.signer) == ("intact", "AURORA TRANSPORTES LTDA:11222333000181")
    at = pdf.rindex(b"ACT Teste".hex().encode())
    assert signatures.verdict(pdf[:at] + b"42" + pdf[at + 2 :]).state == "changed"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda body: web.Response(status=503), "answered with status 503"),
        (lambda body: web.Response(body=b"<html>"), "is no timestamp"),
        (lambda body: web.Response(body=body[:-40]), "is no timestamp"),
        (lambda body: web.Response(body=b"0" * 20_000), "too_large"),
        (
            lambda body: web.Response(body=bytes.fromhex("30053003020102")),
            "refused (rejection)",
        ),
    ],
)
async def test_a_server_that_gives_no_timestamp(
    paperwork: Paperwork, authority: Any, answer: Any, said: str
) -> None:
    authority.answer = answer
    await sign_with(paperwork, authority.url)
    assert said in await render_error(paperwork)


async def test_a_timestamp_of_something_else(paperwork: Paperwork, authority: Any) -> None:
    await sign_with(paperwork, authority.url)
    await paperwork.rendered()
    earlier: list[bytes] = []

    def replay(body: bytes) -> web.Response:
        earlier.append(body)
        return web.Response(body=earlier[0])

    authority.answer = replay
    await paperwork.rendered()
    assert "for another signature" in await render_error(paperwork)


async def test_a_server_that_is_not_there(paperwork: Paperwork) -> None:
    await sign_with(paperwork, "http://127.0.0.1:9/")
    assert "did not answer" in await render_error(paperwork)


async def test_addresses_are_guarded(world: World) -> None:
    async with world.tx() as tx:
        with pytest.raises(NotFound, match="identity_not_found"):
            await actions.set_timestamp_url(tx, "https://tsa.example.com/", Guard())
        for url in ("http://127.0.0.1/", "https://10.0.0.1/", "ftp://example.com/", "x"):
            with pytest.raises(Invalid):
                await actions.set_timestamp_url(tx, url, Guard())


async def test_an_independent_validator_accepts_the_signature(
    paperwork: Paperwork, authority: Any, tmp_path: Path
) -> None:
    if not DSS.is_dir() or shutil.which("java") is None:
        pytest.skip("EU DSS is not installed: see tests/training/certificates/dss/pom.xml")
    content = archive()
    _, certificate, _ = pkcs12.load_key_and_certificates(content, PASSWORD.encode())
    assert certificate is not None
    (tmp_path / "signer.cer").write_bytes(certificate.public_bytes(Encoding.DER))
    await sign_with(paperwork, None, content)
    (tmp_path / "plain.pdf").write_bytes(await paperwork.rendered())
    await sign_with(paperwork, authority.url, content)
    stamped = await paperwork.rendered()
    (tmp_path / "stamped.pdf").write_bytes(stamped)
    at = stamped.index(b"/Title")
    (tmp_path / "changed.pdf").write_bytes(stamped[:at] + b"/Titla" + stamped[at + 6 :])
    found = ran(
        tmp_path,
        "java",
        *("-cp", f"{DSS}/*", DSS.parent / "Validate.java", "signer.cer"),
        *("plain.pdf", "stamped.pdf", "changed.pdf"),
    )
    plain, with_timestamp, changed = (line for line in found.splitlines() if ".pdf" in line)
    assert plain.startswith("plain.pdf PAdES-BASELINE-B intact=true valid=true timestamps=0"), found
    assert with_timestamp.startswith("stamped.pdf PAdES-BASELINE-T intact=true valid=true timestamps=1"), (
        found
    )
    assert "FAILED" in changed, found
