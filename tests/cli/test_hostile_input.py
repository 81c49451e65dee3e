"""Whatever input a command gets, it ends with one of its own exit codes and without a traceback."""

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import click
import pytest
from click.testing import CliRunner, Result

from cli.test_commands import Command, printed, trilha
from conftest import World
from running import TRILHA
from trilha.cli import main

__all__ = ["trilha"]

DEEP = 100_000


def started(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in its own process, which may crash."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRILHA_")}
    return subprocess.run(
        [TRILHA, *arguments], env=environment | variables, capture_output=True, text=True, check=False
    )


@pytest.fixture
def slug(world: World) -> str:
    return world.tenant.slug


@pytest.fixture
def variables(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        "TRILHA_DATABASE_URL": database_url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path),
    }


@pytest.mark.parametrize("value", ["²d", "٣d", "d", "", "1", "1.5d", "-1d", "9999999d", "1²d"])
def test_a_lifetime_that_is_none_is_a_usage_error(trilha: Command, value: str) -> None:
    result = trilha(
        *("api-key", "create", "--tenant", "x", "--name", "x", "--scopes", "users:read"), "--expires", value
    )
    assert (result.exit_code, "give a number and d, h, m or s" in result.output) == (2, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("brackets", "[" * DEEP),
        ("closed", "[" * DEEP + "]" * DEEP),
        ("braces", '{"a":' * DEEP),
        ("flow", "{a: " * DEEP),
        ("indented", "\n".join("  " * n + "a:" for n in range(3000))),
        ("dashes", "- " * 5000),
        ("aliases", "a: &a [*a]"),
        ("date", "title: 2026-99-99"),
        ("number", "1" * 10_000),
        ("tag", "!!python/object/apply:os.system [true]"),
        ("binary", "!!binary é"),
        ("bytes", "\udcff\udcfe"),
        ("nul", "\0"),
        ("merge", "<<: 1"),
        ("keys", "? [a]\n: 1"),
        ("float", "!!float x"),
        ("directive", "%YAML 9.9\n---\na"),
        ("documents", "a\n---\nb"),
        ("surrogate", '{"title": "\\ud83d"}'),
    ],
)
@pytest.mark.parametrize(
    "command", ["course create --file", "oauth-client create --name x --scopes users:read --keys"]
)
def test_a_file_of_anything_is_one_sentence(
    trilha: Command, slug: str, tmp_path: Path, name: str, text: str, command: str
) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = trilha(*command.split(), str(file), "--tenant", slug)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("trilha: ")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1000


@pytest.mark.parametrize(
    "command", ["course create --file", "oauth-client create --name x --scopes users:read --keys"]
)
def test_depth_does_not_end_the_process(variables: dict[str, str], tmp_path: Path, command: str) -> None:
    file = tmp_path / "deep"
    file.write_text("[" * DEEP)
    done = started(*command.split(), str(file), "--tenant", "x", **variables)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    "command",
    [
        "course create --file",
        "course import --title x",
        "oauth-client create --name x --scopes users:read --keys",
        "import people --file",
        "certificate template --file",
        "certificate identity --file",
    ],
)
def test_an_empty_file_is_one_sentence(trilha: Command, slug: str, tmp_path: Path, command: str) -> None:
    file = tmp_path / "empty"
    file.touch()
    done = trilha(*command.split(), str(file), "--tenant", slug, input="\n")
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    assert done.stderr.startswith("trilha: ")
    assert done.stderr.count("\n") == 1


