"""Checks what a course needs before it is published. No I/O, no clock."""

from collections.abc import Sequence
from typing import Literal

from trilha.training.courses.schema import PACKAGED_TYPES, AuthoredCourse, OutlinedModule

# What a course may lack when it is published. Without the items of BLOCKING, it cannot be published.
Lack = Literal[
    "no_required_module",
    "no_minutes",
    "too_short",
    "nothing_scored",
    "score_without_length",
    "no_description",
    "no_picture",
    "no_teacher",
]
BLOCKING: tuple[Lack, ...] = ("no_required_module", "no_minutes")
_SCORED_TYPES = (*PACKAGED_TYPES, "QUIZ")


def list_without_minutes(course: AuthoredCourse, modules: Sequence[OutlinedModule]) -> list[OutlinedModule]:
    """Lists the required modules whose minutes an author must enter: the law asks for a workload, and they
    have none or only an estimate.
    """
    if not (course.regulation or {}).get("minimum_workload_minutes"):
        return []
    return [
        each for each in modules if each.required and (each.minutes_estimated or not each.duration_minutes)
    ]


def lacks(course: AuthoredCourse, modules: Sequence[OutlinedModule], teachers: int) -> list[Lack]:
    """Returns what is missing, the most serious first. `too_short`: the modules are shorter than the law
    requires. `score_without_length`: a package's score is weighted by time, and its duration is not set.
    """
    asked = course.regulation or {}
    minutes = sum(each.duration_minutes for each in modules)
    found: dict[Lack, bool] = {
        "no_required_module": not any(each.required for each in modules),
        "no_minutes": bool(list_without_minutes(course, modules)),
        "too_short": bool(modules) and minutes < asked.get("minimum_workload_minutes", 0),
        "nothing_scored": bool(modules and asked.get("minimum_score"))
        and not any(each.type in _SCORED_TYPES for each in modules),
        "score_without_length": bool(asked.get("minimum_score") and not asked.get("minimum_workload_minutes"))
        and any(each.type in PACKAGED_TYPES and not each.duration_minutes for each in modules),
        "no_description": not course.description,
        "no_picture": not course.thumbnail_url,
        "no_teacher": not teachers,
    }
    return [lack for lack, there in found.items() if there]
