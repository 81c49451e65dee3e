"""Changes of a person that need a confirmation."""

from uuid import UUID

from msgspec import Struct, structs

from trilha.access.permissions.roles import Permission, may
from trilha.access.sessions import administration, email_changes
from trilha.access.sessions.api import PublicAddress
from trilha.access.sessions.passkeys import actions as passkeys
from trilha.access.sso import queries as sso
from trilha.core.database import Tx
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.web.answers import Answer
from trilha.core.web.callers import Caller
from trilha.core.web.routes import Routes
from trilha.kit import N_
from trilha.people.personal_data.actions import PersonalData
from trilha.people.users import actions
from trilha.people.users import queries as user_queries
from trilha.people.users.schema import Role, User
from trilha.web.panel.confirm import Subject
from trilha.web.panel.people import filters, words
from trilha.web.panel.people.filters import PATH
from trilha.web.panel.people.forms import RoleForm
from trilha.web.panel.people.page_person import get_changeable
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People: changes", "What is done to a person after a question.")


PEOPLE = Subject(
    routes=routes,
    path="/people/{user_id}",
    access=may(Permission.PEOPLE_WRITE),
    get=lambda tx, view, user_id: get_changeable(tx, user_id, reach_of(view)),
)
PEOPLE.ask(
    "suspend",
    actions.suspend,
    N_("Suspend %(name)s"),
    N_(
        "The person is signed out immediately and cannot sign in until you end the suspension. "
        "No data is lost."
    ),
    N_("Suspend person"),
    N_("%(name)s is suspended."),
)
PEOPLE.ask(
    "reactivate",
    actions.reactivate,
    N_("End the suspension of %(name)s"),
    N_("The person can sign in again and continue where they left off."),
    N_("End suspension"),
    N_("%(name)s can sign in again."),
    kind="primary",
)
PEOPLE.ask(
    "deactivate",
    actions.deactivate,
    N_("Deactivate %(name)s"),
    N_("For people who left the company. They cannot sign in, and their training records remain."),
    N_("Deactivate person"),
    N_("%(name)s is inactive."),
)
PEOPLE.ask(
    "activate",
    actions.activate,
    N_("Activate %(name)s"),
    N_("For people who returned to the company. They can sign in again and keep their training records."),
    N_("Activate person"),
    N_("%(name)s is active."),
    kind="primary",
)
PEOPLE.ask(
    "invite",
    actions.invite,
    N_("Invite %(name)s again"),
    N_("We will e-mail the person a new link to choose a password. The earlier link stops working."),
    N_("Send invitation"),
    N_("The invitation to %(name)s is on its way by e-mail."),
    kind="primary",
)
PEOPLE.ask(
    "end-sessions",
    administration.end_sessions,
    N_("Sign %(name)s out everywhere"),
    N_("Every browser and device has to sign in again. The password stays as it is."),
    N_("End sessions"),
    N_("%(name)s is signed out everywhere."),
    kind="primary",
)
PEOPLE.ask(
    "confirm-email",
    email_changes.confirm_as_administrator,
    N_("Confirm the new e-mail address of %(name)s"),
    N_("For somebody who no longer reads the old address. Make sure that the new one is theirs."),
    N_("Confirm address"),
    N_("The e-mail address of %(name)s was changed."),
    kind="primary",
)
PEOPLE.ask(
    "discard-email",
    email_changes.discard,
    N_("Cancel the new e-mail address of %(name)s"),
    N_("The e-mail stays the same, and the link we sent stops working."),
    N_("Cancel change"),
    N_("The e-mail address of %(name)s stays as it is."),
    kind="primary",
)
PEOPLE.ask(
    "unlock-second-factor",
    administration.unlock_second_factor,
    N_("Unlock the two-step verification of %(name)s"),
    N_("Codes will be accepted again immediately. Make sure that the person entered the wrong codes."),
    N_("Unlock verification"),
    N_("The two-step verification of %(name)s is unlocked."),
    kind="primary",
)
PEOPLE.ask(
    "remove-second-factor",
    administration.remove_second_factor,
    N_("Turn off two-step verification for %(name)s"),
    N_(
        "For people who lost their phone. They can sign in with only their password, "
        "and we notify them by e-mail."
    ),
    N_("Turn off two-step verification"),
    N_("Two-step verification was turned off for %(name)s."),
    needs=PublicAddress,
)
PEOPLE.ask(
    "remove-passkeys",
    passkeys.remove_all,
    N_("Remove the passkeys of %(name)s"),
    N_(
        "For people who lost the device. They can sign in with only their password, "
        "and we notify them by e-mail."
    ),
    N_("Remove passkeys"),
    N_("The passkeys of %(name)s were removed."),
    needs=PublicAddress,
)


async def _offer_roles(tx: Tx, view: PanelView, user: User) -> dict[str, object]:
    unconfirmed = await user_queries.is_address_unconfirmed(tx, user.id)
    return {"user": user, "roles": filters.role_choices(view), "unconfirmed": unconfirmed}


async def _change_role(tx: Tx, user_id: UUID, form: RoleForm) -> Role:
    if await administration.change_role(tx, user_id, form.role, form.email):
        await sso.unlink_person(tx, user_id)
    return form.role


def _tell_role(tx: Tx, view: PanelView, user: User, role: Role) -> Answer:
    done = N_("The role of %(name)s is now: %(role)s.")
    return view.lead(f"{PATH}/{user.id}", done, name=user.name, role=view.say(words.ROLES[role]))


PEOPLE.ask(
    "role",
    _change_role,
    N_("Change the role of %(name)s"),
    (),
    N_("Change role"),
    kind="primary",
    form=RoleForm,
    begins=lambda user: {"role": user.role},
    values=_offer_roles,
    then=_tell_role,
    template="panel/people/role.html",
)


async def _make_temporary(form: Struct, caller: Caller) -> HashedPassword:
    return await hash_password(None, caller.tenant_id)


async def _set_password(tx: Tx, user_id: UUID, password: HashedPassword) -> str | None:
    await administration.set_temporary_password(tx, user_id, password)
    return password.temporary


PEOPLE.ask(
    "password",
    _set_password,
    N_("Set a temporary password for %(name)s"),
    [
        N_("The current password stops working, and every session ends."),
        N_("You see the new one once. The person changes it at the next sign-in."),
    ],
    N_("Set password"),
    kind="primary",
    prepare=_make_temporary,
    then=lambda tx, view, user, password: view.show(
        "panel/people/password.html", user=user, password=password, added=False
    ),
)


async def _erase(tx: Tx, user_id: UUID, personal_data: PersonalData) -> None:
    await actions.keep_an_admin(tx, user_id)
    await personal_data.erase(tx, user_id)


structs.replace(PEOPLE, access=may(Permission.PEOPLE_ERASE)).ask(
    "erase",
    _erase,
    N_("Erase the personal data of %(name)s"),
    [
        N_(
            "Name, e-mail and documents are erased permanently, also from events recorded for other systems. "
            "Course and certificate records remain without a name."
        ),
        N_("This cannot be undone. For somebody who has only left, deactivate them instead."),
    ],
    N_("Erase data"),
    N_("The personal data was erased. Course and certificate records remain without a name."),
    gone=True,
    typed=True,
    needs=PersonalData,
)
