"""Rows become Structs by their column names."""

from msgspec import Struct

from conftest import World
from trilha.core.database import columns_of, structs_of


class Point(Struct, frozen=True):
    x: int
    y: int | None


class Name(Struct, frozen=True):
    y: str


async def test_whatever_the_order_and_whatever_else_is_there(world: World) -> None:
    async with world.tx() as tx:
        rows = await tx.rows("SELECT 2 AS y, 7 AS z, 1 AS x WHERE CAST(:tenant AS uuid) IS NOT NULL")
        assert structs_of(Point, rows) == [Point(1, 2)]
        assert structs_of(Name, rows) == [Name(2)]  # type: ignore[arg-type]
        assert structs_of(Point, []) == []


async def test_of_two_tables_that_share_a_name(world: World) -> None:
    async with world.tx() as tx:
        rows = await tx.rows(
            f"""
            SELECT {columns_of(Name, "name")}, {columns_of(Point, "point")}
            FROM (VALUES ('a'), ('b')) AS name (y)
            LEFT JOIN (VALUES (1, 2, 'a')) AS point (x, y, of) ON point.of = name.y
            WHERE CAST(:tenant AS uuid) IS NOT NULL ORDER BY name.y
            """
        )
    assert structs_of(Name, rows, "name") == [Name("a"), Name("b")]
    assert structs_of(Point, rows, "point") == [Point(1, 2), Point(None, None)]  # type: ignore[arg-type]
