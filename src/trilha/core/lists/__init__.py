"""Lists as values: what they show, what filters them, in which orders, and whose rows they are."""

from trilha.core.lists.listing import (
    CHANGED_SINCE,
    CREATED_SINCE,
    NEWEST,
    Branch,
    Condition,
    Conditions,
    List,
    Walk,
    equal,
    owned,
)
from trilha.core.lists.pages import (
    Count,
    count,
    fetch_page,
    find_few_ids,
    find_rows,
    list_ids,
    list_rows,
    page_in_time,
    prepare,
    read_pages,
)

__all__ = [
    "CHANGED_SINCE",
    "CREATED_SINCE",
    "NEWEST",
    "Branch",
    "Condition",
    "Conditions",
    "Count",
    "List",
    "Walk",
    "count",
    "equal",
    "fetch_page",
    "find_few_ids",
    "find_rows",
    "list_ids",
    "list_rows",
    "owned",
    "page_in_time",
    "prepare",
    "read_pages",
]
