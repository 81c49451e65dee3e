from trilha.feature import Feature
from trilha.training.catalog.api import routes

FEATURE = Feature(name="catalog", v1=[routes])
