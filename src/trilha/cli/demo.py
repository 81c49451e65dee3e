"""trilha demo: a tenant to try things on, in Brazilian Portuguese."""

import asyncio
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from validate_docbr import CNH, CPF

from trilha.api_keys import actions as api_keys
from trilha.api_keys import queries as api_key_queries
from trilha.cli.output import as_json, run, show
from trilha.core.clock import Clock, civil_date
from trilha.core.credentials import Scope
from trilha.core.database import Database, Tx
from trilha.core.files import write_own
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.types import Timestamp
from trilha.core.web.parsing import convert
from trilha.courses import actions as courses
from trilha.courses.schema import NewCourse
from trilha.enrollments import actions as enrollments
from trilha.enrollments.schema import NewEnrollment
from trilha.runtime import logins_of, make_database
from trilha.settings import Settings
from trilha.tenants import unscoped as tenants
from trilha.tenants.operator import operator
from trilha.tenants.schema import NewTenant
from trilha.users import actions as users
from trilha.users.schema import NewUser, User

SLUG = "demo"
ADMIN = "admin@demo.trilha.test"
_FIRST = (
    "Ana",
    "Bruno",
    "Camila",
    "Diego",
    "Elisa",
    "Fábio",
    "Gabriela",
    "Heitor",
    "Isabel",
    "João",
    "Karina",
    "Luís",
)
_LAST = (
    "Almeida",
    "Barbosa",
    "Cardoso",
    "Dias",
    "Esteves",
    "Farias",
    "Gonçalves",
    "Lima",
    "Moreira",
    "Souza",
)
_DEPARTMENTS = ("Logística", "Segurança do Trabalho", "Financeiro", "Recursos Humanos", "Operações")
_PLAIN = str.maketrans("áãâéíóõúç", "aaaeioouc")


@click.command()
@as_json
def demo(as_json: bool) -> None:
    """Make the demo tenant where it is missing, and show how to use it."""

    async def work(current: Settings, url: str) -> dict[str, Any]:
        return await _prepare(current, url)

    show(run(work), as_json)


def prepare(current: Settings, url: str) -> str:
    """Creates the demo tenant where it is missing; returns the text that shows how to use it."""
    access = asyncio.run(_prepare(current, url))
    password, key, address = access.get("admin_password", ""), access["key"], current.address
    return f"""
  Trilha is ready.

  API        {address}/v1
  Reference  {address}/docs
  Tenant     {SLUG}
  Sign-in    {ADMIN}   {password}
  API key    {key}

  Try:
    curl -H "Authorization: Bearer {key}" "{address}/v1/users?limit=3"

  Ctrl-C stops everything.
"""


async def _prepare(current: Settings, url: str) -> dict[str, Any]:
    database = make_database(current, logins_of(current, url))
    await database.open()
    try:
        secrets = _SecretsFile(Path(current.data_dir) / "demo.json")
        async with database.unscoped() as unscoped:
            tenant = await tenants.find_by_slug(unscoped, SLUG)
        if tenant is None:
            async with operator(url, database.clock) as each:
                raw = {"slug": SLUG, "name": "Transportes Aurora", "environment": "homologation"}
                tenant = await each.create(convert(NewTenant, raw, civil_date(database.clock())))
        if await _is_empty(database, tenant.id):
            secrets.save(admin_password=await _fill(database, tenant.id))
        if not (key := secrets.read().get("key")) or not await _is_key_valid(database, tenant.id, key):
            async with database.transaction(tenant.id) as tx:
                issued = await api_keys.create(tx, "Demo", list(Scope), prefix=current.api_key_prefix)
            secrets.save(key=issued.key)
        return {"tenant": SLUG, "admin": ADMIN, **secrets.read()}
    finally:
        await database.close()


