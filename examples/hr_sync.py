#!/usr/bin/env python3
"""Synchronizes Trilha with an HR export through the public API, every day.

    export TRILHA_API_KEY=trl_live_...   # scopes: users:read users:write courses:read enrollments:bulk
    python examples/hr_sync.py employees.csv --url https://learn.example.com --course boas-vindas

After a run, every person in the file exists with the data of the file, and is enrolled in every named course.
People are found by employee number, or else by e-mail. Those marked as having left are suspended, and those
who came back are active again. People who are in Trilha but not in the file are reported, and suspended with
`--leavers suspend`. A second run changes nothing. The next run completes one that was killed.

It is an example of the Python client, clients/python, and needs `pip install ./clients/python rich idna`.

It stores `hr_sync.json` in the file's folder. For each user, it has a digest, keyed with the API key, of the
sent data and the resulting `updated_at`. The API masks documents, so only the digest shows that a CPF has
changed. Without the file, all documents are sent again, and the server finds no change.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hr_export import Employee, Json, Mapping, read_employees, read_mapping
from hr_matching import Match, match
from hr_report import Memory, Report
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from trilha_client import RefusalError, Trilha, TrilhaError

BATCH = 500
# Errors that may go away once other rows of the file are done, because these release a value.
PASSED_ON = ("email_exists", "cpf_exists")
# If more than half of all active people are missing, the file is probably broken.
LEAVERS_MOST, FEW = 0.5, 10


@dataclass
class Options:
    courses: Sequence[str]
    leavers: str = "report"
    rehires: str = "reactivate"
    wrong_enrollments: str = "ignore"
    batch: int = BATCH


class Sync:
    def __init__(
        self, api: Trilha, memory: Memory, report: Report, options: Options, step: Callable[[str, int], None]
    ) -> None:
        """`step` is called with the name of the current step, and the number of rows done."""
        self._api = api
        self._memory = memory
        self._report = report
        self._options = options
        self._step = step
        # The rows that have a user, and the user in its current state.
        self._people: list[tuple[Employee, Json]] = []

    def run(self, employees: list[Employee]) -> None:
        options = self._options
        wanted = {*options.courses, *(slug for row in employees for slug in row.courses or ())}
        course_ids = self._find_courses(wanted) if wanted else {}
        before = {user["id"]: user for user in self._api.users.list()}
        unreadable = [row for row, _ in self._report.failed]
        found = match(employees, before.values(), self._memory.users, unreadable)
        self._report.failed += found.problems
        self._check_leavers(found, before)
        ids = self._put(found)
        self._compare(found, before, ids)
        self._set_statuses(found)
        self._tell_unknown_courses(course_ids)
        if course_ids:
            self._enroll(course_ids)
            self._find_wrong(course_ids)

    def _find_courses(self, wanted: set[str]) -> dict[str, str]:
        """Returns the ids of the existing courses with these slugs."""
        found = {course["slug"]: course["id"] for course in self._api.courses.list()}
        if missing := sorted(set(self._options.courses) - found.keys()):
            raise LookupError(f"There is no course {', '.join(missing)}.")
        return {slug: found[slug] for slug in sorted(wanted & found.keys())}

    def _check_leavers(self, found: Match, before: dict[str, Json]) -> None:
        """Checks the leavers before anything is changed."""
        active = sum(user["status"] == "ACTIVE" for user in before.values())
        count = len(found.leavers)
        if self._options.leavers == "suspend" and count > max(FEW, LEAVERS_MOST * active):
            raise ValueError(
                f"{count} of {active} people are missing in the file; nothing was changed. If they have "
                "left, suspend them in several runs, or mark them in the file."
            )

    def _put(self, found: Match) -> dict[int, str]:
        """Sends every row that may differ. Returns the ids of users by the lines of their rows.

        A row that is refused because another user still has the e-mail or CPF is sent again as long as other
        rows succeed.
        """
        ids = {row.line: user["id"] for row, user in found.pairs if user}
        to_send = [row for row, user in found.pairs if not row.has_left and not self._is_known(row, user)]
        waiting = [(row, owner) for row, owner in found.after if not row.has_left]
        moved: set[str | None] = set()
        while True:
            refused = self._send(to_send, ids)
            lines = {row.line for row, _, _ in refused}
            moved |= {row.number for row in to_send if row.line not in lines}
            again = [(row, why) for row, code, why in refused if code in PASSED_ON]
            self._report.failed += [(row, why) for row, code, why in refused if code not in PASSED_ON]
            ready = [row for row, owner in waiting if owner in moved]
            waiting = [(row, owner) for row, owner in waiting if owner not in moved]
            if not ready and len(again) == len(to_send):
                break
            to_send = ready + [row for row, _ in again]
        self._report.failed += again
        self._report.failed += [(row, f"Its e-mail is still that of number {each}.") for row, each in waiting]
        return ids

    def _is_known(self, row: Employee, user: Json | None) -> bool:
        return user is not None and self._memory.knows(row, user)

    def _send(self, rows: list[Employee], ids: dict[int, str]) -> list[tuple[Employee, str, str]]:
        """Returns each refused row with its code and reason."""
        refused, rest, done = [], iter(rows), 0
        while batch := list(islice(rest, self._options.batch)):
            result = self._api.users.put_bulk(users=[row.body for row in batch])
            ids |= {row.line: id for row, id in zip(batch, result["user_ids"], strict=True) if id}
            for error in result["errors"]:
                place = f"{error['field']}: " if error["field"] else ""
                why = f"{place}{error['message']} ({error['code']})"
                refused.append((batch[error["index"]], error["code"], why))
            done += len(batch)
            self._step("People", done)
        return refused

    def _compare(self, found: Match, before: dict[str, Json], ids: dict[int, str]) -> None:
        """Reads the users again to count the changes, because an answer may have been lost."""
        since = max((user["updated_at"] for user in before.values()), default=None)
        after = before | {user["id"]: user for user in self._api.users.list(updated_since=since)}
        failed = {row.line for row, _ in self._report.failed}
        for row, _ in [*found.pairs, *found.after]:
            user = after.get(ids.get(row.line, ""))
            if user is None or row.line in failed:
                continue
            self._people.append((row, user))
            if row.has_left:
                continue
            self._memory.keep(row, user)
            if user["id"] not in before:
                self._report.created += 1
            elif user["updated_at"] != before[user["id"]]["updated_at"]:
                self._report.updated += 1
            elif user["status"] == "ACTIVE":
                self._report.unchanged += 1
        people = {row.line for row, _ in self._people} | failed
        self._report.skipped += [
            (row, "Left without ever having had an account.")
            for row, _ in [*found.pairs, *found.after]
            if row.has_left and row.line not in people
        ]

    def _set_statuses(self, found: Match) -> None:
        for row, user in self._people:
            if row.has_left and user["status"] == "ACTIVE":
                if self._move(row, user, self._api.users.suspend, "SUSPENDED"):
                    self._report.suspended += 1
            elif row.has_left:
                self._report.unchanged += 1
            elif user["status"] == "SUSPENDED" and self._options.rehires == "reactivate":
                if self._move(row, user, self._api.users.reactivate, "ACTIVE"):
                    self._report.reactivated += 1
            elif user["status"] != "ACTIVE":
                self._report.skipped.append((row, f"Works here, and is {user['status']} in Trilha."))
        for user in found.leavers:
            number = user["employee_number"] or "no number"
            self._report.leavers.append(f"{user['email']} ({user['name']}, {number})")
            row = Employee(0, user["email"], user["employee_number"], True, {})
            if self._options.leavers == "suspend" and self._move(
                row, user, self._api.users.suspend, "SUSPENDED"
            ):
                self._report.suspended += 1

    def _move(self, row: Employee, user: Json, move: Callable[[str], None], status: str) -> bool:
        try:
            move(user["id"])
        except RefusalError as error:
            self._report.failed.append((row, str(error)))
            return False
        user["status"] = status
        return True

    # --- courses

    def _courses_of(self, row: Employee) -> set[str]:
        return {*self._options.courses, *(row.courses or ())}

    def _tell_unknown_courses(self, courses: dict[str, str]) -> None:
        """Fails the rows that name an unknown course. Everything else in these rows is done."""
        for row, _ in self._people:
            unknown = sorted(self._courses_of(row) - courses.keys())
            if unknown and not row.has_left:
                self._report.failed.append((row, f"There is no course {', '.join(unknown)}."))

    def _enroll(self, courses: dict[str, str]) -> None:
        pairs = [
            (row, user["id"], slug)
            for slug in courses
            for row, user in sorted(self._people, key=lambda pair: pair[0].line)
            if not row.has_left and user["status"] == "ACTIVE" and slug in self._courses_of(row)
        ]
        rest, done = iter(pairs), 0
        while batch := list(islice(rest, self._options.batch)):
            places = [{"user_id": user, "course_id": courses[slug]} for _, user, slug in batch]
            result = self._api.enrollments.create_bulk(enrollments=places)
            self._report.enrolled += result["created"]
            self._report.already_enrolled += result["skipped"]
            for error in result["errors"]:
                row, _, slug = batch[error["index"]]
                missing = (error.get("detail") or {}).get("missing_fields")
                more = f": {', '.join(missing)}" if missing else ""
                self._report.failed.append((row, f"{slug}: {error['message']} ({error['code']}{more})"))
            done += len(batch)
            self._step("Enrollments", done)

    def _find_wrong(self, courses: dict[str, str]) -> None:
        """Finds unfinished enrollments in these courses that the file does not ask for."""
        if self._options.wrong_enrollments == "ignore":
            return
        rows = {user["id"]: row for row, user in self._people if not row.has_left}
        for slug, course in courses.items():
            unfinished = list(self._api.enrollments.list(course_id=course, status="NOT_STARTED,IN_PROGRESS"))
            for enrollment in unfinished:
                row = rows.get(enrollment["user_id"])
                if row is not None and slug not in self._courses_of(row):
                    self._wrong(row, slug, enrollment["id"])

    def _wrong(self, row: Employee, slug: str, enrollment: str) -> None:
        self._report.wrong_enrollments.append(f"line {row.line}: {row.email}: {slug}")
        if self._options.wrong_enrollments == "cancel":
            try:
                self._api.enrollments.cancel(enrollment)
                self._report.cancelled += 1
            except RefusalError as error:
                self._report.failed.append((row, f"{slug}: {error}"))


def sync(path: Path, mapping: Mapping, url: str, key: str, options: Options, report: Report) -> None:
    employees, report.failed = read_employees(path, mapping)
    memory = Memory(path.with_name("hr_sync.json"), key)
    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=Console(stderr=True)) as progress:
        task = progress.add_task("Reading", total=None, note="")

        def step(what: str, done: int) -> None:
            progress.update(task, description=what, completed=done, note="")

        def tell_pause(seconds: float, reason: str) -> None:
            progress.update(task, note=f"going on in {seconds:.0f} s: {reason}")

        with Trilha(url, api_key=key, max_retries=11, max_wait=3600, on_wait=tell_pause) as api:
            try:
                Sync(api, memory, report, options, step).run(employees)
            finally:
                memory.save()


def main() -> int:
    parser = argparse.ArgumentParser(description="Keeps Trilha in step with an HR export.")
    parser.add_argument("path", type=Path, help="the CSV file of employees")
    parser.add_argument("--url", default=os.environ.get("TRILHA_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--key", default=os.environ.get("TRILHA_API_KEY"), help="better in TRILHA_API_KEY")
    parser.add_argument("--course", action="append", default=[], metavar="SLUG", help="may be repeated")
    parser.add_argument("--mapping", type=Path, help="what this export calls things (TOML)")
    parser.add_argument("--leavers", choices=("report", "suspend"), default="report")
    parser.add_argument("--rehires", choices=("report", "reactivate"), default="reactivate")
    parser.add_argument("--wrong-enrollments", choices=("ignore", "report", "cancel"), default="ignore")
    parser.add_argument("--batch", type=int, default=BATCH, help="people and enrollments in one call")
    given = parser.parse_args()
    if not given.key:
        parser.error("an API key is needed: set TRILHA_API_KEY")
    options = Options(given.course, given.leavers, given.rehires, given.wrong_enrollments, given.batch)
    report = Report()
    try:
        sync(given.path, read_mapping(given.mapping), given.url, given.key, options, report)
    except (TrilhaError, OSError, ValueError, LookupError) as stop:
        print(f"{report}\n\n{stop}")
        return 2
    except KeyboardInterrupt:
        return 130
    print(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
