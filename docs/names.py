"""Refuses names that do not say what they name: `python -m docs.names`.

A function is a verb phrase or a question, a class or a value is a noun: see `docs/glossary.md`. A past
participle alone (`_issued`, `Made`) is neither. A function that begins with one (`signed_part`) hides its
verb. A stopgap such as `most` says nothing in any name. A property may begin with a participle, because it
reads like a noun. A module is named like a value. A parameter must not be a stopgap. Local
variables and members are not checked. Exits with 1 if a name is refused.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_SOURCES = Path(__file__).parent.parent / "src"
_STOPGAP = re.compile("found|shown|told|asked|given|kept|said|wanted|most|more|little")
# Without participles that are also the verb's base form, such as `read`, `put` and `set`.
_PARTICIPLE = re.compile(
    f"(?!embed|feed|need|seed|speed)[a-z]+ed|{_STOPGAP.pattern}|begun|bought|bound|broken|brought|built|caught"
    "|chosen|done|drawn|driven|felt|forgotten|gone|grown|heard|held|hidden|known|laid|led|left|lent|lost|made"
    "|meant|met|paid|seen|sent|sold|spent|stuck|taken|thought|understood|won|written"
)
_ALLOWED = {
    *("NotFound", "not_found", "Unauthenticated"),  # HTTP's names for the statuses 404 and 401
    *("Unscoped", "unscoped"),  # a connection without a tenant: see the glossary
}


def list_refused_names(source: str) -> Iterator[tuple[int, str]]:
    """Returns each refused name of a module, with its line before it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any(ast.unparse(each).endswith("property") for each in node.decorator_list)
            if is_refused(node.name, begins_with_verb=not is_property):
                yield node.lineno, node.name
        elif isinstance(node, ast.ClassDef) and is_refused(node.name):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg) and _STOPGAP.fullmatch(node.arg):
            yield node.lineno, node.arg
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and is_refused(node.id):
                    yield node.lineno, node.id


def is_refused(name: str, *, begins_with_verb: bool = False) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")
    if name in _ALLOWED:
        return False
    if any(map(_STOPGAP.fullmatch, words)):
        return True
    return bool(_PARTICIPLE.fullmatch(words[0])) and (begins_with_verb or len(words) == 1)


def main() -> None:
    refused = [
        f"{path.relative_to(_SOURCES.parent)}:{line}: {name}"
        for path in sorted(_SOURCES.rglob("*.py"))
        for line, name in [
            *((1, each) for each in (path.stem, path.parent.name) if is_refused(each)),
            *list_refused_names(path.read_text()),
        ]
    ]
    if refused:
        sys.exit("\n".join([*refused, "These names do not say what they name: see docs/names.py."]))


if __name__ == "__main__":
    main()
