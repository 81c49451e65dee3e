"""Statements for the learning record store: as requests with signatures, and in bulk by SQL."""

import base64
import hashlib
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from bench import traffic
from bench.company import TENANT
from trilha.training.xapi.identifiers import account_key, activity_key, verb_key
from trilha.training.xapi.signatures import USAGE

VERBS = ("launched", "initialized", "experienced", "answered", "progressed", "completed", "passed")
# Each agent has about 100 statements with each verb, however many there are.
_PER_AGENT = 100 * len(VERBS)
_LEARNERS, _ACTIVITIES, _QUESTIONS = 2_000, 300, 20
_HOME_PAGE = "https://learn.example.com"
_CATEGORY = "https://w3id.org/xapi/cmi5/context/categories/cmi5"
_VERSION = "x-experience-api-version: 2.0.0\r\n"
_CHUNK = 200_000
# The time of the first statement inserted by SQL, in microseconds since 1970
_FIRST_STORED = 1_710_000_000_000_000


def build_agent(number: int) -> dict[str, Any]:
    return {"objectType": "Agent", "account": {"homePage": _HOME_PAGE, "name": str(UUID(int=number))}}


def build_verb(name: str) -> str:
    return f"http://adlnet.gov/expapi/verbs/{name}"


class Signer:
    """A key with its certificate, which signs statements."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(65537, 2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Bench")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self._key.public_key())
            .serial_number(1)
            .not_valid_before(now)
            .not_valid_after(now + timedelta(days=1))
            .sign(self._key, hashes.SHA256())
        )
        chain = base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()
        self._header = _encode({"alg": "RS256", "x5c": [chain]})

    def sign(self, statement: dict[str, Any]) -> bytes:
        """Returns the JSON Web Signature of a statement, and adds it to the statement's attachments."""
        signed = b".".join((self._header, _encode(statement)))
        signature = self._key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        content = b".".join((signed, base64.urlsafe_b64encode(signature).rstrip(b"=")))
        description = {
            "usageType": USAGE,
            "display": {"en-US": "Signature"},
            "contentType": "application/octet-stream",
            "length": len(content),
            "sha2": hashlib.sha256(content).hexdigest(),
        }
        statement["attachments"] = [description]
        return content


def _encode(part: dict[str, Any]) -> bytes:
    return base64.urlsafe_b64encode(msgspec.json.encode(part)).rstrip(b"=")


def build_post(chance: random.Random, authorization: str, count: int, signer: Signer | None = None) -> bytes:
    """Builds a request that stores `count` statements. If there is a signer, it signs one in ten."""
    statements = [_build_statement(chance) for _ in range(count)]
    signatures = [signer.sign(each) for each in statements[::10]] if signer else []
    body = msgspec.json.encode(statements if count > 1 else statements[0])
    headers = f"authorization: {authorization}\r\n{_VERSION}"
    media = "application/json"
    if signatures:
        body = _build_multipart(body, signatures)
        media = "multipart/mixed; boundary=part"
    return traffic.request("POST", "/xapi/statements", headers, traffic.client(chance), body, media)


def _build_multipart(statements: bytes, signatures: list[bytes]) -> bytes:
    parts = [b"--part\r\nContent-Type: application/json\r\n\r\n" + statements]
    for each in signatures:
        head = (
            "--part\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n"
            f"X-Experience-API-Hash: {hashlib.sha256(each).hexdigest()}\r\n\r\n"
        )
        parts.append(head.encode() + each)
    return b"\r\n".join([*parts, b"--part--\r\n"])


def _build_statement(chance: random.Random) -> dict[str, Any]:
    """Builds a statement without an id, so that the server stores a new one whenever it is sent."""
    course = chance.randrange(_ACTIVITIES)
    return _describe(
        build_agent(chance.randrange(_LEARNERS)) | {"name": "Maria Aparecida dos Santos"},
        build_verb(chance.choice(VERBS)),
        _course(course),
        _question(course, chance.randrange(_QUESTIONS)),
        str(UUID(int=chance.getrandbits(128))),
    )


def _course(number: int) -> str:
    return f"https://learn.example.com/courses/{number}"


def _question(course: int, number: int) -> str:
    return f"{_course(course)}/questions/{number}"


