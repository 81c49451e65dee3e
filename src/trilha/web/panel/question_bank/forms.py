"""The forms of the question bank."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.core.types import STORABLE
from trilha.core.web.uploads import UploadedFile
from trilha.training.question_bank import tags
from trilha.training.question_bank.schema import BankQuestion
from trilha.training.quizzes.schema import NewQuestion
from trilha.web.panel.quizzes import forms
from trilha.web.panel.quizzes.forms import QuestionForm
from trilha.web.panel.quizzes.media import Slot, fill_slot, list_slots

MAX_SELECTED = 500
TagText = Annotated[str, Meta(max_length=1000, extra_json_schema=STORABLE)]
Ids = Annotated[list[UUID], Meta(max_length=MAX_SELECTED)]


class BankForm(QuestionForm, frozen=True, kw_only=True):
    """`alt` are the texts of the question's pictures, in the order of `slot`."""

    tags: TagText = ""
    slot: list[str] = []
    alt: list[str] = []


class Selection(Struct, frozen=True, kw_only=True):
    id: Ids = []


class TagForm(Selection, frozen=True, kw_only=True):
    tags: TagText = ""


class QuizForm(Selection, frozen=True, kw_only=True):
    module: UUID


class ImportQuery(Struct, frozen=True, kw_only=True):
    """`quiz` is the module whose page the author came from, and returns to after the import."""

    quiz: UUID | None = None


class Upload(ImportQuery, frozen=True, kw_only=True):
    file: UploadedFile | None = None


class ImportForm(ImportQuery, frozen=True, kw_only=True):
    tags: TagText = ""


class FormatQuery(Struct, frozen=True, kw_only=True):
    """What an address of a template asks for."""

    language: Literal["pt", "en"] | None = None


def begins_of(question: BankQuestion | None) -> dict[str, object]:
    begins = forms.begins_of(question.question if question else None)
    return begins | {"tags": ", ".join(question.tags) if question else ""}


def list_pictures(question: BankQuestion) -> list[Slot]:
    return [slot for slot in list_slots(question.question) if slot.stored and not slot.is_audio]


def describe_pictures(question: NewQuestion, before: BankQuestion, form: BankForm) -> NewQuestion:
    """Returns the question with the descriptions of its pictures; empty ones change nothing."""
    changed: Any = structs.replace(before.question, **structs.asdict(question))
    for name, alt in zip(form.slot, form.alt, strict=False):
        slot = next((each for each in list_slots(changed) if each.name == name), None)
        if slot is not None and slot.stored is not None and not slot.is_audio and alt.strip():
            changed = fill_slot(changed, name, structs.replace(slot.stored, alt=alt.strip()[:500]))
    return NewQuestion(**{name: getattr(changed, name) for name in NewQuestion.__struct_fields__})


def read_tags(text: str) -> list[str]:
    return tags.split(text)
