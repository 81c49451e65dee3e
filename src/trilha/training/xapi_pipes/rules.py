"""Which statements a pipe forwards, in which form, and when it tries again. No I/O, no clock."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import msgspec

from trilha.platform.webhooks.delivery.retry_schedule import ATTEMPTS, delay_after
from trilha.training.xapi import decoding
from trilha.training.xapi.identifiers import verb_key
from trilha.training.xapi.statements import join_members
from trilha.training.xapi_pipes.schema import Candidate, Retry, Version

# A pipe that fails for so long is paused.
LONGEST_FAILURE = timedelta(days=3)
BATCH = 100
# A statement that is refused is left out only if another one of its batch is taken.
_SMALLEST_BATCH = 10
# What the receiver assigns itself. A version must be that of the request.
_NOT_FORWARDED = ("stored", "version", "authority")
_ONLY_IN_SECOND = ("contextAgents", "contextGroups")


def matches(statement: Candidate, verbs: Collection[str], activity_prefix: str | None) -> bool:
    """Returns whether a statement passes a filter. Voiding statements always do: what they void may have been
    forwarded.
    """
    if statement.voids:
        return True
    if verbs and statement.verb not in {verb_key(each) for each in verbs}:
        return False
    if not activity_prefix:
        return True
    thing: dict[str, Any] = msgspec.json.decode(statement.content)["object"]
    is_activity = thing.get("objectType", "Activity") == "Activity"
    return is_activity and str(thing["id"]).startswith(activity_prefix)


def rewrite(content: bytes, version: Version, sums: Collection[str]) -> bytes:
    """Returns a statement as another store takes it. `sums` are the attachments that are sent along; those
    that are neither sent nor at an address of their own are left out, because stores refuse them.
    """
    members = decoding.split_members(content)
    for name in _NOT_FORWARDED:
        members.pop(name, None)
    if version == "1.0.3":
        _remove_newer_context(members)
        inner = decoding.split_members(members["object"])
        if "context" in inner:  # a SubStatement
            _remove_newer_context(inner)
            members["object"] = join_members(inner)
    if "attachments" in members:
        described: list[dict[str, Any]] = msgspec.json.decode(members["attachments"])
        kept = [each for each in described if each["sha2"].lower() in sums or "fileUrl" in each]
        if kept:
            members["attachments"] = msgspec.json.encode(kept)
        else:
            del members["attachments"]
    return join_members(members)


def _remove_newer_context(members: dict[str, bytes]) -> None:
    """Removes from the context of a statement or SubStatement what only version 2.0.0 has."""
    context = decoding.split_members(members["context"]) if "context" in members else {}
    if any(name in context for name in _ONLY_IN_SECOND):
        members["context"] = join_members(
            {name: each for name, each in context.items() if name not in _ONLY_IN_SECOND}
        )


def decide_retry(
    failures: int, failing_since: datetime, now: datetime, chance: float, retry_after: float | None
) -> Retry:
    """Decides what follows a failure. `failures` counts it, `chance` is random in [0, 1)."""
    delay = delay_after(min(failures, ATTEMPTS - 1), chance, retry_after)
    assert delay is not None
    return Retry(now + timedelta(seconds=delay), now - failing_since >= LONGEST_FAILURE)


def choose_batch_size(failures: int) -> int:
    """Returns how many statements to send: fewer after failures, for a receiver that is slow."""
    return max(_SMALLEST_BATCH, BATCH >> min(failures, 10))
