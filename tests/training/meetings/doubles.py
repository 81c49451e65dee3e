"""Doubles of the services: they check what they get as the real ones do, and answer as they do."""

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.jwk import RSAKey

from trilha.core.net import parse_networks
from trilha.core.outbound.fetching import Fetcher
from trilha.core.outbound.guard import Guard
from trilha.training.meetings.schema import Credentials, ServiceKind
from trilha.training.meetings.video_calls import Addresses, MeetingServices

KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
ACCOUNT = "trilha@project.iam.gserviceaccount.com"
SERVICE_KEY = json.dumps({"type": "service_account", "client_email": ACCOUNT, "private_key": PEM})
CREDENTIALS: dict[ServiceKind, Credentials] = {
    "google_meet": Credentials("", ACCOUNT, PEM),
    "teams": Credentials("directory-id", "app-id", "s3cret/+"),
    "zoom": Credentials("account-id", "client-id", "s3cret/+"),
}
ORGANIZER = "cursos@example.com"
LINKS: dict[ServiceKind, str] = {
    "google_meet": "https://meet.google.com/abc-mnop-xyz",
    "teams": "https://teams.microsoft.com/l/meetup-join/19%3ameeting",
    "zoom": "https://zoom.us/j/123?pwd=x",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Doubles:
    """All services at one address. `failure` replaces the answer of calls, by the status."""

    def __init__(self) -> None:
        self.url = ""
        self.failure: int | None = None
        self.body: bytes | None = None
        self.calls: list[tuple[str, dict[str, Any]]] = []

    @property
    def services(self) -> MeetingServices:
        addresses = Addresses(
            google_token=f"{self.url}/google/token",
            google_meet=f"{self.url}/meet/v2",
            microsoft_login=f"{self.url}/login",
            graph=f"{self.url}/graph/v1.0",
            zoom_token=f"{self.url}/zoom/token",
            zoom=f"{self.url}/zoom/v2",
        )
        guard = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
        return MeetingServices(Fetcher(guard, seconds=2), addresses)

    def build_app(self) -> web.Application:
        app = web.Application()
        app.add_routes(
            [
                web.post("/google/token", self._google_token),
                web.post("/login/{directory}/oauth2/v2.0/token", self._microsoft_token),
                web.post("/zoom/token", self._zoom_token),
                web.post("/meet/v2/spaces", self._call("google_meet", {"meetingUri": LINKS["google_meet"]})),
                web.post(
                    "/graph/v1.0/users/{user}/onlineMeetings/createOrGet",
                    self._call("teams", {"joinWebUrl": LINKS["teams"]}),
                ),
                web.post("/zoom/v2/users/{user}/meetings", self._call("zoom", {"join_url": LINKS["zoom"]})),
            ]
        )
        return app

    async def _read_form(self, request: web.Request) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(await request.text()).items()}

    async def _google_token(self, request: web.Request) -> web.Response:
        form = await self._read_form(request)
        assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
        claims = jwt.decode(form["assertion"], RSAKey.import_key(KEY.public_key())).claims  # type: ignore[arg-type]
        assert claims["aud"] == f"{self.url}/google/token"
        assert claims["exp"] - claims["iat"] <= 3600
        assert claims["scope"].endswith("/auth/meetings.space.created")
        if (claims["iss"], claims["sub"]) != (ACCOUNT, ORGANIZER):
            return web.json_response({"error": "unauthorized_client"}, status=401)
        return web.json_response({"access_token": "token-google_meet", "expires_in": 3599})

    async def _microsoft_token(self, request: web.Request) -> web.Response:
        form = await self._read_form(request)
        assert form["scope"] == "https://graph.microsoft.com/.default"
        told = Credentials(request.match_info["directory"], form["client_id"], form["client_secret"])
        if told != CREDENTIALS["teams"]:
            return web.json_response({"error": "invalid_client"}, status=401)
        return web.json_response({"access_token": "token-teams", "token_type": "Bearer"})

    async def _zoom_token(self, request: web.Request) -> web.Response:
        form = await self._read_form(request)
        assert form["grant_type"] == "account_credentials"
        pair = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        if Credentials(form["account_id"], *pair.split(":")) != CREDENTIALS["zoom"]:
            return web.json_response({"reason": "Invalid client_id or client_secret"}, status=400)
        return web.json_response({"access_token": "token-zoom"})

    def _call(self, kind: ServiceKind, answer: dict[str, Any]) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            assert request.headers["authorization"] == f"Bearer token-{kind}"
            assert request.headers["content-type"] == "application/json"
            if kind != "google_meet":
                assert request.match_info["user"] == ORGANIZER
            self.calls.append((kind, await request.json()))
            if self.failure is not None:
                return web.Response(status=self.failure, body=self.body or b"{}")
            if self.body is not None:
                return web.Response(body=self.body)
            return web.json_response(answer, status=201)

        return handle


@asynccontextmanager
async def running_doubles() -> AsyncIterator[Doubles]:
    doubles = Doubles()
    runner = web.AppRunner(doubles.build_app())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    doubles.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield doubles
    finally:
        await runner.cleanup()
