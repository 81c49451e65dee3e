"""python -m bench learners [--learners N --minutes M] [--every S] [--state KB] [--knee]
                         [--processes N] [--small] [--keep FOLDER]

Ends with 1 where a bound is missed.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from bench import learners, start
from bench.company import LARGE, SMALL, company
from bench.deployment import deployed
from bench.learners import Load
from bench.results import show


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m bench")
    arguments.add_argument("part", choices=["learners", "start"])
    arguments.add_argument("--learners", type=int)
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument(
        "--every", type=float, default=learners.EVERY_SECONDS, help="seconds between commits"
    )
    arguments.add_argument("--state", type=float, default=4.0, metavar="KB", help="size of the SCORM state")
    arguments.add_argument("--opening", type=int, default=start.OPENING)
    arguments.add_argument("--signing", type=int, default=start.SIGNING)
    arguments.add_argument("--seconds", type=float, default=start.SECONDS)
    arguments.add_argument("--knee", action="store_true", help="then find how many are too many")
    arguments.add_argument("--processes", type=int, help="serving processes; as many as by default if unset")
    arguments.add_argument("--small", action="store_true", help="a company of 1,000 people")
    arguments.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where the company stays for the next run"
    )
    asked = arguments.parse_args()
    with company(SMALL if asked.small else LARGE, asked.keep) as at:
        with deployed(at.folder, asked.processes) as deployment:
            if asked.part == "start":
                section = asyncio.run(start.run(at, deployment, asked.opening, asked.signing, asked.seconds))
                sys.exit(bool(show([section], "Trilha")))
            loads = [
                Load(count, asked.minutes * 60, asked.every, int(asked.state * 1024))
                for count in ([asked.learners] if asked.learners else [2_000])
            ]
            section = asyncio.run(learners.run(at, deployment, loads, knee=asked.knee))
    sys.exit(bool(show([section], "Trilha")))


if __name__ == "__main__":
    main()
