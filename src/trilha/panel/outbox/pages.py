"""/admin/outbox"""

import asyncio
import re
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import find_row
from trilha.core.moments import Day
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.mail import daily_limits
from trilha.mail.daily_limits import ServerLimit
from trilha.mail.delivery.folder import FolderTransport
from trilha.mail.lists import MESSAGES
from trilha.mail.schema import MailQuery, MailStatus, SentMessage
from trilha.pages import N_, NN_
from trilha.panel import lists
from trilha.panel.lists import SINCE, Action, Choice, Empty, Table
from trilha.panel.view import PanelView
from trilha.sessions.permissions import Permission, may
from trilha.settings import Settings

routes = Routes("Outbox", "E-mails that were written, and what became of them.")
PATH = "/admin/outbox"
_LINK = re.compile(r"https?://[^\s<>]+")
STATUSES = {"PENDING": N_("On its way"), "SENT": N_("Sent"), "FAILED": N_("Given up")}
# Of each of mail.rules.ERRORS.
ERRORS = {
    "recipient_refused": N_("The mail server refused the recipient."),
    "message_refused": N_("The mail server refused the message."),
    "sender_refused": N_("The mail server refused the sender."),
    "sign_in_refused": N_("The mail server refused our user name or password."),
    "server_refused": N_("The mail server refused the conversation."),
    "utf8_not_supported": N_("The mail server takes no addresses with accents."),
    "tls_not_offered": N_("The mail server offers no encryption."),
    "tls_failed": N_("The mail server's certificate is not valid."),
    "timeout": N_("The mail server did not answer in time."),
    "connection_failed": N_("The mail server could not be reached."),
    "folder_not_writable": N_("The folder for e-mails cannot be written to."),
    "failed": N_("The message could not be handed over."),
}


class Texts(Struct, frozen=True):
    """Where the texts of e-mails can be read: in development, while nothing is really sent.

    They hold links that set passwords, so elsewhere nobody reads them but those they are for.
    """

    folder: FolderTransport | None

    async def read(self, message: SentMessage) -> str | None:
        """None where it is not written yet."""
        assert self.folder is not None
        moment = message.created_at
        return await asyncio.to_thread(self.folder.read_text, message.id, Timestamp(moment).moment())


def texts_of(settings: Settings) -> Texts:
    readable = settings.env == "development" and settings.smtp_url is None
    return Texts(FolderTransport(settings.data_dir) if readable else None)


class Search(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of an address that was written to; `since` is a day."""

    status: MailStatus | None = None
    since: Day | None = None
    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None


MESSAGES_TABLE = Table(
    listing=MESSAGES,
    path=PATH,
    title=N_("E-mails"),
    lead=N_(
        "The e-mails that were written, and whether they were sent. Only their recipients can read the text."
    ),
    search=N_("Search by e-mail address"),
    choices=[Choice(name="status", label=N_("Any status"), options=STATUSES)],
    days=[SINCE],
    row="panel/outbox/_row.html",
    values={"statuses": STATUSES, "errors": ERRORS},
    columns=[N_("Subject"), N_("Status"), N_("Attempts"), N_("When")],
    counted=NN_("%(num)s e-mail", "%(num)s e-mails"),
    actions=[Action(N_("Limit of invitations"), f"{PATH}/invitations", "gauge")],
    empty=Empty(
        N_("No e-mail yet"),
        N_("Invitations, links that set a password and notices of new sign-ins appear here."),
        "mail",
        actions=[],
    ),
)
READABLE_TABLE = structs.replace(
    MESSAGES_TABLE,
    lead=N_("No mail server is set, so nothing leaves this machine: here is what would have been sent."),
)


@routes.get("/outbox", access=may(Permission.SETTINGS_WRITE))
async def list_messages(tx: Tx, view: PanelView, query: Search, texts: Texts) -> Html:
    """E-mails that were written, newest first."""
    readable = texts.folder is not None
    list_query = MailQuery(q=query.q, status=query.status, since=lists.moments(view, query)["since"])
    table = READABLE_TABLE if readable else MESSAGES_TABLE
    return await lists.show(tx, view, table, query, list_query=list_query, readable=readable)


class NewLimit(Struct, frozen=True):
    """Left empty, it is the server's."""

    invitations: Annotated[int, Meta(ge=1, le=daily_limits.MOST_INVITATIONS)] | None = None


@routes.get("/outbox/invitations", access=may(Permission.SETTINGS_WRITE))
async def ask_limit(tx: Tx, view: PanelView, limit: ServerLimit, refusal: Refusal | None = None) -> Html:
    """How many invitations integrations have sent today, and how many they may."""
    return view.form(
        "panel/outbox/invitations.html",
        refusal,
        {"invitations": (await daily_limits.get_limit(tx)).invitations},
        limit=limit,
        today=await daily_limits.get_usage(tx, limit),
    )


@routes.post("/outbox/invitations", access=may(Permission.SETTINGS_WRITE), refused=ask_limit)
async def change_limit(tx: Tx, view: PanelView, form: NewLimit) -> Answer:
    """Raise the limit, or take that back."""
    await daily_limits.set_limit(tx, form.invitations)
    return view.lead(f"{PATH}/invitations", N_("The limit was saved."))


@routes.get("/outbox/{message_id}", access=may(Permission.SETTINGS_WRITE))
async def show_message(tx: Tx, view: PanelView, message_id: UUID, texts: Texts) -> Html:
    """One e-mail with its text. In development alone, and without a mail server."""
    message = await find_row(tx, MESSAGES, message_id)
    if message is None or texts.folder is None:
        raise NotFound("route_not_found")
    text = await texts.read(message)
    return view.show(
        "panel/outbox/show.html",
        message=message,
        text=text,
        links=_LINK.findall(text or ""),
        statuses=STATUSES,
        errors=ERRORS,
    )
