"""/admin/identity: the queue of doubtful photos, and identities that are confirmed by hand."""

from uuid import UUID

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import Forbidden, NotFound, invalid
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.platform.audit import queries as audit
from trilha.training.identity import actions, photo_queries, queries, review_queries
from trilha.training.identity.rules import MAX_ATTEMPTS
from trilha.training.identity.schema import Reason
from trilha.web.panel.confirm import Button
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Identity", "Photos that wait for a decision, and identities that are confirmed by hand.")
PATH = f"{HOME}/identity"
ACCESS = may(Permission.IDENTITY_REVIEW)
say(identity_check_not_found=N_("Somebody has decided on this already."))


class ReasonForm(Struct, frozen=True, kw_only=True):
    reason: Reason


@routes.get("/identity", access=ACCESS)
async def show_queue(tx: Tx, view: PanelView) -> Html:
    """Show the photos that wait for a decision, and the people to identify in another way."""
    return view.show(
        "panel/identity/list.html",
        settings=await queries.get_settings(tx),
        checks=await review_queries.list_doubtful(tx),
        people=await review_queries.list_unconfirmed(tx),
        most=review_queries.MAX_LISTED,
        max_attempts=MAX_ATTEMPTS,
    )


@routes.get("/identity/{check_id}", access=ACCESS, errors=["identity_check_not_found"])
async def show_check(tx: Tx, view: PanelView, check_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show a photo beside the reference, with the forms to accept or refuse it."""
    check = await actions.get_doubtful(tx, check_id)
    return view.form(
        "panel/identity/check.html", refusal, {}, check=check, path=f"{PATH}/{check_id}", back=PATH
    )


@routes.get("/identity/{check_id}/pictures/{side}", access=ACCESS, errors=["identity_check_not_found"])
async def show_photo(view: PanelView, check_id: UUID, side: str) -> Answer:
    """Show the photo or the reference of a check that waits for a decision. Who looks at it is recorded."""
    async with view.changing() as tx:
        check = await actions.get_doubtful(tx, check_id)
        photo_id = {"photo": check.photo_id, "reference": check.reference_id}.get(side)
        photo = await photo_queries.find_photo(tx, photo_id) if photo_id is not None else None
        if photo is None:
            raise NotFound("identity_check_not_found")
        await audit.record(
            tx, "identity.photo_viewed", check.user_id, check.user_name, check_id=check_id, side=side
        )
    return Answer(200, photo, [(b"content-type", b"image/jpeg")])


@routes.post("/identity/{check_id}/accept", access=ACCESS, errors=["identity_check_not_found"])
async def accept(tx: Tx, view: PanelView, check_id: UUID, form: Button) -> Answer:
    """Say that the photo shows the person."""
    check = await actions.get_doubtful(tx, check_id)
    _check_other(view, check.user_id)
    await actions.accept(tx, check, view.viewer.user_id)
    return view.lead(PATH, N_("The photo was accepted."))


@routes.post(
    "/identity/{check_id}/refuse", access=ACCESS, errors=["identity_check_not_found"], refused=show_check
)
async def refuse(tx: Tx, view: PanelView, check_id: UUID, form: ReasonForm) -> Answer:
    """Say that the photo does not show the person, with a reason that the person reads."""
    check = await actions.get_doubtful(tx, check_id)
    await actions.refuse(tx, check, _strip(form.reason), view.viewer.user_id)
    return view.lead(PATH, N_("The photo was refused."))


@routes.get("/identity/enrollments/{enrollment_id}", access=ACCESS, errors=["identity_check_not_found"])
async def show_enrollment(
    tx: Tx, view: PanelView, enrollment_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Ask how the person was identified."""
    enrollment = await actions.get_unconfirmed(tx, enrollment_id)
    return view.form(
        "panel/identity/by_hand.html",
        refusal,
        {},
        enrollment=enrollment,
        path=f"{PATH}/enrollments/{enrollment_id}",
        back=PATH,
    )


@routes.post(
    "/identity/enrollments/{enrollment_id}",
    access=ACCESS,
    errors=["identity_check_not_found"],
    refused=show_enrollment,
)
async def confirm_by_hand(tx: Tx, view: PanelView, enrollment_id: UUID, form: ReasonForm) -> Answer:
    """Confirm the identity of a person in another way."""
    enrollment = await actions.get_unconfirmed(tx, enrollment_id)
    _check_other(view, enrollment.user_id)
    await actions.confirm_by_hand(tx, enrollment, _strip(form.reason), view.viewer.user_id)
    return view.lead(PATH, N_("The identity of %(name)s was confirmed."), name=enrollment.user_name)


def _strip(reason: str) -> str:
    if not reason.strip():
        raise invalid("reason", "too_short")
    return reason.strip()


def _check_other(view: PanelView, user_id: UUID) -> None:
    """Nobody confirms themself. Raises Forbidden (not_permitted)."""
    if user_id == view.viewer.user_id:
        raise Forbidden("not_permitted")
