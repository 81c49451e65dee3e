"""/login/launch: from a link of the company's portal to the module that it opens."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.viewer import Viewer, viewer_of
from trilha.access.sessions import actions
from trilha.access.sessions import queries as sessions
from trilha.access.sessions.identity import LAUNCH_LINK
from trilha.access.sessions.schema import SignedInPerson
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import Unauthenticated
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC, Caller
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.kit import N_, lead, page_of, render, say
from trilha.platform.audit import queries as audit
from trilha.training.launch_links import queries
from trilha.training.launch_links.actions import build_fingerprint, find_tenant
from trilha.training.launch_links.schema import StoredLink
from trilha.web.login.pages import find_next_page

routes = Routes("Launch links", "Opens a module by a link of the company's portal.")
say(
    signed_in_by_link=N_(
        "A link of your company's portal has signed you in. To see this page, sign out and sign in yourself."
    )
)


class PresentedLink(Struct, frozen=True):
    """The token of a link. With `switch`, the person agreed to leave the session of somebody else."""

    token: Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema=STORABLE)]
    switch: bool = False


class UsedLink(Struct, frozen=True):
    """A link that was just used. `person` is the new session, None if the browser's own goes on."""

    link: StoredLink
    person: SignedInPerson | None
    slug: str


class OtherPersonSignedIn(Exception):
    """The browser has a live session of somebody else, who has not agreed to leave it."""

    def __init__(self, link: StoredLink) -> None:
        super().__init__()
        self.link = link


@routes.get("/launch", access=PUBLIC)
async def show_arrival(request: Request) -> Html:
    """Show the page whose script sends the token in the fragment. Nothing is used up before."""
    return render("login/launch_arrival.html", page_of(request))


@routes.post("/launch", access=PUBLIC, rate_limit=LAUNCH_LINK, max_body=8192)
async def open_link(
    request: Request, caller: Caller, form: PresentedLink, database: Database, sign_in: actions.SignIn
) -> Answer:
    """Use a link up, once: sign its learner in and redirect to the module.

    Somebody else's session in this browser is left only if the person agrees. A later attempt from another
    browser ends the session that the link has begun, because one of the two has stolen it.
    """
    tenant_id = await find_tenant(database, form.token)
    viewer = _find_viewer(caller)
    if tenant_id is None:
        return render("login/launch_link_invalid.html", page_of(request), status=422)
    try:
        used = await _use(database, tenant_id, request, form, viewer, sign_in)
    except OtherPersonSignedIn as other:
        return render(
            "login/launch_as_other.html",
            page_of(request),
            link=other.link,
            viewer=viewer,
            token=form.token,
        )
    except Unauthenticated:
        used = None
    if used is None:
        return render("login/launch_link_invalid.html", page_of(request), status=422)
    module = f"/learn/enrollments/{used.link.enrollment_id}/modules/{used.link.module_id}"
    if used.person is None:
        return lead(request, module)
    await sign_in.settle(request, caller, used.person.session, used.slug, used.person.user.email)
    return lead(request, find_next_page(used.person.user.role, used.person.unfinished, module))


async def _use(
    database: Database,
    tenant_id: UUID,
    request: Request,
    form: PresentedLink,
    viewer: Viewer | None,
    sign_in: actions.SignIn,
) -> UsedLink | None:
    """Raises OtherPersonSignedIn, and Unauthenticated if the person was suspended or has changed."""
    actor = Actor("launch_link", "", request.source)
    async with database.transaction(tenant_id, actor=actor) as tx:
        fingerprint = build_fingerprint(tx.keyring, form.token)
        link = await queries.find_usable(tx, fingerprint)
        if link is None:
            await _end_stolen(tx, fingerprint, viewer)
            return None
        if viewer is not None and viewer.user_id != link.user_id and not form.switch:
            raise OtherPersonSignedIn(link)
        if viewer is not None and viewer.user_id == link.user_id and viewer.unfinished_step is None:
            await queries.use(tx, fingerprint, viewer.session_id, tx.now, begins=False)
            return UsedLink(link, None, "")
        account = await sessions.get_account(tx, link.user_id)
        if account.session_epoch != link.epoch or account.status != "ACTIVE" or account.role != "learner":
            raise Unauthenticated("invalid_login")
        slug = await sessions.get_slug(tx)
        person = await sign_in.by_link(tx, account, slug, request)
        await queries.use(tx, fingerprint, person.session.id, tx.now, begins=True)
        return UsedLink(link, person, slug)


async def _end_stolen(tx: Tx, fingerprint: bytes, viewer: Viewer | None) -> None:
    """Ends the session that a used link has begun, unless its own browser presents the link again."""
    session_id = await queries.find_session_of_used(tx, fingerprint)
    if session_id is None or (viewer is not None and viewer.session_id == session_id):
        return
    if (user_id := await sessions.delete_any(tx, session_id)) is not None:
        await audit.record(tx, "session.ended", user_id, reason="launch link used twice")


def _find_viewer(caller: Caller) -> Viewer | None:
    """Returns the viewer of a live session, finished or not, or None."""
    return None if caller.failure is not None or caller.credential is None else viewer_of(caller)
