"""The HTTP interfaces of the services: how each signs in, and how it makes the link of a call.

All addresses go through the guard. A service that cannot be reached, or that refuses, is a `MeetingFailed`.
"""

import base64
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import quote
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jwt
from joserfc.jwk import RSAKey
from msgspec import Struct

from trilha.core.outbound.fetching import Fetcher, FetchFailed, FetchResult
from trilha.core.types import InvalidValue
from trilha.training.classes.schema import MeetingUrl
from trilha.training.meetings.schema import Meeting, OpenedService, ServiceKind

_ASSERTION_LASTS = timedelta(minutes=5)
_MEET_SCOPE = "https://www.googleapis.com/auth/meetings.space.created"
_JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class MeetingFailed(Exception):
    """A service did not make a link. The message is a key of `REASONS`."""


# completes a sentence that begins with the service
REASONS = {
    "refused": "refused the credentials",
    "not_permitted": "does not permit this app to create meetings for the organizer",
    "organizer_unknown": "does not know the organizer",
    "busy": "limits how many requests it takes",
    "unavailable": "had an error",
    "invalid_response": "answered in a way that Trilha does not understand",
    "timeout": "did not answer in time",
    "connection_failed": "could not be reached",
    "address_not_allowed": "is not reachable, because the server's address guard blocks it",
    "service_missing": "is no longer set up",
}


class Addresses(Struct, frozen=True):
    """Where the interfaces are. Tests have doubles."""

    google_token: str = "https://oauth2.googleapis.com/token"  # noqa: S105
    google_meet: str = "https://meet.googleapis.com/v2"
    microsoft_login: str = "https://login.microsoftonline.com"
    graph: str = "https://graph.microsoft.com/v1.0"
    zoom_token: str = "https://zoom.us/oauth/token"  # noqa: S105
    zoom: str = "https://api.zoom.us/v2"


class Adapter(Protocol):
    """How one service is called."""

    async def sign_in(self, http: "Http", service: OpenedService, now: datetime) -> str:
        """Returns an access token. Raises MeetingFailed."""
        ...

    async def make_link(self, http: "Http", service: OpenedService, token: str, meeting: Meeting) -> str:
        """Returns the link of a new call. Raises MeetingFailed."""
        ...


