"""/learn/enrollments/{id}/identity: asks for consent, and takes the photo that is due."""

import asyncio
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import HEADERS, N_, State, say
from trilha.training.identity import actions
from trilha.training.identity.actions import find_state
from trilha.training.identity.matching import FaceMatchers
from trilha.training.identity.photos import MAX_TEXT, read_face
from trilha.training.identity.rules import MAX_ATTEMPTS
from trilha.web.learn.identity import face_model
from trilha.web.learn.view import LearnView

routes = Routes("Identity", "Photos that confirm who takes a course.")
# Nobody who was signed in by a portal's link decides about their own face.
_ACCESS = may_oneself(Permission.LEARN)
_PATH = "/enrollments/{enrollment_id}/identity"
_POLICY = "camera=(self), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()"
_PAGE_HEADERS = {**HEADERS, "permissions-policy": _POLICY}
_FORM_BODY = 640 * 1024  # a photo as base64, with its percent signs
_MESSAGES = {
    "MATCHED": N_("Your identity was confirmed."),
    "DOUBTFUL": N_("Your photo was sent. An administrator will check it, and you can go on meanwhile."),
}
say(
    photo_not_readable=N_("The photo could not be read. Take another one."),
    no_face=N_("We see no face in the photo. Sit in the light and look at the camera."),
    several_faces=N_("We see more than one face in the photo. Take it alone."),
    invalid_descriptor=N_("The photo could not be read. Take another one."),
    identity_consent_required=N_("Decide first whether you agree to photos."),
    identity_text_changed=N_("The text has changed. Read it again before you decide."),
    identity_not_due=N_("No photo is needed now."),
    too_many_photos=N_("You took several photos already. An administrator will confirm your identity."),
    identity_photo_required=N_("Confirm your identity with a photo first."),
)


class ConsentForm(Struct, frozen=True):
    """`version` is that of the text on the page."""

    decision: Literal["agree", "refuse"]
    version: Annotated[int, Meta(ge=0)]


class PhotoForm(Struct, frozen=True):
    """`photo` is a JPEG as base64, `descriptor` a list of numbers as JSON, `faces` how many the browser
    saw.
    """

    photo: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
    faces: Annotated[int, Meta(ge=0, le=100)] = 1
    descriptor: Annotated[str, Meta(max_length=8000, extra_json_schema=STORABLE)] = ""


@routes.get(_PATH, access=_ACCESS, headers=_PAGE_HEADERS, errors=["enrollment_not_found"])
async def show_identity(
    tx: Tx, view: LearnView, enrollment_id: UUID, refusal: Refusal | None = None
) -> Html | Answer:
    """Ask for consent, or show the camera if a photo is due."""
    state = await find_state(tx, view.viewer.user_id, enrollment_id)
    back = f"/learn/enrollments/{enrollment_id}"
    if state is None:
        return view.lead(back)
    return view.form(
        "learn/identity/identity.html",
        Refusal({}, refusal.failure) if refusal else None,
        state=state,
        back=back,
        library="" if state.settings.service_url else face_model.get_library(),
        models=face_model.get_folder(),
        has_attempts=state.due is not None and state.due.attempts < MAX_ATTEMPTS,
    )


@routes.post(
    f"{_PATH}/consent", access=_ACCESS, max_body=4096, errors=["enrollment_not_found"], refused=show_identity
)
async def decide(tx: Tx, view: LearnView, enrollment_id: UUID, form: ConsentForm) -> Answer:
    """Store whether the person agrees to photos."""
    agreed = form.decision == "agree"
    await actions.decide_consent(tx, view.viewer.user_id, enrollment_id, form.version, agreed=agreed)
    if agreed:
        return view.lead(f"/learn/enrollments/{enrollment_id}/identity")
    message = N_("An administrator will confirm your identity in another way. You can go on meanwhile.")
    return view.lead(f"/learn/enrollments/{enrollment_id}", message, "info")


@routes.post(
    f"{_PATH}/photo",
    access=_ACCESS,
    max_body=_FORM_BODY,
    errors=["enrollment_not_found"],
    refused=show_identity,
    headers=_PAGE_HEADERS,
)
async def take_photo(view: LearnView, enrollment_id: UUID, form: PhotoForm, matchers: FaceMatchers) -> Answer:
    """Compare the photo, store it, and go on with the course."""
    user_id = view.viewer.user_id
    async with view.reading() as tx:
        prepared = await actions.prepare_photo(tx, user_id, enrollment_id)
    face = await asyncio.to_thread(
        read_face,
        form.photo,
        form.descriptor,
        form.faces,
        needs_descriptor=prepared.settings.service_url is None,
    )
    comparison = await actions.compare(matchers, view.tenant_id, prepared, face)
    async with view.changing() as tx:
        status = await actions.store_photo(tx, user_id, prepared, face, comparison)
    state: State = "ok" if status == "MATCHED" else "info"
    return view.lead(f"/learn/enrollments/{enrollment_id}", _MESSAGES[status], state)