def _describe(
    actor: dict[str, Any], verb: str, course: str, question: str, registration: str
) -> dict[str, Any]:
    """Builds a statement as large as those of real packages, with a result, a context and extensions."""
    return {
        "actor": actor,
        "verb": {"id": verb, "display": {"en-US": "answered", "pt-BR": "respondeu"}},
        "object": {
            "objectType": "Activity",
            "id": question,
            "definition": {
                "type": "http://adlnet.gov/expapi/activities/cmi.interaction",
                "name": {"pt-BR": "Qual é a distância mínima entre o trabalhador e a rede?"},
                "interactionType": "choice",
                "correctResponsesPattern": ["b"],
                "choices": [
                    {"id": each, "description": {"pt-BR": f"Alternativa {each}"}} for each in ("a", "b", "c")
                ],
            },
        },
        "result": {
            "score": {"scaled": 0.85, "raw": 85, "min": 0, "max": 100},
            "success": True,
            "response": "b",
            "duration": "PT12.34S",
        },
        "context": {
            "registration": registration,
            "language": "pt-BR",
            "platform": "Simulator",
            "contextActivities": {
                "parent": [{"objectType": "Activity", "id": course}],
                "category": [{"objectType": "Activity", "id": _CATEGORY}],
            },
            "extensions": {"https://w3id.org/xapi/cmi5/context/extensions/sessionid": registration},
        },
    }


def count_agents(statements: int) -> int:
    return max(1, statements // _PER_AGENT)


async def fill(url: str, start: int, end: int) -> None:
    """Inserts the statements numbered from `start` up to `end`, as the store writes them, with progress."""
    agents = range(count_agents(start) if start else 0, count_agents(end))
    verbs = [build_verb(each) for each in VERBS]
    courses = [_course(number) for number in range(_ACTIVITIES)]
    questions = [_question(course, n) for course in range(_ACTIVITIES) for n in range(_QUESTIONS)]
    names = [str(UUID(int=number)) for number in agents]
    template = _describe(build_agent(0), "@verb", "@course", "@question", "@registration")
    template["actor"]["account"]["name"] = "@agent"
    template["authority"] = build_agent(0)
    template |= {"id": "@id", "timestamp": "2024-03-09T16:00:00.000Z", "version": "2.0.0"}
    owner = await asyncpg.connect(url)
    try:
        for first in range(start, end, _CHUNK):
            last = min(first + _CHUNK, end)
            await owner.execute(
                _INSERT,
                *(TENANT, _FIRST_STORED, first, last - 1, msgspec.json.encode(template).decode()),
                *(names, [account_key(_HOME_PAGE, each) for each in names]),
                *(verbs, [verb_key(each) for each in verbs]),
                *(courses, [activity_key(each) for each in courses]),
                *(questions, [activity_key(each) for each in questions]),
                *(activity_key(_CATEGORY), account_key(_HOME_PAGE, str(UUID(int=0)))),
                timeout=600,
            )
            print(f"{last:,} of {end:,} statements inserted", flush=True)
        await owner.execute("VACUUM ANALYZE xapi_statements", timeout=3600)
        await owner.execute("VACUUM ANALYZE xapi_references", timeout=3600)
    finally:
        await owner.close()


_INSERT = """
    WITH picked AS MATERIALIZED (
        SELECT $2::bigint + n AS stored, gen_random_uuid() AS id, gen_random_uuid() AS registration,
               1 + floor(random() * cardinality($6::text[]))::integer AS agent,
               1 + floor(random() * cardinality($8::text[]))::integer AS verb,
               1 + floor(random() * cardinality($12::text[]))::integer AS question
        FROM generate_series($3::bigint, $4::bigint) AS n),
    new AS MATERIALIZED (
        SELECT *, 1 + (question - 1) / (cardinality($12::text[]) / cardinality($10::text[])) AS course
        FROM picked),
    refers AS (
        INSERT INTO xapi_references (tenant_id, key, stored, verb, is_direct)
        SELECT $1::uuid, r.key, new.stored, ($9::uuid[])[new.verb], r.is_direct
        FROM new, LATERAL (VALUES (($7::uuid[])[new.agent], true), (($13::uuid[])[new.question], true),
                                  (($11::uuid[])[new.course], false), ($14::uuid, false))
                      AS r (key, is_direct)
        UNION ALL
        SELECT $1::uuid, $15::uuid, new.stored, ($9::uuid[])[new.verb], false
        FROM new WHERE ($7::uuid[])[new.agent] <> $15::uuid)
    INSERT INTO xapi_statements (tenant_id, id, stored, verb, registration, voids, digest, content)
    SELECT $1::uuid, new.id, new.stored, ($9::uuid[])[new.verb], new.registration, false,
           uuid_send(gen_random_uuid()),
           replace(replace(replace(replace(replace(replace($5::text,
               '@id', new.id::text), '@agent', ($6::text[])[new.agent]), '@verb', ($8::text[])[new.verb]),
               '@course', ($10::text[])[new.course]), '@question', ($12::text[])[new.question]),
               '@registration', new.registration::text)
    FROM new
"""
