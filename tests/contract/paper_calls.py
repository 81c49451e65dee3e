"""Calls that return the error codes of templates, signatures and services for video calls. Only pages do."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import ed25519

from contract.meeting_calls import MEETING_CALLS
from contract.quiz_calls import Call, acting
from training.certificates.costly_identities import with_rounds_of_mac
from training.certificates.test_signatures import NOW, PASSWORD, archive
from trilha.core.database import Tx
from trilha.core.types import Name
from trilha.core.web.parsing import convert
from trilha.training.certificates.signatures import actions as signatures
from trilha.training.certificates.signatures import identities
from trilha.training.certificates.templates import actions, pictures, queries
from trilha.training.certificates.templates.schema import NewTemplate


def _writing(**members: Any) -> Call:
    async def write(tx: Tx) -> None:
        await actions.create(tx, convert(NewTemplate, {"name": "Padrão"} | members, tx.today))

    return acting(write)


def _showing(size: int) -> Call:
    async def show(_: Tx) -> None:
        pictures.read(Path(__file__), size, "logo")

    return acting(show)


def _signing(content: bytes, password: str = PASSWORD) -> Call:
    async def read_and_sign(tx: Tx) -> None:
        await signatures.put(tx, identities.read(content, password, tx.now))

    return acting(read_and_sign)


async def _write_twice(tx: Tx) -> None:
    for _ in range(2):
        await actions.create(tx, NewTemplate(name=Name("Padrão")))


async def _use_what_is_archived(tx: Tx) -> None:
    made = await actions.create(tx, NewTemplate(name=Name("Padrão")))
    await actions.archive(tx, made.id)
    await actions.make_default(tx, made.id)


PAPER_CALLS: dict[str, Call] = {
    **MEETING_CALLS,
    "unknown_placeholder": _writing(texts={"title": "{{salario}}"}),
    "too_little_contrast": _writing(colour="#ffff00"),
    "picture_missing": _writing(logo_from="own"),
    "picture_not_an_image": _showing(1),
    "picture_too_large": _showing(pictures.MAX_BYTES + 1),
    "template_name_exists": acting(_write_twice),
    "template_not_found": acting(lambda tx: queries.get(tx, uuid4())),
    "template_archived": acting(_use_what_is_archived),
    "identity_too_large": _signing(bytes(identities.MAX_BYTES + 1)),
    "identity_not_pkcs12": _signing(b"no archive"),
    "identity_wrong_password": _signing(archive(), "other"),
    "identity_too_costly": _signing(with_rounds_of_mac(archive())),
    "identity_without_key": _signing(archive(with_key=False)),
    "identity_weak_key": _signing(archive(ed25519.Ed25519PrivateKey.generate())),
    "identity_cannot_sign": _signing(archive(usage=False)),
    "identity_expired": _signing(archive(before=NOW - timedelta(days=9), days=1)),
    "identity_not_yet_valid": _signing(archive(before=NOW + timedelta(days=9))),
    "identity_not_found": acting(signatures.remove),
}
