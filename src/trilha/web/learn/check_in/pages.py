"""/learn/check-in"""

from typing import Annotated

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.access.permissions.viewer import check_own_sign_in
from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.classes import attendance
from trilha.web.learn.view import LearnView

routes = Routes("Check-in", "A person records that they are in the room.")
_ACCESS = may(Permission.LEARN)
_SENTENCES = {
    "check_in_code_invalid": N_("This code is no longer valid. Scan the code again."),
    "session_cancelled": N_("This session was canceled."),
    "outside_session": N_("You can check in only during the session."),
    "not_registered": N_("You have no place in this class. Talk to your instructor."),
    "already_checked_in": N_("Your attendance is already recorded."),
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
        "learn/check_in/check_in.html", refusal, {"code": code}, _SENTENCES, place=place, code=code
    )


@routes.post("/check-in", access=_ACCESS, refused=show_check_in)
async def check_in(tx: Tx, view: LearnView, caller: Caller, form: CodeForm) -> Answer:
    """Check in to the session of a code."""
    check_own_sign_in(caller)
    await attendance.check_in(tx, view.viewer.user_id, form.code)
    return view.lead("/learn", N_("Your attendance was recorded. It counts until the session ends."))
