"""Providers' metadata, as they publish it or as an administrator uploads it (SAML metadata 2.0).

It is not signed for us: whoever provides it decides whom to trust. We read keys and addresses from it.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import Struct

from trilha.access.sso.saml.certificates import load_certificates, pem
from trilha.access.sso.saml.documents import Element, parse_document, text_of
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import HTTP_REDIRECT, PROTOCOL_NS, ds, md

MAX_BYTES = 1024 * 1024
_MAX_NODES = 50_000
_LONGEST = 2048


class ProviderMetadata(Struct, frozen=True):
    """The parts of a provider's metadata that we use. Any of the `certificates` (PEM) may verify a
    signature.

    `slo_url` is None if the provider has no single logout with the Redirect binding; answers to its own
    requests go to `slo_answer_url`.
    """

    entity_id: str
    sso_url: str
    slo_url: str | None
    slo_answer_url: str | None
    certificates: tuple[str, ...]
    wants_signed_requests: bool


def read_metadata(raw: bytes, *, plain_http: bool = False) -> ProviderMetadata:
    """Reads metadata. `plain_http` allows addresses without TLS, as on a developer's machine. Raises
    SignInRefused.
    """
    root = parse_document(raw, limit=MAX_BYTES, nodes=_MAX_NODES, comments=True)
    entity, role = _provider(root)
    sso = _service(role, "SingleSignOnService")
    if sso is None:
        bindings = [each.get("Binding", "") for each in role.findall(md("SingleSignOnService"))]
        raise build_refusal("saml_metadata_binding", HTTP_REDIRECT, bindings or "no SingleSignOnService")
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
    """Returns the only entity that is an identity provider, and its role."""
    if root.tag not in (md("EntityDescriptor"), md("EntitiesDescriptor")):
        raise build_refusal("saml_metadata_kind", "EntityDescriptor", root.tag)
    found = [
        (entity, role)
        for entity in root.iter(md("EntityDescriptor"))
        for role in entity.findall(md("IDPSSODescriptor"))
        if PROTOCOL_NS in (role.get("protocolSupportEnumeration") or "").split()
    ]
    if len(found) != 1:
        raise build_refusal("saml_metadata_kind", "one identity provider of SAML 2.0", f"{len(found)}")
    return found[0]


def _entity_id(entity: Element) -> str:
    found = entity.get("entityID") or ""
    if not found or len(found) > 1024 or not found.isprintable():
        raise build_refusal("saml_metadata_kind", "an entityID of at most 1024 characters", found or "none")
    return found


def _service(role: Element, name: str) -> Element | None:
    """Returns the first service with the Redirect binding; POST would need a form in the browser."""
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
    """Returns an address to which a browser can be sent; refuses everything but web addresses."""
    schemes = ("https", "http") if plain_http else ("https",)
    try:
        parts = urlsplit(text or "")
        fits = parts.scheme in schemes and parts.hostname and parts.port != 0 and not parts.fragment
    except ValueError:
        fits = False
    if not fits or not text or len(text) > _LONGEST or not text.isascii() or not text.isprintable():
        raise build_refusal(
            "saml_metadata_address", f"an address with {' or '.join(schemes)}", text or "none"
        )
    if " " in text or "\\" in text or parts.username is not None:
        raise build_refusal("saml_metadata_address", "a plain address", text)
    return text
