"""Finding users for integrations: all of the words that are looked for begin something of theirs.

Those who are found by a word of their name come first, by name; then those whose e-mail address or employee
number begins so, by that. What finds a page reads as much of a company of ten thousand as of a million: the words
of names that begin alike are some hundreds, and of each a page is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, columns_of
from trilha.core.web.pagination import BY_CHANGE, Keyset, Order, Page, empty_page, fetch_page
from trilha.users import search
from trilha.users.schema import User, UserQuery

# What no more people than these pass is looked for first; then all else in these alone.
_FEW = 1000
_COLUMNS = columns_of(User)
_OF_A_NAME = "strpos({0}.name_key, {0}.word) > 0"
# The words of names that begin so, each found from the one before.
_WORDS = f"""
    WITH RECURSIVE words AS (
        (SELECT w.word FROM user_words AS w
         WHERE w.tenant_id = :tenant AND w.word >= :term_0 AND w.word < :end_0 AND {_OF_A_NAME.format("w")}
         ORDER BY w.word LIMIT 1)
        UNION ALL
        SELECT (SELECT w.word FROM user_words AS w
                WHERE w.tenant_id = :tenant AND w.word > words.word AND w.word < :end_0
                  AND {_OF_A_NAME.format("w")}
                ORDER BY w.word LIMIT 1)
        FROM words WHERE words.word IS NOT NULL)
"""  # noqa: S608
_BY_NAME = f"""
    {_WORDS}
    SELECT found.name_key AS place, person.*
    FROM (
        SELECT DISTINCT page.name_key, page.user_id FROM words CROSS JOIN LATERAL (
            SELECT w.name_key, w.user_id FROM user_words AS w {{joined}}
            WHERE w.tenant_id = :tenant AND w.word = words.word AND {_OF_A_NAME.format("w")} AND {{where}}
            ORDER BY w.name_key, w.user_id LIMIT :most) AS page
        ORDER BY page.name_key, page.user_id LIMIT :most) AS found
    JOIN LATERAL (
        SELECT {_COLUMNS} FROM users WHERE tenant_id = :tenant AND id = found.user_id OFFSET 0) AS person ON true
    ORDER BY found.name_key, found.user_id
"""  # noqa: S608
# Of several that begin so the first one counts.
_FIRST = f"""
    NOT EXISTS (SELECT FROM user_words AS other
                WHERE other.tenant_id = :tenant AND other.user_id = w.user_id
                  AND other.word >= :term_0 AND other.word < :end_0
                  AND (other.word < w.word OR {_OF_A_NAME.format("other")}) OFFSET 0)
"""  # noqa: S608
_BY_OTHERS = f"""
    SELECT w.word || :between || w.name_key AS place, {columns_of(User).replace(" ", " person.")}
    FROM user_words AS w JOIN LATERAL (
        SELECT * FROM users WHERE tenant_id = :tenant AND id = w.user_id OFFSET 0) AS person ON true
    WHERE w.tenant_id = :tenant AND w.word >= :term_0 AND w.word < :end_0
      AND NOT ({_OF_A_NAME.format("w")}) AND {_FIRST} AND {{where}}
    ORDER BY w.word, w.name_key, w.user_id LIMIT :most
"""  # noqa: S608
