from trilha.feature import Feature
from trilha.people.business_units import errors

FEATURE = Feature(
    name="business_units",
    errors=[errors],
)
