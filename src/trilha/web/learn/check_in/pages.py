"""/learn/check-in, and the signature by which a person checks in on their own device."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.permissions.viewer import check_own_sign_in
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.classes import attendance
from trilha.training.classes.attendance_lists import queries, signing
from trilha.training.classes.attendance_lists.schema import SessionHead
from trilha.training.signatures.drawings import MAX_TEXT
from trilha.web.learn.view import LearnView

routes = Routes("Check-in", "A person records that they are in the room.")
_ACCESS = may(Permission.LEARN)
_SENTENCES = {
    "check_in_code_invalid": N_("This code is no longer valid. Scan the code again."),
    "session_cancelled": N_("This session was canceled."),
    "outside_session": N_("You can check in only during the session."),
    "not_registered": N_("You have no place in this class. Talk to your instructor."),
    "already_checked_in": N_("Your attendance is already recorded."),
    "signature_missing": N_("Sign in the field. A dot is not enough."),
    "signature_not_readable": N_("The signature could not be read. Clear the field and sign again."),
}


class CodeQuery(Struct, frozen=True, kw_only=True):
    code: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


class CodeForm(Struct, frozen=True, kw_only=True):
    code: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] = ""


@routes.get("/check-in", access=_ACCESS)
async def show_check_in(
    tx: Tx, view: LearnView, caller: Caller, query: CodeQuery, refusal: Refusal | None = None
) -> Html:
    """Show the class of a code, and the button that checks in. Without a good code, say how to get one."""
    check_own_sign_in(caller)
    code = str(refusal.values.get("code", "")) if refusal else query.code
    place = await attendance.find_place(tx, code)
    return view.form(
        "learn/check_in/check_in.html",
        refusal,
        {"code": code},
        _SENTENCES,
        place=place,
        code=code,
        has_scanned=bool(code),
        running=await queries.list_running(tx, view.viewer.user_id),
    )


@routes.post("/check-in", access=_ACCESS, refused=show_check_in)
async def check_in(tx: Tx, view: LearnView, caller: Caller, form: CodeForm) -> Answer:
    """Check in to the session of a code."""
    check_own_sign_in(caller)
    await attendance.check_in(tx, view.viewer.user_id, form.code)
    return view.lead("/learn", N_("Your attendance was recorded. It counts until the session ends."))


class SignatureForm(Struct, frozen=True, kw_only=True):
    signature: Annotated[str, Meta(max_length=MAX_TEXT + 1000, extra_json_schema=STORABLE)] = ""


@routes.get("/sessions/{class_session_id}/signature", access=_ACCESS)
async def show_signature_form(
    tx: Tx, view: LearnView, caller: Caller, class_session_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show the field to sign in, during the session."""
    check_own_sign_in(caller)
    return view.form(
        "learn/check_in/signature.html",
        refusal,
        {},
        _SENTENCES,
        session=await _find_running(tx, view, class_session_id),
    )


async def _find_running(tx: Tx, view: LearnView, session_id: UUID) -> SessionHead:
    """Returns a session that is held now, in which the person has a place and no attendance yet. Raises
    NotFound.
    """
    for head in await queries.list_running(tx, view.viewer.user_id):
        if head.id == session_id:
            return head
    raise NotFound("class_session_not_found")


@routes.post(
    "/sessions/{class_session_id}/signature",
    access=_ACCESS,
    refused=show_signature_form,
    max_body=128 * 1024,
)
async def sign(
    tx: Tx, view: LearnView, caller: Caller, class_session_id: UUID, form: SignatureForm
) -> Answer:
    """Check in with a signature, for oneself."""
    check_own_sign_in(caller)
    await signing.sign(tx, view.viewer.user_id, class_session_id, form.signature, "session")
    return view.lead("/learn", N_("Your attendance was recorded. It counts until the session ends."))


@routes.get("/sessions/{class_session_id}/code", access=_ACCESS)
async def show_personal_code(tx: Tx, view: LearnView, caller: Caller, class_session_id: UUID) -> Html:
    """Show the code by which the person proves who they are on the instructor's device."""
    check_own_sign_in(caller)
    session = await _find_running(tx, view, class_session_id)
    code = signing.create_personal_code(tx, session.id, view.viewer.user_id)
    return view.show("learn/check_in/personal_code.html", session=session, code=f"{code[:4]} {code[4:]}")
