from trilha.feature import Feature
from trilha.people.custom_fields import errors
from trilha.people.custom_fields.api import routes
from trilha.people.custom_fields.values import SEALED_VALUES

FEATURE = Feature(name="custom_fields", errors=[errors], v1=[routes], sealed_columns=[SEALED_VALUES])
