"""/admin"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_date
from msgspec import Struct

from trilha.api_keys.lists import KEYS
from trilha.api_keys.schema import KeyQuery
from trilha.certificates.lists import LISTED as CERTIFICATES
from trilha.certificates.schema import CertificateSearch
from trilha.certificates.signatures import queries as signatures
from trilha.core.database import Tx
from trilha.core.lists import Count, capped, count
from trilha.core.moments import Day
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.mail import daily_limits
from trilha.mail.daily_limits import ServerLimit, Usage
from trilha.mail.lists import MESSAGES
from trilha.mail.schema import MailQuery
from trilha.panel.view import HOME, PanelView
from trilha.people_import.lists import IMPORTS
from trilha.people_import.schema import ImportQuery
from trilha.reports import overview
from trilha.sessions.permissions import Permission, may
from trilha.users.reach import Reach
from trilha.webhooks import history as webhooks

routes = Routes("Overview", "How the tenant's training stands.")
_WEEK = timedelta(days=7)
_SIGNATURE_SOON = timedelta(days=30)


class DeadLetters(Struct, frozen=True):
    """Deliveries that were given up, and the list of them."""

    count: Count
    to: str
    address: str


class Operations(Struct, frozen=True):
    """What went wrong, or soon will, in what administrators run. `since` is the first day of it."""

    since: str = ""
    dead_letters: Sequence[DeadLetters] = ()
    failed_imports: Count = Count(0)
    failed_mail: Count = Count(0)
    expiring_keys: Count = Count(0)
    invitations: Usage | None = None  # where today's limit is reached, or nearly so

    @property
    def any(self) -> bool:
        return any(
            (self.dead_letters, self.failed_imports, self.failed_mail, self.expiring_keys, self.invitations)
        )


class Papers(Struct, frozen=True):
    """Certificates that ask for something to be done."""

    failed: Count = Count(0)
    expiring: Count = Count(0)
    renewal: Count = Count(0)
    signature_ends: Timestamp | None = None  # of what they are signed with, where that is soon

    @property
    def any(self) -> bool:
        return any((self.failed, self.expiring, self.renewal, self.signature_ends))


@routes.get("", access=may(Permission.DASHBOARD_READ))
async def show_dashboard(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Html:
    """What needs attention first."""
    reach = Reach(view.viewer.role, view.viewer.user_id)
    shown = await overview.get(tx, reach)
    months = [(_short(month, view), count) for month, count in shown.completions.items()]
    return view.show(
        "panel/dashboard/overview.html",
        attention=shown.attention,
        operations=await _operations(tx, view, mail_limit) if reach.is_everyone else Operations(),
        papers=await _papers(tx, view, reach),
        totals=shown.totals,
        begins=reach.is_everyone and (shown.totals.people.total < 2 or not shown.totals.courses),
        counted_at=shown.counted_at,
        months=months,
        this_month=months[-1][1],
        completed=sum(count for _, count in months),
    )


async def _papers(tx: Tx, view: PanelView, reach: Reach) -> Papers:
    if not view.may(Permission.CERTIFICATES_READ):
        return Papers()
    failed = view.may(Permission.CERTIFICATES_WRITE)
    return Papers(
        failed=await count(tx, CERTIFICATES, CertificateSearch(status="failed"), reach)
        if failed
        else Count(0),
        expiring=await count(tx, CERTIFICATES, CertificateSearch(status="expiring"), reach),
        renewal=await count(tx, CERTIFICATES, CertificateSearch(status="renewal"), reach),
        signature_ends=await _signature_ends(tx) if view.may(Permission.SETTINGS_WRITE) else None,
    )


async def _signature_ends(tx: Tx) -> Timestamp | None:
    identity = await signatures.find(tx)
    if identity is None or identity.not_after > Timestamp.of(tx.now + _SIGNATURE_SOON):
        return None
    return identity.not_after


def _short(month: object, view: PanelView) -> str:
    """`nov`, `Nov`."""
    text: str = format_date(month, "LLL", locale=view.locale.replace("-", "_"))  # type: ignore[arg-type]
    return text.rstrip(".")


async def _operations(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Operations:
    zone = view.page.time_zone
    since = Day((tx.now.astimezone(ZoneInfo(zone)) - _WEEK).date().isoformat())
    begin = since.begin(zone).moment()
    invitations = await daily_limits.get_usage(tx, mail_limit)
    return Operations(
        since=since,
        dead_letters=await _dead_letters(tx, since, begin),
        failed_imports=await count(tx, IMPORTS, ImportQuery(failed=True)),
        failed_mail=await count(tx, MESSAGES, MailQuery(status="FAILED", since=since.begin(zone))),
        expiring_keys=await count(tx, KEYS, KeyQuery(state="expiring")),
        invitations=invitations if invitations.is_near else None,
    )


async def _dead_letters(tx: Tx, since: Day, begin: datetime) -> list[DeadLetters]:
    """By endpoint, most first."""
    found = await webhooks.count_dead_letters(tx, begin)
    filters = urlencode({"status": "DEAD_LETTER", "since": since})
    return [
        DeadLetters(capped(each.count), each.description or each.url, f"{HOME}/webhooks/{each.id}?{filters}")
        for each in sorted(found, key=lambda each: -each.count)
    ]
