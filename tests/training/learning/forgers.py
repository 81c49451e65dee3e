"""Clients that use the player's protocol without a browser: with a session, an address, or the token of a
launch.
"""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx2

from conftest import World
from training.learning.learners import Learner
from trilha.people.users.schema import User
from trilha.training.learning.completion import overviews
from trilha.training.learning.completion.schema import Criterion
from trilha.training.learning.evidence.queries import find_head
from web.panel.signing_in import browser_of


class Script:
    """A launch, used with only its token."""

    def __init__(self, world: World, address: str) -> None:
        parts = urlsplit(address)
        self.http = world.client()
        self.http.headers["host"] = parts.netloc
        self.path = parts.path
        self.sequence = 0

    async def send(self, kind: str, body: object) -> httpx2.Response:
        return await self.http.post(self.path + kind, json=body)

    def numbered(self, body: dict[str, Any], *, final: bool = False, **launch: Any) -> dict[str, Any]:
        self.sequence += 1
        return body | {"launch": {"sequence": self.sequence, "final": final, "sent_at": 0} | launch}

    async def tell(self, kind: str, **body: Any) -> dict[str, Any]:
        answer: dict[str, Any] = (await self.send(kind, self.numbered(body))).json()
        return answer

    async def passed(self, score: float = 100, **cmi: Any) -> dict[str, Any]:
        """Passes like `LMSSetValue` in a console, followed by `LMSFinish`."""
        core = {"lesson_status": "passed", "score": {"raw": str(score)}, "session_time": "9999:00:00"}
        return await self.tell("commit", cmi={"core": core} | cmi)

    async def beat(self, **body: Any) -> dict[str, Any]:
        answer: dict[str, Any] = (await self.send("heartbeat", {"visible": True} | body)).json()
        return answer


class Forger:
    """A script with the session of an enrolled person."""

    def __init__(self, learner: Learner, session: httpx2.AsyncClient) -> None:
        self.learner = learner
        self.world = learner.world
        self.session = session

    async def page(self, module: int = 0) -> httpx2.Response:
        id = self.learner.modules[module]
        return await self.session.get(f"/learn/enrollments/{self.learner.id}/modules/{id}")

    async def try_open(self, module: int = 0) -> Script | None:
        """Opens a module. Returns None if no launch is allowed."""
        id = self.learner.modules[module]
        path = f"/learn/enrollments/{self.learner.id}/modules/{id}/launches"
        answer = await self.session.post(path)
        return Script(self.world, answer.json()["address"]) if answer.status_code == 200 else None

    async def open(self, module: int = 0) -> Script:
        script = await self.try_open(module)
        assert script is not None
        return script

    async def unmet(self) -> list[Criterion]:
        course = (await self.learner.read())["course_id"]
        async with self.world.tx() as tx:
            overview = await overviews.get_overview(tx, self.learner.id, course)
        return [criterion for criterion in overview.criteria if not criterion.is_met]

    async def seconds(self) -> float:
        async with self.world.tx() as tx:
            head = await find_head(tx, self.learner.id)
        return head.credited_seconds if head else 0.0

    async def missing(self) -> list[str]:
        return [criterion.kind for criterion in await self.unmet()]

    async def status(self) -> str:
        return str((await self.learner.read())["status"])


async def forger(learner: Learner, user: User) -> Forger:
    return Forger(learner, await browser_of(learner.world, user))


async def sit(world: World, seconds: int, *scripts: Script) -> list[bool]:
    """Sends heartbeats of all launches every 30 seconds. Returns for each whether the course was
    completed.
    """
    done = []
    for _ in range(seconds // 30):
        world.clock.move(seconds=30)
        answers = await asyncio.gather(*(each.beat() for each in scripts))
        done.append(any(each["completed"] for each in answers))
    return done
