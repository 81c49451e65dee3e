"""trilha class: classes, sessions, registrations and attendance."""

import asyncio
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from cli.test_certificate_commands import printed
from conftest import World
from training.classes.classes import Classes, offer
from trilha.cli import main


async def invoke(world: World, folder: Path, command: str, *arguments: str) -> Result:
    environment = {
        "TRILHA_DATABASE_URL": world.url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(folder),
    }
    words = ["class", *command.split(), "--tenant", world.tenant.slug, *arguments]
    return await asyncio.to_thread(lambda: CliRunner().invoke(main, words, env=environment))


async def run(world: World, folder: Path, command: str, *arguments: str) -> Any:
    """Runs a command and returns its JSON."""
    return printed(await invoke(world, folder, command, *arguments, "--json"))


async def fail(world: World, folder: Path, command: str, *arguments: str) -> str:
    result = await invoke(world, folder, command, *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
    return result.stderr


def write(folder: Path, name: str, value: Any) -> str:
    path = folder / name
    path.write_text(json.dumps(value))
    return str(path)


async def create(classes: Classes, folder: Path, **members: Any) -> Any:
    file = {
        "course_id": str(classes.course_id),
        "module_id": str(classes.class_module),
        "title": "Turma 1",
        "maximum_people": 1,
        "sessions": [classes.session(-2, 1, room="Sala 1")],
    }
    return await run(classes.world, folder, "create", "--file", write(folder, "class.json", file | members))


async def test_a_class_from_its_file_to_its_attendance(world: World, tmp_path: Path) -> None:
    classes = await offer(world)
    made = await create(classes, tmp_path)
    assert made.pop("warnings") == []
    id, session = made["id"], made["sessions"][0]["id"]
    assert await run(world, tmp_path, "show", id) == made
    assert await run(world, tmp_path, "list", "--status", "ended") == [made]
    assert await run(world, tmp_path, "list", "--status", "cancelled") == []
    shown = await invoke(world, tmp_path, "show", id)
    assert "Turma 1" in shown.stdout
    assert "Sala 1" in shown.stdout
    ana, bia = [await world.user() for _ in range(2)]
    first = await run(world, tmp_path, "register", id, "--email", ana["email"].upper())
    assert (first["status"], first["warnings"]) == ("REGISTERED", [])
    second = await run(world, tmp_path, "register", id, "--email", bia["email"])
    assert (second["status"], second["position"]) == ("WAITLISTED", 1)
    waiting = await run(world, tmp_path, "registrations", id, "--status", "waitlisted")
    assert [each["user_id"] for each in waiting] == [bia["id"]]
    sheet = write(tmp_path, "sheet.json", {"entries": [{"email": ana["email"], "minutes": 60}]})
    (recorded,) = await run(world, tmp_path, "attendance record", session, "--file", sheet)
    assert (recorded["minutes"], recorded["method"]) == (60, "LIST")
    other = write(tmp_path, "other.json", [{"user_id": ana["id"], "minutes": 50}])
    assert "reason" in await fail(world, tmp_path, "attendance record", session, "--file", other)
    assert await run(world, tmp_path, "attendance list", session) == [recorded]
    cancelled = await run(world, tmp_path, "unregister", id, "--email", ana["email"], "--reason", "Férias")
    assert cancelled["status"] == "CANCELLED"
    assert "not registered" in await fail(world, tmp_path, "unregister", id, "--email", ana["email"])
    assert "no user" in await fail(world, tmp_path, "register", id, "--email", "nobody@example.com")


async def test_sessions(world: World, tmp_path: Path) -> None:
    classes = await offer(world)
    made = await create(classes, tmp_path)
    teacher = await world.user()
    times = ["--starts", "2031-03-09T09:00:00-03:00", "--ends", "2031-03-09T10:00:00-03:00"]
    details = ["--room", "Sala 3", "--link", "https://meet.example.com/x", "--instructor", teacher["email"]]
    zone = ["--time-zone", "Europe/Lisbon"]
    added = await run(world, tmp_path, "session add", made["id"], *times, *details, *zone)
    assert added["starts_at"] == "2031-03-09T12:00:00.000Z"
    assert added["instructor_ids"] == [teacher["id"]]
    assert (added["room"], added["time_zone"]) == ("Sala 3", "Europe/Lisbon")
    again = await run(world, tmp_path, "session add", made["id"], *times, "--room", "sala 3")
    assert again["warnings"] == [{"code": "room_overlap", "session_id": added["id"]}]
    options = ["--ends", "2031-03-09T11:00:00-03:00", "--clear", "room"]
    changed = await run(world, tmp_path, "session change", added["id"], *options)
    assert (changed["ends_at"], changed["room"]) == ("2031-03-09T14:00:00.000Z", None)
    assert changed["meeting_url"] == "https://meet.example.com/x"
    ended = await run(world, tmp_path, "session cancel", added["id"], "--reason", "Chuva")
    assert (ended["status"], ended["cancel_reason"]) == ("CANCELLED", "Chuva")
    assert "cancelled" in await fail(world, tmp_path, "session change", added["id"], "--room", "X")
    assert "starts_at" in await fail(
        world, tmp_path, "session add", made["id"], "--starts", "9 am", "--ends", "10 am"
    )
    cancelled = await run(world, tmp_path, "cancel", made["id"], "--reason", "Greve")
    assert cancelled["status"] == "CANCELLED"


async def test_a_file_names_the_course_by_its_slug(world: World, tmp_path: Path) -> None:
    classes = await offer(world, slug="altura")
    file = {"course": "altura", "title": "T", "maximum_people": 2, "sessions": [classes.session()]}
    made = await run(world, tmp_path, "create", "--file", write(tmp_path, "class.json", file))
    assert (made["course_id"], made["module_id"]) == (str(classes.course_id), str(classes.class_module))
    await world.course(slug="online")
    file["course"] = "online"
    assert "module_id" in await fail(world, tmp_path, "create", "--file", write(tmp_path, "class.json", file))
    assert "no such class" in await fail(world, tmp_path, "show", made["course_id"])
