"""Changes to pipes."""

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import Conflict, invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.resealing.columns import SealedColumn
from trilha.platform.audit import queries as audit
from trilha.training.xapi.validation import is_iri
from trilha.training.xapi_pipes import queries
from trilha.training.xapi_pipes.schema import MAX_VERBS, ClaimedPipe, NewPipe, Pipe, PipeChange

MAX_PIPES = 10
_CONTEXT = "xapi_pipes"
_STATEMENTS = "/statements"
_MAX_IRI = 2048
SEALED_PASSWORDS = SealedColumn(
    kind="passwords of xAPI pipes",
    table="xapi_pipes",
    column="password",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)


async def create(tx: Tx, new: NewPipe, guard: Guard) -> Pipe:
    """Creates a pipe, which begins to forward at once.

    Raises Invalid for an address that is not allowed and for a malformed filter, and Conflict
    (too_many_pipes).
    """
    url = _check_url(new.url, guard)
    _check_filter(new.verbs, new.activity_prefix)
    await queries.lock_creation(tx)
    if await queries.count(tx) >= MAX_PIPES:
        raise Conflict("too_many_pipes")
    pipe_id = uuid4()
    values = {
        **{name: getattr(new, name) for name in ("name", "username", "version", "activity_prefix")},
        "id": pipe_id,
        "url": url,
        "password": _seal(tx, pipe_id, new.password),
        "verbs": list(dict.fromkeys(new.verbs)),
    }
    pipe = await queries.insert(tx, values, from_start=new.begin == "start")
    await _record(tx, "created", pipe)
    return pipe


async def change(tx: Tx, pipe_id: UUID, changed: PipeChange, guard: Guard) -> Pipe:
    """Changes a pipe and lets it try at once. Raises NotFound, and Invalid as `create` does."""
    before = await queries.lock(tx, pipe_id)
    values: dict[str, Any] = structs.asdict(changed)
    values["url"] = _check_url(changed.url, guard)
    values["verbs"] = list(dict.fromkeys(changed.verbs))
    _check_filter(changed.verbs, changed.activity_prefix)
    password = values.pop("password")
    if password is None and urlsplit(values["url"]).netloc != urlsplit(before.url).netloc:
        # Otherwise the password could be sent to a server of which its owner does not know.
        raise invalid("password", "required")
    names = [name for name, value in values.items() if value != getattr(before, name)]
    if password is not None:
        values["password"] = _seal(tx, pipe_id, password)
        names.append("password")
    if not names:
        return before
    pipe = await queries.update(tx, pipe_id, values)
    await _record(tx, "updated", pipe, changed=names)
    return pipe


async def pause(tx: Tx, pipe_id: UUID) -> None:
    """Stops forwarding. The position stays. Raises NotFound."""
    if (await queries.lock(tx, pipe_id)).active:
        pipe = await queries.update(tx, pipe_id, {"active": False})
        await _record(tx, "turned_off", pipe)


async def resume(tx: Tx, pipe_id: UUID) -> None:
    """Forwards again, from where the pipe stopped. Raises NotFound."""
    if not (await queries.lock(tx, pipe_id)).active:
        values = {"active": True, "failures": 0, "failing_since": None, "paused_at": None}
        pipe = await queries.update(tx, pipe_id, values)
        await _record(tx, "turned_on", pipe)


async def delete(tx: Tx, pipe_id: UUID) -> None:
    """Raises NotFound."""
    pipe = await queries.lock(tx, pipe_id)
    await queries.delete(tx, pipe_id)
    await _record(tx, "deleted", pipe)


def open_password(tx: Tx, pipe: ClaimedPipe) -> str:
    """Raises UnreadableSecret."""
    return tx.keyring.open(pipe.password, tx.tenant_id, _CONTEXT, pipe.id)


async def _record(tx: Tx, action: str, pipe: Pipe, **detail: Any) -> None:
    """Records only the host: a path may contain a token, and audit records are never deleted."""
    host = urlsplit(pipe.url).hostname or ""
    await audit.record(tx, f"xapi_pipe.{action}", pipe.id, pipe.name, host=host, **detail)


def _check_url(url: str, guard: Guard) -> str:
    """Returns the endpoint without the name of the resource, to which requests add it."""
    url = url.strip().rstrip("/").removesuffix(_STATEMENTS)
    if "?" in url:
        raise invalid("url", "invalid_url")
    try:
        return guard.parse(url).rstrip("/")
    except BlockedAddress as blocked:
        raise invalid("url", str(blocked)) from None


def _check_filter(verbs: list[str], activity_prefix: str | None) -> None:
    if len(verbs) > MAX_VERBS:
        raise invalid("verbs", "out_of_range")
    if any(len(each) > _MAX_IRI or not is_iri(each) for each in verbs):
        raise invalid("verbs", "invalid_value")
    if activity_prefix is not None and (
        len(activity_prefix) > _MAX_IRI or not is_iri(activity_prefix) or "\x00" in activity_prefix
    ):
        raise invalid("activity_prefix", "invalid_value")


def _seal(tx: Tx, pipe_id: UUID, password: str) -> bytes:
    return tx.keyring.seal(password, tx.tenant_id, _CONTEXT, pipe_id)
