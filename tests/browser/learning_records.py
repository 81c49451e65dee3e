"""Learning records for the companies whose pages are checked: usual ones, and those of careless programs."""

from typing import Any
from uuid import uuid4

import msgspec

from trilha.access.xapi_keys import actions as xapi_keys
from trilha.core.database import Tx
from trilha.training.xapi import actions
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.statements import NewStatement, build_statement, read_statement

_ADL = "http://adlnet.gov/expapi/verbs"
_AUTHORITY = {"objectType": "Agent", "account": {"homePage": "https://acme.example", "name": "xapi_key:1"}}


def _build(tx: Tx, value: dict[str, Any]) -> NewStatement:
    raw = {"id": str(uuid4()), "timestamp": "2026-11-20T12:30:00Z"} | value
    received = read_statement(msgspec.json.encode(raw), is_second=True)
    return build_statement(received, _AUTHORITY, tx.now, is_second=True)


def _about(name: str, iri: str, **more: Any) -> dict[str, Any]:
    return {"object": {"id": iri, "definition": {"name": {"pt-BR": name}, **more}}}


async def add_usual_records(tx: Tx) -> None:
    """Adds a key and the records of a simulator about people of the company."""
    await xapi_keys.create(tx, "Simulador de empilhadeira", ["xapi:write"])
    rows = await tx.rows(
        "SELECT email FROM users WHERE tenant_id = :tenant AND email IS NOT NULL ORDER BY email LIMIT 6"
    )
    kind = "http://adlnet.gov/expapi/activities/simulation"
    thing = _about("Empilhadeira: carga e descarga", "https://simuladores.example/empilhadeira/3", type=kind)
    records = []
    for number, row in enumerate(rows):
        actor = {"actor": {"mbox": f"mailto:{row['email']}"}}
        result = {"score": {"scaled": 0.7 + number / 20}, "success": True, "duration": "PT14M20S"}
        context = {
            "platform": "Simulador 3.2",
            "language": "pt-BR",
            "contextActivities": {"parent": [{"id": "https://simuladores.example/empilhadeira"}]},
        }
        records.append(_build(tx, {**actor, **thing, "verb": {"id": f"{_ADL}/launched"}, "context": context}))
        verb = {"id": f"{_ADL}/passed"}
        records.append(_build(tx, {**actor, **thing, "verb": verb, "result": result, "context": context}))
    wrong = {"objectType": "StatementRef", "id": str(records[-1].id)}
    actor = {"actor": {"mbox": f"mailto:{rows[0]['email']}"}}
    records.append(_build(tx, {**actor, "verb": {"id": f"{_ADL}/voided"}, "object": wrong}))
    await actions.record(tx, [Submission(records)])


async def add_long_records(tx: Tx, long: str, unbroken: str) -> None:
    """Adds keys and records with very long texts."""
    for name in (long, unbroken):
        await xapi_keys.create(tx, name[:120], ["xapi:read", "xapi:write"])
    photo = {
        "usageType": f"https://example.com/{unbroken}",
        "display": {"pt-BR": long},
        "contentType": "image/png",
        "length": 123_456_789,
        "sha2": "0" * 64,
        "fileUrl": f"https://example.com/{unbroken}",
    }
    value = {
        "actor": {"mbox": "mailto:a@example.com", "name": unbroken},
        "verb": {"id": f"https://example.com/verbs/{unbroken * 5}", "display": {"pt-BR": unbroken}},
        **_about(f"{long} {unbroken}", f"https://example.com/{unbroken * 8}"),
        "result": {"response": unbroken * 9, "score": {"raw": 123456.5, "max": 999999}},
        "context": {"platform": unbroken, "extensions": {f"https://example.com/{unbroken}": unbroken}},
        "attachments": [photo],
    }
    await actions.record(tx, [Submission([_build(tx, value)])])
