"""Callers with the token of a launch in their path, and their rate limits."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from msgspec import Struct

from trilha.core.clock import Clock
from trilha.core.credentials import Credential, CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Conflict, Forbidden, NotFound
from trilha.core.web.callers import Caller, KnownCredentials, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.training.learning.launches.schema import LaunchContext
from trilha.training.learning.previews import queries as preview_queries
from trilha.web.player.origin import ContentOrigin

_TOKEN = re.compile(r"/l/([A-Za-z0-9_-]{43})(?:/|$)")
# A launch requests files by the hundred, so its credential is cached instead of read for each.
_CACHE_PERIOD = timedelta(seconds=30)
_CACHE_SIZE = 5000
_SAFE = ("GET", "HEAD")
# Requests that one person may send from all launches together, by the `rate_limit` of the route. The player
# sends a heartbeat twice a minute and when the page is hidden or shown; content that commits after every step
# stays far below.
_LIMITS = {name: Limit(30, 60) for name in ("heartbeat", "trace", "voice")} | {"report": Limit(300, 60)}
# The same in KiB, for large bodies: content that commits the longest suspend_data of SCORM every second sends
# a quarter of it.
_LARGE_BODY = 16 * 1024
_KIB_LIMITS = {"report": Limit(24 * 1024, 60), "voice": Limit(64 * 1024, 60)}


class _CachedCredential(Struct, frozen=True):
    credential: Credential
    at: datetime


class LaunchIdentity:
    """Identifies a launch by its token, only on the host of its own content."""

    def __init__(self, origin: ContentOrigin, database: Database, clock: Clock) -> None:
        self._origin = origin
        self._database = database
        self._clock = clock
        self._credentials: OrderedDict[bytes, _CachedCredential] = OrderedDict()
        self._contexts: OrderedDict[UUID, LaunchContext] = OrderedDict()

    async def present(self, request: Request) -> RequestCredentials:
        if self._asks_for_foreign_worker(request):
            return RequestCredentials(failure=Forbidden("service_worker_refused"))
        if (token := _TOKEN.match(request.path)) is None:
            return RequestCredentials(failure=NotFound("launch_not_found"))
        key = self._database.keyring.fingerprint(token[1])
        known = self._credentials.get(key) if request.method in _SAFE else None
        if known is not None and self._clock() - known.at <= _CACHE_PERIOD:
            return RequestCredentials(detail=known.credential)
        return RequestCredentials((PresentedCredential(CredentialKind.LAUNCH, key),))

    def _asks_for_foreign_worker(self, request: Request) -> bool:
        if (request.header(b"service-worker") or "").lower() != "script":
            return False
        folder, _, name = request.path.rpartition("/")
        host = request.header(b"host") or ""
        return folder != "/offline-worker" or not self._origin.is_own_worker(host, name)

    async def identify(
        self, request: Request, presented: RequestCredentials, known: KnownCredentials
    ) -> Caller:
        address = request.source
        if presented.failure is not None:
            return Caller(None, presented.failure, address, known)
        credential: Credential | None = presented.detail
        if credential is None and (credential := known.get(presented.credentials[0])) is not None:
            _cache(self._credentials, credential.key, _CachedCredential(credential, self._clock()))
        if credential is None or not credential.tenant_active:
            return Caller(credential, NotFound("launch_not_found"), address, known)
        if credential.revoked_at:
            return Caller(credential, Conflict("session_over"), address, known)
        context = await self._find_context(credential)
        label = self._origin.label_of(request.header(b"host") or "")
        if context is None or label != self._origin.label(credential.tenant_id, context.sha256):
            return Caller(None, NotFound("launch_not_found"), address, known)
        over = credential.rejection_reason(self._clock()) is not None
        only = bool(credential.detail.get("files_only"))
        return Launching(credential, None, address, known, None, context, over, only)

    async def _find_context(self, credential: Credential) -> LaunchContext | None:
        launch_id = UUID(credential.detail["launch"])
        if (context := self._contexts.get(launch_id)) is not None:
            return context
        async with self._database.transaction(credential.tenant_id, read_only=True) as tx:
            context = await preview_queries.find_context(tx, launch_id)
        if context is not None:
            _cache(self._contexts, launch_id, context)
        return context


class Launching(Caller, frozen=True):
    """A caller with a launch, which is `over` after a long time without a heartbeat. With `files_only`, the
    token reads files and nothing else.
    """

    context: LaunchContext | None = None
    over: bool = False
    files_only: bool = False


def get_context(caller: Caller) -> LaunchContext:
    assert isinstance(caller, Launching)
    assert caller.context is not None
    return caller.context


def _cache(cache: OrderedDict, key: object, value: object) -> None:  # type: ignore[type-arg]
    cache[key] = value
    cache.move_to_end(key)
    if len(cache) > _CACHE_SIZE:
        cache.popitem(last=False)


def limits(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
    route = request.route
    limit = _LIMITS.get(route.rate_limit or "") if route else None
    if limit is None or not presented.credentials:
        return ()
    assert route is not None
    # An unknown token has no launch to count against.
    fallback = f"player:{request.counted_as}"
    bucket, credential = f"player:{route.rate_limit}:", presented.credentials[0]
    hits = [Hit(bucket, limit, credential, fallback)]
    size = request.get_content_length(route.max_body)
    if size > _LARGE_BODY and (kib_limit := _KIB_LIMITS.get(route.rate_limit or "")):
        hits.append(Hit(f"{bucket}kib:", kib_limit, credential, count=size // 1024))
    return hits


class Anybody(Struct, frozen=True):
    """Allows every request except one for the script of a service worker, which would outlive its launch."""

    refusals: ClassVar[Sequence[str]] = ("service_worker_refused",)

    def check(self, caller: Caller) -> None:
        if isinstance(caller.failure, Forbidden):
            raise caller.failure


class OfLaunch(Struct, frozen=True):
    """Allows anybody with the token of a launch, even one that is over: its reports may be late."""

    refusals: ClassVar[Sequence[str]] = ("launch_not_found", "session_over", *Anybody.refusals)
    for_files: bool = False

    def check(self, caller: Caller) -> None:
        if caller.failure is not None:
            raise caller.failure
        if not isinstance(caller, Launching) or (caller.files_only and not self.for_files):
            raise NotFound("launch_not_found")


class OfLiveLaunch(Struct, frozen=True):
    """Allows anybody with the token of a launch that is not over."""

    refusals: ClassVar[Sequence[str]] = (*OfLaunch.refusals, "launch_over")
    for_files: bool = False

    def check(self, caller: Caller) -> None:
        OfLaunch(self.for_files).check(caller)
        if isinstance(caller, Launching) and caller.over:
            raise Conflict("launch_over")


ANYBODY = Anybody()
OF_LAUNCH = OfLaunch()
OF_LIVE_LAUNCH = OfLiveLaunch()
OF_FILES = OfLiveLaunch(for_files=True)
