"""Says in a sentence why a requirement applies to a person."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.people.custom_fields import queries as custom_fields
from trilha.training.requirements import queries
from trilha.training.requirements.conditions import (
    CUSTOM,
    All,
    AnyOf,
    Condition,
    Node,
    Not,
    Person,
    list_conditions,
    matches,
)

_MAX_VALUES = 5


class Wording(Struct, frozen=True):
    """The words of one language."""

    sentence: str
    everybody: str
    fields: Mapping[str, str]
    operators: Mapping[str, str]
    and_: str
    or_: str
    not_: str
    more: str


_WORDS = {
    "en": Wording(
        sentence="Required by “{title}”: {reason}.",
        everybody="it applies to everybody",
        fields={
            "business_unit_id": "business unit",
            "department": "department",
            "job_title": "job title",
            "role": "role",
            "learning_group_id": "learning group",
            "hire_date": "hire date",
        },
        operators={
            "eq": "is",
            "in": "is one of",
            "starts_with": "begins with",
            "before": "is before",
            "after": "is after",
            "under": "is or is below",
        },
        and_="and",
        or_="or",
        not_="not",
        more="and {} more",
    ),
    "pt-BR": Wording(
        sentence="Exigido por “{title}”: {reason}.",
        everybody="vale para todas as pessoas",
        fields={
            "business_unit_id": "unidade",
            "department": "departamento",
            "job_title": "cargo",
            "role": "perfil",
            "learning_group_id": "grupo",
            "hire_date": "data de admissão",
        },
        operators={
            "eq": "é",
            "in": "é um destes:",
            "starts_with": "começa com",
            "before": "é anterior a",
            "after": "é posterior a",
            "under": "é ou fica abaixo de",
        },
        and_="e",
        or_="ou",
        not_="não",
        more="e mais {}",
    ),
}


class Names(Struct, frozen=True):
    """Names of units and groups by id, and of custom fields by key."""

    values: Mapping[str, str]
    fields: Mapping[str, str]


async def load_names(tx: Tx, nodes: Sequence[Node]) -> Names:
    """Loads the names of everything that these rules mention."""
    conditions = [each for node in nodes for each in list_conditions(node)]
    ids = {
        str(value)
        for each in conditions
        if each.field in ("business_unit_id", "learning_group_id")
        for value in each.values
    }
    values = await queries.list_names(tx, [UUID(each) for each in ids]) if ids else {}
    customs = any(each.field.startswith(CUSTOM) for each in conditions)
    fields = {each.key: each.name for each in await custom_fields.list_fields(tx)} if customs else {}
    return Names(values, fields)


def explain(title: str, node: Node | None, person: Person | None, names: Names, locale: str) -> str:
    """Returns the sentence, with the parts of the rule that the person meets."""
    words = _WORDS.get(locale, _WORDS["en"])
    reason = _describe(node, person, names, words) if node is not None else ""
    return words.sentence.format(title=title, reason=reason or words.everybody)


def describe_rule(node: Node, names: Names, locale: str) -> str:
    """Describes a whole rule in words."""
    words = _WORDS.get(locale, _WORDS["en"])
    return _describe(node, None, names, words) or words.everybody


def _describe(node: Node, person: Person | None, names: Names, words: Wording) -> str:
    if isinstance(node, Condition):
        return _describe_condition(node, names, words)
    if isinstance(node, Not):
        inner = _describe(node.node, None, names, words)
        return f"{words.not_} ({inner or words.everybody})"
    parts = [each for each in _list_parts(node, person, names, words) if each]
    joined = f" {words.and_ if isinstance(node, All) else words.or_} "
    return joined.join(parts)


def _list_parts(node: All | AnyOf, person: Person | None, names: Names, words: Wording) -> Iterator[str]:
    for each in node.nodes:
        # Of alternatives, only those that the person meets explain anything.
        if isinstance(node, AnyOf) and person is not None and not matches(each, person):
            continue
        text = _describe(each, person, names, words)
        is_nested = isinstance(each, All | AnyOf) and len(each.nodes) > 1
        yield f"({text})" if is_nested and text else text


def _describe_condition(condition: Condition, names: Names, words: Wording) -> str:
    key = condition.field.removeprefix(CUSTOM)
    field = words.fields.get(condition.field) or names.fields.get(key, key)
    write: Callable[[object], str] = lambda value: names.values.get(str(value), _write(value))  # noqa: E731
    values = sorted(write(each) for each in condition.values)
    text = ", ".join(values[:_MAX_VALUES])
    if len(values) > _MAX_VALUES:
        text = f"{text} {words.more.format(len(values) - _MAX_VALUES)}"
    return f"{field} {words.operators[condition.op]} {text}"


def _write(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
