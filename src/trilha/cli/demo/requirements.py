"""The demo's mandatory training."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from trilha.cli.demo.people import Company
from trilha.core.credentials import Actor
from trilha.core.database import Tx
from trilha.core.web.parsing import convert
from trilha.people.custom_fields import actions as custom_fields
from trilha.people.custom_fields.schema import NewCustomField
from trilha.training.reminders import queries as reminders
from trilha.training.requirements import actions
from trilha.training.requirements.schema import NewRequirement


async def require(tx: Tx, company: Company, courses: Mapping[str, UUID]) -> None:
    """Creates the requirements; the worker does the rest. `courses` are by slug."""
    tx.actor = Actor("session", str(company.admin.id), "203.0.113.24")
    await _create_fields(tx)
    everybody: dict[str, Any] = {"all": []}
    logistics = {"field": "business_unit_id", "op": "under", "value": str(company.units["CD-CJM"])}
    late = {"due_on": (tx.today - timedelta(days=12)).isoformat()}  # so that there is somebody to remind
    for title, slug, rule, due, renew_months in (
        ("LGPD para todas as pessoas", "lgpd", everybody, {"due_days": 45}, 24),
        ("Incêndio no centro de distribuição", "incendio", {"all": [logistics]}, late, 12),
    ):
        raw = {"title": title, "rule": rule, "course_id": str(courses[slug])} | due
        await actions.create(tx, convert(NewRequirement, raw | {"renew_months": renew_months}, tx.today))
    # Otherwise the demo would send hundreds of reminders about enrollments of the past year.
    await reminders.postpone_schedules(tx, tx.now + timedelta(days=1))


async def _create_fields(tx: Tx) -> None:
    """Creates custom fields of people."""
    for raw in (
        {"key": "cost_center", "name": "Centro de custo", "type": "text"},
        {"key": "shift", "name": "Turno", "type": "choice", "choices": ["Dia", "Tarde", "Noite"]},
        {"key": "pis", "name": "PIS", "type": "text", "personal": True},
    ):
        await custom_fields.create(tx, convert(NewCustomField, raw, tx.today))
