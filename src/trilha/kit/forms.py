"""A submitted form with its problems, to be displayed again."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from trilha.core.errors import ApiError, Invalid
from trilha.kit.translations import N_

# Instructions by error code for the person who fills in the form. The codes' own messages are for
# programmers. Features add theirs with `say`.
SENTENCES: dict[str, str] = {}


def say(**sentences: str) -> None:
    """Adds instructions by code, as msgids marked with `N_`."""
    SENTENCES.update(sentences)


UNKNOWN = N_("Check this field.")

say(
    required=N_("Fill in this field."),
    invalid_type=N_("Check this field."),
    invalid_value=N_("Choose one of the options."),
    invalid_email=N_("Enter an e-mail address, such as ana@company.com."),
    invalid_text=N_("Remove invisible or invalid characters."),
    invalid_date=N_("Enter a date, such as 11/21/2026."),
    invalid_date_time=N_("Enter a date and time."),
    not_in_future=N_("Enter a date in the future."),
    too_short=N_("This text is too short. Enter a few more characters."),
    too_long=N_("This text is too long. Shorten it."),
    too_small=N_("Enter a larger number."),
    too_large=N_("Enter a smaller number."),
    invalid_url=N_("Enter an address that begins with https://."),
)


class Form(Struct, frozen=True):
    """`values` are the submitted fields, or the initial ones. A true value is a ticked box.

    `problems` are msgids by field. `general` is a problem of the form as a whole.
    """

    values: Mapping[str, object] = {}
    problems: Mapping[str, str] = {}
    general: str = ""

    @property
    def has_problems(self) -> bool:
        return bool(self.problems or self.general)

    def value(self, name: str) -> str:
        found = self.values.get(name)
        return "" if found is None else str(found)

    def list_values(self, name: str) -> Sequence[str]:
        """Returns the values of a field that may have several."""
        found = self.values.get(name)
        if found is None or isinstance(found, bool):
            return ("true",) if found else ()
        return [str(each) for each in found] if isinstance(found, list | tuple) else (str(found),)


def build_refused_form(values: Mapping[str, object], error: ApiError, **sentences: str) -> Form:
    """Builds the form that displays a refusal. `sentences` are msgids by code, for this form alone, or by
    field and code, such as `body: unknown_placeholder`.
    """
    known = SENTENCES | sentences
    if not isinstance(error, Invalid):
        return Form(values, general=known.get(error.code, UNKNOWN))
    problems: dict[str, str] = {}
    for each in error.detail:
        sentence = known.get(f"{each.field}: {each.code}") or known.get(each.code, UNKNOWN)
        problems.setdefault(each.field, sentence)
    return Form(values, problems)
