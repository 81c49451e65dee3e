"""The list of the bank's questions."""

from typing import Any

from trilha.core.database import Tx
from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.training.question_bank.schema import ListedBankQuestion
from trilha.training.question_bank.statistics import EASY, HARD
from trilha.training.question_bank.tags import normalize

_WITH_TAG = "SELECT question_id FROM bank_question_tags WHERE tenant_id = :tenant AND tag = :tag"
_IN_COURSE = """
    SELECT DISTINCT q.bank_question_id FROM modules AS m
    JOIN questions AS q ON q.tenant_id = :tenant AND q.quiz_id = (m.content ->> 'quiz_id')::uuid
    WHERE m.tenant_id = :tenant AND m.course_id = :course AND m.type = 'QUIZ'
      AND q.bank_question_id IS NOT NULL"""


async def _match_tag(tx: Tx, query: Any, reach: Any) -> Conditions:
    where = """(SELECT true FROM bank_question_tags AS t
        WHERE t.tenant_id = :tenant AND t.tag = :tag AND t.question_id = row.id)"""
    return (Condition(where=where, ids=_WITH_TAG, params={"tag": normalize(query.tag)}),)


def _difficulty(where: str) -> Conditions:
    return (Condition(where=f"row.difficulty IS NOT NULL AND {where}"),)


BANK_QUESTIONS = List(
    name="bank-questions",
    table="bank_questions",
    kind=ListedBankQuestion,
    columns={
        "tags": """ARRAY(SELECT t.tag FROM bank_question_tags AS t
            WHERE t.tenant_id = :tenant AND t.question_id = row.id ORDER BY t.tag)""",
        "quizzes": """(SELECT count(*) FROM (SELECT FROM questions AS q
            WHERE q.tenant_id = :tenant AND q.bank_question_id = row.id LIMIT 100) AS used)""",
        "author_name": "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.author_id)",
    },
    orders={"created": Walk(keys=("created_at",))},
    filters={
        "q": Condition(where="strpos(row.text_key, (SELECT search_text(trim(:q)))) > 0"),
        "kind": equal("kind"),
        "tag": _match_tag,
        "course": Condition(
            where=f"row.id = ANY(ARRAY({_IN_COURSE}))",
            ids=_IN_COURSE,
        ),
        "difficulty": {
            "easy": _difficulty(f"row.difficulty >= {EASY}"),
            "medium": _difficulty(f"row.difficulty >= {HARD} AND row.difficulty < {EASY}"),
            "hard": _difficulty(f"row.difficulty < {HARD}"),
        },
        "state": {
            "active": (Condition(where="row.archived_at IS NULL"),),
            "archived": (Condition(where="row.archived_at IS NOT NULL"),),
        },
    },
)
