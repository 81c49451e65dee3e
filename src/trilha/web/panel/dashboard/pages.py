"""/admin: the overview."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_date
from msgspec import Struct

from trilha.access.api_keys.lists import KEYS
from trilha.access.api_keys.schema import KeyQuery
from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.lists import Count, cap_count, count
from trilha.core.moments import Day
from trilha.core.types import Timestamp
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.people.people_import.lists import IMPORTS
from trilha.people.people_import.schema import ImportQuery
from trilha.people.users.reach import Reach
from trilha.platform.mail import daily_limits
from trilha.platform.mail.daily_limits import ServerLimit, Usage
from trilha.platform.mail.lists import MESSAGES
from trilha.platform.mail.schema import MailQuery
from trilha.platform.webhooks import history as webhooks
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch
from trilha.training.certificates.signatures import queries as signatures
from trilha.training.reports import overview
from trilha.web.panel.view import HOME, PanelView

routes = Routes("Overview", "What needs attention, and the tenant's main figures.")
_WEEK = timedelta(days=7)
_SIGNATURE_SOON = timedelta(days=30)


class DeadLetters(Struct, frozen=True):
    """How many deliveries to one endpoint failed permanently, and the page that lists them."""

    count: Count
    to: str
    address: str


class Operations(Struct, frozen=True):
    """Failures in what administrators run, and what will soon need them. `since` is the first day covered."""

    since: str = ""
    dead_letters: Sequence[DeadLetters] = ()
    failed_imports: Count = Count(0)
    failed_mail: Count = Count(0)
    expiring_keys: Count = Count(0)
    invitations: Usage | None = None  # None unless today's limit is reached or near

    @property
    def any(self) -> bool:
        return any(
            (self.dead_letters, self.failed_imports, self.failed_mail, self.expiring_keys, self.invitations)
        )


class Papers(Struct, frozen=True):
    """Certificates that need somebody to act."""

    failed: Count = Count(0)
    expiring: Count = Count(0)
    renewal: Count = Count(0)
    signature_ends: Timestamp | None = None  # None unless the signing certificate expires soon

    @property
    def any(self) -> bool:
        return any((self.failed, self.expiring, self.renewal, self.signature_ends))


@routes.get("", access=may(Permission.DASHBOARD_READ))
async def show_dashboard(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Html:
    """Shows what needs attention, then the figures."""
    reach = Reach(view.viewer.role, view.viewer.user_id)
    figures = await overview.get(tx, reach)
    months = [(_shorten_month(month, view), count) for month, count in figures.completions.items()]
    return view.show(
        "panel/dashboard/overview.html",
        attention=figures.attention,
        operations=await _count_operations(tx, view, mail_limit) if reach.is_everyone else Operations(),
        papers=await _count_papers(tx, view, reach),
        totals=figures.totals,
        begins=reach.is_everyone and (figures.totals.people.total < 2 or not figures.totals.courses),
        counted_at=figures.counted_at,
        months=months,
        this_month=months[-1][1],
        completed=sum(count for _, count in months),
    )


async def _count_papers(tx: Tx, view: PanelView, reach: Reach) -> Papers:
    if not view.may(Permission.CERTIFICATES_READ):
        return Papers()
    failed = view.may(Permission.CERTIFICATES_WRITE)
    return Papers(
        failed=await count(tx, CERTIFICATES, CertificateSearch(status="failed"), reach)
        if failed
        else Count(0),
        expiring=await count(tx, CERTIFICATES, CertificateSearch(status="expiring"), reach),
        renewal=await count(tx, CERTIFICATES, CertificateSearch(status="renewal"), reach),
        signature_ends=await _find_signature_end(tx) if view.may(Permission.SETTINGS_WRITE) else None,
    )


async def _find_signature_end(tx: Tx) -> Timestamp | None:
    identity = await signatures.find(tx)
    if identity is None or identity.not_after > Timestamp.of(tx.now + _SIGNATURE_SOON):
        return None
    return identity.not_after


def _shorten_month(month: object, view: PanelView) -> str:
    """The month's short name, such as `nov` or `Nov`."""
    text: str = format_date(month, "LLL", locale=view.locale.replace("-", "_"))  # type: ignore[arg-type]
    return text.rstrip(".")


async def _count_operations(tx: Tx, view: PanelView, mail_limit: ServerLimit) -> Operations:
    zone = view.page.time_zone
    since = Day((tx.now.astimezone(ZoneInfo(zone)) - _WEEK).date().isoformat())
    begin = since.begin(zone).moment()
    invitations = await daily_limits.get_usage(tx, mail_limit)
    return Operations(
        since=since,
        dead_letters=await _count_dead_letters(tx, since, begin),
        failed_imports=await count(tx, IMPORTS, ImportQuery(failed=True)),
        failed_mail=await count(tx, MESSAGES, MailQuery(status="FAILED", since=since)),
        expiring_keys=await count(tx, KEYS, KeyQuery(state="expiring")),
        invitations=invitations if invitations.is_near else None,
    )


async def _count_dead_letters(tx: Tx, since: Day, begin: datetime) -> list[DeadLetters]:
    """By endpoint, the one with most failures first."""
    endpoints = await webhooks.count_dead_letters(tx, begin)
    filters = urlencode({"status": "DEAD_LETTER", "since": since})
    return [
        DeadLetters(
            cap_count(endpoint.count),
            endpoint.description or endpoint.url,
            f"{HOME}/webhooks/{endpoint.id}?{filters}",
        )
        for endpoint in sorted(endpoints, key=lambda endpoint: -endpoint.count)
    ]
