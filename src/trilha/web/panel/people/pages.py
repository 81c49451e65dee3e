"""/admin/people: the list, a person, and their profile."""

from typing import Any
from uuid import UUID

from trilha.access.permissions.roles import Permission, may
from trilha.access.permissions.viewer import viewer_of
from trilha.access.sessions import email_changes
from trilha.access.sessions.api import PublicAddress
from trilha.core.database import Tx
from trilha.core.lists import fetch_page
from trilha.core.passwords import HashedPassword, hash_password
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import Caller
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_
from trilha.people.business_units import queries as units
from trilha.people.users import actions, selection
from trilha.people.users.rules import check_new_password
from trilha.people.users.schema import PeopleQuery
from trilha.platform.audit import queries as audit
from trilha.platform.audit.schema import AuditQuery
from trilha.platform.mail import daily_limits
from trilha.platform.mail.daily_limits import ServerLimit
from trilha.training.certificates.lists import CERTIFICATE_ROWS as CERTIFICATES
from trilha.training.certificates.schema import CertificateSearch
from trilha.training.enrollments.lists import OF_PERSON, of_user
from trilha.web.panel import lists
from trilha.web.panel.addresses import address
from trilha.web.panel.people import custom_fields, filters, history
from trilha.web.panel.people.filters import PATH
from trilha.web.panel.people.forms import EditForm, NewPersonForm, initial_values
from trilha.web.panel.people.page_person import get_changeable, show_tab
from trilha.web.panel.reach import reach_of
from trilha.web.panel.view import PanelView

routes = Routes("People", "The people of the tenant.")
_SENTENCES = {
    "invalid_type": N_("Enter a number, without a thousands separator."),
    "out_of_range": N_("The number is too large or too small."),
}


@routes.get("/people", access=may(Permission.PEOPLE_READ))
async def list_people(tx: Tx, view: PanelView, query: PeopleQuery) -> Html:
    """List people, with search and filters."""
    return await lists.show(tx, view, filters.PEOPLE_TABLE, query, reach_of(view))


