"""/admin/settings/reminders: when reminders are sent, which, and in which words."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.platform.mail.schema import Locale
from trilha.training.reminders import actions, settings_queries, text_queries, texts, wording
from trilha.training.reminders.rules import SWITCHES
from trilha.training.reminders.schema import (
    ClockTime,
    KindSwitchesPatch,
    ReminderSettingsPatch,
    ReminderText,
    Weekday,
)
from trilha.web.panel.confirm import Button
from trilha.web.panel.settings.pages import PATH
from trilha.web.panel.view import PanelView

routes = Routes("Settings: reminders", "When reminders are sent, which, and in which words.")
_PATH = f"{PATH}/reminders"
_ACCESS = may(Permission.SETTINGS_WRITE)
_SENTENCES = {
    "invalid_value": N_("Enter a time such as 22:00."),
    "unknown_reminder_placeholder": N_("Use only the placeholders listed below the field."),
    "too_short": N_("Choose at least one day."),
}
KINDS = {
    "assigned": N_("A course was assigned"),
    "due": N_("A due date is near (30, 7 and 1 days before)"),
    "overdue": N_("A due date has passed (after 1 day, then weekly, at most 6 times)"),
    "certificate_expiring": N_("A certificate expires soon"),
    "quiz_graded": N_("A quiz was graded"),
    "voice_answer_waiting": N_("An answer waits for its instructor"),
    "enrollment_request": N_("Somebody asks to enroll, or their request is answered"),
    "question_waiting": N_("A learner has a question for the instructor"),
    "question_answered": N_("A question to the instructor was answered"),
    "evaluation_follow_up": N_("90 days after a course: do you use what you learned?"),
    "digest": N_("Weekly digest for managers"),
    "manual": N_("A reminder by hand"),
}
DAYS = {
    "1": N_("Monday"),
    "2": N_("Tuesday"),
    "3": N_("Wednesday"),
    "4": N_("Thursday"),
    "5": N_("Friday"),
    "6": N_("Saturday"),
    "7": N_("Sunday"),
}
TextKind = Literal[
    "assigned",
    "due",
    "overdue",
    "quiz_graded",
    "voice_answer_waiting",
    "question_waiting",
    "question_answered",
    "evaluation_follow_up",
    "certificate_expiring",
    "manual",
]
_LANGUAGES: Mapping[Locale, str] = {"pt-BR": N_("Portuguese"), "en": N_("English")}
# What a preview is about.
_COURSE, _NAME = "NR-35 Trabalho em altura", "Ana Lima"


class SettingsForm(Struct, frozen=True, kw_only=True):
    """Kinds and days that are not named are off."""

    quiet_from: ClockTime | None = None
    quiet_until: ClockTime | None = None
    working_days: Annotated[list[Weekday], Meta(max_length=7)] = []
    kinds: Annotated[list[Literal[SWITCHES]], Meta(max_length=20)] = []  # type: ignore[valid-type]


class TextQuery(Struct, frozen=True, kw_only=True):
    """A kind of reminder in a language."""

    kind: TextKind = "assigned"
    locale: Locale = "pt-BR"


class TextForm(Struct, frozen=True, kw_only=True):
    """With `step` preview, nothing is saved."""

    subject: Annotated[str, Meta(min_length=1, max_length=150, extra_json_schema=STORABLE)]
    text: Annotated[str, Meta(min_length=1, max_length=1000, extra_json_schema=STORABLE)]
    step: Literal["preview", "save"] = "save"


class WrittenText(Struct, frozen=True):
    """The text of a kind in a language, and whether the company wrote it."""

    kind: str
    locale: Locale
    is_own: bool


@routes.get("/settings/reminders", access=_ACCESS)
async def show_settings(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show when reminders are sent, which, and in which words."""
    settings = await settings_queries.get(tx)
    own = {(each.kind, each.locale) for each in await text_queries.list_texts(tx)}
    begins = {
        "quiet_from": settings.quiet_from or "",
        "quiet_until": settings.quiet_until or "",
        "working_days": [str(day) for day in settings.working_days],
        "kinds": [name for name in SWITCHES if getattr(settings.kinds, name)],
    }
    return view.form(
        "panel/settings/reminders.html",
        refusal,
        begins,
        _SENTENCES,
        kinds={name: KINDS[name] for name in SWITCHES},
        labels=KINDS,
        days=DAYS,
        languages=_LANGUAGES,
        texts=[
            WrittenText(kind, locale, (kind, locale) in own)
            for kind in get_args(TextKind)
            for locale in ("pt-BR", "en")
        ],
        path=_PATH,
    )


@routes.post("/settings/reminders", access=_ACCESS, refused=show_settings)
async def save_settings(tx: Tx, view: PanelView, form: SettingsForm) -> Answer:
    """Save when reminders are sent, and which."""
    chosen: set[str] = set(form.kinds)
    patch = ReminderSettingsPatch(
        quiet_from=form.quiet_from,
        quiet_until=form.quiet_until,
        working_days=sorted(set(form.working_days)) or UNSET,
        kinds=KindSwitchesPatch(**{name: name in chosen for name in SWITCHES}),
    )
    await actions.change_settings(tx, patch)
    return view.lead(_PATH, N_("The settings were saved."))


@routes.get("/settings/reminders/text", access=_ACCESS)
async def show_text(tx: Tx, view: PanelView, query: TextQuery, refusal: Refusal | None = None) -> Html:
    """Show the text of a kind of reminder in a language."""
    answer: Html = await _show_text(tx, view, query.kind, query.locale, refusal)
    return answer


async def _show_text(
    tx: Tx,
    view: PanelView,
    kind: TextKind,
    locale: Locale,
    refusal: Refusal | None = None,
    preview: ReminderText | None = None,
) -> Html:
    own = await texts.load(tx)
    saved = own.get(kind, locale)
    text = preview or saved or wording.get_usual(kind, locale)
    sample = (locale, _COURSE, tx.now.isoformat(), _NAME)
    return view.form(
        "panel/settings/reminder_text.html",
        refusal,
        {"subject": text.subject, "text": text.text},
        _SENTENCES,
        label=KINDS[kind],
        language=_LANGUAGES[locale],
        query=f"kind={kind}&locale={locale}",
        is_own=saved is not None,
        subject=own.fill(text.subject, *sample),
        body=own.fill(text.text, *sample),
        path=f"{_PATH}/text",
        back=_PATH,
    )


@routes.post("/settings/reminders/text", access=_ACCESS, refused=show_text)
async def save_text(tx: Tx, view: PanelView, query: TextQuery, form: TextForm) -> Answer:
    """Preview or save the text of a kind of reminder in a language."""
    new = ReminderText(query.kind, query.locale, form.subject, form.text)
    texts.check(new)
    if form.step == "preview":
        answer: Answer = await _show_text(tx, view, query.kind, query.locale, preview=new)
        return answer
    await texts.save(tx, new)
    return view.lead(_PATH, N_("The text was saved."))


@routes.post("/settings/reminders/text/reset", access=_ACCESS)
async def reset_text(tx: Tx, view: PanelView, query: TextQuery, form: Button) -> Answer:
    """Go back to the usual text."""
    await texts.remove(tx, query.kind, query.locale)
    return view.lead(_PATH, N_("The usual text is used again."))
