"""Rules for SQL in a tenant's transaction, checked with PostgreSQL's own parser.

Citus refuses the shapes below, or needs each tenant table restricted to the tenant to find the worker.
See decision 84.
"""

from collections.abc import Callable, Iterator
from typing import Any

from pglast import ast, enums, parse_sql
from pglast.visitors import Visitor

from trilha.core.database.connection import compile_sql

# Tables and system views without a tenant_id, apart from PostgreSQL's own.
GLOBAL_TABLES = {
    *("tenants", "limit_windows", "schema_migrations", "signing_keys", "database_logins"),
    *("global_audit_records", "domain_owners", "master_keys", "hash_keys", "last_errors", "backup_runs"),
    "tenant_deletions",
}
REFERENCE_TABLES = {"tenants", "tenant_settings"}
# Functions that Citus does not call on the workers in an assignment, or in a decision of one.
_VOLATILE = {"gen_random_uuid", "random", "clock_timestamp", "nextval", "uuidv7"}
_STABLE = {"now", "jsonb_build_object", "to_jsonb", "to_json", "concat", "format"}

_Rule = tuple[str, str, Callable[[Any], bool]]


def list_violations(sql: str) -> list[str]:
    """Returns the rules that a statement breaks, each as its name and what to write instead.

    Statements without `:tenant` break none: a tenant's transaction refuses them anyway. Raises
    pglast.parser.ParseError if the text is no SQL.
    """
    text, names = compile_sql(sql)
    if "tenant" not in names:
        return []
    statements = [raw.stmt for raw in parse_sql(text)]
    nodes = [node for statement in statements for node in _walk(statement)]
    violations = [f"{name}: {advice}" for name, advice, is_broken in _RULES if any(map(is_broken, nodes))]
    for table in _list_open_tables(nodes, names.index("tenant") + 1):
        violations.append(f"tenant-scope: restrict {table} by tenant_id = :tenant, or join it on tenant_id.")
    return violations


def _walk(root: Any) -> list[Any]:
    nodes: list[Any] = []

    class Collector(Visitor):  # type: ignore[misc]
        def visit(self, _: Any, node: Any) -> None:
            nodes.append(node)

    Collector()(root)
    return nodes


def _inserts_selected_rows(node: Any) -> bool:
    return (
        isinstance(node, ast.InsertStmt) and node.selectStmt is not None and not node.selectStmt.valuesLists
    )


def _lacks_returning(node: Any) -> bool:
    return _inserts_selected_rows(node) and not node.returningClause and not node.onConflictClause


def _returns_parameter(node: Any) -> bool:
    """Returns whether RETURNING or ON CONFLICT has a parameter without a type."""
    if not _inserts_selected_rows(node):
        return False
    parts = [each for each in (node.returningClause, node.onConflictClause) if each is not None]
    inner = [each for part in parts for each in _walk(part)]
    return _count(inner, ast.ParamRef) > sum(
        isinstance(each, ast.TypeCast) and isinstance(each.arg, ast.ParamRef) for each in inner
    )


def _count(nodes: list[Any], kind: type) -> int:
    return sum(isinstance(each, kind) for each in nodes)


def _locks_reference_table(node: Any) -> bool:
    if not isinstance(node, ast.SelectStmt) or not node.lockingClause:
        return False
    return any(
        table.relname in REFERENCE_TABLES for part in node.fromClause or () for table in _list_tables(part)
    )


def _list_tables(item: Any) -> Iterator[Any]:
    """Returns the tables that stand directly in a FROM clause."""
    if isinstance(item, ast.RangeVar):
        yield item
    elif isinstance(item, ast.JoinExpr):
        yield from _list_tables(item.larg)
        yield from _list_tables(item.rarg)


def _has_case_operand(node: Any) -> bool:
    return isinstance(node, ast.CaseExpr) and node.arg is not None


def _compares_row_with_query(node: Any) -> bool:
    return (isinstance(node, ast.SubLink) and node.subLinkType == enums.SubLinkType.ROWCOMPARE_SUBLINK) or (
        isinstance(node, ast.A_Expr)
        and isinstance(node.lexpr, ast.RowExpr)
        and isinstance(node.rexpr, ast.SubLink)
    )


def _list_assignments(node: Any) -> tuple[Any, ...]:
    if isinstance(node, ast.UpdateStmt | ast.OnConflictClause):
        return tuple(node.targetList or ())
    return ()


def _calls(root: Any, functions: set[str]) -> bool:
    return any(isinstance(each, ast.FuncCall) and each.funcname[-1].sval in functions for each in _walk(root))


def _assigns_volatile(node: Any) -> bool:
    return any(_calls(each, _VOLATILE) for each in _list_assignments(node))


def _decides_in_assignment(node: Any) -> bool:
    return any(
        isinstance(each, ast.CoalesceExpr | ast.CaseExpr) and _calls(each, _STABLE | _VOLATILE)
        for assignment in _list_assignments(node)
        for each in _walk(assignment)
    )


