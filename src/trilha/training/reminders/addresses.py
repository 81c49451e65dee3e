"""Where a person gets reminders beside mail: browsers with a push subscription, and incoming webhooks."""

import base64
import binascii
from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID, uuid4

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from msgspec import Struct

import trilha.training.reminders.errors  # noqa: F401
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.core.outbound.guard import BlockedAddress, Guard
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import Timestamp, to_json
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.training.reminders.rules import Channel
from trilha.training.reminders.schema import NewPushSubscription, PushSubscription

_CONTEXT = "reminder_addresses"
MAX_ADDRESSES = 10  # of one person
_AUTH_BYTES = 16
_POINT_BYTES = 65
SEALED_ADDRESSES = SealedColumn(
    kind="addresses for reminders",
    table="reminder_addresses",
    column="address",
    keys={"id": "uuid"},
    context=lambda row: (_CONTEXT, row["id"]),
)


class Address(Struct, frozen=True):
    """An opened address. `keys` are those of a push subscription."""

    id: UUID
    url: str
    keys: dict[str, str]


async def add_push_subscription(
    tx: Tx, guard: Guard, user_id: UUID, new: NewPushSubscription
) -> PushSubscription:
    """Adds a subscription, or returns the same one. Raises NotFound, and Invalid for its address or keys."""
    user = await users.get(tx, user_id)
    url = _check_url(new.endpoint, guard, "endpoint")
    _check_keys(new)
    keys = {"p256dh": new.keys.p256dh, "auth": new.keys.auth}
    id, created_at = await _put(tx, user.id, "web_push", url, keys)
    return PushSubscription(id, user.id, created_at)


async def add_webhook(tx: Tx, guard: Guard, user_id: UUID, channel: Channel, url: str) -> UUID:
    """Adds an incoming webhook of Microsoft Teams or Slack. Raises Invalid for its address."""
    id, _ = await _put(tx, user_id, channel, _check_url(url, guard, "url"), {})
    return id


async def add_phone(tx: Tx, user_id: UUID, phone: str) -> UUID:
    """Adds a phone number in international form, such as +5511999990000, for WhatsApp."""
    id, _ = await _put(tx, user_id, "whatsapp", f"tel:{phone}", {})
    return id


def _check_url(url: str, guard: Guard, field: str) -> str:
    try:
        return guard.parse(url)
    except BlockedAddress as error:
        raise invalid(field, str(error)) from None


def _check_keys(new: NewPushSubscription) -> None:
    try:
        point = _decode(new.keys.p256dh)
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
        if len(point) != _POINT_BYTES:  # RFC 8291 §3.1: uncompressed
            raise ValueError("a compressed point")
    except ValueError:
        raise invalid("keys.p256dh", "invalid_push_key") from None
    try:
        length = len(_decode(new.keys.auth))
    except ValueError:
        length = 0
    if length != _AUTH_BYTES:
        raise invalid("keys.auth", "invalid_push_key")


def _decode(text: str) -> bytes:
    """Decodes base64url with or without padding. Raises ValueError."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


async def _put(
    tx: Tx, user_id: UUID, channel: Channel, url: str, keys: dict[str, str]
) -> tuple[UUID, Timestamp]:
    await tx.execute(
        "SELECT FROM users WHERE tenant_id = :tenant AND id = :user_id FOR NO KEY UPDATE", user_id=user_id
    )
    count = await tx.value(
        """
        SELECT count(*) FROM reminder_addresses
        WHERE tenant_id = :tenant AND user_id = :user_id
          AND (channel <> :channel OR fingerprint <> :fingerprint)
        """,
        user_id=user_id,
        channel=channel,
        fingerprint=sha256(url.encode()).digest(),
    )
    if count >= MAX_ADDRESSES:
        raise Conflict("too_many_reminder_addresses")
    id = uuid4()
    content = to_json({"url": url, "keys": keys}).decode()
    rows = await tx.rows(
        """
        INSERT INTO reminder_addresses AS a (tenant_id, id, user_id, channel, fingerprint, address,
                                             created_at)
        VALUES (:tenant, :id, :user_id, :channel, :fingerprint, :address, :now)
        ON CONFLICT (tenant_id, user_id, channel, fingerprint) DO UPDATE SET channel = a.channel
        RETURNING id, created_at
        """,
        id=id,
        user_id=user_id,
        channel=channel,
        fingerprint=sha256(url.encode()).digest(),
        address=tx.keyring.seal(content, tx.tenant_id, _CONTEXT, id),
    )
    if rows[0]["id"] == id:
        await audit.record(tx, "user.reminder_address_added", user_id, "", channel=channel)
    else:  # the browser may have new keys
        sealed = tx.keyring.seal(content, tx.tenant_id, _CONTEXT, rows[0]["id"])
        await tx.execute(
            "UPDATE reminder_addresses SET address = :address WHERE tenant_id = :tenant AND id = :id",
            id=rows[0]["id"],
            address=sealed,
        )
    return rows[0]["id"], Timestamp(rows[0]["created_at"])


async def find(tx: Tx, address_id: UUID) -> Address | None:
    """Returns an opened address, or None if it was removed."""
    rows = await tx.rows(
        "SELECT id, address FROM reminder_addresses WHERE tenant_id = :tenant AND id = :id", id=address_id
    )
    if not rows:
        return None
    opened = tx.keyring.open(rows[0]["address"], tx.tenant_id, _CONTEXT, address_id)
    members = msgspec.json.decode(opened)
    return Address(address_id, members["url"], members["keys"])


async def remove_own(tx: Tx, user_id: UUID, address_id: UUID) -> None:
    """Removes one of a person's addresses. Raises NotFound."""
    removed = await tx.execute(
        "DELETE FROM reminder_addresses WHERE tenant_id = :tenant AND id = :id AND user_id = :user_id",
        id=address_id,
        user_id=user_id,
    )
    if not removed:
        raise NotFound("reminder_address_not_found")
    await audit.record(tx, "user.reminder_address_removed", user_id)


async def delete(tx: Tx, ids: Sequence[UUID]) -> None:
    """Deletes addresses that no longer exist at the other end, or that their person removed."""
    sql = "DELETE FROM reminder_addresses WHERE tenant_id = :tenant AND id = ANY(:ids)"
    await tx.execute(sql, ids=ids)
