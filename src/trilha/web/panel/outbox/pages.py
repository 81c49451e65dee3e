"""/admin/outbox"""

import re
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import find_row
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, NN_
from trilha.platform.mail import daily_limits
from trilha.platform.mail.daily_limits import ServerLimit
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.delivery.store import StoreTransport
from trilha.platform.mail.delivery.transports import unsent_mail_of
from trilha.platform.mail.lists import MESSAGES
from trilha.platform.mail.schema import MailQuery, SentMessage
from trilha.settings import Settings
from trilha.web.panel import lists
from trilha.web.panel.lists import SINCE, Action, Choice, Empty, Table
from trilha.web.panel.view import PanelView

routes = Routes("Outbox", "E-mails that were written, and what became of them.")
PATH = "/admin/outbox"
_LINK = re.compile(r"https?://[^\s<>]+")
STATUSES = {"PENDING": N_("Waiting to be sent"), "SENT": N_("Sent"), "FAILED": N_("Failed permanently")}
# For each code of mail.rules.ERRORS.
ERRORS = {
    "recipient_refused": N_("The mail server refused the recipient."),
    "message_refused": N_("The mail server refused the message."),
    "sender_refused": N_("The mail server refused the sender."),
    "sign_in_refused": N_("The mail server refused our user name or password."),
    "server_refused": N_("The mail server refused the connection."),
    "utf8_not_supported": N_("The mail server does not accept addresses with accents."),
    "tls_not_offered": N_("The mail server offers no encryption."),
    "tls_failed": N_("The mail server's certificate is not valid."),
    "timeout": N_("The mail server did not answer in time."),
    "connection_failed": N_("The mail server could not be reached."),
    "folder_not_writable": N_("The folder for e-mails cannot be written to."),
    "failed": N_("The message could not be handed over."),
}


class Texts(Struct, frozen=True):
    """Reads the texts of e-mails, only in development without a mail server.

    They contain links that set passwords, so elsewhere only their recipients may read them.
    """

    files: FolderTransport | StoreTransport | None

    async def read(self, message: SentMessage) -> str | None:
        """Returns None if the e-mail is not written yet."""
        assert self.files is not None
        return await self.files.read_text(message.id, Timestamp(message.created_at).moment())


def texts_of(settings: Settings, keyring: Keyring) -> Texts:
    readable = settings.env == "development" and settings.smtp_url is None
    return Texts(unsent_mail_of(settings, keyring) if readable else None)


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
async def list_messages(tx: Tx, view: PanelView, query: MailQuery, texts: Texts) -> Html:
    """List e-mails, newest first."""
    readable = texts.files is not None
    table = READABLE_TABLE if readable else MESSAGES_TABLE
    return await lists.show(tx, view, table, query, readable=readable)


class NewLimit(Struct, frozen=True):
    """An empty limit means the server's."""

    invitations: Annotated[int, Meta(ge=1, le=daily_limits.MAX_INVITATIONS)] | None = None


@routes.get("/outbox/invitations", access=may(Permission.SETTINGS_WRITE))
async def ask_limit(tx: Tx, view: PanelView, limit: ServerLimit, refusal: Refusal | None = None) -> Html:
    """Show how many invitations integrations have sent today, and the limit."""
    return view.form(
        "panel/outbox/invitations.html",
        refusal,
        {"invitations": (await daily_limits.get_limit(tx)).invitations},
        limit=limit,
        today=await daily_limits.get_usage(tx, limit),
    )


@routes.post("/outbox/invitations", access=may(Permission.SETTINGS_WRITE), refused=ask_limit)
async def change_limit(tx: Tx, view: PanelView, form: NewLimit) -> Answer:
    """Set or reset the limit."""
    await daily_limits.set_limit(tx, form.invitations)
    return view.lead(f"{PATH}/invitations", N_("The limit was saved."))


@routes.get("/outbox/{message_id}", access=may(Permission.SETTINGS_WRITE))
async def show_message(tx: Tx, view: PanelView, message_id: UUID, texts: Texts) -> Html:
    """Show an e-mail with its text. Only in development without a mail server."""
    message = await find_row(tx, MESSAGES, message_id)
    if message is None or texts.files is None:
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
