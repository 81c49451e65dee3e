#!/usr/bin/env python3
"""Keeps Trilha in step with an HR export, through the public API alone.

    export TRILHA_API_KEY=trl_live_...   # scopes: users:read users:write courses:read enrollments:bulk
    python examples/hr_sync.py employees.csv --url https://learn.example.com --course boas-vindas

Afterwards every person in the file exists with the data of the file and is enrolled in every course named;
those marked "Desligado" are suspended and not enrolled. A second run changes nothing. A run that was killed
in the middle is completed by the next one.

Beside the file it keeps `employees.csv.sync.json`: for each user a digest, keyed with the API key, of what
was sent and of the `updated_at` that followed. Reads show documents masked, so only the digest tells a CPF
from another with the same ending. Without that file everybody's documents are sent once more, and the server
recognises them as no change.
"""

import argparse
import asyncio
import hashlib
import hmac
import json
import os
import secrets
import sys
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from hr_export import Employee, Json, Problem, read_employees
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from trilha_client import Api, ApiError, Stop

CONCURRENCY = 8
BATCH = 1000

DOCUMENTS = ("cpf", "phone", "birth_date", "cnh")


@dataclass
class Report:
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    enrolled: int = 0
    already_enrolled: int = 0
    skipped: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        counts = {name: count for name, count in vars(self).items() if isinstance(count, int)}
        counts |= {"skipped": len(self.skipped), "failed": len(self.failed)}
        counts |= {"changes": self.created + self.updated + self.enrolled}
        lines = [f"{name.replace('_', ' '):<18}{count:>7}" for name, count in counts.items()]
        for title, rows in (("Skipped", self.skipped), ("Failed", self.failed)):
            lines += ["", f"{title}:"] if rows else []
            for employee, why in sorted(rows, key=lambda row: row[0].line):
                lines.append(f"  line {employee.line}: {employee.email or '(no e-mail)'}: {why}")
        return "\n".join(lines)


# --- what was sent in earlier runs


class Memory:
    """Which users are known to agree with the file. Holds digests only."""

    def __init__(self, path: Path, secret: str) -> None:
        self._path = path
        self._secret = secret.encode()
        self._saved_at = time.monotonic()
        try:
            self._digests: dict[str, str] = json.loads(path.read_text())
        except (OSError, ValueError):
            self._digests = {}

    def knows(self, employee: Employee, user: Json) -> bool:
        return self._digests.get(user["id"]) == self.digest(employee.body, user["updated_at"])

    def keep(self, employee: Employee, user: Json) -> None:
        self._digests[user["id"]] = self.digest(employee.body, user["updated_at"])
        if time.monotonic() > self._saved_at + 5:
            self.save()

    def save(self) -> None:
        draft = self._path.with_name(self._path.name + ".new")
        draft.write_text(json.dumps(self._digests))
        draft.replace(self._path)
        self._saved_at = time.monotonic()

    def digest(self, *content: Any) -> str:
        return hmac.digest(self._secret, json.dumps(content).encode(), hashlib.sha256).hex()


# --- the work


