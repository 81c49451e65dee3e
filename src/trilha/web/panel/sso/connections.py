"""/admin/sso/{connection_id}: one connection, its actions, and a test."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.sessions.api import PublicAddress
from trilha.access.sso import actions, queries, sign_ins
from trilha.access.sso.domains import queries as domains
from trilha.access.sso.domains.schema import DomainName
from trilha.access.sso.errors import REASONS
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.access.sso.saml.signing_in import SamlSignIn
from trilha.access.sso.schema import Attributes, Connection, ConnectionPatch
from trilha.access.sso.sign_ins import SignInQuery
from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.lists import list_rows
from trilha.core.types import STORABLE, Email, Name
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.request import Request
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, say
from trilha.people.business_units import queries as units
from trilha.people.users import queries as users
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.sso import mapping
from trilha.web.panel.sso.details import detail_of, list_addresses
from trilha.web.panel.sso.guides import GUIDES
from trilha.web.panel.sso.pages import ADDRESS, MANAGE, alerts_of
from trilha.web.panel.sso.words import KINDS, OUTCOMES
from trilha.web.panel.view import PanelView

routes = Routes("Connections", "Providers that people sign in with.")
say(person_not_linked=N_("This person is not linked to this connection."))
_UNITS = {
    "invalid_value": N_("No unit has this name, or several have it. Use the unit's code."),
    "invalid_text": N_("Write one value per line: the provider's value, =, and the business unit."),
}
_Attribute = Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)]


class Change(Struct, frozen=True):
    """`domains` are those whose addresses the connection may vouch for."""

    name: Name
    domains: list[str] = []
    jit: bool = False
    idp_initiated: bool = False


class MappingForm(Struct, frozen=True):
    """The provider's names for members of a person. `units` has a line for each value: `SP=Norte`."""

    attribute_name: _Attribute = ""
    attribute_department: _Attribute = ""
    attribute_job_title: _Attribute = ""
    attribute_employee_number: _Attribute = ""
    unit_attribute: _Attribute = ""
    units: Annotated[str, Meta(max_length=100_000, extra_json_schema=STORABLE)] = ""

    def attributes(self) -> Attributes:
        told = {
            "name": self.attribute_name,
            "department": self.attribute_department,
            "job_title": self.attribute_job_title,
            "employee_number": self.attribute_employee_number,
        }
        found: Attributes = {name: value.strip() for name, value in told.items() if value.strip()}  # type: ignore[misc]
        return found


class RelinkForm(Struct, frozen=True):
    email: Email


@routes.get("/sso/{connection_id}", access=MANAGE)
async def show_connection(
    tx: Tx, view: PanelView, connection_id: UUID, address: PublicAddress, refusal: Refusal | None = None
) -> Html:
    """Show the connection, the values to enter at the provider, and the latest sign-ins."""
    connection = await _get(tx, connection_id)
    verified = {each.domain for each in await domains.list_verified(tx)}
    last = await list_rows(tx, sign_ins.SIGN_INS, SignInQuery(connection=connection_id), limit=5)
    return view.form(
        "panel/sso/connection.html",
        refusal,
        connection=connection,
        detail=await detail_of(tx, connection, address),
        kinds=KINDS,
        alerts=alerts_of(connection),
        verified=verified,
        guides=GUIDES,
        last=last,
        reasons=REASONS,
        outcomes=OUTCOMES,
    )


@routes.get("/sso/{connection_id}/guides/{name}", access=MANAGE)
async def show_guide_of(
    tx: Tx, view: PanelView, connection_id: UUID, name: str, address: PublicAddress
) -> Html:
    """Show the setup guide of one provider, with this connection's addresses."""
    connection = await _get(tx, connection_id)
    if name not in GUIDES:
        raise NotFound("route_not_found")
    return view.show(
        "panel/sso/guide.html",
        guide=GUIDES[name],
        connection=connection,
        kinds=KINDS,
        given=list_addresses(connection, address),
    )


@routes.get("/sso/{connection_id}/edit", access=MANAGE)
async def edit_connection(
    tx: Tx, view: PanelView, connection_id: UUID, refusal: Refusal | None = None
) -> Html:
    """Show the form for its name, domains and automatic accounts."""
    connection = await _get(tx, connection_id)
    choices = await domain_choices(tx, view, connection.domains)
    return view.form("panel/sso/edit.html", refusal, connection, connection=connection, choices=choices)


@routes.post("/sso/{connection_id}/edit", access=MANAGE, refused=edit_connection)
async def change_connection(tx: Tx, view: PanelView, connection_id: UUID, form: Change) -> Answer:
    """Save the connection."""
    connection = await _get(tx, connection_id)
    patch = ConnectionPatch(
        name=form.name,
        domains=await read_domains(tx, form.domains),
        jit=form.jit,
        idp_initiated=form.idp_initiated and connection.kind == "SAML",
    )
    await actions.change(tx, connection_id, patch)
    return view.lead(f"{ADDRESS}/{connection_id}", N_("The connection was saved."))


