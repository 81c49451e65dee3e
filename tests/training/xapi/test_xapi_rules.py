"""What a statement may have, times, signatures and what makes two statements the same."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from training.xapi.clients import attachment, reference, statement
from trilha.core.errors import ApiError
from trilha.training.xapi import decoding, multipart, times
from trilha.training.xapi.actions import Submission, close
from trilha.training.xapi.queries import Link
from trilha.training.xapi.signatures import USAGE, check_signature
from trilha.training.xapi.statements import NewStatement, build_statement, digest_of, read_statement
from trilha.training.xapi.writer import split

AUTHORITY = {"objectType": "Agent", "account": {"homePage": "https://learn.example.com", "name": "key"}}
AGENT = {"mbox": "mailto:ana@example.com"}
GROUP = {"objectType": "Group", "member": [AGENT]}


def read(value: Any, *, is_second: bool = True) -> NewStatement:
    received = read_statement(json.dumps(value).encode(), is_second=is_second)
    return build_statement(received, AUTHORITY, datetime(2026, 1, 1, tzinfo=UTC), is_second=is_second)


def activity(**definition: Any) -> dict[str, Any]:
    return {"id": "https://example.com/a", "definition": definition}


VALID: list[dict[str, Any]] = [
    {"actor": GROUP},
    {"actor": {"objectType": "Group", "account": {"homePage": "https://a.b", "name": "x"}}},
    {"actor": {"mbox_sha1sum": "a" * 40}},
    {"object": AGENT | {"objectType": "Agent"}},
    {"object": reference(str(uuid4()))},
    {"object": activity(interactionType="choice", choices=[{"id": "a"}], correctResponsesPattern=["a"])},
    {"object": {"objectType": "SubStatement", "actor": AGENT, "verb": {"id": "a:b"}, "object": activity()}},
    {"result": {"score": {"scaled": -1, "raw": 0, "min": 0, "max": 10}, "duration": "P3Y6M4DT12H30M5.25S"}},
    {"result": {"duration": "P4W", "extensions": {"https://example.com/x": None}}},
    {"context": {"language": "zh-Hant-TW", "platform": "LMS", "team": GROUP}},
    {"context": {"contextAgents": [{"objectType": "contextAgent", "agent": AGENT}]}},
    {"timestamp": "2026-02-28T23:59:59.123456789-03:00"},
    {"version": "1.0.0"},
    {
        "attachments": [
            attachment(b"", fileUrl="https://example.com/f", contentType="text/plain; charset=utf-8")
        ]
    },
]
INVALID: list[dict[str, Any]] = [
    {"surprise": 1},
    {"id": "1"},
    {"actor": None},
    {"actor": {}},
    {"actor": AGENT | {"openid": "https://a.b"}},
    {"actor": AGENT | {"member": []}},
    {"actor": {"mbox": "ana@example.com"}},
    {"actor": {"objectType": "Group", "member": []}},
    {"actor": {"objectType": "Group", "member": [GROUP]}},
    {"actor": {"objectType": ["Agent"], **AGENT}},
    {"actor": {"account": {"homePage": "x", "name": "y"}}},
    {"verb": {"id": "completed"}},
    {"verb": {"id": "a:b", "display": {"a12345": "x"}}},
    {"verb": {"id": "http://adlnet.gov/expapi/verbs/voided"}},
    {"object": {"id": "a b"}},
    {"object": {"objectType": "Thing", "id": "a:b"}},
    {"object": reference("x")},
    {"object": activity(interactionType="guess")},
    {"object": activity(choices=[{"id": "a"}])},
    {"object": activity(interactionType="choice", choices=[{"id": "a"}, {"id": "a"}])},
    {"object": activity(interactionType="choice", scale=[{"id": "a"}])},
    {"object": {"objectType": "SubStatement", "id": str(uuid4()), **statement()}},
    {"result": {"score": {"scaled": 1.1}}},
    {"result": {"score": {"raw": True}}},
    {"result": {"score": {"raw": 11, "max": 10}}},
    {"result": {"success": "yes"}},
    {"result": {"duration": "P"}},
    {"result": {"duration": "PT"}},
    {"result": {"duration": "5 minutes"}},
    {"result": {"extensions": {"x": 1}}},
    {"context": {"registration": "x"}},
    {"context": {"instructor": {"objectType": "Group"}}},
    {"context": {"contextActivities": {"uncle": []}}},
    {"context": {"contextAgents": [{"objectType": "contextAgent", "agent": AGENT, "relevantTypes": []}]}},
    {"context": {"revision": "1"}, "object": reference(str(uuid4()))},
    {"timestamp": "yesterday"},
    {"timestamp": "2026-02-30T00:00:00Z"},
    {"timestamp": "2026-02-28T00:00:00-00:00"},
    {"timestamp": "0001-01-01T00:00:00+14:00"},
    {"version": "0.9"},
    {"authority": GROUP},
    {"attachments": [attachment(b"", sha2="x")]},
    {"attachments": [attachment(b"", length=-1)]},
    {"attachments": [attachment(b"", contentType="a/b\r\n;x")]},
]


@pytest.mark.parametrize("members", VALID)
def test_what_is_accepted(members: dict[str, Any]) -> None:
    assert read(statement(**members)).content


@pytest.mark.parametrize("members", INVALID)
def test_what_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as caught:
        read(statement(**members))
    assert caught.value.code == "invalid_statement"
    assert caught.value.detail["problem"].startswith("statement")


def test_agents_of_the_context_are_of_version_2() -> None:
    with pytest.raises(ApiError):
        read(statement(context={"contextAgents": []}), is_second=False)


def test_what_makes_two_statements_the_same() -> None:
    one = statement(actor={"objectType": "Group", "member": [AGENT, {"mbox": "mailto:b@example.com"}]})
    same = one | {
        "actor": {"objectType": "Group", "member": one["actor"]["member"][::-1]},
        "object": one["object"] | {"objectType": "Activity"},
        "stored": "2020-01-01T00:00:00Z",
        "authority": AUTHORITY,
    }
    assert digest_of(one) == digest_of(same)
    assert digest_of(one) != digest_of(one | {"result": {"success": True}})
    short, long = ({"result": {"duration": each}} for each in ("PT1.25S", "PT1.2599S"))
    assert digest_of(one | short) == digest_of(one | long)


def test_single_context_activities_become_lists_and_nothing_else_changes() -> None:
    text = json.dumps(
        statement(context={"contextActivities": {"parent": {"id": "a:b"}, "other": []}, "platform": "é"})
    )
    received = read_statement(text.encode(), is_second=True)
    content = build_statement(received, AUTHORITY, datetime(2026, 1, 1, tzinfo=UTC), is_second=True).content
    assert b'"contextActivities":{"parent":[{"id": "a:b"}],"other":[]},"platform":"\\u00e9"' in content


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-05-04T12:00:00-05:00", "2026-05-04T17:00:00.000Z"),
        ("2026-05-04T12:00:00.5+0130", "2026-05-04T10:30:00.500Z"),
        ("2026-05-04T12:00Z", "2026-05-04T12:00:00.000Z"),
        ("2026-01-01T00:00:00.1234567+03", "2025-12-31T21:00:00.1234567Z"),
    ],
)
def test_times_in_utc(text: str, utc: str) -> None:
    assert times.to_utc(text) == utc


def test_microseconds_go_both_ways() -> None:
    for text in ("1969-12-31T23:59:59.999999Z", "2026-11-28T09:30:00.000001Z", "9999-12-31T23:59:59.999999Z"):
        micros = times.parse_timestamp(text)
        assert micros is not None
        assert times.format_microseconds(micros) == text


def certificate(key: rsa.RSAPrivateKey) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Ana")])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return base64.b64encode(made.public_bytes(serialization.Encoding.DER)).decode()


def of_unknown_version(certificate: str) -> str:
    """Returns a certificate with version 9 instead of 3."""
    der = base64.b64decode(certificate).replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x08", 1)
    return base64.b64encode(der).decode()


def sign(payload: Any, key: rsa.RSAPrivateKey, **header: Any) -> bytes:
    parts = [
        base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=")
        for each in ({"alg": "RS256"} | header, payload)
    ]
    signature = key.sign(b".".join(parts), padding.PKCS1v15(), hashes.SHA256())
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")])


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def test_signatures(key: rsa.RSAPrivateKey) -> None:
    one = statement()
    description = attachment(b"", usageType=USAGE, contentType="application/octet-stream")
    sent = one | {"attachments": [description]}
    chain = {"x5c": [certificate(key)]}
    check_signature(description, sign(one, key), sent)
    check_signature(description, sign(one, key, **chain), sent)
    stranger = rsa.generate_private_key(65537, 2048)
    for content in (
        b"",
        b"a.b",
        b"!.!.!",
        b"e30.e30.e30",
        sign(one, key, alg="HS256"),
        sign(one, key, alg="none"),
        sign(one, key, alg=["RS256"]),
        sign(statement(), key),
        sign(one | {"result": {"success": True}}, key),
        sign([], key),
        sign({"actor": 1}, key),
        sign({"actor": {}, "object": {}, "context": "abc"}, key),
        sign(one, stranger, **chain),
        sign(one, key, x5c=["AAAA"]),
        sign(one, key, x5c=[of_unknown_version(chain["x5c"][0])]),
        sign(one, key, x5c={}),
    ):
        with pytest.raises(ApiError):
            check_signature(description, content, sent)
    with pytest.raises(ApiError):
        check_signature(description | {"contentType": "text/plain"}, sign(one, key), sent)


def test_numbers_and_text_that_cannot_be_stored() -> None:
    for text in (
        b'"\\u0000"',
        b'"\\\\\\u0000"',
        b'"\\ud800"',
        b'"\xff"',
        b"1e400",
        b"1" * 400,
        b"[" * 50 + b"]" * 50,
        b'{"a": 1, "a": 1}',
        b'[{"b": {"a": ":", "c": 0, "\\u0061": 1}}]',
    ):
        with pytest.raises(ApiError):
            decoding.decode(text)
    assert decoding.decode(b'"\\\\u0000"') == "\\u0000"
    # What is in quoted text does not count.
    for quoted in ("1" * 400, "," * 20_000, "{[" * 20_000, ':\\"', "\\\\"):
        assert decoding.decode(json.dumps({"a": quoted, "b": [{"a": 1}]}).encode())["a"] == quoted
    assert decoding.decode(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_parts_go_both_ways() -> None:
    parts = [
        multipart.Part({"Content-Type": "application/json"}, b"{}"),
        multipart.Part({"X-Experience-API-Hash": "0"}, b"\r\n--x\r\n\x00"),
    ]
    body = multipart.join_parts(parts, "boundary")
    assert [each.content for each in multipart.split_parts(body, "boundary")] == [b"{}", b"\r\n--x\r\n\x00"]


def test_links_are_followed_from_both_ends() -> None:
    links = close([(3, 2)], [Link(2, 1, 1), Link(4, 3, 1)])
    assert set(links) == {Link(3, 2, 1), Link(3, 1, 2), Link(4, 2, 2), Link(4, 1, 3)}
    assert set(close([(1, 2), (2, 1)], [])) == {Link(1, 2, 1), Link(2, 1, 1)}


@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_costs_the_same_for_each_statement(step: int) -> None:
    links = close([(number, number + 1) for number in range(1, 101)][::step], [])
    assert {each.target for each in links if each.stored == 1} == set(range(2, 10))
    assert len(links) <= 100 * 8


def test_a_transaction_has_few_statements() -> None:
    one = read(statement())
    parts = split([Submission([one] * 900) for _ in range(5)])
    assert [len(each) for each in parts] == [2, 2, 1]
    assert split([Submission([one] * 5000)])
