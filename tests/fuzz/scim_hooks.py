"""Tells schemathesis the ids of /scim/v2, and valid filters and paths."""

import itertools
import os
import random
from typing import Any
from uuid import uuid4

import httpx2
import schemathesis
from schemathesis import Case, HookContext

HTTP = httpx2.Client(
    base_url=os.environ["TRILHA_FUZZ_URL"] + "/scim/v2",
    headers={"authorization": f"Bearer {os.environ['TRILHA_FUZZ_SCIM']}"},
)
CALLS = itertools.count()
CHANCE = random.Random(2026)
ENT = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATHS = [
    *(
        "userName",
        "title",
        "active",
        "emails",
        "name.givenName",
        "displayName",
        "externalId",
        "members",
        "id",
    ),
    *(
        'emails[type eq "work"].value',
        'members[value eq "x"]',
        f"{ENT}:department",
        f"{ENT}:manager",
        "roles",
    ),
]
FILTERS = [
    *("userName pr", 'userName eq "x"', 'emails[type eq "work"]', "not (active eq true)", "members pr"),
    *('meta.created gt "2020-01-01T00:00:00Z"', 'title co "%" or externalId sw "a"', 'id eq "x"'),
]


def made(kind: str) -> str:
    """Returns the id of a new object."""
    name = f"{uuid4().hex}@example.com"
    body = {"userName": name} if kind == "Users" else {"displayName": name}
    return str(HTTP.post(f"/{kind}", json=body).raise_for_status().json()["id"])


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    number = next(CALLS)
    if case.path_parameters and number % 2 == 0:
        for name, kind in (("user_id", "Users"), ("group_id", "Groups")):
            if name in case.path_parameters:
                case.path_parameters[name] = made(kind)
    if isinstance(case.body, dict) and number % 3:
        _mend(case.body)
    if isinstance(case.query, dict) and "filter" in case.query and number % 3:
        case.query["filter"] = CHANCE.choice(FILTERS)
    if isinstance(case.query, dict):
        # The server refuses an address of more than 64 KiB before it chooses a surface.
        case.query |= {name: text[:1000] for name, text in case.query.items() if isinstance(text, str)}


def _mend(body: dict[str, Any]) -> None:
    if "filter" in body:
        body["filter"] = CHANCE.choice(FILTERS)
    if "userName" in body:
        body["userName"] = f"{uuid4().hex}@example.com"
    operations = body.get("Operations")
    for each in operations if isinstance(operations, list) else []:
        if isinstance(each, dict):
            each["op"] = CHANCE.choice(["add", "remove", "replace"])
            each["path"] = CHANCE.choice([*PATHS, each.get("path")])