@routes.get("/sso/{connection_id}/mapping", access=MANAGE)
async def edit_mapping(tx: Tx, view: PanelView, connection_id: UUID, refusal: Refusal | None = None) -> Html:
    """Show which of the provider's attributes are stored."""
    connection = await _get(tx, connection_id)
    begins = {f"attribute_{name}": value for name, value in connection.attributes.items()} | {
        "unit_attribute": connection.unit_attribute,
        "units": mapping.lines_of(connection.units, await units.list_tree(tx)),
    }
    return view.form("panel/sso/mapping.html", refusal, begins, _UNITS, connection=connection)


@routes.post("/sso/{connection_id}/mapping", access=MANAGE, refused=edit_mapping)
async def change_mapping(tx: Tx, view: PanelView, connection_id: UUID, form: MappingForm) -> Answer:
    """Save the mapping. It applies from each person's next sign-in."""
    await _get(tx, connection_id)
    patch = ConnectionPatch(
        attributes=form.attributes(),
        unit_attribute=form.unit_attribute.strip() or None,
        units=mapping.read_lines(form.units, await units.list_tree(tx)),
    )
    await actions.change(tx, connection_id, patch)
    return view.lead(f"{ADDRESS}/{connection_id}", N_("The connection was saved."))


@routes.post("/sso/{connection_id}/enable", access=MANAGE, max_body=8192, refused=show_connection)
async def enable_connection(tx: Tx, view: PanelView, connection_id: UUID, form: Button) -> Answer:
    """Let people sign in with the connection."""
    enabled = await actions.enable(tx, connection_id)
    notice = N_("People can now sign in with %(name)s.")
    return view.lead(f"{ADDRESS}/{connection_id}", notice, name=enabled.name)


CONNECTIONS = Subject(
    routes=routes,
    path="/sso/{connection_id}",
    access=MANAGE,
    get=lambda tx, view, connection_id: queries.get(tx, connection_id),
)
CONNECTIONS.ask(
    "disable",
    actions.disable,
    N_("Disable %(name)s"),
    [
        N_("Nobody can sign in with this connection anymore. Everyone who used it is signed out."),
        N_("Linked accounts stay linked."),
    ],
    N_("Disable connection"),
    N_("The connection %(name)s is disabled."),
)
CONNECTIONS.ask(
    "delete",
    actions.delete,
    N_("Delete %(name)s"),
    [
        N_("Nobody can sign in with this connection anymore. Everyone who used it is signed out."),
        N_("Linked accounts are unlinked. This cannot be undone."),
    ],
    N_("Delete connection"),
    N_("The connection %(name)s was deleted."),
    gone=True,
)


@routes.get("/sso/{connection_id}/unlink", access=MANAGE)
async def ask_unlinking(tx: Tx, view: PanelView, connection_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask whose link to remove."""
    return view.form("panel/sso/unlink.html", refusal, connection=await _get(tx, connection_id))


@routes.post("/sso/{connection_id}/unlink", access=MANAGE, max_body=8192, refused=ask_unlinking)
async def unlink_person(tx: Tx, view: PanelView, connection_id: UUID, form: RelinkForm) -> Answer:
    """Remove a person's link. Their next sign-in links them again, by the subject that the provider then
    sends.
    """
    await _get(tx, connection_id)
    user = await users.find_by_email(tx, form.email)
    if user is None:
        raise invalid("email", "person_not_linked")
    await actions.unlink(tx, connection_id, user.id)
    said = N_("%(name)s will be linked again at the next sign-in.")
    return view.lead(f"{ADDRESS}/{connection_id}", said, name=user.name)


@routes.get("/sso/{connection_id}/test", access=MANAGE, writes=True)
async def test_connection(
    tx: Tx, request: Request, connection_id: UUID, oidc: OidcSignIn, saml: SamlSignIn
) -> Answer:
    """Redirect to the provider for a test, which signs nobody in; its result is shown afterwards.

    It is a link because forms may not lead to another site. It can start nothing but a test.
    """
    connection = await _get(tx, connection_id)
    begin = oidc.begin if connection.kind == "OIDC" else saml.begin
    return Redirect(await begin(tx, connection, request, is_test=True), 302)


async def _get(tx: Tx, connection_id: UUID) -> Connection:
    return await queries.get(tx, connection_id)


async def domain_choices(tx: Tx, view: PanelView, chosen: list[str]) -> list[tuple[str, str, str]]:
    """Returns the tenant's domains, and those of the connection that are not in the list any more."""
    unverified = view.say(N_("Not verified yet"))
    notes = {each.domain: "" if each.verified_at else unverified for each in await domains.list_all(tx)}
    return [(name, name, note) for name, note in (dict.fromkeys(chosen, unverified) | notes).items()]


async def read_domains(tx: Tx, names: list[str]) -> list[DomainName]:
    """Returns the tenant's domains with these names. Raises Invalid for any other."""
    known = {each.domain for each in await domains.list_all(tx)}
    if any(name not in known for name in names):
        raise invalid("domains", "invalid_value")
    return [DomainName(name) for name in names]