class Http:
    """Requests of one tenant. Raises MeetingFailed for everything that is not a success."""

    def __init__(self, fetcher: Fetcher, tenant_id: UUID, addresses: Addresses) -> None:
        self._fetcher = fetcher
        self._tenant_id = tenant_id
        self.addresses = addresses

    async def post_form(
        self, url: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        try:
            answer = await self._fetcher.post(self._tenant_id, url, form, headers)
        except FetchFailed as error:
            raise MeetingFailed(_find_reason(error)) from None
        # RFC 6749 §5.2: a token endpoint answers 400 or 401 to wrong credentials.
        return _read(answer, {400: "refused", 401: "refused", 403: "refused"})

    async def post_json(self, url: str, token: str, value: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            answer = await self._fetcher.post_json(self._tenant_id, url, value, headers)
        except FetchFailed as error:
            raise MeetingFailed(_find_reason(error)) from None
        return _read(answer, {401: "refused", 403: "not_permitted", 404: "organizer_unknown"})


def _find_reason(error: FetchFailed) -> str:
    reason = str(error)
    if reason in ("timeout", "busy", "address_not_allowed"):
        return reason
    return (
        "invalid_response" if reason in ("too_large", "redirect", "invalid_response") else "connection_failed"
    )


def _read(answer: FetchResult, reasons: Mapping[int, str]) -> dict[str, Any]:
    if answer.status in reasons:
        raise MeetingFailed(reasons[answer.status])
    if answer.status == 429:
        raise MeetingFailed("busy")
    if answer.status >= 500:
        raise MeetingFailed("unavailable")
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise MeetingFailed("invalid_response") from None
    if not 200 <= answer.status < 300 or not isinstance(value, dict):
        raise MeetingFailed("invalid_response")
    return value


def _get_text(answer: Mapping[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str) or not value:
        raise MeetingFailed("invalid_response")
    return value


def _get_link(answer: Mapping[str, Any], name: str) -> str:
    """Returns a link that a session may have."""
    try:
        return MeetingUrl.parse(_get_text(answer, name))
    except InvalidValue:
        raise MeetingFailed("invalid_response") from None


class GoogleMeet:
    """Creates meeting spaces with a service account that acts for the organizer (domain-wide delegation)."""

    async def sign_in(self, http: Http, service: OpenedService, now: datetime) -> str:
        issued_at = int(now.timestamp())
        claims = {
            "iss": service.credentials.client_id,
            "sub": service.organizer,
            "scope": _MEET_SCOPE,
            "aud": http.addresses.google_token,
            "iat": issued_at,
            "exp": issued_at + int(_ASSERTION_LASTS.total_seconds()),
        }
        key = load_pem_private_key(service.credentials.secret.encode(), None)
        assert isinstance(key, RSAPrivateKey)
        assertion = jwt.encode({"alg": "RS256"}, claims, RSAKey.import_key(key))
        form = {"grant_type": _JWT_GRANT, "assertion": assertion}
        return _get_text(await http.post_form(http.addresses.google_token, form), "access_token")

    async def make_link(self, http: Http, service: OpenedService, token: str, meeting: Meeting) -> str:
        # A space has no title and no time. A repetition leaves an empty space, which nobody sees.
        return _get_link(
            await http.post_json(f"{http.addresses.google_meet}/spaces", token, {}), "meetingUri"
        )


class Teams:
    """Creates online meetings with an app registration that may act for the organizer."""

    async def sign_in(self, http: Http, service: OpenedService, now: datetime) -> str:
        form = {
            "grant_type": "client_credentials",
            "client_id": service.credentials.client_id,
            "client_secret": service.credentials.secret,
            "scope": "https://graph.microsoft.com/.default",
        }
        directory = quote(service.credentials.account, safe="")
        url = f"{http.addresses.microsoft_login}/{directory}/oauth2/v2.0/token"
        return _get_text(await http.post_form(url, form), "access_token")

    async def make_link(self, http: Http, service: OpenedService, token: str, meeting: Meeting) -> str:
        # createOrGet gives the same meeting for the same externalId, also to a repetition.
        value = {
            "externalId": str(meeting.id),
            "startDateTime": meeting.starts_at,
            "endDateTime": meeting.ends_at,
            "subject": meeting.title,
        }
        organizer = quote(service.organizer, safe="")
        url = f"{http.addresses.graph}/users/{organizer}/onlineMeetings/createOrGet"
        return _get_link(await http.post_json(url, token, value), "joinWebUrl")


class Zoom:
    """Creates scheduled meetings with a server-to-server OAuth app."""

    async def sign_in(self, http: Http, service: OpenedService, now: datetime) -> str:
        pair = f"{service.credentials.client_id}:{service.credentials.secret}"
        headers = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        form = {"grant_type": "account_credentials", "account_id": service.credentials.account}
        return _get_text(await http.post_form(http.addresses.zoom_token, form, headers), "access_token")

    async def make_link(self, http: Http, service: OpenedService, token: str, meeting: Meeting) -> str:
        starts_at, ends_at = (datetime.fromisoformat(each) for each in (meeting.starts_at, meeting.ends_at))
        value = {
            "topic": meeting.title,
            "type": 2,  # scheduled
            "start_time": f"{starts_at:%Y-%m-%dT%H:%M:%SZ}",
            "duration": int((ends_at - starts_at).total_seconds() // 60),
            "timezone": meeting.time_zone,
            "settings": {"join_before_host": True, "waiting_room": False},
        }
        url = f"{http.addresses.zoom}/users/{quote(service.organizer, safe='')}/meetings"
        return _get_link(await http.post_json(url, token, value), "join_url")


ADAPTERS: Mapping[ServiceKind, Adapter] = {"google_meet": GoogleMeet(), "teams": Teams(), "zoom": Zoom()}


class MeetingServices:
    """Calls the services of tenants."""

    def __init__(self, fetcher: Fetcher, addresses: Addresses | None = None) -> None:
        self._fetcher = fetcher
        self._addresses = addresses or Addresses()

    async def check(self, tenant_id: UUID, service: OpenedService, now: datetime) -> None:
        """Signs in to a service. Raises MeetingFailed."""
        await ADAPTERS[service.kind].sign_in(self._build_http(tenant_id), service, now)

    async def make_link(
        self, tenant_id: UUID, service: OpenedService, meeting: Meeting, now: datetime
    ) -> str:
        """Raises MeetingFailed."""
        http, adapter = self._build_http(tenant_id), ADAPTERS[service.kind]
        token = await adapter.sign_in(http, service, now)
        return await adapter.make_link(http, service, token, meeting)

    def _build_http(self, tenant_id: UUID) -> Http:
        return Http(self._fetcher, tenant_id, self._addresses)
