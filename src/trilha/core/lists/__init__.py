"""Lists as values: what they show, what filters them, in which orders, and whose rows they are."""

from trilha.core.lists.listing import NEWEST, Branch, Condition, List, Walk
from trilha.core.lists.pages import (
    Count,
    count,
    fetch_page,
    find_few_ids,
    find_rows,
    list_ids,
    page_in_time,
    prepare,
)

__all__ = [
    "NEWEST",
    "Branch",
    "Condition",
    "Count",
    "List",
    "Walk",
    "count",
    "fetch_page",
    "find_few_ids",
    "find_rows",
    "list_ids",
    "page_in_time",
    "prepare",
]
