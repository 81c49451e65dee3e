from trilha.feature import Feature
from trilha.training.learner_questions import errors, queries

FEATURE = Feature(name="learner_questions", errors=[errors], erasures=[queries.erase], export=queries.EXPORT)
