"""What is done to a person after a question: each is a page that also opens as a dialog."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import invalid
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Refusal, Routes
from trilha.pages import N_
from trilha.panel.people import filters, words
from trilha.panel.people.filters import PATH
from trilha.panel.people.forms import Button, RoleForm, Typed
from trilha.panel.people.found import get_changeable
from trilha.panel.reach import reach_of
from trilha.panel.view import PanelView
from trilha.personal_data import actions as personal_data
from trilha.sessions import administration, email_changes
from trilha.sessions.api import PublicAddress
from trilha.sessions.permissions import Permission, may
from trilha.sso import queries as sso
from trilha.users import actions
from trilha.users import queries as user_queries
from trilha.users.words import search_text

routes = Routes("People: changes", "What is done to a person after a question.")


class Change(Struct, frozen=True):
    """`name` is the last part of its address. The texts are msgids; `%(name)s` is the person's."""

    name: str
    do: Callable[[Tx, UUID, str], Awaitable[object]]
    title: str
    consequence: str
    button: str
    done: str
    kind: str = "primary"


async def _suspend(tx: Tx, user_id: UUID, _: str) -> None:
    await actions.suspend(tx, user_id)


async def _reactivate(tx: Tx, user_id: UUID, _: str) -> None:
    await actions.reactivate(tx, user_id)


async def _deactivate(tx: Tx, user_id: UUID, _: str) -> None:
    await actions.deactivate(tx, user_id)


async def _activate(tx: Tx, user_id: UUID, _: str) -> None:
    await actions.activate(tx, user_id)


async def _invite(tx: Tx, user_id: UUID, _: str) -> None:
    await actions.invite(tx, user_id)


async def _end_sessions(tx: Tx, user_id: UUID, _: str) -> None:
    await administration.end_sessions(tx, user_id)


CHANGES = (
    Change(
        "suspend",
        _suspend,
        N_("Suspend %(name)s"),
        N_("They are signed out at once and cannot sign in until you end the suspension. Nothing is lost."),
        N_("Suspend person"),
        N_("%(name)s is suspended."),
        "danger",
    ),
    Change(
        "reactivate",
        _reactivate,
        N_("End the suspension of %(name)s"),
        N_("They can sign in again and go on where they were."),
        N_("End suspension"),
        N_("%(name)s can sign in again."),
    ),
    Change(
        "deactivate",
        _deactivate,
        N_("Deactivate %(name)s"),
        N_("For somebody who has left the company. They cannot sign in; what they learnt stays on record."),
        N_("Deactivate person"),
        N_("%(name)s is inactive."),
        "danger",
    ),
    Change(
        "activate",
        _activate,
        N_("Activate %(name)s"),
        N_("For somebody who is back. They can sign in again, and what they learnt is still there."),
        N_("Activate person"),
        N_("%(name)s is active."),
    ),
    Change(
        "invite",
        _invite,
        N_("Invite %(name)s again"),
        N_("A new link to choose a password goes to their e-mail address. An earlier one works no more."),
        N_("Send invitation"),
        N_("The invitation to %(name)s is on its way by e-mail."),
    ),
    Change(
        "end-sessions",
        _end_sessions,
        N_("Sign %(name)s out everywhere"),
        N_("Every browser and device has to sign in again. The password stays as it is."),
        N_("End sessions"),
        N_("%(name)s is signed out everywhere."),
    ),
    Change(
        "confirm-email",
        email_changes.confirm_as_administrator,
        N_("Confirm the new e-mail address of %(name)s"),
        N_("For somebody who no longer reads the old address. Make sure that the new one is theirs."),
        N_("Confirm address"),
        N_("The e-mail address of %(name)s was changed."),
    ),
    Change(
        "discard-email",
        email_changes.discard,
        N_("Cancel the new e-mail address of %(name)s"),
        N_("The address stays as it is, and the link that was sent stops working."),
        N_("Cancel change"),
        N_("The e-mail address of %(name)s stays as it is."),
    ),
    Change(
        "unlock-second-factor",
        administration.unlock_second_factor,
        N_("Unlock the two-step verification of %(name)s"),
        N_("Codes are accepted again at once. Make sure that it was them who entered the wrong ones."),
        N_("Unlock verification"),
        N_("The two-step verification of %(name)s is unlocked."),
    ),
    Change(
        "remove-second-factor",
        administration.remove_second_factor,
        N_("Remove the second factor of %(name)s"),
        N_("For somebody who has lost their device. The password alone lets them in; they are told by mail."),
        N_("Remove second factor"),
        N_("The second factor of %(name)s was removed."),
        "danger",
    ),
)


