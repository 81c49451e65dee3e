"""What a course lacks before it is published. No I/O, no clock."""

from collections.abc import Sequence
from typing import Literal

from trilha.courses.schema import AuthoredCourse, Module

# What a course may lack when it is to be published. Without the first, it is not.
Lack = Literal[
    "no_required_module",
    "too_short",
    "nothing_scored",
    "score_without_length",
    "no_description",
    "no_picture",
    "no_teacher",
]
_SCORED = ("SCORM", "QUIZ")


def lacks(course: AuthoredCourse, modules: Sequence[Module], teachers: int) -> list[Lack]:
    """The worst first. `too_short`: the modules last less than the law demands. `score_without_length`: the
    score of a package counts with time in it, and nothing says how much."""
    asked = course.regulation or {}
    minutes = sum(each.duration_minutes for each in modules)
    found: dict[Lack, bool] = {
        "no_required_module": not any(each.required for each in modules),
        "too_short": bool(modules) and minutes < asked.get("minimum_workload_minutes", 0),
        "nothing_scored": bool(modules and asked.get("minimum_score"))
        and not any(each.type in _SCORED for each in modules),
        "score_without_length": bool(asked.get("minimum_score") and not asked.get("minimum_workload_minutes"))
        and any(each.type == "SCORM" and not each.duration_minutes for each in modules),
        "no_description": not course.description,
        "no_picture": not course.thumbnail_url,
        "no_teacher": not teachers,
    }
    return [lack for lack, there in found.items() if there]
