"""/v1/reminder-settings, reminders by hand, and push subscriptions."""

from uuid import UUID

from trilha.core.credentials import Scope
from trilha.core.database import Tx
from trilha.core.outbound.guard import Guard
from trilha.core.web.pagination import ItemQuery
from trilha.core.web.routes import Envelope, Routes
from trilha.training.reminders import actions, addresses, settings_queries
from trilha.training.reminders.schema import (
    NewPushSubscription,
    NewReminder,
    PushSubscription,
    ReminderSettings,
    ReminderSettingsPatch,
    SentReminder,
)

routes = Routes("Reminders", "What people are told about their training, and when.")


@routes.get("/reminder-settings", scope=Scope.REQUIREMENTS_READ)
async def get_reminder_settings(tx: Tx, query: ItemQuery) -> Envelope[ReminderSettings]:
    """Retrieve when reminders are sent, and which."""
    return Envelope(await settings_queries.get(tx))


@routes.patch("/reminder-settings", scope=Scope.REQUIREMENTS_WRITE)
async def update_reminder_settings(tx: Tx, data: ReminderSettingsPatch) -> Envelope[ReminderSettings]:
    """Change when reminders are sent, and which. Members that are left out do not change."""
    return Envelope(await actions.change_settings(tx, data))


@routes.post(
    "/enrollments/{enrollment_id}/remind",
    scope=Scope.REQUIREMENTS_WRITE,
    status=202,
    errors=["enrollment_not_found", "enrollment_completed", "user_not_active", "already_reminded"],
)
async def remind(tx: Tx, enrollment_id: UUID, data: NewReminder) -> Envelope[SentReminder]:
    """Remind a user of an enrollment, with a text of your own. A user is reminded by hand at most once in 24
    hours, whatever the enrollment.
    """
    reminder = await actions.remind(tx, enrollment_id, data.text)
    return Envelope(
        SentReminder(reminder.id, reminder.user_id, enrollment_id, reminder.kind, reminder.created_at)
    )


@routes.post(
    "/users/{user_id}/push-subscriptions",
    scope=Scope.REQUIREMENTS_WRITE,
    status=201,
    errors=[
        "user_not_found",
        "invalid_url",
        "https_required",
        "address_not_allowed",
        "invalid_push_key",
        "too_many_reminder_addresses",
    ],
)
async def create_push_subscription(
    tx: Tx, user_id: UUID, data: NewPushSubscription, guard: Guard
) -> Envelope[PushSubscription]:
    """Add a browser that gets a user's reminders as push messages. The same endpoint is there once."""
    return Envelope(await addresses.add_push_subscription(tx, guard, user_id, data))
