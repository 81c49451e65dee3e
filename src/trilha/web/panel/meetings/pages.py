"""/admin/meetings"""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.training.meetings import actions, queries
from trilha.training.meetings.schema import KINDS, Credentials, Service, ServiceKind
from trilha.training.meetings.video_calls import MeetingFailed, MeetingServices
from trilha.web.panel.classes.words import MEETING_SERVICES
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Video calls", "The services that make links of video calls for sessions.")
ADDRESS = f"{HOME}/meetings"
MANAGE = may(Permission.KEYS_MANAGE)
NAMES = MEETING_SERVICES
# Why a request failed, and what to do.
REASONS = {
    "refused": N_("The service refused the credentials. Check them and save them again."),
    "not_permitted": N_("The app may not create meetings for the organizer. Grant it the permission."),
    "organizer_unknown": N_("The service does not know the organizer. Check the address."),
    "busy": N_("The service limits how many requests it takes. Trilha tries again."),
    "unavailable": N_("The service had an error. Trilha tries again."),
    "invalid_response": N_("The service answered in a way that Trilha does not understand."),
    "timeout": N_("The service did not answer in time. Trilha tries again."),
    "connection_failed": N_("The service could not be reached. Trilha tries again."),
    "address_not_allowed": N_("The server may not connect to the service. Ask your administrator."),
    "service_missing": N_("The service is no longer set up."),
}
_MAX_KEY = 64 * 1024
_MAX_FAILED = 50
say(
    service_key_invalid=N_("Choose the JSON key of a service account, as Google Cloud created it."),
    credentials_incomplete=N_("Fill in every field of the credentials."),
)
_Text = Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)]


class ServiceForm(Struct, frozen=True, kw_only=True):
    """Without any credentials, the present ones stay. Google has a `key`, the others the three texts."""

    organizer: Annotated[str, Meta(min_length=1, max_length=254, extra_json_schema=STORABLE)]
    account: _Text = ""
    client_id: _Text = ""
    secret: _Text = ""
    key: UploadedFile | None = None


def _check(kind: str) -> ServiceKind:
    """Raises NotFound."""
    if kind not in KINDS:
        raise NotFound("route_not_found")
    return kind


@routes.get("/meetings", access=MANAGE)
async def list_meeting_services(tx: Tx, view: PanelView) -> Html:
    """Show the services, and the sessions that have no link because a request failed."""
    return view.show(
        "panel/meetings/list.html",
        services={each.kind: each for each in await queries.list_services(tx)},
        names=NAMES,
        reasons=REASONS,
        failed=await queries.list_failed(tx, _MAX_FAILED),
    )


@routes.get("/meetings/{meeting_service}", access=MANAGE)
async def show_meeting_service(
    tx: Tx, view: PanelView, meeting_service: str, refusal: Refusal | None = None
) -> Html:
    """Ask for the credentials of a service and for the organizer."""
    kind = _check(meeting_service)
    service = await queries.find_service(tx, kind)
    if refusal is not None:  # a secret is not shown again
        refusal = Refusal({**refusal.values, "secret": "", "key": ""}, refusal.failure)
    begins = {"organizer": service.organizer if service else ""}
    return view.form(
        "panel/meetings/service.html", refusal, begins, kind=kind, name=NAMES[kind], service=service
    )


@routes.post("/meetings/{meeting_service}", access=MANAGE, max_body=256 * 1024, refused=show_meeting_service)
async def save_meeting_service(view: PanelView, meeting_service: str, form: ServiceForm) -> Answer:
    """Set up a service, or change it."""
    kind = _check(meeting_service)
    organizer = form.organizer.strip()
    if not organizer:
        raise invalid("organizer", "required")
    credentials = await _read(kind, form)
    async with view.changing() as tx:
        await actions.set_up(tx, kind, organizer, credentials)
    return view.lead(ADDRESS, N_("%(name)s was set up. Test it now."), name=NAMES[kind])


async def _read(kind: ServiceKind, form: ServiceForm) -> Credentials | None:
    """Reads the credentials of a form; None if it has none. Raises Invalid."""
    if kind == "google_meet":
        if form.key is None or form.key.size == 0:
            return None
        if form.key.size > _MAX_KEY:
            raise invalid("key", "service_key_invalid")
        return actions.read_service_key(await asyncio.to_thread(form.key.path.read_bytes))
    texts = [each.strip() for each in (form.account, form.client_id, form.secret)]
    if not any(texts):
        return None
    for name, text in zip(("account", "client_id", "secret"), texts, strict=True):
        if not text:
            raise invalid(name, "credentials_incomplete")
    return Credentials(*texts)


@routes.post("/meetings/{meeting_service}/test", access=MANAGE, max_body=8192)
async def check_meeting_service(
    view: PanelView, meeting_service: str, services: MeetingServices, form: Button
) -> Answer:
    """Sign in to a service, outside any transaction, and store how that ended."""
    kind = _check(meeting_service)
    async with view.reading() as tx:
        service = await actions.open_service(tx, kind)
    if service is None:
        raise NotFound("route_not_found")
    reason = None
    try:
        await services.check(view.tenant_id, service, view.database.clock())
    except MeetingFailed as error:
        reason = str(error)
    async with view.changing() as tx:
        await queries.note_result(tx, kind, reason)
    if reason is not None:
        return view.lead(ADDRESS, REASONS[reason], state="bad")
    return view.lead(ADDRESS, N_("%(name)s accepted the credentials."), name=NAMES[kind])


async def _find(tx: Tx, view: PanelView, kind: str) -> Service | None:
    return await queries.find_service(tx, _check(kind))


async def _remove(tx: Tx, kind: str) -> None:
    await actions.remove(tx, _check(kind))


SERVICE = Subject(
    routes=routes,
    path="/meetings/{meeting_service}",
    access=MANAGE,
    get=_find,
    types={"meeting_service": str},
    name=lambda service: NAMES[service.kind],
)
SERVICE.ask(
    "remove",
    _remove,
    N_("Remove %(name)s"),
    N_("Trilha forgets the credentials. Links that were already created stay in their sessions."),
    N_("Remove service"),
    N_("%(name)s was removed."),
    gone=True,
)
