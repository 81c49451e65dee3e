"""/calendar/{token}.ics: a person's due dates and sessions, or all sessions of a company, for calendar
programs. Whoever has the address can read it.
"""

import asyncio
import hashlib
from collections.abc import Sequence

from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Database
from trilha.core.errors import NotFound
from trilha.core.web.answers import Answer, Headers
from trilha.core.web.callers import PUBLIC, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.training.calendar_feeds import events, rules, sessions, unscoped
from trilha.training.calendar_feeds.schema import FeedOwner
from trilha.web.learn.calendar.icalendar_format import build_calendar

PATH = "/calendar"
SUFFIX = ".ics"
# A program asks a few times a day. Many people's programs may ask from one address, that of their provider.
LIMIT_PER_FEED = Limit(60, 900)
routes = Routes("Calendar", "A person's due dates and sessions as a calendar.")


@routes.get("/{name}", access=PUBLIC)
async def get_calendar(request: Request, database: Database, address: PublicAddress, name: str) -> Answer:
    """Get the calendar of a token. Unknown tokens, and those of suspended people, are not found."""
    owner = await _find_owner(database, name)
    async with database.transaction(owner.tenant_id, read_only=True) as tx:
        is_own = owner.kind == "own"
        listed = await events.list_events(tx, owner.user_id, owner.locale) if is_own else []
        met = await sessions.list_sessions(tx, owner)
    # Thousands of sessions take seconds.
    content = await asyncio.to_thread(build_calendar, owner, listed, met, address)
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers: Headers = [
        (b"etag", etag.encode()),
        (b"content-type", b"text/calendar; charset=utf-8"),
        (b"content-disposition", b'inline; filename="trilha.ics"'),
    ]
    if etag in (request.header(b"if-none-match") or ""):
        return Answer(304, None, headers[:1])
    return Answer(200, content, headers)


async def _find_owner(database: Database, name: str) -> FeedOwner:
    token = name.removesuffix(SUFFIX)
    if token == name or not rules.is_well_formed(token):
        raise NotFound("route_not_found")
    async with database.unscoped() as connection:
        owner = await unscoped.find_owner(connection, rules.compute_digest(token))
    if owner is None:
        raise NotFound("route_not_found")
    return owner


def surface(limit: Limit) -> Surface:
    """Builds the surface. `limit` counts the requests from one address."""

    def limits(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        feed = hashlib.sha256(request.path.encode()).hexdigest()[:32]
        return [
            Hit(f"calendar:{request.counted_as}", limit),
            Hit(f"calendar-feed:{feed}", LIMIT_PER_FEED),
        ]

    return Surface(
        name="calendar",
        prefixes=[PATH],
        features=[routes],
        limits=limits,
        headers={"cache-control": "private", "x-robots-tag": "noindex, nofollow"},
        https="redirect",
    )
