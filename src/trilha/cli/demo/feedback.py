"""Learners' questions and evaluations of the demo's courses."""

import random
from datetime import timedelta
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.evaluations import actions as evaluations
from trilha.training.evaluations.rules import QUESTIONS
from trilha.training.evaluations.schema import Application, Reaction
from trilha.training.learner_questions import queries as questions

_PRAISE = (
    "Os exemplos são do nosso dia a dia.",
    "Curto e direto, deu para fazer no celular entre uma entrega e outra.",
    "Gostei das perguntas no fim de cada parte.",
)
_WISHES = (
    "O vídeo do segundo módulo trava quando a conexão está fraca.",
    "Faltou falar de como fazer isso à noite.",
    "Poderia ter mais exercícios e menos texto.",
)
_USES = ("Uso toda semana no pátio.", "Ainda não precisei, mas me sinto mais seguro.")
# Questions with their answers; the last two wait.
_QUESTIONS = (
    ("O certificado vale para outra empresa?", "Vale, sim. Baixe o PDF na página Certificados."),
    ("Posso refazer a prova para melhorar a nota?", "Pode. Vale sempre a sua melhor tentativa."),
    ("O extintor da minha área é de pó. Serve para fogo em painel elétrico?", "Serve. Nunca use água."),
    ("Qual a distância mínima até o caminhão da frente na chuva?\n\nNo vídeo são 4 segundos.", None),
    ("Quem assina a permissão de trabalho no turno da noite?", None),
)


class Feedback:
    """What people say about courses. It has its own chance, so that the rest of the year stays the same."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._chance = random.Random(98)  # noqa: S311

    def gives(self) -> bool:
        """Returns whether a person who has completed a course evaluates it."""
        return self._chance.random() < 0.6

    async def evaluate(self, enrollment: UUID, user: UUID) -> None:
        grades = {name: self._chance.choice((2, 3, 4, 4, 4, 5, 5, 5)) for name in QUESTIONS}
        mean = sum(grades.values()) / len(grades)
        words = _PRAISE if mean >= 4 else _WISHES
        reaction = Reaction(
            **grades,
            nps=min(10, max(0, round(2 * mean) + self._chance.choice((-1, 0, 0, 1, 2)))),
            text=self._chance.choice(words) if self._chance.random() < 0.3 else None,
        )
        await evaluations.evaluate(self._tx, user, enrollment, reaction)

    async def apply(self, enrollment: UUID, user: UUID) -> None:
        """Asks, 90 days later, without a reminder; most people answer."""
        await self._tx.execute(
            """
            UPDATE course_evaluations SET asked_at = :now
            WHERE tenant_id = :tenant AND enrollment_id = :id AND kind = 'APPLICATION'
            """,
            id=enrollment,
        )
        if self._chance.random() < 0.6:
            text = self._chance.choice(_USES) if self._chance.random() < 0.3 else None
            application = Application(applied=self._chance.choice((2, 3, 4, 4, 5)), text=text)
            await evaluations.evaluate_application(self._tx, user, enrollment, application)

    async def ask(self, number: int) -> None:
        """Asks a question about the course that was completed last. Nobody is reminded of it."""
        (row,) = await self._tx.rows(
            """
            SELECT e.id, e.user_id, e.course_id, t.user_id AS teacher
            FROM enrollments e JOIN course_teachers t ON t.tenant_id = :tenant AND t.course_id = e.course_id
            WHERE e.tenant_id = :tenant AND e.status = 'COMPLETED' AND NOT EXISTS (
                SELECT FROM learner_questions q WHERE q.tenant_id = :tenant AND q.enrollment_id = e.id)
            ORDER BY e.completed_at DESC, e.id LIMIT 1
            """
        )
        text, answer = _QUESTIONS[number]
        id = await questions.insert_question(self._tx, row["user_id"], row["id"], row["course_id"], None)
        await questions.insert_message(self._tx, id, 1, row["user_id"], text, is_answer=False)
        if answer is not None:
            self._tx.now += timedelta(minutes=28 * (number + 1))
            await questions.insert_message(self._tx, id, 2, row["teacher"], answer, is_answer=True)
            await questions.set_answered(self._tx, id, close=number == 0)


QUESTION_DAYS = (60, 34, 12, 3, 1)  # days before today
