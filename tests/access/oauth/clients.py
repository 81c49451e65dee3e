"""A client of the token endpoint for tests."""

import base64
import json
from typing import Any
from urllib.parse import quote_plus

import httpx2

from conftest import World
from trilha.access.oauth import actions
from trilha.access.oauth.rules import client_name
from trilha.access.oauth.signing_keys import SigningKeys
from trilha.settings import Settings

ISSUER = Settings().address
GRANT = {"grant_type": "client_credentials"}


class Client:
    """A registered client, and its ways to authenticate."""

    def __init__(self, world: World, issued: Any) -> None:
        self.world = world
        self.id = issued.client.id
        self.name = client_name(issued.client.id)
        self.secret: str = issued.secret
        self.http = world.client()

    @property
    def basic(self) -> dict[str, str]:
        return basic(self.name, self.secret)

    @property
    def body(self) -> dict[str, str]:
        return {"client_id": self.name, "client_secret": self.secret}

    async def post(self, path: str, form: Any = None, **options: Any) -> httpx2.Response:
        """Posts to an endpoint, with HTTP Basic by default."""
        if "headers" not in options:
            options["headers"] = self.basic
        return await self.http.post(f"/oauth/{path}", data=form, **options)

    async def ask(self, **form: str) -> httpx2.Response:
        return await self.post("token", GRANT | form)

    async def token(self, **form: str) -> str:
        answer = await self.ask(**form)
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token

    async def introspect(self, token: str) -> Any:
        answer = await self.post("introspect", {"token": token})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def call(self, token: str, path: str = "/v1/users") -> httpx2.Response:
        return await self.http.get(path, headers={"authorization": f"Bearer {token}"})


async def new_client(world: World, *scopes: str, **options: Any) -> Client:
    async with world.tx() as tx:
        issued = await actions.create(tx, "Test", list(scopes or ("users:read", "courses:read")), **options)
    return Client(world, issued)


async def signing_key(world: World) -> Any:
    """Returns the server's own key pair."""
    keys = SigningKeys(world.database)
    return (await keys.signing()).key


def basic(name: str, secret: str) -> dict[str, str]:
    joined = f"{quote_plus(name)}:{quote_plus(secret)}".encode()
    return {"authorization": "Basic " + base64.b64encode(joined).decode()}


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns header and claims of a token without verifying it."""
    header, claims, _ = token.split(".")
    return unpacked(header), unpacked(claims)


def unpacked(part: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def packed(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def refused(answer: httpx2.Response, status: int, code: str) -> None:
    """Checks the error format of RFC 6749 section 5.2, and that no cache may store it."""
    assert (answer.status_code, answer.json()["error"]) == (status, code), answer.text
    assert set(answer.json()) <= {"error", "error_description"}
    assert answer.headers["content-type"] == "application/json;charset=UTF-8"
    assert (answer.headers["cache-control"], answer.headers["pragma"]) == ("no-store", "no-cache")
    assert ("www-authenticate" in answer.headers) == (status == 401)
    description = answer.json()["error_description"]
    assert all(c in "\x20\x21" or "\x23" <= c <= "\x5b" or "\x5d" <= c <= "\x7e" for c in description)
