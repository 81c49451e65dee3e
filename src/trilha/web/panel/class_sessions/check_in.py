"""/admin/sessions/{id}/check-in: the code that people in the room scan. It renews itself."""

from uuid import UUID

import segno
from markupsafe import Markup
from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.web.answers import Html
from trilha.core.web.routes import Routes
from trilha.training.classes import attendance
from trilha.training.classes.attendance import CheckInAddress
from trilha.training.classes.attendance_lists import queries
from trilha.training.classes.schema import CheckInCode
from trilha.web.panel.class_sessions.access import READ, SENTENCES, list_trail, open_whole_session
from trilha.web.panel.view import PanelView

routes = Routes("Check-in", "The code that is shown in the room of a session.")


class RoomCode(Struct, frozen=True):
    """The code of this moment, or why there is none."""

    code: CheckInCode | None
    drawing: Markup
    problem: str


async def _build(tx: Tx, session_id: UUID, address: str) -> RoomCode:
    try:
        code = await attendance.create_code(tx, session_id, address)
    except BusinessRule as refusal:
        return RoomCode(None, Markup(), SENTENCES[refusal.code])
    return RoomCode(code, _draw(code.url), "")


def _draw(url: str) -> Markup:
    """Draws the code with attributes instead of styles, because our content policy forbids inline styles."""
    drawing = segno.make(url, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", svgclass="qr qr--room", lineclass=None, omitsize=True
    )
    return Markup(drawing)  # noqa: S704 - an SVG of squares


@routes.get("/sessions/{class_session_id}/check-in", access=READ)
async def show_check_in(tx: Tx, view: PanelView, address: CheckInAddress, class_session_id: UUID) -> Html:
    """Shows the code, large, with the number of people who are in."""
    return await _show(tx, view, address, class_session_id, "check_in.html")


@routes.get("/sessions/{class_session_id}/check-in/code", access=READ)
async def show_code(tx: Tx, view: PanelView, address: CheckInAddress, class_session_id: UUID) -> Html:
    """Shows the code alone, for the page that renews it."""
    return await _show(tx, view, address, class_session_id, "_code.html")


async def _show(tx: Tx, view: PanelView, address: str, session_id: UUID, template: str) -> Html:
    opened = await open_whole_session(tx, view, session_id)
    places, present = await queries.count_people(tx, opened.head, opened.reach)
    return view.show(
        f"panel/class_sessions/{template}",
        opened=opened,
        session=opened.head,
        shown=await _build(tx, session_id, address),
        places=places,
        present=present,
        trail=list_trail(opened),
    )
