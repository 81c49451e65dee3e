"""The types of translations."""

from collections.abc import Mapping
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import Choice, Title
from trilha.training.courses.rules import MAX_MODULES
from trilha.training.courses.schema import CourseLanguage, Description, MarkdownText

# Each name is in its own language, so that its speakers find it.
LANGUAGES: Mapping[CourseLanguage, str] = {
    "pt-BR": "Português (Brasil)",
    "en": "English",
    "es": "Español",
}


class LanguageCode(Choice):
    """A language in which courses are offered."""

    __slots__ = ()
    schema = {"type": "string", "enum": [*LANGUAGES], "examples": ["en"]}


class LanguageProgress(Struct, frozen=True):
    """A language of a course, and how many of its `texts` are translated."""

    language: CourseLanguage
    translated: int
    texts: int

    @property
    def missing(self) -> int:
        return self.texts - self.translated


class CourseTranslation(Struct, frozen=True):
    """The course's own texts in a language. `revision` counts the changes."""

    language: CourseLanguage
    title: str | None
    description: str | None
    revision: int


class TranslatedModule(Struct, frozen=True):
    """A module of the course, and its title in a language. `has_lesson` says whether its lesson has a text
    in the language, and `translated_questions` how many of its `questions` are translated. `source_title` is
    the title in the course's own language.
    """

    id: UUID
    position: int
    type: str
    source_title: str
    has_source_text: bool
    title: str | None
    has_lesson: bool
    questions: int
    translated_questions: int


class ModuleTitle(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The title of a module in a language."""

    module_id: UUID
    title: Annotated[Title, Meta(examples=["Safe distance"])]


class TranslationTexts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a course in a language. What is left out is not translated: learners see it in the
    course's own language.
    """

    title: Annotated[Title | None, Meta(examples=["Defensive driving"])] = None
    description: Annotated[Description | None, Meta(examples=["Adverse conditions and traffic law."])] = None
    modules: Annotated[list[ModuleTitle], Meta(max_length=MAX_MODULES, examples=[[]])] = []


class TranslatedTitle(Struct, frozen=True):
    """The title of a module in a language; null if it is not translated."""

    module_id: UUID
    title: Annotated[str, Meta(examples=["Safe distance"])] | None


class Translation(Struct, frozen=True):
    """The texts of a course in one of its further languages. `modules` are all of the course, in its order.
    Null means not translated. `translated` of `texts` are translated, lessons included.
    """

    language: Annotated[CourseLanguage, Meta(examples=["en"])]
    title: Annotated[str, Meta(examples=["Defensive driving"])] | None
    description: Annotated[str, Meta(examples=["Adverse conditions and traffic law."])] | None
    modules: list[TranslatedTitle]
    translated: Annotated[int, Meta(ge=0, examples=[3])]
    texts: Annotated[int, Meta(ge=0, examples=[7])]


class LessonTranslation(Struct, frozen=True):
    """The lesson of an article in a language, in Markdown. With null as `body`, it is not translated."""

    language: Annotated[CourseLanguage, Meta(examples=["en"])]
    title: Annotated[str, Meta(examples=["Safe distance"])] | None
    body: Annotated[str, Meta(examples=["Before reversing, **get out and look**."])] | None


class LessonTexts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lesson of an article in a language. Omitted members stay unchanged."""

    title: Annotated[Title | None | UnsetType, Meta(examples=["Safe distance"])] = UNSET
    body: Annotated[MarkdownText, Meta(examples=["Before reversing, **get out and look**."])]
