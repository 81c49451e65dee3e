"""/admin/sessions/{id}/attendance/{user}/signature: a learner signs on the instructor's device."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.sessions import queries as accounts
from trilha.access.sessions.identity import SIGNATURE
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.passwords import is_password
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.people.users import queries as users
from trilha.training.classes.attendance_lists import signing
from trilha.training.signatures.drawings import MAX_TEXT
from trilha.web.panel.class_sessions.access import (
    READ,
    SENTENCES,
    get_person,
    list_trail_of_people,
    open_session,
)
from trilha.web.panel.view import PanelView

routes = Routes("Signatures", "Learners sign on the instructor's device.")
PROOFS = {
    "code": N_("Code on the learner's phone"),
    "password": N_("The learner's password"),
}
_SENTENCES = SENTENCES | {
    "wrong_password": N_("The password is wrong."),
    "personal_code_wrong": N_("The code is wrong or has expired. Type the one that the phone shows now."),
}
_Secret = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class SignatureForm(Struct, frozen=True, kw_only=True):
    """The learner's signature, and what proves that it is theirs."""

    proof: Literal["code", "password"] = "code"
    code: _Secret = ""
    password: _Secret = ""
    signature: Annotated[str, Meta(max_length=MAX_TEXT + 1000, extra_json_schema=STORABLE)] = ""


@routes.get("/sessions/{class_session_id}/attendance/{user_id}/signature", access=READ)
async def show_signature_form(
    tx: Tx, view: PanelView, class_session_id: UUID, user_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Shows the field to sign in, and asks who signs to prove who they are."""
    opened = await open_session(tx, view, class_session_id)
    person = await get_person(tx, opened, user_id)
    return view.form(
        "panel/class_sessions/signature.html",
        refusal,
        {"proof": "code"},
        _SENTENCES,
        opened=opened,
        session=opened.head,
        person=person,
        proofs=PROOFS,
        trail=list_trail_of_people(view, opened),
    )


@routes.post(
    "/sessions/{class_session_id}/attendance/{user_id}/signature",
    access=READ,
    refused=show_signature_form,
    rate_limit=SIGNATURE,
    max_body=128 * 1024,
)
async def sign(view: PanelView, class_session_id: UUID, user_id: UUID, form: SignatureForm) -> Answer:
    """Records the attendance of a person who has proven who they are, with their signature."""
    async with view.reading() as tx:
        opened = await open_session(tx, view, class_session_id)
        person = await get_person(tx, opened, user_id)
        hash = await _check_code_or_find_hash(tx, class_session_id, user_id, form)
    # Slow, and therefore outside the transaction.
    if form.proof == "password" and not await is_password(form.password, hash, view.tenant_id):
        raise invalid("password", "wrong_password")
    async with view.changing() as tx:
        await signing.sign(tx, user_id, class_session_id, form.signature, form.proof)
    return view.lead(f"{opened.path}/attendance", N_("%(name)s signed."), name=person.name)


async def _check_code_or_find_hash(
    tx: Tx, session_id: UUID, user_id: UUID, form: SignatureForm
) -> str | None:
    """Returns the hash of the person's password. Raises Invalid if their code is wrong."""
    if form.proof == "code":
        signing.check_personal_code(tx, session_id, user_id, form.code)
        return None
    account = await accounts.find_account(tx, (await users.get(tx, user_id)).email)
    return account.password_hash if account and account.id == user_id else None
