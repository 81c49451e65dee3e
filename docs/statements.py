"""Checks the SQL of the sources for a cluster: `python -m docs.statements`.

It reads every text that is a whole statement, and f-strings whose parts are constants of their module. The
test suite checks the others when it runs them. Exits with 1 if a statement breaks a rule.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pglast.parser import ParseError

from docs.statement_rules import list_violations

_SOURCES = Path(__file__).parent.parent / "src"
_STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s")


def list_statements(source: str, names: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Returns the statements of a module with their lines. `names` are the members of the module."""
    tree = ast.parse(source)
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.BinOp)
        for part in ast.walk(node)
        if part is not node
    }
    parts |= {id(value) for value in _list_parts_of_others(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in parts:
            text = _evaluate(node, names)
            if isinstance(text, str) and _STATEMENT.match(text):
                yield node.lineno, text


def _list_parts_of_others(tree: ast.Module) -> Iterator[ast.expr]:
    """Returns the values of constants that stand in f-strings. They may lack their conditions."""
    names = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.FormattedValue | ast.BinOp)
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) in names:
            yield statement.value


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    try:
        return eval(compile(ast.Expression(node), "", "eval"), dict(names))  # noqa: S307 - our own sources
    except Exception:
        return None  # It needs variables of a function.


def main() -> None:
    count, violations = 0, []
    for path in sorted(_SOURCES.rglob("*.py")):
        source = path.read_text()
        if ":tenant" not in source:
            continue
        module = ".".join(path.relative_to(_SOURCES).with_suffix("").parts).removesuffix(".__init__")
        for line, sql in list_statements(source, vars(importlib.import_module(module))):
            try:
                refused = list_violations(sql)
            except ParseError:
                continue  # a part of a statement
            count += 1
            violations += [f"{path.relative_to(_SOURCES.parent)}:{line}: {each}" for each in refused]
    if violations:
        sys.exit("\n".join([*violations, "A cluster refuses these statements: see docs/statement_rules.py."]))
    if not count:
        sys.exit("No statements were found: docs/statements.py looks for them in the wrong place.")


if __name__ == "__main__":
    main()
