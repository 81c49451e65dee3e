"""/api/check-in"""

from trilha.access.permissions.viewer import OWN_SIGN_IN, viewer_of
from trilha.core.database import Tx
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.training.classes import attendance
from trilha.training.classes.schema import CheckedIn, CheckIn

routes = Routes("Check-in", "Attendance of the person who is signed in.")


@routes.post(
    "/check-in",
    access=OWN_SIGN_IN,
    errors=[
        "check_in_code_invalid",
        "session_cancelled",
        "outside_session",
        "not_registered",
        "already_checked_in",
    ],
)
async def check_in(tx: Tx, caller: Caller, data: CheckIn) -> CheckedIn:
    """Check in to a session with the code that is shown in its room. From then on, you count as present until
    the session ends.
    """
    return await attendance.check_in(tx, viewer_of(caller).user_id, data.code)
