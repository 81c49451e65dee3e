"""The people of the demo's company, its units and groups, hired over the year."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from msgspec import Struct
from validate_docbr import CNH, CPF

from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword
from trilha.core.web.parsing import convert
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.people.users import actions as users
from trilha.people.users.actions import NewPerson
from trilha.people.users.schema import NewUser, User

ADMIN, MANAGER = "admin@demo.trilha.test", "gestor@demo.trilha.test"
INSTRUCTOR, LEARNER = "instrutor@demo.trilha.test", "colaborador@demo.trilha.test"
# Name, code, parent unit.
_UNITS = (
    ("Matriz", "MTZ", None),
    ("Administração", "MTZ-ADM", "MTZ"),
    ("Frota", "FRT", "MTZ"),
    ("Garagem Campinas", "FRT-CPS", "FRT"),
    ("Garagem Recife", "FRT-REC", "FRT"),
    ("Centro de Distribuição Cajamar", "CD-CJM", "MTZ"),
    ("Oficina", "OFC", "MTZ"),
)
# Where people work: unit, department, job title, how many of 24.
_PLACES = (
    ("FRT-CPS", "Operações", "Motorista de caminhão", 6),
    ("FRT-REC", "Operações", "Motorista de caminhão", 5),
    ("CD-CJM", "Logística", "Auxiliar de logística", 4),
    ("CD-CJM", "Logística", "Operador de empilhadeira", 2),
    ("OFC", "Manutenção", "Mecânico de veículos pesados", 3),
    ("MTZ-ADM", "Financeiro", "Analista financeiro", 2),
    ("MTZ-ADM", "Recursos Humanos", "Analista de RH", 2),
)
_GROUPS = (
    ("Brigada de incêndio", "Quem é chamado primeiro quando o alarme toca."),
    ("CIPA", "Comissão interna de prevenção de acidentes."),
    ("Produtos perigosos", "Motoristas que levam carga perigosa."),
    ("Lideranças", None),
)
_FIRST = (
    *("Ana", "Bruno", "Camila", "Diego", "Elisa", "Fábio", "Gabriela", "Heitor", "Isabel", "João", "Karina"),
    *("Luís", "Marina", "Nelson", "Otávia", "Paulo", "Raquel", "Sérgio", "Teresa", "Vítor", "Wesley", "Yara"),
)
_LAST = (
    *("Almeida", "Barbosa", "Cardoso", "Dias", "Esteves", "Farias", "Gonçalves", "Lima", "Moreira", "Nunes"),
    *("Oliveira", "Pereira", "Ramos", "Souza", "Teixeira", "Vieira", "Zanetti"),
)
_PLAIN = str.maketrans("áãâéíóõúç", "aaaeioouc")
DRIVER = "Motorista de caminhão"


class Company(Struct):
    """The company so far. `people` are learners in the order in which they were hired."""

    units: dict[str, UUID]
    groups: dict[str, UUID]
    admin: User
    managers: list[User]
    instructors: list[User]
    people: list[User]

    @property
    def drivers(self) -> list[User]:
        return [each for each in self.people if each.job_title == DRIVER]


async def create_company(tx: Tx, password: HashedPassword, chance: random.Random) -> Company:
    """Creates the company on its first day, with units, groups and leaders."""
    units: dict[str, UUID] = {}
    for name, code, above in _UNITS:
        raw = {"name": name, "code": code, "parent_id": str(units[above]) if above else None}
        units[code] = (await business_units.create(tx, convert(NewBusinessUnit, raw, tx.today))).id
    made = {}
    for name, description in _GROUPS:
        group = convert(NewLearningGroup, {"name": name, "description": description}, tx.today)
        made[name] = (await groups.create(tx, group)).id

    async def leader(email: str, name: str, role: Any, unit: str, job: str) -> User:
        raw = {"email": email, "name": name, "job_title": job, "business_unit_id": str(units[unit])}
        return await users.create(tx, convert(NewUser, raw, tx.today), password, role=role)

    admin = await leader(ADMIN, "Helena Prado", "admin", "MTZ-ADM", "Gerente de RH")
    managers = [
        await leader(MANAGER, "Marcos Tavares", "gestor", "FRT", "Gerente de frota"),
        await leader("cd@demo.trilha.test", "Denise Rocha", "gestor", "CD-CJM", "Gerente de CD"),
        await leader("oficina@demo.trilha.test", "Ivo Castilho", "gestor", "OFC", "Chefe de oficina"),
    ]
    for unit, manager in zip(("FRT", "CD-CJM", "OFC"), managers, strict=True):
        await business_units.set_managers(tx, units[unit], [manager.id])
    instructors = [
        await leader(INSTRUCTOR, "Sandra Queiroz", "instrutor", "MTZ-ADM", "Instrutora de trânsito"),
        await leader("seguranca@demo.trilha.test", "Rui Bastos", "instrutor", "OFC", "Técnico de segurança"),
    ]
    people = [await _learner(tx, units["FRT-CPS"], password)]
    return Company(units, made, admin, managers, instructors, people)


async def _learner(tx: Tx, unit: UUID, password: HashedPassword) -> User:
    """The learner whose sign-in is printed: a driver, so that the regulated courses are open to her."""
    raw = {
        "email": LEARNER,
        "name": "Caio Nascimento",
        "department": "Operações",
        "job_title": DRIVER,
        "business_unit_id": str(unit),
        "employee_number": "A0999",
        "cpf": CPF().generate(),
        "phone": "+55 19 98123-4567",
        "birth_date": "1991-04-12",
        "cnh": _licence(tx, 1400),
    }
    return await users.create(tx, convert(NewUser, raw, tx.today), password)


def _licence(tx: Tx, days: int) -> dict[str, Any]:
    validity = (tx.today + timedelta(days=days)).isoformat()
    return {"numero": CNH().generate(), "categoria": "E", "validade": validity, "ear": True}


async def hire(
    tx: Tx, company: Company, count: int, password: HashedPassword, chance: random.Random
) -> Sequence[User]:
    """Hires people, with two statements."""
    places = [place for place in _PLACES for _ in range(place[3])]
    first = len(company.people)
    raws = [_raw(tx, company, number, places, chance) for number in range(first, first + count)]
    new = [NewPerson(convert(NewUser, raw, tx.today), password) for raw in raws]
    hired = await users.create_many(tx, new)
    company.people += sorted(hired, key=lambda each: each.employee_number or "")
    return hired


def _raw(
    tx: Tx, company: Company, number: int, places: Sequence[Any], chance: random.Random
) -> dict[str, Any]:
    first, last = _FIRST[number % len(_FIRST)], _LAST[(number * 5 + number // 22) % len(_LAST)]
    unit, department, job, _ = places[(number * 7) % len(places)]
    raw: dict[str, Any] = {
        "email": f"{first}.{last}.{number:03}@aurora.test".lower().translate(_PLAIN),
        "name": f"{first} {last}",
        "department": department,
        "job_title": job,
        # Some people belong to no unit.
        "business_unit_id": None if number % 29 == 28 else str(company.units[unit]),
        "employee_number": f"A{1000 + number}",
        "cpf": CPF().generate(),
        "phone": f"+55 11 9{chance.randrange(10**7, 10**8)}",
        "birth_date": f"{chance.randrange(1965, 2004)}-{chance.randrange(1, 13):02}-15",
    }
    if job == DRIVER:
        # Every ninth license has expired by now.
        days = chance.randrange(330, 360) if number % 9 == 0 else chance.randrange(500, 2000)
        raw["cnh"] = _licence(tx, days)
    return raw


async def join_groups(tx: Tx, company: Company, chance: random.Random) -> None:
    drivers = [each.id for each in company.drivers]
    everybody = [each.id for each in company.people]
    members = {
        "Brigada de incêndio": chance.sample(everybody, min(14, len(everybody))),
        "CIPA": chance.sample(everybody, min(8, len(everybody))),
        "Produtos perigosos": drivers[::3],
        "Lideranças": [each.id for each in (*company.managers, *company.instructors)],
    }
    for name, ids in members.items():
        await groups.add_members(tx, company.groups[name], ids)
