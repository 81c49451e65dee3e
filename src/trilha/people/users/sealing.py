"""The stored forms of documents: masked, encrypted, and the fingerprint of a CPF."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.people.users.documents import Cpf, cpf_fingerprint
from trilha.people.users.schema import NewCnh

DOCUMENTS = ("cpf", "phone", "birth_date", "cnh")


def _declare(name: str) -> SealedColumn:
    return SealedColumn(
        kind=f"documents of people: {name}",
        table="users",
        column=f"{name}_sealed",
        keys={"id": "uuid"},
        context=lambda row: ("users", row["id"], name),
    )


SEALED_DOCUMENTS = tuple(map(_declare, DOCUMENTS))


def columns(tx: Tx, user_id: UUID, name: str, value: Any) -> dict[str, Any]:
    """Returns the columns of one document; for None, those that clear it."""
    stored: dict[str, Any] = {name: None, f"{name}_sealed": None}
    if value is not None:
        sealed = tx.keyring.seal(_plain_text(value), tx.tenant_id, "users", user_id, name)
        stored = {name: _mask(value), f"{name}_sealed": sealed}
    if name == "cpf":
        fingerprint = None if value is None else cpf_fingerprint(tx, value)
        stored |= {"cpf_fingerprint": fingerprint, "cpf_shared": False}
    return stored


def is_same(tx: Tx, user_id: UUID, name: str, sealed: bytes | None, value: Any) -> bool:
    """Returns whether the stored document equals this value."""
    before = sealed and tx.keyring.open(sealed, tx.tenant_id, "users", user_id, name)
    return before == (None if value is None else _plain_text(value))


def open_cpf(tx: Tx, user_id: UUID, sealed: bytes) -> Cpf:
    return Cpf(tx.keyring.open(sealed, tx.tenant_id, "users", user_id, "cpf"))


def _mask(value: Any) -> Any:
    if isinstance(value, NewCnh):
        clear: Mapping[str, Any] = {name: getattr(value, name) for name in ("categoria", "validade", "ear")}
        return {"numero": value.numero.masked_text, **clear}
    return value.masked_text


def _plain_text(value: Any) -> str:
    """Returns the text to encrypt. It contains every member, so that different documents have different
    texts.
    """
    if isinstance(value, NewCnh):
        return "|".join((value.numero, value.categoria, value.validade, str(value.ear)))
    return str(value)