def _add(change: Change) -> None:
    path, name = f"/people/{{user_id}}/{change.name}", change.name.replace("-", "_")

    async def ask(tx: Tx, view: PanelView, user_id: UUID, refusal: Refusal | None = None) -> Html:
        user = await get_changeable(tx, user_id, reach_of(view))
        return view.form("panel/people/confirm.html", refusal, user=user, change=change)

    async def change_person(
        tx: Tx, view: PanelView, user_id: UUID, form: Button, public: PublicAddress
    ) -> Answer:
        user = await get_changeable(tx, user_id, reach_of(view))
        await change.do(tx, user_id, public)
        return view.lead(f"{PATH}/{user_id}", change.done, name=user.name)

    ask.__name__, ask.__doc__ = f"ask_to_{name}", f"Ask whether to: {change.button}."
    change_person.__name__, change_person.__doc__ = name, f"{change.button}."
    asking = routes.get(path, access=may(Permission.PEOPLE_WRITE))(ask)
    routes.post(path, access=may(Permission.PEOPLE_WRITE), refused=asking)(change_person)


for each in CHANGES:
    _add(each)


@routes.get("/people/{user_id}/role", access=may(Permission.PEOPLE_WRITE))
async def ask_for_role(tx: Tx, view: PanelView, user_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for another role."""
    user = await get_changeable(tx, user_id, reach_of(view))
    return view.form(
        "panel/people/role.html",
        refusal,
        begins={"role": user.role},
        user=user,
        roles=filters.role_choices(view),
        unconfirmed=await user_queries.is_address_unconfirmed(tx, user_id),
    )


@routes.post("/people/{user_id}/role", access=may(Permission.PEOPLE_WRITE), refused=ask_for_role)
async def change_role(tx: Tx, view: PanelView, user_id: UUID, form: RoleForm) -> Answer:
    """Give another role."""
    user = await get_changeable(tx, user_id, reach_of(view))
    if await administration.change_role(tx, user_id, form.role, form.email):
        await sso.unlink_person(tx, user_id)
    done = N_("The role of %(name)s is now: %(role)s.")
    return view.lead(f"{PATH}/{user_id}", done, name=user.name, role=view.say(words.ROLES[form.role]))


@routes.get("/people/{user_id}/password", access=may(Permission.PEOPLE_WRITE))
async def ask_for_password(tx: Tx, view: PanelView, user_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask whether to set a temporary password."""
    user = await get_changeable(tx, user_id, reach_of(view))
    return view.form("panel/people/confirm_password.html", refusal, user=user)


async def _temporary(_: Button, caller: Caller) -> HashedPassword:
    return await hash_password(None, caller.tenant_id)


@routes.post(
    "/people/{user_id}/password",
    access=may(Permission.PEOPLE_WRITE),
    prepare=_temporary,
    refused=ask_for_password,
)
async def set_password(
    tx: Tx, view: PanelView, user_id: UUID, form: Button, prepared: HashedPassword
) -> Html:
    """Set a temporary password, which is shown this once."""
    user = await get_changeable(tx, user_id, reach_of(view))
    await administration.set_temporary_password(tx, user_id, prepared)
    return view.show("panel/people/password.html", user=user, password=prepared.temporary, added=False)


@routes.get("/people/{user_id}/erase", access=may(Permission.PEOPLE_ERASE))
async def ask_to_erase(tx: Tx, view: PanelView, user_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for the person's name before their data are erased."""
    user = await get_changeable(tx, user_id, reach_of(view))
    otherwise = {"invalid_value": N_("Type the name as it stands above.")}
    return view.form("panel/people/erase.html", refusal, sentences=otherwise, user=user)


@routes.post("/people/{user_id}/erase", access=may(Permission.PEOPLE_ERASE), refused=ask_to_erase)
async def erase_person(tx: Tx, view: PanelView, user_id: UUID, form: Typed) -> Answer:
    """Erase the personal data of somebody."""
    user = await get_changeable(tx, user_id, reach_of(view))
    if search_text(" ".join(form.typed.split())) != search_text(" ".join(user.name.split())):
        raise invalid("typed", "invalid_value")
    await actions.keep_an_admin(tx, user_id)
    await personal_data.erase(tx, user_id)
    return view.lead(PATH, N_("The personal data were erased. Courses and certificates stay, of nobody."))
