"""Runs schemathesis against a running server for each of its descriptions: every check and every phase, with
the demo tenant's ids.
"""

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fuzz.surfaces import SURFACES, Surface, takes_something
from running import Running, running, with_demo
from trilha.core.credentials import Scope

EXAMPLES = 500
each_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.description)
# No answer of /oauth leads to another call.
each_linked_surface = pytest.mark.parametrize(
    "surface",
    [each for each in SURFACES if each.description != "/oauth/openapi.json"],
    ids=lambda surface: surface.description,
)
SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("fuzz")
    with_demo(folder)
    with running(
        folder,
        "--demo",
        TRILHA_LOG_FORMAT="json",
        TRILHA_LIMIT_TOKEN="1000000/1m",
        TRILHA_LIMIT_LOGIN="1000000/1m",
        TRILHA_LIMIT_SCIM="1000000/1m",
        TRILHA_WEBHOOK_ENDPOINTS="10000",
    ) as each:
        for number in range(4):
            # Adds courses to the demo, which require no complete profile.
            course = each.folder / "course.yaml"
            course.write_text(
                f"title: Curso {number}\nslug: curso-{number}\n"
                "modules:\n  - {title: Um, duration_minutes: 10}\n"
            )
            each.command("course", "create", "--tenant", "demo", "--file", str(course), "--publish")
            each.command("unit", "create", "--tenant", "demo", "--name", f"Unidade {number}")
        yield each
        # The worker still looks up the generated host names, but no test waits for that.
        each.stop(signal.SIGKILL)


SPAN = {"since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"}


def subscribe(http: httpx2.Client) -> Iterator[tuple[str, str, str]]:
    """Creates endpoints, each with a delivery and a replay. There are many, because calls also
    delete them.
    """
    for number in range(40):
        new = {"url": f"https://hooks.example.com/{number}", "events": ["user.created"]}
        webhook = http.post("/v1/webhooks", json=new).json()["data"]["id"]
        delivery = http.post(f"/v1/webhooks/{webhook}/test").json()["data"]["id"]
        yield webhook, delivery, http.post(f"/v1/webhooks/{webhook}/replay", json=SPAN).json()["data"]["id"]


def meet(http: httpx2.Client, users: list[str]) -> Iterator[tuple[str, str, str, str, str]]:
    """Creates classes with a session that runs now and a person. There are many, because calls also cancel
    them.
    """
    course = http.get("/v1/courses?slug=curso-0").json()["data"][0]["id"]
    module = {"title": "Prática", "type": "CLASS"}
    module_id = http.post(f"/v1/courses/{course}/modules", json=module).json()["data"]["id"]
    now = datetime.now(UTC)
    span = {
        "starts_at": (now - timedelta(hours=1)).isoformat(),
        "ends_at": (now + timedelta(days=2)).isoformat(),
    }
    new = {"course_id": course, "module_id": module_id, "maximum_people": 5, "sessions": [span]}
    for number in range(40):
        made = http.post("/v1/classes", json=new | {"title": f"Turma {number}"}).json()["data"]
        path = f"/v1/classes/{made['id']}/registrations"
        registered = http.post(path, json={"user_id": users[number % len(users)]}).json()
        yield course, module_id, made["id"], made["sessions"][0]["id"], registered["data"]["id"]


def qualify(http: httpx2.Client, user_id: str) -> str:
    """Adds a qualification. There are many, because calls also delete them."""
    new = {"user_id": user_id, "title": "NR-35", "issuing_body": "CREA-SP", "valid_from": "2026-01-01"}
    id: str = http.post("/v1/qualifications", json=new).json()["data"]["id"]
    return id


