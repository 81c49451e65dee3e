from trilha.feature import Feature
from trilha.training.quizzes import errors

FEATURE = Feature(
    name="quizzes",
    errors=[errors],
)
