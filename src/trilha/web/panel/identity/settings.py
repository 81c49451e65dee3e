"""/admin/identity/settings, and what a course asks for."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import queries as courses
from trilha.training.identity import actions, queries
from trilha.training.identity.schema import IdentityRule
from trilha.web.panel.identity.pages import ACCESS, PATH
from trilha.web.panel.view import HOME, PanelView

routes = Routes(
    "Identity settings", "Whether photos are taken, how long they are kept, and for which courses."
)
_SENTENCES = dict.fromkeys(("out_of_range", "invalid_type"), N_("Enter a number within the limits above."))
_SETTINGS_ACCESS = may(Permission.SETTINGS_WRITE)
# In pages, the threshold is a number from 1 to 100.
_PERCENT = 100


class SettingsForm(Struct, frozen=True, kw_only=True):
    enabled: bool = False
    retention_days: Annotated[int, Meta(ge=1, le=1825)]
    text: Annotated[str, Meta(max_length=5000, extra_json_schema=STORABLE)] = ""
    service_url: Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)] = ""
    service_token: Annotated[str, Meta(max_length=500, extra_json_schema=STORABLE)] = ""


class RuleForm(Struct, frozen=True, kw_only=True):
    asks: bool = False
    random_photos: Annotated[int, Meta(ge=0, le=5)]
    threshold: Annotated[int, Meta(ge=10, le=_PERCENT)]
    blocking: bool = False


@routes.get("/identity/settings", access=_SETTINGS_ACCESS)
async def show_settings(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show whether photos are taken, and the text that people agree to."""
    settings, text = await queries.get_settings(tx), await queries.get_text(tx)
    begins = {
        "enabled": "true" if settings.enabled else "",
        "retention_days": settings.retention_days,
        "text": text.text or "",
        "service_url": settings.service_url or "",
    }
    if refusal is not None:
        values = {name: value for name, value in refusal.values.items() if name != "service_token"}
        refusal = Refusal(values, refusal.failure)
    return view.form(
        "panel/identity/settings.html",
        refusal,
        begins,
        _SENTENCES,
        text=text,
        has_token=settings.service_token is not None,
        back=PATH,
    )


@routes.post("/identity/settings", access=_SETTINGS_ACCESS, max_body=32 * 1024, refused=show_settings)
async def save_settings(tx: Tx, view: PanelView, form: SettingsForm, guard: Guard) -> Answer:
    """Save the settings. Another text is a new version, which people are asked to agree to anew."""
    typed = form.service_url.strip()
    try:
        url = guard.parse(typed) if typed else None
    except BlockedAddress as error:
        raise invalid("service_url", str(error)) from None
    await actions.change_settings(
        tx,
        enabled=form.enabled,
        retention_days=form.retention_days,
        service_url=url,
        token=form.service_token.strip(),
        text=form.text.strip(),
    )
    return view.lead(PATH, N_("The settings were saved."))


@routes.get("/courses/{course_id}/identity", access=ACCESS, errors=["course_not_found"])
async def show_rule(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show whether the course asks for photos."""
    course = await courses.get(tx, course_id)
    rule = await queries.find_rule(tx, course_id)
    shown = rule or IdentityRule()
    begins = {
        "asks": "true" if rule else "",
        "random_photos": shown.random_photos,
        "threshold": round(shown.threshold * _PERCENT),
        "blocking": "true" if shown.blocking else "",
    }
    return view.form(
        "panel/identity/course.html",
        refusal,
        begins,
        _SENTENCES,
        course=course,
        settings=await queries.get_settings(tx),
        path=f"{HOME}/courses/{course_id}",
    )


@routes.post("/courses/{course_id}/identity", access=ACCESS, errors=["course_not_found"], refused=show_rule)
async def save_rule(tx: Tx, view: PanelView, course_id: UUID, form: RuleForm) -> Answer:
    """Save whether the course asks for photos."""
    await courses.get(tx, course_id)
    rule = IdentityRule(form.random_photos, form.threshold / _PERCENT, form.blocking)
    await actions.change_rule(tx, course_id, rule if form.asks else None)
    return view.lead(f"{HOME}/courses/{course_id}", N_("The settings were saved."))
