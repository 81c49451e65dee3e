"""/learn/calendar/subscribe"""

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Tx
from trilha.core.errors import Forbidden
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.calendar_feeds import actions, queries
from trilha.training.calendar_feeds.schema import FeedKind
from trilha.web.learn.calendar.feed import PATH, SUFFIX
from trilha.web.learn.view import LearnView

routes = Routes("My calendar", "The secret addresses of the viewer's calendars.")
HOME = "/learn/calendar/subscribe"
# An address works after the session: a launch link must not become one.
_ACCESS = may_oneself(Permission.LEARN)


class FeedForm(Struct, frozen=True):
    """Which calendar a button is about. Without a kind, it is the viewer's own."""

    kind: FeedKind = "own"


@routes.get("/calendar/subscribe", access=_ACCESS)
async def show_subscriptions(tx: Tx, view: LearnView) -> Html:
    """Explain the calendars, and offer to create, replace or remove their addresses."""
    user_id = view.viewer.user_id
    return view.show(
        "learn/calendar/calendar.html",
        created_at=await queries.find_created(tx, user_id),
        company_created_at=await queries.find_created(tx, user_id, "company"),
        is_admin=view.viewer.role == "admin",
    )


@routes.post("/calendar/subscribe", access=_ACCESS, max_body=8192)
async def create_subscription(tx: Tx, view: LearnView, address: PublicAddress, form: FeedForm) -> Html:
    """Create a secret address, or replace it, and show it, which happens only once."""
    if form.kind == "company" and view.viewer.role != "admin":
        raise Forbidden("not_permitted")
    token = await actions.create(tx, view.viewer.user_id, form.kind)
    secret = f"{address}{PATH}/{token}{SUFFIX}"
    # Calendar programs open this scheme, and fetch the address by HTTPS.
    webcal = f"webcal://{secret.partition('://')[2]}"
    return view.show("learn/calendar/address.html", secret=secret, webcal=webcal, kind=form.kind)


@routes.post("/calendar/subscribe/remove", access=_ACCESS, max_body=8192)
async def remove_subscription(tx: Tx, view: LearnView, form: FeedForm) -> Answer:
    """Remove an address. Programs that use it read nothing any more."""
    await queries.delete(tx, view.viewer.user_id, form.kind)
    return view.lead(HOME, N_("The address of your calendar was removed."))
