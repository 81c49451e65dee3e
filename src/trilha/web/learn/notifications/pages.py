"""/learn/notifications: the reminders of the viewer, and the browsers and chats that get them too."""

from collections.abc import Sequence
from typing import Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may, may_oneself
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import fetch_page, find_rows
from trilha.core.outbound.guard import Guard
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.training.reminders import addresses, bell_queries, making, push_keys, texts, wording
from trilha.training.reminders.channels import Providers
from trilha.training.reminders.lists import NOTIFICATIONS, ReceivedReminder
from trilha.training.reminders.schema import NewPushSubscription, PushKeys
from trilha.training.reminders.texts import OwnTexts
from trilha.web.learn.view import LearnView

routes = Routes("Notifications", "The reminders of the viewer, and where else they go.")
PATH = "/learn/notifications"
_CHANNELS_PATH = f"{PATH}/channels"
_ACCESS = may(Permission.LEARN)
# An address outlives the session, so a session that began with a launch link may not add one.
_OWN = may_oneself(Permission.LEARN)
say(
    invalid_push_key=N_("This browser sent a key that Trilha cannot use. Try again."),
    https_required=N_("Enter an address that begins with https://."),
    address_not_allowed=N_("Trilha may not call this address."),
    invalid_url=N_("Enter the whole address, beginning with https://."),
    reminder_address_not_found=N_("This address was removed already."),
    too_many_reminder_addresses=N_("You have 10 places already. Remove one first."),
)
CHANNELS = {
    "web_push": N_("This or another browser"),
    "slack": N_("Slack"),
    "teams": N_("Microsoft Teams"),
    "whatsapp": N_("WhatsApp"),
}


class Notification(Struct, frozen=True):
    """A reminder with its sentence."""

    reminder: ReceivedReminder
    sentence: str


class Button(Struct, frozen=True):
    """A form that has only its button."""


class ReadForm(Struct, frozen=True, kw_only=True):
    """One reminder, or all of them."""

    reminder: UUID | None = None


class ChatForm(Struct, frozen=True, kw_only=True):
    channel: Literal["slack", "teams"]
    url: Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]


class PhoneForm(Struct, frozen=True, kw_only=True):
    phone: Annotated[str, Meta(pattern=r"^\+[1-9][0-9]{7,14}$", max_length=16)]


class PushForm(Struct, frozen=True, kw_only=True):
    """What a browser says about its push subscription."""

    endpoint: Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]
    p256dh: Annotated[str, Meta(min_length=1, max_length=200, extra_json_schema=STORABLE)]
    auth: Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema=STORABLE)]


@routes.get("/notifications", access=_ACCESS)
async def list_notifications(tx: Tx, view: LearnView, query: ListQuery) -> Html:
    """List reminders, the newest first."""
    page = await fetch_page(tx, NOTIFICATIONS, query, view.viewer.user_id)
    part = "_items" if view.page.fragment and query.cursor else "list"
    return view.show(
        f"learn/notifications/{part}.html",
        notifications=_describe(view, page.data, await texts.load(tx)),
        unread=await bell_queries.count_unread(tx, view.viewer.user_id),
        following=f"{PATH}?{urlencode({'cursor': page.next_cursor})}" if page.next_cursor else "",
    )


def _describe(view: LearnView, reminders: Sequence[ReceivedReminder], own: OwnTexts) -> list[Notification]:
    locale = view.page.locale
    return [Notification(each, wording.write_sentence(each, locale, own)) for each in reminders]


@routes.get("/notifications/unread", access=_ACCESS)
async def count_unread(tx: Tx, view: LearnView) -> Html:
    """Show how many reminders are unread, for the bell of every page."""
    unread = await bell_queries.count_unread(tx, view.viewer.user_id)
    return view.show("learn/notifications/_unread.html", unread=unread, maximum=bell_queries.MAX_COUNTED)


@routes.post("/notifications/read", access=_ACCESS)
async def mark_read(tx: Tx, view: LearnView, form: ReadForm) -> Answer:
    """Mark one reminder as read and open its page, or mark all as read."""
    if form.reminder is None:
        await bell_queries.mark_read(tx, view.viewer.user_id)
        return view.lead(PATH)
    found = await find_rows(tx, NOTIFICATIONS, [form.reminder], view.viewer.user_id)
    if not found:
        return view.lead(PATH)
    await bell_queries.mark_read(tx, view.viewer.user_id, form.reminder)
    return view.lead(making.find_path(found[0]))


@routes.get("/notifications/channels", access=_OWN)
async def show_channels(
    tx: Tx, view: LearnView, providers: Providers, refusal: Refusal | None = None
) -> Html:
    """Show where reminders go beside e-mail, and add a place."""
    return view.form(
        "learn/notifications/channels.html",
        refusal,
        {"channel": "slack"},
        addresses=await bell_queries.list_own_addresses(tx, view.viewer.user_id),
        names=CHANNELS,
        chats={each: CHANNELS[each] for each in ("slack", "teams")},
        path=_CHANNELS_PATH,
        has_whatsapp=providers.whatsapp is not None,
    )


@routes.post("/notifications/channels", access=_OWN, refused=show_channels)
async def add_chat(tx: Tx, view: LearnView, form: ChatForm, guard: Guard) -> Answer:
    """Add an incoming webhook of Slack or Microsoft Teams."""
    await addresses.add_webhook(tx, guard, view.viewer.user_id, form.channel, form.url)
    return view.lead(_CHANNELS_PATH, N_("Reminders go to %(place)s too."), place=CHANNELS[form.channel])


@routes.post("/notifications/phone", access=_OWN, refused=show_channels)
async def add_phone(tx: Tx, view: LearnView, form: PhoneForm, providers: Providers) -> Answer:
    """Add a phone number for WhatsApp, if this installation has a provider."""
    if providers.whatsapp is None:
        raise NotFound("route_not_found")
    await addresses.add_phone(tx, view.viewer.user_id, form.phone)
    return view.lead(_CHANNELS_PATH, N_("Reminders go to WhatsApp too."))


@routes.post("/notifications/channels/{address_id}/remove", access=_OWN)
async def remove_address(tx: Tx, view: LearnView, address_id: UUID, form: Button) -> Answer:
    """Remove a browser or a chat."""
    await addresses.remove_own(tx, view.viewer.user_id, address_id)
    return view.lead(_CHANNELS_PATH, N_("No more reminders go there."))


@routes.post("/notifications/push-key", access=_OWN)
async def get_push_key(tx: Tx, view: LearnView, form: Button) -> Html:
    """Return the key with which this browser subscribes to push messages. The first call makes it."""
    return view.show("learn/notifications/_push_key.html", key=await push_keys.get_public_key(tx))


@routes.post("/notifications/push", access=_OWN, refused=show_channels)
async def add_browser(tx: Tx, view: LearnView, form: PushForm, guard: Guard) -> Answer:
    """Add this browser."""
    keys = PushKeys(p256dh=form.p256dh, auth=form.auth)
    new = NewPushSubscription(endpoint=form.endpoint, keys=keys)
    await addresses.add_push_subscription(tx, guard, view.viewer.user_id, new)
    return view.lead(_CHANNELS_PATH, N_("Reminders appear in this browser too."))
