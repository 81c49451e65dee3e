"""python -m bench [all | PART ...] [--short] [--keep FOLDER] [--processes N]

Prints one page: the figures, their bounds, and whether each held. Exits with 1 if a bound was missed.

python -m bench learners [--learners N --minutes M] [--every S] [--state KB]
python -m bench pages [--only TEXT]
python -m bench explain [--keep FOLDER]
"""

import argparse
import asyncio
import platform
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import psutil

from bench import (
    api,
    certificates,
    compliance,
    explain,
    exports,
    growth,
    learners,
    pages,
    scim,
    start,
    webhooks,
    worst,
    xapi,
)
from bench.company import SMALL, Company, company
from bench.deployment import Deployment, deployed
from bench.learners import Load
from bench.results import Section, show
from bench.scale import FULL, SHORT, Scale


class Bench(NamedTuple):
    """The arguments of every part."""

    company: Company
    deployment: Deployment
    scale: Scale
    options: argparse.Namespace


# By name, in the order of the page.
PARTS: Mapping[str, Callable[[Bench], Section]] = {
    "learners": lambda at: asyncio.run(
        learners.run(at.company, at.deployment, at.scale.loads, at.scale.steps)
    ),
    "start": lambda at: asyncio.run(start.run(at.company, at.deployment, at.scale)),
    "api": lambda at: asyncio.run(api.run(at.company, at.deployment, at.scale)),
    "pages": lambda at: pages.run(at.company, at.deployment, at.options.only, at.scale.share),
    "growth": lambda at: _grow(at),
    "webhooks": lambda at: asyncio.run(webhooks.run(at.company, at.scale)),
    "certificates": lambda at: asyncio.run(certificates.run(at.company, at.scale.certificates)),
    "scim": lambda at: asyncio.run(scim.run(at.company, at.deployment, at.scale)),
    "xapi": lambda at: asyncio.run(xapi.run(at.company, at.deployment, at.scale)),
    "exports": lambda at: asyncio.run(exports.run(at.company, at.deployment, at.scale)),
    "compliance": lambda at: asyncio.run(compliance.run(at.company, at.deployment, at.scale)),
    "worst": lambda at: worst.run(at.company, at.deployment, at.scale),
}


def _grow(at: Bench) -> Section:
    large = (at.company, at.deployment)
    if at.company.size == SMALL:
        return growth.run(large, large, at.scale.share)
    with company(SMALL, at.options.keep) as small, deployed(small.folder, at.options.processes) as deployment:
        return growth.run((small, deployment), large, at.scale.share)


def main() -> None:
    arguments = _parser()
    options = arguments.parse_args()
    scale = _scale(options)
    began = time.monotonic()
    with company(scale.company, options.keep) as at:
        if options.parts == ["explain"]:
            explain.run(at)
            return
        with deployed(at.folder, options.processes) as deployment:
            deployment.settle(scale.settle_seconds)
            print(f"Measuring after {time.monotonic() - began:.0f} s", flush=True)
            heading = _heading(deployment)
            bench = Bench(at, deployment, scale, options)
            names = [name for name in PARTS if name in options.parts or options.parts == "all"]
            sections = [_measure(name, bench) for name in names]
    missed = show(sections, heading)
    print(f"{(time.monotonic() - began) / 60:.0f} minutes")
    sys.exit(bool(missed))


def _measure(name: str, bench: Bench) -> Section:
    began = time.monotonic()
    section = PARTS[name](bench)
    print(f"{name}: {time.monotonic() - began:.0f} s, {section.missed} bounds missed", flush=True)
    return section


def _parser() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument(
        "parts", nargs="*", default="all", choices=["all", *PARTS, "explain"], metavar="PART"
    )
    arguments.add_argument("--short", action="store_true", help="little of everything, in a company of 1,000")
    arguments.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where the company stays for next time"
    )
    arguments.add_argument("--processes", type=int, help="serving processes; as many as by default if unset")
    arguments.add_argument("--only", default="", metavar="TEXT", help="pages with this in their path")
    arguments.add_argument("--learners", type=int, help="only this load, and no search for the knee")
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument(
        "--every", type=float, default=learners.EVERY_SECONDS, help="seconds between commits"
    )
    arguments.add_argument("--state", type=float, default=4.0, metavar="KB", help="size of the SCORM state")
    return arguments


def _scale(options: argparse.Namespace) -> Scale:
    scale = SHORT if options.short else FULL
    if options.learners is None:
        return scale
    load = Load(options.learners, options.minutes * 60, options.every, int(options.state * 1024))
    return scale.with_load(load)


def _heading(deployment: Deployment) -> str:
    memory = psutil.virtual_memory().total / (1 << 30)
    return (
        f"Trilha on {psutil.cpu_count()} cores and {memory:.0f} GB, Python {platform.python_version()}. "
        "Everything runs on this one machine: Trilha as `trilha up` starts it with its default settings "
        f"(serving processes: {deployment.processes}; one worker; its own PostgreSQL), and the load, which "
        "comes as from the proxy in front."
    )


if __name__ == "__main__":
    main()
