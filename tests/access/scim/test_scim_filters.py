"""Filters find exactly what the library's own evaluator matches, or are refused."""

import asyncio
import random
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from access.scim.providers import ENT, Provider, U, check_error
from conftest import World
from trilha.access.scim.parameters import AttributeSelection, ListRequest
from trilha.access.scim.users import queries
from trilha.access.scim.users.resources import resource
from trilha.core.database import Tx
from trilha.people.users import actions as users
from trilha.people.users.schema import NewUser

WORDS = ["Ana", "ana", "ÁGUA", "água", "100%", "1_0", "x\\y", 'a"b', "z", "Zé Ninguém", "ana@example.com"]
TEXTS = [
    *(
        "userName",
        "externalId",
        "displayName",
        "title",
        "name.givenName",
        "name.familyName",
        "name.formatted",
    ),
    *("id", "emails", "emails.value", "emails.type", "meta.resourceType"),
    *(f"{ENT}:{name}" for name in ("employeeNumber", "department", "costCenter", "division", "organization")),
    f"{ENT}:manager.value",
]
OPERATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]
TIMES = ["2020-01-01T00:00:00Z", "2099-12-31T23:59:59.999Z", "2026-01-01T00:00:00+03:00"]


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


words = st.sampled_from(WORDS).flatmap(
    lambda word: st.sampled_from([word, word[:2], word[-2:], word.upper(), word.lower(), ""])
)
names = st.sampled_from([*TEXTS, *(name.upper() for name in TEXTS if ":" not in name)])
of_text = st.builds(
    lambda name, op, word: f"{name} {op} {quoted(word)}", names, st.sampled_from(OPERATORS), words
)
of_null = st.builds(lambda name, op: f"{name} {op} null", names, st.sampled_from(["eq", "ne"]))
present = st.builds(lambda name: f"{name} pr", st.sampled_from([*TEXTS, "active", "meta.created"]))
of_active = st.sampled_from(["active eq true", "active ne true", "active eq false", "ACTIVE EQ False"])
of_time = st.builds(
    lambda name, op, time: f'meta.{name} {op} "{time}"',
    st.sampled_from(["created", "lastModified"]),
    st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le"]),
    st.sampled_from(TIMES),
)
within = st.one_of(
    st.builds(
        lambda name, op, word: f"{name} {op} {quoted(word)}",
        st.sampled_from(["value", "type"]),
        st.sampled_from(OPERATORS),
        words,
    ),
    st.sampled_from(["primary eq true", "primary ne true", "primary pr", "type pr", 'type eq "work"']),
)
joins = st.sampled_from(["and", "or", "AND"])
inside = st.recursive(
    within,
    lambda each: st.one_of(
        st.builds(
            lambda one, join, other: f"({one} {join} {other})", each, st.sampled_from(["and", "or"]), each
        ),
        st.builds(lambda one: f"not ({one})", each),
    ),
    max_leaves=3,
)
of_values = st.builds(lambda each: f"emails[{each}]", inside)
filters = st.recursive(
    st.one_of(of_text, of_null, present, of_active, of_time, of_values),
    lambda each: st.one_of(
        st.builds(
            lambda one, join, other: f"({one} {join} {other})", each, st.sampled_from(["and", "or"]), each
        ),
        st.builds(
            lambda one, join, other: f"{one} {join} {other}", each, st.sampled_from(["AND", "or"]), each
        ),
        st.builds(lambda one: f"not ({one})", each),
    ),
    max_leaves=6,
)


