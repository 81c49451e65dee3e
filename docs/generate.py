"""Writes the pages and the picture that are generated from the code: `python -m docs.generate`.

With `--check` it writes nothing, and fails if one is stale.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from inspect import getdoc
from pathlib import Path
from typing import Any

import click
import msgspec

from docs import architecture
from docs.openings import ENVELOPE, EVENT_TYPES, FEED, OPENINGS
from trilha import settings
from trilha.access.permissions.roles import ROLES, Permission, Requires
from trilha.app import list_v1_routes
from trilha.cli import main as command_line
from trilha.core.credentials import SCOPES
from trilha.core.errors import CODES, FIELD_CODES, TYPES, Code, HttpsRequired
from trilha.core.openapi.json_schema import example, flat_schema
from trilha.core.types import schema_hook
from trilha.core.web.routes import MIB, Route
from trilha.platform.events.catalogue import CATALOGUE, Event
from trilha.platform.events.schema import EventEnvelope
from trilha.settings import Settings
from trilha.web.learn import feature as learn
from trilha.web.panel import feature as panel

DOCS = Path(__file__).parent
HEADER = "<!-- Written by `python -m docs.generate` from {source}. Do not edit. -->\n"

# What a client should do about each type of error.
_ADVICE = {
    "validation_error": "The request is wrong: correct it, and do not repeat it unchanged.",
    "authentication_error": "The credential is not accepted: send another one.",
    "authorization_error": "The credential is valid, but may not do this.",
    "not_found": "It does not exist in the credential's tenant.",
    "conflict": "The present state does not allow this: read it and decide.",
    "business_rule": "A training rule does not allow this: a person must fix something first.",
    "rate_limited": "Wait the number of seconds in `Retry-After`, then repeat the call.",
    "internal_error": "Repeat the call, with growing pauses and the same `Idempotency-Key`.",
}
_DETAIL = {
    "insufficient_scope": "`required_scope`",
    "already_enrolled": "`existing_enrollment`, the whole enrollment",
    "regulatory_profile_missing": "`missing_fields`, such as `cpf` and `cnh`",
}
_RESOURCE_PAGES = {
    "Users": "users.md",
    "Custom fields": "users.md",
    "Courses": "courses.md",
    "Modules": "courses.md",
    "Translations": "courses.md",
    "Module imports": "courses.md",
    "Catalog": "courses.md",
    "Enrollments": "enrollments.md",
    "Enrollment requests": "enrollments.md",
    "Statements": "cmi5.md",
    "Classes": "classes.md",
    "Practice": "practice.md",
    "Qualifications": "practice.md",
    "Launch links": "howto/launch-from-a-portal.md",
    "Certificates": "certificates.md",
    "Requirements": "requirements.md",
    "Reminders": "requirements.md",
    "Reports": "reports.md",
    "Exports": "reports.md",
    "Evaluations": "reports.md",
    "Events": "events.md",
    "Webhooks": "webhooks.md",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |\n"

    names = list(head)
    return line(names) + line("---" for _ in names) + "".join(map(line, rows))


def errors() -> str:
    parts = [OPENINGS["errors"]]
    for type in TYPES:
        parts.append(f"## {type}\n\n{_ADVICE[type]}\n")
        whole = {name: code for name, code in CODES.items() if code.type == type and name not in FIELD_CODES}
        if type == HttpsRequired.type:
            whole[HttpsRequired.code] = HttpsRequired.spec
        parts.append(_codes(whole))
        if type == "validation_error":
            parts.append(
                "These concern the member that `field` names. `detail` lists all problems; `code` and\n"
                "`field` are those of the first:\n"
            )
            parts.append(_codes(FIELD_CODES))
    return "\n".join(parts)


def _codes(codes: dict[str, Code]) -> str:
    if not any(name in _DETAIL for name in codes):
        return table(
            ("Code", "HTTP", "Message"),
            ((f"`{name}`", str(code.status), code.message) for name, code in codes.items()),
        )
    return table(
        ("Code", "HTTP", "Message", "`detail`"),
        (
            (f"`{name}`", str(code.status), code.message, _DETAIL.get(name, ""))
            for name, code in codes.items()
        ),
    )


def events() -> str:
    shown = example(flat_schema(EventEnvelope), {})
    page = {"data": [shown], "next_cursor": None, "has_more": False, "limit": 1}
    parts = [OPENINGS["events"], ENVELOPE.format(example=_json(shown)), FEED.format(example=_json(page))]
    parts.append(EVENT_TYPES)
    for name, event in CATALOGUE.items():
        members = table(("Member", "Type"), ((f"`{each}`", kind) for each, kind in _members(event)))
        parts.append(f"### {name}\n\n{event.description()}\n\n{members}")
    return "\n".join(parts)


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _members(event: type[Event]) -> Iterator[tuple[str, str]]:
    for field in msgspec.structs.fields(event):
        yield field.encode_name, _type(msgspec.json.schema(field.type, schema_hook=schema_hook))


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if schema["type"] == "array":
        return f"array of {_type(schema['items'])}"
    return str(schema.get("format", schema["type"]))


def settings_page() -> str:
    rows = settings.describe(Settings(), {})
    return "\n".join(
        [
            OPENINGS["settings"],
            table(
                ("Variable", "Default", "Takes", "Meaning"),
                (
                    (
                        f"`{row.name}`",
                        f"`{row.default}`" if row.default else "unset",
                        row.form,
                        row.meaning,
                    )
                    for row in rows
                ),
            ),
            "A limit is a number of requests, and its window in `s`, `m`, `h` or `d`: `1500/15m`.\n",
        ]
    )


def command_page() -> str:
    parts = [OPENINGS["commands"]]
    parts += _commands(command_line, "trilha")
    return "\n".join(parts)


def _commands(group: click.Group, name: str) -> Iterator[str]:
    names = click.Context(group)
    for each in group.list_commands(names):
        command = group.get_command(names, each)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")
        elif command:
            context = click.Context(
                command, info_name=f"{name} {each}", terminal_width=90, help_option_names=["-h", "--help"]
            )
            yield f"## {name} {each}\n\n```text\n{command.get_help(context)}\n```\n"


def routes() -> str:
    parts = [OPENINGS["routes"]]
    for feature in list_v1_routes():
        parts.append(f"## {feature.tag}\n")
        parts.append(f"{feature.description} [More]({_RESOURCE_PAGES[feature.tag]}).\n")
        parts += map(_route, feature.all)
    parts.append("## Scopes\n")
    parts.append(table(("Scope", "Allows"), ((f"`{scope}`", meaning) for scope, meaning in SCOPES.items())))
    return "\n".join(parts)


def _route(route: Route) -> str:
    lines = [f"### {route.method} /v1{route.path}\n", f"{getdoc(route.handler)}\n"]
    needs = f"Scope `{route.scope}`" if route.scope else "No credential"
    accepted = ", or 202 for what is done later" if route.accepted is not None else ""
    lines.append(f"- {needs}; success is {route.status}{accepted}")
    if query := [field.encode_name for field in msgspec.structs.fields(route.query)]:
        lines.append("- Query: " + ", ".join(f"`{name}`" for name in query))
    if route.data is not None:
        shown = ", ".join(map(_body_member, msgspec.structs.fields(route.data)))
        lines.append(f"- Body, at most {route.max_body // MIB} MiB: {shown}")
    if route.described_form is not None:
        shown = ", ".join(map(_body_member, msgspec.structs.fields(route.described_form)))
        most = (route.max_upload or route.max_body) // MIB
        lines.append(f"- Or a form (`multipart/form-data`), at most {most} MiB: {shown}")
    if route.errors:
        lines.append("- Errors of its own: " + ", ".join(f"`{code}`" for code in route.errors))
    return "\n".join(lines) + "\n"


def permissions() -> str:
    """Lists what each role may do, and the pages that it can open."""
    rows = []
    for permission in Permission:
        pages = [
            f"`{route.method} {prefix}{route.path}`"
            for prefix, features in (("/admin", panel.PAGES), ("/learn", learn.PAGES))
            for feature in features
            for route in feature.all
            if isinstance(route.access, Requires) and route.access.permission is permission
        ]
        may = ["yes" if permission in ROLES[role] else "" for role in ROLES]
        rows.append((f"`{permission}`", *may, ", ".join(pages)))
    return OPENINGS["permissions"] + "\n" + table(("Permission", *ROLES, "Pages"), rows)


def _body_member(field: Any) -> str:
    return f"`{field.encode_name}`" + (" (required)" if field.required else "")


PAGES: dict[str, tuple[str, Callable[[], str]]] = {
    "errors.md": ("the registered error codes", errors),
    "events.md": ("trilha.platform.events.catalogue", events),
    "settings.md": ("trilha.settings", settings_page),
    "cli.md": ("trilha.cli", command_page),
    "routes.md": ("the declared routes", routes),
    "permissions.md": ("trilha.access.permissions.roles", permissions),
    "images/architecture.svg": ("docs.architecture", architecture.draw),
}


def main(arguments: list[str]) -> int:
    pages = {name: HEADER.format(source=source) + "\n" + write() for name, (source, write) in PAGES.items()}
    stale = [name for name, text in pages.items() if not _is(DOCS / name, text)]
    if arguments == ["--check"]:
        if stale:
            sys.stderr.write(f"docs: {', '.join(stale)} no longer agree with the code; run `make docs`.\n")
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(pages[name], encoding="utf-8")
    return 0


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
