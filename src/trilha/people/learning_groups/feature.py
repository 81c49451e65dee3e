from trilha.feature import Feature
from trilha.people.learning_groups import erasure, errors

FEATURE = Feature(name="learning_groups", errors=[errors], erasures=[erasure.erase_person])
