"""Figures of questions, from the answers of attempts that were handed in.

- *Difficulty* is the mean share of a question's points that people earned, from 0 to 100: the facility index
  of classical test theory (Crocker and Algina, Introduction to Classical and Modern Test Theory, 1986,
  chapter 14). The lower, the harder.
- *Discrimination* is the corrected item-rest correlation (ibid.; Ebel and Frisbie, Essentials of Educational
  Measurement, 1991, chapter 13): Pearson's correlation between the share x of the question's points and the
  share r of the points of the attempt's *other* questions, over the attempts that answered the question:

      sum((x - mean x)(r - mean r)) / sqrt(sum((x - mean x)^2) * sum((r - mean r)^2))

  It is None with fewer than MIN_ANSWERS answers, and if everybody earned the same.

The cost is bounded: a question of the bank is measured by its newest NEWEST_ANSWERS answers, at most once an
hour and only if there are new ones; a quiz by its newest attempts, at most MAX_ITEMS answers in all.
"""

from typing import Literal

from trilha.training.question_bank.schema import Difficulty

MIN_ANSWERS = 10
NEWEST_ANSWERS = 400
NEWEST_ATTEMPTS = 400
MAX_ITEMS = 20_000
# The mean share from which a question is easy, and below which it is hard.
EASY, HARD = 75.0, 40.0
# Ebel's limits: .30 and more is reasonably good, below .20 is poor.
_GOOD, _POOR = 0.30, 0.20
Distinction = Literal["good", "fair", "none", "reversed"]


def judge_difficulty(share: float | None) -> Difficulty | None:
    if share is None:
        return None
    return "easy" if share >= EASY else "hard" if share < HARD else "medium"


def judge_discrimination(correlation: float | None) -> Distinction | None:
    """Tells how well a question distinguishes those who know the rest from those who do not."""
    if correlation is None:
        return None
    if correlation < 0:
        return "reversed"
    return "good" if correlation >= _GOOD else "none" if correlation < _POOR else "fair"


def choose_attempts(questions: int) -> int:
    """Returns the number of attempts by which a quiz with so many questions is measured."""
    return max(min(NEWEST_ATTEMPTS, MAX_ITEMS // max(questions, 1)), 1)
