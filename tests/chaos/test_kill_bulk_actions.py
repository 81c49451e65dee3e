"""Kills the worker in the middle of bulk actions of many rows. Each row is done exactly once, and undoing
restores exactly what was there, except for a row that somebody else has changed meanwhile.
"""

import asyncio
import contextlib
import html
import json
import os
import re
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import psutil
import pytest

from running import Running, running, wait_until

COURSE = "title: Curso\nslug: curso\nmodules:\n  - {title: A, duration_minutes: 5}\n"
SCOPES = "users:write,enrollments:bulk,enrollments:write"
PASSWORD = "um cavalo correto"
LONG = int(os.environ.get("CHAOS_ROWS", "5000"))
SIZES = [pytest.param(600, 1), pytest.param(LONG, 5, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
DUE = """
    SELECT jsonb_object_agg(id, to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
    FROM enrollments"""


class Site:
    """A company with an enrollment for each person, and the browser of its administrator."""

    def __init__(self, trilha: Running, folder: Path, people: int) -> None:
        self.trilha = trilha
        trilha.command("tenant", "create", "--slug", "acme", "--name", "Acme")
        made = trilha.command("api-key", "create", "--tenant", "acme", "--name", "k", "--scopes", SCOPES)
        self.api = httpx2.Client(
            base_url=f"{trilha.url}/v1", headers={"authorization": f"Bearer {made['key']}"}, timeout=60
        )
        (folder / "course.yaml").write_text(COURSE)
        file = str(folder / "course.yaml")
        course = trilha.command("course", "create", "--tenant", "acme", "--file", file, "--publish")["id"]
        for start in range(0, people, 1000):
            numbers = range(start, min(people, start + 1000))
            users = [{"email": f"p{number}@example.com", "name": "Ana"} for number in numbers]
            ids = self.api.put("/users/bulk", json={"users": users}).json()["data"]["user_ids"]
            for first in range(0, len(ids), 200):
                pairs = [
                    {"user_id": id, "course_id": course, "expires_at": "2099-03-01T02:59:59Z"}
                    for id in ids[first : first + 200]
                ]
                answer = self.api.post("/enrollments/bulk", json={"enrollments": pairs})
                assert answer.status_code < 300, answer.text
        self.admin = self._sign_in()

    def _sign_in(self) -> httpx2.Client:
        email = "admin@example.com"
        options = ("--email", email, "--name", "Rita")
        made = self.trilha.command("admin", "create", "--tenant", "acme", *options)
        client = httpx2.Client(
            base_url=self.trilha.url,
            headers={"sec-fetch-site": "same-origin"},
            cookies={"trilha_locale": "en"},
            timeout=60,
        )
        temporary = made["temporary_password"]
        login = {"tenant_slug": "acme", "email": email, "password": temporary}
        assert client.post("/login", data=login).status_code == 303
        form = {"current_password": temporary, "new_password": PASSWORD}
        form["csrf_token"] = _find_token(client.get("/login/password").text)
        assert client.post("/login/password", data=form).status_code == 303
        return client

    def send(self, path: str, **fields: Any) -> httpx2.Response:
        token = _find_token(self.admin.get("/admin/enrollments").text)
        answer = self.admin.post(path, data={"csrf_token": token, **fields})
        assert answer.status_code in (200, 303), answer.text
        return answer

    def begin(self, action: str, **options: str) -> str:
        """Confirms a bulk action of all enrollments, or of some. Returns its id."""
        selected = {"id": options.pop("id")} if "id" in options else {"all": "true"}
        page = self.send(f"/admin/enrollments/bulk/{action}", **selected).text
        form = page[page.index('id="form"') :].partition("</form>")[0]
        fields: dict[str, Any] = {
            name: html.unescape(value)
            for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
            if name != "csrf_token"
        }
        self.send(f"/admin/enrollments/bulk/{action}", **fields, **options)
        return str(self.ask("SELECT id FROM bulk_actions ORDER BY created_at DESC, id LIMIT 1"))

    def ask(self, sql: str) -> Any:
        async def ask() -> Any:
            connection = await asyncpg.connect(self.trilha.database_url())
            try:
                return await connection.fetchval(sql)
            finally:
                await connection.close()

        return asyncio.run(ask())

    def count(self, action_id: str, columns: str) -> int:
        return int(self.ask(f"SELECT {columns} FROM bulk_actions WHERE id = '{action_id}'"))

    def state(self, action_id: str) -> str:
        return str(self.ask(f"SELECT state FROM bulk_actions WHERE id = '{action_id}'"))

    def kill_in_the_middle(self, action_id: str, columns: str, rows: int, kills: int) -> None:
        """Kills the worker after some rows, several times."""
        for number in range(kills):
            least = number * rows // (kills + 1)
            wait_until(lambda least=least: self.count(action_id, columns) > least, 120)
            assert self.state(action_id) in ("RUNNING", "UNDOING"), "too quick to be killed"
            self.kill_worker()

    def kill_worker(self) -> None:
        wait_until(lambda: self.trilha.children("work"), 60)
        for each in self.trilha.children("work"):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()


def _find_token(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([0-9a-f]+)"', page)
    assert found, page
    return found[1]


@pytest.mark.parametrize(("rows", "kills"), SIZES, ids=["short", "long"])
def test_each_row_is_done_once_and_restored(tmp_path: Path, rows: int, kills: int) -> None:
    with running(tmp_path) as trilha:
        site = Site(trilha, tmp_path, rows)
        before = site.ask(DUE)
        action_id = site.begin("extend", days="15")
        assert site.state(action_id) == "RUNNING"  # by the worker, not in the request
        site.kill_in_the_middle(action_id, "done", rows, kills)
        page = site.admin.get(f"/admin/bulk-actions/{action_id}").text
        assert "Working" in page or "extended" in page
        wait_until(lambda: site.state(action_id) == "DONE", 300)
        assert site.count(action_id, "done") == rows
        assert (
            site.ask(
                """
            SELECT count(*) FROM (
                SELECT FROM events WHERE type = 'enrollment.updated'
                GROUP BY data ->> 'enrollment_id' HAVING count(*) = 1) AS once
            """
            )
            == rows
        )
        after = site.ask(DUE)
        assert set(_read(after).values()) == {"2099-03-16 02:59:59"}
        changed = next(iter(_read(after)))
        site.begin("set-due-date", id=changed, day="2099-12-31")
        site.send(f"/admin/bulk-actions/{action_id}/undo")
        site.kill_in_the_middle(action_id, "undone + kept", rows, kills)
        wait_until(lambda: site.state(action_id) == "UNDONE", 300)
        expected = _read(before) | {changed: "2100-01-01 02:59:59"}
        assert _read(site.ask(DUE)) == expected
        assert (site.count(action_id, "undone"), site.count(action_id, "kept")) == (rows - 1, 1)
        page = site.admin.get(f"/admin/bulk-actions/{action_id}").text
        assert "Changed since by somebody else" in page


@pytest.mark.parametrize(("rows", "kills"), SIZES[:1], ids=["short"])
def test_held_reminders_are_sent_once_or_not_at_all(tmp_path: Path, rows: int, kills: int) -> None:
    count = "SELECT count(*) FROM reminders WHERE kind = 'manual'"
    with running(tmp_path) as trilha:
        site = Site(trilha, tmp_path, rows)
        undone = site.begin("remind", text="Vamos?")
        assert site.state(undone) == "HELD"
        site.kill_worker()
        site.send(f"/admin/bulk-actions/{undone}/undo")
        site.ask("UPDATE bulk_actions SET held_until = now()")
        sent = site.begin("remind", text="Vamos?")
        site.kill_worker()
        assert (site.state(undone), site.state(sent), site.ask(count)) == ("UNDONE", "HELD", 0)
        site.ask(f"UPDATE bulk_actions SET held_until = now() WHERE id = '{sent}'")
        site.kill_in_the_middle(sent, "done", rows, kills)
        wait_until(lambda: site.state(sent) == "DONE", 300)
        assert (site.count(sent, "done"), site.ask(count)) == (rows, rows)
        assert site.ask("SELECT count(DISTINCT enrollment_id) FROM reminders WHERE kind = 'manual'") == rows
        assert site.state(undone) == "UNDONE"


def _read(text: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(text)
    return found
