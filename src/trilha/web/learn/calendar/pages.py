"""/learn/calendar/subscribe"""

from msgspec import Struct

from trilha.access.permissions.roles import Permission, may_oneself
from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Tx
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.training.calendar_feeds import actions, queries
from trilha.web.learn.calendar.feed import PATH, SUFFIX
from trilha.web.learn.view import LearnView

routes = Routes("My calendar", "The secret address of the viewer's calendar.")
HOME = "/learn/calendar/subscribe"
# An address works after the session: a launch link must not become one.
_ACCESS = may_oneself(Permission.LEARN)


class Button(Struct, frozen=True):
    """A form without fields."""


@routes.get("/calendar/subscribe", access=_ACCESS)
async def show_calendar(tx: Tx, view: LearnView) -> Html:
    """Explain the calendar, and offer to create, replace or remove its address."""
    created_at = await queries.find_created(tx, view.viewer.user_id)
    return view.show("learn/calendar/calendar.html", created_at=created_at)


@routes.post("/calendar/subscribe", access=_ACCESS, max_body=8192)
async def create_calendar(tx: Tx, view: LearnView, address: PublicAddress, form: Button) -> Html:
    """Create the secret address, or replace it, and show it, which happens only once."""
    token = await actions.create(tx, view.viewer.user_id)
    secret = f"{address}{PATH}/{token}{SUFFIX}"
    # Calendar programs open this scheme, and fetch the address by HTTPS.
    webcal = f"webcal://{secret.partition('://')[2]}"
    return view.show("learn/calendar/address.html", secret=secret, webcal=webcal)


@routes.post("/calendar/subscribe/remove", access=_ACCESS, max_body=8192)
async def remove_calendar(tx: Tx, view: LearnView, form: Button) -> Answer:
    """Remove the address. Programs that use it read nothing any more."""
    await queries.delete(tx, view.viewer.user_id)
    return view.lead(HOME, N_("The address of your calendar was removed."))
