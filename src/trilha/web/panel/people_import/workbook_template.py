"""The template as an Excel file, with instructions on a second sheet."""

import io
from collections.abc import Sequence

from xlsxwriter import Workbook

from trilha.core.web.answers import Answer
from trilha.kit import N_
from trilha.web.panel.view import PanelView

_MEDIA_TYPE = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_WIDTH = 22
_NOTES = (
    N_("One person per row. The e-mail or the employee number says who it is."),
    N_("Existing people are updated; an empty cell changes nothing. New people need a name and an e-mail."),
    N_("Dates can be Excel dates or text such as 31/12/2026. All cells are text, so that no zero is lost."),
    N_("The business unit is its name or its code, and must exist already."),
    N_("Remove the columns that you do not need."),
)


def build(view: PanelView, header: Sequence[str]) -> Answer:
    """Builds the file. Its cells are text, so that Excel keeps the zeros at the beginning of a number."""
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        text, bold = book.add_format({"num_format": "@"}), book.add_format({"bold": True, "num_format": "@"})
        sheet = book.add_worksheet(view.say(N_("People")))
        sheet.set_column(0, len(header) - 1, _WIDTH, text)
        for place, name in enumerate(header):
            sheet.write_string(0, place, name, bold)
        sheet.freeze_panes(1, 0)
        notes = book.add_worksheet(view.say(N_("How to fill it in")))
        notes.set_column(0, 0, 110)
        for line, note in enumerate(_NOTES):
            notes.write_string(line, 0, view.say(note))
    return Answer(
        200,
        file.getvalue(),
        [(b"content-type", _MEDIA_TYPE), (b"content-disposition", b'attachment; filename="people.xlsx"')],
    )
