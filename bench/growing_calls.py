"""The calls of `bench.growth`: what integrators send, the nth time, to a tenant of so many people."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from bench.people import cpf
from bench.world import course_id, id_of, moment, user_id

# The numbers of what the seed has as NOT_STARTED, in the smaller tenant.
_OPEN = [n for n in range(10_000) if (n * 7 + n // 10) % 10 in (0, 1, 6)]
# Items of one call in bulk.
MANY = 200


@dataclass(frozen=True)
class Size:
    """`users` is also how many enrollments, events and deliveries there are."""

    name: str
    users: int
    courses: int


@dataclass(frozen=True)
class Call:
    """`path` and `body` are of the nth call, counted from 0; with `walk`, of the page after so many."""

    name: str
    path: Callable[[Size, int], str]
    body: Callable[[Size, int], Any] | None = None
    method: str = "GET"
    status: int = 200
    times: int = 60
    walk: int = 0
    free_ms: float = 0.0  # it may take so long whatever the ratio
    most_pages: float = 2.5  # as many times the pages at a million; an index has one level more there, or two


def _fixed(path: str) -> Callable[[Size, int], str]:
    return lambda _, __: path


def _number(size: Size, n: int) -> int:
    """One of the people, each time another, spread over all of them."""
    return random.Random(n).randrange(size.users)


def _list(query: str, **more: Any) -> Call:
    return Call(f"GET {query}", _fixed(f"/v1/{query}"), **more)


def _at(form: str) -> Callable[[Size, int], str]:
    """At a moment somewhere in the time of the tenant's people."""
    return lambda _, n: form.format(moment(random.Random(n).random()))


def _of(kind: str, form: str) -> Callable[[Size, int], str]:
    return lambda size, n: form.format(id_of(kind, _number(size, n)))


def _open_enrollment(n: int, skip: int = 0) -> UUID:
    """The nth that is NOT_STARTED and has not run out."""
    return id_of("enrollment", _OPEN[skip + n])


