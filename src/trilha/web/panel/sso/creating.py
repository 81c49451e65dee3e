"""Creates connections and changes their providers, whose documents are fetched outside any transaction."""

import asyncio
from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Meta, Struct

from trilha.access.sessions.api import PublicAddress
from trilha.access.sso import queries
from trilha.access.sso.errors import REASONS
from trilha.access.sso.oidc import actions as oidc
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.schema import AuthMethod, NewOidcConnection, OidcPatch
from trilha.access.sso.saml import actions as saml
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.saml.metadata import MAX_BYTES
from trilha.access.sso.saml.schema import NewSamlConnection, SamlPatch
from trilha.access.sso.schema import Connection, Kind
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule
from trilha.core.types import STORABLE, Name
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.web.panel.sso.connections import domain_choices, read_domains
from trilha.web.panel.sso.details import CALLBACK, detail_of
from trilha.web.panel.sso.guides import GUIDES
from trilha.web.panel.sso.pages import ADDRESS, MANAGE
from trilha.web.panel.sso.words import METHODS
from trilha.web.panel.view import PanelView

routes = Routes("New connections", "Providers that people are to sign in with.")
say(
    provider_not_usable=N_("The provider cannot be used. See the reason below."),
    metadata_not_usable=N_("The metadata cannot be used. See the reason below."),
    metadata_missing=N_("Choose a metadata file or enter a metadata URL, not both."),
    client_secret_missing=N_("Enter the client secret."),
    algorithm_unknown=N_("Choose other signature algorithms."),
)
_Text = Annotated[str, Meta(min_length=1, max_length=2000, extra_json_schema=STORABLE)]
_Optional = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class OidcChange(Struct, frozen=True, kw_only=True):
    """Without `client_secret`, the present secret stays."""

    issuer: _Text
    client_id: _Text
    client_secret: _Optional = ""
    auth_method: AuthMethod = "client_secret_basic"


class NewOidc(OidcChange, frozen=True, kw_only=True):
    """`client_secret` is left out if the client authenticates with a key."""

    name: Name
    domains: list[str] = []
    jit: bool = False


class SamlChange(Struct, frozen=True, kw_only=True):
    """Either the file, or the address from which it is read every day."""

    metadata: UploadedFile | None = None
    metadata_url: _Optional = ""
    sign_requests: bool = False
    wants_encrypted: bool = False


class NewSaml(SamlChange, frozen=True, kw_only=True):
    name: Name
    domains: list[str] = []
    jit: bool = False


@routes.get("/sso/oidc/new", access=MANAGE)
async def new_oidc(tx: Tx, view: PanelView, address: PublicAddress, refusal: Refusal | None = None) -> Html:
    """Ask for the values that the provider issued when this server was registered."""
    begins = {"auth_method": "client_secret_basic"}
    return await _new(tx, view, refusal, "OIDC", begins, callback=f"{address}{CALLBACK}")


@routes.post("/sso/oidc/new", access=MANAGE, refused=new_oidc)
async def create_oidc(view: PanelView, form: NewOidc, discovery: Discovery) -> Answer:
    """Read the provider's discovery document and create the connection, not enabled yet."""
    provider = await oidc.look_up(discovery, view.tenant_id, form.issuer.strip())
    async with view.changing() as tx:
        new = NewOidcConnection(
            name=form.name,
            issuer=provider.issuer,
            client_id=form.client_id.strip(),
            client_secret=form.client_secret or None,
            auth_method=form.auth_method,
            domains=await read_domains(tx, form.domains),
            jit=form.jit,
        )
        created = await oidc.create(tx, new, provider)
    return _lead_to_connection(view, created.connection)


@routes.get("/sso/saml/new", access=MANAGE)
async def new_saml(tx: Tx, view: PanelView, refusal: Refusal | None = None) -> Html:
    """Ask for the provider's metadata."""
    return await _new(tx, view, refusal, "SAML", {"sign_requests": True})


@routes.post("/sso/saml/new", access=MANAGE, max_body=MAX_BYTES + 64 * 1024, refused=new_saml)
async def create_saml(view: PanelView, form: NewSaml, reader: MetadataReader) -> Answer:
    """Read the metadata and create the connection, not enabled yet."""
    document, url = await _metadata(form.metadata, form.metadata_url)
    provider = await reader.look_up(view.tenant_id, document, url)
    async with view.changing() as tx:
        new = NewSamlConnection(
            name=form.name,
            metadata_url=reader.check_url(url) if url else None,
            domains=await read_domains(tx, form.domains),
            sign_requests=form.sign_requests,
            wants_encrypted=form.wants_encrypted,
            jit=form.jit,
        )
        created = await saml.create(tx, new, provider)
    return _lead_to_connection(view, created.connection)


