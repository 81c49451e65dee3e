"""Judges where people stand with all requirements that apply to them. No I/O, no clock."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.training.enrollments.validity import Terms
from trilha.training.requirements.conditions import Person
from trilha.training.requirements.people_queries import Excuse, LearningRow, Row
from trilha.training.requirements.standing import Claim, Completion, CourseRecord, Standing, judge
from trilha.training.requirements.world import LoadedRequirement, Target, World

Pair = tuple[UUID, UUID]  # of a user and a course


class Learning:
    """Completed and open enrollments by user and course."""

    def __init__(self, rows: Iterable[LearningRow]) -> None:
        self.completed: defaultdict[Pair, list[LearningRow]] = defaultdict(list)
        self.open: dict[Pair, LearningRow] = {}
        for row in rows:
            if row.status == "COMPLETED":
                self.completed[row.user_id, row.course_id].append(row)
            else:
                self.open[row.user_id, row.course_id] = row

    def build_record(self, pair: Pair, terms: Terms) -> CourseRecord:
        completions = [
            Completion(row.id, datetime.fromisoformat(row.completed_at or ""))
            for row in self.completed.get(pair, ())
        ]
        enrollment = self.open.get(pair)
        return CourseRecord(pair[1], completions, enrollment.id if enrollment else None, terms)


class Verdict(Struct, frozen=True):
    """A requirement that applies to a person, and where the person stands."""

    person: Person
    loaded: LoadedRequirement
    before: Row | None
    since: datetime
    standing: Standing


def list_applying(
    world: World, person: Person, rows: Mapping[tuple[UUID, UUID], Row]
) -> list[LoadedRequirement]:
    return [
        each for each in world.requirements if each.applies_to(person, applied=(person.id, each.id) in rows)
    ]


def judge_person(
    now: datetime,
    world: World,
    person: Person,
    applying: Sequence[LoadedRequirement],
    rows: Mapping[tuple[UUID, UUID], Row],
    learning: Learning,
    excuses: Mapping[tuple[UUID, UUID], Excuse],
    extensions: Mapping[tuple[UUID, UUID], datetime],
) -> Iterator[Verdict]:
    """Judges a person. Requirements with the same target have one standing, except for excuses."""
    by_target: defaultdict[Target, list[LoadedRequirement]] = defaultdict(list)
    for each in applying:
        by_target[each.target].append(each)
    for requirements in by_target.values():
        records = [
            learning.build_record((person.id, course_id), merged)
            for course_id in requirements[0].course_ids
            if (merged := world.merge_terms(course_id, applying)) is not None
        ]
        if not records:  # a path without courses asks for nothing
            continue
        before = {each.id: rows.get((person.id, each.id)) for each in requirements}
        claims = {
            each.id: _build_claim(each, before[each.id], now, extensions.get((person.id, each.id)))
            for each in requirements
        }
        owed = [claims[each.id] for each in requirements if (person.id, each.id) not in excuses]
        for each in requirements:
            excuse = excuses.get((person.id, each.id))
            standing = judge(
                owed if excuse is None else list(claims.values()),
                records,
                now,
                world.zone,
                datetime.fromisoformat(excuse.until) if excuse and excuse.until else None,
                excused=excuse is not None,
                in_order=each.is_in_order,
            )
            yield Verdict(person, each, before[each.id], claims[each.id].since, standing)


def _build_claim(
    loaded: LoadedRequirement, row: Row | None, now: datetime, extended_to: datetime | None
) -> Claim:
    since = datetime.fromisoformat(row.applies_since) if row else now
    return Claim(loaded.id, since, loaded.requirement.due_days, loaded.requirement.due_on, extended_to)
