"""What is unusual about how a module was done. No I/O, no clock.

A sign is no proof: it changes nothing by itself, and somebody looks at it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal

import msgspec
from msgspec import Struct

FlagKind = Literal["NO_ANSWERS", "TOO_FAST", "SAME_STATE", "CLAIMED_TIME"]

# Of fewer others, what is usual cannot be told.
MIN_OTHERS = 10

# So many of them are compared with, the latest.
MAX_OTHERS = 200

FAR_UNDER = 0.05

# Where others take less, a short time is nothing unusual; heartbeats count it no more finely, either.
MIN_MEDIAN = 120.0

# Shorter states are the same for many, such as a page's number.
MIN_STATE = 200

# Where more people have the same state, it is how the content ends.
MAX_ALIKE = 4

# Content counts from when it has loaded, or in whole minutes.
CLAIM_FACTOR, CLAIM_SLACK = 1.1, 30.0


class TimeClaim(Struct, frozen=True):
    """Of one launch, in seconds: what content said of its session, and how long the launch was."""

    said: float
    lasted: float


class Observation(Struct, frozen=True):
    """A module as one person did it. `seconds` are until it was completed, by the server's clock; None before
    that. `others` are such times of other people, `alike` how many of them have left the same state."""

    score: float | None
    answers: int
    others_answer: bool
    seconds: float | None
    others: Sequence[float]
    alike: int
    claims: Sequence[TimeClaim]


class Flag(Struct, frozen=True):
    """`detail` are the figures that it rests on."""

    kind: FlagKind
    detail: Mapping[str, Any]


def find_flags(observed: Observation) -> list[Flag]:
    checks = (_check_answers, _check_speed, _check_state, _check_claims)
    return [flag for check in checks if (flag := check(observed)) is not None]


def _check_answers(observed: Observation) -> Flag | None:
    if observed.score is None or observed.answers or not observed.others_answer:
        return None
    return Flag("NO_ANSWERS", {"score": observed.score})


def _check_speed(observed: Observation) -> Flag | None:
    if observed.seconds is None or len(observed.others) < MIN_OTHERS:
        return None
    usual = median(observed.others)
    if usual < MIN_MEDIAN or observed.seconds >= usual * FAR_UNDER:
        return None
    return Flag(
        "TOO_FAST",
        {"seconds": round(observed.seconds), "median_seconds": round(usual), "others": len(observed.others)},
    )


def _check_state(observed: Observation) -> Flag | None:
    if not 1 <= observed.alike <= MAX_ALIKE:
        return None
    return Flag("SAME_STATE", {"people": observed.alike})


def _check_claims(observed: Observation) -> Flag | None:
    """Of the launch that goes beyond its own length by most."""
    beyond = [each for each in observed.claims if each.said > each.lasted * CLAIM_FACTOR + CLAIM_SLACK]
    if not beyond:
        return None
    worst = max(beyond, key=lambda each: each.said - each.lasted)
    return Flag("CLAIMED_TIME", {"said_seconds": round(worst.said), "launch_seconds": round(worst.lasted)})


def hash_state(cmi: str) -> bytes | None:
    """Of what content keeps for itself; None where that is too short to be one person's alone."""
    try:
        kept = msgspec.json.decode(cmi)
    except msgspec.DecodeError:
        return None
    state = kept.get("suspend_data") if isinstance(kept, dict) else None
    if not isinstance(state, str) or len(state) < MIN_STATE:
        return None
    return hashlib.sha256(state.encode(errors="surrogatepass")).digest()
