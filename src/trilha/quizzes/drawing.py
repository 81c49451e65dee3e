"""What one attempt is asked. No I/O, no clock; chance comes from outside."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from msgspec import structs

from trilha.quizzes.schema import Question, QuizSettings


def draw(quiz: QuizSettings, questions: Sequence[Question], chance: Random) -> list[Question]:
    """As many of each pool as the quiz says, in the author's order unless they are shuffled; so the choices.

    A pool that has fewer questions than are drawn gives all that it has.
    """
    asked = _drawn(quiz.draws, questions, chance)
    if quiz.shuffle_questions:
        chance.shuffle(asked)
    return [_shuffled(each, chance) if quiz.shuffle_choices else each for each in asked]


def _drawn(draws: Mapping[str, int], questions: Sequence[Question], chance: Random) -> list[Question]:
    pools = defaultdict[str, list[Question]](list)
    for each in questions:
        if each.pool in draws:
            pools[each.pool].append(each)
    left_out = set()
    for name, pool in pools.items():
        wanted = min(draws[name], len(pool))
        left_out |= {each.id for each in pool} - {each.id for each in chance.sample(pool, wanted)}
    return [each for each in questions if each.id not in left_out]


def _shuffled(question: Question, chance: Random) -> Question:
    choices = list(question.choices)
    chance.shuffle(choices)
    return structs.replace(question, choices=choices)
