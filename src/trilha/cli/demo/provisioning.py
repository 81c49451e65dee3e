"""The requests of the company's identity provider: people it created, one who left, and a wrong request."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from uuid import UUID

from trilha.access.scim import request_log
from trilha.access.scim.request_log import LogEntry
from trilha.access.scim.tokens import actions as tokens
from trilha.access.scim.tokens import queries as token_queries
from trilha.access.scim.user_input import UserInput
from trilha.access.scim.users import actions as users
from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx

Play = Callable[[], Awaitable[object]]
_NAME = "Microsoft Entra ID"
_PROVIDER = "203.0.113.80"
_PEOPLE = (
    ("Helder", "Moura", "Analista de sistemas", "Tecnologia"),
    ("Priscila", "Antunes", "Coordenadora de frota", "Operações"),
    ("Wesley", "Nogueira", "Motorista de caminhão", "Operações"),
)


def steps(tx: Tx, company: Callable[[], Company]) -> Iterator[tuple[float, Play]]:
    """Yields the steps, each with how many days ago it happens."""
    provider = _Provider(tx, company)
    yield 8, provider.connect
    for number in range(len(_PEOPLE)):
        yield 7 - number, partial(provider.make, number)
    yield 3, provider.make_one_again
    yield 1, provider.suspend


class _Provider:
    def __init__(self, tx: Tx, company: Callable[[], Company]) -> None:
        self._tx = tx
        self._company = company
        self._token: UUID
        self._last: UUID

    async def connect(self) -> None:
        """Creates the token once, because a wipe keeps it."""
        self._tx.actor = Actor("session", str(self._company().admin.id), "203.0.113.24")
        known = [each.id for each in await token_queries.list_all(self._tx) if each.name == _NAME]
        self._token = known[0] if known else (await tokens.create(self._tx, _NAME)).scim_token.id

    async def make(self, number: int) -> None:
        """Looks the person up and then creates them, as Entra ID does."""
        self._act()
        kept = await users.create(self._tx, _build_user(number))
        self._last = kept.user.id
        await self._note("GET", "/Users", 200)
        await self._note("POST", "/Users", 201, changed=kept.changed, resource=kept.user.id)

    async def make_one_again(self) -> None:
        """Creates a person again whom the provider forgot."""
        await self._note("POST", "/Users", 409, scim_type="uniqueness")
        await self._note("GET", "/Users", 200)

    async def suspend(self) -> None:
        """Suspends a person who left."""
        self._act()
        locked = await users.lock(self._tx, self._last)
        left = _build_user(len(_PEOPLE) - 1, active=False)
        kept = await users.change(self._tx, locked, left, "")
        await self._note("PATCH", "/Users/{user_id}", 200, changed=kept.changed, resource=self._last)

    def _act(self) -> None:
        self._tx.actor = Actor("scim_token", str(self._token), _PROVIDER)

    async def _note(
        self,
        method: str,
        route: str,
        status: int,
        *,
        scim_type: str | None = None,
        changed: list[str] | None = None,
        resource: UUID | None = None,
    ) -> None:
        self._tx.now += timedelta(milliseconds=120)
        noted = LogEntry(self._token, self._tx.now, method, route, status, scim_type, changed or [], resource)
        await request_log.keep(self._tx, [noted])


def _build_user(number: int, *, active: bool = True) -> UserInput:
    first, last, title, department = _PEOPLE[number]
    address = f"{first}.{last}@aurora.test".lower()
    return UserInput(
        user_name=address,
        external_id=f"c1a7e0{number}",
        name={"givenName": first, "familyName": last},
        display_name=f"{first} {last}",
        title=title,
        active=active,
        emails=[{"value": address, "type": "work", "primary": True}],
        enterprise={"department": department, "employeeNumber": f"A30{number:02}"},
    )
