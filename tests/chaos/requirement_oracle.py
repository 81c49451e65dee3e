"""What requirements must lead to, computed from plain sets. It shares no code with the product."""

import calendar
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Sao_Paulo")
Pair = tuple[str, str]


@dataclass
class Standing:
    """`due` has every day that is right, because nobody knows at which moment the worker settled."""

    state: set[str]
    due: set[str]
    valid_until: str | None
    has_enrollment: bool


@dataclass
class Oracle:
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)
    validity: dict[str, int | None] = field(default_factory=dict)  # months of each course's certificates
    requirements: dict[str, dict[str, Any]] = field(default_factory=dict)
    completions: defaultdict[Pair, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    # With the requirements that may have made it: of several for one course, any is right.
    open: dict[Pair, set[str]] = field(default_factory=dict)
    since: dict[Pair, tuple[datetime, datetime]] = field(default_factory=dict)  # by requirement and person

    def applies(self, requirement: dict[str, Any], person_id: str) -> bool:
        person = self.people[person_id]
        return (
            person["status"] == "ACTIVE"
            and requirement["active"]
            and self._matches(requirement["rule"], person_id, person)
        )

    def _matches(self, rule: dict[str, Any], person_id: str, person: dict[str, Any]) -> bool:
        if "all" in rule:
            return all(self._matches(each, person_id, person) for each in rule["all"])
        if "any" in rule:
            return any(self._matches(each, person_id, person) for each in rule["any"])
        if "not" in rule:
            return not self._matches(rule["not"], person_id, person)
        values = rule["value"] if rule["op"] == "in" else [rule["value"]]
        if rule["field"] == "learning_group_id":
            return any(person_id in self.groups[each] for each in values)
        if rule["op"] == "under":
            return any(rule["value"] == each for each in self._units_above(person["business_unit_id"]))
        name = rule["field"].removeprefix("custom_fields.")
        value = (person["custom_fields"] if name != rule["field"] else person).get(name)
        if value is None:
            return False
        if rule["op"] in ("eq", "in"):
            return value in values
        if rule["op"] == "starts_with":
            return str(value).startswith(rule["value"])
        return bool(value < rule["value"] if rule["op"] == "before" else value > rule["value"])

    def _units_above(self, unit: str | None) -> Iterator[str]:
        while unit is not None:
            yield unit
            unit = self.parents[unit]

    def settle(self, begun: datetime, ended: datetime) -> None:
        """Takes over that the worker has settled everybody between these times."""
        applied = {
            (key, person)
            for key, requirement in self.requirements.items()
            for person in self.people
            if self.applies(requirement, person)
        }
        for pair in set(self.since) - applied:
            del self.since[pair]
            self._release(*pair, applied)
        for pair in applied - set(self.since):
            self.since[pair] = (begun, ended)
        self.requirements = {k: each for k, each in self.requirements.items() if not each.get("deleted")}
        for key, person in applied:
            pair = person, self.requirements[key]["course_id"]
            if pair not in self.open and self.is_due_now(pair, ended):
                self.open[pair] = set(self._asking(pair))

    def _release(self, key: str, person: str, applied: set[Pair]) -> None:
        requirement = self.requirements[key]
        course = requirement["course_id"]
        asked = {self.requirements[each]["course_id"] for each, who in applied if who == person}
        if (
            requirement["cancel_not_started"]
            and self.people[person]["status"] == "ACTIVE"
            and self.open.get((person, course)) == {key}
            and course not in asked
        ):
            del self.open[person, course]

    def _asking(self, pair: Pair) -> list[str]:
        person, course = pair
        return [
            key for key, who in self.since if who == person and self.requirements[key]["course_id"] == course
        ]

    def _terms(self, pair: Pair) -> tuple[int | None, int]:
        asking = [self.requirements[key] for key in self._asking(pair)]
        months = [each["renew_months"] for each in asking if each["renew_months"]]
        windows = [each["window_days"] for each in asking]
        return min(months, default=self.validity[pair[1]]), max(windows, default=60)

    def end_of(self, pair: Pair) -> datetime | None:
        """Returns until when the completions are valid, or None for good."""
        months, window = self._terms(pair)
        if months is None:
            return None
        end = datetime.min.replace(tzinfo=UTC)
        for moment in sorted(self.completions[pair]):
            if end.year > 1 and add_days(end, -window) <= moment <= end:
                end = add_months(end, months)
            else:
                end = max(end, add_months(moment, months))
        return end

    def _is_held_ever(self, pair: Pair) -> bool:
        if not self.completions[pair]:
            return False
        end = self.end_of(pair)
        starts = [self.since[key, pair[0]][1] for key in self._asking(pair)]
        return end is None or not starts or end > min(starts)

    def is_due_now(self, pair: Pair, now: datetime) -> bool:
        """Tells whether the person must be enrolled now."""
        if not self._is_held_ever(pair):
            return True
        end = self.end_of(pair)
        return end is not None and add_days(end, -self._terms(pair)[1]) <= now

    def take_over(self, pair: Pair, moment: datetime, now: datetime) -> None:
        """Imports a completion."""
        self.completions[pair].append(moment)
        if pair in self.open:
            end = self.end_of(pair)
            if end is None or add_days(end, -self._terms(pair)[1]) > now:
                del self.open[pair]

    def _due_days(self, key: str, person: str) -> set[str]:
        requirement = self.requirements[key]
        if requirement["due_on"]:
            return {requirement["due_on"]}
        days = timedelta(days=requirement["due_days"])
        return {str(each.astimezone(ZONE).date() + days) for each in self.since[key, person]}

    def stand(self, key: str, person: str, now: datetime) -> Standing:
        pair = person, self.requirements[key]["course_id"]
        end = self.end_of(pair) if self._is_held_ever(pair) else None
        held = self._is_held_ever(pair)
        has_enrollment = pair in self.open or bool(self.completions[pair])
        if held and (end is None or end > now):
            window = self._terms(pair)[1]
            state = "VALID" if end is None or now < add_days(end, -window) else "DUE_SOON"
            return Standing({state}, {day_of(end)} if end else {"None"}, moment_of(end), has_enrollment)
        if held and end is not None:
            return Standing({"OVERDUE"}, {day_of(end)}, moment_of(end), has_enrollment)
        earliest = min(self._asking(pair), key=lambda each: min(self._due_days(each, person)))
        days = self._due_days(earliest, person)
        return Standing({_state_before(day, now) for day in days}, days, None, has_enrollment)


def _state_before(day: str, now: datetime) -> str:
    due = datetime.combine(date.fromisoformat(day), time(23, 59, 59), ZONE)
    if due <= now:
        return "OVERDUE"
    return "MISSING" if now < add_days(due, -30) else "DUE_SOON"


def add_months(moment: datetime, months: int) -> datetime:
    local = moment.astimezone(ZONE)
    index = local.year * 12 + local.month - 1 + months
    year, month = divmod(index, 12)
    day = min(local.day, calendar.monthrange(year, month + 1)[1])
    return local.replace(year=year, month=month + 1, day=day).astimezone(UTC)


def add_days(moment: datetime, days: int) -> datetime:
    return (moment.astimezone(ZONE) + timedelta(days=days)).astimezone(UTC)


def day_of(moment: datetime) -> str:
    return str(moment.astimezone(ZONE).date())


def moment_of(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
