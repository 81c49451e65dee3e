from trilha.feature import Feature
from trilha.web.accessibility.pages import SURFACE

FEATURE = Feature(name="accessibility", build_surfaces=lambda _: [SURFACE])
