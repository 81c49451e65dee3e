"""The statements that `make check` refuses, because a cluster does."""

import pytest
from docs.statement_rules import list_violations
from docs.statements import list_statements

PAIRS = {
    "insert-select": (
        "INSERT INTO notes (tenant_id, text) SELECT :tenant, unnest(:texts::text[])",
        "INSERT INTO notes (tenant_id, text) SELECT :tenant, unnest(:texts::text[]) RETURNING tenant_id",
    ),
    "untyped-parameter": (
        "INSERT INTO notes (tenant_id, id) SELECT :tenant, :id RETURNING :token",
        "INSERT INTO notes (tenant_id, id) SELECT :tenant, :id RETURNING CAST(:token AS text)",
    ),
    "locked-reference": (
        """SELECT n.id FROM notes n JOIN tenants t ON t.id = n.tenant_id
           WHERE n.tenant_id = :tenant FOR UPDATE OF n""",
        "SELECT n.id FROM notes n WHERE n.tenant_id = :tenant FOR UPDATE",
    ),
    "case-operand": (
        "UPDATE notes SET kind = CASE kind WHEN 'A' THEN 'B' ELSE 'C' END WHERE tenant_id = :tenant",
        "UPDATE notes SET kind = CASE WHEN kind = 'A' THEN 'B' ELSE 'C' END WHERE tenant_id = :tenant",
    ),
    "row-comparison": (
        """DELETE FROM notes WHERE tenant_id = :tenant AND (at, id) <= (
               SELECT at, id FROM notes WHERE tenant_id = :tenant ORDER BY at LIMIT 1)""",
        """DELETE FROM notes WHERE tenant_id = :tenant AND id IN (
               SELECT id FROM notes WHERE tenant_id = :tenant ORDER BY at LIMIT 1)""",
    ),
    "volatile-assignment": (
        "UPDATE notes SET claim = gen_random_uuid() WHERE tenant_id = :tenant",
        "UPDATE notes SET claim = :claim WHERE tenant_id = :tenant",
    ),
    "stable-decision": (
        "UPDATE notes SET data = COALESCE(data, jsonb_build_object('a', 1)) WHERE tenant_id = :tenant",
        "UPDATE notes SET data = COALESCE(data, :data::jsonb) WHERE tenant_id = :tenant",
    ),
    "tenant-scope": (
        "SELECT n.id FROM notes n JOIN labels l ON l.note_id = n.id WHERE n.tenant_id = :tenant",
        "SELECT n.id FROM notes n JOIN labels l ON l.tenant_id = n.tenant_id WHERE n.tenant_id = :tenant",
    ),
}


@pytest.mark.parametrize("rule", PAIRS)
def test_a_refused_shape_breaks_its_rule_and_the_other_form_none(rule: str) -> None:
    refused, accepted = PAIRS[rule]
    assert [each.split(":")[0] for each in list_violations(refused)] == [rule]
    assert list_violations(accepted) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM notes WHERE id = :id OR tenant_id = :tenant",
        "DELETE FROM notes WHERE tenant_id = :other AND user_id = :tenant",
        "SELECT id FROM notes WHERE id IN (SELECT note_id FROM labels WHERE tenant_id = :tenant)",
        "UPDATE notes n SET text = l.name FROM labels l WHERE l.tenant_id = :tenant AND l.id = n.label_id",
    ],
)
def test_every_tenant_table_must_be_restricted(sql: str) -> None:
    assert [each.split(":")[0] for each in list_violations(sql)] == ["tenant-scope"]


def test_statements_are_found_in_texts_and_f_strings() -> None:
    source = 'def f(x):\n    a("SELECT 1 FROM a")\n    b(f"SELECT {_ONE} FROM b")\n    c(f"SELECT {x}")\n'
    assert list(list_statements(source, {"_ONE": "1"})) == [(2, "SELECT 1 FROM a"), (3, "SELECT 1 FROM b")]
