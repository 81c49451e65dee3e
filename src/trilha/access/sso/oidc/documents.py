"""Discovery documents: a provider's description of itself, bound to the configured issuer."""

from typing import Any
from uuid import UUID

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import keys, rules
from trilha.access.sso.oidc.schema import Document, Provider
from trilha.core.outbound.fetching import Fetcher, FetchFailed, FetchResult
from trilha.core.outbound.guard import BlockedAddress, Guard

_REQUIRED_MEMBERS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class Discovery:
    """Reads discovery documents. `guard` decides which addresses may be called."""

    def __init__(self, fetcher: Fetcher, guard: Guard) -> None:
        self._fetcher = fetcher
        self._guard = guard

    async def look_up(self, tenant_id: UUID, issuer: str) -> Provider:
        """Returns the provider with its keys. Call it outside any transaction; raises SignInRefused."""
        document = await self.read(tenant_id, issuer)
        found, max_age = await self.read_keys(tenant_id, document.jwks_uri)
        return Provider(issuer, document, found, max_age)

    async def read(self, tenant_id: UUID, issuer: str) -> Document:
        """Raises SignInRefused."""
        url = rules.discovery_url(issuer)
        fetched = await self._get(tenant_id, url)
        try:
            said = rules.read_object(fetched.body)
        except rules.Unreadable:
            raise SignInRefused("document_unreadable", "a JSON object", url) from None
        if said.get("issuer") != issuer:
            raise SignInRefused("issuer_mismatch", issuer, str(said.get("issuer", "none")))
        return Document(
            **{name: self._address(said, name) for name in _REQUIRED_MEMBERS},
            userinfo_endpoint=self._address(said, "userinfo_endpoint")
            if "userinfo_endpoint" in said
            else None,
            answers_name_issuer=said.get("authorization_response_iss_parameter_supported") is True,
        )

    async def read_keys(self, tenant_id: UUID, jwks_uri: str) -> tuple[list[dict[str, Any]], int | None]:
        """Returns the keys that may sign, and for how many seconds they may be cached. Raises
        SignInRefused.
        """
        fetched = await self._get(tenant_id, jwks_uri)
        found = keys.read_set(fetched.body)
        if not found:
            raise SignInRefused("keys_unavailable", "a key that signs", "none")
        return found, fetched.max_age

    def _address(self, document: dict[str, Any], name: str) -> str:
        url = document.get(name)
        if not isinstance(url, str) or not url:
            raise SignInRefused("endpoint_missing", name, "none")
        try:
            return self._guard.parse(url)
        except BlockedAddress as error:
            raise SignInRefused("endpoint_not_allowed", name, str(error)) from None

    async def _get(self, tenant_id: UUID, url: str) -> FetchResult:
        try:
            fetched = await self._fetcher.get(tenant_id, url)
        except FetchFailed as error:
            raise SignInRefused("provider_unreachable", url, str(error)) from None
        if fetched.status != 200:
            raise SignInRefused("provider_unreachable", url, f"status {fetched.status}")
        return fetched
