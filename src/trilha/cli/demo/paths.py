"""The demo's learning paths and their people."""

from collections.abc import Mapping
from uuid import UUID

from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.training.learning_paths import actions, advancing
from trilha.training.learning_paths.schema import NewPath

_NEW_HERE = {
    "title": "Primeiros passos na Aurora",
    "description": "O que todo mundo aprende nas primeiras semanas, em qualquer ordem.",
}
_DRIVERS = {
    "title": "Formação de motoristas",
    "description": "Do acolhimento à direção econômica, um curso depois do outro.",
    "in_order": True,
    "deadline_days": 120,
}
_LEADERS = {"title": "Novas lideranças", "description": "Ainda em preparação."}


async def lay_out(tx: Tx, company: Company, courses: Mapping[str, UUID]) -> None:
    """Creates the paths. `courses` are by slug. The worker's part is done at once."""
    tx.actor = Actor("session", str(company.admin.id), "203.0.113.24")
    new_here = [courses[each] for each in ("boas-vindas", "lgpd", "incendio")]
    drivers = [courses[each] for each in ("boas-vindas", "direcao-defensiva", "direcao-economica")]
    await actions.create(tx, convert(NewPath, _LEADERS, tx.today))
    path = await actions.create(tx, convert(NewPath, _NEW_HERE, tx.today), new_here)
    await actions.publish(tx, path.id)
    await actions.assign_unit(tx, path.id, company.units["CD-CJM"])
    path = await actions.create(tx, convert(NewPath, _DRIVERS, tx.today), drivers)
    await actions.publish(tx, path.id)
    await actions.assign_people(tx, path.id, [each.id for each in company.drivers])
    await actions.assign_group(tx, path.id, company.groups["Produtos perigosos"])
    while await advancing.roll_out(tx):
        pass
