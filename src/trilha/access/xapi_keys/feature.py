from trilha.access.xapi_keys import unscoped
from trilha.feature import Feature

FEATURE = Feature(name="xapi_keys", credentials=[unscoped.LOOKUP])
