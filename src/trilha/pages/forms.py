"""A form as it was sent, and what is wrong with it, to be shown again."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from trilha.core.errors import ApiError, Invalid
from trilha.pages.translations import N_

# What a field's code means to the person who fills in the form: what to do, in one sentence. The codes'
# own messages are for programmers. A room adds those of its fields with `say`.
SENTENCES: dict[str, str] = {}


def say(**sentences: str) -> None:
    """By code, as msgids marked with `N_`."""
    SENTENCES.update(sentences)


UNKNOWN = N_("Check this field.")

say(
    required=N_("Fill in this field."),
    invalid_type=N_("Check this field."),
    invalid_value=N_("Choose one of the options."),
    invalid_email=N_("Enter an e-mail address, such as ana@company.com."),
    invalid_text=N_("Remove the characters that cannot be shown."),
    invalid_date=N_("Enter a date, such as 11/21/2026."),
    invalid_date_time=N_("Enter a date and a time."),
    not_in_future=N_("Enter a date in the future."),
    too_short=N_("Enter a few more characters."),
    too_long=N_("Shorten this text."),
    too_small=N_("Enter a larger number."),
    too_large=N_("Enter a smaller number."),
    invalid_url=N_("Enter an address that begins with https://."),
)


class Form(Struct, frozen=True):
    """`values` are the fields as they were sent, or those that a form begins with: what is true is ticked.

    `problems` are msgids by field, for fields that the form has. `general` is one about the form as a whole.
    """

    values: Mapping[str, object] = {}
    problems: Mapping[str, str] = {}
    general: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.problems or self.general)

    def value(self, name: str) -> str:
        found = self.values.get(name)
        return "" if found is None else str(found)

    def chosen(self, name: str) -> Sequence[str]:
        """Of a field that may have several values."""
        found = self.values.get(name)
        if found is None or isinstance(found, bool):
            return ("true",) if found else ()
        return [str(each) for each in found] if isinstance(found, list | tuple) else (str(found),)


def refused(values: Mapping[str, object], error: ApiError, **sentences: str) -> Form:
    """The form that a refusal is shown in. `sentences` are msgids by code, for this form alone."""
    known = SENTENCES | sentences
    if not isinstance(error, Invalid):
        return Form(values, general=known.get(error.code, UNKNOWN))
    problems: dict[str, str] = {}
    for each in error.detail:
        problems.setdefault(each.field, known.get(each.code, UNKNOWN))
    return Form(values, problems)