def ids_of_the_demo(server: Running, key: str) -> dict[str, list[str]]:
    """Returns existing ids by the parameter or member that they are used in."""
    units = [each["id"] for each in server.command("unit", "list", "--tenant", "demo")]
    with httpx2.Client(base_url=server.url, headers={"authorization": f"Bearer {key}"}) as http:
        ids = {
            f"{noun}_id": [row["id"] for row in http.get(f"/v1/{noun}s?limit=100").json()["data"]]
            for noun in ("user", "course", "enrollment")
        }
        webhooks, deliveries, replays = zip(*subscribe(http), strict=True)
        people = http.get("/v1/users?status=ACTIVE&limit=100").json()["data"]
        courses, modules, classes, sessions, registrations = zip(
            *meet(http, [each["id"] for each in people]), strict=True
        )
        qualifications = [qualify(http, people[number % len(people)]["id"]) for number in range(30)]
        assessments = [row["id"] for row in http.get("/v1/practice-assessments").json()["data"]]
        export = http.post("/v1/analytics/exports", json={"type": "csv"}).json()["data"]["id"]
    ids |= {"webhook_id": list(webhooks), "delivery_id": list(deliveries), "replay_id": list(replays)}
    ids |= {"class_course_id": [courses[0]], "class_module_id": [modules[0]], "class_id": list(classes)}
    ids |= {"class_session_id": list(sessions), "registration_id": list(registrations)}
    ids |= {"qualification_id": qualifications, "practice_assessment_id": assessments}
    return ids | {"business_unit_id": units, "export_id": [export]}


def fuzz(server: Running, surface: Surface, folder: Path, *options: str) -> Counter[str]:
    """Runs schemathesis. Returns the number of calls of each operation. Fails on any failure,
    error or 5xx.
    """
    before = asked(server, surface)
    key = json.loads((server.folder / "data" / "demo.json").read_text())["key"]
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": str(surface.hooks),
        "TRILHA_FUZZ_URL": server.url,
        "TRILHA_FUZZ_KEY": key,
        "TRILHA_FUZZ_BASIC": basic(server),
        "TRILHA_FUZZ_SCIM": server.command("scim", "token", "create", "--tenant", "demo")["token"],
        "TRILHA_FUZZ_IDS": json.dumps(ids_of_the_demo(server, key)),
    }
    command = [SCHEMATHESIS, "--config-file", surface.config, "--no-color", "run", *options]
    done = subprocess.run(
        [*command, server.url + surface.description],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout[-20_000:], done.stderr[-5_000:])
    assert done.returncode == 0
    assert [noted for noted in requests(server) if noted["status"] >= 500] == []
    return asked(server, surface) - before


def basic(server: Running) -> str:
    """Returns the credentials of a new client of the demo tenant for HTTP Basic."""
    client = server.command(
        "oauth-client", "create", "--tenant", "demo", "--name", "Fuzz", "--scopes", ",".join(Scope)
    )
    return b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()


def requests(server: Running) -> Iterator[dict[str, Any]]:
    """Returns the server's log lines of its requests."""
    for line in server.log.read_text().splitlines():
        if line.startswith("{") and "status" in (noted := json.loads(line)):
            yield noted


def asked(server: Running, surface: Surface) -> Counter[str]:
    """Returns the number of calls of each operation since the server started."""
    names = {name for name, _ in surface.operations(server.url)}
    return Counter(noted["message"] for noted in requests(server) if noted["message"] in names)


@pytest.mark.timeout(400)
@each_surface
def test_holds_its_description(server: Running, surface: Surface, tmp_path: Path) -> None:
    """The short form has a fixed seed, the examples of the description, and one more example of each
    operation.
    """
    phases = ("--phases", "examples,fuzzing")
    often = fuzz(server, surface, tmp_path, "--max-examples", "1", "--seed", "2026", *phases)
    assert often.keys() == {name for name, _ in surface.operations(server.url)}


@pytest.mark.long
@pytest.mark.timeout(3600)
@each_surface
def test_holds_its_description_at_length(server: Running, surface: Surface, tmp_path: Path) -> None:
    """Every phase, and at least 500 examples of every operation."""
    # Repeated examples are not sent again.
    often = fuzz(server, surface, tmp_path, "--max-examples", str(EXAMPLES * 6 // 5))
    takers = [name for name, operation in surface.operations(server.url) if takes_something(operation)]
    assert min(often[name] for name in takers) >= EXAMPLES


@pytest.mark.long
@pytest.mark.timeout(600)
@each_linked_surface
def test_holds_its_description_over_chains_of_calls(
    server: Running, surface: Surface, tmp_path: Path
) -> None:
    """If a chain's answers differ when it is repeated, the stateful phase ends. It is restarted until the
    time is over.
    """
    options = ("--phases", "stateful", "--max-examples", str(EXAMPLES), "--max-time", "150")
    fuzz(server, surface, tmp_path, *options)
