"""A company's own texts of reminders, with placeholders, by kind and language."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from trilha.core.database import Tx
from trilha.core.errors import Invalid, Problem, problem
from trilha.platform.audit import queries as audit
from trilha.platform.mail.schema import Locale
from trilha.training.enrollments import validity_queries
from trilha.training.reminders import text_queries
from trilha.training.reminders.rules import Kind, switch_of
from trilha.training.reminders.schema import ReminderText

PLACEHOLDERS = ("course", "due", "name")
# The subject is stored and shown in the outbox, so it has no names of people.
SUBJECT_PLACEHOLDERS = ("course",)
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FORMATS: Mapping[Locale, str] = {"pt-BR": "%d/%m/%Y", "en": "%Y-%m-%d"}


class OwnTexts:
    """The texts that a company wrote itself."""

    def __init__(self, texts: list[ReminderText], zone: ZoneInfo) -> None:
        self._texts = {(each.kind, each.locale): each for each in texts}
        self._zone = zone

    def find(self, kind: Kind, locale: Locale) -> ReminderText | None:
        return self.get(switch_of(kind), locale)

    def get(self, switch: str, locale: Locale) -> ReminderText | None:
        return self._texts.get((switch, locale))

    def fill(self, text: str, locale: Locale, course: str, due_at: str | None, name: str) -> str:
        """Replaces the placeholders."""
        due = ""
        if due_at is not None:
            due = datetime.fromisoformat(due_at).astimezone(self._zone).strftime(_FORMATS[locale])
        values = {"course": course, "due": due, "name": name}
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def check_placeholders(field: str, text: str, allowed: tuple[str, ...]) -> Iterator[Problem]:
    """Yields a problem if the text has another placeholder, or a brace that belongs to none."""
    names = _PLACEHOLDER.findall(text)
    rest = _PLACEHOLDER.sub("", text)
    if "{" in rest or "}" in rest or not set(names) <= set(allowed):
        yield problem(field, "unknown_reminder_placeholder", allowed=[f"{{{name}}}" for name in allowed])


async def load(tx: Tx) -> OwnTexts:
    return OwnTexts(await text_queries.list_texts(tx), await validity_queries.get_zone(tx))


def check(new: ReminderText) -> None:
    """Raises Invalid (unknown_reminder_placeholder)."""
    problems = [
        *check_placeholders("subject", new.subject, SUBJECT_PLACEHOLDERS),
        *check_placeholders("text", new.text, PLACEHOLDERS),
    ]
    if problems:
        raise Invalid(problems)


async def save(tx: Tx, new: ReminderText) -> None:
    """Inserts or replaces the text of a kind in a language. Raises Invalid (unknown_reminder_placeholder)."""
    check(new)
    await text_queries.put(tx, new)
    await audit.record(tx, "tenant.reminder_text_changed", tx.tenant_id, kind=new.kind, locale=new.locale)


async def remove(tx: Tx, kind: str, locale: str) -> None:
    """Goes back to the usual text."""
    await text_queries.delete(tx, kind, locale)
    await audit.record(tx, "tenant.reminder_text_removed", tx.tenant_id, kind=kind, locale=locale)