@routes.get("/people/new", access=may(Permission.PEOPLE_WRITE))
async def show_new_person(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Show the form for a new person."""
    return view.form(
        "panel/people/form.html",
        custom_fields.with_values(refusal),
        begins={"role": "learner", "entry": "invitation"},
        sentences=_SENTENCES,
        **await filters.of_profile(tx, view, unit=_unit(refusal)),
    )


def _unit(refusal: Refusal | None) -> object:
    return refusal.values.get("business_unit_id") if refusal else None


async def _password(form: NewPersonForm, caller: Caller) -> HashedPassword | None:
    if form.entry == "invitation":
        return None
    if form.password:
        viewer = viewer_of(caller)
        names = (form.name, form.email, *viewer.company_names)
        check_new_password(form.password, viewer.password_minimum, names, "password")
    made = await hash_password(form.password, caller.tenant_id)
    return HashedPassword(made.hash, temporary=form.password or made.temporary)


@routes.post("/people/new", access=may(Permission.PEOPLE_WRITE), prepare=_password, refused=show_new_person)
async def create_person(
    tx: Tx, view: PanelView, form: NewPersonForm, prepared: HashedPassword | None
) -> Answer:
    """Add a person, who is invited by e-mail or gets a password that is shown once."""
    user = await actions.create(
        tx, form.new_user(await custom_fields.load_fields(tx)), prepared, role=form.role
    )
    if prepared and prepared.temporary:
        return view.show("panel/people/password.html", user=user, password=prepared.temporary, added=True)
    done = N_("%(name)s was added. The invitation is on its way by e-mail.")
    return view.lead(f"{PATH}/{user.id}", done, name=user.name)


@routes.get("/people/{user_id}", access=may(Permission.PEOPLE_READ))
async def show_person(tx: Tx, view: PanelView, user_id: UUID, mail_limit: ServerLimit) -> Html:
    """Show a person's profile."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    unit = await units.get(tx, user.business_unit_id) if user.business_unit_id else None
    pending = await email_changes.find(tx, user_id) if view.may(Permission.PEOPLE_WRITE) else None
    invitations = await daily_limits.get_usage(tx, mail_limit)
    shown = custom_fields.describe(view, user, await custom_fields.load_fields(tx))
    return await show_tab(
        tx,
        view,
        "profile",
        user,
        unit=unit,
        pending=pending,
        invitations=invitations,
        custom_fields=shown,
    )


@routes.get("/people/{user_id}/edit", access=may(Permission.PEOPLE_WRITE))
async def show_edit(tx: Tx, view: PanelView, user_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show the form of a profile."""
    user = await get_changeable(tx, user_id, reach_of(view))
    fields = await custom_fields.load_fields(tx)
    return view.form(
        "panel/people/form.html",
        custom_fields.with_values(refusal),
        begins=initial_values(user) | custom_fields.initial_values(view, user, fields),
        sentences=_SENTENCES,
        **await filters.of_profile(tx, view, user, _unit(refusal) or user.business_unit_id),
    )


@routes.post("/people/{user_id}/edit", access=may(Permission.PEOPLE_WRITE), refused=show_edit)
async def edit_person(
    tx: Tx, view: PanelView, user_id: UUID, form: EditForm, public: PublicAddress
) -> Answer:
    """Change a profile. A new address of a privileged person waits for confirmation."""
    await get_changeable(tx, user_id, reach_of(view))
    changed = await email_changes.change(tx, user_id, form.email, public)
    await actions.update(tx, user_id, form.patch(await custom_fields.load_fields(tx)))
    if not changed:
        done = N_("The profile of %(name)s was saved. The new e-mail address waits to be confirmed.")
        return view.lead(f"{PATH}/{user_id}", done, name=form.name)
    return view.lead(f"{PATH}/{user_id}", N_("The profile of %(name)s was saved."), name=form.name)


@routes.get("/people/{user_id}/enrollments", access=may(Permission.ENROLLMENTS_READ))
async def show_enrollments(tx: Tx, view: PanelView, user_id: UUID, query: ListQuery) -> Html:
    """Show a person's courses. Instructors see those they teach."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    page = await fetch_page(tx, OF_PERSON, of_user(user_id, query), reach_of(view))
    path = f"{PATH}/{user_id}/enrollments"
    shown: dict[str, Any] = {"places": page.data, "following": _next(path, page.next_cursor)}
    if view.page.fragment:
        return view.show("panel/people/_enrollments.html", **shown)
    return await show_tab(tx, view, "enrollments", user, **shown)


@routes.get("/people/{user_id}/certificates", access=may(Permission.CERTIFICATES_READ))
async def show_certificates(tx: Tx, view: PanelView, user_id: UUID, query: ListQuery) -> Html:
    """Show a person's certificates. Instructors see those of the courses they teach."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    asked = CertificateSearch(user=user_id, cursor=query.cursor, limit=query.limit)
    page = await fetch_page(tx, CERTIFICATES, asked, reach_of(view))
    path = f"{PATH}/{user_id}/certificates"
    shown: dict[str, Any] = {"certificates": page.data, "now": Timestamp.of(tx.now)}
    shown["following"] = _next(path, page.next_cursor)
    if view.page.fragment:
        return view.show("panel/certificates/_of_person.html", **shown)
    return await show_tab(tx, view, "certificates", user, **shown)


@routes.get("/people/{user_id}/history", access=may(Permission.AUDIT_READ))
async def show_history(tx: Tx, view: PanelView, user_id: UUID, query: ListQuery) -> Html:
    """Show the changes of a person's account, by whom and from where."""
    user = await selection.get_within(tx, user_id, reach_of(view))
    asked = AuditQuery(target_id=user_id, cursor=query.cursor, limit=query.limit)
    page = await audit.list_page(tx, asked)
    path = f"{PATH}/{user_id}/history"
    told = [history.describe(view, each) for each in page.data]
    return await show_tab(tx, view, "history", user, told=told, following=_next(path, page.next_cursor))


def _next(path: str, cursor: str | None) -> str:
    return address(path, {"cursor": cursor}) if cursor else ""
