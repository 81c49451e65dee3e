"""A complete Trilha in its own processes, people who learn there, and kills while they do."""

import contextlib
import json
import re
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2
import psutil
from msgspec import Struct
from playwright.async_api import BrowserContext, Page, expect

from browser.flows import Visit
from browser.test_playing_scorm import content
from running import Running, wait_until
from web.panel.signing_in import PASSWORD

# Four times a second, which is less than the limit of a launch.
COUNTS = """
let number = Number(api[get](elements.location));
setInterval(() => {
  number += 1;
  setAll([[elements.location, String(number)]]);
  acts.commit();
  top.postMessage({ counted: number }, "*");
}, 250);
"""
# Each number with the state that was shown after its commit. Messages of the player and of the content keep
# their order.
_WATCHES = """
window.counted = [];
addEventListener("message", ({ data }) => {
  if (data?.counted) counted.push([data.counted, document.getElementById("saved").dataset.state]);
});
"""


class Learner(Struct):
    trilha: Running
    email: str
    id: str
    path: str

    async def applied(self) -> list[int]:
        """Returns the committed numbers, in the order in which they were applied."""
        rows = await self._rows("SELECT detail AS found FROM learning_log WHERE enrollment_id = $1", "number")
        details = [json.loads(each) for each in rows]
        return [int(each["said"]["lesson_location"]) for each in details if each.get("outcome") == "APPLIED"]

    async def kept(self) -> str:
        """Returns the last state that the content set."""
        (last,) = await self._rows("SELECT cmi AS found FROM attempts WHERE enrollment_id = $1", "number")
        found: str = json.loads(last).get("suspend_data", "")
        return found

    async def watched(self) -> float:
        """Returns the watched seconds of a video."""
        (studied,) = await self._rows(
            "SELECT studied AS found FROM attempts WHERE enrollment_id = $1", "number"
        )
        return sum(end - start for start, end in json.loads(studied)["ranges"])

    async def _rows(self, statement: str, order: str) -> list[Any]:
        connection = await asyncpg.connect(self.trilha.database_url())
        try:
            return [row["found"] for row in await connection.fetch(f"{statement} ORDER BY {order}", self.id)]
        finally:
            await connection.close()


class School(Struct):
    """One course per kind of content, by name: the ids of the course and its module."""

    trilha: Running
    key: str
    courses: dict[str, tuple[str, str]]

    async def learner(self, course: str) -> Learner:
        """Creates a new, enrolled learner."""
        course_id, module_id = self.courses[course]
        email = f"{uuid4().hex}@example.com"
        user = await self._post("users", {"email": email, "name": "Ana Lima", "password": PASSWORD})
        enrollment = await self._post("enrollments", {"user_id": user, "course_id": course_id})
        return Learner(self.trilha, email, enrollment, f"/learn/enrollments/{enrollment}/modules/{module_id}")

    async def _post(self, kind: str, body: dict[str, str]) -> str:
        async with httpx2.AsyncClient(base_url=self.trilha.url) as http:
            answer = await http.post(
                f"/v1/{kind}", json=body, headers={"authorization": f"Bearer {self.key}"}
            )
        assert answer.status_code == 201, answer.text
        id: str = answer.json()["data"]["id"]
        return id


async def signed_in(learner: Learner, context: BrowserContext) -> Visit:
    visit = await tab(learner, context)
    await visit.go("/login?tenant=acme")
    await visit.send(email=learner.email, password=PASSWORD)
    await expect(visit.page).not_to_have_url(re.compile("login"))
    return visit


async def tab(learner: Learner, context: BrowserContext) -> Visit:
    page = await context.new_page()
    await page.add_init_script(_WATCHES)
    return Visit(page, learner.trilha.url)


async def opened(learner: Learner, context: BrowserContext) -> Visit:
    visit = await signed_in(learner, context)
    await visit.go(learner.path)
    return visit


async def shown_as_saved(page: Page, more: int = 0) -> list[int]:
    """Waits for this many more numbers, and returns all numbers that were shown as saved."""
    saved = "counted.filter(([, state]) => state === 'saved')"
    before = await page.evaluate(f"{saved}.length")
    await page.wait_for_function(f"() => {saved}.length >= {before + more}", timeout=60_000)
    found: list[int] = await page.evaluate(f"{saved}.map(([number]) => number)")
    return found


async def goes_on_from(visit: Visit) -> int:
    """Returns the number that the content gets when it is opened."""
    said = content(visit).locator("#said")
    await expect(said).to_have_text(re.compile(r"\|\d+$"))
    return int((await said.inner_text()).partition("|")[2])


async def launched_at(visit: Visit, learner: Learner) -> str:
    """Creates a launch without running its content. Returns the content's address."""
    answer = await visit.page.request.post(
        f"{visit.address}{learner.path}/launches", headers={"sec-fetch-site": "same-origin"}
    )
    assert answer.status == 200
    address: str = (await answer.json())["address"]
    return address.partition("?")[0]


async def leave_without_a_connection(page: Page) -> None:
    """Closes the page without a connection. `set_offline` does not stop what a closing page sends, so its
    requests are blocked here.
    """
    for frame in page.frames:
        await frame.evaluate("() => { window.fetch = async () => { throw new TypeError('no network'); }; }")
    await page.close()


def restart(trilha: Running) -> None:
    trilha.stop()
    trilha.start_again()


def kill_all(trilha: Running) -> None:
    family = [*psutil.Process(trilha.process.pid).children(recursive=True), trilha.postmaster()]
    trilha.stop(signal.SIGKILL)
    kill(family)
    trilha.start_again()


def kill_serving(trilha: Running) -> None:
    kill(trilha.children("serve"))
    wait_until(trilha.is_ready)


def kill_database(trilha: Running) -> None:
    kill([trilha.postmaster()])
    wait_until(trilha.is_ready)


def kill(victims: list[psutil.Process]) -> None:
    assert victims
    for each in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(victims, timeout=20)


def kill_browser(profile: Path) -> None:
    option = f"--user-data-dir={profile}"
    found = [each for each in psutil.process_iter(["cmdline"]) if option in (each.info["cmdline"] or ())]
    kill([*found, *(child for each in found for child in each.children(recursive=True))])


def is_on_disk(profile: Path, text: bytes) -> bool:
    return any(text in each.read_bytes() for each in profile.glob("**/Local Storage/leveldb/*.log"))
