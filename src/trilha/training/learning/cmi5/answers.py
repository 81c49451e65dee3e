"""Reads the answers that content reports as interactions (xAPI 1.0.3, part 2 section 2.4.4.1)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from trilha.training.scorm.runtime import timespans
from trilha.training.scorm.runtime.interactions import Interaction, Type, format_response, humanize_id

_TYPES: Mapping[str, Type] = {each: each for each in get_args(Type)} | {"long-fill-in": "long-fill-in"}
_MAX_CHARACTERS = 8_000
_LONGEST_ID = 1000


def read(statements: Sequence[Mapping[str, Any]], first: int) -> list[Interaction]:
    """Returns the answers in statements, with indexes from `first` on."""
    return [_read(value, first + number) for number, value in enumerate(_list_answers(statements))]


def _list_answers(statements: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for value in statements:
        definition = value["object"].get("definition", {})
        result = value.get("result", {})
        if "interactionType" in definition and ("response" in result or "success" in result):
            yield value


def _read(value: Mapping[str, Any], index: int) -> Interaction:
    thing, result = value["object"], value["result"]
    definition = thing["definition"]
    kind = _TYPES.get(definition["interactionType"], "other")
    raw = str(result.get("response", ""))[:_MAX_CHARACTERS]
    correct = " | ".join(
        format_response(kind, each) for each in definition.get("correctResponsesPattern", ())
    )
    texts = definition.get("description") or definition.get("name") or {}
    said = " ".join(next(iter(texts.values()), "").split())
    length = timespans.seconds("2004", result.get("duration", ""))
    success = result.get("success")
    return Interaction(
        index=index,
        interaction_id=thing["id"][:_LONGEST_ID],
        type=kind,
        description=(said or humanize_id(thing["id"].rstrip("/").rpartition("/")[2]))[:_MAX_CHARACTERS],
        response=_name_choices(definition, kind, raw)[:_MAX_CHARACTERS],
        raw_response=raw,
        correct_response=_name_choices(definition, kind, correct)[:_MAX_CHARACTERS],
        result="" if success is None else "correct" if success else "incorrect",
        latency_seconds=None if length is None else round(length, 2),
        weighting=None,
        client_time=value.get("timestamp", "")[:100],
    )


def _name_choices(definition: Mapping[str, Any], kind: Type, text: str) -> str:
    """Returns a readable response: the descriptions of choices instead of their ids."""
    if kind not in ("choice", "sequencing", "likert"):
        return format_response(kind, text)
    parts = definition.get("choices") or definition.get("scale") or ()
    names = {each["id"]: next(iter(each.get("description", {}).values()), each["id"]) for each in parts}
    return ", ".join(names.get(each, each) for each in format_response(kind, text).split(", "))
