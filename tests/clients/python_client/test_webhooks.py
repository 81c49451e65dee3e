"""The Python client accepts and refuses the same deliveries as the server's own function."""

import json
from base64 import b64decode
from typing import Any

import pytest

from markdown_pages import ROOT
from trilha.platform.webhooks.delivery.signing import generate_secret, sign
from trilha_client import webhooks

VECTORS: list[dict[str, Any]] = json.loads((ROOT / "docs" / "webhook-vectors.json").read_text())["vectors"]
BODY = b'{"id":"evt_0f8fad5bd9cb469fa16570867728950e","type":"user.created","data":{"user_id":"x"}}'
NOW = 1_800_000_000


def test_judges_every_vector() -> None:
    verdicts = {
        each["name"]: webhooks.verify(
            b64decode(each["body_base64"]), each["header"], each["secret"], now=each["now"]
        )
        for each in VECTORS
    }
    assert verdicts == {each["name"]: each["expected"] for each in VECTORS}
    assert not webhooks.verify(BODY, None, "x")


def test_the_secrets_of_a_rotation_are_accepted() -> None:
    old, new, other = (generate_secret() for _ in range(3))
    signature = sign([new, old], NOW, BODY)
    for secret in (old, new, [other, old], [new]):
        assert webhooks.verify(BODY, signature, secret, now=NOW)
    assert not webhooks.verify(BODY, signature, other, now=NOW)
    assert not webhooks.verify(BODY, signature, ["", other], now=NOW)


def test_the_tolerance_can_be_chosen() -> None:
    secret = generate_secret()
    signature = sign([secret], NOW, BODY)
    assert not webhooks.verify(BODY, signature, secret, tolerance=10, now=NOW + 11)
    assert webhooks.verify(BODY, signature, secret, tolerance=3600, now=NOW + 3600)


def test_a_genuine_delivery_is_parsed_and_another_raises() -> None:
    secret = generate_secret()
    event = webhooks.parse(BODY, sign([secret], NOW, BODY), secret, now=NOW)
    assert event["type"] == "user.created"
    assert event["data"]["user_id"] == "x"
    with pytest.raises(webhooks.SignatureError):
        webhooks.parse(BODY + b" ", sign([secret], NOW, BODY), secret, now=NOW)
