"""Draws the questions of one attempt. No I/O, no clock; the caller provides the randomness."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from msgspec import structs

from trilha.training.quizzes.schema import MAX_QUESTIONS, Question, QuizSettings


def draw(
    quiz: QuizSettings, questions: Sequence[Question], chance: Random, bank: Sequence[Question] = ()
) -> list[Question]:
    """Draws from each pool as many questions as the quiz says, in the author's order unless questions are
    shuffled; the same for choices. The questions that were drawn from the bank come last.

    A pool with fewer questions than the quiz draws gives all of them.
    """
    asked = [*_draw(quiz.draws, questions, chance), *bank][:MAX_QUESTIONS]
    if quiz.shuffle_questions:
        chance.shuffle(asked)
    return [_shuffle(each, chance) if quiz.shuffle_choices else each for each in asked]


def _draw(draws: Mapping[str, int], questions: Sequence[Question], chance: Random) -> list[Question]:
    pools = defaultdict[str, list[Question]](list)
    for each in questions:
        if each.pool in draws:
            pools[each.pool].append(each)
    left_out = set()
    for name, pool in pools.items():
        wanted = min(draws[name], len(pool))
        left_out |= {each.id for each in pool} - {each.id for each in chance.sample(pool, wanted)}
    return [each for each in questions if each.id not in left_out]


def _shuffle(question: Question, chance: Random) -> Question:
    choices = list(question.choices)
    chance.shuffle(choices)
    return structs.replace(question, choices=choices)