def _free(size: Size, n: int) -> Iterator[tuple[UUID, UUID]]:
    """People and courses that the seed has not brought together; each call others."""
    for number in range(n * MANY, (n + 1) * MANY):
        yield user_id(number % size.users), course_id((number * 31 + 1 + number // size.users) % size.courses)


def _pairs(size: Size, n: int) -> dict[str, Any]:
    return {
        "enrollments": [{"user_id": str(user), "course_id": str(course)} for user, course in _free(size, n)]
    }


def _completions(size: Size, n: int) -> dict[str, Any]:
    at = f"2023-01-{1 + n % 28:02}T10:00:00Z"
    return {
        "completions": [
            {"user_id": str(user), "course_id": str(course), "completed_at": at, "source": "Antigo"}
            for user, course in _free(size, n)
        ]
    }


def _people(size: Size, n: int) -> dict[str, Any]:
    """Known by their numbers; the department is another each time."""
    chosen = random.Random(n).sample(range(size.users), MANY)
    return {"users": [{"employee_number": str(each), "department": f"Outro {n}"} for each in chosen]}


def _new_people(_: Size, n: int) -> dict[str, Any]:
    numbers = range(n * MANY, (n + 1) * MANY)
    return {
        "users": [
            {"employee_number": f"N{each}", "email": f"new{each}@example.com", "name": f"Nova Pessoa {each}"}
            | {"cpf": cpf(100_000_000 + each)}
            for each in numbers
        ]
    }


_USERS = "users?limit=20"
_ENROLLMENTS = "enrollments?limit=20"
_UNIT = id_of("unit", 7)
CALLS = (
    Call("GET users?employee_number=", lambda s, n: f"/v1/users?employee_number={_number(s, n)}"),
    _list(f"{_USERS}&department=Departamento 3"),
    _list(f"{_USERS}&department=Arquivo"),
    _list(f"{_USERS}&business_unit_id={_UNIT}"),
    _list(f"{_USERS}&department=Departamento 3&business_unit_id={_UNIT}"),
    _list(f"{_USERS}&department=Arquivo&business_unit_id={_UNIT}"),
    Call("GET users?created_since=", _at("/v1/users?created_since={}")),
    _list(f"{_USERS}&q=m"),
    _list(f"{_USERS}&q=ma"),
    _list(f"{_USERS}&q=maria"),
    _list(f"{_USERS}&q=maria", walk=20),
    _list(f"{_USERS}&q=quiteria"),
    _list(f"{_USERS}&q=wilhelmina"),
    # Who has the one word and not the other is passed over in the index, and in a large company is not alone:
    # some thousands of its entries are looked at, however many there are.
    _list(f"{_USERS}&q=maria silva", most_pages=20, free_ms=4),
    _list(f"{_USERS}&q=quiteria silva", most_pages=20, free_ms=4),
    _list(f"{_USERS}&q=msilva"),
    Call("GET users?q=<address>", lambda s, n: f"/v1/users?q=new{_number(s, n)}@exa"),
    Call("GET users?q=<number>", lambda s, n: f"/v1/users?q={_number(s, n)}"),
    _list(f"{_USERS}&q=12"),
    _list(f"{_USERS}&q=maria&department=Departamento 3"),
    # What a filter and a word have in common is looked for among few, or among as many as it takes.
    _list(f"{_USERS}&q=maria&department=Arquivo", most_pages=10),
    _list(f"{_USERS}&q=wilhelmina&department=Departamento 3"),
    # Both are common in the larger one alone, where one in forty of those with the word is in the unit.
    _list(f"{_USERS}&q=ma&status=active&business_unit_id={_UNIT}", most_pages=10, free_ms=20),
    _list(f"{_USERS}&q=maria&updated_since=2024-06-01T00:00:00Z", most_pages=10),
    _list(f"{_USERS}&q=wilhelmina&updated_since=2024-01-01T00:00:00Z"),
    Call("POST users/search", _fixed("/v1/users/search"), lambda _, n: {"cpf": cpf(200_000_000 + n)}, "POST"),
    Call(
        "PATCH users/{id} email",
        _of("user", "/v1/users/{}"),
        lambda _, n: {"email": f"changed{n}@example.com"},
        "PATCH",
    ),
    Call("PUT users/bulk, changed", _fixed("/v1/users/bulk"), _people, "PUT", times=24),
    Call("PUT users/bulk, new", _fixed("/v1/users/bulk"), _new_people, "PUT", times=24),
    _list(f"{_ENROLLMENTS}&status=not_started,EXPIRED"),
    Call("GET enrollments?completed_since=", _at(f"/v1/{_ENROLLMENTS}&completed_since={{}}")),
    Call("GET enrollments?completed_before=", _at(f"/v1/{_ENROLLMENTS}&completed_before={{}}")),
    Call(
        "GET enrollments?completed_since&course_id",
        lambda s, n: f"/v1/enrollments?limit=5&completed_since=2024-06-01T00:00:00Z&course_id={course_id(n)}",
    ),
    Call(
        "GET enrollments?completed_since&user_id",
        lambda s, n: (
            f"/v1/{_ENROLLMENTS}&completed_since=2025-01-01T00:00:00Z&user_id={user_id(_number(s, n))}"
        ),
    ),
    Call("GET enrollments?expires_before=", _at(f"/v1/{_ENROLLMENTS}&expires_before={{}}")),
    _list(f"{_ENROLLMENTS}&expires_before=2100-01-01T00:00:00Z&status=in_progress"),
    Call("GET enrollments?created_since=", _at(f"/v1/{_ENROLLMENTS}&created_since={{}}")),
    Call(
        "PATCH enrollments/{id}",
        lambda _, n: f"/v1/enrollments/{_open_enrollment(n)}",
        lambda _, n: {"expires_at": f"2098-01-01T00:{n % 60:02}:00Z"},
        "PATCH",
    ),
    Call(
        "DELETE enrollments/{id}",
        lambda _, n: f"/v1/enrollments/{_open_enrollment(n, 300)}",
        method="DELETE",
        status=204,
    ),
    Call("POST enrollments/bulk", _fixed("/v1/enrollments/bulk"), _pairs, "POST", 201, times=24),
    Call("POST enrollments/import", _fixed("/v1/enrollments/import"), _completions, "POST", 201, times=24),
    Call("GET courses?slug=", lambda s, n: f"/v1/courses?slug=curso-{random.Random(n).randrange(s.courses)}"),
    _list(f"courses?category_id={id_of('category', 0)}"),
    _list(f"courses?category_id={id_of('category', 1)}"),
    _list("courses?q=seguranca"),
    # They are looked through, and are ten times as many.
    _list("courses?q=alquimia", most_pages=10, free_ms=2),
    _list("categories"),
    Call("GET events?after=", _of("event", "/v1/events?after=evt_{0.hex}")),
    Call("GET events?after=&type=", _of("event", "/v1/events?after=evt_{0.hex}&type=user.created")),
    _list(f"events?after=evt_{'0' * 32}"),
    Call("GET deliveries/{id}", _of("delivery", f"/v1/webhooks/{id_of('endpoint')}/deliveries/{{}}")),
    Call("GET enrollments/{id}", _of("enrollment", "/v1/enrollments/{}")),
)
