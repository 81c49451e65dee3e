"""The lines of a checklist's form."""

from collections.abc import Sequence

from trilha.core.web.routes import Refusal
from trilha.kit import N_
from trilha.training.courses.schema import MAX_CHECKLIST, ChecklistItem

SENTENCES = {
    "required": N_("Write at least one item."),
    "too_short": N_("Fill in this field."),
    "too_long": N_("A checklist has at most 100 items."),
}
BLANK_ROWS = 3
Row = tuple[str, str, str]


def build_rows(items: Sequence[ChecklistItem], refusal: Refusal | None = None) -> list[Row]:
    """Returns the lines of the form, with blank ones at the end."""
    if refusal is not None and "item_title" in refusal.values:
        parts = [_list_texts(refusal.values.get(name)) for name in ("item_id", "item_title", "item_criteria")]
        rows: list[Row] = [(a, b, c) for a, b, c in zip(*parts, strict=False)][:MAX_CHECKLIST]
    else:
        rows = [(str(each.id), each.title, each.criteria) for each in items]
    filled = [row for row in rows if row[1].strip()]
    blank: list[Row] = [("", "", "")] * min(BLANK_ROWS, MAX_CHECKLIST - len(filled))
    return filled + blank


def _list_texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value or "")]
