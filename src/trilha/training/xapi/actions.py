"""Stores statements, in the caller's transaction."""

import hashlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import ApiError, Conflict
from trilha.training.xapi import people, queries
from trilha.training.xapi.identifiers import activity_key
from trilha.training.xapi.queries import Link
from trilha.training.xapi.schema import ActivityRow, Attachment, KnownStatement
from trilha.training.xapi.statements import NewStatement, merge_definitions
from trilha.training.xapi.times import count_microseconds, parse_timestamp

# Chains of references are followed so far, so that long ones do not cost more with each statement.
_MAX_DISTANCE = 8
_MAX_DEFINITION_BYTES = 64 * 1024
# Writers wait for each other for less than this, so everything older is visible.
CONSISTENCY_MARGIN = timedelta(minutes=2)


class Submission(msgspec.Struct, frozen=True):
    """The statements of one request, with the content of their attachments. All are stored, or none."""

    statements: Sequence[NewStatement]
    attachments: Sequence[Attachment] = ()


# Called with statements that were just stored, in the same transaction. Returns statements to store as well.
Listener = Callable[[Tx, Sequence[NewStatement]], Awaitable[Sequence[NewStatement]]]


async def record(
    tx: Tx, submissions: Sequence[Submission], listeners: Sequence[Listener] = ()
) -> list[ApiError | None]:
    """Stores submissions one after the other; those that conflict with stored statements are left out.

    Returns the error of each, or None. A statement that is already stored with the same content is not
    stored again. Other writers of the tenant wait until the transaction ends, so record late in it.
    """
    sent = [each for submission in submissions for each in submission.statements]
    # Before the clock is locked, so that others wait less.
    seen = await queries.list_seen_definitions(
        tx, {activity_key(iri) for each in sent for iri in each.definitions}
    )
    first = await queries.advance_clock(tx, count_microseconds(tx.now), len(sent))
    known, referring = await queries.list_known(
        tx, {each.id for each in sent}, {each.refers_to for each in sent if each.refers_to}
    )
    accepted, errors = _select(submissions, known, first)
    statements = accepted.statements
    if not statements:
        return errors
    await queries.insert_statements(tx, statements, first)
    if accepted.attachments:
        await queries.insert_attachments(tx, accepted.attachments)
    await _link(tx, statements, known, referring, first)
    await _define(tx, statements, seen)
    # Also those that are known, because an erasure may have removed them before the clock was locked.
    await people.insert_agents(tx, {key: one for each in statements for key, one in each.agents.items()})
    for listener in listeners:
        if more := await listener(tx, statements):
            await record(tx, [Submission(more)], listeners)
    return errors


def _select(
    submissions: Sequence[Submission], known: dict[UUID, KnownStatement], first: int
) -> tuple[Submission, list[ApiError | None]]:
    """Returns what is to be stored, and the errors. Adds the accepted statements to `known`."""
    statements: list[NewStatement] = []
    attachments: dict[str, Attachment] = {}
    errors: list[ApiError | None] = []
    for submission in submissions:
        if any(not is_same(each, known[each.id]) for each in submission.statements if each.id in known):
            errors.append(Conflict("statement_exists"))
            continue
        errors.append(None)
        for each in submission.statements:
            if each.id not in known:
                stored = first + len(statements)
                known[each.id] = KnownStatement(
                    each.id, stored, each.digest, each.sent_at, each.voids, each.refers_to
                )
                statements.append(each)
        attachments |= {each.sha2: each for each in submission.attachments}
    return Submission(statements, list(attachments.values())), errors


def is_same(statement: NewStatement, known: KnownStatement) -> bool:
    """Returns whether a statement has the content of the stored one. A timestamp counts if both have one."""
    if statement.digest != known.digest:
        return False
    if statement.sent_at is None or known.sent_at is None:
        return True
    return parse_timestamp(statement.sent_at) == parse_timestamp(known.sent_at)


async def _link(
    tx: Tx,
    statements: Sequence[NewStatement],
    known: dict[UUID, KnownStatement],
    referring: Sequence[KnownStatement],
    first: int,
) -> None:
    """Connects new statements with those that they refer to, and with the older ones that refer to them."""
    new = {each.id for each in statements}
    numbered = list(enumerate(statements, first))
    pairs = [
        (each.stored, known[each.refers_to].stored)
        for each in referring
        if each.refers_to is not None and each.refers_to in new
    ]
    pairs += [
        (stored, known[each.refers_to].stored)
        for stored, each in numbered
        if each.refers_to is not None and each.refers_to in known
    ]
    voided = {
        each.refers_to
        for each in referring
        if each.voids and each.refers_to is not None and each.refers_to in new
    }
    voided |= {
        each.refers_to
        for each in statements
        if each.voids and each.refers_to is not None and each.refers_to in known
    }
    if voided:
        await queries.void(tx, voided)
    pairs = [(stored, target) for stored, target in pairs if stored != target]
    if pairs:
        links = await queries.list_links(tx, {time for pair in pairs for time in pair})
        await queries.insert_links(tx, close(pairs, links))


def close(pairs: Collection[tuple[int, int]], links: Collection[Link]) -> list[Link]:
    """Returns the links that new pairs of statement and target bring about, transitively."""
    targets: defaultdict[int, dict[int, int]] = defaultdict(dict)  # with the distance of each
    sources: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for link in links:
        targets[link.stored][link.target] = sources[link.target][link.stored] = link.distance
    added: list[Link] = []
    for stored, target in pairs:
        for source, before in [(stored, 0), *sources[stored].items()]:
            for reached, after in [(target, 0), *targets[target].items()]:
                distance = before + 1 + after
                if source != reached and distance <= _MAX_DISTANCE and reached not in targets[source]:
                    targets[source][reached] = sources[reached][source] = distance
                    added.append(Link(source, reached, distance))
    return added


async def _define(tx: Tx, statements: Sequence[NewStatement], seen: Mapping[UUID, bytes]) -> None:
    """Merges the definitions of activities into the stored ones. `seen` are the digests of those that were
    merged last.
    """
    wanted: dict[UUID, tuple[str, dict[str, Any]]] = {}
    for statement in statements:
        for iri, definition in statement.definitions.items():
            key = activity_key(iri)
            older = wanted[key][1] if key in wanted else {}
            wanted[key] = iri, merge_definitions(older, definition)
    digests = {key: _digest(definition) for key, (_, definition) in wanted.items()}
    changed = sorted(key for key in wanted if seen.get(key) != digests[key])
    if not changed:
        return
    stored = {
        each.key: msgspec.json.decode(each.definition) for each in await queries.list_activities(tx, changed)
    }
    rows = []
    for key in changed:
        iri, definition = wanted[key]
        merged = msgspec.json.encode(merge_definitions(stored.get(key, {}), definition))
        if len(merged) > _MAX_DEFINITION_BYTES:
            merged = msgspec.json.encode(definition)  # too many languages have come together
        if len(merged) > _MAX_DEFINITION_BYTES:
            continue
        rows.append(ActivityRow(key, iri, merged.decode()))
    await queries.upsert_activities(tx, rows, digests)


def _digest(definition: dict[str, Any]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(definition, order="deterministic")).digest()[:16]


async def get_consistent_time(tx: Tx) -> int:
    """Returns a time up to which all statements are visible, in microseconds since 1970."""
    return max(await queries.find_clock(tx) or 0, count_microseconds(tx.now - CONSISTENCY_MARGIN))
