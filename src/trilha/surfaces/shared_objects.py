"""The objects that surfaces share with handlers: a process has one of each."""

from collections.abc import Sequence

from trilha.access.oauth.actions import Issuer
from trilha.access.oauth.signing_keys import SigningKeys
from trilha.access.oauth.tokens import AccessTokens
from trilha.access.scim.request_log import RequestLog
from trilha.access.sessions.actions import SignIn
from trilha.access.sessions.browsers import Browsers
from trilha.access.sessions.identity import CsrfTokens
from trilha.access.sso.exchanging import Exchanges
from trilha.core.clock import Clock
from trilha.core.database import Database
from trilha.platform.tenants.usage.api_calls import ApiCalls
from trilha.settings import Settings
from trilha.web.player.offline.switch import OfflineUse
from trilha.web.player.origin import ContentOrigin


class SharedObjects:
    def __init__(self, settings: Settings, database: Database, clock: Clock) -> None:
        self.clock = clock
        self.access_tokens = AccessTokens(SigningKeys(database), clock, settings.address)
        self.browsers = Browsers(database.keyring)
        self.csrf_tokens = CsrfTokens(database.keyring)
        self.scim_log = RequestLog(database)
        self.api_calls = ApiCalls(database)
        self.content_origin = ContentOrigin(
            settings.content, settings.framing, database.keyring, follows_port=not settings.content_url
        )
        self.offline = OfflineUse(settings.offline == "on")
        self._database = database
        self._sign_in = SignIn(database, self.browsers, clock, settings.address)

    def list_dependencies(self) -> Sequence[object]:
        """Returns what handlers ask for by type."""
        return [
            *(self.access_tokens, Issuer(self._database, self.access_tokens)),
            *(self.csrf_tokens, self.content_origin, self.offline, self.scim_log),
            *(self._sign_in, Exchanges(self._database, self._sign_in)),
        ]
