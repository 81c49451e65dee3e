"""How the error of a violated constraint is recognized, on one server and on a cluster."""

import asyncpg
import pytest

from trilha.core.database import violates


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"n": "users_cpf"}, True),
        ({"n": "users_cpf_102013"}, True),
        ({"n": "users_cpf_key"}, False),
        ({"n": "users_email"}, False),
        ({"M": 'duplicate key value violates unique constraint "users_cpf_102013"'}, True),
        ({"M": 'duplicate key value violates unique constraint "users_cpf_key_102013"'}, False),
    ],
)
def test_a_constraint_is_recognized_with_the_number_of_a_shard(
    fields: dict[str, str], expected: bool
) -> None:
    error = asyncpg.PostgresError.new({"S": "ERROR", "C": "23505", "M": "duplicate key"} | fields)
    assert violates(error, "users_cpf") is expected