class _SecretsFile:
    """The demo's password and API key, kept in the data folder to be printed at every start."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, str]:
        text = self._path.read_text() if self._path.exists() else ""
        stored: dict[str, str] = json.loads(text or "{}")
        return stored

    def save(self, **secrets: str | None) -> None:
        write_own(self._path, json.dumps(self.read() | secrets))


async def _is_empty(database: Database, tenant_id: UUID) -> bool:
    """True also after a wipe, and after a start that was killed before it was finished."""
    async with database.transaction(tenant_id, read_only=True) as tx:
        empty: bool = await tx.value("SELECT NOT EXISTS (SELECT FROM users WHERE tenant_id = :tenant)")
        return empty


async def _is_key_valid(database: Database, tenant_id: UUID, key: str) -> bool:
    async with database.transaction(tenant_id, read_only=True) as tx:
        return await api_key_queries.is_live(tx, tx.keyring.fingerprint(key))


async def _fill(database: Database, tenant_id: UUID) -> str | None:
    chance = random.Random(2026)  # noqa: S311
    password, everybodys = await hash_password(None), await hash_password("trilha-demo-2026")
    async with database.transaction(tenant_id) as tx:
        new = convert(NewUser, {"email": ADMIN, "name": "Administradora"}, tx.today)
        await users.create(tx, new, password, role="admin")
        people = [await _person(tx, number, chance, everybodys) for number in range(36)]
        regulated, plain = [await _course(tx, raw) for raw in _COURSES]
    await _enroll(database, tenant_id, people, regulated, plain)
    return password.temporary


async def _person(tx: Tx, number: int, chance: random.Random, password: HashedPassword) -> User:
    first, last = _FIRST[number % len(_FIRST)], _LAST[(number * 7 + number // 12) % len(_LAST)]
    raw: dict[str, Any] = {
        "email": f"{first}.{last}.{number:02}@aurora.test".lower().translate(_PLAIN),
        "name": f"{first} {last}",
        "role": "gestor" if number % 12 == 0 else "learner",
        "department": _DEPARTMENTS[number % len(_DEPARTMENTS)],
        "job_title": "Motorista" if number % 3 == 0 else "Analista",
        "employee_number": f"A{1000 + number}",
        "cpf": CPF().generate(),
        "phone": f"+55 11 9{chance.randrange(10**7, 10**8)}",
        "birth_date": f"{chance.randrange(1965, 2004)}-{chance.randrange(1, 13):02}-15",
    }
    if number % 3 == 0:
        validity = (tx.today + timedelta(days=chance.randrange(200, 2000))).isoformat()
        raw["cnh"] = {"numero": CNH().generate(), "categoria": "D", "validade": validity, "ear": True}
    return await users.create(tx, convert(NewUser, raw, tx.today), password)


async def _course(tx: Tx, raw: dict[str, Any]) -> UUID:
    course = await courses.create(tx, convert(NewCourse, raw, tx.today))
    return (await courses.publish(tx, course.id)).id


async def _enroll(
    database: Database, tenant_id: UUID, people: list[User], regulated: UUID, plain: UUID
) -> None:
    """Enrollments in every status, with dates in the last weeks."""
    present = datetime.now(UTC)
    drivers, others = people[::3], [each for n, each in enumerate(people) if n % 3]
    pairs = [(each, regulated, n) for n, each in enumerate(drivers)]
    pairs += [(each, plain, n) for n, each in enumerate(others)]
    for user, course, n in pairs:
        started = present - timedelta(days=30 - n % 20)
        expires = started + timedelta(days=5 if n % 4 == 3 else 60)
        await _play_out(
            database,
            tenant_id,
            NewEnrollment(user_id=user.id, course_id=course, expires_at=Timestamp.of(expires)),
            started,
            n % 4,
        )


async def _play_out(
    database: Database, tenant_id: UUID, new: NewEnrollment, started: datetime, outcome: int
) -> None:
    """One enrollment's history. Outcomes: 0 not started, 1 in progress, 2 completed, 3 expired."""

    def at(days: float) -> Clock:
        return lambda: started + timedelta(days=days)

    enrollment = None
    for days, step in enumerate(("enroll", "start", "advance", "end")):
        async with database.transaction(tenant_id, clock=at(days)) as tx:
            if step == "enroll":
                enrollment = await enrollments.enroll(tx, new)
            assert enrollment is not None
            if outcome == 0 or (outcome == 3 and step == "end"):
                continue
            if step == "start":
                await enrollments.start(tx, enrollment.id)
            elif step == "advance":
                await enrollments.advance(
                    tx, enrollment.id, 100.0 if outcome == 2 else 45.0, 88.0 if outcome == 2 else None
                )
            elif step == "end" and outcome == 2:
                await enrollments.complete(tx, enrollment.id)


_COURSES: list[dict[str, Any]] = [
    {
        "title": "Direção defensiva para motoristas profissionais",
        "slug": "direcao-defensiva",
        "description": "Prevenção de acidentes, condições adversas e legislação de trânsito.",
        "difficulty": "INTERMEDIATE",
        "duration_hours": 8,
        "tags": ["trânsito", "segurança"],
        "category": "Cursos regulamentados",
        "certificate_validity_months": 60,
        "regulation": {
            "kind": "traffic",
            "minimum_workload_minutes": 480,
            "minimum_score": 70,
            "sequential": True,
        },
        "modules": [
            {"title": "Condições adversas", "duration_minutes": 120, "body": "Chuva, neblina e noite."},
            {
                "title": "Distância de segurança",
                "duration_minutes": 120,
                "body": "A regra dos dois segundos.",
            },
            {"title": "Legislação", "duration_minutes": 240, "body": "O que diz o Código de Trânsito."},
        ],
    },
    {
        "title": "Boas-vindas à Transportes Aurora",
        "slug": "boas-vindas",
        "description": "Quem somos, como trabalhamos e com quem falar.",
        "difficulty": "BEGINNER",
        "duration_hours": 1.5,
        "tags": ["integração"],
        "modules": [
            {"title": "Nossa história", "duration_minutes": 30, "body": "Desde 1987 na estrada."},
            {
                "title": "Código de conduta",
                "duration_minutes": 60,
                "body": "Respeito, segurança e transparência.",
            },
        ],
    },
]
