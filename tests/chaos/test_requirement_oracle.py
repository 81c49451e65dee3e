"""Random changes of people, units, groups, custom fields, requirements and completions, with kills of the
worker: afterwards everybody stands where an oracle of plain sets says.
"""

import asyncio
import contextlib
import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import psutil
import pytest

from chaos.requirement_oracle import ZONE, Oracle, Pair, moment_of
from running import Running, running, wait_until

COURSE = "title: {0}\nslug: {0}\n{1}modules:\n  - {{title: A, duration_minutes: 5}}\n"
SCOPES = "users:read,users:write,enrollments:bulk,requirements:read,requirements:write"
TITLES = ["Eletricista", "Eletricista sênior", "Pedreiro", None]
DEPARTMENTS = ["Obras", "Manutenção", None]
SECTORS = ["A", "B", None]
LEVELS = [1, 2.5, 7, None]
DAYS = ["2019-02-28", "2024-02-29", "2026-01-01", None]
LONG = int(os.environ.get("CHAOS_OPERATIONS", "10000"))
TOGETHER = 25  # changes between two comparisons; each is of another person


class Company:
    """A tenant that changes at random, beside its oracle."""

    def __init__(self, trilha: Running, folder: Path, chance: random.Random) -> None:
        self.trilha = trilha
        self.chance = chance
        self.oracle = Oracle()
        tenant = trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")["id"]
        self.tenant: str = tenant
        self.promised: set[Pair] | None = None  # who is enrolled if the preview is right
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", SCOPES)
        self.http = httpx2.Client(
            base_url=trilha.url, headers={"authorization": f"Bearer {made['key']}"}, timeout=60
        )
        for key, kind in (("sector", "choice"), ("level", "number")):
            choices = ("--choice", "A", "--choice", "B") if kind == "choice" else ()
            trilha.command(
                "custom-field", "create", "--tenant", "acme", "--key", key, "--name", key, "--type", kind,
                *choices,
            )  # fmt: skip
        for name, months in (("um", 12), ("dois", 1), ("tres", None)):
            validity = f"certificate_validity_months: {months}\n" if months else ""
            (folder / "course.yaml").write_text(COURSE.format(name, validity))
            file = str(folder / "course.yaml")
            course = trilha.command("course", "create", "--tenant", "acme", "--file", file, "--publish")
            self.oracle.validity[course["id"]] = months
        for number in range(6):
            parent = chance.choice([None, *self.oracle.parents])
            sql = (
                "INSERT INTO business_units (tenant_id, parent_id, name, created_at, updated_at) "
                f"VALUES ('{tenant}', $1, 'U{number}', now(), now()) RETURNING id::text"
            )
            self.oracle.parents[self.ask(sql, parent)] = parent
        for number in range(3):
            sql = (
                "INSERT INTO learning_groups (tenant_id, name, created_at, updated_at) "
                f"VALUES ('{tenant}', 'G{number}', now(), now()) RETURNING id::text"
            )
            self.oracle.groups[self.ask(sql)] = set()
        for _ in range(40):
            self.add_person()
        for _ in range(4):
            self.add_requirement()
            self.settle()
        self.promised = None

    def ask(self, sql: str, *values: object) -> Any:
        async def ask() -> Any:
            connection = await asyncpg.connect(self.trilha.database_url())
            try:
                return await connection.fetchval(sql, *values)
            finally:
                await connection.close()

        return asyncio.run(ask())

    def call(self, method: str, path: str, **options: Any) -> Any:
        answer = self.http.request(method, f"/v1/{path}", **options)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def pages(self, method: str, path: str, **options: Any) -> Iterator[Any]:
        query: dict[str, Any] = {"limit": 50}
        while True:
            page = self.call(method, path, params=query, **options)
            yield page
            if not page["has_more"]:
                return
            query["cursor"] = page["next_cursor"]

    # The changes

    def add_person(self) -> None:
        body = {
            "email": f"p{len(self.oracle.people)}@example.com",
            "name": "Ana",
            "job_title": self.chance.choice(TITLES),
            "department": self.chance.choice(DEPARTMENTS),
            "hire_date": self.chance.choice(DAYS),
            "business_unit_id": self.chance.choice([None, *self.oracle.parents]),
            "custom_fields": self._draw_fields(),
        }
        person = self.call("POST", "users", json=body)["data"]
        self.oracle.people[person["id"]] = body | {"role": person["role"], "status": person["status"]}

    def _draw_fields(self) -> dict[str, Any]:
        return {"sector": self.chance.choice(SECTORS), "level": self.chance.choice(LEVELS)}

    def change_person(self, person: str) -> None:
        values: dict[str, Any] = {
            "job_title": self.chance.choice(TITLES),
            "department": self.chance.choice(DEPARTMENTS),
            "hire_date": self.chance.choice(DAYS),
            "business_unit_id": self.chance.choice([None, *self.oracle.parents]),
            "custom_fields": self._draw_fields(),
        }
        name = self.chance.choice(list(values))
        self.call("PATCH", f"users/{person}", json={name: values[name]})
        self.oracle.people[person][name] = values[name]

    def suspend_or_reactivate(self, person: str) -> None:
        active = self.oracle.people[person]["status"] == "ACTIVE"
        self.call("POST", f"users/{person}/{'suspend' if active else 'reactivate'}")
        self.oracle.people[person]["status"] = "SUSPENDED" if active else "ACTIVE"

    def change_group(self, person: str) -> None:
        group = self.chance.choice(list(self.oracle.groups))
        members = self.oracle.groups[group]
        if person in members:
            members.remove(person)
            sql = f"DELETE FROM learning_group_members WHERE tenant_id = '{self.tenant}' "
            self.ask(sql + "AND group_id = $1 AND user_id = $2", group, person)
        else:
            members.add(person)
            sql = f"INSERT INTO learning_group_members VALUES ('{self.tenant}', $1, $2, now())"
            self.ask(sql, group, person)

    def complete_elsewhere(self, person: str) -> None:
        course = self.chance.choice(list(self.oracle.validity))
        moment = datetime.now(UTC) - timedelta(seconds=self.chance.randrange(10, 800 * 86_400))
        moment = moment.replace(microsecond=0)
        completion = {
            "user_id": person,
            "course_id": course,
            "completed_at": moment_of(moment),
            "source": "Antigo",
        }
        self.call("POST", "enrollments/import", json={"completions": [completion]})
        self.oracle.take_over((person, course), moment, datetime.now(UTC))

    def move_unit(self) -> None:
        unit = self.chance.choice(list(self.oracle.parents))
        others = [each for each in self.oracle.parents if unit not in self.oracle._units_above(each)]
        parent = self.chance.choice([None, *others])
        self.ask("UPDATE business_units SET parent_id = $2, updated_at = now() WHERE id = $1", unit, parent)
        self.oracle.parents[unit] = parent

    def add_requirement(self) -> None:
        body = self._draw_requirement()
        self.preview(body)
        made = self.call("POST", "requirements", json=body)["data"]
        self.oracle.requirements[made["id"]] = body

    def _draw_requirement(self) -> dict[str, Any]:
        dated = self.chance.random() < 0.3
        return {
            "title": "R",
            "rule": self._draw_rule(3),
            "course_id": self.chance.choice(list(self.oracle.validity)),
            "due_days": None if dated else self.chance.choice([0, 10, 30, 31, 90]),
            "due_on": self.chance.choice(["2026-01-01", "2027-12-31"]) if dated else None,
            "renew_months": self.chance.choice([None, 6, 12, 24]),
            "window_days": self.chance.choice([1, 30, 60, 365]),
            "active": True,
            "cancel_not_started": self.chance.random() < 0.5,
        }

    def _draw_rule(self, levels: int) -> dict[str, Any]:
        kind = self.chance.random()
        if levels and kind < 0.5:
            nodes = [self._draw_rule(levels - 1) for _ in range(self.chance.randint(1, 3))]
            return {self.chance.choice(["all", "any"]): nodes}
        if levels and kind < 0.65:
            return {"not": self._draw_rule(levels - 1)}
        field, op, value = self.chance.choice(
            [
                ("job_title", "starts_with", "Eletricista"),
                ("job_title", "eq", "Pedreiro"),
                ("department", "in", ["Obras", "Manutenção"]),
                ("role", "eq", "learner"),
                ("hire_date", "before", "2024-02-29"),
                ("hire_date", "after", "2019-02-28"),
                ("business_unit_id", "under", self.chance.choice(list(self.oracle.parents))),
                ("business_unit_id", "eq", self.chance.choice(list(self.oracle.parents))),
                ("learning_group_id", "in", self.chance.sample(list(self.oracle.groups), 2)),
                ("custom_fields.sector", "eq", "A"),
                ("custom_fields.level", "after", 1),
                ("custom_fields.level", "in", [1, 7]),
            ]
        )
        return {"field": field, "op": op, "value": value}

    def change_requirement(self) -> None:
        key = self.chance.choice(list(self.oracle.requirements))
        before = self.oracle.requirements[key]
        values = self._draw_requirement()
        name = self.chance.choice(["rule", "renew_months", "window_days", "active", "due", "delete"])
        if name == "delete" and len(self.oracle.requirements) > 2:
            self.call("DELETE", f"requirements/{key}")
            before |= {"active": False, "deleted": True}
            return
        patch = {each: values[each] for each in ("due_days", "due_on")} if name == "due" else {}
        if name == "active":
            patch = {"active": not before["active"]}
        elif name in ("rule", "renew_months", "window_days"):
            patch = {name: values[name]}
        if patch:
            self.call("PATCH", f"requirements/{key}", json=patch)
            before |= patch

    def change(self) -> int:
        """Makes changes that do not undo each other. Returns how many."""
        people = self.chance.sample(list(self.oracle.people), TOGETHER)
        changes = [self.change_person] * 5 + [
            self.suspend_or_reactivate,
            self.change_group,
            self.complete_elsewhere,
            self.complete_elsewhere,
        ]
        for person in people:
            self.chance.choice(changes)(person)
        self.settle()
        wide = self.chance.choice([self.move_unit, self.change_requirement, self.add_requirement])
        if wide != self.add_requirement or len(self.oracle.requirements) < 8:
            wide()
        self.settle()
        if self.promised is not None:
            assert self.promised == set(self.oracle.open), "the preview promised something else"
            self.promised = None
        if len(self.oracle.people) < 60:
            self.add_person()
        return TOGETHER + 2

    # The comparison

    def settle(self) -> None:
        begun = datetime.now(UTC) - timedelta(minutes=1)
        waiting = (
            "SELECT (SELECT count(*) FROM requirement_checks) + (SELECT count(*) FROM requirement_sweeps) "
            "+ (SELECT count(*) FROM requirement_people WHERE next_at <= now())"
        )
        wait_until(lambda: self.ask(waiting) == 0, 60)
        self.oracle.settle(begun, datetime.now(UTC))
        self._compare_enrollments()

    def compare(self) -> None:
        now = datetime.now(UTC)
        rows = {
            (key, row["user_id"]): row
            for key in self.oracle.requirements
            for page in self.pages("GET", f"requirements/{key}/people")
            for row in page["data"]
        }
        assert set(rows) == set(self.oracle.since)
        for (key, person), row in rows.items():
            wanted = self.oracle.stand(key, person, now)
            due = row["due_at"] and str(datetime.fromisoformat(row["due_at"]).astimezone(ZONE).date())
            case = json.dumps([row, self.oracle.requirements[key]], ensure_ascii=False)
            assert str(due) in wanted.due, (wanted, case)
            assert row["state"] in wanted.state, (wanted, case)
            assert row["valid_until"] == wanted.valid_until, (wanted, case)
            assert (row["enrollment_id"] is not None) == wanted.has_enrollment, (wanted, case)

    def _compare_enrollments(self) -> None:
        sql = (
            "SELECT json_agg(json_build_array(user_id, course_id, required_by)) "
            "FROM enrollments WHERE status <> 'COMPLETED'"
        )
        rows = json.loads(self.ask(sql) or "[]")
        made_by = {(user, course): requirement for user, course, requirement in rows}
        assert len(made_by) == len(rows), "somebody is enrolled twice"
        assert set(made_by) == set(self.oracle.open)
        for pair, requirement in made_by.items():
            assert requirement in self.oracle.open[pair]
            self.oracle.open[pair] = {requirement}

    def preview(self, body: dict[str, Any]) -> None:
        """Compares the preview of a new requirement with the oracle."""
        pages = list(self.pages("POST", "requirements/preview", json=body))
        people = {row["user_id"]: row for page in pages for row in page["data"]}
        assert set(people) == {each for each in self.oracle.people if self.oracle.applies(body, each)}
        meta = pages[0]["_meta"]
        assert meta["people"] == len(people)
        assert meta["holding"] == sum(row["holds"] for row in people.values())
        soon = moment_of(datetime.now(UTC) + timedelta(seconds=5)) or ""
        to_enroll = {who for who, row in people.items() if row["enroll_at"] and row["enroll_at"] <= soon}
        assert meta["to_enroll"] == len(to_enroll)
        self.promised = {(person, body["course_id"]) for person in to_enroll} | set(self.oracle.open)


@pytest.mark.parametrize(
    ("changes", "kills"),
    [(150, 2), pytest.param(LONG, 100, marks=[pytest.mark.long, pytest.mark.timeout(7200)])],
    ids=["short", "long"],
)
def test_everybody_stands_where_plain_sets_say(tmp_path: Path, changes: int, kills: int) -> None:
    chance = random.Random(int(os.environ.get("CHAOS_SEED", "7")))
    with running(tmp_path) as trilha:
        company = Company(trilha, tmp_path, chance)
        done = killed = 0
        while done < changes:
            if killed * changes < done * kills:
                kill_worker(trilha)
                killed += 1
            done += company.change()
            company.settle()
            company.compare()
            print(f"{done} changes, {killed} kills, {len(company.oracle.since)} applications", flush=True)
        assert "failed" not in trilha.log.read_text()


def kill_worker(trilha: Running) -> None:
    wait_until(lambda: trilha.children("work"), 60)
    for each in trilha.children("work"):
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
