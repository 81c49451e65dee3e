"""Draws docs/images/architecture.svg: where everything runs.

The surfaces, jobs, settings and layers come from the code. A setting that is renamed stops the drawing, and
`python -m docs.generate --check` fails while the picture is stale.
"""

import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import trilha
from trilha import settings, worker
from trilha.app import FEATURES, create_app
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import ServingUrls
from trilha.core.secrets import Keyring
from trilha.core.web.callers import Anonymous
from trilha.core.web.surface import Surface
from trilha.settings import Settings

ROOT = Path(trilha.__file__).parents[2]
WIDTH, HEIGHT = 1230, 836
LEFT, RIGHT = 20, 890  # where the running parts begin and end; the layers of the code are beside them
LINE = 16
STYLE = """\
  rect { fill: #fff; stroke: #7a8794; rx: 8px; }
  .page { fill: #f6f8fa; stroke: none; }
  .process { fill: #e3f1f3; stroke: #0b6677; }
  .store { fill: #fdf1dc; stroke: #9a6b14; }
  .outside { fill: #fff; stroke-dasharray: 5 4; }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #17212b; }
  .title { font-weight: 650; font-size: 13px; }
  .setting { font: 11px ui-monospace, monospace; fill: #4a5763; }
  .step { font-weight: 700; fill: #fff; text-anchor: middle; }
  circle { fill: #0b6677; }
  path { fill: none; stroke: #4a5763; stroke-width: 1.5; marker-end: url(#head); }
"""


def draw() -> str:
    parts = [
        *_outside(),
        *_proxy_and_server(),
        *_stores(),
        *_worker(),
        *_layers(),
    ]
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-label="The parts of Trilha and how they are connected">\n'
        f"<style>\n{STYLE}</style>\n"
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><polygon points="0 0, 8 4, 0 8" fill="#4a5763"/></marker></defs>\n'
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>\n{body}\n</svg>\n'
    )


def _outside() -> list[str]:
    callers = (
        ("Browsers", ["people who learn, manage,", "or verify a certificate"]),
        ("HR and other systems", ["API keys, OAuth clients"]),
        ("Identity provider", ["single sign-on, SCIM"]),
    )
    receivers = (
        ("Webhook receivers", ["HTTPS, signed"]),
        ("Mail server", [_setting("TRILHA_SMTP_URL")]),
        ("Identity providers, DNS", ["metadata, keys, domains"]),
    )
    step = (RIGHT - LEFT + 20) // 3
    boxes = [_box(LEFT + n * step, 20, step - 20, 66, *each, "outside") for n, each in enumerate(callers)]
    boxes += [_box(LEFT + n * step, 748, step - 20, 56, *each, "outside") for n, each in enumerate(receivers)]
    arrows = [_arrow(LEFT + n * step + 120, 86, LEFT + n * step + 120, 110) for n in range(3)]
    arrows += [_arrow(LEFT + n * step + 120, 712, LEFT + n * step + 120, 748) for n in range(3)]
    return [*boxes, *arrows, _step(LEFT + 120, 98, "1"), _step(LEFT + 120, 730, "D")]


# What the surfaces are for; their addresses come from the code.
_GROUPS = {
    "Content hosts": "a host for each package",
    "Pages": "for people",
    "APIs": "for systems",
    "Public files": "open, or by signed link",
    "Health": "for monitors",
}


def _proxy_and_server() -> list[str]:
    names = ("TRILHA_TRUSTED_PROXIES", "TRILHA_BASE_URL", "TRILHA_CONTENT_URL")
    proxy = ["TLS, slow clients, shares of addresses", "  ".join(map(_setting, names))]
    groups = _surfaces()
    height = 2 * LINE + LINE * max(len(lines) for lines in groups.values())
    width = (RIGHT - LEFT - 32 - 8 * (len(groups) - 1)) // len(groups)
    boxes = [
        _box(LEFT + 16 + n * (width + 8), 246, width, height, title, lines)
        for n, (title, lines) in enumerate(groups.items())
    ]
    words = ["finds the surface and route, checks credential and limits, runs the handler in one transaction"]
    return [
        _box(LEFT, 112, RIGHT - LEFT, 60, "Proxy (nginx, Caddy)", proxy, "outside"),
        _arrow(LEFT + 120, 172, LEFT + 120, 196),
        _step(LEFT + 120, 184, "2"),
        _box(
            LEFT,
            196,
            RIGHT - LEFT,
            height + 66,
            f"trilha serve × {_setting('TRILHA_WORKERS')}",
            words,
            "process",
        ),
        *boxes,
        _arrow(LEFT + 120, height + 262, LEFT + 120, 520),
        _step(LEFT + 120, 502, "3"),
        _step(LEFT + 144, 502, "A"),
        _arrow(LEFT + 560, height + 262, LEFT + 560, 520),
    ]


