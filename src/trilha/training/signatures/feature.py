from trilha.feature import Feature
from trilha.training.signatures import errors, queries

FEATURE = Feature(
    name="signatures",
    errors=[errors],
    sealed_columns=[queries.SEALED_CONTENT],
    erasures=[queries.erase],
    export=queries.EXPORT,
)
