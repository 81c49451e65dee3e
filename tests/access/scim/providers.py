"""A provider's client, and the requests of real providers."""

import re
from typing import Any
from uuid import uuid4

import httpx2

from conftest import World
from trilha.access.scim.tokens import actions

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ENT = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"
SCIM = "application/scim+json"
U = "/scim/v2/Users"
G = "/scim/v2/Groups"


async def new_token(world: World, **options: Any) -> str:
    async with world.tx() as tx:
        return (await actions.create(tx, "Provider", **options)).token


class Provider:
    """Calls /scim/v2 with a token of the world's tenant."""

    def __init__(self, world: World, token: str, app: Any = None) -> None:
        self.world = world
        self.http = world.client(token, app)

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        headers = {"accept": SCIM} | options.pop("headers", {})
        if body is not None:
            headers.setdefault("content-type", f"{SCIM}; charset=utf-8")
            options["json"] = body
        answer = await self.http.request(method, path, headers=headers, **options)
        check_description(method, path, answer)
        return answer

    async def get(self, path: str, **params: Any) -> httpx2.Response:
        return await self.call("GET", path, params=params)

    async def filtered(self, text: str, path: str = U, **params: Any) -> httpx2.Response:
        return await self.get(path, filter=text, **params)

    async def found(self, text: str, path: str = U) -> list[str]:
        """Returns the ids that match a filter."""
        answer = await self.filtered(text, path)
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["Resources"]]

    async def post(self, body: Any, path: str = U, **options: Any) -> httpx2.Response:
        return await self.call("POST", path, body, **options)

    async def put(self, id: str, body: Any, path: str = U, **options: Any) -> httpx2.Response:
        return await self.call("PUT", f"{path}/{id}", body, **options)

    async def patch(self, id: str, *operations: Any, path: str = U, **options: Any) -> httpx2.Response:
        body = {"schemas": [PATCH_OP], "Operations": list(operations)}
        return await self.call("PATCH", f"{path}/{id}", body, **options)

    async def delete(self, id: str, path: str = U, **options: Any) -> httpx2.Response:
        return await self.call("DELETE", f"{path}/{id}", **options)

    async def events(self) -> list[str]:
        return [type for type, _ in await self.world.events() if type.startswith("user.")]

    async def user(self, **members: Any) -> dict[str, Any]:
        """Creates a user with this provider, a moment after the last one."""
        self.world.clock.move(seconds=1)
        answer = await self.post(a_user(**members))
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def group(self, **members: Any) -> dict[str, Any]:
        self.world.clock.move(seconds=1)
        body = {"schemas": [GROUP], "displayName": f"Grupo {uuid4().hex[:8]}"} | members
        answer = await self.post(body, G)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made


def check_description(method: str, path: str, answer: httpx2.Response) -> None:
    """Checks that the answer matches the description, where there is one."""
    # Imported here, because every test run imports this module, and building the descriptions takes half a
    # second.
    from openapi.described import SCIM as DOCUMENT

    within = re.sub("/(Users|Groups|ResourceTypes|Schemas)/[^/.]+$", _template, path.removeprefix("/scim/v2"))
    if f"{method} {within}" in DOCUMENT.operations and answer.status_code not in (304, 429):
        DOCUMENT.check(f"{method} {within}", answer)


def _template(found: re.Match[str]) -> str:
    names = {"Users": "user_id", "Groups": "group_id", "ResourceTypes": "name", "Schemas": "urn"}
    return f"/{found[1]}/{{{names[found[1]]}}}"


def a_user(**members: Any) -> dict[str, Any]:
    return {
        "schemas": [USER],
        "userName": f"{uuid4().hex}@example.com",
        "name": {"givenName": "Ana", "familyName": "Lima"},
        "active": True,
    } | members


def op(kind: str, path: str | None = None, value: Any = ...) -> dict[str, Any]:
    found: dict[str, Any] = {"op": kind}
    if path is not None:
        found["path"] = path
    if value is not ...:
        found["value"] = value
    return found


def check_error(answer: httpx2.Response, status: int, scim_type: str | None = None) -> None:
    """Checks the error format of RFC 7644 section 3.12."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == SCIM
    told = answer.json()
    assert told["schemas"] == [ERROR]
    assert told["status"] == str(status)
    assert told.get("scimType") == scim_type, told
    assert told["detail"]
