from trilha.feature import Feature
from trilha.platform.health.api import SURFACES

FEATURE = Feature(name="health", build_surfaces=lambda _: SURFACES)
