from trilha.access.api_keys import unscoped
from trilha.access.api_keys.schema import KeyPrefix
from trilha.feature import Feature

FEATURE = Feature(
    name="api_keys",
    credentials=[unscoped.LOOKUP],
    build_dependencies=lambda settings, _: [KeyPrefix(settings.api_key_prefix)],
)
