"""/admin/sso/domains: domains whose e-mail addresses a connection may vouch for."""

from operator import attrgetter
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.sso import queries as connections
from trilha.access.sso.domains import actions, queries
from trilha.access.sso.domains.actions import Verification
from trilha.access.sso.domains.schema import EmailDomain
from trilha.core.database import Tx
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.kit import N_, State, say
from trilha.web.panel.confirm import Button, Subject
from trilha.web.panel.sso.pages import ADDRESS, MANAGE
from trilha.web.panel.sso.words import DOMAIN_STATES, FINDINGS
from trilha.web.panel.view import PanelView

routes = Routes("Domains", "E-mail domains of the company.")
PATH = f"{ADDRESS}/domains"
say(
    invalid_domain=N_("Enter the part after the @, such as company.com."),
    consumer_domain=N_("Anyone can get an address there. Enter a domain that belongs to the company."),
    public_suffix=N_("Many organizations share this suffix. Enter the company's own domain."),
    domain_claimed=N_("This domain is already in the list."),
    too_many_domains=N_("There are 100 domains already. Remove one first."),
)


class Claim(Struct, frozen=True):
    domain: Annotated[str, Meta(min_length=1, max_length=300, extra_json_schema=STORABLE)]


@routes.get("/sso/domains", access=MANAGE)
async def list_domains(tx: Tx, view: PanelView) -> Html:
    """List the domains and whether they are verified."""
    return view.show("panel/sso/domains.html", domains=await queries.list_all(tx), states=DOMAIN_STATES)


@routes.get("/sso/domains/new", access=MANAGE)
async def new_domain(view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for a domain."""
    return view.form("panel/sso/new_domain.html", refusal)


@routes.post("/sso/domains/new", access=MANAGE, max_body=8192, refused=new_domain)
async def claim_domain(tx: Tx, view: PanelView, form: Claim) -> Answer:
    """Claim the domain and redirect to the record that proves it."""
    claimed = await actions.claim(tx, form.domain)
    return view.lead(f"{PATH}/{claimed.id}")


@routes.get("/sso/domains/{domain_id}", access=MANAGE)
async def show_domain(tx: Tx, view: PanelView, domain_id: UUID) -> Html:
    """Show the record to set, and the result of the last check."""
    return view.show(
        "panel/sso/domain.html",
        domain=await queries.get(tx, domain_id),
        states=DOMAIN_STATES,
        findings=FINDINGS,
    )


@routes.post("/sso/domains/{domain_id}/verify", access=MANAGE, max_body=8192)
async def verify_domain(view: PanelView, domain_id: UUID, form: Button, verification: Verification) -> Answer:
    """Check the record now."""
    found = await verification.verify(view.database, view.tenant_id, view.caller.actor, domain_id)
    if found.finding == "found":
        return view.lead(f"{PATH}/{domain_id}", N_("The domain %(name)s is verified."), name=found.domain)
    state: State = "bad" if found.finding == "taken" else "warn"
    return view.lead(f"{PATH}/{domain_id}", FINDINGS[found.finding or "no_answer"], state=state)


async def _list_using(tx: Tx, view: PanelView, domain: EmailDomain) -> dict[str, object]:
    using = [each.name for each in await connections.list_all(tx) if domain.domain in each.domains]
    return {"using": ", ".join(using) or None}


DOMAINS = Subject(
    routes=routes,
    path="/sso/domains/{domain_id}",
    access=MANAGE,
    get=lambda tx, view, domain_id: queries.get(tx, domain_id),
    name=attrgetter("domain"),
    trail=lambda view, domain: [(view.say(N_("Domains")), PATH), (domain.domain, f"{PATH}/{domain.id}")],
)
DOMAINS.ask(
    "remove",
    actions.remove,
    N_("Remove %(name)s"),
    [
        N_("People with an address in this domain can no longer sign in with a provider."),
        N_("Another company can then verify it."),
        N_("Connections that use this domain: %(using)s"),
    ],
    N_("Remove domain"),
    N_("The domain %(name)s was removed."),
    gone=True,
    values=_list_using,
)
