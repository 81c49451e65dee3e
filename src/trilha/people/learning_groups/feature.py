from trilha.feature import Feature
from trilha.people.learning_groups import errors, scrubbing

FEATURE = Feature(name="learning_groups", errors=[errors], erasures=[scrubbing.leave_all])
