"""Metadata of providers, as they publish it or an administrator uploads it (SAML metadata 2.0).

It is not signed for us: whoever gives it says by that whom to trust. Keys are read from it, and where to go.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import Struct

from trilha.sso.saml.certificates import load_certificates, pem
from trilha.sso.saml.documents import Element, parsed, text_of
from trilha.sso.saml.errors import refused
from trilha.sso.saml.names import HTTP_REDIRECT, PROTOCOL_NS, ds, md

MOST_BYTES = 1024 * 1024
_MOST_NODES = 50_000
_LONGEST = 2048


class ProviderMetadata(Struct, frozen=True):
    """What is used of a provider's metadata. `certificates` are PEM, and any of them may have signed.

    `slo_url` is None where the provider has no single logout by the Redirect binding; answers to its own
    requests go to `slo_answer_url`.
    """

    entity_id: str
    sso_url: str
    slo_url: str | None
    slo_answer_url: str | None
    certificates: tuple[str, ...]
    wants_signed_requests: bool


def read_metadata(raw: bytes, *, plain_http: bool = False) -> ProviderMetadata:
    """`plain_http` lets addresses be without TLS, as on a developer's machine. Raises SignInRefused."""
    root = parsed(raw, most=MOST_BYTES, nodes=_MOST_NODES, comments=True)
    entity, role = _provider(root)
    sso = _service(role, "SingleSignOnService")
    if sso is None:
        bindings = [each.get("Binding", "") for each in role.findall(md("SingleSignOnService"))]
        raise refused("saml_metadata_binding", HTTP_REDIRECT, bindings or "no SingleSignOnService")
    slo = _service(role, "SingleLogoutService")
    slo_url = None if slo is None else _address(slo.get("Location"), plain_http=plain_http)
    answers = None if slo is None else slo.get("ResponseLocation")
    return ProviderMetadata(
        entity_id=_entity_id(entity),
        sso_url=_address(sso.get("Location"), plain_http=plain_http),
        slo_url=slo_url,
        slo_answer_url=_address(answers, plain_http=plain_http) if answers else slo_url,
        certificates=tuple(map(pem, load_certificates(_signing_certificates(role)))),
        wants_signed_requests=role.get("WantAuthnRequestsSigned") in ("true", "1"),
    )


def _provider(root: Element) -> tuple[Element, Element]:
    """The one entity that is an identity provider, and what it says as such."""
    if root.tag not in (md("EntityDescriptor"), md("EntitiesDescriptor")):
        raise refused("saml_metadata_kind", "EntityDescriptor", root.tag)
    found = [
        (entity, role)
        for entity in root.iter(md("EntityDescriptor"))
        for role in entity.findall(md("IDPSSODescriptor"))
        if PROTOCOL_NS in (role.get("protocolSupportEnumeration") or "").split()
    ]
    if len(found) != 1:
        raise refused("saml_metadata_kind", "one identity provider of SAML 2.0", f"{len(found)}")
    return found[0]


def _entity_id(entity: Element) -> str:
    found = entity.get("entityID") or ""
    if not found or len(found) > 1024 or not found.isprintable():
        raise refused("saml_metadata_kind", "an entityID of at most 1024 characters", found or "none")
    return found


def _service(role: Element, name: str) -> Element | None:
    """The first with the Redirect binding. Of one by POST a browser would have to send a form for us."""
    for service in role.findall(md(name)):
        if service.get("Binding") == HTTP_REDIRECT:
            return service
    return None


def _signing_certificates(role: Element) -> Iterable[str]:
    for key in role.findall(md("KeyDescriptor")):
        if key.get("use") in (None, "signing"):
            for found in key.iterfind(f"{ds('KeyInfo')}/{ds('X509Data')}/{ds('X509Certificate')}"):
                yield text_of(found)


def _address(text: str | None, *, plain_http: bool) -> str:
    """A browser is sent there: whatever is no address of the web is refused."""
    schemes = ("https", "http") if plain_http else ("https",)
    try:
        parts = urlsplit(text or "")
        fits = parts.scheme in schemes and parts.hostname and parts.port != 0 and not parts.fragment
    except ValueError:
        fits = False
    if not fits or not text or len(text) > _LONGEST or not text.isascii() or not text.isprintable():
        raise refused("saml_metadata_address", f"an address with {' or '.join(schemes)}", text or "none")
    if " " in text or "\\" in text or parts.username is not None:
        raise refused("saml_metadata_address", "a plain address", text)
    return text
