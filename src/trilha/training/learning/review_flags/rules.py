"""Decides what is unusual about how a module was done. No I/O, no clock.

A flag proves nothing and changes nothing by itself: a person looks at it.
"""

import hashlib
from statistics import median

import msgspec

from trilha.training.learning.review_flags.schema import Flag, Observation

# The times of fewer people than this do not say what is usual.
MIN_OTHERS = 10
# The number of people, the latest ones, with whom a person is compared.
MAX_OTHERS = 200
FAR_UNDER = 0.05
# If others take less than this, a short time is not unusual; heartbeats do not measure it precisely either.
MIN_MEDIAN = 120.0
# Many people have the same shorter state, such as the number of a page.
MIN_STATE = 200
# If more people have the same state, it is simply how the content ends.
MAX_ALIKE = 4
# Content may count from when it has loaded, or in whole minutes.
CLAIM_FACTOR, CLAIM_SLACK = 1.1, 30.0


def find_flags(observation: Observation) -> list[Flag]:
    checks = (_check_answers, _check_speed, _check_state, _check_claims)
    return [flag for check in checks if (flag := check(observation)) is not None]


def _check_answers(observation: Observation) -> Flag | None:
    if observation.score is None or observation.answers or not observation.others_answer:
        return None
    return Flag("NO_ANSWERS", {"score": observation.score})


def _check_speed(observation: Observation) -> Flag | None:
    if observation.seconds is None or len(observation.others) < MIN_OTHERS:
        return None
    usual = median(observation.others)
    if usual < MIN_MEDIAN or observation.seconds >= usual * FAR_UNDER:
        return None
    detail = {"seconds": round(observation.seconds), "median_seconds": round(usual)}
    return Flag("TOO_FAST", detail | {"others": len(observation.others)})


def _check_state(observation: Observation) -> Flag | None:
    if not 1 <= observation.alike <= MAX_ALIKE:
        return None
    return Flag("SAME_STATE", {"people": observation.alike})


def _check_claims(observation: Observation) -> Flag | None:
    """Flags the launch whose claimed time exceeds its own length by most."""
    claims = observation.claims
    false = [claim for claim in claims if claim.said > claim.lasted * CLAIM_FACTOR + CLAIM_SLACK]
    if not false:
        return None
    worst = max(false, key=lambda claim: claim.said - claim.lasted)
    return Flag("CLAIMED_TIME", {"said_seconds": round(worst.said), "launch_seconds": round(worst.lasted)})


def hash_state(cmi: str) -> bytes | None:
    """Hashes the state that content saves for itself; None if it is too short to be one person's alone."""
    try:
        saved = msgspec.json.decode(cmi)
    except msgspec.DecodeError:
        return None
    state = saved.get("suspend_data") if isinstance(saved, dict) else None
    if not isinstance(state, str) or len(state) < MIN_STATE:
        return None
    return hashlib.sha256(state.encode(errors="surrogatepass")).digest()
