"""Shows what a requirement would mean before it is saved."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.types import Timestamp, to_json
from trilha.core.web.pagination import Cursors, ListQuery
from trilha.training.requirements import actions, extension_queries, people_queries, queries
from trilha.training.requirements.judging import Learning, list_applying
from trilha.training.requirements.people_queries import Row
from trilha.training.requirements.schema import NewRequirement, PreviewPage, PreviewRow, PreviewTotals
from trilha.training.requirements.standing import Claim, Standing, judge
from trilha.training.requirements.world import LoadedRequirement, World, load_world

_PEOPLE = 1000  # that are judged between two pauses


async def preview(tx: Tx, new: NewRequirement, query: ListQuery) -> PreviewPage:
    """Returns a page of the people to whom the requirement would apply, by id, and the counts of all.

    Raises what `actions.create` raises, and Invalid (invalid_cursor).
    """
    digest = sha256(to_json(new)).hexdigest()
    cursors = Cursors(tx, query, route=f"requirements/preview/{digest}")
    start = cursors.open(int) or 0
    rows = await list_rows(tx, new)
    end = start + query.limit
    more = end < len(rows)
    following = cursors.seal(end) if more else None
    return PreviewPage(rows[start:end], following, more, query.limit, count(tx, rows))


def count(tx: Tx, rows: Sequence[PreviewRow]) -> PreviewTotals:
    """Counts the rows of a whole preview."""
    now = Timestamp.of(tx.now)
    return PreviewTotals(len(rows), sum(row.holds for row in rows), sum(row.enroll_at == now for row in rows))


async def list_rows(tx: Tx, new: NewRequirement) -> list[PreviewRow]:
    """Lists everybody to whom the requirement would apply."""
    world = await _load_world(tx, new)
    proposed = world.requirements[-1]
    rows: list[PreviewRow] = []
    after: UUID | None = None
    while proposed.active:
        people = await people_queries.list_next_people(tx, after, _PEOPLE, world.parents)
        await asyncio.sleep(0)  # other requests are answered meanwhile
        matching = [person for person in people if proposed.applies_to(person, applied=False)]
        ids = [person.id for person in matching]
        if matching:
            stored = {
                (row.user_id, row.requirement_id): row for row in await people_queries.list_rows(tx, ids)
            }
            learning = Learning(await people_queries.list_learning(tx, ids, list(proposed.course_ids)))
            extensions = await extension_queries.list_due_dates(tx, ids)
            for person in matching:
                applying = list_applying(world, person, stored)
                rows.append(
                    _build_row(tx, world, proposed, person.id, applying, stored, learning, extensions)
                )
        if len(people) < _PEOPLE:
            break
        after = people[-1].id
    return rows


async def _load_world(tx: Tx, new: NewRequirement) -> World:
    node = await actions.check_rule(tx, new.rule)
    await actions.check_target(tx, new.course_id, new.learning_path_id)
    path_id = new.learning_path_id
    path = (await queries.list_paths(tx, [path_id]))[path_id] if path_id else None
    course_ids = path.course_ids if path else [new.course_id] if new.course_id else []
    proposed = LoadedRequirement(uuid4(), new, node, new.active, tuple(course_ids), path)
    return await load_world(tx, proposed)


def _build_row(
    tx: Tx,
    world: World,
    proposed: LoadedRequirement,
    user_id: UUID,
    applying: Sequence[LoadedRequirement],
    stored: dict[tuple[UUID, UUID], Row],
    learning: Learning,
    extensions: Mapping[tuple[UUID, UUID], datetime],
) -> PreviewRow:
    claims = []
    for each in applying:
        if each.target == proposed.target:
            row = stored.get((user_id, each.id))
            since = Timestamp(row.applies_since).moment() if row else tx.now
            extended_to = extensions.get((user_id, each.id))
            due = each.requirement.due_days, each.requirement.due_on
            claims.append(Claim(each.id, since, *due, extended_to))
    records = [
        learning.build_record((user_id, course_id), terms)
        for course_id in proposed.course_ids
        if (terms := world.merge_terms(course_id, applying)) is not None
    ]
    standing = judge(claims, records, tx.now, world.zone, in_order=proposed.is_in_order)
    return PreviewRow(
        user_id,
        standing.holds,
        _text(standing.valid_until),
        _find_enrollment_time(tx, standing),
        _text(standing.due_at),
    )


def _find_enrollment_time(tx: Tx, standing: Standing) -> Timestamp | None:
    if standing.courses_to_take:
        return Timestamp.of(tx.now)
    if standing.holds and standing.opens_at is not None and standing.opens_at > tx.now:
        return _text(standing.opens_at)
    return None


def _text(moment: object) -> Timestamp | None:
    return None if moment is None else Timestamp.of(moment)  # type: ignore[arg-type]