_RULES: list[_Rule] = [
    ("insert-select", "add RETURNING tenant_id, or use VALUES.", _lacks_returning),
    ("untyped-parameter", "cast the parameter in RETURNING and ON CONFLICT.", _returns_parameter),
    (
        "locked-reference",
        "read the tenant in a statement of its own.",
        _locks_reference_table,
    ),
    ("case-operand", "write CASE WHEN x = 'a' instead of CASE x WHEN 'a'.", _has_case_operand),
    ("row-comparison", "join the subquery, and compare with its columns.", _compares_row_with_query),
    ("volatile-assignment", "compute the value in Python and bind it.", _assigns_volatile),
    ("stable-decision", "compute the value in Python, or decide in WHERE.", _decides_in_assignment),
]


class _Scopes:
    """Groups columns that are equal. The tenant's parameter is one of them."""

    TENANT = "tenant"

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def find(self, name: str) -> str:
        while (parent := self._parents.get(name, name)) != name:
            name = parent
        return name

    def join(self, one: str, other: str) -> None:
        self._parents[self.find(one)] = self.find(other)


def _list_open_tables(nodes: list[Any], tenant: int) -> list[str]:
    """Lists the tables that are neither restricted to the tenant nor joined with one that is.

    Two tables with the same alias in different subqueries count as one.
    """
    queries = {each.ctename for each in nodes if isinstance(each, ast.CommonTableExpr)}
    targets = {id(each.relation) for each in nodes if isinstance(each, ast.InsertStmt)}
    tables = [
        each
        for each in nodes
        if isinstance(each, ast.RangeVar) and id(each) not in targets and not each.relname.startswith("pg_")
    ]
    scopes = _Scopes()
    for name in (*queries, *_list_subqueries(nodes)):
        scopes.join(name, _Scopes.TENANT)
    for table in tables:
        if table.relname in queries | GLOBAL_TABLES:
            scopes.join(_alias(table), _Scopes.TENANT)
    _join_equal_tables(scopes, nodes, tenant)
    root = scopes.find(_Scopes.TENANT)
    return sorted({table.relname for table in tables if scopes.find(_alias(table)) != root})


def _join_equal_tables(scopes: _Scopes, nodes: list[Any], tenant: int) -> None:
    for query in nodes:
        # A column without a table belongs to the tables of its own query.
        own = [_alias(table) for part in _list_sources(query) for table in _list_tables(part)]
        for left, right in _list_equalities(query):
            for one in _resolve(left, own, tenant):
                for other in _resolve(right, own, tenant):
                    scopes.join(one, other)


def _alias(table: Any) -> str:
    name: str = table.alias.aliasname if table.alias else table.relname
    return name


def _list_subqueries(nodes: list[Any]) -> Iterator[str]:
    for each in nodes:
        if isinstance(each, ast.RangeSubselect | ast.RangeFunction) and each.alias:
            yield each.alias.aliasname


def _list_sources(query: Any) -> tuple[Any, ...]:
    if isinstance(query, ast.SelectStmt):
        return tuple(query.fromClause or ())
    if isinstance(query, ast.UpdateStmt):
        return (query.relation, *(query.fromClause or ()))
    if isinstance(query, ast.DeleteStmt):
        return (query.relation, *(query.usingClause or ()))
    return ()


def _list_equalities(query: Any) -> Iterator[tuple[Any, Any]]:
    """Returns the sides of each `=` in a query's own conditions."""
    parts = [query.whereClause] if hasattr(query, "whereClause") else []
    parts += [join.quals for source in _list_sources(query) for join in _list_joins(source)]
    while parts:
        part = parts.pop()
        if isinstance(part, ast.BoolExpr) and part.boolop == enums.BoolExprType.AND_EXPR:
            parts += part.args
        elif isinstance(part, ast.A_Expr) and part.name[-1].sval == "=":
            if isinstance(part.lexpr, ast.RowExpr) and isinstance(part.rexpr, ast.RowExpr):
                yield from zip(part.lexpr.args, part.rexpr.args, strict=False)
            else:
                yield part.lexpr, part.rexpr


def _list_joins(item: Any) -> Iterator[Any]:
    if isinstance(item, ast.JoinExpr):
        yield item
        yield from _list_joins(item.larg)
        yield from _list_joins(item.rarg)


def _resolve(side: Any, own: list[str], tenant: int) -> list[str]:
    """Returns the tables whose tenant this side of `=` is, or the tenant itself."""
    if isinstance(side, ast.TypeCast):
        side = side.arg
    if isinstance(side, ast.ParamRef):
        return [_Scopes.TENANT] if side.number == tenant else []
    if not isinstance(side, ast.ColumnRef) or not isinstance(side.fields[-1], ast.String):
        return []
    *table, column = (field.sval for field in side.fields)
    if column == "tenant_id" or (column == "id" and table and table[-1] in {"t", "tenants"}):
        return [table[-1]] if table else own
    return []