@routes.get("/sso/{connection_id}/provider", access=MANAGE)
async def edit_provider(
    tx: Tx, view: PanelView, connection_id: UUID, address: PublicAddress, refusal: Refusal | None = None
) -> Html:
    """Show the provider's stored values."""
    connection = await queries.get(tx, connection_id)
    detail = await detail_of(tx, connection, address)
    return _ask(view, refusal, connection.kind, detail.oidc or detail.saml, connection=connection)


def _ask(view: PanelView, refusal: Refusal | None, kind: Kind, begins: Any, **values: Any) -> Html:
    values |= {"kind": kind, "methods": METHODS, "found": _describe_problem(refusal)}
    return view.form("panel/sso/provider.html", refusal, begins, **values)


async def _new(
    tx: Tx, view: PanelView, refusal: Refusal | None, kind: Kind, begins: dict[str, Any], **values: Any
) -> Html:
    choices = await domain_choices(tx, view, [])
    begins |= {"jit": True, "domains": [name for name, _, note in choices if not note]}
    return _ask(view, refusal, kind, begins, connection=None, choices=choices, guides=GUIDES, **values)


@routes.post("/sso/{connection_id}/oidc", access=MANAGE, refused=edit_provider)
async def change_oidc(view: PanelView, connection_id: UUID, form: OidcChange, discovery: Discovery) -> Answer:
    """Save the values. A new issuer is read first; it is another provider, so all links are removed."""
    async with view.reading() as tx:
        await queries.get(tx, connection_id)
    provider = await oidc.look_up(discovery, view.tenant_id, form.issuer.strip())
    patch = OidcPatch(
        issuer=provider.issuer,
        client_id=form.client_id.strip(),
        client_secret=form.client_secret or UNSET,
        auth_method=form.auth_method,
    )
    async with view.changing() as tx:
        await oidc.change(tx, connection_id, patch, provider)
    return view.lead(f"{ADDRESS}/{connection_id}", N_("The connection was saved."))


@routes.post(
    "/sso/{connection_id}/saml", access=MANAGE, max_body=MAX_BYTES + 64 * 1024, refused=edit_provider
)
async def change_saml(
    view: PanelView, connection_id: UUID, form: SamlChange, reader: MetadataReader
) -> Answer:
    """Save new metadata of the same provider, or keep the present one."""
    async with view.reading() as tx:
        await queries.get(tx, connection_id)
    document, url = await _metadata(form.metadata, form.metadata_url)
    provider = None
    if document is not None or url is not None:
        # An uploaded file wins over the address, which is read from the next day on.
        provider = await reader.look_up(view.tenant_id, document, None if document else url)
    patch = SamlPatch(
        metadata_url=reader.check_url(url) if url else None,
        sign_requests=form.sign_requests,
        wants_encrypted=form.wants_encrypted,
    )
    async with view.changing() as tx:
        await saml.change(tx, connection_id, patch, provider)
    return view.lead(f"{ADDRESS}/{connection_id}", N_("The connection was saved."))


async def _metadata(file: UploadedFile | None, url: str) -> tuple[str | None, str | None]:
    """A field without a file arrives as an empty file. Raises BusinessRule if the file is not text."""
    if file is None or file.size == 0:
        return None, url.strip() or None
    raw = await asyncio.to_thread(file.path.read_bytes)
    try:
        return raw.decode("utf-8-sig"), url.strip() or None
    except UnicodeDecodeError:
        raise BusinessRule("metadata_not_usable", reason="saml_xml_encoding") from None


def _describe_problem(refusal: Refusal | None) -> dict[str, str]:
    """Returns why a provider cannot be used, with the expected and received values."""
    told = refusal.failure.detail if refusal is not None else None
    if not isinstance(told, dict) or told.get("reason") not in REASONS:
        return {}
    return {
        "meaning": REASONS[told["reason"]],
        "expected": told.get("expected") or "",
        "received": told.get("received") or "",
    }


def _lead_to_connection(view: PanelView, connection: Connection) -> Answer:
    said = N_("The connection %(name)s was created. Test it, then enable it.")
    return view.lead(f"{ADDRESS}/{connection.id}", said, name=connection.name)
