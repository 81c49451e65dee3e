"""The panel's warnings before a course is published."""

from typing import Any
from uuid import uuid4

import pytest

from trilha.core.types import Timestamp
from trilha.training.courses.publishing import lacks
from trilha.training.courses.schema import AuthoredCourse, OutlinedModule

NOW = Timestamp("2026-11-22T12:00:00.000Z")


def course(**regulation: Any) -> AuthoredCourse:
    return AuthoredCourse(
        uuid4(), "Primeiros socorros", "pt-BR", "O que fazer.", "primeiros-socorros", "DRAFT", None, 1.0,
        "https://example.com/a.png", None, [], None, {"kind": "traffic", **regulation}, "CLOSED",
    )  # fmt: skip


def package(minutes: int) -> OutlinedModule:
    return OutlinedModule(
        uuid4(), uuid4(), 1, "Um", "SCORM", minutes, True, None, "THEORY", "DISTANCE", None, None, NOW, NOW,
        None, False, None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("regulation", "minutes", "found"),
    [
        ({"minimum_score": 70}, 0, ["score_without_length"]),
        ({"minimum_score": 70}, 30, []),
        ({"minimum_score": 70, "minimum_workload_minutes": 20}, 0, ["no_minutes", "too_short"]),
        ({}, 0, []),
    ],
)
def test_a_score_that_counts_at_once_is_told(
    regulation: dict[str, Any], minutes: int, found: list[str]
) -> None:
    assert lacks(course(**regulation), [package(minutes)], teachers=1) == found
