"""Kills the worker and the database at any point while reminders become due. Each reminder arrives once by
each channel, and nobody gets one who must not.
"""

import asyncio
import contextlib
import os
import random
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import psutil
import pytest

from mail_receiver import MailReceiver, receiving_mail
from receiver import Receiver, receiving
from running import Running, running, wait_until
from training.reminders.test_channels import Browser

COURSE = "title: {0}\nslug: {0}\nmodules:\n  - {{title: A, duration_minutes: 5}}\n"
SCOPES = "users:read,users:write,enrollments:bulk,requirements:read,requirements:write"
PEOPLE = int(os.environ.get("CHAOS_PEOPLE", "2000"))
Reminder = tuple[str, str]  # the kind and the enrollment


@pytest.mark.parametrize(
    ("people", "courses", "kills"),
    [(30, 3, 3), pytest.param(PEOPLE, 10, 100, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
    ids=["short", "long"],
)
def test_each_reminder_arrives_once(tmp_path: Path, people: int, courses: int, kills: int) -> None:
    asyncio.run(_check(tmp_path, people, courses, kills))


async def _check(folder: Path, people: int, courses: int, kills: int) -> None:
    async with receiving_mail() as mail, receiving(201) as push:
        url = f"smtp://127.0.0.1:{mail.port}?from=learn@example.com"
        # A lease takes three times as long.
        variables = {"TRILHA_SMTP_URL": url, "TRILHA_SMTP_TIMEOUT": "1", "TRILHA_NET_ALLOW": "127.0.0.0/8"}
        with running(folder, **variables) as trilha:
            company = await asyncio.to_thread(Company, trilha, folder, people, courses, push.url)
            await asyncio.to_thread(company.begin)
            await asyncio.to_thread(_kill_often, trilha, kills)
            await asyncio.to_thread(wait_until, company.is_done, 600)
            await asyncio.to_thread(company.compare, mail, push)


class Company:
    """A tenant with people who must take every course. Every tenth has a browser for push messages; some are
    suspended, and some have done the courses elsewhere.
    """

    def __init__(self, trilha: Running, folder: Path, people: int, courses: int, push_url: str) -> None:
        self.trilha = trilha
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", SCOPES)
        self.http = httpx2.Client(
            base_url=trilha.url, headers={"authorization": f"Bearer {made['key']}"}, timeout=60
        )
        self.courses = []
        for number in range(courses):
            (folder / "course.yaml").write_text(COURSE.format(f"curso-{number}"))
            file = str(folder / "course.yaml")
            course = trilha.command("course", "create", "--tenant", "acme", "--file", file, "--publish")
            self.courses.append(course["id"])
        self.people = self._add_people(people)
        self.suspended = self.people[: people // 20 + 1]
        self.finished = self.people[people // 20 + 1 : people // 10 + 2]
        self.asked = [each for each in self.people if each not in {*self.suspended, *self.finished}]
        for person in self.suspended:
            self.call("POST", f"users/{person}/suspend")
        completions = [
            {
                "user_id": person,
                "course_id": course,
                "completed_at": "2026-01-02T12:00:00Z",
                "source": "Antigo",
            }
            for person in self.finished
            for course in self.courses
        ]
        for at in range(0, len(completions), 1000):
            self.call("POST", "enrollments/import", json={"completions": completions[at : at + 1000]})
        self.browsers: dict[str, Browser] = {}
        for person in self.people[::10]:
            browser = self.browsers[person] = Browser()
            body = {"endpoint": f"{push_url}/{person}", "keys": browser.keys}
            self.call("POST", f"users/{person}/push-subscriptions", json=body)

    def _add_people(self, count: int) -> list[str]:
        for at in range(0, count, 1000):
            numbers = range(at, min(count, at + 1000))
            users = [{"email": f"p{number}@example.com", "name": "Ana"} for number in numbers]
            self.call("PUT", "users/bulk", json={"users": users})
        rows = self.ask("SELECT array_agg(id::text ORDER BY id) FROM users")
        return list(rows)

    def call(self, method: str, path: str, **options: Any) -> Any:
        answer = self.http.request(method, f"/v1/{path}", **options)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def ask(self, sql: str) -> Any:
        async def ask() -> Any:
            connection = await asyncpg.connect(self.trilha.database_url())
            try:
                return await connection.fetchval(sql)
            finally:
                await connection.close()

        return asyncio.run(ask())

    def begin(self) -> None:
        """Requires every course of everybody."""
        for course in self.courses:
            body = {"title": "R", "rule": {"all": []}, "course_id": course, "due_days": 90}
            self.call("POST", "requirements", json=body)

    def is_done(self) -> bool:
        """Tells whether everything was made and sent."""
        waiting = """
            SELECT (SELECT count(*) FROM requirement_checks) + (SELECT count(*) FROM requirement_sweeps)
                + (SELECT count(*) FROM reminder_schedules WHERE next_at <= now())
                + (SELECT count(*) FROM reminder_deliveries WHERE status = 'PENDING')
                + (SELECT count(*) FROM mail_messages WHERE status = 'PENDING')"""
        try:
            return bool(self.ask(waiting) == 0)
        except (OSError, asyncpg.PostgresError):
            return False

    def compare(self, mail: MailReceiver, push: Receiver) -> None:
        expected = len(self.asked) * len(self.courses)
        ids: defaultdict[Reminder, set[str]] = defaultdict(set)
        recipients = set()
        reminders = [message for message in mail.mails if "X-Trilha-Reminder" in message]
        for message in reminders:
            recipients.add(message["To"].addresses[0].addr_spec)
            for line in message.get_all("X-Trilha-Reminder"):
                kind, enrollment = line.split()
                ids[kind, enrollment].add(message["Message-ID"])
        doubled = sum(len(each) > 1 for each in ids.values())
        messages = {message["Message-ID"] for message in reminders}
        by_push = self._open(push)
        print(
            f"{expected} reminders expected; by mail {len(ids)}, {doubled} of them in two messages; "
            f"{len(reminders)} arrivals of {len(messages)} messages; by push {len(by_push)}",
            flush=True,
        )
        assert (len(ids), doubled) == (expected, 0)
        assert len(recipients) == len(self.asked)
        with_browser = [each for each in self.asked if each in self.browsers]
        assert len(by_push) == len(with_browser) * len(self.courses)
        assert set(by_push.values()) <= {1}
        events = self.ask(
            "SELECT count(*) FROM events WHERE type = 'reminder.sent' AND data ->> 'channel' = 'mail'"
        )
        assert events == expected

    def _open(self, push: Receiver) -> Counter[Reminder]:
        """Counts the push messages by reminder. The same id counts once."""
        arrived = set()
        for call in push.calls:
            person = call.line.split()[1].rpartition("/")[2]
            note = self.browsers[person].open(call.body)
            arrived.add((note["id"], note["kind"], note["enrollment_id"]))
        return Counter((kind, enrollment) for _, kind, enrollment in arrived)


def _kill_often(trilha: Running, kills: int) -> None:
    """Kills the worker, and every third time the database."""
    chance = random.Random(7)
    for number in range(1, kills + 1):
        # A process that ends again and again within seconds of its start is taken for broken.
        time.sleep(6 if number % 10 == 0 else chance.uniform(0, 1))
        wait_until(lambda: trilha.children("work"), 60)
        victims = trilha.children("work")
        if number % 3 == 0:
            with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess, IndexError):
                victims = [trilha.postmaster()]
        for each in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        print(f"{number} of {kills} killed", flush=True)
