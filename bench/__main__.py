"""python -m bench [all | PART ...] [--short] [--keep FOLDER] [--processes N]

Prints one page: what was measured, its bound, and whether it held. Ends with 1 where a bound was missed.

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

import psutil

from bench import api, learners, start
from bench.company import Company, company
from bench.deployment import Deployment, deployed
from bench.learners import Load
from bench.results import Section, show
from bench.scale import FULL, SHORT, Scale

Measure = Callable[[Company, Deployment, Scale], Section]
# What is measured of the large company, in one running Trilha.
PARTS: Mapping[str, Measure] = {
    "learners": lambda at, deployment, scale: asyncio.run(
        learners.run(at, deployment, scale.loads, scale.steps)
    ),
    "start": lambda at, deployment, scale: asyncio.run(
        start.run(at, deployment, scale.opening, scale.signing, scale.start_seconds)
    ),
    "api": lambda at, deployment, scale: asyncio.run(api.run(at, deployment, scale)),
}


def main() -> None:
    arguments = _parser()
    asked = arguments.parse_args()
    scale = _scale(asked)
    began = time.monotonic()
    sections = []
    with company(scale.company, asked.keep) as at, deployed(at.folder, asked.processes) as deployment:
        print(f"Measuring after {time.monotonic() - began:.0f} s", flush=True)
        heading = _heading(deployment)
        for name, measure in PARTS.items():
            if name in asked.parts or asked.parts == "all":
                sections.append(measure(at, deployment, scale))
    missed = show(sections, heading)
    print(f"{(time.monotonic() - began) / 60:.0f} minutes")
    sys.exit(bool(missed))


def _parser() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("parts", nargs="*", default="all", choices=["all", *PARTS], metavar="PART")
    arguments.add_argument("--short", action="store_true", help="little of everything, in a company of 1,000")
    arguments.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where the company stays for next time"
    )
    arguments.add_argument("--processes", type=int, help="serving processes; as many as by default if unset")
    arguments.add_argument("--learners", type=int, help="only this load, and no search for the knee")
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument(
        "--every", type=float, default=learners.EVERY_SECONDS, help="seconds between commits"
    )
    arguments.add_argument("--state", type=float, default=4.0, metavar="KB", help="size of the SCORM state")
    return arguments


def _scale(asked: argparse.Namespace) -> Scale:
    scale = SHORT if asked.short else FULL
    if asked.learners is None:
        return scale
    load = Load(asked.learners, asked.minutes * 60, asked.every, int(asked.state * 1024))
    return scale.with_load(load)


def _heading(deployment: Deployment) -> str:
    memory = psutil.virtual_memory().total / (1 << 30)
    return (
        f"Trilha on {psutil.cpu_count()} cores and {memory:.0f} GB, Python {platform.python_version()}. "
        "Everything runs on this one machine: Trilha as `trilha up` starts it with its default settings (serving "
        f"processes: {deployment.processes}; one worker; its own PostgreSQL), and the load, which comes as from the "
        "proxy in front."
    )


if __name__ == "__main__":
    main()
