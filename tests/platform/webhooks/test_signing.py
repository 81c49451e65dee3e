"""Signatures of deliveries, and their verification."""

import base64
import hashlib
import hmac
import json
import re
import runpy
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from trilha import verify_signature
from trilha.platform.webhooks.delivery.signing import generate_secret, sign, standard_signature

DOCS = Path(__file__).parents[3] / "docs"
VECTORS: list[dict[str, Any]] = json.loads((DOCS / "webhook-vectors.json").read_text())["vectors"]
# Their digest is correct and their time is recent. Only their format is wrong.
MALFORMED = {
    "empty secret",
    "t twice",
    "t with a fraction",
    "t without an equals sign beside the right one",
    "v1 without an equals sign beside the right one",
    "right v1 with another equals sign",
    "right v1 with a tail that is not hexadecimal",
    "v1 a byte long",
    "right v1 beside one that is not hexadecimal",
    "right v1 beside one with a tail",
    "right digest under another name",
    "names in upper case",
    "apart by a semicolon",
    "space after the t's equals sign",
    "space before the v1's equals sign",
}
BODY = b'{"id":"evt_1"}'
each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])


@each_vector
def test_a_vector_is_judged_as_told(vector: dict[str, Any]) -> None:
    body = base64.b64decode(vector["body_base64"])
    for secret in (vector["secret"], [generate_secret(), vector["secret"]]):
        assert verify_signature(body, vector["header"], secret, now=vector["now"]) is vector["expected"]


@each_vector
def test_a_vector_agrees_with_plain_hmac(vector: dict[str, Any]) -> None:
    header = vector["header"].lower()
    t = (re.findall(r"t=\s*([0-9]+)", header) or ["0"])[0]
    signed = t.encode() + b"." + base64.b64decode(vector["body_base64"])
    digest = hmac.new(vector["secret"].encode(), signed, hashlib.sha256).hexdigest()
    plain = digest in header and -300 <= vector["now"] - int(t[:12]) <= 300
    assert vector["expected"] == (plain and vector["name"] not in MALFORMED)
    assert plain or vector["name"] not in MALFORMED


def test_the_vectors_are_those_that_the_generator_writes() -> None:
    text = runpy.run_path(str(DOCS / "webhook_vectors.py"))["text"]()
    assert (DOCS / "webhook-vectors.json").read_text() == text
    assert len({vector["name"] for vector in VECTORS}) == len(VECTORS)


def test_signs_as_openssl_does() -> None:
    secret = "whsec_QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUI="
    # printf '1800000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac "$secret"
    digest = "18359b37001c3509ccf58f0b2c951dbf909ba0287df36877471d97ca3e31c72a"
    assert sign([secret], 1_800_000_000, BODY) == f"t=1800000000,v1={digest}"


def test_a_secret_is_32_random_bytes_in_padded_base64() -> None:
    made = {generate_secret() for _ in range(100)}
    assert len(made) == 100
    for secret in made:
        prefix, _, encoded = secret.partition("_")
        raw = base64.b64decode(encoded, validate=True)
        assert (prefix, len(raw), base64.b64encode(raw).decode()) == ("whsec", 32, encoded)


def test_both_secrets_sign_during_a_rotation_the_current_one_first() -> None:
    current, previous = generate_secret(), generate_secret()
    header = sign([current, previous], 7, BODY)
    assert re.fullmatch(r"t=7,v1=[0-9a-f]{64},v1=[0-9a-f]{64}", header)
    assert header.startswith(sign([current], 7, BODY))
    for secret in (current, previous, [generate_secret(), previous]):
        assert verify_signature(BODY, header, secret, now=7)
    assert not verify_signature(BODY, header, generate_secret(), now=7)


def test_now_is_now_unless_said() -> None:
    secret = generate_secret()
    assert verify_signature(BODY, sign([secret], int(time.time()), BODY), secret)
    assert not verify_signature(BODY, sign([secret], int(time.time()) - 302, BODY), secret)


def test_the_tolerance_can_be_chosen() -> None:
    secret = generate_secret()
    header = sign([secret], 100, BODY)
    assert verify_signature(BODY, header, secret, 5, now=105)
    assert not verify_signature(BODY, header, secret, 5, now=106)
    assert not verify_signature(BODY, header, secret, now=float("nan"))


@pytest.mark.parametrize("secret", ["", [], [""], ("", "")])
def test_no_secret_believes_nobody(secret: Any) -> None:
    assert not verify_signature(BODY, sign(secret or [""], 7, BODY), secret, now=7)


def test_no_header_is_refused() -> None:
    assert not verify_signature(BODY, None, generate_secret())


def test_any_buffer_is_a_body() -> None:
    secret = generate_secret()
    for body in (bytearray(BODY), memoryview(BODY)):
        assert verify_signature(body, sign([secret], 7, BODY), secret, now=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("mine", [0, 1])
def test_the_library_of_standard_webhooks_believes_us(mine: int) -> None:
    secrets = [generate_secret(), generate_secret()]
    now = int(time.time())
    headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(now),
        "webhook-signature": standard_signature(secrets, "evt_1", now, BODY),
    }
    assert Webhook(secrets[mine]).verify(BODY, headers) == {"id": "evt_1"}
    with pytest.raises(WebhookVerificationError):
        Webhook(generate_secret()).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(secrets[mine]).verify(BODY, headers | {"webhook-id": "evt_2"})


def test_the_library_of_standard_webhooks_signs_alike_and_is_not_taken_for_ours() -> None:
    secret, now = generate_secret(), datetime.now(UTC).replace(microsecond=0)
    theirs = Webhook(secret).sign("evt_1", now, BODY.decode())
    t = int(now.timestamp())
    assert standard_signature([secret], "evt_1", t, BODY) == theirs
    digest = base64.b64decode(theirs.removeprefix("v1,")).hex()
    for header in (theirs, f"t={t},{theirs}", f"t={t},{theirs.replace(',', '=')}", f"t={t},v1={digest}"):
        assert not verify_signature(BODY, header, secret, now=t)


def test_importing_the_package_loads_no_other() -> None:
    script = "import sys, trilha; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(subprocess.check_output([sys.executable, "-c", script], text=True).split())
    assert {"click", "msgspec", "asyncpg", "litestar", "cryptography", "rich"}.isdisjoint(loaded)
