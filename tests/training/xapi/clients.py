"""A client of the learning record store, and statements to send."""

import hashlib
from typing import Any
from uuid import uuid4

import httpx2

from conftest import World
from trilha.access.xapi_keys import actions

VERB = "http://adlnet.gov/expapi/verbs/completed"
VOIDED = "http://adlnet.gov/expapi/verbs/voided"
ACTIVITY = "https://courses.example/nr35"


async def xapi_client(
    world: World, *scopes: str, version: str = "2.0.0", address: str = "127.0.0.1"
) -> httpx2.AsyncClient:
    """Returns a client with a new key of both scopes, unless others are named."""
    async with world.tx() as tx:
        issued = await actions.create(tx, "Test", list(scopes or actions.SCOPES))
    client = world.client(address=address)
    client.auth = (issued.xapi_key.key, issued.secret)
    client.headers["x-experience-api-version"] = version
    return client


def statement(**members: Any) -> dict[str, Any]:
    """Returns a statement of an agent of its own."""
    return {
        "id": str(uuid4()),
        "actor": {"objectType": "Agent", "mbox": f"mailto:{uuid4().hex}@example.com"},
        "verb": {"id": VERB, "display": {"en": "completed", "pt-BR": "concluiu"}},
        "object": {"id": ACTIVITY, "definition": {"name": {"en": "Heights", "pt-BR": "Altura"}}},
    } | members


def reference(statement_id: str) -> dict[str, Any]:
    return {"objectType": "StatementRef", "id": statement_id}


def attachment(content: bytes, **members: Any) -> dict[str, Any]:
    return {
        "usageType": "https://example.com/attachments/photo",
        "display": {"en": "Photo"},
        "contentType": "image/png",
        "length": len(content),
        "sha2": hashlib.sha256(content).hexdigest(),
    } | members


def multipart(
    *parts: tuple[dict[str, str], bytes], boundary: str = "b0undary"
) -> tuple[bytes, dict[str, str]]:
    """Returns a multipart/mixed body and its header."""
    pieces = [
        f"--{boundary}\r\n".encode()
        + "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode()
        + b"\r\n"
        + content
        + b"\r\n"
        for headers, content in parts
    ]
    body = b"".join(pieces) + f"--{boundary}--\r\n".encode()
    return body, {"content-type": f"multipart/mixed; boundary={boundary}"}


def binary(content: bytes) -> tuple[dict[str, str], bytes]:
    headers = {
        "Content-Type": "image/png",
        "Content-Transfer-Encoding": "binary",
        "X-Experience-API-Hash": hashlib.sha256(content).hexdigest(),
    }
    return headers, content