def some_user(draw: random.Random, number: int) -> dict[str, Any]:
    def maybe(value: Any) -> Any:
        return value if draw.random() < 0.6 else None

    emails = [
        {
            "value": f"{draw.choice('abz')}{number}{part}@example.com",
            "type": maybe(part),
            "primary": maybe(True),
        }
        for part in draw.sample(["work", "home", "Other"], draw.randint(0, 3))
    ]
    for each in emails[1:]:
        each["primary"] = None
    return {
        "userName": f"{draw.choice(['Ana', 'água', 'z'])}{number}@example.com",
        "externalId": f"{draw.choice(['Ana', 'ana'])}{number}" if draw.random() < 0.6 else None,
        "name": {"givenName": maybe(draw.choice(WORDS)), "familyName": maybe(draw.choice(WORDS))},
        "displayName": maybe(draw.choice(WORDS)),
        "title": maybe(draw.choice(WORDS)),
        "active": draw.random() < 0.7,
        "emails": [{name: value for name, value in each.items() if value is not None} for each in emails],
        ENT: {
            "employeeNumber": maybe(draw.choice(WORDS)),
            "department": maybe(draw.choice(WORDS)),
            "costCenter": maybe(draw.choice(WORDS)),
            "division": maybe(draw.choice(WORDS)),
            "manager": maybe(draw.choice(WORDS)),
        },
    }


@pytest.fixture
async def people(provider: Provider, world: World) -> Any:
    """Creates people of every kind: some created or changed outside SCIM, and a deleted one."""
    draw = random.Random(7)
    ids = []
    for number in range(30):
        answer = await provider.post(some_user(draw, number))
        assert answer.status_code == 201, answer.text
        ids.append(answer.json()["id"])
    for name in ("Ana", "Ana  Água", "água de coco"):
        await world.user(name=name, department=name, email=f"{len(name)}@example.com")
    for id in ids[:4]:
        await world.http.patch(f"/v1/users/{id}", json={"name": "Zé Ninguém"})
    await provider.delete(ids[5])
    async with world.tx() as tx:
        await users.create(tx, NewUser(email="ana@root.example.com", name="ana"), None, role="admin")  # type: ignore[arg-type]


def library() -> Any:
    """Returns the library that evaluates filters. Importing it takes a second beside other tests."""
    return import_module("trilha.access.scim.library")


async def check(tx: Tx, everybody: list[tuple[str, Any]], text: str) -> None:
    reading = import_module("trilha.access.scim.reading")
    asked = ListRequest(
        filter=text,
        sort_by=None,
        descending=False,
        start=1,
        count=100,
        cursor=None,
        selection=AttributeSelection(),
    )
    page = await queries.list_page(tx, asked, reading.condition_of_users(text))
    wanted = library().UserFilter(text)
    assert {str(each.id) for each in page.rows} == {id for id, model in everybody if wanted.match(model)}, (
        text
    )


async def compare(world: World, examples: int, seed: int) -> None:
    async with world.tx() as tx:
        asked = ListRequest(
            filter=None,
            sort_by=None,
            descending=False,
            start=1,
            count=100,
            cursor=None,
            selection=AttributeSelection(),
        )
        rows = (await queries.list_page(tx, asked, None)).rows
    read = library().ScimUser.model_validate
    everybody = [(str(each.id), read(resource(each, "http://x"))) for each in rows]
    assert len(everybody) == 33
    texts: list[str] = []

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(filters)
    def collect(text: str) -> None:
        texts.append(text)

    await asyncio.to_thread(collect)
    # Filters that are refused because of their size are useless here.
    found = [text for text in dict.fromkeys(texts) if len(text) < 2048]
    assert len(found) > examples // 2
    async with world.tx() as tx:
        for text in found:
            await check(tx, everybody, text)


@pytest.mark.usefixtures("people")
async def test_finds_what_the_library_finds(world: World) -> None:
    await compare(world, 300, 1)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("people")
async def test_finds_what_the_library_finds_at_length(world: World) -> None:
    await compare(world, 10_000, 2)


async def test_long_filters_are_refused_at_once(provider: Provider) -> None:
    """Their length is checked before anything is parsed."""
    body = {"filter": " or ".join(["title pr"] * 50_000)}
    check_error(await provider.post(body, f"{U}/.search"), 400, "invalidFilter")
    deep = {"filter": "not(" * 10_000 + "title pr" + ")" * 10_000}
    check_error(await provider.post(deep, f"{U}/.search"), 400, "invalidFilter")
