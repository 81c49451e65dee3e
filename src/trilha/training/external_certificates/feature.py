from trilha.feature import Feature
from trilha.training.external_certificates import errors, queries

FEATURE = Feature(
    name="external_certificates",
    errors=[errors],
    sealed_columns=[queries.SEALED_CONTENT],
    erasures=[queries.erase],
    export=queries.EXPORT,
)