class Sync:
    def __init__(self, api: Api, memory: Memory, report: Report, progress: Progress, task: TaskID) -> None:
        self._api = api
        self._memory = memory
        self._report = report
        self._progress = progress
        self._task = task
        self._users: dict[str, Json] = {}
        self._to_enroll: list[tuple[Employee, str]] = []

    async def run(self, employees: list[Employee], courses: list[str]) -> None:
        course_ids = await self._find_courses(courses) if courses else {}
        self._users = {user["email"]: user async for user in self._api.walk("/users")}
        self._progress.update(self._task, description="People", total=len(employees))
        pending = iter(employees)

        async def work() -> None:
            for employee in pending:
                await self._sync_employee(employee)
                self._progress.advance(self._task)

        await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
        await self._enroll(course_ids)

    async def _find_courses(self, wanted: list[str]) -> dict[str, str]:
        found = {course["slug"]: course["id"] async for course in self._api.walk("/courses")}
        if missing := [slug for slug in wanted if slug not in found]:
            raise Stop(f"There is no course {', '.join(missing)}.")
        return {found[slug]: slug for slug in wanted}

    async def _sync_employee(self, employee: Employee) -> None:
        """Makes one person agree with the file, or reports why not."""
        user = self._users.get(employee.email)
        try:
            if employee.has_left:
                await self._suspend(employee, user)
            elif user is None:
                await self._create(employee)
            else:
                await self._update(employee, user)
        except ApiError as error:
            self._report.failed.append((employee, str(error)))

    async def _create(self, employee: Employee) -> None:
        # The same row has the same key in every run, so a call that an earlier run made is not made twice.
        key = self._memory.digest("create", employee.body)
        try:
            answer = await self._api.call("POST", "/users", employee.body, key)
        except ApiError as error:
            if error.code != "email_exists":
                raise
        else:
            if not answer.from_earlier_run:
                self._report.created += 1
                self._synced(employee, answer.data)
                return
        # Created since the list was read, or spelt differently in it.
        address = httpx.QueryParams({"email": employee.email})
        found = (await self._api.call("GET", f"/users?{address}")).data
        if not found:
            raise ApiError({"code": "user_not_found", "message": "The user was there and is gone."})
        await self._update(employee, found[0])

    async def _update(self, employee: Employee, user: Json) -> None:
        before = user["updated_at"]
        if not self._memory.knows(employee, user) and (patch := _patch(employee, user)):
            user = (await self._api.call("PATCH", f"/users/{user['id']}", patch)).data
        if user["updated_at"] == before:
            self._report.unchanged += 1
        else:
            self._report.updated += 1
        self._synced(employee, user)

    async def _suspend(self, employee: Employee, user: Json | None) -> None:
        if user is None:
            self._report.skipped.append((employee, "Left without ever having had an account."))
        elif user["status"] == "ACTIVE":
            await self._api.call("POST", f"/users/{user['id']}/suspend")
            self._report.updated += 1
        else:
            self._report.unchanged += 1

    def _synced(self, employee: Employee, user: Json) -> None:
        self._memory.keep(employee, user)
        if user["status"] == "ACTIVE":
            self._to_enroll.append((employee, user["id"]))
        else:
            self._report.skipped.append((employee, f"Not enrolled: {user['status']} in Trilha."))

    async def _enroll(self, courses: dict[str, str]) -> None:
        self._to_enroll.sort(key=lambda pair: pair[0].line)
        pairs = [(employee, user, course) for course in courses for employee, user in self._to_enroll]
        self._progress.reset(self._task, description="Enrollments", total=len(pairs))
        run = secrets.token_hex(8)
        rest = iter(pairs)
        while batch := list(islice(rest, BATCH)):
            body = {"enrollments": [{"user_id": user, "course_id": course} for _, user, course in batch]}
            # The key is of this run alone: what was error yesterday may be accepted today.
            key = self._memory.digest("enroll", run, body)
            result = (await self._api.call("POST", "/enrollments/bulk", body, key)).data
            self._report.enrolled += result["created"]
            self._report.already_enrolled += result["skipped"]
            for error in result["errors"]:
                why = f"{courses[error['course_id']]}: {error['message']} ({error['code']})"
                self._report.failed.append((batch[error["index"]][0], why))
            self._progress.advance(self._task, len(batch))


def _patch(employee: Employee, user: Json) -> Json:
    """What differs, and every document, since a masked one cannot be compared."""

    def may_differ(member: str, value: Any) -> bool:
        both_empty = value is None and user[member] is None
        return value != user[member] if member not in DOCUMENTS else not both_empty

    return {member: value for member, value in employee.body.items() if may_differ(member, value)}


async def sync(path: Path, url: str, key: str, courses: list[str], report: Report) -> None:
    employees, report.failed = read_employees(path)
    memory = Memory(path.with_name(path.name + ".sync.json"), key)
    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    base = url.rstrip("/").removesuffix("/v1") + "/v1"
    headers = {"authorization": f"Bearer {key}", "user-agent": "hr-sync/1"}
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=Console(stderr=True)) as progress:
        task = progress.add_task("Reading", total=None, note="")
        async with httpx.AsyncClient(base_url=base, headers=headers, timeout=60) as http:
            api = Api(http, lambda note: progress.update(task, note=note))
            try:
                await Sync(api, memory, report, progress, task).run(employees, courses)
            finally:
                memory.save()


def main() -> int:
    parser = argparse.ArgumentParser(description="Keeps Trilha in step with an HR export.")
    parser.add_argument("path", type=Path, help="the CSV file of employees")
    parser.add_argument("--url", default=os.environ.get("TRILHA_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--key", default=os.environ.get("TRILHA_API_KEY"), help="better in TRILHA_API_KEY")
    parser.add_argument("--course", action="append", default=[], metavar="SLUG", help="may be repeated")
    options = parser.parse_args()
    if not options.key:
        parser.error("an API key is needed: set TRILHA_API_KEY")
    report = Report()
    try:
        asyncio.run(sync(options.path, options.url, options.key, options.course, report))
    except (Stop, ApiError, OSError, ValueError, httpx.InvalidURL) as stop:
        print(f"{report}\n\n{stop}")
        return 2
    except KeyboardInterrupt:
        return 130
    print(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
