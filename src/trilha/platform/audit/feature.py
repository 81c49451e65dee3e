from trilha.feature import Feature
from trilha.platform.audit import errors

FEATURE = Feature(name="audit", errors=[errors])
