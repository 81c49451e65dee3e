"""The panel's search for people."""

from typing import Any
from uuid import UUID

import pytest

from conftest import CPF, World
from trilha.core.errors import Invalid
from trilha.core.lists import fetch_page
from trilha.people.users.lists import PEOPLE
from trilha.people.users.reach import EVERYONE
from trilha.people.users.schema import PeopleQuery
from trilha.people.users.words import search_text

KNOWN = (
    ("Ana Conceição Lima", "ana@empresa.com", "A100"),
    ("José d'Ávila", "ze.avila@empresa.com", "A101"),
    ("Érica Souza-Lima", "erica@other.org", None),
    ("Łukasz Weiß", "lw@other.org", "007"),
)


@pytest.fixture
async def found(world: World) -> Any:
    for name, email, number in KNOWN:
        cpf = CPF if number == "007" else None
        await world.user(name=name, email=email, employee_number=number, cpf=cpf)

    async def find(q: str | None = None, **query: Any) -> list[str]:
        async with world.tx() as tx:
            page = await fetch_page(tx, PEOPLE, PeopleQuery(q=q, **query), EVERYONE)
        return [person.name.split()[0] for person in page.data]

    return find


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        *[(None, ["Ana", "Érica", "José", "Łukasz"]), ("conceicao", ["Ana"]), ("CONCEIÇÃO li", ["Ana"])],
        *[("lim", ["Ana", "Érica"]), ("lim an", ["Ana"]), ("lim jose", []), ("avila", ["José"])],
        *[("d'av", ["José"]), ("ze.av", ["José"]), ("erica@OTHER", ["Érica"]), ("a10", ["Ana", "José"])],
        *[("007", ["Łukasz"]), (CPF, ["Łukasz"]), ("52998224725", ["Łukasz"]), ("529982", [])],
        *[("e", ["Érica"]), ("ed", []), ("%", []), ("a' OR '1'='1", []), ("   ", None)],
    ],
)
async def test_finds_by_the_beginnings_of_words(found: Any, typed: str | None, names: list[str]) -> None:
    assert await found(typed) == (names if names is not None else ["Ana", "Érica", "José", "Łukasz"])


async def test_what_is_changed_is_found_and_what_was_is_not(world: World, found: Any) -> None:
    async with world.tx() as tx:
        user = await tx.value("SELECT id FROM users WHERE tenant_id = :tenant AND employee_number = 'A100'")
    await world.http.patch(f"/v1/users/{user}", json={"name": "Bia Silva", "employee_number": None})
    assert (await found("ana"), await found("a100"), await found("bia si")) == (["Bia"], [], ["Bia"])


@pytest.mark.parametrize(
    "sort", ["name", "-name", "email", "-email", "created", "-created", "last_login", "-last_login"]
)
@pytest.mark.parametrize("q", [None, "pessoa", "pessoa si", "p"])
@pytest.mark.parametrize("filters", [{}, {"status": "ACTIVE"}])
async def test_pages_show_everybody_once(world: World, sort: str, q: str | None, filters: Any) -> None:
    for n in range(7):
        await world.user(name=f"Pessoa {'Silva' * (n % 2)}{n % 3} Si", email=f"pessoa{n}@x.com")
    seen: list[UUID] = []
    keys = []
    cursor = None
    async with world.tx() as tx:
        while True:
            query = PeopleQuery(q=q, sort=sort, limit=2, cursor=cursor, **filters)  # type: ignore[arg-type]
            page = await fetch_page(tx, PEOPLE, query, EVERYONE)
            seen += [person.id for person in page.data]
            keys += [getattr(person, _KEY[sort.lstrip("-")]) for person in page.data]
            cursor = page.next_cursor
            if cursor is None:
                break
        with pytest.raises(Invalid):
            await fetch_page(tx, PEOPLE, PeopleQuery(q="other", cursor="AAAA"), EVERYONE)
    assert len(seen) == len(set(seen)) == 7
    assert keys == sorted(keys, reverse=sort.startswith("-"))


_KEY = {"name": "name_key", "email": "email", "created": "created_at", "last_login": "last_login_key"}


@pytest.mark.parametrize("text", ["Ação", "ÀÉÎÕÜ ñ Ç", "Łukasz Weiß", "ﬁm Ⅷ", "İstanbul", "x\u0301Y"])
async def test_both_sides_read_text_alike(world: World, text: str) -> None:
    async with world.tx() as tx:
        made = await tx.value("SELECT search_text(:text) FROM (SELECT :tenant::uuid) AS t", text=text)
    assert made == search_text(text)