def test_json_is_read_as_json(trilha: Command, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "course.json"
    file.write_text(json.dumps({"title": "Escada \N{GRINNING FACE}", "slug": "t", "modules": []}))
    assert "\\ud83d\\ude00" in file.read_text()
    made = printed(trilha("course", "create", "--tenant", slug, "--file", str(file), "--json"))
    assert made["title"] == "Escada \N{GRINNING FACE}"


@pytest.mark.parametrize(
    "url",
    [
        "postgres",
        "mysql://user@host/name",
        "postgresql://host:port/name",
        "postgresql://[::1/name",
        "http://127.0.0.1:1/",
        "postgresql://127.0.0.1:1/none",
        "postgresql://127.0.0.1:99999/none",
        "postgresql://user@/none?host=/nowhere",
        "postgresql://127.0.0.1:1/none?sslmode=perhaps",
        "postgresql://127.0.0.1:1/none?sslrootcert=/nowhere&sslmode=verify-full",
        "postgresql://127.0.0.1:1/none?target_session_attrs=perhaps",
        "postgresql://a.b\udcff/none",
        "postgresql://%ff@127.0.0.1:1/%00",
    ],
)
def test_a_wrong_url_of_the_database_is_one_sentence(tmp_path: Path, url: str) -> None:
    settings = {"TRILHA_DATABASE_URL": url, "TRILHA_DATA_DIR": str(tmp_path)}
    done = CliRunner().invoke(main, ["tenant", "list"], env=settings)
    assert isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code == 1
    assert done.stderr.startswith("trilha: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["migrate", "serve", "work", "up"])
@pytest.mark.parametrize("url", ["postgres", "postgresql://127.0.0.1:1/none"])
def test_whatever_needs_the_database_says_so(tmp_path: Path, url: str, command: str) -> None:
    settings = {"TRILHA_DATABASE_URL": url, "TRILHA_DATA_DIR": str(tmp_path), "TRILHA_PORT": "1"}
    done = started(command, **settings)
    assert (done.returncode, done.stderr.startswith("trilha: "), done.stderr.count("\n")) == (1, True, 1)


def test_one_url_of_the_two_is_one_sentence(trilha: Command) -> None:
    done = started("migrate", TRILHA_DATABASE_APP_URL="postgresql://x@y/z")
    assert done.stderr.startswith("trilha: TRILHA_DATABASE_APP_URL and TRILHA_DATABASE_UNSCOPED_URL belong")


# Runs every command with every option, with slightly or very wrong values.

# These run until a signal arrives, like `webhooks listen`.
ENDLESS = {"serve", "work", "up", "listen"}
VALUES = (
    *("", " ", "-", "--", "-1", "0", "1", "²", "٣", "1e9", "9" * 40, "NaN", "inf", "0x1", "1d", "²d"),
    *("999999d", "%s", "{}", "$1"),
    *("a", "ação", "a" * 5000, "\udcff", "\u202e", "\ufeff", "😀", "\x1b[2J", "\n", "'", '"', "\\"),
    *("null", "true", "[]", "{}", "*", "users:read", "users:read,users:write", "users:fly", ","),
    "10.0.0.0/8",
    *("10.0.0.0/99", "::/0", "256.1.1.1", "fe80::1%eth0", "a@example.com", "@", "..", "../../etc/passwd"),
    *("/", "/dev/null", "/proc/self/mem", "/nowhere", "2026-99-99", str(uuid4()), "demo"),
    *("production", "homologation", "pt-BR", "en", "t" * 63, "acme"),
)


def commands(group: click.Group = main, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        each = group.get_command(context, name)
        if isinstance(each, click.Group):
            yield from commands(each, *path, name)
        elif each and name not in ENDLESS:
            yield (*path, name), each


def invocation(chance: random.Random, values: list[str]) -> list[str]:
    path, command = chance.choice(sorted(commands(), key=lambda each: each[0]))
    arguments = list(path)
    for each in command.params:
        if isinstance(each, click.Option) and not each.required and chance.random() < 0.4:
            continue
        if isinstance(each, click.Option):
            arguments.append(chance.choice(each.opts))
        if not getattr(each, "is_flag", False) and chance.random() < 0.98:
            arguments.append(chance.choice(values))
    if chance.random() < 0.05:
        arguments.append(chance.choice(values))
    return arguments


def try_many(trilha: Callable[..., Result], tmp_path: Path, slug: str, seed: int, count: int) -> None:
    chance = random.Random(seed)
    files: list[str] = []
    texts = ("", "{}", "[1]", "a: 1", "title: x\nslug: y\nmodules: []", "[" * 3000, '"\\ud83d"')
    for number, text in enumerate(texts):
        files.append(str(tmp_path / f"{number}.yaml"))
        Path(files[-1]).write_text(text)
    values = [*VALUES, *files, *[slug] * 40]
    codes = set()
    for _ in range(count):
        arguments = invocation(chance, values)
        # Other tests use this tenant, so the command must not close it.
        arguments = ["nobody" if each == "demo" else each for each in arguments]
        if arguments[0] == "demo":
            arguments[0] = "routes"
        if arguments[0] == "recount" and "--tenant" not in arguments:
            arguments += ["--tenant", slug]  # with the tenants of all other tests, it takes half a minute
        result = trilha(*arguments, input="n\n")
        assert isinstance(result.exception, SystemExit | None), (arguments, result.exc_info)
        assert result.exit_code in (0, 1, 2), (arguments, result.output)
        assert "Traceback" not in result.output, arguments
        if result.exit_code == 1 and "Aborted" not in result.output:
            assert result.stderr.startswith("trilha: "), (arguments, result.stderr)
            assert result.stderr.count("\n") == 1, (arguments, result.stderr)
        codes.add(result.exit_code)
    assert codes == {0, 1, 2}


def test_no_input_crashes_a_command(trilha: Command, tmp_path: Path, slug: str) -> None:
    try_many(trilha, tmp_path, slug, seed=random.randrange(10**9), count=50)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_no_input_of_many_crashes_a_command(trilha: Command, tmp_path: Path, slug: str) -> None:
    try_many(trilha, tmp_path, slug, seed=2026, count=2000)


@pytest.mark.parametrize("tables", [3, pytest.param(25, marks=pytest.mark.long)])
def test_no_setting_crashes_a_command(tables: int) -> None:
    """`settings` reads all settings and names the wrong one. A table takes ten times as long as JSON."""
    names = [row["name"] for row in printed(CliRunner().invoke(main, ["settings", "--json"]))]
    chance = random.Random(9)
    for name in names:
        for number, value in enumerate(chance.sample(VALUES, 25)):
            form = [] if number < tables else ["--json"]
            result = CliRunner().invoke(main, ["settings", *form], env={name: value})
            assert isinstance(result.exception, SystemExit | None), (name, value, result.exc_info)
            assert result.exit_code == 0 or "trilha: TRILHA_" in result.stderr, (name, value)