def _surfaces() -> dict[str, list[str]]:
    """Returns the first address of each surface, by its purpose."""
    groups = {name: [words, ""] for name, words in _GROUPS.items()}
    nowhere = Database(ServingUrls("postgresql:///", "postgresql:///"), system_clock, Keyring([bytes(32)]))
    by_name = {each.name: each for each in reversed(create_app(Settings(), nowhere).surfaces)}
    for surface in sorted(by_name.values(), key=lambda each: each.prefixes[0]):
        groups[_group_of(surface)].append(surface.prefixes[0] or "/")
    return groups


def _group_of(surface: Surface) -> str:
    if surface.host is not None:
        return "Content hosts"
    if surface.health:
        return "Health"
    if surface.media_type == "text/html":
        return "Pages"
    return "Public files" if isinstance(surface.identity, Anonymous) else "APIs"


def _stores() -> list[str]:
    database = [
        "every tenant's rows, behind row-level security",
        "roles trilha_app (one tenant) and trilha_unscoped (before that)",
        _setting("TRILHA_DATABASE_URL"),
    ]
    files = ["packages, media, PDFs, exports", "sealed where they are personal", _setting("TRILHA_FILES_URL")]
    key = ["outside the database;", "seals what is personal", _setting("TRILHA_MASTER_KEY")]
    return [
        _box(LEFT, 520, 420, 84, "PostgreSQL", database, "store"),
        _box(LEFT + 440, 520, 240, 84, "File store", files, "store"),
        _box(LEFT + 700, 520, 170, 84, "Master key", key, "store"),
        _arrow(LEFT + 120, 640, LEFT + 120, 604),
        _step(LEFT + 120, 624, "C"),
        _arrow(LEFT + 560, 640, LEFT + 560, 604),
        _step(LEFT + 560, 624, "B"),
    ]


def _worker() -> list[str]:
    jobs = worker.all_jobs(Settings())
    names = sorted(feature.name for feature in FEATURES if feature.build_jobs(Settings()))
    words = f"sends webhooks and mail, and repeats {len(jobs)} jobs of {', '.join(names)}"
    return [_box(LEFT, 640, RIGHT - LEFT, 72, "trilha work", textwrap.wrap(words, 120), "process")]


def _layers() -> list[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rows: Sequence[str] = contracts["contracts"][0]["layers"]
    lines = [
        line for row in rows for line in textwrap.wrap(row.replace(" | ", ", "), 40, subsequent_indent="    ")
    ]
    words = ["each line imports only from lines below", ""]
    return [_box(RIGHT + 20, 20, WIDTH - RIGHT - 40, HEIGHT - 48, "The code", [*words, *lines])]


def _box(x: int, y: int, width: int, height: int, title: str, lines: Iterable[str], kind: str = "") -> str:
    texts = [f'<text class="title" x="{x + 12}" y="{y + 21}">{escape(title)}</text>']
    for number, line in enumerate(lines, 1):
        style = ' class="setting"' if line.startswith("TRILHA_") else ""
        texts.append(f'<text{style} x="{x + 12}" y="{y + 21 + LINE * number}">{escape(line)}</text>')
    rect = f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'
    return "\n".join([rect, *texts])


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    return f'<path d="M{x} {y} L{to_x} {to_y}"/>'


def _step(x: int, y: int, name: str) -> str:
    return f'<circle cx="{x + 14}" cy="{y}" r="9"/><text class="step" x="{x + 14}" y="{y + 4}">{name}</text>'


def _setting(name: str) -> str:
    """Returns the name of an existing setting."""
    assert name in {row.name for row in settings.describe(Settings(), {})}, name
    return name
